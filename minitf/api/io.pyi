"""The names of `tf.io`."""

from minitf.api import io_gfile as gfile
from minitf.library.formats.records import TFRecordCompressionType as TFRecordCompressionType
from minitf.library.formats.records import TFRecordOptions as TFRecordOptions
from minitf.library.formats.records import TFRecordWriter as TFRecordWriter
from minitf.library.formats.records import tf_record_iterator as tf_record_iterator
from minitf.library.images.image_codec import decode_and_crop_jpeg as decode_and_crop_jpeg
from minitf.library.images.image_codec import decode_image as decode_image
from minitf.library.images.image_codec import decode_jpeg as decode_jpeg
from minitf.library.images.image_codec import decode_png as decode_png
from minitf.library.images.image_codec import extract_jpeg_shape as extract_jpeg_shape
from minitf.library.input.queues.batching import match_filenames_once as match_filenames_once
from minitf.library.input.queues.queues import PaddingFIFOQueue as PaddingFIFOQueue
from minitf.library.input.queues.queues import QueueBase as QueueBase
from minitf.library.input.queues.queues import RandomShuffleQueue as RandomShuffleQueue
from minitf.library.input.whole_files import matching_files as matching_files
from minitf.library.input.whole_files import read_file as read_file
from minitf.library.input.whole_files import write_file as write_file
from minitf.library.parsing.examples import FixedLenFeature as FixedLenFeature
from minitf.library.parsing.examples import FixedLenSequenceFeature as FixedLenSequenceFeature
from minitf.library.parsing.examples import VarLenFeature as VarLenFeature
from minitf.library.parsing.examples import parse_example as parse_example
from minitf.library.parsing.examples import parse_single_example as parse_single_example
from minitf.library.parsing.parsing import decode_csv as decode_csv
from minitf.library.parsing.parsing import decode_raw as decode_raw
from minitf.library.parsing.parsing import parse_tensor as parse_tensor
from minitf.library.parsing.parsing import serialize_tensor as serialize_tensor
from minitf.library.saving.meta_graph import write_graph as write_graph
from minitf.library.text.encodings import encode_base64 as encode_base64

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "PaddingFIFOQueue", "QueueBase",
    "RandomShuffleQueue", "TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter",
    "VarLenFeature", "decode_and_crop_jpeg", "decode_csv", "decode_image", "decode_jpeg",
    "decode_png", "decode_raw", "encode_base64", "extract_jpeg_shape", "gfile",
    "match_filenames_once", "matching_files", "parse_example", "parse_single_example",
    "parse_tensor", "read_file", "serialize_tensor", "tf_record_iterator", "write_file",
    "write_graph"
]

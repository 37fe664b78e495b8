"""The namespace `tf.io`: names only."""

from minitf import io_gfile as gfile
from minitf.framework.records import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)
from minitf.ops.example_parsing import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
    parse_example,
    parse_single_example,
    parse_single_sequence_example,
)
from minitf.ops.files import matching_files, read_file, write_file
from minitf.ops.image_codec import (
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    encode_jpeg,
    encode_png,
    extract_jpeg_shape,
    is_jpeg,
)
from minitf.ops.parsing import decode_csv, decode_raw, parse_tensor, serialize_tensor
from minitf.ops.queues import PaddingFIFOQueue, PriorityQueue, QueueBase, RandomShuffleQueue
from minitf.ops.string_codes import decode_base64, encode_base64
from minitf.train.input_producers import match_filenames_once
from minitf.train.meta_graph import write_graph

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

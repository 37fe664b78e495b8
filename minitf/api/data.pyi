"""The names of `tf.data`."""

from minitf.api import data_experimental as experimental
from minitf.library.input.data.dataset import Dataset as Dataset
from minitf.library.input.data.dataset import get_output_classes as get_output_classes
from minitf.library.input.data.dataset import get_output_shapes as get_output_shapes
from minitf.library.input.data.dataset import get_output_types as get_output_types
from minitf.library.input.data.dataset import make_initializable_iterator as make_initializable_iterator
from minitf.library.input.data.dataset import make_one_shot_iterator as make_one_shot_iterator
from minitf.library.input.data.files import FixedLengthRecordDataset as FixedLengthRecordDataset
from minitf.library.input.data.files import TFRecordDataset as TFRecordDataset
from minitf.library.input.data.files import TextLineDataset as TextLineDataset
from minitf.library.input.data.iterators import Iterator as Iterator
from minitf.library.input.data.options import Options as Options
from minitf.library.input.data.prefetching import AUTOTUNE as AUTOTUNE
from minitf.library.input.data.structure import DatasetSpec as DatasetSpec

__all__ = [
    "AUTOTUNE", "Dataset", "DatasetSpec", "FixedLengthRecordDataset", "Iterator", "Options",
    "TFRecordDataset", "TextLineDataset", "experimental", "get_output_classes",
    "get_output_shapes", "get_output_types", "make_initializable_iterator",
    "make_one_shot_iterator"
]

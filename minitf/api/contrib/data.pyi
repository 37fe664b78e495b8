"""The names of `tf.contrib.data`."""

from minitf.compat.contrib.learn_data import batch_and_drop_remainder as batch_and_drop_remainder
from minitf.library.input.data.batches import group_by_window as group_by_window
from minitf.library.input.data.batches import unbatch_all as unbatch
from minitf.library.input.data.dataset import Dataset as Dataset
from minitf.library.input.data.files import TFRecordDataset as TFRecordDataset
from minitf.library.input.data.files import TextLineDataset as TextLineDataset
from minitf.library.input.data.iterators import Iterator as Iterator
from minitf.library.input.data.mapping import map_and_batch as map_and_batch
from minitf.library.input.data.mapping import parallel_interleave as parallel_interleave
from minitf.library.input.data.order import shuffle_and_repeat as shuffle_and_repeat
from minitf.library.input.data.prefetching import AUTOTUNE as AUTOTUNE

__all__ = [
    "AUTOTUNE", "Dataset", "Iterator", "TFRecordDataset", "TextLineDataset",
    "batch_and_drop_remainder", "group_by_window", "map_and_batch", "parallel_interleave",
    "shuffle_and_repeat", "unbatch"
]

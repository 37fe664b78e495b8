"""The names of `tf.contrib.data`."""

from minitf.compat.contrib.learn_data import batch_and_drop_remainder as batch_and_drop_remainder
from minitf.library.input.data.dataset import Dataset as Dataset
from minitf.library.input.data.experimental import group_by_window as group_by_window
from minitf.library.input.data.experimental import map_and_batch as map_and_batch
from minitf.library.input.data.experimental import parallel_interleave as parallel_interleave
from minitf.library.input.data.experimental import shuffle_and_repeat as shuffle_and_repeat
from minitf.library.input.data.experimental import unbatch as unbatch
from minitf.library.input.data.file_datasets import TFRecordDataset as TFRecordDataset
from minitf.library.input.data.file_datasets import TextLineDataset as TextLineDataset
from minitf.library.input.data.iterators import Iterator as Iterator
from minitf.library.input.data.parallel import AUTOTUNE as AUTOTUNE

"""The names of `tf.contrib.data`."""

from minitf.compat.contrib.old_inputs import batch_and_drop_remainder as batch_and_drop_remainder
from minitf.library.input.data.dataset import Dataset as Dataset
from minitf.library.input.data.experimental import TFRecordWriter as TFRecordWriter
from minitf.library.input.data.experimental import get_single_element as get_single_element
from minitf.library.input.data.experimental import group_by_window as group_by_window
from minitf.library.input.data.experimental import ignore_errors as ignore_errors
from minitf.library.input.data.experimental import map_and_batch as map_and_batch
from minitf.library.input.data.experimental import parallel_interleave as parallel_interleave
from minitf.library.input.data.experimental import shuffle_and_repeat as shuffle_and_repeat
from minitf.library.input.data.experimental import unbatch as unbatch
from minitf.library.input.data.file_datasets import FixedLengthRecordDataset as FixedLengthRecordDataset
from minitf.library.input.data.file_datasets import TFRecordDataset as TFRecordDataset
from minitf.library.input.data.file_datasets import TextLineDataset as TextLineDataset
from minitf.library.input.data.iterators import Iterator as Iterator
from minitf.library.input.data.parallel import AUTOTUNE as AUTOTUNE
from minitf.library.input.data.stats import StatsAggregator as StatsAggregator
from minitf.library.input.data.stats import latency_stats as latency_stats
from minitf.library.input.tables import CsvDataset as CsvDataset
from minitf.library.input.tables import make_batched_features_dataset as make_batched_features_dataset
from minitf.library.input.tables import make_csv_dataset as make_csv_dataset
from minitf.library.input.tables import parse_example_dataset as parse_example_dataset

"""The names of `tf.data_experimental`."""

from minitf.library.input.data.batches import group_by_window as group_by_window
from minitf.library.input.data.batches import unbatch_all as unbatch
from minitf.library.input.data.mapping import map_and_batch as map_and_batch
from minitf.library.input.data.mapping import map_and_batch as map_and_batch_with_legacy_function
from minitf.library.input.data.mapping import parallel_interleave as parallel_interleave
from minitf.library.input.data.options import OptimizationOptions as OptimizationOptions
from minitf.library.input.data.options import StatsAggregator as StatsAggregator
from minitf.library.input.data.options import bytes_produced_stats as bytes_produced_stats
from minitf.library.input.data.options import latency_stats as latency_stats
from minitf.library.input.data.order import ignore_errors as ignore_errors
from minitf.library.input.data.order import shuffle_and_repeat as shuffle_and_repeat
from minitf.library.input.data.prefetching import AUTOTUNE as AUTOTUNE
from minitf.library.input.data.tables import CsvDataset as CsvDataset
from minitf.library.input.data.tables import make_batched_features_dataset as make_batched_features_dataset
from minitf.library.input.data.tables import make_csv_dataset as make_csv_dataset
from minitf.library.input.data.tables import parse_example_dataset as parse_example_dataset
from minitf.library.input.data.whole_datasets import TFRecordWriter as TFRecordWriter
from minitf.library.input.data.whole_datasets import cardinality as cardinality
from minitf.library.input.data.whole_datasets import get_single_element as get_single_element

__all__ = [
    "AUTOTUNE", "CsvDataset", "OptimizationOptions", "StatsAggregator", "TFRecordWriter",
    "bytes_produced_stats", "cardinality", "get_single_element", "group_by_window",
    "ignore_errors", "latency_stats", "make_batched_features_dataset", "make_csv_dataset",
    "map_and_batch", "map_and_batch_with_legacy_function", "parallel_interleave",
    "parse_example_dataset", "shuffle_and_repeat", "unbatch"
]

"""The names of `tf.data_experimental`."""

from minitf.library.eager.type_specs import TypeSpec as Structure
from minitf.library.input.data.cardinality import assert_cardinality as assert_cardinality
from minitf.library.input.data.cardinality import cardinality as cardinality
from minitf.library.input.data.dataset import DatasetSpec as DatasetStructure
from minitf.library.input.data.dataset import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from minitf.library.input.data.dataset import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from minitf.library.input.data.experimental import Counter as Counter
from minitf.library.input.data.experimental import RaggedTensorStructure as RaggedTensorStructure
from minitf.library.input.data.experimental import RandomDataset as RandomDataset
from minitf.library.input.data.experimental import Reducer as Reducer
from minitf.library.input.data.experimental import SparseTensorStructure as SparseTensorStructure
from minitf.library.input.data.experimental import TFRecordWriter as TFRecordWriter
from minitf.library.input.data.experimental import TensorArrayStructure as TensorArrayStructure
from minitf.library.input.data.experimental import TensorStructure as TensorStructure
from minitf.library.input.data.experimental import bucket_by_sequence_length as bucket_by_sequence_length
from minitf.library.input.data.experimental import choose_from_datasets as choose_from_datasets
from minitf.library.input.data.experimental import copy_to_device as copy_to_device
from minitf.library.input.data.experimental import dense_to_ragged_batch as dense_to_ragged_batch
from minitf.library.input.data.experimental import dense_to_sparse_batch as dense_to_sparse_batch
from minitf.library.input.data.experimental import enumerate_dataset as enumerate_dataset
from minitf.library.input.data.experimental import from_variant as from_variant
from minitf.library.input.data.experimental import get_single_element as get_single_element
from minitf.library.input.data.experimental import get_structure as get_structure
from minitf.library.input.data.experimental import group_by_reducer as group_by_reducer
from minitf.library.input.data.experimental import group_by_window as group_by_window
from minitf.library.input.data.experimental import ignore_errors as ignore_errors
from minitf.library.input.data.experimental import map_and_batch as map_and_batch
from minitf.library.input.data.experimental import map_and_batch as map_and_batch_with_legacy_function
from minitf.library.input.data.experimental import parallel_interleave as parallel_interleave
from minitf.library.input.data.experimental import prefetch_to_device as prefetch_to_device
from minitf.library.input.data.experimental import sample_from_datasets as sample_from_datasets
from minitf.library.input.data.experimental import scan as scan
from minitf.library.input.data.experimental import shuffle_and_repeat as shuffle_and_repeat
from minitf.library.input.data.experimental import take_while as take_while
from minitf.library.input.data.experimental import to_variant as to_variant
from minitf.library.input.data.experimental import unbatch as unbatch
from minitf.library.input.data.experimental import unique as unique
from minitf.library.input.data.optional import Optional as Optional
from minitf.library.input.data.optional import OptionalSpec as OptionalStructure
from minitf.library.input.data.optional import get_next_as_optional as get_next_as_optional
from minitf.library.input.data.options import DistributeOptions as DistributeOptions
from minitf.library.input.data.options import MapVectorizationOptions as MapVectorizationOptions
from minitf.library.input.data.options import OptimizationOptions as OptimizationOptions
from minitf.library.input.data.options import StatsOptions as StatsOptions
from minitf.library.input.data.options import ThreadingOptions as ThreadingOptions
from minitf.library.input.data.parallel import AUTOTUNE as AUTOTUNE
from minitf.library.input.data.resampling import rejection_resample as rejection_resample
from minitf.library.input.data.sql import SqlDataset as SqlDataset
from minitf.library.input.data.stats import StatsAggregator as StatsAggregator
from minitf.library.input.data.stats import bytes_produced_stats as bytes_produced_stats
from minitf.library.input.data.stats import latency_stats as latency_stats
from minitf.library.input.data.tables import DatasetInitializer as DatasetInitializer
from minitf.library.input.data.tables import index_table_from_dataset as index_table_from_dataset
from minitf.library.input.data.tables import table_from_dataset as table_from_dataset
from minitf.library.input.tables import CsvDataset as CsvDataset
from minitf.library.input.tables import make_batched_features_dataset as make_batched_features_dataset
from minitf.library.input.tables import make_csv_dataset as make_csv_dataset
from minitf.library.input.tables import parse_example_dataset as parse_example_dataset
from minitf.library.saving.iterator_saveable import make_saveable_from_iterator as make_saveable_from_iterator
from minitf.library.sessions.input_hook import CheckpointInputPipelineHook as CheckpointInputPipelineHook

__all__ = [
    "AUTOTUNE", "CheckpointInputPipelineHook", "Counter", "CsvDataset", "DatasetInitializer",
    "DatasetStructure", "DistributeOptions", "INFINITE_CARDINALITY", "MapVectorizationOptions",
    "OptimizationOptions", "Optional", "OptionalStructure", "RaggedTensorStructure",
    "RandomDataset", "Reducer", "SparseTensorStructure", "SqlDataset", "StatsAggregator",
    "StatsOptions", "Structure", "TFRecordWriter", "TensorArrayStructure", "TensorStructure",
    "ThreadingOptions", "UNKNOWN_CARDINALITY", "assert_cardinality",
    "bucket_by_sequence_length", "bytes_produced_stats", "cardinality", "choose_from_datasets",
    "copy_to_device", "dense_to_ragged_batch", "dense_to_sparse_batch", "enumerate_dataset",
    "from_variant", "get_next_as_optional", "get_single_element", "get_structure",
    "group_by_reducer", "group_by_window", "ignore_errors", "index_table_from_dataset",
    "latency_stats", "make_batched_features_dataset", "make_csv_dataset",
    "make_saveable_from_iterator", "map_and_batch", "map_and_batch_with_legacy_function",
    "parallel_interleave", "parse_example_dataset", "prefetch_to_device", "rejection_resample",
    "sample_from_datasets", "scan", "shuffle_and_repeat", "table_from_dataset", "take_while",
    "to_variant", "unbatch", "unique"
]

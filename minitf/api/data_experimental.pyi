"""The names of `tf.data_experimental`."""

from minitf.library.input.data.cardinality import cardinality as cardinality
from minitf.library.input.data.dataset import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from minitf.library.input.data.dataset import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from minitf.library.input.data.experimental import Counter as Counter
from minitf.library.input.data.experimental import RandomDataset as RandomDataset
from minitf.library.input.data.experimental import bucket_by_sequence_length as bucket_by_sequence_length
from minitf.library.input.data.experimental import choose_from_datasets as choose_from_datasets
from minitf.library.input.data.experimental import dense_to_sparse_batch as dense_to_sparse_batch
from minitf.library.input.data.experimental import enumerate_dataset as enumerate_dataset
from minitf.library.input.data.experimental import get_single_element as get_single_element
from minitf.library.input.data.experimental import get_structure as get_structure
from minitf.library.input.data.experimental import group_by_window as group_by_window
from minitf.library.input.data.experimental import ignore_errors as ignore_errors
from minitf.library.input.data.experimental import map_and_batch as map_and_batch
from minitf.library.input.data.experimental import parallel_interleave as parallel_interleave
from minitf.library.input.data.experimental import sample_from_datasets as sample_from_datasets
from minitf.library.input.data.experimental import scan as scan
from minitf.library.input.data.experimental import shuffle_and_repeat as shuffle_and_repeat
from minitf.library.input.data.experimental import take_while as take_while
from minitf.library.input.data.experimental import unbatch as unbatch
from minitf.library.input.data.experimental import unique as unique
from minitf.library.input.data.options import DistributeOptions as DistributeOptions
from minitf.library.input.data.options import OptimizationOptions as OptimizationOptions
from minitf.library.input.data.options import StatsOptions as StatsOptions
from minitf.library.input.data.options import ThreadingOptions as ThreadingOptions
from minitf.library.input.data.parallel import AUTOTUNE as AUTOTUNE

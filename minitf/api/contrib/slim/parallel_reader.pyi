"""The names of `tf.contrib.slim.parallel_reader`."""

from minitf.compat.slim.data import ParallelReader as ParallelReader
from minitf.compat.slim.data import get_data_files as get_data_files
from minitf.compat.slim.data import parallel_read as parallel_read
from minitf.compat.slim.data import single_pass_read as single_pass_read

"""The names of `tf.contrib.slim.parallel_reader`."""

from minitf.compat.contrib.slim_data import get_data_files as get_data_files
from minitf.compat.contrib.slim_data import parallel_read as parallel_read

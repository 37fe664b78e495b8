"""The names of `tf.contrib.slim.data_decoder`."""

from minitf.compat.contrib.slim_data import DataDecoder as DataDecoder

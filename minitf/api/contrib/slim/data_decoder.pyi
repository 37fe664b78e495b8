"""The names of `tf.contrib.slim.data_decoder`."""

from minitf.compat.slim.data import DataDecoder as DataDecoder

"""The names of `tf.contrib.slim.data_provider`."""

from minitf.compat.slim.data import DataProvider as DataProvider

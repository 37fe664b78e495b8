"""The names of `tf.contrib.slim.data_provider`."""

from minitf.compat.contrib.slim_data import DataProvider as DataProvider

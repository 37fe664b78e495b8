"""The names of `tf.contrib.slim.dataset`."""

from minitf.compat.contrib.slim_data import Dataset as Dataset

"""The names of `tf.contrib.slim.dataset`."""

from minitf.compat.slim.data import Dataset as Dataset

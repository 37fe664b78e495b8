"""The names of `tf.contrib.learn`."""

from minitf.api.contrib.learn import datasets as datasets
from minitf.compat.contrib import vocabulary as preprocessing

__all__ = [
    "datasets", "preprocessing"
]

"""The names of `tf.contrib.learn.datasets`."""

from minitf.compat.contrib import learn_data as base
from minitf.compat.contrib.learn_data import Dataset as Dataset
from minitf.compat.contrib.learn_data import Datasets as Datasets
from minitf.compat.contrib.learn_data import load_dataset as load_dataset
from minitf.library.datasets import mnist as mnist

__all__ = [
    "Dataset", "Datasets", "base", "load_dataset", "mnist"
]

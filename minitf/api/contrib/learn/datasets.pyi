"""The names of `tf.contrib.learn.datasets`."""

from minitf.compat.contrib import tables as base
from minitf.compat.contrib.tables import Dataset as Dataset
from minitf.compat.contrib.tables import Datasets as Datasets
from minitf.compat.contrib.tables import load_boston as load_boston
from minitf.compat.contrib.tables import load_dataset as load_dataset
from minitf.compat.contrib.tables import load_iris as load_iris
from minitf.library.datasets import mnist as mnist
from minitf.library.datasets.mnist import load_mnist as load_mnist

__all__ = [
    "Dataset", "Datasets", "base", "load_boston", "load_dataset", "load_iris", "load_mnist",
    "mnist"
]

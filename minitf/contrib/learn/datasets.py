"""The namespace `tf.contrib.learn.datasets`: names only."""

from minitf.datasets import mnist
from minitf.datasets import tables as base
from minitf.datasets.mnist import load_mnist
from minitf.datasets.tables import Dataset, Datasets, load_dataset, load_iris

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

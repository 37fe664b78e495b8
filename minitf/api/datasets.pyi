"""The names of `minitf.datasets`: ready data sets, as TensorFlow Datasets has them."""

from minitf.api import datasets_features as features
from minitf.library.datasets.info import DatasetInfo as DatasetInfo
from minitf.library.datasets.info import Split as Split
from minitf.library.datasets.loading import DatasetBuilder as DatasetBuilder
from minitf.library.datasets.loading import DatasetNotFoundError as DatasetNotFoundError
from minitf.library.datasets.loading import as_numpy as as_numpy
from minitf.library.datasets.loading import builder as builder
from minitf.library.datasets.loading import list_builders as list_builders
from minitf.library.datasets.loading import load as load

__all__ = [
    "DatasetBuilder", "DatasetInfo", "DatasetNotFoundError", "Split", "as_numpy", "builder",
    "features", "list_builders", "load"
]

"""The names of `tf.contrib.skflow`."""

from minitf.api.contrib.learn import datasets as datasets
from minitf.api.contrib.learn import estimators as estimators
from minitf.api.contrib.learn import io as io
from minitf.compat.contrib import vocabulary as preprocessing
from minitf.compat.contrib.learn import RunConfig as RunConfig

__all__ = [
    "RunConfig", "datasets", "estimators", "io", "preprocessing"
]

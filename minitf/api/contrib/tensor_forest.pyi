"""The names of `tf.contrib.tensor_forest`."""

from minitf.compat.contrib import tensor_forest as random_forest
from minitf.compat.contrib import tensor_forest as tensor_forest
from minitf.compat.contrib.tensor_forest import ForestHParams as ForestHParams
from minitf.compat.contrib.tensor_forest import RandomForestGraphs as RandomForestGraphs

__all__ = [
    "ForestHParams", "RandomForestGraphs", "random_forest", "tensor_forest"
]

"""The names of `tf.contrib.tensor_forest`."""

from minitf.compat.contrib import trees as random_forest
from minitf.compat.contrib import trees as tensor_forest
from minitf.compat.contrib.trees import ForestHParams as ForestHParams
from minitf.compat.contrib.trees import RandomForestGraphs as RandomForestGraphs

__all__ = [
    "ForestHParams", "RandomForestGraphs", "random_forest", "tensor_forest"
]

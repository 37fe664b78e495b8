"""The names of `tf.contrib.boosted_trees.estimator_batch`."""

from minitf.compat.contrib import trees as estimator

__all__ = [
    "estimator"
]

"""The names of `tf.contrib.boosted_trees.estimator_batch`."""

from minitf.compat.contrib import boosted_learner as estimator

__all__ = [
    "estimator"
]

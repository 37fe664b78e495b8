"""The names of `tf.contrib.boosted_trees.proto`."""

from minitf.compat.contrib import trees as learner_pb2

__all__ = [
    "learner_pb2"
]

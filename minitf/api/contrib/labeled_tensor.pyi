"""The names of `tf.contrib.labeled_tensor`."""

from minitf.compat.contrib.foreign import labeled_batch as batch
from minitf.compat.contrib.foreign import labeled_shuffle_batch as shuffle_batch

__all__ = [
    "batch", "shuffle_batch"
]

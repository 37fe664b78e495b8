"""The names of `tf.contrib.batching`."""

from minitf.compat.contrib.foreign import served_batch as batch

__all__ = [
    "batch"
]

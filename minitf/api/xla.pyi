"""The names of `tf.xla`."""

from minitf.api import xla_experimental as experimental

__all__ = [
    "experimental"
]

"""The names of `tf.contrib.compiler`."""

from minitf.library.platform import compiler as jit
from minitf.library.platform import compiler as xla

__all__ = [
    "jit", "xla"
]

"""The names of `tf.contrib.compiler`."""

from minitf.compat.contrib import compiler as jit
from minitf.compat.contrib import compiler as xla

__all__ = [
    "jit", "xla"
]

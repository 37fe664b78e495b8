"""The names of `tf.xla.experimental`."""

from minitf.library.platform.compiler import compile as compile
from minitf.library.platform.compiler import experimental_jit_scope as jit_scope

__all__ = [
    "compile", "jit_scope"
]

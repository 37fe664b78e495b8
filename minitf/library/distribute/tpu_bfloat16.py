"""Models that compute in bfloat16, with variables in float32, as TPUs like them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.ops.cast import cast
from minitf.core.variables.variable_scope import VariableScope, variable_scope


@contextmanager
def bfloat16_scope(name: str | None = None) -> Iterator[VariableScope]:
    """A variable scope in which `get_variable` of bfloat16 keeps float32, and gives it rounded.

    Args:
      name: of the scope; no scope of names when None.
    Example:
      >>> with tf.contrib.tpu.bfloat16_scope():
      ...     w = tf.get_variable("w", [2], tf.bfloat16)
      >>> w.dtype, tf.global_variables()[-1].dtype
      (tf.bfloat16, tf.float32_ref)
    """
    with variable_scope(name or "", custom_getter=_rounded_getter) as scope:
        yield scope


def _rounded_getter(getter: Callable, *args: Any, **kwargs: Any) -> Any:
    if kwargs["dtype"] != dtypes.bfloat16:
        return getter(*args, **kwargs)
    return cast(getter(*args, **{**kwargs, "dtype": dtypes.float32}), dtypes.bfloat16)

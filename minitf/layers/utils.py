"""What layers share: a choice that is made while building, if it can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.framework.convert import constant_value
from minitf.framework.tensor import Tensor


def constant_choice(pred: Any) -> bool | None:
    """What `pred` is, when that is known while the graph is built; otherwise None.

    Args:
      pred: a bool, 0 or 1, a variable, or a bool tensor.
    Raises:
      TypeError: when it is none of these.
    """
    if isinstance(pred, int) and pred in (0, 1):
        return bool(pred)
    if isinstance(pred, Tensor):
        value = constant_value(pred)
        return None if value is None else bool(value)
    if hasattr(pred, "_as_tensor"):
        return None
    raise TypeError(
        f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {type(pred)}"
    )


def smart_cond(pred: Any, true_fn: Callable, false_fn: Callable, name: str | None = None) -> Any:
    """Calls one of two functions, at once if `pred` is known, by `tf.cond` if it is not."""
    choice = constant_choice(pred)
    if choice is None:
        raise NotImplementedError("cond")
    return true_fn() if choice else false_fn()

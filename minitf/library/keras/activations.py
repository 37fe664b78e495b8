"""Activations: functions between layers, which layers take by their name.

Most are TensorFlow's own operations under the names of Keras.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.ops.math import exp, sigmoid, tanh
from minitf.library.keras.backend.functions import elu, hard_sigmoid, relu
from minitf.library.keras.objects import Family
from minitf.library.nets.activations import NAMED
from minitf.library.nets.activations import softmax as _softmax


def softmax(x: Any, axis: int = -1) -> Tensor:
    """exp(x) divided by its sum along an axis: positive numbers that sum to 1.

    Args:
      x: a tensor of rank 2 or more.
      axis: the axis.

    Raises:
      ValueError: for a tensor of rank 1.
    """
    if x.shape.ndims is not None and x.shape.ndims < 2:
        raise ValueError(f"Cannot apply softmax to a tensor that is 1D. Received input: {x}")
    return _softmax(x, axis)


def exponential(x: Any) -> Tensor:
    """exp(x)."""
    return exp(x)


def linear(x: Any) -> Any:
    """x itself."""
    return x


TABLE: dict[str, Callable[..., Any]] = {
    **NAMED,
    **{f.__name__: f for f in (elu, exponential, hard_sigmoid, linear, relu, softmax)},
    "sigmoid": sigmoid,
    "tanh": tanh,
}

_family = Family("activation function", TABLE, error=TypeError)
serialize, deserialize = _family.serialize, _family.deserialize


def get(identifier: Any) -> Callable[..., Any]:
    """The activation of a name; None is `linear`, and a function stays what it is.

    Raises:
      ValueError: when there is none of that name.
      TypeError: when it is neither a name nor a function.
    Example:
      >>> tf.keras.activations.get("tanh") is tf.keras.activations.tanh
      True
    """
    return linear if identifier is None else _family.get(identifier)

"""`tf.contrib.layers.utils`: what layers that programs write themselves ask of shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.compat.slim.layers import layout_of
from minitf.core.graph.shapes import TensorShape


def _dimension(shape: Any, axis: int, min_rank: int) -> int:
    shape = TensorShape(shape)
    if shape.ndims is None:
        raise ValueError("dims of shape must be known")
    if shape.ndims < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {shape.ndims}")
    value = shape[axis].value
    if value is None:
        raise ValueError("dimension of shape must be known")
    return value


def last_dimension(shape: Any, min_rank: int = 1) -> int:
    """The size of the last axis, which must be known."""
    return _dimension(shape, -1, min_rank)


def channel_dimension(shape: Any, data_format: str, min_rank: int = 1) -> int:
    """The number of channels, which must be known."""
    return _dimension(shape, 1 if layout_of(data_format) == "channels_first" else -1, min_rank)


def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """A positive integer as many times, or so many of them as they are."""
    if not isinstance(n, int) or n < 1:
        raise ValueError("n must be a positive integer")
    several = isinstance(value, (list, tuple, TensorShape))
    sizes = tuple(int(size) for size in (value if several else [value] * n))
    if len(sizes) != n or any(size < 1 for size in sizes):
        raise ValueError(f"Argument must be a positive integer, or {n} of them. Got {value!r}")
    return sizes


def two_element_tuple(int_or_tuple: Any) -> tuple[int, ...]:
    """A positive integer twice, or two of them as they are."""
    return n_positive_integers(2, int_or_tuple)


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """Where variables of a name are listed: a list, or what a dict has for the name."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


def static_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """What one of two functions gives, by a bool that is known now.

    Raises:
      TypeError: when one cannot be called.
    """
    for name, function in ("fn1", fn1), ("fn2", fn2):
        if not callable(function):
            raise TypeError(f"{name} must be callable.")
    return fn1() if pred else fn2()

"""Helpers of string operations: a string is bytes, an array of strings has objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


def as_objects(values: Iterable[Any], shape: Any = None) -> np.ndarray:
    """An object array of the values: a vector, or of the given shape."""
    items = list(values)
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array if shape is None else array.reshape(shape)


def with_shape(value: Any) -> Any:
    """Converts a scalar string, which is bytes, to an array of rank 0."""
    return value if hasattr(value, "shape") else as_objects([value], ())


def mapped(function: Callable[[Any], Any], value: Any, dtype: Any = object) -> Any:
    """Applies `function` to each element of a tensor; returns a scalar for a scalar.

    Args:
      function: of one element.
      value: an array, or a scalar.
      dtype: the NumPy type of the results; object for strings.
    """
    if not isinstance(value, np.ndarray) or not value.ndim:
        result = function(value[()] if isinstance(value, np.ndarray) else value)
        return result if dtype is object else dtype(result)
    results = [function(item) for item in value.ravel()]
    if dtype is object:
        return as_objects(results, value.shape)
    return np.array(results, dtype).reshape(value.shape)


def mapped_many(function: Callable[..., Any], *values: Any, dtype: Any = object) -> Any:
    """Applies `function` to the elements of several tensors, which broadcast."""
    if not any(isinstance(v, np.ndarray) and v.ndim for v in values):
        result = function(*values)
        return result if dtype is object else dtype(result)
    arrays = [v if isinstance(v, np.ndarray) else as_objects([v], ()) for v in values]
    whole = np.broadcast_arrays(*arrays)
    results = [function(*items) for items in zip(*(a.ravel() for a in whole))]
    if dtype is object:
        return as_objects(results, whole[0].shape)
    return np.array(results, dtype).reshape(whole[0].shape)

"""From what a caller feeds to what a program takes: one prepared function for each fed tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, nest
from minitf.core.graph.composites import is_composite
from minitf.core.graph.convert import as_array
from minitf.core.graph.tensor import Tensor


def feed_tensor(graph: Any, key: Any) -> Tensor:
    """The tensor that a key of a feed_dict stands for.

    Raises:
      TypeError: when it stands for none.
      ValueError: when it may not be fed.
    """
    try:
        tensor = graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
    except (TypeError, ValueError, KeyError) as error:
        if getattr(getattr(key, "graph", None), "root", None) is graph:  # of a branch or a body
            raise ValueError(f"Tensor {key.name} may not be fed.") from None
        reason = error.args[0] if error.args else error
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {reason}") from None
    if not graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor} may not be fed.")
    return tensor


def plain_feeds(feed_dict: Any) -> Any:
    """The feeds of a `SparseTensor`, another composite or a nested state as feeds of their parts.

    Returns: `feed_dict` itself when there is no such key.
    Raises:
      ValueError: when a nested key and its value have different numbers of parts, or parts repeat.
    """
    if not any(is_composite(k) or isinstance(k, tuple) for k in feed_dict):
        return feed_dict
    if any(isinstance(key, tuple) for key in feed_dict):
        return plain_feeds(nest.flatten_dict_items(feed_dict))
    plain: dict[Any, Any] = {}
    for key, value in feed_dict.items():
        if is_composite(key):
            parts = key._fed(value) if hasattr(key, "_fed") else value
            plain.update(zip(key._components(), parts, strict=False))
        else:
            plain[key] = value
    return plain


def feed_converter(tensor: Tensor) -> Callable[[Any], Any]:
    """Returns the function that checks and converts the values fed for `tensor`."""
    dtype = tensor.dtype.base_dtype
    if dtype == dtypes.string:
        return lambda value: _unwrapped(_checked(tensor, _to_array(tensor, value)))
    if tensor.shape.ndims == 0:
        return _scalar_converter(tensor, dtype)
    return _array_converter(tensor, dtype)


def _scalar_converter(tensor: Tensor, dtype: Any) -> Callable[[Any], Any]:
    np_type = dtype.as_numpy_dtype
    # A Python number takes the type of a NumPy scalar that it is added to, so that adding it to a
    # zero converts it, in a tenth of the time that calling the NumPy type takes.
    simple = (float, int) if dtype.is_floating else (int,) if dtype.is_integer else ()
    limit = 2**24 if np_type is np.float32 else 2_000_000_000  # an int beyond may not be held
    zero = np_type(-0.0) if dtype.is_floating else np_type(0)

    def convert(value: Any) -> Any:
        kind = type(value)
        if kind is np_type:
            return value
        if kind in simple and -limit < value < limit:
            return zero + value
        return _checked(tensor, _to_array(tensor, value))[()]

    if dtype.size < 4 or dtype.is_unsigned:  # their limits are closer
        simple = ()
    return convert


def _array_converter(tensor: Tensor, dtype: Any) -> Callable[[Any], Any]:
    np_dtype = dtype.numpy_dtype
    ndarray = np.ndarray
    dims = None if tensor.shape.ndims is None else tuple(tensor.shape.as_list())
    if dims is None:

        def convert(value: Any) -> Any:
            if type(value) is ndarray and value.dtype == np_dtype:
                return value if value.ndim else value[()]
            array = _to_array(tensor, value)
            return array if array.ndim else array[()]

        return convert
    fitted = None  # the shape that was checked last: a training loop feeds the same again

    def convert_ranked(value: Any) -> Any:
        nonlocal fitted
        if type(value) is ndarray and value.dtype is np_dtype and value.shape == fitted:
            return value
        array = _checked(tensor, _to_array(tensor, value))
        fitted = array.shape
        return array

    return convert_ranked


def _to_array(tensor: Tensor, value: Any) -> np.ndarray:
    dtype = tensor.dtype.base_dtype
    if isinstance(value, Tensor):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
            "Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the "
            f"tensor object was {value} which was passed to the feed with key {tensor}."
        )
    np_type = dtype.as_numpy_dtype
    if isinstance(value, int) and not _holds(dtype, value):
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor "
            f"type {np_type}. Try explicitly setting the type of the feed tensor to a larger "
            "type (e.g. int64)."
        )
    return as_array(value, dtype) if dtype == dtypes.string else np.asarray(value, dtype=np_type)


def _holds(dtype: Any, value: int) -> bool:
    """Whether a number stays what it is in a type."""
    if dtype.is_integer:
        return bool(dtype.min <= value <= dtype.max)
    with np.errstate(over="ignore"):
        return dtype != dtypes.string and np.asarray(value, dtype.as_numpy_dtype).item() == float(
            value
        )


def _checked(tensor: Tensor, array: np.ndarray) -> np.ndarray:
    if not tensor.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape!r} for Tensor {tensor.name!r}, which has "
            f"shape {str(tensor.shape)!r}"
        )
    return array


def _unwrapped(array: np.ndarray) -> Any:
    """A string fed alone as kernels know it: bytes."""
    return array if array.ndim else array[()]

"""Fetches and feeds of a run.

Fetches may nest in lists, tuples and dicts; leaves are tensors, operations, variables or names. The
result has the same structure, with values; an operation gives None.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, nest
from minitf.core.graph.composites import is_composite
from minitf.core.graph.convert import as_array
from minitf.core.graph.tensor import Operation, Tensor


class Fetches:
    """A fetch structure taken apart.

    Args:
      graph: the session's graph.
      structure: the argument `fetches` of the run.
    Raises:
      TypeError: when a leaf has a type that cannot be fetched.
      ValueError: when a leaf is not in the graph.
    """

    def __init__(self, graph: Any, structure: Any) -> None:
        self.tensors: list[Any] = []
        self.targets: list[Operation] = []
        self._structure = structure
        # for each leaf the index of its tensor; None: an operation
        self._places: list[int | _Parts | None] = []
        seen: dict[Any, int] = {}
        for leaf in nest.flatten(structure):
            if is_composite(leaf) and hasattr(leaf, "_fetched"):
                parts = [self._place(_element(graph, t), seen) for t in leaf._components()]
                self._places.append(_Parts(parts, leaf._fetched))
                continue
            element = _element(graph, leaf)
            if isinstance(element, Operation):
                self.targets.append(element)
                self._places.append(None)
            else:
                self._places.append(self._place(element, seen))

    def _place(self, tensor: Any, seen: dict[Any, int]) -> int:
        """Returns the index of a tensor among those to compute."""
        if tensor not in seen:
            seen[tensor] = len(self.tensors)
            self.tensors.append(tensor)
        return seen[tensor]

    def packer(self) -> Callable[[Any], Any]:
        """Returns the function from the tensors' values to the result."""
        structure, places = self._structure, self._places
        flat = type(structure) is list and not any(map(nest.is_nested, structure))
        in_order = flat and places == [*range(len(places))]
        return list if in_order else _assembly(structure, iter(places))


class _Parts:
    """A fetch made of several tensors."""

    def __init__(self, places: list[int], fetched: Callable[[list], Any]) -> None:
        self.places = places
        self.fetched = fetched


def key_of(structure: Any) -> Any:
    """Returns a key of fetches: lists and dicts become tuples that begin with a type.

    Raises:
      TypeError: for other structures, which may change unnoticed.
    """
    if not nest.is_nested(structure):
        return structure
    kind = type(structure)
    if kind is dict:
        return (kind, *structure, *map(key_of, structure.values()))
    if kind is not list and not isinstance(structure, tuple):
        raise TypeError(kind)
    return (kind, *map(key_of, structure))


def _assembly(structure: Any, places: Iterator[int | _Parts | None]) -> Callable[[Any], Any]:
    """Returns the function from the values of all tensors to a result like `structure`."""
    if not nest.is_nested(structure):
        return _leaf(next(places))
    kind, items = type(structure), nest.children(structure)
    if kind is list and not any(map(nest.is_nested, items)):
        chosen: list[Any] = [next(places) for _ in items]
        if not any(isinstance(p, _Parts) for p in chosen):
            return lambda values: [None if p is None else values[p] for p in chosen]
        places = iter(chosen)
    parts = [_assembly(item, places) for item in items]
    if kind in (list, tuple):
        return lambda values: kind([part(values) for part in parts])
    if kind is dict:  # which may change until the next run
        named = nest.like(structure, parts)
        return lambda values: {name: part(values) for name, part in named.items()}
    return lambda values: nest.like(structure, [part(values) for part in parts])


def _leaf(place: int | _Parts | None) -> Callable[[Any], Any]:
    if isinstance(place, _Parts):
        return lambda values: place.fetched([values[p] for p in place.places])
    return _nothing if place is None else operator.itemgetter(place)


def _nothing(values: Any) -> None:
    return None


def _element(graph: Any, leaf: Any) -> Any:
    if leaf is None:
        raise TypeError(f"Fetch argument {leaf!r} has invalid type {type(leaf)!r}")
    try:
        element = graph.as_graph_element(leaf, allow_tensor=True, allow_operation=True)
    except TypeError as error:
        raise TypeError(
            f"Fetch argument {leaf!r} has invalid type {type(leaf)!r}, must be a string or Tensor. "
            f"({error})"
        ) from None
    except (ValueError, KeyError) as error:
        element = leaf
        if getattr(getattr(leaf, "graph", None), "root", None) is not graph:  # of no branch or body
            raise ValueError(
                f"Fetch argument {leaf!r} cannot be interpreted as a Tensor. ({error})"
            ) from None
    if not graph.is_fetchable(element):
        name = getattr(element, "op", element).name
        raise ValueError(f"Operation {name!r} has been marked as not fetchable.")
    return element


# ---- feeds -------------------------------------------------------------------------------
#
# Each fed tensor has one prepared function, which converts the fed value for the program.


def feed_tensor(graph: Any, key: Any) -> Tensor:
    """Returns the tensor of a key of a feed_dict.

    Raises:
      TypeError: when the key has no tensor.
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
    """Replaces feeds of a `SparseTensor`, another composite or nested state by those of its parts.

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
    """Whether a type can represent a number."""
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
    """Returns a single string as bytes, as kernels take it."""
    return array if array.ndim else array[()]

"""Structures whose leaves may be made of several tensors, taken apart into plain tensors.

A `TensorArray` is a list and a dtype, an `IndexedSlices` two or three tensors. What goes into a
branch or around a loop is tensors only; this file takes the rest apart and puts it together again.
Such an object has `_components()`, a list of tensors, and `_with_components(tensors)`; one that a
session can fetch has `_fetched(values)`, which puts the values of its components together. What is
fed for it is a tuple of them, unless `_fed(value)` says how to take it apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import nest
from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph import Graph
from minitf.core.graph.operation import Operation
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor


class PlacedValues:
    """Values and their places in a larger tensor: an `IndexedSlices`, a `SparseTensor`."""

    _values: Tensor
    _indices: Tensor
    _dense_shape: Any  # a tensor, or None where that may be left out

    @property
    def values(self) -> Tensor:
        """The values: elements, or whole rows."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """The place of each of the values."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole; None when that is not known."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole."""
        raise NotImplementedError

    def get_shape(self) -> TensorShape:
        """What is known of the shape of the whole."""
        return self.shape

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._values.dtype

    @property
    def name(self) -> str:
        """The name of the values."""
        return self._values.name

    @property
    def op(self) -> Operation:
        """The operation that makes the values."""
        return self._values.op

    @property
    def graph(self) -> Graph:
        """The graph it belongs to."""
        return self._values.graph

    def consumers(self) -> list[Operation]:
        """The operations that take the values as an input."""
        return self._values.consumers()


def is_composite(value: Any) -> bool:
    """Whether `value` is a leaf made of other tensors."""
    return hasattr(value, "_components")


def take_apart(structure: Any, convert: Callable[[Any], Any]) -> list[Any]:
    """The tensors of a structure, flat.

    Args:
      structure: nested lists, tuples and dicts.
      convert: makes a tensor of a leaf that is no composite.
    """
    flat: list[Any] = []
    for leaf in nest.flatten(structure):
        flat += leaf._components() if is_composite(leaf) else [convert(leaf)]
    return flat


def put_together(structure: Any, tensors: Sequence[Any]) -> Any:
    """The structure again, with other tensors in the places of its own.

    Args:
      structure: as `take_apart` got it.
      tensors: as many as it gave.
    """
    rest = list(tensors)
    leaves = []
    for leaf in nest.flatten(structure):
        count = len(leaf._components()) if is_composite(leaf) else 1
        own, rest = rest[:count], rest[count:]
        leaves.append(leaf._with_components(own) if is_composite(leaf) else own[0])
    return nest.pack_sequence_as(structure, leaves)


def is_operation(value: Any) -> bool:
    """Whether a leaf is an operation, which gives no value."""
    return isinstance(value, Operation)

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
from minitf.core.graph.operation import Operation


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

"""What a caller asks of a run, and the form the answer takes.

Fetches may nest in lists, tuples and dicts; leaves are tensors, operations, variables or names. The
same structure comes back with values; an operation gives None.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from minitf.core.graph import nest
from minitf.core.graph.composites import is_composite
from minitf.core.graph.operation import Operation


class Fetches:
    """A fetch structure taken apart.

    Args:
      graph: the session's graph.
      structure: what the caller passed as `fetches`.
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
        """The index of a tensor among those to compute."""
        if tensor not in seen:
            seen[tensor] = len(self.tensors)
            self.tensors.append(tensor)
        return seen[tensor]

    def packer(self) -> Callable[[Any], Any]:
        """Returns the function from the tensors' values to the answer."""
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
    """What tells fetches apart: as they are, with lists and dicts as tuples that begin with a type.

    Raises:
      TypeError: when it has no such form, being a structure that may change unseen.
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
    """The function from the values of all tensors to something like `structure`."""
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

"""What a caller asks of a run, and the form the answer takes.

Fetches may nest in lists, tuples and dicts; leaves are tensors, operations, variables or names. The
same structure comes back with values; an operation gives None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.framework import nest
from minitf.framework.operation import Operation


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
        self._places: list[
            int | None
        ] = []  # for each leaf the index of its tensor; None: an operation
        seen: dict[Any, int] = {}
        for leaf in nest.flatten(structure):
            element = _element(graph, leaf)
            if isinstance(element, Operation):
                self.targets.append(element)
                self._places.append(None)
                continue
            if element not in seen:
                seen[element] = len(self.tensors)
                self.tensors.append(element)
            self._places.append(seen[element])

    def packer(self) -> Callable[[Any], Any]:
        """Returns the function from the tensors' values to the answer."""
        places, structure = self._places, self._structure
        if not nest.is_nested(structure):
            return _nothing if places[0] is None else _first
        if type(structure) is list and not any(nest.is_nested(item) for item in structure):
            if places == list(range(len(places))):
                return list
            return lambda values: [None if p is None else values[p] for p in places]
        return lambda values: nest.pack_sequence_as(
            structure, [None if p is None else values[p] for p in places]
        )


def _first(values: Any) -> Any:
    return values[0]


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
        if getattr(getattr(leaf, "graph", None), "root", None) is graph:  # of a branch or a body
            name = getattr(leaf, "op", leaf).name
            raise ValueError(f"Operation {name!r} has been marked as not fetchable.") from None
        raise ValueError(
            f"Fetch argument {leaf!r} cannot be interpreted as a Tensor. ({error})"
        ) from None
    if not graph.is_fetchable(element):
        raise ValueError(f"Operation {element.name!r} has been marked as not fetchable.")
    return element

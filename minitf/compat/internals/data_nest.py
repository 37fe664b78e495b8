"""`tensorflow.python.data.util.nest`: nests by the rules of `tf.data`, where a list is a leaf."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from minitf.core.graph import nest
from minitf.library.input.data import structure
from minitf.library.input.data.structure import flatten as flatten
from minitf.library.input.data.structure import is_nested as is_nested

is_sequence = is_nested


def pack_sequence_as(structure_like: Any, flat_sequence: Any) -> Any:
    """The items of `flat_sequence` where the leaves of a structure stand.

    Raises:
      ValueError: when there are more or fewer of them.
      TypeError: when it is no sequence.
    """
    if isinstance(flat_sequence, str) or not isinstance(flat_sequence, (list, tuple)):
        raise TypeError("flat_sequence must be a sequence")
    expected = len(flatten(structure_like))
    if not is_nested(structure_like) and len(flat_sequence) != 1:
        count = len(flat_sequence)
        raise ValueError(f"Structure is a scalar but len(flat_sequence) == {count} > 1")
    if expected != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {expected} elements, but flat_sequence had "
            f"{len(flat_sequence)} elements.  Structure: {structure_like}, flat_sequence: "
            f"{flat_sequence}."
        )
    return structure.pack(structure_like, list(flat_sequence))


class _Leaf:
    """Stands for a leaf, whatever is in it."""


def _hull(value: Any) -> Any:
    """A nest without its leaves."""
    return structure.map_nest(lambda leaf: _Leaf(), value)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raises ValueError or TypeError when two nests are not alike."""
    one, two = len(flatten(nest1)), len(flatten(nest2))
    if one != two:
        raise ValueError(
            "The two structures don't have the same number of elements. First structure: "
            f"{nest1}, second structure: {nest2}."
        )
    if check_types:
        nest.assert_same_structure(_hull(nest1), _hull(nest2))
    else:
        nest.assert_same_structure(_lists(nest1), _lists(nest2))


def _lists(value: Any) -> Any:
    """A nest whose levels are all lists."""
    if not is_nested(value):
        return _Leaf()
    keys = sorted(value) if isinstance(value, Mapping) else range(len(value))
    return [_lists(value[key]) for key in keys]


def map_structure(func: Callable, *structures: Any, **check_types_dict: Any) -> Any:
    """A function of the leaves that stand at the same place.

    Args:
      func: what is called with them.
      *structures: nests.
      check_types: whether their levels must have the same types.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structures:
        raise ValueError("Must provide at least one structure")
    if set(check_types_dict) - {"check_types"}:
        raise ValueError("Only valid keyword argument is check_types")
    for other in structures[1:]:
        assert_same_structure(structures[0], other, **check_types_dict)
    leaves = zip(*map(flatten, structures), strict=True)
    return structure.pack(structures[0], [func(*each) for each in leaves])


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Raises unless `input_tree` nests as `shallow_tree` does, or deeper.

    Raises:
      TypeError: when it has no level where the other has one, or one of another type.
      ValueError: when a level has other keys, or is longer or shorter.
    """
    if not is_nested(shallow_tree):
        return
    if not is_nested(input_tree):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(input_tree)!r}."
        )
    kinds = type(input_tree), type(shallow_tree)
    if check_types and not isinstance(input_tree, kinds[1]):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{kinds[0]!r}, while shallow structure has type {kinds[1]!r}."
        )
    if len(input_tree) != len(shallow_tree):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(input_tree)}, while shallow structure has length {len(shallow_tree)}."
        )
    mappings = isinstance(shallow_tree, Mapping) and isinstance(input_tree, Mapping)
    if check_types and mappings and set(input_tree) != set(shallow_tree):
        raise ValueError(
            "The two structures don't have the same keys. Input structure has keys "
            f"{list(input_tree)}, while shallow structure has keys {list(shallow_tree)}."
        )
    levels = map(nest.children, (shallow_tree, input_tree))
    for shallow, deep in zip(*levels, strict=True):
        assert_shallow_structure(shallow, deep, check_types)


def flatten_up_to(shallow_tree: Any, input_tree: Any) -> list[Any]:
    """What stands in `input_tree` where `shallow_tree` has leaves."""
    assert_shallow_structure(shallow_tree, input_tree)
    found: list[Any] = []
    structure.map_up_to(shallow_tree, found.append, input_tree)
    return found


def map_structure_up_to(shallow_tree: Any, func: Callable, *inputs: Any) -> Any:
    """A function of what stands in `inputs` where `shallow_tree` has leaves."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    for each in inputs:
        assert_shallow_structure(shallow_tree, each)
    return structure.map_up_to(shallow_tree, func, *inputs)

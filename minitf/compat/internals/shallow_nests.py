"""`tensorflow.python.util.nest`: functions that go down a structure only as far as another goes.

map_structure_up_to([1, 2], f, [[3, 4], {"a": 5}])      calls f([3, 4]) and f({"a": 5})
flatten_with_tuple_paths({"a": [7, 8]})                 (("a", 0), 7), (("a", 1), 8)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from minitf.core.graph import nest


def _branches(structure: Any) -> list[tuple[Any, Any]]:
    """The items of one level, each with its key, index or name of a field."""
    if isinstance(structure, Mapping):
        return [(key, structure[key]) for key in sorted(structure)]
    names = getattr(structure, "_fields", None)
    return list(zip(names or range(len(structure)), structure, strict=True))


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, **_: Any
) -> None:
    """Checks that a structure goes at least as far down as another.

    Raises:
      TypeError: when one has an item where the other has a structure, or of another type.
      ValueError: when they differ in the number of items or in keys.
    """
    if not nest.is_nested(shallow_tree):
        return
    if not nest.is_nested(input_tree):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. "
            f"Input has type: {type(input_tree)}."
        )
    both = isinstance(shallow_tree, Mapping) and isinstance(input_tree, Mapping)
    if check_types and not both and type(shallow_tree) is not type(input_tree):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
        )
    if len(input_tree) != len(shallow_tree):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(input_tree)}, while shallow structure has length {len(shallow_tree)}."
        )
    if both and (absent := set(shallow_tree) - set(input_tree)):
        raise ValueError(
            "The two structures don't have the same keys. Input structure does not have key "
            f"{sorted(absent)[0]!r}, while shallow structure does."
        )
    pairs = zip(_branches(shallow_tree), _branches(input_tree), strict=True)
    for (_, shallow), (_, inside) in pairs:
        assert_shallow_structure(shallow, inside, check_types)


def _up_to(shallow: Any, structure: Any) -> Iterator[Any]:
    if not nest.is_nested(shallow):
        yield structure
        return
    for (_, one), (_, other) in zip(_branches(shallow), _branches(structure), strict=True):
        yield from _up_to(one, other)


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, **_: Any
) -> list[Any]:
    """The parts of a structure that stand where another one has leaves."""
    assert_shallow_structure(shallow_tree, input_tree, check_types)
    return list(_up_to(shallow_tree, input_tree))


def map_structure_up_to(shallow_tree: Any, func: Callable, *inputs: Any, **kwargs: Any) -> Any:
    """`func` of what stands in all structures where `shallow_tree` has a leaf."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types = kwargs.get("check_types", True)
    columns = [flatten_up_to(shallow_tree, each, check_types) for each in inputs]
    results = [func(*row) for row in zip(*columns, strict=True)]
    return nest.pack_sequence_as(shallow_tree, results)


def _with_paths(structure: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    if not nest.is_nested(structure):
        yield path, structure
        return
    for key, inside in _branches(structure):
        yield from _with_paths(inside, (*path, key))


def flatten_with_tuple_paths(structure: Any, **_: Any) -> list[tuple[tuple, Any]]:
    """The leaves of a structure, each after the keys and indices that lead to it."""
    return list(_with_paths(structure))


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", **_: Any
) -> list[tuple[str, Any]]:
    """The leaves of a structure, each after its path as one text."""
    return [(separator.join(map(str, path)), leaf) for path, leaf in _with_paths(structure)]


def get_traverse_shallow_structure(traverse_fn: Callable, structure: Any, **_: Any) -> Any:
    """The upper part of a structure, down to where `traverse_fn` says False.

    Args:
      traverse_fn: says of a structure whether to go into it, or that for each of its items.
      structure: a nested structure.
    """
    answer = traverse_fn(structure)
    if not nest.is_nested(structure) or answer is False:
        return answer
    items = [inside for _, inside in _branches(structure)]
    wanted = [True] * len(items) if answer is True else [each for _, each in _branches(answer)]
    kept = [
        go and get_traverse_shallow_structure(traverse_fn, item)
        for go, item in zip(wanted, items, strict=True)
    ]
    return nest._like(structure, kept)


yield_flattened_up_to = flatten_up_to

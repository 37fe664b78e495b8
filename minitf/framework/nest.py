"""Nested structures of lists, tuples and dicts: take apart, map, put together again.

A structure's leaves come in a fixed order: lists and tuples by position, dicts by sorted key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


def is_nested(structure: Any) -> bool:
    """Whether `structure` is a list, tuple or mapping (and not a leaf)."""
    return isinstance(structure, (list, tuple, Mapping))


def _sorted_keys(mapping: Mapping) -> list:
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def _leaves(structure: Any) -> Iterator[Any]:
    if isinstance(structure, Mapping):
        for key in _sorted_keys(structure):
            yield from _leaves(structure[key])
    elif isinstance(structure, (list, tuple)):
        for item in structure:
            yield from _leaves(item)
    else:
        yield structure


def flatten(structure: Any) -> list:
    """Returns the leaves of `structure` as a flat list; a leaf alone becomes a list of one."""
    return list(_leaves(structure))


def _like(template: Any, items: list) -> Any:
    make: Any = type(template)
    if isinstance(template, Mapping):
        by_key = dict(zip(_sorted_keys(template), items, strict=True))
        return make((key, by_key[key]) for key in template)
    if hasattr(template, "_fields"):  # a namedtuple takes its items one by one
        return make(*items)
    return make(items)


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(structure, Mapping):
        return _like(structure, [_pack(structure[k], leaves) for k in _sorted_keys(structure)])
    if isinstance(structure, (list, tuple)):
        return _like(structure, [_pack(item, leaves) for item in structure])
    return next(leaves)


def pack_sequence_as(structure: Any, flat_sequence: list) -> Any:
    """Puts the items of `flat_sequence` where the leaves of `structure` stand.

    Raises:
      ValueError: when the number of items is not the number of leaves.
    """
    expected = len(flatten(structure))
    if expected != len(flat_sequence):
        raise ValueError(
            f"Structure had {expected} elements, but flat_sequence had {len(flat_sequence)} "
            "elements."
            f"  Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(flat_sequence))


def assert_same_structure(first: Any, second: Any) -> None:
    """Raises ValueError unless both structures nest alike (their leaves may differ)."""
    if is_nested(first) != is_nested(second):
        raise ValueError(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {first}\n\nSecond structure: {second}"
        )
    if isinstance(first, Mapping):
        if not isinstance(second, Mapping) or set(first) != set(second):
            raise ValueError(
                f"The two dictionaries don't have the same set of keys: {first}, {second}"
            )
        for key in first:
            assert_same_structure(first[key], second[key])
    elif isinstance(first, (list, tuple)):
        if len(first) != len(second):
            raise ValueError(
                "The two structures don't have the same number of elements.\n\n"
                f"First structure: {first}\n\nSecond structure: {second}"
            )
        for one, other in zip(first, second, strict=True):
            assert_same_structure(one, other)


def map_structure(func: Callable, *structures: Any) -> Any:
    """Applies `func` to the leaves that stand at the same place, and keeps the structure."""
    for other in structures[1:]:
        assert_same_structure(structures[0], other)
    results = [func(*leaves) for leaves in zip(*map(flatten, structures), strict=True)]
    return pack_sequence_as(structures[0], results)

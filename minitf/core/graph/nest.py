"""Nested structures of lists, tuples and dicts: flatten, map, pack.

The order of the leaves is fixed: lists and tuples by position, dicts by sorted key.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, MappingView
from typing import Any

_NESTED: Any = (list, tuple, Mapping, MappingView)


def is_nested(seq: Any) -> bool:
    """Whether `seq` is a list, tuple, mapping, view of one or `attr.s` (and not a leaf)."""
    return _nests(seq.__class__)


@functools.lru_cache(maxsize=1024)  # to ask an abstract class takes a microsecond
def _nests(kind: type) -> bool:
    return issubclass(kind, _NESTED) or hasattr(kind, "__attrs_attrs__")


def is_attrs(structure: Any) -> bool:
    """Whether an object is of a class that `attr.s` has made."""
    return hasattr(type(structure), "__attrs_attrs__")


def _sorted_keys(mapping: Mapping) -> list:
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def children(structure: Any) -> list:
    """The items of a nested structure, in the order of the leaves."""
    if isinstance(structure, Mapping):
        return [structure[key] for key in _sorted_keys(structure)]
    return _items(structure)


def _leaves(structure: Any) -> Iterator[Any]:
    if is_nested(structure):
        for item in children(structure):
            yield from _leaves(item)
    else:
        yield structure


def flatten(structure: Any) -> list:
    """Returns the leaves of `structure` as a flat list; a leaf alone becomes a list of one."""
    return list(_leaves(structure))


def like(template: Any, items: list) -> Any:
    """A structure of the kind of `template` that holds `items`, in the order of sorted keys."""
    make: Any = type(template)
    if isinstance(template, Mapping):
        by_key = dict(zip(_sorted_keys(template), items, strict=True))
        first = (template.default_factory,) if isinstance(template, defaultdict) else ()
        return make(*first, ((key, by_key[key]) for key in template))
    if isinstance(template, MappingView):  # as `d.values()`: the structure around it is gone
        return items
    if hasattr(template, "_fields") or is_attrs(template):  # takes them one by one
        return make(*items)
    return make(items)


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if is_nested(structure):
        return like(structure, [_pack(item, leaves) for item in children(structure)])
    return next(leaves)


def pack_sequence_as(structure: Any, flat_sequence: list) -> Any:
    """Packs the items of `flat_sequence` into the structure of `structure`.

    Args:
      structure: a nested structure.
      flat_sequence: as many items as it has leaves.
    Raises:
      ValueError: when the number of items is not the number of leaves.
    """
    if isinstance(flat_sequence, (str, bytes)):
        raise TypeError("flat_sequence must be a sequence")
    expected = len(flatten(structure))
    if not is_nested(structure) and len(flat_sequence) > 1:
        raise ValueError(
            f"Structure is a scalar but len(flat_sequence) == {len(flat_sequence)} > 1"
        )
    if expected != len(flat_sequence):
        raise ValueError(
            f"Structure had {expected} elements, but flat_sequence had {len(flat_sequence)} "
            f"elements.  Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(flat_sequence))


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Checks that both structures nest alike (their leaves may differ).

    Args:
      nest1, nest2: what to compare.
      check_types: whether lists, tuples and dicts must be of the same types too.
    Raises:
      ValueError: when they differ in the number of items or in keys.
      TypeError: when they differ in types.
    """
    try:
        _assert_same(nest1, nest2, check_types)
    except (ValueError, TypeError) as error:
        raise type(error)(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {_with_type(nest1)}\n\nSecond structure: {_with_type(nest2)}\n\n"
            f"More specifically: {error}\n"
            f"Entire first structure:\n{_dots(nest1)}\nEntire second structure:\n{_dots(nest2)}"
        ) from None


def _with_type(value: Any) -> str:
    return f"type={type(value).__name__} str={value}"


def _dots(structure: Any) -> str:
    return str(map_structure(lambda leaf: _Dot(), structure))


class _Dot:
    def __repr__(self) -> str:
        return "."


def _assert_same(first: Any, second: Any, check_types: bool) -> None:
    one, other = _with_type(first), _with_type(second)
    if is_nested(first) != is_nested(second):
        which = f'Substructure "{one if is_nested(first) else other}" is a sequence, while '
        raise ValueError(f'{which}substructure "{other if is_nested(first) else one}" is not')
    if not is_nested(first):
        return
    kinds = type(first), type(second)
    if check_types and not same_kind(first, second):
        raise TypeError(
            f"The two namedtuples don't have the same sequence type. First structure {one} has "
            f"type {kinds[0].__name__}, while second structure {other} has type {kinds[1].__name__}"
        )
    pairs: Any
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if set(first) != set(second):
            keys = _with_type(list(first)), _with_type(list(second))
            raise ValueError(
                "The two dictionaries don't have the same set of keys. First structure has keys "
                f"{keys[0]}, while second structure has keys {keys[1]}"
            )
        pairs = ((first[key], second[key]) for key in first)
    else:
        pairs = zip(_items(first), _items(second), strict=False)
    for a, b in pairs:
        _assert_same(a, b, check_types)
    if len(_items(first)) != len(_items(second)):
        raise ValueError(
            "The two structures don't have the same number of elements. "
            f"First structure: {one}. Second structure: {other}"
        )


def same_kind(first: Any, second: Any) -> bool:
    """Whether two structures are both mappings, of one type, or namedtuples declared alike."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return True
    one, other = type(first), type(second)
    fields = getattr(one, "_fields", None)
    alike = fields is not None and fields == getattr(other, "_fields", None)
    return one is other or (alike and one.__name__ == other.__name__)


def flatten_dict_items(dictionary: Any) -> dict[Any, Any]:
    """Flattens a dict whose keys are structures and whose values have the same structures.

    Raises:
      ValueError: when a key and its value differ in their numbers of leaves, or a key comes twice.
    """
    if not isinstance(dictionary, Mapping):
        raise TypeError("input must be a dictionary")
    flat: dict[Any, Any] = {}
    for key, value in dictionary.items():
        keys, values = [key], [value]
        if is_nested(key):
            keys, values = flatten(key), flatten(value)
        if len(keys) != len(values):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(keys)} elements, but value had "
                f"{len(values)} elements. Key: {keys}, value: {values}."
            )
        for part, of_part in zip(keys, values, strict=True):
            if part in flat:
                raise ValueError(f"Could not flatten dictionary: key {part} is not unique.")
            flat[part] = of_part
    return flat


def _items(structure: Any) -> list:
    if isinstance(structure, Mapping):
        return [structure[k] for k in structure]
    fields = getattr(type(structure), "__attrs_attrs__", None)
    return list(structure) if fields is None else [getattr(structure, f.name) for f in fields]


def map_structure(func: Callable, *structures: Any, check_types: bool = True) -> Any:
    """Applies `func` to the leaves at each place; returns a structure of the results."""
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structures:
        raise ValueError("Must provide at least one structure")
    for other in structures[1:]:
        assert_same_structure(structures[0], other, check_types)
    flat = [flatten(structure) for structure in structures]
    results = [func(*leaves) for leaves in zip(*flat, strict=True)]
    return pack_sequence_as(structures[0], results)

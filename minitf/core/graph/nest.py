"""Nested structures of lists, tuples and dicts: take apart, map, put together again.

A structure's leaves come in a fixed order: lists and tuples by position, dicts by sorted key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MappingView
from typing import Any

_NESTED: Any = (list, tuple, Mapping, MappingView)


def is_nested(structure: Any) -> bool:
    """Whether `structure` is a list, tuple, mapping or view of one (and not a leaf)."""
    return isinstance(structure, _NESTED)


def _sorted_keys(mapping: Mapping) -> list:
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def _leaves(structure: Any) -> Iterator[Any]:
    if isinstance(structure, Mapping):
        for key in _sorted_keys(structure):
            yield from _leaves(structure[key])
    elif isinstance(structure, _NESTED):
        for item in structure:
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
        return make((key, by_key[key]) for key in template)
    if isinstance(template, MappingView):  # as `d.values()`: the structure around it is gone
        return items
    if hasattr(template, "_fields"):  # a namedtuple takes its items one by one
        return make(*items)
    return make(items)


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(structure, Mapping):
        return like(structure, [_pack(structure[k], leaves) for k in _sorted_keys(structure)])
    if isinstance(structure, _NESTED):
        return like(structure, [_pack(item, leaves) for item in structure])
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
            f"elements.  Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(flat_sequence))


def assert_same_structure(first: Any, second: Any, check_types: bool = True) -> None:
    """Checks that both structures nest alike (their leaves may differ).

    Args:
      first, second: what to compare.
      check_types: whether lists, tuples and dicts must be of the same types too.
    Raises:
      ValueError: when they differ in the number of items or in keys.
      TypeError: when they differ in types.
    """
    try:
        _assert_same(first, second, check_types)
    except (ValueError, TypeError) as error:
        raise type(error)(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {_with_type(first)}\n\nSecond structure: {_with_type(second)}\n\n"
            f"More specifically: {error}\n"
            f"Entire first structure:\n{_dots(first)}\nEntire second structure:\n{_dots(second)}"
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
    both_mappings = isinstance(first, Mapping) and isinstance(second, Mapping)
    if check_types and not same_kind(first, second):
        raise TypeError(
            f"The two namedtuples don't have the same sequence type. First structure {one} has "
            f"type {kinds[0].__name__}, while second structure {other} has type {kinds[1].__name__}"
        )
    pairs: Any
    if both_mappings:
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
    if len(first) != len(second):
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
    """A dict whose keys were structures of keys, and their values structures alike, as a flat one.

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
    return [structure[k] for k in structure] if isinstance(structure, Mapping) else list(structure)


def map_structure(func: Callable, *structures: Any, **options: bool) -> Any:
    """Applies `func` to the leaves that stand at the same place, and keeps the structure."""
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structures:
        raise ValueError("Must provide at least one structure")
    if options:
        unknown = options.keys() - {"check_types", "expand_composites"}
        if unknown:
            raise ValueError(
                "Only valid keyword arguments are `check_types` and `expand_composites`, not: "
                f"`{'`, `'.join(unknown)}`"
            )
    for other in structures[1:]:
        assert_same_structure(structures[0], other, check_types=False)
    results = [func(*leaves) for leaves in zip(*map(flatten, structures), strict=True)]
    return pack_sequence_as(structures[0], results)

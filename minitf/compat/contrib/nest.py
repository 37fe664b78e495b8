"""`tf.contrib.framework.nest`: structures of different depth side by side, and paths to leaves.

shallow tree   {"a": 0, "b": 0}
input tree     {"a": 1, "b": {"c": 2}}   -> [1, {"c": 2}]        `flatten_up_to`
                                         -> [("a", 1), ("b/c", 2)]    with paths
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from minitf.core.graph.nest import is_attrs, is_nested, like, pack_sequence_as, same_kind

_STRUCTURES_HAVE_MISMATCHING_TYPES = (
    "The two structures don't have the same sequence type. Input structure has type {input_type}, "
    "while shallow structure has type {shallow_type}."
)
_STRUCTURES_HAVE_MISMATCHING_LENGTHS = (
    "The two structures don't have the same sequence length. Input structure has length "
    "{input_length}, while shallow structure has length {shallow_length}."
)
_SHALLOW_TREE_HAS_INVALID_KEYS = (
    "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the "
    "following keys that are not in the input_tree: {}."
)
_IF_SHALLOW_IS_SEQ_INPUT_MUST_BE_SEQ = (
    "If shallow structure is a sequence, input must also be a sequence. Input has type: {}."
)


def _parts(structure: Any) -> list[tuple[Any, Any]]:
    """What a structure holds, with its names, keys or places."""
    if isinstance(structure, Mapping):
        return [(key, structure[key]) for key in sorted(structure)]
    if is_attrs(structure):
        return [(each.name, getattr(structure, each.name)) for each in structure.__attrs_attrs__]
    return list(zip(getattr(structure, "_fields", range(len(structure))), structure))


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Checks that one structure is the upper part of another.

    Args:
      shallow_tree: the upper part; its leaves may stand for structures.
      input_tree: the whole.
      check_types: whether lists, tuples and dicts must be of the same types.
    Raises:
      TypeError: when the types differ.
      ValueError: when sizes or keys do.
    """
    if not is_nested(shallow_tree):
        return
    if not is_nested(input_tree):
        raise TypeError(_IF_SHALLOW_IS_SEQ_INPUT_MUST_BE_SEQ.format(type(input_tree)))
    if check_types and not same_kind(shallow_tree, input_tree):
        kinds = {"input_type": type(input_tree), "shallow_type": type(shallow_tree)}
        raise TypeError(_STRUCTURES_HAVE_MISMATCHING_TYPES.format(**kinds))
    parts = _parts(shallow_tree), _parts(input_tree)
    if len(parts[0]) != len(parts[1]):
        sizes = {"input_length": len(parts[1]), "shallow_length": len(parts[0])}
        raise ValueError(_STRUCTURES_HAVE_MISMATCHING_LENGTHS.format(**sizes))
    if isinstance(shallow_tree, Mapping) and set(shallow_tree) - set(input_tree):
        invalid = sorted(set(shallow_tree) - set(input_tree))
        raise ValueError(_SHALLOW_TREE_HAS_INVALID_KEYS.format(invalid))
    for (_, shallow), (_, whole) in zip(*parts, strict=True):
        assert_shallow_structure(shallow, whole, check_types)


def _paths_up_to(shallow: Any, whole: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    if not is_nested(shallow):
        yield path, whole
        return
    for (key, upper), (_, part) in zip(_parts(shallow), _parts(whole), strict=True):
        yield from _paths_up_to(upper, part, (*path, key))


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True
) -> list[tuple[tuple, Any]]:
    """As `flatten_up_to`, each part with the keys that lead to it."""
    assert_shallow_structure(shallow_tree, input_tree, check_types)
    return list(_paths_up_to(shallow_tree, input_tree))


def flatten_up_to(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> list[Any]:
    """The parts of a structure that stand where another, shallower one has its leaves.

    Args:
      shallow_tree, input_tree, check_types: see `assert_shallow_structure`.
    """
    return [
        part for _, part in flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types)
    ]


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable, *inputs: Any, check_types: bool = True
) -> Any:
    """As `map_structure_up_to`; the function is given the keys that lead to a part first."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    found = [flatten_with_tuple_paths_up_to(shallow_tree, each, check_types) for each in inputs]
    results = [func(row[0][0], *(part for _, part in row)) for row in zip(*found, strict=True)]
    return pack_sequence_as(shallow_tree, results)


def map_structure_up_to(
    shallow_tree: Any, func: Callable, *inputs: Any, check_types: bool = True
) -> Any:
    """The structure of `shallow_tree` with a function's results for the parts of the inputs there.

    Args:
      shallow_tree: where to stop.
      func: takes one part of each input.
      inputs: structures whose upper part it is.
      check_types: see `assert_shallow_structure`.
    """
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *parts: func(*parts), *inputs, check_types=check_types
    )


def map_structure_with_tuple_paths(
    func: Callable, *structure: Any, check_types: bool = True
) -> Any:
    """As `map_structure`; the function is given the keys that lead to a leaf first."""
    return map_structure_with_tuple_paths_up_to(
        structure[0], func, *structure, check_types=check_types
    )


def map_structure_with_paths(func: Callable, *structure: Any, check_types: bool = True) -> Any:
    """As `map_structure_with_tuple_paths` with the keys as one text, "a/0"."""
    return map_structure_with_tuple_paths(
        lambda path, *leaves: func("/".join(map(str, path)), *leaves),
        *structure,
        check_types=check_types,
    )


def flatten_with_tuple_paths(structure: Any) -> list[tuple[tuple, Any]]:
    """The leaves of a structure with the keys that lead to them: [(("a", 0), leaf)]."""
    return list(_paths_up_to(structure, structure))


def flatten_with_joined_string_paths(structure: Any, separator: str = "/") -> list[tuple[str, Any]]:
    """The leaves of a structure with the keys that lead to them as one text: [("a/0", leaf)]."""
    named = flatten_with_tuple_paths(structure)
    return [(separator.join(map(str, path)), leaf) for path, leaf in named]


def yield_flat_paths(nest: Any) -> Iterator[tuple]:
    """The keys that lead to each leaf."""
    return (path for path, _ in flatten_with_tuple_paths(nest))


def get_traverse_shallow_structure(traverse_fn: Callable[[Any], Any], structure: Any) -> Any:
    """A shallow tree for `structure`: True for a leaf to keep, False for a part not to enter.

    Args:
      traverse_fn: says of a part whether to enter it, or of what it holds.
      structure: what to walk.
    Raises:
      TypeError: when it says neither.
    """
    enters = traverse_fn(structure)
    if not is_nested(structure):
        if isinstance(enters, bool):
            return enters
        raise TypeError(f"traverse_fn returned structure: {enters} for non-structure: {structure}")
    if enters is False:
        return False
    parts = [part for _, part in _parts(structure)]
    ways = [True] * len(parts)
    if enters is not True:
        if not is_nested(enters):
            saw = f"{enters} for input: {structure}"
            raise TypeError(f"traverse_fn returned a non-bool scalar: {saw}")
        assert_shallow_structure(enters, structure)
        ways = [part for _, part in _parts(enters)]
    if not all(isinstance(way, bool) for way in ways):
        saw = f"{enters}  for structure: {structure}"
        raise TypeError(f"traverse_fn didn't return a depth=1 structure of bools.  saw: {saw}")
    entered = [
        way and get_traverse_shallow_structure(traverse_fn, part)
        for way, part in zip(ways, parts, strict=True)
    ]
    return like(structure, entered)


_is_attrs = is_attrs
_sequence_like = like

"""`tf.contrib.framework.nest`: structures of different depth, and paths to leaves."""

import collections

import pytest

import minitf as tf

nest = tf.contrib.framework.nest
Pair = collections.namedtuple("Pair", "a b")


def test_parts_where_a_shallower_structure_has_its_leaves():
    deep = {"a": 1, "b": {"c": 2}, "d": [3, (4, 5)]}
    assert nest.flatten_up_to({"a": 0, "b": 0, "d": [0, 0]}, deep) == [1, {"c": 2}, 3, (4, 5)]
    assert nest.map_structure_up_to(Pair(0, 0), len, Pair([1, 2], (3,))) == Pair(2, 1)
    with pytest.raises(TypeError, match="have the same sequence type"):
        nest.flatten_up_to([0, 0], (1, 2))
    with pytest.raises(ValueError, match="Input structure has length 1, while shallow"):
        nest.assert_shallow_structure([0, 0], [1])
    with pytest.raises(ValueError, match=r"not in the input_tree: \['z'\]"):
        nest.flatten_up_to({"z": 0}, {"a": 0})


def test_paths_to_leaves():
    structure = {"a": 1, "b": Pair([2], 3)}
    assert list(nest.yield_flat_paths(structure)) == [("a",), ("b", "a", 0), ("b", "b")]
    assert nest.flatten_with_joined_string_paths(structure)[1] == ("b/a/0", 2)
    named = nest.map_structure_with_paths(lambda path, leaf: f"{path}={leaf}", [4, {"k": 5}])
    assert named == ["0=4", {"k": "1/k=5"}]


def test_which_parts_to_enter():
    enters = nest.get_traverse_shallow_structure(
        lambda part: not isinstance(part, tuple), [1, (2,)]
    )
    assert enters == [True, False]
    assert nest.flatten_dict_items({(1, (2, 3)): ("a", ("b", "c"))}) == {1: "a", 2: "b", 3: "c"}


def test_namedtuples_declared_alike_are_of_one_kind():
    nest.assert_same_structure(Pair(1, 2), collections.namedtuple("Pair", "a b")(3, 4))
    with pytest.raises(TypeError, match="have the same sequence type"):
        nest.assert_same_structure(Pair(1, 2), collections.namedtuple("Other", "a b")(3, 4))
    with pytest.raises(ValueError, match='Substructure "type=tuple str=.1, 2." is a sequence'):
        nest.assert_same_structure(((1, 2), 3, 4), ("x", "y"))

"""`tf.contrib.framework.nest`: structures of different depth, and paths to leaves."""

import collections

import pytest

import minitf as tf

nest = tf.contrib.framework.nest
Pair = collections.namedtuple("Pair", "a b")


def test_namedtuples_declared_alike_are_of_one_kind():
    nest.assert_same_structure(Pair(1, 2), collections.namedtuple("Pair", "a b")(3, 4))
    with pytest.raises(TypeError, match="have the same sequence type"):
        nest.assert_same_structure(Pair(1, 2), collections.namedtuple("Other", "a b")(3, 4))
    with pytest.raises(ValueError, match='Substructure "type=tuple str=.1, 2." is a sequence'):
        nest.assert_same_structure(((1, 2), 3, 4), ("x", "y"))

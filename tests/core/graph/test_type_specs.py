"""Specs of values that consist of tensors, and shapes that broadcast."""

import pickle

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph.shapes import broadcast_shapes
from minitf.library.eager.type_specs import type_spec_from_value


def test_sparse_tensors():
    wide, narrow = tf.SparseTensorSpec([5, None]), tf.SparseTensorSpec([5, 6])
    assert wide.is_compatible_with(narrow)
    assert wide != narrow
    assert not wide.is_compatible_with(tf.SparseTensorSpec([5, 6], tf.int32))
    assert pickle.loads(pickle.dumps(wide)) == wide
    value = tf.SparseTensor([[0]], [1.0], [3])
    spec = type_spec_from_value(value)
    assert spec.is_compatible_with(value)
    assert spec._from_components(spec._to_components(value)).shape.as_list() == [3]


def test_what_has_no_spec():
    with pytest.raises(TypeError, match="Could not build a TypeSpec"):
        type_spec_from_value(len)


def test_an_array_fits_a_spec() -> None:
    spec = tf.TensorSpec([None], tf.float32)
    assert spec.is_compatible_with(np.zeros(2, "f")) and not spec.is_compatible_with(np.zeros(2))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([2, 3], [3], [2, 3]),
        ([2, 1], [1, 3], [2, 3]),
        ([None, 3], [1], [None, 3]),
        ([None], [5], [5]),
        ([None], [1], [None]),
        ([None], [None], [None]),
        ([], [4], [4]),
    ],
)
def test_broadcasting(one: list, other: list, expected: list) -> None:
    assert broadcast_shapes(one, other).as_list() == expected
    assert broadcast_shapes(other, one).as_list() == expected


def test_broadcasting_fails_with_the_two_sizes() -> None:
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
        broadcast_shapes([2], [3])

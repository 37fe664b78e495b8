"""Specs of values that consist of tensors."""

import pickle

import numpy as np
import pytest

import minitf as tf
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

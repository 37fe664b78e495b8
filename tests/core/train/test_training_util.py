"""The global step."""

import pytest

import minitf as tf


def test_it_is_found_by_name_and_must_be_an_integer_scalar() -> None:
    counter = tf.Variable(0, name="global_step", trainable=False)
    assert tf.train.get_global_step() is counter.graph.get_tensor_by_name("global_step:0")
    with pytest.raises(TypeError, match='^Existing "global_step" does not have integer type: '):
        tf.train.assert_global_step(tf.Variable(1.0))
    with pytest.raises(TypeError, match='^Existing "global_step" is not scalar: '):
        tf.train.assert_global_step(tf.Variable([1, 2]))
    with pytest.raises(
        TypeError, match='^Existing "global_step" must be a Variable or Tensor: 3.$'
    ):
        tf.train.assert_global_step(3)

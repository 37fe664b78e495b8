"""The global step."""

import pytest

import minitf as tf


def test_there_is_one_global_step(graph: tf.Graph) -> None:
    assert tf.train.get_global_step() is None
    with tf.name_scope("scope"):
        step = tf.train.get_or_create_global_step()
    assert repr(step) == "<tf.Variable 'global_step:0' shape=() dtype=int64_ref>"
    assert tf.train.get_or_create_global_step() is tf.train.get_global_step() is step
    assert not step.trainable
    assert tf.get_collection(tf.GraphKeys.GLOBAL_STEP) == [step]
    with pytest.raises(ValueError, match='^"global_step" already exists.$'):
        tf.train.create_global_step()
    assert tf.train.get_global_step(tf.Graph()) is None


def test_it_counts() -> None:
    step = tf.train.get_or_create_global_step()
    w = tf.Variable(1.0)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert tf.train.global_step(sess, step) == 0
        for _ in range(3):
            sess.run(train_op)
        assert tf.train.global_step(sess, step) == 3


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

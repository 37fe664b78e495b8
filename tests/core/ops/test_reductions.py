"""Reductions beyond the registry's promises: spellings of the axes, names, edges, ties."""

from typing import Any

import pytest

import minitf as tf

X = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


def test_axis_as_a_constant_tensor() -> None:
    assert run(tf.reduce_sum(X, tf.constant(1))).tolist() == [6.0, 15.0]
    axis = tf.placeholder(tf.int32, [])
    assert run(tf.reduce_sum(X, axis), {axis: 0}).tolist() == [5.0, 7.0, 9.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"reduction dimension \(2 for"):
        run(tf.reduce_sum(X, axis), {axis: 2})


def test_names_agree_with_those_of_tensorflow() -> None:
    """The constant that holds all axes is named in the scope of the reduction."""
    x = tf.placeholder(tf.float32, [2, 3])
    assert tf.reduce_sum(x).name == "Sum:0"
    assert tf.constant(1).name == "Const_1:0"
    tf.reduce_mean(x, 0)
    assert tf.constant(1).name == "Const_2:0"
    with tf.name_scope("loss"):
        assert tf.reduce_mean(x).name == "loss/Mean:0"
        assert tf.constant(1).name == "loss/Const_1:0"
    tf.reduce_max(tf.placeholder(tf.float32))
    assert tf.rank(x, name="Rank").name == "Rank_1:0"
    assert tf.range(3).name == "range_1:0"


def test_static_shapes() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    assert tf.reduce_sum(x).shape == ()
    assert tf.reduce_sum(x, 1).shape.as_list() == [None]
    assert tf.reduce_sum(x, 0, keepdims=True).shape.as_list() == [1, 3]
    unknown = tf.placeholder(tf.float32)
    assert tf.reduce_sum(unknown).shape == ()
    assert tf.reduce_sum(unknown, 0).shape.ndims is None
    assert tf.reduce_sum(unknown, keepdims=True).shape.ndims is None
    assert tf.argmax(x, 0).shape.as_list() == [3]
    assert tf.argmax(unknown, 0).shape.ndims is None


def test_gradient_of_means_with_unknown_batch() -> None:
    x = tf.placeholder(tf.float32, [None, 2])
    mean = tf.reduce_mean(tf.square(x))
    assert run(tf.gradients(mean, x)[0], {x: [[1, 2], [3, 4]]}).tolist() == [[0.5, 1], [1.5, 2]]
    rows = tf.reduce_mean(x, 0)
    assert run(tf.gradients(rows, x)[0], {x: [[1, 2], [3, 4]]}).tolist() == [[0.5] * 2] * 2

"""Gradients of lookups are rows, until something needs the whole."""

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph.convert import constant_value


def test_rows_pass_through_identities_and_signs(sess: tf.Session) -> None:
    w = tf.placeholder(tf.float32, [4, 2])
    y = tf.gather(-tf.identity(w), [1, 1, 3])
    (gradient,) = tf.gradients(y, w)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.shape.as_list() == [4, 2]
    value = sess.run(gradient, {w: np.ones((4, 2))})
    assert value.indices.tolist() == [1, 1, 3]
    assert value.values.tolist() == [[-1, -1]] * 3


def test_shapes_known_only_when_it_runs(sess: tf.Session) -> None:
    w, i = tf.placeholder(tf.float32, None), tf.placeholder(tf.int32, None)
    (gradient,) = tf.gradients(tf.gather(w, i), w)
    feed = {w: np.ones((3, 2)), i: [[0, 2], [2, 2]]}
    assert sess.run(gradient, feed).dense_shape.tolist() == [3, 2]
    assert sess.run(tf.convert_to_tensor(gradient), feed).tolist() == [[1, 1], [0, 0], [3, 3]]


def test_a_tape_gives_rows() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.constant([[1.0], [2.0], [3.0]])
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.gather(w, [2, 0]) * 3.0
        gradient = tape.gradient(y, w)
        assert isinstance(gradient, tf.IndexedSlices)
        assert sess.run(gradient).indices.tolist() == [2, 0]


def test_feeding_rows(sess: tf.Session) -> None:
    rows = tf.IndexedSlices(
        tf.placeholder(tf.float32, [None, 1]),
        tf.placeholder(tf.int32, [None]),
        tf.placeholder(tf.int32, [2]),
    )
    whole = tf.convert_to_tensor(rows)
    given = tf.IndexedSlicesValue([[5.0], [6.0]], [1, 1], [3, 1])
    assert sess.run(whole * 1.0, {rows: given}).tolist() == [[0], [11], [0]]


@pytest.mark.parametrize("length", [10, 5000])
def test_constants_are_found_behind_long_chains(length: int) -> None:
    with tf.Graph().as_default():
        x = tf.constant(0)
        for _ in range(length):
            x = x + 1
        assert constant_value(x) == length

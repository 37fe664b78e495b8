"""`tf.py_function`: eager code inside a graph, with gradients."""

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode


def leaky(x: tf.Tensor) -> tf.Tensor:
    return x * x if tf.reduce_sum(x) > 0 else 3.0 * x


def test_values_and_gradients_in_a_session() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [2])
        y = tf.py_function(leaky, [x], tf.float32)
        found = [y, *tf.gradients(y * 2.0, x)]
        for value, expected in (([3.0, 1.0], [[9, 1], [12, 4]]), ([-3.0, 1.0], [[-9, 3], [6, 6]])):
            np.testing.assert_array_equal(sess.run(found, {x: value}), expected)


def test_eagerly_under_a_tape() -> None:
    with eager_mode():
        x = tf.constant([3.0, 1.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, z = tf.py_function(lambda a: [leaky(a), a + 1.0], [x], [tf.float32, tf.float32])
        np.testing.assert_array_equal(tape.gradient([y, z], x), [7.0, 3.0])


def test_what_it_returns_must_fit() -> None:
    with eager_mode(), pytest.raises(tf.errors.InvalidArgumentError, match="expects to see 2"):
        tf.py_function(lambda a: a, [tf.constant(1.0)], [tf.float32, tf.float32])

"""Hessians: of known shapes row by row, of others in a loop, and both the same."""

from typing import Any

import numpy as np
import pytest

import minitf as tf


def curve(x: Any) -> Any:
    return tf.reduce_sum(x**3) + tf.reduce_sum(x) ** 2


@pytest.mark.parametrize("known", [[2, 2], [None, 2], None])
def test_known_and_unknown_shapes(known: Any, sess: tf.Session) -> None:
    x = tf.placeholder(tf.float64, known)
    (hessian,) = tf.hessians(curve(x), x)
    value = np.array([[1.0, 2.0], [3.0, 4.0]])
    expected = (np.diag(6 * value.ravel()) + 2).reshape(2, 2, 2, 2)
    np.testing.assert_allclose(sess.run(hessian, {x: value}), expected)


def test_many_elements_come_from_a_loop(sess: tf.Session) -> None:
    x = tf.constant(np.linspace(0, 1, 300))
    before = len(sess.graph.get_operations())
    (hessian,) = tf.hessians(curve(x), x)
    assert len(sess.graph.get_operations()) - before < 200
    assert hessian.shape.as_list() == [300, 300]
    np.testing.assert_allclose(sess.run(hessian), np.diag(6 * np.linspace(0, 1, 300)) + 2)


def test_of_rows_of_a_table(sess: tf.Session) -> None:
    table = tf.constant([[1.0], [2.0], [3.0]])
    (hessian,) = tf.hessians(tf.reduce_sum(tf.gather(table, [0, 2]) ** 3), table)
    assert np.diag(sess.run(hessian).reshape(3, 3)).tolist() == [6, 0, 18]
    assert tf.hessians(tf.constant(1.0), table) == [None]

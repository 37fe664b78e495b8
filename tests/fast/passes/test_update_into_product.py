"""A gradient that is a product of matrices is taken off the variable while it is computed."""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.fast import loader as library

library.load_all()
RNG = np.random.default_rng(0)


def step(rate: float, fetch: Any = lambda w, train: [train], dtype: Any = tf.float32) -> tuple:
    """The program of a step on W [3, 2], and the new W with what it should be."""
    values, targets = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2))
    start = RNG.normal(size=(3, 2))
    w = tf.Variable(start, dtype=dtype)
    x = tf.placeholder(dtype, [None, 3])
    residual = tf.matmul(x, w) - tf.constant(targets, dtype)
    loss = tf.reduce_sum(tf.square(residual))
    fetches = fetch(w, tf.train.GradientDescentOptimizer(rate).minimize(loss))
    with tf.Session() as sess:
        sess.run(w.initializer)
        program = sess.explain(fetches, [x]).program
        fetched = sess.run(fetches, {x: values})
        new = sess.run(w)
    expected = start - rate * 2 * values.T @ (values @ start - targets)
    return program, fetched, new, expected, start


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.float16])
@pytest.mark.parametrize("rate", [0.5, 0.0])
def test_the_gradient_is_never_made(rate: float, dtype: Any) -> None:
    program, _, new, expected, _ = step(rate, dtype=dtype)
    assert "op_SubtractProduct(" in program and "ApplyGradientDescent(" not in program
    near = {tf.float16: 0.1, tf.float32: 1e-5}.get(dtype, 1e-12)
    np.testing.assert_allclose(new, expected, rtol=near, atol=near)


def test_the_pass_shows_what_it_did() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.Variable(np.ones([3, 2], np.float32))
    train = tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(tf.matmul(x, w)))
    with tf.Session() as sess:
        text = str(sess.explain(train, [x]))
    changes = text[text.index("# update into product") :].split("\n\n")[0]
    assert "- op_ApplyGradientDescent(Variable" in changes
    assert "+ op_SubtractProduct(Variable" in changes


def test_a_fetched_gradient_is_made() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.Variable(np.ones([3, 2], np.float32))
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    pairs = optimizer.compute_gradients(tf.reduce_sum(tf.matmul(x, w)), [w])
    train = optimizer.apply_gradients(pairs)
    with tf.Session() as sess:
        sess.run(w.initializer)
        assert "_SubtractProduct" not in sess.explain([train, pairs[0][0]], [x]).program
        gradient = sess.run([train, pairs[0][0]], {x: [[1, 2, 3]]})[1]
        assert gradient.tolist() == [[1, 1], [2, 2], [3, 3]]
        assert sess.run(w).tolist() == [[0, 0], [-1, -1], [-2, -2]]


def test_old_values_stay_for_those_who_read_them() -> None:
    program, fetched, new, expected, start = step(0.5, lambda w, train: [w.value() * 1.0, train])
    assert "_SubtractProduct" in program
    np.testing.assert_allclose(fetched[0], start, rtol=1e-6)
    np.testing.assert_allclose(new, expected, rtol=1e-5, atol=1e-5)


def test_a_gradient_made_of_the_variable_itself() -> None:
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    train = optimizer.apply_gradients([(tf.matmul(w, w, transpose_b=True), w)])
    with tf.Session() as sess:
        sess.run(w.initializer)
        assert "_SubtractProduct" in sess.explain(train).program
        sess.run(train)
        assert sess.run(w).tolist() == [[-4, -9], [-8, -21]]


def test_errors_are_those_of_the_two_operations() -> None:
    x, y = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [None, None])
    w = tf.Variable(tf.zeros([3, 2]))
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    train = optimizer.apply_gradients([(tf.matmul(x, y), w)])
    with tf.Session() as sess:
        with pytest.raises(tf.errors.FailedPreconditionError):
            sess.run(train, {x: np.ones((3, 4)), y: np.ones((4, 2))})
        sess.run(w.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"In\[0\]: \[3,4\], In\[1\]: \[5"):
            sess.run(train, {x: np.ones((3, 4)), y: np.ones((5, 2))})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"same shape\[3,2\] \[3,7\]"):
            sess.run(train, {x: np.ones((3, 4)), y: np.ones((4, 7))})
        assert not sess.run(w).any()

"""Optimizers of `tf.contrib.opt` that scale gradients by matrices, against NumPy."""

from typing import Any

import numpy as np
import pytest

import minitf as tf

opt = tf.contrib.opt
RNG = np.random.RandomState(0)
START, SLOPE = RNG.randn(4, 3), RNG.randn(3, 4, 3)  # a gradient for each step


def moved(optimizer: Any, start: np.ndarray, slopes: np.ndarray, step: Any = None) -> np.ndarray:
    """A variable after a step by each of the gradients."""
    var = tf.Variable(start)
    slope = tf.placeholder(var.dtype.base_dtype, start.shape)
    train = optimizer.apply_gradients([(slope, var)], step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for each in slopes:
            sess.run(train, {slope: each})
        return sess.run(var)


def power(matrix: np.ndarray, exponent: float) -> np.ndarray:
    """A symmetric matrix to a power."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * values**exponent) @ vectors.T


def shampoo(start: np.ndarray, slopes: np.ndarray, kind: str) -> np.ndarray:
    """The formula for matrices, with `gbar` that halves."""
    rows, columns = start.shape
    left, right = np.zeros([rows, rows]), np.zeros([columns, columns])
    by_left, by_right, mean = np.eye(rows), np.eye(columns), np.zeros_like(start)
    for t, g in enumerate(slopes, 1):
        mean = 0.5 * mean + g
        if kind != "rare" or t == 2:
            times = 2.0 if kind == "rare" else 1.0
            left, right = left + times * g @ g.T, right + times * g.T @ g
        if kind != "interval" or t == 2:
            by_left = power(left / rows + 1e-4 * np.eye(rows), -0.25)
            by_right = power(right / columns + 1e-4 * np.eye(columns), -0.25)
        scaled = (
            (np.diag(left) / rows)[:, None] ** -0.25 * mean
            if kind == "diagonal"
            else by_left @ mean
        )
        start = start - 0.1 * scaled @ by_right
    return start


@pytest.mark.parametrize("kind", ["svd", "iterative", "diagonal", "interval", "rare"])
def test_shampoo(kind: str) -> None:
    options = {
        "iterative": {"use_iterative_root": True},
        "diagonal": {"max_matrix_size": 3},
        "interval": {"svd_interval": 2},
        "rare": {"precond_update_interval": 2},
    }.get(kind, {})
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        found = moved(
            opt.ShampooOptimizer(step, learning_rate=lambda t: 0.1, gbar_decay=0.5, **options),
            START, SLOPE, step,
        )  # fmt: skip
    wanted = shampoo(START, SLOPE, kind)
    np.testing.assert_allclose(found, wanted, rtol=1e-4 if kind == "iterative" else 1e-8)


def test_shampoo_by_rows() -> None:
    """Rows without a gradient stay, where the table is too long for a matrix."""
    with tf.Graph().as_default(), tf.Session() as sess:
        table = tf.Variable(np.ones([6, 2]))
        slopes = tf.IndexedSlices(tf.constant([[1.0, 0.0], [0.0, 2.0]], tf.float64), [4, 1], [6, 2])
        wide = opt.ShampooOptimizer(max_matrix_size=5, mat_gbar_weight=2.0)
        train = wide.apply_gradients([(slopes, table)])
        whole = tf.Variable(np.ones([6, 2]))
        dense = opt.ShampooOptimizer(use_locking=True).apply_gradients([(slopes, whole)])
        sess.run(tf.global_variables_initializer())
        sess.run([train, dense])
        found, small = sess.run([table, whole])
    columns = power(np.diag([2.0, 8.0]) / 2 + 1e-4 * np.eye(2), -0.25)
    scaled = np.array([[2.0**-0.25, 0.0], [0.0, 8.0**-0.25 * 2.0]]) @ columns
    wanted = np.ones([6, 2])
    wanted[[4, 1]] -= scaled
    np.testing.assert_allclose(found, wanted, rtol=1e-10)
    g = np.zeros([6, 2])
    g[4, 0], g[1, 1] = 1.0, 2.0
    rows = power(g @ g.T / 6 + 1e-4 * np.eye(6), -0.25)
    columns = power(g.T @ g / 2 + 1e-4 * np.eye(2), -0.25)
    np.testing.assert_allclose(small, 1.0 - rows @ g @ columns, rtol=1e-8)


def test_shampoo_of_vectors_and_numbers_that_fade() -> None:
    with tf.Graph().as_default():
        optimizer = opt.ShampooOptimizer(max_matrix_size=1, mat_gbar_decay=0.5)
        found = moved(optimizer, np.array([1.0, 2.0]), np.array([[1.0, 0.0], [2.0, 1.0]]))
        np.testing.assert_allclose(found, [1.0 - 1.0 - 2.0 / 4.5**0.5, 1.0], rtol=1e-10)
        single = opt.ShampooOptimizer(alpha=1.0, epsilon=1.0)
        np.testing.assert_allclose(moved(single, np.ones(1), np.array([[3.0]])), [0.7])


def ggt(start: np.ndarray, slopes: np.ndarray, window: int, eps: float) -> np.ndarray:
    """The formula for one variable, by eigenvalues in place of singular ones."""
    mean, past = np.zeros(start.size), np.zeros([window, start.size])
    for t, slope in enumerate(slopes):
        mean = 0.9 * mean + 0.1 * slope.ravel()
        past[t % window] = mean
        m = past.T / np.sqrt(min(t + 1, window))
        values, vectors = np.linalg.eigh(m.T @ m + 1e-6 * np.eye(window))
        onto = m @ vectors
        step = onto @ ((onto.T @ mean) / (np.sqrt(values) + 1e-2) ** 3)
        if np.sqrt(values.min()) > eps:
            step += (mean - onto @ ((onto.T @ mean) / values)) / np.sqrt(values.min())
        start = start - 0.001 * step.reshape(start.shape)
    return start


@pytest.mark.parametrize("eps", [1e-4, 0.1])
def test_ggt(eps: float) -> None:
    with tf.Graph().as_default():
        found = moved(opt.GGTOptimizer(window=2, eps=eps), START, SLOPE)
    np.testing.assert_allclose(found, ggt(START, SLOPE, 2, eps), rtol=1e-7)


def test_ggt_of_several_variables_is_that_of_one() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        b, a = tf.Variable(START[2:], name="b"), tf.Variable(START[:2], name="a")
        optimizer = opt.GGTOptimizer(lambda: 0.001, window=3)
        train = optimizer.apply_gradients(
            [(tf.constant(SLOPE[0, 2:]), b), (tf.constant(SLOPE[0, :2]), a)]
        )
        assert {v.op.name for v in optimizer.variables()} == {
            "global_step", "grad_buffer", "moment1", "flat_grad"
        }  # fmt: skip
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train)
        found = np.concatenate(sess.run([a, b]))
        with pytest.raises(NotImplementedError, match="Sparse gradient updates are not supported"):
            optimizer.apply_gradients([(tf.IndexedSlices(tf.ones([1, 3], tf.float64), [0]), a)])
    np.testing.assert_allclose(found, ggt(START, SLOPE[[0, 0, 0]], 3, 1e-4), rtol=1e-6)

"""Pooling against NumPy's windows, and where the gradient of a tie goes."""

from typing import Any

import numpy as np
import pytest

import minitf as tf


def run(tensor: Any) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor)


def windows(x: np.ndarray, k: int, stride: int) -> np.ndarray:
    view = np.lib.stride_tricks.sliding_window_view(x, (k, k), (1, 2))
    return view[:, ::stride, ::stride]


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("stride", [1, 2, 4])
def test_values_of_windows_inside(k: int, stride: int) -> None:
    x = np.random.default_rng(0).normal(size=(2, 7, 8, 3))
    parts = windows(x, k, stride)
    largest = run(tf.nn.max_pool(x, k, stride, "VALID"))
    np.testing.assert_array_equal(largest, parts.max(axis=(-1, -2)))
    np.testing.assert_allclose(
        run(tf.nn.avg_pool(x, k, stride, "VALID")), parts.mean(axis=(-1, -2)), atol=1e-12
    )
    first = run(tf.nn.max_pool(x.transpose(0, 3, 1, 2), k, stride, "VALID", data_format="NCHW"))
    np.testing.assert_array_equal(first.transpose(0, 2, 3, 1), largest)


def test_margins_do_not_count() -> None:
    x = -np.ones((1, 3, 3, 1), np.float32)
    assert (run(tf.nn.max_pool(x, 2, 2, "SAME")) == -1).all()
    assert (run(tf.nn.avg_pool(x, 2, 2, "SAME")) == -1).all()
    assert (run(tf.nn.max_pool(x.astype(np.int32) * 5, 3, 1, "SAME")) == -5).all()


def test_a_tie_goes_to_the_first() -> None:
    x = tf.zeros([1, 4, 4, 1])
    dx = run(tf.gradients(tf.nn.max_pool(x, 2, 2, "SAME"), x)[0])
    assert dx[0, :, :, 0].tolist() == [[1, 0, 1, 0], [0] * 4, [1, 0, 1, 0], [0] * 4]
    rows = tf.constant([[0.0, 0, 7], [7, 0, 0], [0, 0, 0]])
    x = tf.reshape(rows, [1, 3, 3, 1])
    dx = run(tf.gradients(tf.nn.max_pool(x, 3, 1, "VALID"), x)[0])
    assert np.argwhere(dx[0, :, :, 0]).tolist() == [[0, 2]]


def test_every_gradient_arrives_once() -> None:
    rng = np.random.default_rng(1)
    x = tf.constant(rng.integers(0, 3, (3, 9, 8, 2)).astype(np.float32))
    for k, stride, padding in ((2, 2, "SAME"), (3, 2, "SAME"), (3, 1, "VALID"), (2, 3, "SAME")):
        for pool in (tf.nn.max_pool, tf.nn.avg_pool):
            y = pool(x, k, stride, padding)
            dy = rng.normal(size=y.shape.as_list()).astype(np.float32)
            dx = run(tf.gradients(y, x, dy)[0])
            np.testing.assert_allclose(dx.sum(axis=(1, 2)), dy.sum(axis=(1, 2)), atol=1e-4)


def test_empty_batch_and_whole_volume() -> None:
    assert run(tf.nn.max_pool(tf.zeros([0, 4, 4, 1]), 2, 2, "SAME")).shape == (0, 2, 2, 1)
    x = np.random.default_rng(3).normal(size=(1, 3, 4, 5, 2))
    y = run(tf.nn.avg_pool3d(x, [1, 3, 4, 5, 1], [1, 1, 1, 1, 1], "VALID"))
    np.testing.assert_allclose(y.ravel(), x.mean(axis=(0, 1, 2, 3)), atol=1e-12)


def test_errors() -> None:
    x = tf.zeros([1, 4, 4, 1])
    with pytest.raises(ValueError, match='not in: "SAME", "VALID", "EXPLICIT"'):
        tf.nn.max_pool(x, 2, 2, "valid")
    with pytest.raises(ValueError, match="Negative dimension size caused by subtracting 5 from 4"):
        tf.nn.max_pool(x, 5, 1, "VALID")


def test_windows_do_not_reach_over_the_batch() -> None:
    x = np.zeros((2, 4, 4, 1), np.float32)
    for pool in (tf.nn.max_pool, tf.nn.avg_pool):
        with pytest.raises(tf.errors.UnimplementedError, match="not yet supported on the batch"):
            run(pool(x, [2, 2, 2, 1], [1, 1, 1, 1], "SAME"))

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


def test_windows_do_not_reach_over_the_batch() -> None:
    x = np.zeros((2, 4, 4, 1), np.float32)
    for pool in (tf.nn.max_pool, tf.nn.avg_pool):
        with pytest.raises(tf.errors.UnimplementedError, match="not yet supported on the batch"):
            run(pool(x, [2, 2, 2, 1], [1, 1, 1, 1], "SAME"))

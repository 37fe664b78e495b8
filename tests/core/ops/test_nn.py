"""Operations of networks beyond the registry's promises: unknown shapes, layouts, types, errors."""

from typing import Any

import numpy as np
import pytest

import minitf as tf


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


def test_an_empty_batch_has_no_loss() -> None:
    logits = tf.placeholder(tf.float32, [None, 3])
    labels = tf.placeholder(tf.int32, [None])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    empty = {logits: np.zeros((0, 3)), labels: np.zeros(0, np.int32)}
    assert run(loss, empty).shape == (0,)


def batch() -> np.ndarray:
    return np.random.default_rng(0).normal(2.0, 3.0, size=(4, 3, 5, 2))


def test_layouts_agree() -> None:
    x, scale, offset = batch(), np.array([2.0, -1.0]), np.array([0.5, 3.0])
    for training in (True, False):
        moments = ([1.0, 2.0], [3.0, 4.0])
        given = [np.array(m) for m in moments] if not training else [None, None]
        last = tf.nn.fused_batch_norm(x, scale, offset, *given, is_training=training)[0]
        turned = tf.constant(x.transpose(0, 3, 1, 2))
        first = tf.nn.fused_batch_norm(
            turned, scale, offset, *given, data_format="NCHW", is_training=training
        )[0]
        np.testing.assert_allclose(run(first).transpose(0, 2, 3, 1), run(last), atol=1e-12)


def test_half_precision_images_with_single_precision_statistics() -> None:
    x = tf.cast(tf.constant(batch()), tf.float16)
    y, mean, _ = tf.nn.fused_batch_norm(x, tf.ones([2]), tf.zeros([2]))
    assert (y.dtype, mean.dtype) == (tf.float16, tf.float32)
    np.testing.assert_allclose(run(y).astype(float).mean(axis=(0, 1, 2)), 0, atol=1e-2)


def test_empty_batch() -> None:
    assert run(tf.nn.max_pool(tf.zeros([0, 4, 4, 1]), 2, 2, "SAME")).shape == (0, 2, 2, 1)


def test_windows_do_not_reach_over_the_batch() -> None:
    x = np.zeros((2, 4, 4, 1), np.float32)
    for pool in (tf.nn.max_pool, tf.nn.avg_pool):
        with pytest.raises(tf.errors.UnimplementedError, match="not yet supported on the batch"):
            run(pool(x, [2, 2, 2, 1], [1, 1, 1, 1], "SAME"))

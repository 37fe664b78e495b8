"""Normalization against its formulas."""

from typing import Any

import numpy as np
import pytest

import minitf as tf


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


def batch() -> np.ndarray:
    return np.random.default_rng(0).normal(2.0, 3.0, size=(4, 3, 5, 2))


def test_fused_gives_mean_0_and_variance_1() -> None:
    x = batch()
    y, mean, variance = run(tf.nn.fused_batch_norm(x, np.ones(2), np.zeros(2), epsilon=2e-5))
    np.testing.assert_allclose(y.mean(axis=(0, 1, 2)), 0, atol=1e-12)
    np.testing.assert_allclose(y.std(axis=(0, 1, 2)), 1, atol=1e-4)
    np.testing.assert_allclose(mean, x.mean(axis=(0, 1, 2)))
    np.testing.assert_allclose(variance, x.var(axis=(0, 1, 2), ddof=1))


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


def test_fused_is_the_formula_in_ops() -> None:
    x, scale, offset = (tf.constant(v) for v in (batch(), [2.0, -1.0], [0.5, 3.0]))
    scale, offset = tf.cast(scale, tf.float64), tf.cast(offset, tf.float64)
    fused = tf.nn.fused_batch_norm(x, scale, offset, epsilon=0.01)[0]
    mean, variance = tf.nn.moments(x, [0, 1, 2])
    plain = tf.nn.batch_normalization(x, mean, variance, offset, scale, 0.01)
    weights = np.random.default_rng(1).normal(size=(4, 3, 5, 2))
    for a, b in zip(
        [fused, *tf.gradients(fused * weights, [x, scale, offset])],
        [plain, *tf.gradients(plain * weights, [x, scale, offset])],
        strict=True,
    ):
        np.testing.assert_allclose(run(a), run(b), atol=1e-10)


def test_half_precision_images_with_single_precision_statistics() -> None:
    x = tf.cast(tf.constant(batch()), tf.float16)
    y, mean, _ = tf.nn.fused_batch_norm(x, tf.ones([2]), tf.zeros([2]))
    assert (y.dtype, mean.dtype) == (tf.float16, tf.float32)
    np.testing.assert_allclose(run(y).astype(float).mean(axis=(0, 1, 2)), 0, atol=1e-2)


@pytest.mark.parametrize("width", [3, 1000])
def test_cross_entropies_of_any_width(width: int) -> None:
    rng = np.random.default_rng(3)
    logits, classes = rng.normal(size=(4, width)), rng.integers(0, width, 4)
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    expected = -np.log(p[np.arange(4), classes])
    x = tf.constant(logits)
    dense = tf.nn.softmax_cross_entropy_with_logits_v2(labels=np.eye(width)[classes], logits=x)
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=x)
    for loss in (dense, sparse):
        np.testing.assert_allclose(run(loss), expected)
        np.testing.assert_allclose(
            run(tf.gradients(loss, x)[0]), p - np.eye(width)[classes], atol=1e-12
        )

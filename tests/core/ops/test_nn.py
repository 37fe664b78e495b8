"""Neural network ops beyond the registry's promises: values worked out by hand, names, errors."""

import math
from typing import Any

import numpy as np
import pytest

import minitf as tf

LOGITS = [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


def near(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


# ---- activations -------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(5,), (3, 4), (200, 10), (4, 300), (2, 3, 4)])
def test_softmax_of_any_width(shape: tuple) -> None:
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    e = np.exp(x)
    near(run(tf.nn.softmax(x)), e / e.sum(axis=-1, keepdims=True))
    near(run(tf.nn.log_softmax(x)), np.log(e / e.sum(axis=-1, keepdims=True)))


# ---- losses ------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(None, 3), (2, None), (None, None), None], ids=str)
def test_cross_entropy_of_unknown_shapes(shape: Any) -> None:
    logits, labels = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, shape)
    loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    feed = {logits: LOGITS, labels: [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]}
    near(run(loss, feed), [0.40760597, math.log(3)])


def test_an_empty_batch_has_no_loss() -> None:
    logits = tf.placeholder(tf.float32, [None, 3])
    labels = tf.placeholder(tf.int32, [None])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    empty = {logits: np.zeros((0, 3)), labels: np.zeros(0, np.int32)}
    assert run(loss, empty).shape == (0,)


# ---- dropout -----------------------------------------------------------------------------


def test_dropout_keeps_the_mean() -> None:
    x = tf.ones([200, 50])
    y = tf.nn.dropout(x, keep_prob=0.8, seed=1)
    assert y.name == "dropout/mul_1:0"
    (gradient,) = tf.gradients(y, x)
    value, slope = run([y, gradient])
    assert set(np.unique(value).tolist()) == {0.0, np.float32(1.25)}
    assert abs(value.mean() - 1.0) < 0.02
    np.testing.assert_array_equal(value, slope)


def test_dropout_draws_anew_in_every_run() -> None:
    y = tf.nn.dropout(tf.ones([1000]), rate=0.5)
    with tf.Session() as sess:
        assert (sess.run(y) != sess.run(y)).any()


def test_dropout_by_rows() -> None:
    y = run(tf.nn.dropout(tf.ones([50, 4]), rate=0.5, noise_shape=[None, 1], seed=3))
    assert (y == y[:, :1]).all()
    assert 0.0 in y


def test_dropout_that_drops_nothing() -> None:
    x = tf.ones([3])
    assert tf.nn.dropout(x, keep_prob=1.0) is x
    keep = tf.placeholder(tf.float32)
    assert run(tf.nn.dropout(x, keep), {keep: 1.0}).tolist() == [1.0] * 3

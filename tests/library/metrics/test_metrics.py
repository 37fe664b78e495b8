"""Metrics over batches beside NumPy over all of them."""

import numpy as np
import pytest

import minitf as tf

RNG = np.random.default_rng(0)
TRUTH = RNG.random([5, 8]) < 0.4
GUESSED = RNG.random([5, 8]).astype(np.float32)
WEIGHTS = RNG.integers(0, 3, [5, 8]).astype(np.float32)


def over_batches(metric):
    """The value after five batches of labels, predictions and weights."""
    labels = tf.placeholder(tf.bool, [8])
    predictions = tf.placeholder(tf.float32, [8])
    weights = tf.placeholder(tf.float32, [8])
    value, update = metric(labels, predictions, weights)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        for feeds in zip(TRUTH, GUESSED, WEIGHTS, strict=True):
            last = sess.run(update, dict(zip([labels, predictions, weights], feeds, strict=True)))
        np.testing.assert_allclose(last, sess.run(value), rtol=1e-6)
        return last


def weighed(chosen):
    return (chosen * WEIGHTS).sum()


def test_accuracy():
    got = over_batches(lambda t, p, w: tf.metrics.accuracy(t, p > 0.5, w))
    assert got == pytest.approx(weighed(TRUTH == (GUESSED > 0.5)) / WEIGHTS.sum())


def test_precision_and_recall():
    said = GUESSED > 0.5
    right = weighed(TRUTH & said)
    got = over_batches(lambda t, p, w: tf.metrics.precision(t, p > 0.5, w))
    assert got == pytest.approx(right / weighed(said))
    got = over_batches(lambda t, p, w: tf.metrics.recall(t, p > 0.5, w))
    assert got == pytest.approx(right / weighed(TRUTH))


def test_the_area_under_roc_is_the_part_of_right_pairs():
    got = over_batches(lambda t, p, w: tf.metrics.auc(t, p, num_thresholds=2000))
    positive, negative = GUESSED[TRUTH], GUESSED[~TRUTH]
    assert got == pytest.approx((positive[:, None] > negative).mean(), abs=0.005)


def test_metrics_are_local_and_start_at_zero():
    value, _ = tf.metrics.accuracy([1], [1], name="acc")
    assert [v.name for v in tf.local_variables()] == ["acc/total:0", "acc/count:0"]
    assert tf.get_collection(tf.GraphKeys.METRIC_VARIABLES) == tf.local_variables()
    assert tf.global_variables() == [] and tf.trainable_variables() == []
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        assert sess.run(value) == 0.0

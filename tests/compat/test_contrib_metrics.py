"""Metrics of `tf.contrib.metrics` beyond those of `tf.metrics`."""

from typing import Any

import numpy as np
import pytest

import minitf as tf

metrics = tf.contrib.metrics
LABELS = [1, 0, 1, 1, 0]
SCORES = [0.9, 0.8, 0.6, 0.3, 0.1]


def _run(metric: tuple, updates: int = 1) -> Any:
    value, update = metric
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for _ in range(updates):
            sess.run(update)
        return sess.run(value)


def test_exact_areas() -> None:
    labels, scores = tf.constant(LABELS), tf.constant(SCORES)
    # Of the six pairs of a right and a wrong example, four are in order.
    assert _run(metrics.streaming_dynamic_auc(labels, scores)) == pytest.approx(4 / 6)
    weighed = metrics.streaming_dynamic_auc(labels, scores, weights=tf.constant([1.0, 0, 1, 1, 1]))
    assert _run(weighed) == pytest.approx(1.0)
    found = _run(metrics.auc_with_confidence_intervals(labels, scores))
    assert found.auc == pytest.approx(4 / 6, abs=1e-5)
    assert 0 < found.lower < found.auc < found.upper < 1


def test_rates_and_points() -> None:
    guesses = tf.constant([1, 1, 1, 0, 0])
    assert _run(metrics.streaming_false_positive_rate(guesses, LABELS)) == 0.5
    assert _run(metrics.streaming_false_negative_rate(guesses, LABELS)) == pytest.approx(1 / 3)
    scores = tf.constant(SCORES)
    rates = metrics.streaming_false_positive_rate_at_thresholds(scores, LABELS, [0.0, 0.5, 0.95])
    np.testing.assert_allclose(_run(rates), [1, 0.5, 0], atol=1e-6)
    points = _run(metrics.streaming_curve_points(LABELS, scores, num_thresholds=3))
    np.testing.assert_allclose(points, [[1, 1], [0.5, 2 / 3], [0, 0]], atol=1e-5)
    assert _run(metrics.recall_at_precision(LABELS, scores, 1.0)) == pytest.approx(1 / 3, abs=1e-5)
    assert _run(metrics.precision_at_recall(LABELS, scores, 0.6)) == pytest.approx(2 / 3, abs=1e-5)
    assert _run(metrics.f1_score(LABELS, scores)) == pytest.approx(6 / 7, abs=1e-5)
    truth = tf.cast(LABELS, tf.bool)
    found = _run(metrics.precision_recall_at_equal_thresholds(truth, scores, num_thresholds=3))
    np.testing.assert_allclose(found.tp, [3, 2, 0])
    np.testing.assert_allclose(found.fp, [2, 1, 0])


def test_agreement_and_moments() -> None:
    assert _run(metrics.cohen_kappa(tf.constant([0, 1, 0, 1]), [0, 1, 1, 1], 2)) == 0.5
    assert _run(metrics.count(tf.ones([2, 3])), 2) == 12.0
    x, y = np.array([1.0, 2, 3, 5], "f"), np.array([2.0, 1, 4, 6], "f")
    covariance = _run(metrics.streaming_covariance(tf.constant(x), tf.constant(y)))
    assert covariance == pytest.approx(np.cov(x, y)[0, 1])
    whole = _run(metrics.streaming_pearson_correlation(tf.constant(x), tf.constant(y)), 3)
    assert whole == pytest.approx(np.corrcoef(x, y)[0, 1])


def test_all_values() -> None:
    kept = metrics.streaming_concat(tf.constant([[1, 2], [3, 4]]), axis=1, max_size=5)
    assert _run(kept, 3).tolist() == [[1, 2, 1, 2, 1], [3, 4, 3, 4, 3]]
    best = tf.constant([[0, 1], [2, 0]], tf.int64)
    labels = tf.constant([[0], [1]], tf.int64)
    assert _run(metrics.streaming_sparse_precision_at_top_k(best, labels)) == 0.25
    assert _run(metrics.sparse_recall_at_top_k(labels, best)) == 0.5
    with pytest.raises(ValueError, match="must match|should match"):
        metrics.accuracy(tf.constant([1]), tf.constant([1], tf.int64))


def test_counts_at_thresholds_stand_in_no_scope() -> None:
    value, update = metrics.streaming_true_positives_at_thresholds(SCORES, LABELS, [0.2, 0.5])
    assert [v.name for v in tf.local_variables()] == ["true_positives:0"]
    assert _run((value, update), 2).tolist() == [6.0, 4.0]

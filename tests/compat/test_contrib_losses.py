"""The losses and metrics of `tf.contrib`: predictions first, and weights for whole examples."""

import inspect

import numpy as np
import pytest

import minitf as tf
from minitf import contrib

X = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
Y = np.array([[1, 0, 3], [1, 5, 0]], np.float32)  # apart by 0 2 0 and 3 0 6


def _value(tensor: tf.Tensor) -> float:
    with tf.Session() as sess:
        return float(sess.run(tensor))


@pytest.mark.parametrize(
    ("weights", "wanted"),
    [
        (1.0, 11 / 6),
        (2.0, 22 / 6),
        (0.0, 0.0),
        ([1.0, 0.0], 2 / 3),  # a weight of an example counts for all of its elements
        ([[1.0], [2.0]], (2 + 18) / 6),
        ([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], (2 + 6) / 2),
    ],
)
def test_weights_are_of_examples_or_of_elements(weights: object, wanted: float) -> None:
    with tf.Graph().as_default():
        loss = contrib.losses.absolute_difference(X, Y, weights)
        assert tf.get_collection(tf.GraphKeys.LOSSES) == [loss]
        assert _value(loss) == pytest.approx(wanted)


def test_too_many_weights_are_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Weights of rank 3"):
        contrib.losses.mean_squared_error(X, Y, np.ones([2, 3, 4], np.float32))


def test_hinge_loss_is_neither_weighted_nor_listed() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        losses = contrib.losses.hinge_loss([[2.0, -0.5]], [[1.0, 1.0]])
        assert tf.get_collection(tf.GraphKeys.LOSSES) == []
        np.testing.assert_allclose(sess.run(losses), [[0.0, 1.5]])


def test_pairs_are_compared_by_their_differences() -> None:
    with tf.Graph().as_default():
        same = contrib.losses.mean_pairwise_squared_error(X + 7, X)  # moved as a whole
        other = contrib.losses.mean_pairwise_squared_error([[0.0, 3.0]], [[0.0, 1.0]])
        assert _value(same) == pytest.approx(0.0, abs=1e-4)
        assert _value(other) == pytest.approx(2 * 4 / 2 - 2 * 4 / 4)


def test_classes_with_smoothing() -> None:
    with tf.Graph().as_default():
        logits = np.log([[0.7, 0.2, 0.1]]).astype(np.float32)
        plain = contrib.losses.softmax_cross_entropy(logits, [[1, 0, 0]])
        sparse = contrib.losses.sparse_softmax_cross_entropy(logits, np.array([[0]]))
        smooth = contrib.losses.softmax_cross_entropy(logits, [[1, 0, 0]], label_smoothing=0.3)
        assert _value(plain) == pytest.approx(-np.log(0.7), abs=1e-5) == _value(sparse)
        assert _value(smooth) == pytest.approx(-np.log([0.7, 0.2, 0.1]) @ [0.8, 0.1, 0.1], abs=1e-5)


def test_streaming_metrics_take_predictions_first() -> None:
    names = list(inspect.signature(contrib.metrics.streaming_precision_at_thresholds).parameters)
    assert names[:4] == ["predictions", "labels", "thresholds", "weights"]
    with tf.Graph().as_default(), tf.Session() as sess:
        _, recall = contrib.metrics.streaming_recall([1, 1, 0], [1, 1, 1])
        _, found = contrib.metrics.streaming_recall_at_k([[0.1, 0.9], [0.8, 0.2]], [1, 1], 1)
        sess.run(tf.local_variables_initializer())
        assert sess.run([recall, found]) == pytest.approx([2 / 3, 0.5])


def test_semihard_negatives() -> None:
    learning = tf.contrib.losses.metric_learning
    rng = np.random.default_rng(0)
    x, y = rng.random((10, 4), "f"), rng.integers(0, 3, 10)
    distances = ((x[:, None] - x[None]) ** 2).sum(2)
    losses = []
    for a in range(10):
        others = distances[a][y != y[a]]
        for p in range(10):
            if a != p and y[a] == y[p]:
                farther = others[others > distances[a, p]]
                chosen = farther.min() if len(farther) else others.max()
                losses.append(max(0.0, 1 + distances[a, p] - chosen))
    with tf.Graph().as_default(), tf.Session() as sess:
        rows = tf.constant(x)
        triplet = learning.triplet_semihard_loss(y, rows)
        pairs = learning.npairs_loss(y, rows, rows)
        lifted = learning.lifted_struct_loss(y, rows)
        contrast = learning.contrastive_loss([1.0, 0.0], tf.zeros([2, 1]), [[0.5], [0.25]])
        slopes = tf.gradients(triplet + pairs + lifted, rows)[0]
        found, both, slope = sess.run([triplet, contrast, slopes])
    np.testing.assert_allclose(found, np.mean(losses), rtol=1e-5)
    np.testing.assert_allclose(both, (0.5**2 + 0.75**2) / 2, rtol=1e-6)
    assert np.isfinite(slope).all()

"""Weights that fit what they weigh, and confusion matrices."""

import numpy as np
import pytest

import minitf as tf
from minitf.library.numeric.weights import assert_broadcastable, broadcast_weights


def test_weights_take_the_shape_of_the_values():
    with tf.Session() as sess:
        for weights in (2.0, [[2.0], [2.0]], [[2.0, 2.0, 2.0]]):
            spread = sess.run(broadcast_weights(tf.constant(weights), tf.ones([2, 3])))
            np.testing.assert_array_equal(spread, np.full([2, 3], 2.0))


@pytest.mark.parametrize("weights", [[1.0, 2.0, 3.0], [[1.0], [2.0], [3.0]]])
def test_what_does_not_fit_is_refused(weights):
    with pytest.raises(ValueError, match="weights can not be broadcast to values"):
        assert_broadcastable(tf.constant(weights), tf.ones([2, 3]))


def test_what_does_not_fit_is_refused_at_run_time_too():
    weights = tf.placeholder(tf.float32)
    checked = broadcast_weights(weights, tf.ones([2, 3]))
    with tf.Session() as sess:
        assert sess.run(checked, {weights: [[5.0], [6.0]]}).tolist() == [[5.0] * 3, [6.0] * 3]
        with pytest.raises(tf.errors.InvalidArgumentError, match="weights can not be broadcast"):
            sess.run(checked, {weights: [1.0, 2.0, 3.0]})


def test_a_confusion_matrix_counts_pairs():
    labels, predictions = np.random.default_rng(0).integers(0, 4, [2, 50])
    expected = np.zeros([4, 4], int)
    np.add.at(expected, (labels, predictions), 1)
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(tf.confusion_matrix(labels, predictions)), expected)


@pytest.mark.parametrize(
    ("labels", "predictions", "text"),
    [
        ([0, -1], [0, 0], "`labels` contains negative values"),
        ([0, 1], [0, 2], "`predictions` out of bound"),
    ],
)
def test_classes_of_a_confusion_matrix_are_in_range(labels, predictions, text):
    given = tf.placeholder(tf.int32)
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        sess.run(tf.confusion_matrix(labels, given, num_classes=2), {given: predictions})

"""Weights that fit what they weigh, and confusion matrices."""

import pytest

import minitf as tf
from minitf.library.numeric.weights import broadcast_weights


def test_what_does_not_fit_is_refused_at_run_time_too():
    weights = tf.placeholder(tf.float32)
    checked = broadcast_weights(weights, tf.ones([2, 3]))
    with tf.Session() as sess:
        assert sess.run(checked, {weights: [[5.0], [6.0]]}).tolist() == [[5.0] * 3, [6.0] * 3]
        with pytest.raises(tf.errors.InvalidArgumentError, match="weights can not be broadcast"):
            sess.run(checked, {weights: [1.0, 2.0, 3.0]})

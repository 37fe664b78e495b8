"""Checks in a graph run what they check, and nothing else."""

import pytest

import minitf as tf


def test_checks_of_all_numbers_run_no_update() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        weight = tf.Variable(1.0)
        tf.train.GradientDescentOptimizer(1.0).minimize(weight * 2.0)
        checks = tf.add_check_numerics_ops()
        sess.run(weight.initializer)
        weight.load(5.0, sess)
        sess.run(checks)
        assert sess.run(weight) == 5.0


def test_what_is_computed_fails_when_it_runs() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match="x == y did not hold"):
            tf.assert_equal(tf.shape(tf.zeros([2])), [3])
        fails = tf.assert_equal(tf.constant([1, 2]) + 1, [1, 3])
        with pytest.raises(tf.errors.InvalidArgumentError, match="x == y did not hold"):
            sess.run(fails)

        def guarded() -> tf.Tensor:
            with tf.control_dependencies([tf.assert_positive(tf.constant(1) - 1)]):
                return tf.constant(1.0)

        assert sess.run(tf.cond(tf.constant(False), guarded, lambda: tf.constant(2.0))) == 2.0

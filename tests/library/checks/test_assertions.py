"""Checks in a graph run what they check, and nothing else."""

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

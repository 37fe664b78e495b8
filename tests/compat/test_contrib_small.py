"""Namespaces of `tf.contrib` that hold one thing: equations, sparse probabilities, summaries."""

import minitf as tf


def test_bytes_reach_python_whole() -> None:
    with tf.Session() as sess:
        back = tf.py_func(lambda text: text, [tf.constant(b"ab\0")], tf.string)
        assert sess.run(back) == b"ab\0"


def test_averages_follow_the_step_that_they_wait_for() -> None:
    weight = tf.Variable(1.0)
    step = tf.train.GradientDescentOptimizer(0.5).minimize(2 * weight)
    average = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([step]):
        follow = average.apply([weight])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(follow)
        assert sess.run([weight, average.average(weight)]) == [0.0, 0.5]

"""What the plan does to a partition before it is emitted: folding, and merging of twins."""

import numpy as np

import minitf as tf


def lines_of(fetches, feeds=()):
    """The lines that compute something, of the program for these fetches."""
    with tf.Session() as sess:
        text = sess.explain(fetches, feeds=list(feeds)).program
    return [line for line in text.splitlines() if " = " in line]


def test_twins_are_computed_once() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3], name="x")
        both = tf.exp(x) + tf.exp(x)
        assert len(lines_of(both, [x])) == 2
        with tf.Session() as sess:
            assert np.allclose(sess.run(both, {x: [0, 1, 2]}), 2 * np.exp([0, 1, 2]))


def test_fetching_both_twins_gives_two_arrays() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [3])
        one, other = sess.run([tf.exp(x), tf.exp(x)], {x: [0, 1, 2]})
        one[0] = 99
        assert other[0] == 1


def test_what_differs_in_an_attribute_stays_apart() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [2, 3])
        rows, columns = tf.reduce_sum(x, axis=0), tf.reduce_sum(x, axis=1)
        got = sess.run([rows, columns], {x: np.ones((2, 3))})
        assert [g.shape for g in got] == [(3,), (2,)]


def test_random_values_and_reads_of_variables_are_not_twins() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        one, other = sess.run([tf.random_uniform([4]), tf.random_uniform([4])])
        assert not np.array_equal(one, other)
        v = tf.Variable(1.0, use_resource=True)  # whose reads are kept
        before = v.read_value()
        with tf.control_dependencies([before]):
            changed = v.assign_add(1.0)
        with tf.control_dependencies([changed]):
            after = v.read_value()
        sess.run(v.initializer)
        assert sess.run([before, after]) == [1.0, 2.0]


def test_zeros_of_either_sign_are_different_constants() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [])
        up, down = x / tf.constant(0.0), x / tf.constant(-0.0)
        assert sess.run([up, down], {x: 1.0}) == [np.inf, -np.inf]

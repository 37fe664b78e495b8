"""Python functions of one step that wait for one another, and the threads they get."""

import threading

import numpy as np
import pytest

import minitf as tf


def test_functions_that_wait_for_each_other():
    barrier = threading.Barrier(2)

    def meet(x):
        barrier.wait(10)
        return x + 1

    x = tf.constant([1.0])
    one, other = tf.py_func(meet, [x], tf.float32), tf.py_func(meet, [x], tf.float32, False)
    with tf.Session() as sess:
        assert [v.tolist() for v in sess.run([one, other])] == [[2.0], [2.0]]
        in_branch = tf.cond(
            tf.placeholder_with_default(True, []),
            lambda: tf.py_func(meet, [x], tf.float32) * tf.py_func(meet, [x], tf.float32),
            lambda: x,
        )
        assert sess.run(in_branch).tolist() == [4.0]


def test_order_of_those_that_depend_on_each_other():
    calls = []
    first = tf.py_func(lambda: calls.append("first"), [], [])
    with tf.control_dependencies([first]):
        rest = [tf.py_func(lambda i=i: calls.append(i), [], []) for i in range(3)]
    with tf.control_dependencies(rest):
        last = tf.py_func(lambda: calls.append("last"), [], [])
    with tf.Session() as sess:
        sess.run(last)
    assert calls[0] == "first" and sorted(calls[1:4]) == [0, 1, 2] and calls[4] == "last"


def test_one_alone_gets_no_thread():
    here = tf.py_func(lambda: np.int64(threading.get_ident()), [], tf.int64)
    with tf.Session() as sess:
        assert sess.run(here) == threading.get_ident()
        assert "_Start" not in str(sess.explain(here))


def test_error_names_the_function():
    def fail():
        raise ValueError("no such thing")

    bad, good = (
        tf.py_func(fail, [], tf.float32, name="bad"),
        tf.py_func(lambda: 1.0, [], tf.float32),
    )
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as error:
        sess.run([bad, good])
    assert "no such thing" in str(error.value) and "node bad" in str(error.value)

"""Branches and loops on a cluster: their bodies travel with them."""

import numpy as np
import pytest

import minitf as tf


def test_a_loop_trains_a_variable_of_the_ps(cluster) -> None:
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            w = tf.Variable([[0.5, 0.1], [0.2, 0.4]], name="w")
            count = tf.Variable(0, name="count")
        with tf.device("/job:worker/task:1"):
            x = tf.placeholder(tf.float32, [None, None])
            h = tf.while_loop(
                lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))), [0, x]
            )[1]
            (gradient,) = tf.gradients(h, w)

        def body(i):
            with tf.control_dependencies([tf.assign_add(count, 2)]):
                return i + 1

        counted = tf.while_loop(lambda i: i < 4, body, [0])
        sign = tf.cond(tf.reduce_sum(h) > 0, lambda: tf.constant(1), lambda: tf.constant(-1))
        init = tf.global_variables_initializer()
        data = np.array([[1.0, 2.0]], np.float32)
        with tf.Session(cluster["worker"][0].target) as session:
            session.run(init)
            found = session.run([h, gradient, sign], {x: data})
            assert session.run(counted) == 4
            assert session.run(count) == 8
            assert "while rendezvous.alive:" in session.explain(h, [x])
            with pytest.raises(tf.errors.InvalidArgumentError, match="while/MatMul"):
                session.run(h, {x: np.ones((1, 3))})
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.constant([[0.5, 0.1], [0.2, 0.4]])
        h = tf.constant(data)
        for _ in range(3):
            h = tf.tanh(tf.matmul(h, w))
        wanted = session.run([h, *tf.gradients(h, w)])
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-6)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-5)
    assert found[2] == 1

"""`tf.contrib.opt`."""

import numpy as np
import pytest

import minitf as tf

opt = tf.contrib.opt


def _run(optimizer: tf.train.Optimizer, steps: int = 2, **options: object) -> list[np.ndarray]:
    w, b = tf.Variable([1.0, -2.0]), tf.Variable([3.0])
    train = optimizer.minimize(tf.reduce_sum(w * w) + tf.reduce_sum(b), **options)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            sess.run(train)
        return sess.run([w, b])


@pytest.mark.parametrize("whole", [True, False])
def test_decay_stands_beside_the_gradient(whole: bool) -> None:
    with tf.Graph().as_default():
        base = opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
        w, b = _run(base(0.1, 0.05) if whole else base(weight_decay=0.1, learning_rate=0.05))
    expected_w, expected_b = np.array([1.0, -2.0]), np.array([3.0])
    for _ in range(2):
        expected_w = expected_w - 0.1 * expected_w - 0.05 * 2 * expected_w
        expected_b = expected_b - 0.1 * expected_b - 0.05
    np.testing.assert_allclose(w, expected_w, rtol=1e-6)
    np.testing.assert_allclose(b, expected_b, rtol=1e-6)


def test_adamw_without_decay_is_adam() -> None:
    with tf.Graph().as_default():
        np.testing.assert_allclose(
            _run(opt.AdamWOptimizer(0.0, 0.1))[0], _run(tf.train.AdamOptimizer(0.1))[0]
        )
        assert abs(_run(opt.MomentumWOptimizer(0.5, 0.0, 0.9), 1)[0][1]) == 1.0


def test_lazy_adam_leaves_rows_alone() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        table = tf.Variable(np.ones([3, 2], np.float32))
        rows = tf.placeholder(tf.int32, [None])
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, rows))
        train = opt.LazyAdamOptimizer(0.1).minimize(loss)
        sess.run(tf.global_variables_initializer())
        sess.run(train, {rows: [0, 1]})
        first = sess.run(table)
        sess.run(train, {rows: [1]})
        then = sess.run(table)
    np.testing.assert_array_equal(first[2], [1, 1])
    np.testing.assert_array_equal(then[0], first[0])  # Adam's moments would move it on
    assert (then[1] < first[1]).all()


def test_scipys_optimizers() -> None:
    pytest.importorskip("scipy")
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = tf.Variable([7.0, 7.0]), tf.Variable(2.0)
        loss = tf.reduce_sum((x - [1.0, 2.0]) ** 2) + y * y
        seen: list[float] = []
        sess.run(tf.global_variables_initializer())
        opt.ScipyOptimizerInterface(loss, options={"maxiter": 50}).minimize(
            sess, fetches=[loss], loss_callback=seen.append
        )
        np.testing.assert_allclose(sess.run(x), [1, 2], atol=1e-4)
        assert seen[-1] < seen[0] and abs(sess.run(y)) < 1e-4
        limited = opt.ScipyOptimizerInterface(loss, var_list=[x], inequalities=[x[0] - 3.0])
        limited.minimize(sess)
        np.testing.assert_allclose(sess.run(x), [3, 2], atol=1e-3)
        bounded = opt.ScipyOptimizerInterface(loss, [x], var_to_bounds={x: (-5.0, [0.5, 9.0])})
        bounded.minimize(sess)
        np.testing.assert_allclose(sess.run(x), [0.5, 2], atol=1e-3)

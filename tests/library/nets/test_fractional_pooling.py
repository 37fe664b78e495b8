"""Windows of random sizes: 1 or 2 rows here, and the same ones again on demand."""

import numpy as np
import pytest

import minitf as tf

IMAGE = np.random.default_rng(0).normal(size=[2, 10, 13, 2])
RATIO = [1.0, 1.44, 1.73, 1.0]


@pytest.mark.parametrize("pool", ["fractional_max_pool", "fractional_avg_pool"])
def test_the_gradient_is_that_of_the_windows_drawn(pool: str) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float64, IMAGE.shape)
        make = getattr(tf.nn, pool)
        output = make(x, RATIO, overlapping=True, deterministic=True, seed=5)[0]
        weights = np.random.default_rng(1).normal(size=output.shape.as_list())
        loss = tf.reduce_sum(output * weights)
        (gradient,) = tf.gradients(loss, x)
        step = np.random.default_rng(2).normal(size=IMAGE.shape) * 1e-6
        change = sess.run(loss, {x: IMAGE + step}) - sess.run(loss, {x: IMAGE - step})
        expected = 2 * (sess.run(gradient, {x: IMAGE}) * step).sum()
        np.testing.assert_allclose(change, expected, rtol=1e-6)

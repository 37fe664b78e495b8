"""Windows of random sizes: 1 or 2 rows here, and the same ones again on demand."""

import numpy as np
import pytest

import minitf as tf

IMAGE = np.random.default_rng(0).normal(size=[2, 10, 13, 2])
RATIO = [1.0, 1.44, 1.73, 1.0]


@pytest.mark.parametrize("pseudo_random", [False, True])
@pytest.mark.parametrize("overlapping", [False, True])
def test_each_window_has_its_largest_element_and_its_mean(
    pseudo_random: bool, overlapping: bool
) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        how = {"pseudo_random": pseudo_random, "overlapping": overlapping}
        most = tf.nn.fractional_max_pool(IMAGE, RATIO, **how)
        mean = tf.nn.fractional_avg_pool(IMAGE, RATIO, **how)
        assert most.output.shape == [2, 6, 7, 2]
        for pooled, take in ((most, np.max), (mean, np.mean)):
            output, rows, columns = sess.run(pooled)
            for bounds, size in ((rows, 10), (columns, 13)):
                assert bounds[0] == 0 and bounds[-1] == size and set(np.diff(bounds)) == {1, 2}
            end = 1 if overlapping else 0
            for i in range(6):
                for j in range(7):
                    block = IMAGE[:, rows[i] : rows[i + 1] + end, columns[j] : columns[j + 1] + end]
                    np.testing.assert_allclose(output[:, i, j], take(block, axis=(1, 2)))


def test_windows_that_stay_and_windows_that_do_not() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        line = tf.zeros([1, 60, 60, 1])
        kept = tf.nn.fractional_max_pool(line, RATIO, deterministic=True, seed=1, seed2=2)
        drawn = tf.nn.fractional_max_pool(line, RATIO)
        for pooled, same in ((kept, True), (drawn, False)):
            one, two = (sess.run(pooled.row_pooling_sequence).tolist() for _ in range(2))
            assert (one == two) is same


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


def test_ratios_that_cannot_be() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="must specify 4 dimensions"):
            tf.nn.fractional_max_pool(IMAGE, [1.0, 2.0])
        with pytest.raises(ValueError, match="pooling_ratio cannot be smaller than 1, got: 0.5"):
            tf.nn.fractional_avg_pool(IMAGE, [1.0, 0.5, 1.0, 1.0])
        with pytest.raises(ValueError, match="batch nor channel dimension"):
            tf.nn.fractional_avg_pool(IMAGE, [1.0, 1.5, 1.0, 2.0])

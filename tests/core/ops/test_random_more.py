"""Gamma, Poisson and stateless numbers: their moments, and what repeats."""

from typing import Any

import numpy as np
import pytest

import minitf as tf

COUNT = 40000


def ks_of_gamma(drawn: np.ndarray, alpha: float) -> float:
    """The largest distance of the empirical from the true distribution function."""
    ordered = np.sort(drawn)
    with tf.Graph().as_default(), tf.Session() as sess:
        true = sess.run(tf.igamma(np.float64(alpha), tf.constant(ordered, tf.float64)))
    steps = np.arange(1, ordered.size + 1) / ordered.size
    return float(np.abs(steps - true).max())


@pytest.mark.parametrize("alpha", [0.5, 1.0, 7.5])
def test_gamma_follows_its_distribution(alpha: float, sess: tf.Session) -> None:
    drawn = sess.run(tf.random_gamma([COUNT], alpha, seed=1))
    assert ks_of_gamma(drawn, alpha) < 1.95 / np.sqrt(COUNT)


def test_gamma_parameters_broadcast_behind_the_shape(sess: tf.Session) -> None:
    drawn = tf.random_gamma([3, COUNT], [[1.0], [4.0]], beta=[0.5, 2.0, 8.0], seed=2)
    assert drawn.shape.as_list() == [3, COUNT, 2, 3]
    means = sess.run(drawn).mean(axis=(0, 1))
    np.testing.assert_allclose(means, [[2, 0.5, 0.125], [8, 2, 0.5]], rtol=0.03)


def test_poisson(sess: tf.Session) -> None:
    drawn = sess.run(tf.random_poisson([0.5, 4.0], [COUNT], seed=1))
    assert drawn.shape == (COUNT, 2)
    np.testing.assert_allclose(drawn.mean(0), [0.5, 4.0], rtol=0.03)
    np.testing.assert_allclose(drawn.var(0), [0.5, 4.0], rtol=0.05)


def test_graph_and_op_seeds_repeat() -> None:
    def draw(graph_seed: int | None, op_seed: int | None) -> list:
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.set_random_seed(graph_seed)
            out = tf.random_gamma([3], 2.0, seed=op_seed)
            return [sess.run(out).tolist() for _ in range(2)]

    assert draw(1, 2) == draw(1, 2)
    assert draw(1, None) == draw(1, None)
    assert draw(None, 2) == draw(None, 2)
    assert draw(1, 2) != draw(1, 3)
    assert draw(1, 2)[0] != draw(1, 2)[1]


@pytest.mark.parametrize("name", ["stateless_uniform", "stateless_normal"])
def test_stateless_numbers_depend_on_the_seed_alone(name: str, sess: tf.Session) -> None:
    function = getattr(tf.random, name)
    seed = tf.placeholder(tf.int32, [2])
    one, other = function([4, 5], seed), function([4, 5], seed)
    first = sess.run([one, other], {seed: [1, 2]})
    np.testing.assert_array_equal(*first)
    np.testing.assert_array_equal(sess.run(one, {seed: [1, 2]}), first[0])
    assert not np.array_equal(sess.run(one, {seed: [2, 1]}), first[0])


def test_stateless_classes(sess: tf.Session) -> None:
    logits = np.log([[0.1, 0.2, 0.7]])
    drawn = sess.run(tf.random.stateless_categorical(logits, COUNT, [5, 6]))
    np.testing.assert_allclose(np.bincount(drawn[0]) / COUNT, [0.1, 0.2, 0.7], atol=0.01)


def test_crops_come_from_everywhere(sess: tf.Session) -> None:
    crop: Any = tf.random_crop(tf.range(10), [4], seed=1)
    starts = {int(sess.run(crop)[0]) for _ in range(200)}
    assert starts == set(range(7))

"""Gamma, Poisson and stateless numbers: their moments, and what repeats."""

from typing import Any

import numpy as np
import pytest

import minitf as tf


@pytest.mark.parametrize("name", ["stateless_uniform", "stateless_normal"])
def test_stateless_numbers_depend_on_the_seed_alone(name: str, sess: tf.Session) -> None:
    function = getattr(tf.random, name)
    seed = tf.placeholder(tf.int32, [2])
    one, other = function([4, 5], seed), function([4, 5], seed)
    first = sess.run([one, other], {seed: [1, 2]})
    np.testing.assert_array_equal(*first)
    np.testing.assert_array_equal(sess.run(one, {seed: [1, 2]}), first[0])
    assert not np.array_equal(sess.run(one, {seed: [2, 1]}), first[0])


def test_crops_come_from_everywhere(sess: tf.Session) -> None:
    crop: Any = tf.random_crop(tf.range(10), [4], seed=1)
    starts = {int(sess.run(crop)[0]) for _ in range(200)}
    assert starts == set(range(7))

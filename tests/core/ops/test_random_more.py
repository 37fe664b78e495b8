"""Gamma, Poisson and stateless numbers: their moments, and what repeats."""

from typing import Any

import minitf as tf


def test_crops_come_from_everywhere(sess: tf.Session) -> None:
    crop: Any = tf.random_crop(tf.range(10), [4], seed=1)
    starts = {int(sess.run(crop)[0]) for _ in range(200)}
    assert starts == set(range(7))

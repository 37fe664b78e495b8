"""Random ops: seeds, threads, ranges. Conformance cases compare the numbers themselves."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import minitf as tf


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


def test_threads_share_one_sequence() -> None:
    drawn = tf.random_uniform([], seed=1)
    with tf.Session() as sess:
        alone = {float(sess.run(drawn)) for _ in range(400)}
    with tf.Session() as sess, ThreadPoolExecutor(8) as pool:
        together = set(pool.map(lambda _: float(sess.run(drawn)), range(400)))
    assert together == alone


def test_an_empty_range_of_integers() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need minval < maxval, got 5 >= 2"):
        run(tf.random_uniform([2], 5, 2, tf.int32))

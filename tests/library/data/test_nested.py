"""Datasets whose elements are datasets."""

from typing import Any

import minitf as tf


def values(dataset: Any) -> list:
    """The elements of a dataset, as a session gives them."""
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    found = []
    with tf.Session() as sess:
        while True:
            try:
                found.append(sess.run(element).tolist())
            except tf.errors.OutOfRangeError:
                return found


def test_windows_are_datasets_of_neighbours() -> None:
    windows = tf.data.Dataset.range(7).window(3, shift=2, stride=1, drop_remainder=True)
    assert values(windows.flat_map(lambda window: window.batch(3))) == [
        [0, 1, 2],
        [2, 3, 4],
        [4, 5, 6],
    ]


def test_the_last_window_is_short_where_nothing_is_dropped() -> None:
    windows = tf.data.Dataset.range(5).window(3)
    assert values(windows.flat_map(lambda window: window.batch(3))) == [[0, 1, 2], [3, 4]]


def test_strides_skip_inside_a_window() -> None:
    windows = tf.data.Dataset.range(6).window(2, shift=1, stride=3, drop_remainder=True)
    assert values(windows.flat_map(lambda window: window.batch(2))) == [[0, 3], [1, 4], [2, 5]]

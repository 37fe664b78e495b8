"""Datasets whose elements are datasets."""

from collections.abc import Callable

import minitf as tf


def test_windows_are_datasets_of_neighbours(drained: Callable[..., list]) -> None:
    windows = tf.data.Dataset.range(7).window(3, shift=2, stride=1, drop_remainder=True)
    found = drained(windows.flat_map(lambda window: window.batch(3)))
    assert [each.tolist() for each in found] == [
        [0, 1, 2],
        [2, 3, 4],
        [4, 5, 6],
    ]


def test_the_last_window_is_short_where_nothing_is_dropped(drained: Callable[..., list]) -> None:
    windows = tf.data.Dataset.range(5).window(3)
    found = drained(windows.flat_map(lambda window: window.batch(3)))
    assert [each.tolist() for each in found] == [[0, 1, 2], [3, 4]]


def test_strides_skip_inside_a_window(drained: Callable[..., list]) -> None:
    windows = tf.data.Dataset.range(6).window(2, shift=1, stride=3, drop_remainder=True)
    found = drained(windows.flat_map(lambda window: window.batch(2)))
    assert [each.tolist() for each in found] == [[0, 3], [1, 4], [2, 5]]

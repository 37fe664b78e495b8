"""Axes that come with the run: what a step says of those that do not fit."""

import numpy as np
import pytest

import minitf as tf


@pytest.mark.parametrize(
    ("perm", "text"),
    [
        ([0, 2], "2 is out of range [0 .. 2)"),
        ([-1, 0], "-1 is out of range [0 .. 2)"),
        ([0, 0], "1 is missing from {0,0}."),
        ([0], "transpose expects a vector of size 2. But input(1) is a vector of size 1"),
        ([0, 1, 2], "transpose expects a vector of size 2. But input(1) is a vector of size 3"),
        ([[1, 0]], "perm must be a vector, not [1,2]"),
    ],
)
def test_a_permutation_that_is_none(perm: list, text: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, places = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
        turned = tf.transpose(x, places)
        given = np.arange(6.0).reshape(2, 3)
        np.testing.assert_array_equal(session.run(turned, {x: given, places: [1, 0]}), given.T)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(turned, {x: given, places: perm})
    assert str(caught.value).startswith(text)

"""Convolutions and pooling as layers, beside plain NumPy."""

import numpy as np
import pytest

import minitf as tf
from tests.graphs import run


def test_layouts_agree():
    x = np.random.default_rng(0).normal(size=[2, 5, 5, 3]).astype(np.float32)
    last = tf.layers.conv2d(x, 4, 3, name="c")
    first = tf.layers.conv2d(
        x.transpose(0, 3, 1, 2), 4, 3, data_format="channels_first", name="c", reuse=True
    )
    a, b = run([last, first])
    np.testing.assert_allclose(a, b.transpose(0, 2, 3, 1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kernel_size": (1, 2, 3)}, r"`kernel_size` argument must be a tuple of 2 integers"),
        ({"kernel_size": 3, "padding": "full"}, '`padding` argument must be one of "valid"'),
        ({"kernel_size": 3, "data_format": "NHWC"}, "`data_format` argument must be one of"),
    ],
)
def test_arguments_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        tf.layers.conv2d(tf.ones([1, 4, 4, 1]), 2, **arguments)


def test_the_channels_must_be_known():
    with pytest.raises(ValueError, match="The channel dimension of the inputs should be defined"):
        tf.layers.conv2d(tf.placeholder(tf.float32, [None, 4, 4, None]), 2, 3)
    with pytest.raises(ValueError, match="expected ndim=4, found ndim=2. Full shape received"):
        tf.layers.conv2d(tf.ones([4, 4]), 2, 3)

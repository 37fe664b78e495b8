"""Convolutions and pooling as layers, beside plain NumPy."""

import numpy as np
import pytest

import minitf as tf


def run(tensor):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(tensor)


def test_conv2d_is_a_sum_over_windows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=[2, 5, 4, 3]).astype(np.float32)
    layer = tf.layers.Conv2D(6, (2, 3), strides=(2, 1))
    y, kernel = run([layer(x), layer.kernel])
    expected = np.zeros([2, 2, 2, 6])
    for i in range(2):
        for j in range(2):
            window = x[:, 2 * i : 2 * i + 2, j : j + 3]
            expected[:, i, j] = np.tensordot(window, kernel, 3)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


def test_conv1d_causal_sees_only_the_past():
    x = np.zeros([1, 6, 1], np.float32)
    x[0, 3] = 1.0
    y = run(tf.layers.conv1d(x, 1, 3, padding="causal", kernel_initializer=tf.ones_initializer()))
    np.testing.assert_array_equal(y[0, :, 0], [0, 0, 0, 1, 1, 1])


def test_a_stride_of_two_doubles_an_image():
    layer = tf.layers.Conv2DTranspose(3, 5, strides=2, padding="same")
    assert layer(tf.ones([2, 7, 7, 1])).shape.as_list() == [2, 14, 14, 3]
    assert layer.compute_output_shape([None, 7, None, 1]).as_list() == [None, 14, None, 3]


@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("layout", ["channels_last", "channels_first"])
def test_output_shapes_are_foretold(padding, layout):
    shape = [2, 9, 8, 3] if layout == "channels_last" else [2, 3, 9, 8]
    for layer in (
        tf.layers.Conv2D(4, 3, (2, 1), padding, layout),
        tf.layers.MaxPooling2D(3, 2, padding, layout),
        tf.layers.AveragePooling2D(2, None, padding, layout),
        tf.layers.SeparableConv2D(4, 3, 2, padding, layout),
    ):
        y = layer(tf.ones(shape))
        assert layer.compute_output_shape(shape).as_list() == y.shape.as_list(), layer.name
        assert list(run(y).shape) == y.shape.as_list()


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

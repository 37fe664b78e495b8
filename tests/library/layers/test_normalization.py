"""Batch normalization beside NumPy, in its three modes of knowing whether it trains."""

import numpy as np
import pytest

import minitf as tf

IMAGES = np.random.default_rng(0).normal(3, 2, size=[4, 5, 6, 3]).astype(np.float32)


def normal(x, axes):
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-3)


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("known", [True, False])
def test_images(fused, known):
    training = True if known else tf.placeholder_with_default(True, [])
    layer = tf.layers.BatchNormalization(fused=fused, momentum=0.9)
    y = layer(IMAGES, training=training)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_allclose(sess.run(y), normal(IMAGES, (0, 1, 2)), rtol=1e-3, atol=1e-4)
        for _ in range(200):
            sess.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        mean, variance = sess.run([layer.moving_mean, layer.moving_variance])
        np.testing.assert_allclose(mean, IMAGES.mean((0, 1, 2)), rtol=1e-4)
        # The fused op estimates the variance of the population.
        np.testing.assert_allclose(variance, IMAGES.var((0, 1, 2), ddof=int(fused)), rtol=1e-3)
        if not known:  # now the averages are those of the batch
            again = sess.run(y, {training: False})
            np.testing.assert_allclose(again, normal(IMAGES, (0, 1, 2)), rtol=1e-2, atol=1e-3)


def test_several_axes_have_features_of_their_own():
    x = IMAGES[..., 0]
    layer = tf.layers.BatchNormalization(axis=[1, 2])
    y = layer(x, training=True)
    assert layer.gamma.shape.as_list() == [1, 5, 6]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_allclose(sess.run(y), normal(x, (0,)), rtol=1e-3, atol=1e-4)


def test_without_training_there_are_no_updates():
    layer = tf.layers.BatchNormalization()
    layer(IMAGES)
    assert layer.updates == [] and tf.get_collection(tf.GraphKeys.UPDATE_OPS) == []
    assert len(layer.trainable_variables) == 2 and len(layer.non_trainable_variables) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"axis": 4}, "Invalid axis: 4"),
        ({"axis": [1, -3]}, "Duplicate axis"),
        ({"axis": 2, "fused": True}, "only support 4D input tensors"),
    ],
)
def test_arguments_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        tf.layers.batch_normalization(IMAGES, **arguments)

"""`tf.contrib.slim.nets`."""

import pytest

import minitf as tf

slim = tf.contrib.slim


def test_inception() -> None:
    nets = slim.nets.inception_v3
    with slim.arg_scope(nets.inception_v3_arg_scope()):
        net, end_points = nets.inception_v3_base(tf.placeholder(tf.float32, [1, 299, 299, 3]))
    parameters = sum(v.shape.num_elements() for v in slim.get_model_variables())
    assert (parameters, len(end_points)) == (21802784, 18)  # as TensorFlow's own test says
    assert net.shape.as_list()[1:3] == [8, 8]


def test_inception_small_images_and_scaled_depths() -> None:
    images = tf.zeros([2, 150, 150, 3])
    with slim.arg_scope(slim.nets.inception_v3.inception_v3_arg_scope()):
        logits, points = slim.nets.inception_v3.inception_v3(images, 7, depth_multiplier=0.5)
    assert logits.shape == [2, 7] and points["Mixed_7c"].shape == [2, 3, 3, 1024]
    with pytest.raises(ValueError, match="depth_multiplier is not greater than zero"):
        slim.nets.inception_v3.inception_v3(images, 7, depth_multiplier=-1.0)

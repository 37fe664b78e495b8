"""`tf.contrib.slim`: its networks, its training and evaluation, and its data through queues."""

import pytest

import minitf as tf

slim = tf.contrib.slim
nets = slim.nets


# ---- networks -----------------------------------------------------------------------------------


def _parameters() -> int:
    return sum(v.shape.num_elements() for v in slim.get_model_variables())


@pytest.mark.parametrize(
    ("base", "scope", "size", "parameters", "points"),
    [  # the counts that TensorFlow's own tests of these networks state
        (
            nets.inception.inception_v3_base,
            nets.inception.inception_v3_arg_scope,
            299,
            21802784,
            18,
        ),
    ],
)
def test_inception(base: object, scope: object, size: int, parameters: int, points: int) -> None:
    with slim.arg_scope(scope()):
        net, end_points = base(tf.placeholder(tf.float32, [1, size, size, 3]))
    assert (_parameters(), len(end_points)) == (parameters, points)
    assert net.shape.as_list()[1:3] == [7, 7] if size == 224 else [8, 8]


def test_inception_small_images_and_scaled_depths() -> None:
    images = tf.zeros([2, 150, 150, 3])
    with slim.arg_scope(nets.inception.inception_v3_arg_scope()):
        logits, points = nets.inception.inception_v3(images, 7, depth_multiplier=0.5)
    assert logits.shape == [2, 7] and points["Mixed_7c"].shape == [2, 3, 3, 1024]
    with pytest.raises(ValueError, match="depth_multiplier is not greater than zero"):
        nets.inception.inception_v3(images, 7, depth_multiplier=-1.0)

"""Batch normalization beside NumPy, in its three modes of knowing whether it trains."""

import numpy as np
import pytest

import minitf as tf

IMAGES = np.random.default_rng(0).normal(3, 2, size=[4, 5, 6, 3]).astype(np.float32)


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

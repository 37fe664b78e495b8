"""Layers that keep one number of each window: those of Keras, in `tf.layers`."""

from __future__ import annotations

from minitf.library.keras.layers import pooling
from minitf.library.layers.base import Layer
from minitf.library.layers.utils import functional, of_keras


@of_keras(required=2)
class MaxPooling1D(pooling.MaxPooling1D, Layer):
    """The largest of each window of sequences [batch, width, channels]."""


@of_keras(required=2)
class AveragePooling1D(pooling.AveragePooling1D, Layer):
    """The mean of each window of sequences [batch, width, channels]."""


@of_keras(required=2)
class MaxPooling2D(pooling.MaxPooling2D, Layer):
    """The largest of each window of images [batch, height, width, channels]."""


@of_keras(required=2)
class AveragePooling2D(pooling.AveragePooling2D, Layer):
    """The mean of each window of images [batch, height, width, channels]."""


@of_keras(required=2)
class MaxPooling3D(pooling.MaxPooling3D, Layer):
    """The largest of each window of volumes [batch, depth, height, width, channels]."""


max_pooling1d = functional(MaxPooling1D, "max_pooling1d", "The largest of each window.")
max_pooling2d = functional(MaxPooling2D, "max_pooling2d", "The largest of each window.")
max_pooling3d = functional(MaxPooling3D, "max_pooling3d", "The largest of each window.")
average_pooling1d = functional(AveragePooling1D, "average_pooling1d", "The mean of each window.")
average_pooling2d = functional(AveragePooling2D, "average_pooling2d", "The mean of each window.")

"""Layers that slide filters over sequences, images and volumes: those of Keras, in `tf.layers`."""

from __future__ import annotations

from minitf.library.keras.layers import convolutional, separable
from minitf.library.layers.base import Layer
from minitf.library.layers.utils import functional, of_keras


@of_keras()
class Conv1D(convolutional.Conv1D, Layer):
    """Slides filters along sequences [batch, width, channels]; see `tf.keras.layers.Conv1D`."""


@of_keras()
class Conv2D(convolutional.Conv2D, Layer):
    """Slides filters over images [batch, height, width, channels]; see `tf.keras.layers.Conv2D`.

    Example:
      >>> tf.layers.Conv2D(32, 5, padding="same", activation=tf.nn.relu)(tf.zeros([1, 28, 28, 1]))
      <tf.Tensor 'conv2d/Relu:0' shape=(1, 28, 28, 32) dtype=float32>
    """


@of_keras()
class Conv3D(convolutional.Conv3D, Layer):
    """Slides filters over volumes; see `tf.keras.layers.Conv3D`."""


@of_keras("output_padding", "dilation_rate")
class Conv2DTranspose(convolutional.Conv2DTranspose, Layer):
    """The transpose of `Conv2D`, which makes images larger."""


@of_keras("output_padding", "dilation_rate")
class Conv3DTranspose(convolutional.Conv3DTranspose, Layer):
    """The transpose of `Conv3D`, which makes volumes larger."""


@of_keras()
class SeparableConv2D(separable.SeparableConv2D, Layer):
    """A separable convolution of images; see `tf.keras.layers.SeparableConv2D`."""


conv1d = functional(Conv1D, "conv1d", "Slides filters along sequences.")
conv2d = functional(Conv2D, "conv2d", "Slides filters over images.")
conv2d_transpose = functional(
    Conv2DTranspose, "conv2d_transpose", "Makes images larger by the transpose of a convolution."
)
separable_conv2d = functional(
    SeparableConv2D, "separable_conv2d", "A separable convolution of images."
)

"""The layers that most networks are made of: dense, dropout, flatten.

The layers of Keras compute; here they get the defaults of `tf.layers` and its variable scopes.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph.likes import ShapeLike, TensorLike
from minitf.core.graph.tensor import Tensor
from minitf.library.keras.layers import core
from minitf.library.layers.base import Layer
from minitf.library.layers.utils import functional, of_keras


@of_keras()
class Dense(core.Dense, Layer):
    """A fully connected layer: activation(inputs @ kernel + bias); see `tf.keras.layers.Dense`.

    A `kernel_initializer` of None is the variable scope's, by default `glorot_uniform_initializer`.

    Example:
      >>> tf.layers.Dense(10)(tf.zeros([2, 784]))
      <tf.Tensor 'dense/BiasAdd:0' shape=(2, 10) dtype=float32>
    """


dense = functional(
    Dense, "dense", "Adds a fully connected layer: activation(inputs @ kernel + bias)."
)


@of_keras(rate=0.5)
class Dropout(core.Dropout, Layer):
    """Sets a part of the inputs to 0 while training; see `tf.keras.layers.Dropout`."""

    def call(self, inputs: Tensor, training: Any = False) -> Tensor:
        """Adds the operations."""
        return super().call(inputs, training=training)


def dropout(
    inputs: Any,
    rate: TensorLike = 0.5,
    noise_shape: ShapeLike = None,
    seed: int | None = None,
    training: Any = False,
    name: str | None = None,
) -> Tensor:
    """Sets a part of the inputs to 0 and scales up the others, so that the sum stays as expected.

    Args:
      inputs: a float tensor.
      training: a bool, or a bool scalar tensor; when it is false, the inputs are returned.

    The other arguments are those of `Dropout`.
    """
    layer = Dropout(rate, noise_shape=noise_shape, seed=seed, name=name)
    return layer(inputs, training=training)


@of_keras()
class Flatten(core.Flatten, Layer):
    """Makes one vector of each example of a batch; see `tf.keras.layers.Flatten`."""


def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> Tensor:
    """Makes one vector of each example of a batch.

    Args:
      inputs: [batch, ...].
      name: the name.
      data_format: "channels_last" or "channels_first".

    Returns: [batch, n].
    Example:
      >>> tf.layers.flatten(tf.zeros([2, 3, 4])).shape
      TensorShape([Dimension(2), Dimension(12)])
    """
    return Flatten(name=name, data_format=data_format)(inputs)

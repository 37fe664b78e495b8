"""The layers that most networks are made of: dense, dropout, flatten.

The layers of Keras compute; here they get the defaults of `tf.layers` and its variable scopes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.variables.initializers import zeros_initializer
from minitf.library.keras.layers import core
from minitf.library.layers.base import Layer
from minitf.library.layers.utils import functional


class Dense(core.Dense, Layer):
    """A fully connected layer: activation(inputs @ kernel + bias).

    Args:
      units: how many numbers each output row has.
      activation: a function, its name, or None.
      use_bias: whether there is a bias.
      kernel_initializer: None takes the variable scope's, by default `glorot_uniform_initializer`.
      bias_initializer: zeros by default.
      kernel_regularizer, bias_regularizer, activity_regularizer: functions to a loss.
      kernel_constraint, bias_constraint: projections, see `tf.Variable`.
      trainable, name: see `Layer`.

    Example:
      >>> tf.layers.Dense(10)(tf.zeros([2, 784]))
      <tf.Tensor 'dense/BiasAdd:0' shape=(2, 10) dtype=float32>
    """

    def __init__(
        self,
        units: int,
        activation: Callable | None = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = zeros_initializer(),  # noqa: B008  (it has no state)
        kernel_regularizer: Callable | None = None,
        bias_regularizer: Callable | None = None,
        activity_regularizer: Callable | None = None,
        kernel_constraint: Callable | None = None,
        bias_constraint: Callable | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units, activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
            bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint,
            trainable=trainable, name=name, **kwargs,
        )  # fmt: skip


dense = functional(
    Dense, "dense", "Adds a fully connected layer: activation(inputs @ kernel + bias)."
)


class Dropout(core.Dropout, Layer):
    """Sets a part of the inputs to 0 while training, and scales up the others.

    Args:
      rate: the part to set to 0, from 0 to 1; a number or a scalar tensor.
      noise_shape: the shape in which is decided; see `tf.nn.dropout`.
      seed: makes the choice repeatable.
      name: see `Layer`.
    """

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(rate, noise_shape, seed, name=name, **kwargs)

    def call(self, inputs: Tensor, training: Any = False) -> Tensor:
        return super().call(inputs, training=training)


def dropout(
    inputs: Any,
    rate: Any = 0.5,
    noise_shape: Any = None,
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

"""`Model`: layers that act as one and can be trained."""

from __future__ import annotations

from minitf.library.keras.engine.base_layer import LAYERS
from minitf.library.keras.engine.network import Network
from minitf.library.keras.engine.training import Trainer


class Model(Trainer, Network):
    """Layers between inputs and outputs, or a class of the program with a `call` of its own.

    Args:
      inputs: a tensor of an `Input`, or a nest of them; not for a class with a `call`.
      outputs: a tensor that comes from them, or a nest.
      name: "model" by default, made unique.

    Raises:
      ValueError: when the outputs do not come from the inputs.
    Example:
      >>> x = tf.keras.Input((4,))
      >>> model = tf.keras.Model(x, tf.keras.layers.Dense(2)(x))
      >>> [layer.name for layer in model.layers]
      ['input_1', 'dense']
    """


LAYERS["Functional"] = Model  # what later releases write

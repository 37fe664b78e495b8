"""`Model`: layers that act as one and can be trained."""

from __future__ import annotations

from typing import Any

from minitf.library.keras.engine.base_layer import LAYERS
from minitf.library.keras.engine.network import Network
from minitf.library.keras.engine.training import Trainer
from minitf.library.keras.saving.models import save_model


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

    # What the training keeps is no part of the model.
    _TF_MODULE_IGNORED_PROPERTIES = Network._TF_MODULE_IGNORED_PROPERTIES | frozenset(
        "loss loss_weights _arguments _compiled_weights _compiled_updates _target_tensors "
        "_loss_tracker".split()
    )

    def save(
        self,
        filepath: Any,
        overwrite: bool = True,
        include_optimizer: bool = True,
        save_format: str | None = None,
        signatures: Any = None,
    ) -> None:
        """Writes the model to a file; see `tf.keras.models.save_model`."""
        save_model(self, filepath, overwrite, include_optimizer, save_format, signatures)


LAYERS["Functional"] = Model  # so later releases call a functional model

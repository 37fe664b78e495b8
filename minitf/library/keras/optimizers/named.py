"""Optimizers by their names, as `compile("adam")` uses them, and those of `tf.train`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.tensor import Tensor
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.variables import Variable
from minitf.library.keras.backend import session as backend
from minitf.library.keras.objects import deserialize_keras_object, serialize_keras_object
from minitf.library.keras.optimizers import optimizers
from minitf.library.keras.optimizers.base import OptimizerV2

#: By name in small letters.
KNOWN: dict[str, Any] = {
    name.lower(): value
    for name, value in vars(optimizers).items()
    if isinstance(value, type) and issubclass(value, OptimizerV2)
}


class TFOptimizer(OptimizerV2):
    """An optimizer of `tf.train`, for models to use.

    Args:
      optimizer: it.
      iterations: the variable to count steps in.
    """

    def __init__(self, optimizer: Optimizer, iterations: Variable | None = None) -> None:
        super().__init__("TFOptimizer")
        self.optimizer = optimizer
        if iterations is not None:
            self.iterations = iterations

    def get_gradients(self, loss: Tensor, params: Sequence[Variable]) -> list[Any]:
        """The gradients of a loss."""
        return [g for g, _ in self.optimizer.compute_gradients(loss, list(params))]

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """Updates variables by their gradients, and counts the step."""
        step = self.optimizer.apply_gradients(list(grads_and_vars), self.iterations, name)
        if not stacks.outermost().runs_at_once:
            backend.track_variables(self.optimizer.variables())
        return step

    @property
    def weights(self) -> list[Variable]:
        """Those of the optimizer are not known to Keras.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Optimizers of `tf.train` have no configuration.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        """What the optimizer has, as its learning rate."""
        wrapped = self.__dict__.get("optimizer")
        if wrapped is None or name.startswith("__"):
            raise AttributeError(name)
        if name in ("lr", "learning_rate"):
            name = "_learning_rate" if hasattr(wrapped, "_learning_rate") else "_lr"
        return getattr(wrapped, name)


def serialize(optimizer: OptimizerV2) -> Any:
    """What stands for an optimizer in a saved model."""
    return serialize_keras_object(optimizer)


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes the optimizer that a name or a dict stands for; of our names the case is open."""
    if isinstance(config, Mapping) and str(config.get("class_name")).lower() in KNOWN:
        config = {**config, "class_name": config["class_name"].lower()}
    return deserialize_keras_object(config, KNOWN, custom_objects, "optimizer")


def get(identifier: Any) -> OptimizerV2:
    """The optimizer that was meant: one, one of `tf.train`, a name, or what `serialize` gave.

    Raises:
      ValueError: when it is none of these.
    """
    if isinstance(identifier, OptimizerV2):
        return identifier
    if isinstance(identifier, Optimizer):
        return TFOptimizer(identifier)
    if isinstance(identifier, Mapping):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}})
    raise ValueError("Could not interpret optimizer identifier:", identifier)

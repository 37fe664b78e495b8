"""`tf.contrib.eager.Network`: the class of models before `tf.keras.Model` could be derived from."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from minitf.library.keras.engine.model import Model


class Network(Model):
    """A model of layers that are named to it with `track_layer`.

    Args:
      name: the name.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self._tracked: list[Any] = []

    def track_layer(self, layer: Any) -> Any:
        """Takes a layer, or another network, into this one, and returns it."""
        self._tracked.append(layer)
        return layer


class Sequential(Network):
    """A network of layers and functions, each of which takes what the one before it gives.

    Args:
      layers_funcs: the layers and functions.
      name: the name.
    """

    def __init__(
        self, layers_funcs: Sequence[Callable] | None = None, name: str | None = None
    ) -> None:
        super().__init__(name=name)
        self._steps: list[tuple[Callable, bool]] = []
        for each in layers_funcs or ():
            self.add(each)

    def add(self, layer_func: Callable) -> None:
        """Appends a layer or a function.

        Raises:
          TypeError: when it is neither.
        """
        is_layer = hasattr(layer_func, "call")
        if not (is_layer or callable(layer_func)):
            raise TypeError(
                "Sequential.add() takes only tf.layers.Layer objects or callables; "
                f"not '{layer_func}' of type '{type(layer_func)}'."
            )
        if is_layer:
            self.track_layer(layer_func)
        called = layer_func.call if is_layer else layer_func  # type: ignore[attr-defined]
        trains = "training" in inspect.signature(called).parameters
        self._steps.append((layer_func, trains))

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The outputs of the last one; `training` goes to those that take it."""
        for step, trains in self._steps:
            inputs = step(inputs, training=training) if trains else step(inputs)
        return inputs

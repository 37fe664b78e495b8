"""`tf.contrib.eager.Network`: the class of models before `tf.keras.Model` could be derived from."""

from __future__ import annotations

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

"""What is being called: the layers that stand around the one called now, and their `training`.

model(x, training=True)          entered: model
  └─ dropout(h)                  entered: dropout; `training` is the model's, True
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any


class _CallContext(threading.local):
    """The calls of layers that are under way in one thread."""

    def __init__(self) -> None:
        self.layers: list[Any] = []  # the innermost last
        self.training: Any = None  # what the layers in it get that are not told
        self.inputs: Any = None  # of the innermost

    @property
    def in_call(self) -> bool:
        """Whether a layer is being called."""
        return bool(self.layers)

    @property
    def frozen(self) -> bool:
        """Whether a layer that is being called is not trainable."""
        return not all(layer.trainable for layer in self.layers)

    def __call__(self) -> _CallContext:
        return self

    def enter(self, layer: Any, inputs: Any, build_graph: bool, training: Any) -> Any:
        """`entered`, as layers call it that are written like TensorFlow's own."""
        return self.entered(layer, training, inputs)

    @contextlib.contextmanager
    def entered(self, layer: Any, training: Any, inputs: Any) -> Iterator[None]:
        """A context in which `layer` is being called."""
        before = self.training, self.inputs
        self.layers.append(layer)
        self.training, self.inputs = training, inputs
        try:
            yield
        finally:
            self.layers.pop()
            self.training, self.inputs = before


call_context = _CallContext()

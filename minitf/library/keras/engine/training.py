"""`Trainer`: what a model does beside being a layer: `compile`, `fit`, `evaluate`, `predict`."""

from __future__ import annotations

from typing import Any


class Trainer:
    """The part of `Model` that trains."""

    def predict(self, x: Any, batch_size: int | None = None, verbose: int = 0) -> Any:
        """The outputs for `x`."""
        raise NotImplementedError

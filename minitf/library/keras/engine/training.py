"""`Trainer`: what a model does beside being a layer: `compile`, `fit`, `evaluate`, `predict`."""

from __future__ import annotations


class Trainer:
    """The part of `Model` that trains."""

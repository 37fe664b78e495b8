"""Layers by the names of their classes: every file of layers is imported here, and so known.

serialize(Dense(3))  -->  {"class_name": "Dense", "config": {...}}  -->  deserialize(...)
"""

from __future__ import annotations

from minitf.library.keras.engine.base_layer import LAYERS
from minitf.library.keras.layers import (
    advanced_activations,
    core,
    embeddings,
    margins,
    merge,
    noise,
    normalization,
    pooling,
    recurrent,
    separable,
    wrappers,
)
from minitf.library.keras.objects import Family

FILES = (
    advanced_activations,
    core,
    embeddings,
    margins,
    merge,
    noise,
    normalization,
    pooling,
    recurrent,
    separable,
    wrappers,
)

_family = Family("layer", LAYERS)
serialize, deserialize = _family.serialize, _family.deserialize

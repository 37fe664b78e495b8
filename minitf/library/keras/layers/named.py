"""Layers by the names of their classes: every file of layers is imported here, and so known.

serialize(Dense(3))  -->  {"class_name": "Dense", "config": {...}}  -->  deserialize(...)
"""

from __future__ import annotations

from minitf.library.keras.engine.base_layer import LAYERS
from minitf.library.keras.layers import (  # noqa: F401  (their layers become known)
    convolutional,
    core,
    merge,
    normalization,
    recurrent,
)
from minitf.library.keras.objects import Family

_family = Family("layer", LAYERS)
serialize, deserialize = _family.serialize, _family.deserialize

"""Layers of networks that own their variables. The package is at the same time `tf.layers`.

`base.py` says what a layer is; the other files hold the layers, each as a class and as a function
that makes one and calls it.
"""

from minitf.layers.base import Layer
from minitf.layers.core import Dense, Dropout, Flatten, dense, dropout, flatten
from minitf.layers.input_spec import InputSpec

__all__ = [
    "Dense",
    "Dropout",
    "Flatten",
    "InputSpec",
    "Layer",
    "dense",
    "dropout",
    "flatten",
]

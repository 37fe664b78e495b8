"""Layers of networks that own their variables. The package is at the same time `tf.layers`.

`base.py` says what a layer is; the other files hold the layers, each as a class and as a function
that makes one and calls it.
"""

from minitf.layers.base import Layer
from minitf.layers.convolutional import (
    Conv1D,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
)
from minitf.layers.core import Dense, Dropout, Flatten, dense, dropout, flatten
from minitf.layers.input_spec import InputSpec
from minitf.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
    average_pooling1d,
    average_pooling2d,
    average_pooling3d,
    max_pooling1d,
    max_pooling2d,
    max_pooling3d,
)

__all__ = sorted(_name for _name in globals() if _name[0] != "_" and _name not in ("base",))

"""The names of `tf.layers`."""

from minitf.api import layers_experimental as experimental
from minitf.library.keras.engine.input_spec import InputSpec as InputSpec
from minitf.library.layers.base import Layer as Layer
from minitf.library.layers.convolutional import Conv1D as Conv1D
from minitf.library.layers.convolutional import Conv2D as Conv2D
from minitf.library.layers.convolutional import Conv2DTranspose as Conv2DTranspose
from minitf.library.layers.convolutional import Conv3D as Conv3D
from minitf.library.layers.convolutional import Conv3DTranspose as Conv3DTranspose
from minitf.library.layers.convolutional import SeparableConv1D as SeparableConv1D
from minitf.library.layers.convolutional import SeparableConv2D as SeparableConv2D
from minitf.library.layers.convolutional import conv1d as conv1d
from minitf.library.layers.convolutional import conv2d as conv2d
from minitf.library.layers.convolutional import conv2d_transpose as conv2d_transpose
from minitf.library.layers.convolutional import conv3d as conv3d
from minitf.library.layers.convolutional import conv3d_transpose as conv3d_transpose
from minitf.library.layers.convolutional import separable_conv1d as separable_conv1d
from minitf.library.layers.convolutional import separable_conv2d as separable_conv2d
from minitf.library.layers.core import Dense as Dense
from minitf.library.layers.core import Dropout as Dropout
from minitf.library.layers.core import Flatten as Flatten
from minitf.library.layers.core import dense as dense
from minitf.library.layers.core import dropout as dropout
from minitf.library.layers.core import flatten as flatten
from minitf.library.layers.normalization import BatchNormalization as BatchNormalization
from minitf.library.layers.normalization import batch_normalization as batch_normalization
from minitf.library.layers.pooling import AveragePooling1D as AveragePooling1D
from minitf.library.layers.pooling import AveragePooling2D as AveragePooling2D
from minitf.library.layers.pooling import AveragePooling3D as AveragePooling3D
from minitf.library.layers.pooling import MaxPooling1D as MaxPooling1D
from minitf.library.layers.pooling import MaxPooling2D as MaxPooling2D
from minitf.library.layers.pooling import MaxPooling3D as MaxPooling3D
from minitf.library.layers.pooling import average_pooling1d as average_pooling1d
from minitf.library.layers.pooling import average_pooling2d as average_pooling2d
from minitf.library.layers.pooling import average_pooling3d as average_pooling3d
from minitf.library.layers.pooling import max_pooling1d as max_pooling1d
from minitf.library.layers.pooling import max_pooling2d as max_pooling2d
from minitf.library.layers.pooling import max_pooling3d as max_pooling3d

__all__ = [
    "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "BatchNormalization", "Conv1D",
    "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Dense", "Dropout", "Flatten",
    "InputSpec", "Layer", "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "SeparableConv1D",
    "SeparableConv2D", "average_pooling1d", "average_pooling2d", "average_pooling3d",
    "batch_normalization", "conv1d", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose",
    "dense", "dropout", "experimental", "flatten", "max_pooling1d", "max_pooling2d",
    "max_pooling3d", "separable_conv1d", "separable_conv2d"
]

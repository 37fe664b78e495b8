"""The names of `tf.layers`."""

from minitf.library.keras.engine.calls import InputSpec as InputSpec
from minitf.library.layers.base import Layer as Layer
from minitf.library.layers.layers import AveragePooling1D as AveragePooling1D
from minitf.library.layers.layers import AveragePooling2D as AveragePooling2D
from minitf.library.layers.layers import BatchNormalization as BatchNormalization
from minitf.library.layers.layers import Conv1D as Conv1D
from minitf.library.layers.layers import Conv2D as Conv2D
from minitf.library.layers.layers import Conv2DTranspose as Conv2DTranspose
from minitf.library.layers.layers import Dense as Dense
from minitf.library.layers.layers import Dropout as Dropout
from minitf.library.layers.layers import Flatten as Flatten
from minitf.library.layers.layers import MaxPooling1D as MaxPooling1D
from minitf.library.layers.layers import MaxPooling2D as MaxPooling2D
from minitf.library.layers.layers import SeparableConv2D as SeparableConv2D
from minitf.library.layers.layers import average_pooling1d as average_pooling1d
from minitf.library.layers.layers import average_pooling2d as average_pooling2d
from minitf.library.layers.layers import batch_normalization as batch_normalization
from minitf.library.layers.layers import conv1d as conv1d
from minitf.library.layers.layers import conv2d as conv2d
from minitf.library.layers.layers import conv2d_transpose as conv2d_transpose
from minitf.library.layers.layers import dense as dense
from minitf.library.layers.layers import dropout as dropout
from minitf.library.layers.layers import flatten as flatten
from minitf.library.layers.layers import max_pooling1d as max_pooling1d
from minitf.library.layers.layers import max_pooling2d as max_pooling2d
from minitf.library.layers.layers import separable_conv2d as separable_conv2d

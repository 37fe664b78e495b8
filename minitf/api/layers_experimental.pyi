"""The names of `tf.layers.experimental`."""

from minitf.library.layers.base import keras_style_scope as keras_style_scope
from minitf.library.layers.base import set_keras_style as set_keras_style

"""The names of `tf.keras.layers`."""

from minitf.library.feature_columns.layers import DenseFeatures as DenseFeatures
from minitf.library.keras.engine.base_layer import Layer as Layer
from minitf.library.keras.engine.input_layer import Input as Input
from minitf.library.keras.engine.input_layer import InputLayer as InputLayer
from minitf.library.keras.engine.input_spec import InputSpec as InputSpec
from minitf.library.keras.layers.core import Dense as Dense
from minitf.library.keras.layers.core import Dropout as Dropout
from minitf.library.keras.layers.core import Flatten as Flatten

"""The names of `tf.keras.layers`."""

from minitf.library.keras.engine.base_layer import Layer as Layer
from minitf.library.keras.engine.calls import InputSpec as InputSpec
from minitf.library.keras.engine.input_layer import Input as Input
from minitf.library.keras.engine.input_layer import InputLayer as InputLayer
from minitf.library.keras.layers.convolutional import AveragePooling1D as AveragePooling1D
from minitf.library.keras.layers.convolutional import AveragePooling2D as AveragePooling2D
from minitf.library.keras.layers.convolutional import Conv1D as Conv1D
from minitf.library.keras.layers.convolutional import Conv2D as Conv2D
from minitf.library.keras.layers.convolutional import Conv2DTranspose as Conv2DTranspose
from minitf.library.keras.layers.convolutional import Conv2D as Convolution2D
from minitf.library.keras.layers.convolutional import DepthwiseConv2D as DepthwiseConv2D
from minitf.library.keras.layers.convolutional import GlobalAveragePooling1D as GlobalAveragePooling1D
from minitf.library.keras.layers.convolutional import GlobalAveragePooling2D as GlobalAveragePooling2D
from minitf.library.keras.layers.convolutional import GlobalMaxPooling2D as GlobalMaxPool2D
from minitf.library.keras.layers.convolutional import GlobalMaxPooling1D as GlobalMaxPooling1D
from minitf.library.keras.layers.convolutional import GlobalMaxPooling2D as GlobalMaxPooling2D
from minitf.library.keras.layers.convolutional import MaxPooling1D as MaxPool1D
from minitf.library.keras.layers.convolutional import MaxPooling2D as MaxPool2D
from minitf.library.keras.layers.convolutional import MaxPooling1D as MaxPooling1D
from minitf.library.keras.layers.convolutional import MaxPooling2D as MaxPooling2D
from minitf.library.keras.layers.convolutional import SeparableConv1D as SeparableConv1D
from minitf.library.keras.layers.convolutional import SeparableConv2D as SeparableConv2D
from minitf.library.keras.layers.convolutional import UpSampling2D as UpSampling2D
from minitf.library.keras.layers.convolutional import ZeroPadding2D as ZeroPadding2D
from minitf.library.keras.layers.core import Activation as Activation
from minitf.library.keras.layers.core import AlphaDropout as AlphaDropout
from minitf.library.keras.layers.core import Dense as Dense
from minitf.library.keras.layers.core import Dropout as Dropout
from minitf.library.keras.layers.core import ELU as ELU
from minitf.library.keras.layers.core import Embedding as Embedding
from minitf.library.keras.layers.core import Flatten as Flatten
from minitf.library.keras.layers.core import GaussianDropout as GaussianDropout
from minitf.library.keras.layers.core import GaussianNoise as GaussianNoise
from minitf.library.keras.layers.core import Lambda as Lambda
from minitf.library.keras.layers.core import LeakyReLU as LeakyReLU
from minitf.library.keras.layers.core import Masking as Masking
from minitf.library.keras.layers.core import ReLU as ReLU
from minitf.library.keras.layers.core import RepeatVector as RepeatVector
from minitf.library.keras.layers.core import Reshape as Reshape
from minitf.library.keras.layers.core import Softmax as Softmax
from minitf.library.keras.layers.merge import Add as Add
from minitf.library.keras.layers.merge import Average as Average
from minitf.library.keras.layers.merge import Concatenate as Concatenate
from minitf.library.keras.layers.merge import Maximum as Maximum
from minitf.library.keras.layers.merge import Minimum as Minimum
from minitf.library.keras.layers.merge import Multiply as Multiply
from minitf.library.keras.layers.merge import Subtract as Subtract
from minitf.library.keras.layers.merge import add as add
from minitf.library.keras.layers.merge import average as average
from minitf.library.keras.layers.merge import concatenate as concatenate
from minitf.library.keras.layers.merge import maximum_of as maximum
from minitf.library.keras.layers.merge import minimum_of as minimum
from minitf.library.keras.layers.merge import multiply as multiply
from minitf.library.keras.layers.merge import subtract as subtract
from minitf.library.keras.layers.named import deserialize as deserialize
from minitf.library.keras.layers.named import serialize as serialize
from minitf.library.keras.layers.normalization import BatchNormalization as BatchNormalization
from minitf.library.keras.layers.normalization import LayerNormalization as LayerNormalization
from minitf.library.keras.layers.recurrent import Bidirectional as Bidirectional
from minitf.library.keras.layers.recurrent import CuDNNGRU as CuDNNGRU
from minitf.library.keras.layers.recurrent import CuDNNLSTM as CuDNNLSTM
from minitf.library.keras.layers.recurrent import GRU as GRU
from minitf.library.keras.layers.recurrent import LSTM as LSTM
from minitf.library.keras.layers.recurrent import RNN as RNN
from minitf.library.keras.layers.recurrent import SimpleRNN as SimpleRNN
from minitf.library.keras.layers.recurrent import TimeDistributed as TimeDistributed
from minitf.library.keras.layers.recurrent import Wrapper as Wrapper
from minitf.library.keras.layers.recurrent_cells import AbstractRNNCell as AbstractRNNCell
from minitf.library.keras.layers.recurrent_cells import GRUCell as GRUCell
from minitf.library.keras.layers.recurrent_cells import LSTMCell as LSTMCell
from minitf.library.keras.layers.recurrent_cells import SimpleRNNCell as SimpleRNNCell
from minitf.library.keras.layers.recurrent_cells import StackedRNNCells as StackedRNNCells

__all__ = [
    "AbstractRNNCell", "Activation", "Add", "AlphaDropout", "Average", "AveragePooling1D",
    "AveragePooling2D", "BatchNormalization", "Bidirectional", "Concatenate", "Conv1D",
    "Conv2D", "Conv2DTranspose", "Convolution2D", "CuDNNGRU", "CuDNNLSTM", "Dense",
    "DepthwiseConv2D", "Dropout", "ELU", "Embedding", "Flatten", "GRU", "GRUCell",
    "GaussianDropout", "GaussianNoise", "GlobalAveragePooling1D", "GlobalAveragePooling2D",
    "GlobalMaxPool2D", "GlobalMaxPooling1D", "GlobalMaxPooling2D", "Input", "InputLayer",
    "InputSpec", "LSTM", "LSTMCell", "Lambda", "Layer", "LayerNormalization", "LeakyReLU",
    "Masking", "MaxPool1D", "MaxPool2D", "MaxPooling1D", "MaxPooling2D", "Maximum", "Minimum",
    "Multiply", "RNN", "ReLU", "RepeatVector", "Reshape", "SeparableConv1D", "SeparableConv2D",
    "SimpleRNN", "SimpleRNNCell", "Softmax", "StackedRNNCells", "Subtract", "TimeDistributed",
    "UpSampling2D", "Wrapper", "ZeroPadding2D", "add", "average", "concatenate", "deserialize",
    "maximum", "minimum", "multiply", "serialize", "subtract"
]

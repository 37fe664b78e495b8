"""The names of `tf.rnn_cell`."""

from minitf.library.layers.rnn.cells import BasicLSTMCell as BasicLSTMCell
from minitf.library.layers.rnn.cells import BasicRNNCell as BasicRNNCell
from minitf.library.layers.rnn.cells import GRUCell as GRUCell
from minitf.library.layers.rnn.cells import LSTMCell as LSTMCell
from minitf.library.layers.rnn.cells import LSTMStateTuple as LSTMStateTuple
from minitf.library.layers.rnn.cells import RNNCell as RNNCell
from minitf.library.layers.rnn.wrappers import DeviceWrapper as DeviceWrapper
from minitf.library.layers.rnn.wrappers import DropoutWrapper as DropoutWrapper
from minitf.library.layers.rnn.wrappers import MultiRNNCell as MultiRNNCell
from minitf.library.layers.rnn.wrappers import ResidualWrapper as ResidualWrapper

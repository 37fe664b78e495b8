"""The names of `tf.contrib.rnn`."""

from minitf.compat.contrib.rnn_cells import LayerNormBasicLSTMCell as LayerNormBasicLSTMCell
from minitf.compat.contrib.rnn_cells import NASCell as NASCell
from minitf.library.layers.rnn.cells import BasicLSTMCell as BasicLSTMCell
from minitf.library.layers.rnn.cells import BasicRNNCell as BasicRNNCell
from minitf.library.layers.rnn.cells import GRUCell as GRUCell
from minitf.library.layers.rnn.cells import LSTMCell as LSTMCell
from minitf.library.layers.rnn.cells import LSTMStateTuple as LSTMStateTuple
from minitf.library.layers.rnn.cells import RNNCell as RNNCell
from minitf.library.layers.rnn.loops import bidirectional_dynamic_rnn as bidirectional_dynamic_rnn
from minitf.library.layers.rnn.loops import static_bidirectional_rnn as static_bidirectional_rnn
from minitf.library.layers.rnn.loops import static_rnn as static_rnn
from minitf.library.layers.rnn.wrappers import DeviceWrapper as DeviceWrapper
from minitf.library.layers.rnn.wrappers import DropoutWrapper as DropoutWrapper
from minitf.library.layers.rnn.wrappers import MultiRNNCell as MultiRNNCell
from minitf.library.layers.rnn.wrappers import OutputProjectionWrapper as OutputProjectionWrapper
from minitf.library.layers.rnn.wrappers import ResidualWrapper as ResidualWrapper

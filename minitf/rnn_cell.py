"""The namespace `tf.nn.rnn_cell`: names only."""

from minitf.layers.rnn_cell import (
    BasicLSTMCell,
    BasicRNNCell,
    GRUCell,
    LSTMCell,
    LSTMStateTuple,
    RNNCell,
)
from minitf.layers.rnn_wrappers import DeviceWrapper, DropoutWrapper, MultiRNNCell, ResidualWrapper

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

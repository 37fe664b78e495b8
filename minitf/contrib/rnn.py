"""The namespace `tf.contrib.rnn`: names only."""

from minitf.layers.rnn import (
    bidirectional_dynamic_rnn,
    stack_bidirectional_dynamic_rnn,
    static_bidirectional_rnn,
    static_rnn,
    static_state_saving_rnn,
)
from minitf.layers.rnn_cell import (
    BasicLSTMCell,
    BasicRNNCell,
    GRUCell,
    LayerRNNCell,
    LSTMCell,
    LSTMStateTuple,
    RNNCell,
)
from minitf.layers.rnn_wrappers import (
    DeviceWrapper,
    DropoutWrapper,
    EmbeddingWrapper,
    InputProjectionWrapper,
    MultiRNNCell,
    OutputProjectionWrapper,
    ResidualWrapper,
)

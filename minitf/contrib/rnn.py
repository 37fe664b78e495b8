"""The namespace `tf.contrib.rnn`: names only."""

from minitf.layers.bidirectional_rnn import (
    bidirectional_dynamic_rnn,
    stack_bidirectional_dynamic_rnn,
    static_bidirectional_rnn,
)
from minitf.layers.rnn import static_rnn, static_state_saving_rnn
from minitf.layers.rnn_cell import (
    BasicLSTMCell,
    BasicRNNCell,
    GRUCell,
    LayerRNNCell,
    LSTMCell,
    LSTMStateTuple,
    RNNCell,
)
from minitf.layers.rnn_cell_kinds import GRUBlockCellV2, LayerNormBasicLSTMCell, LSTMBlockCell
from minitf.layers.rnn_wrappers import (
    DeviceWrapper,
    DropoutWrapper,
    EmbeddingWrapper,
    InputProjectionWrapper,
    MultiRNNCell,
    OutputProjectionWrapper,
    ResidualWrapper,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

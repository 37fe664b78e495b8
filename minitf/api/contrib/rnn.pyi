"""The names of `tf.contrib.rnn`."""

from minitf.compat.contrib.gated_cells import Conv1DLSTMCell as Conv1DLSTMCell
from minitf.compat.contrib.gated_cells import Conv2DLSTMCell as Conv2DLSTMCell
from minitf.compat.contrib.gated_cells import Conv3DLSTMCell as Conv3DLSTMCell
from minitf.compat.contrib.gated_cells import ConvLSTMCell as ConvLSTMCell
from minitf.compat.contrib.gated_cells import CoupledInputForgetGateLSTMCell as CoupledInputForgetGateLSTMCell
from minitf.compat.contrib.gated_cells import GLSTMCell as GLSTMCell
from minitf.compat.contrib.gated_cells import IndRNNCell as IndRNNCell
from minitf.compat.contrib.gated_cells import IndyGRUCell as IndyGRUCell
from minitf.compat.contrib.gated_cells import IndyLSTMCell as IndyLSTMCell
from minitf.compat.contrib.gated_cells import IntersectionRNNCell as IntersectionRNNCell
from minitf.compat.contrib.gated_cells import NASCell as NASCell
from minitf.compat.contrib.gated_cells import PhasedLSTMCell as PhasedLSTMCell
from minitf.compat.contrib.gated_cells import SRUCell as SRUCell
from minitf.compat.contrib.gated_cells import UGRNNCell as UGRNNCell
from minitf.compat.contrib.grid_cells import BidirectionalGridLSTMCell as BidirectionalGridLSTMCell
from minitf.compat.contrib.grid_cells import GridLSTMCell as GridLSTMCell
from minitf.compat.contrib.grid_cells import TimeFreqLSTMCell as TimeFreqLSTMCell
from minitf.compat.contrib.rnn_cells import GRUBlockCellV2 as GRUBlockCell
from minitf.compat.contrib.rnn_cells import GRUBlockCellV2 as GRUBlockCellV2
from minitf.compat.contrib.rnn_cells import LSTMBlockCell as LSTMBlockCell
from minitf.compat.contrib.rnn_cells import LayerNormBasicLSTMCell as LayerNormBasicLSTMCell
from minitf.compat.contrib.rnn_wrappers import AttentionCellWrapper as AttentionCellWrapper
from minitf.compat.contrib.rnn_wrappers import CompiledWrapper as CompiledWrapper
from minitf.compat.contrib.rnn_wrappers import FusedRNNCell as FusedRNNCell
from minitf.compat.contrib.rnn_wrappers import FusedRNNCellAdaptor as FusedRNNCellAdaptor
from minitf.compat.contrib.rnn_wrappers import HighwayWrapper as HighwayWrapper
from minitf.compat.contrib.rnn_wrappers import LSTMBlockFusedCell as LSTMBlockFusedCell
from minitf.compat.contrib.rnn_wrappers import LSTMBlockWrapper as LSTMBlockWrapper
from minitf.compat.contrib.rnn_wrappers import TimeReversedFusedRNN as TimeReversedFusedRNN
from minitf.library.layers.rnn.bidirectional import bidirectional_dynamic_rnn as bidirectional_dynamic_rnn
from minitf.library.layers.rnn.bidirectional import stack_bidirectional_dynamic_rnn as stack_bidirectional_dynamic_rnn
from minitf.library.layers.rnn.bidirectional import stack_bidirectional_rnn as stack_bidirectional_rnn
from minitf.library.layers.rnn.bidirectional import static_bidirectional_rnn as static_bidirectional_rnn
from minitf.library.layers.rnn.cells import BasicLSTMCell as BasicLSTMCell
from minitf.library.layers.rnn.cells import BasicRNNCell as BasicRNNCell
from minitf.library.layers.rnn.cells import GRUCell as GRUCell
from minitf.library.layers.rnn.cells import LSTMCell as LSTMCell
from minitf.library.layers.rnn.cells import LSTMStateTuple as LSTMStateTuple
from minitf.library.layers.rnn.cells import LayerRNNCell as LayerRNNCell
from minitf.library.layers.rnn.cells import RNNCell as RNNCell
from minitf.library.layers.rnn.loops import best_effort_input_batch_size as best_effort_input_batch_size
from minitf.library.layers.rnn.loops import static_rnn as static_rnn
from minitf.library.layers.rnn.loops import static_state_saving_rnn as static_state_saving_rnn
from minitf.library.layers.rnn.loops import transpose_batch_time as transpose_batch_time
from minitf.library.layers.rnn.wrappers import DeviceWrapper as DeviceWrapper
from minitf.library.layers.rnn.wrappers import DropoutWrapper as DropoutWrapper
from minitf.library.layers.rnn.wrappers import EmbeddingWrapper as EmbeddingWrapper
from minitf.library.layers.rnn.wrappers import InputProjectionWrapper as InputProjectionWrapper
from minitf.library.layers.rnn.wrappers import MultiRNNCell as MultiRNNCell
from minitf.library.layers.rnn.wrappers import OutputProjectionWrapper as OutputProjectionWrapper
from minitf.library.layers.rnn.wrappers import ResidualWrapper as ResidualWrapper

__all__ = [
    "AttentionCellWrapper", "BasicLSTMCell", "BasicRNNCell", "BidirectionalGridLSTMCell",
    "CompiledWrapper", "Conv1DLSTMCell", "Conv2DLSTMCell", "Conv3DLSTMCell", "ConvLSTMCell",
    "CoupledInputForgetGateLSTMCell", "DeviceWrapper", "DropoutWrapper", "EmbeddingWrapper",
    "FusedRNNCell", "FusedRNNCellAdaptor", "GLSTMCell", "GRUBlockCell", "GRUBlockCellV2",
    "GRUCell", "GridLSTMCell", "HighwayWrapper", "IndRNNCell", "IndyGRUCell", "IndyLSTMCell",
    "InputProjectionWrapper", "IntersectionRNNCell", "LSTMBlockCell", "LSTMBlockFusedCell",
    "LSTMBlockWrapper", "LSTMCell", "LSTMStateTuple", "LayerNormBasicLSTMCell", "LayerRNNCell",
    "MultiRNNCell", "NASCell", "OutputProjectionWrapper", "PhasedLSTMCell", "RNNCell",
    "ResidualWrapper", "SRUCell", "TimeFreqLSTMCell", "TimeReversedFusedRNN", "UGRNNCell",
    "best_effort_input_batch_size", "bidirectional_dynamic_rnn",
    "stack_bidirectional_dynamic_rnn", "stack_bidirectional_rnn", "static_bidirectional_rnn",
    "static_rnn", "static_state_saving_rnn", "transpose_batch_time"
]

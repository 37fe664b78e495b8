"""The namespace `tf.nn.rnn_cell`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.layers.rnn_cell: BasicLSTMCell BasicRNNCell GRUCell LSTMCell LSTMStateTuple RNNCell
minitf.layers.rnn_wrappers: DeviceWrapper DropoutWrapper MultiRNNCell ResidualWrapper
""",
)

"""The recurrent layers by name: each is `RNN` with a cell of its own kind.

What the layer has not, as `units` or `kernel_initializer`, is its cell's.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import logging
from minitf.library.keras.layers.recurrent import RNN
from minitf.library.keras.layers.recurrent_cells import (
    CuDNNGRUCell,
    CuDNNLSTMCell,
    GRUCell,
    LSTMCell,
    SimpleRNNCell,
)


class SimpleRNN(RNN):
    """A recurrent layer of `SimpleRNNCell`s.

    Args:
      units: the size of the outputs.
      return_sequences, return_state, go_backwards, stateful, unroll: see `RNN`.

    The other arguments are those of the cell.
    """

    cell_class = SimpleRNNCell

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        if kwargs.pop("implementation", None) is not None:
            logging.warning(
                "The `implementation` argument in `SimpleRNN` has been deprecated. Please remove "
                "it from your layer call."
            )
        self._make(locals())


class LSTM(RNN):
    """A recurrent layer of `LSTMCell`s [batch, time, features].

    Args:
      units: the size of the outputs.
      return_sequences, return_state, go_backwards, stateful, unroll: see `RNN`.

    The other arguments are those of the cell.
    Example:
      >>> x = tf.zeros([2, 5, 3])
      >>> tf.keras.layers.LSTM(4, return_sequences=True)(x).shape.as_list()
      [2, 5, 4]
    """

    cell_class = LSTMCell

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        self._make(locals())


class GRU(RNN):
    """A recurrent layer of `GRUCell`s [batch, time, features].

    Args:
      units: the size of the outputs.
      return_sequences, return_state, go_backwards, stateful, unroll: see `RNN`.

    The other arguments are those of the cell.
    Example:
      >>> tf.keras.layers.GRU(8, return_sequences=True)(tf.zeros([2, 5, 3])).shape.as_list()
      [2, 5, 8]
    """

    cell_class = GRUCell

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        reset_after: bool = False,
        **kwargs: Any,
    ) -> None:
        self._make(locals())


class CuDNNLSTM(RNN):
    """A recurrent layer of LSTMs as cuDNN computes it: its gates are sigmoids.

    The original runs on GPUs only, by a library of theirs. This layer has the same weights and
    does the same arithmetic on every device.

    Args:
      units: the size of the outputs.
      return_sequences, return_state, go_backwards, stateful: see `RNN`.

    The other arguments are those of the cell.
    """

    cell_class = CuDNNLSTMCell

    def __init__(
        self,
        units: int,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        self._make({**locals(), "recurrent_activation": "sigmoid"})


class CuDNNGRU(RNN):
    """A recurrent layer of GRUs as cuDNN computes it: its gates are sigmoids.

    The original runs on GPUs only, by a library of theirs. This layer has the same weights and
    does the same arithmetic on every device.

    Args:
      units: the size of the outputs.
      return_sequences, return_state, go_backwards, stateful: see `RNN`.

    The other arguments are those of the cell.
    """

    cell_class = CuDNNGRUCell

    def __init__(
        self,
        units: int,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        self._make({**locals(), "recurrent_activation": "sigmoid", "reset_after": True})

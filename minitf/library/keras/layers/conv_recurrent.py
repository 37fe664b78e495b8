"""`ConvLSTM2D`: an LSTM whose inputs and states are images, and whose products are convolutions.

Source: Shi and others, "Convolutional LSTM Network" (2015).
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import zeros, zeros_like
from minitf.library.keras.backend.networks import bias_add, conv2d
from minitf.library.keras.backend.windows import (
    normalize_data_format,
    normalize_padding,
    normalize_tuple,
    output_length,
)
from minitf.library.keras.engine.input_spec import InputSpec
from minitf.library.keras.layers.recurrent import RNN
from minitf.library.keras.layers.recurrent_cells import Cell, LSTMCell


class ConvLSTM2DCell(LSTMCell):
    """One step of `ConvLSTM2D`, whose arguments it has."""

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
        data_format: str | None = None, dilation_rate: Any = (1, 1), activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid", use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", unit_forget_bias: bool = True,
        kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
        bias_regularizer: Any = None, kernel_constraint: Any = None,
        recurrent_constraint: Any = None, bias_constraint: Any = None, dropout: float = 0.0,
        recurrent_dropout: float = 0.0, **kwargs: Any,
    ) -> None:  # fmt: skip
        Cell.__init__(self, locals())
        for name in ("kernel_size", "strides", "dilation_rate"):
            setattr(self, name, normalize_tuple(getattr(self, name), 2, name))
        self.padding = normalize_padding(padding)
        self.data_format = normalize_data_format(data_format)
        self._space: list[Any] = [None, None]

    @property
    def _channels(self) -> int:
        return 1 if self.data_format == "channels_first" else 3

    @property
    def _width(self) -> int:
        return self.filters

    @property
    def output_size(self) -> TensorShape:
        """The shape of one image of the output."""
        first = self.data_format == "channels_first"
        return TensorShape([self.filters, *self._space] if first else [*self._space, self.filters])

    @property
    def state_size(self) -> list:
        """That of the output, twice."""
        return [self.output_size] * 2

    def _bias_shape(self) -> list[int]:
        return [4 * self.filters]

    def place(self, input_shape: Any) -> list[Any]:
        """Notes how large the output is for images of that shape; returns the shape."""
        sizes = as_shape(input_shape).as_list()
        space = sizes[2:] if self._channels == 1 else sizes[1:-1]
        parts = zip(space, self.kernel_size, self.strides, self.dilation_rate, strict=True)
        self._space = [output_length(n, w, self.padding, s, d) for n, w, s, d in parts]
        return sizes

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, `recurrent_kernel` and `bias`, those of all gates side by side."""
        depth = self.place(input_shape)[self._channels]
        if depth is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        self.kernel = self._add_own("kernel", [*self.kernel_size, depth, 4 * self.filters])
        self.recurrent_kernel = self._add_recurrent(
            [*self.kernel_size, self.filters, 4 * self.filters]
        )
        self.bias = self._add_bias() if self.use_bias else None
        self.built = True

    def input_convolution(self, inputs: Tensor, kernel: Any) -> Tensor:
        """The convolution that images of the inputs go through."""
        options = (self.strides, self.padding, self.data_format, self.dilation_rate)
        return conv2d(inputs, kernel, *options)

    def call(self, inputs: Tensor, states: Any, training: Any = None) -> tuple[Tensor, list]:
        """One step."""
        x = self._dropped(inputs, "dropout", training)
        product = self.input_convolution(x, self.kernel)
        if self.bias is not None:
            product = bias_add(product, self.bias, self.data_format)
        h = self._dropped(states[0], "recurrent_dropout", training)
        recurrent = conv2d(h, self.recurrent_kernel, (1, 1), "same", self.data_format)
        return self._remembered(product + recurrent, states[1], self._channels)


class ConvLSTM2D(RNN):
    """An LSTM of images [batch, time, height, width, channels].

    Args:
      filters: how many features each place gets.
      kernel_size, strides, padding, data_format, dilation_rate: see `Conv2D`.
      return_sequences, go_backwards, stateful: see `RNN`.

    The other arguments are those of `LSTM`.
    """

    cell_class = ConvLSTM2DCell

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
        data_format: str | None = None, dilation_rate: Any = (1, 1), activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid", use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", unit_forget_bias: bool = True,
        kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
        bias_regularizer: Any = None, activity_regularizer: Any = None,
        kernel_constraint: Any = None, recurrent_constraint: Any = None,
        bias_constraint: Any = None, return_sequences: bool = False, go_backwards: bool = False,
        stateful: bool = False, dropout: float = 0.0, recurrent_dropout: float = 0.0, **kwargs: Any,
    ) -> None:  # fmt: skip
        self._make(locals())
        self.input_spec = [InputSpec(ndim=5)]

    def get_initial_state(self, inputs: Any) -> list:
        """Zeros of the size that the convolution gives."""
        shape = [*self.cell.kernel_size, inputs.shape.as_list()[self.cell._channels + 1]]
        kernel = zeros([*shape, self.cell.filters], inputs.dtype.base_dtype)
        state = self.cell.input_convolution(zeros_like(inputs[:, 0]), kernel)
        return [state, state]

    def compute_output_shape(self, input_shape: Any) -> Any:
        """[batch, height, width, filters], after time where all outputs are given."""
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        sizes = as_shape(shape).as_list()
        self.cell.place([sizes[0], *sizes[2:]])
        return super().compute_output_shape(input_shape)

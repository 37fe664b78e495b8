"""Layers that slide filters over sequences, images and volumes.

    inputs --convolution(kernel, strides, padding)--> + bias --> activation

Their layouts are "channels_last", [batch, *space, channels], and "channels_first".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph.shapes import as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_padding import pad
from minitf.core.variables.initializers import zeros_initializer
from minitf.library.keras import activations
from minitf.library.keras.backend.windows import (
    deconv_output_length,
    normalize_tuple,
    output_length,
)
from minitf.library.keras.engine.input_spec import InputSpec
from minitf.library.layers.sliding import Sliding
from minitf.library.layers.utils import functional
from minitf.library.nets import basics as nn
from minitf.library.nets.convolution import conv1d as conv1d_op
from minitf.library.nets.convolution import conv2d as conv2d_op
from minitf.library.nets.convolution import conv2d_transpose as conv2d_transpose_op
from minitf.library.nets.convolution import conv3d as conv3d_op
from minitf.library.nets.convolution import conv3d_transpose as conv3d_transpose_op

_ZEROS = zeros_initializer()
_CONVOLUTIONS: dict[int, Callable[..., Tensor]] = {1: conv1d_op, 2: conv2d_op, 3: conv3d_op}


class Convolution(Sliding):
    """What the convolutions of all ranks have in common.

    Args:
      filters: how many features each place gets.
      kernel_size: the size of the window, a number or one for each axis.
      strides: from one window to the next, likewise.
      padding: "valid" (windows stay inside), "same" (a margin of zeros), or "causal" (of
        sequences: the margin is before the start).
      data_format: "channels_last" or "channels_first".
      dilation_rate: the distance between the elements of a window.

    The other arguments are those of `Dense`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        dilation_rate: Any = 1,
        activation: Callable | None = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = _ZEROS,
        kernel_regularizer: Callable | None = None,
        bias_regularizer: Callable | None = None,
        activity_regularizer: Callable | None = None,
        kernel_constraint: Callable | None = None,
        bias_constraint: Callable | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        options = {"name": name, "activity_regularizer": activity_regularizer, **kwargs}
        super().__init__(strides, padding, data_format, trainable=trainable, **options)
        rank = self.rank
        self.filters = int(filters)
        self.kernel_size = normalize_tuple(kernel_size, rank, "kernel_size")
        self.dilation_rate = normalize_tuple(dilation_rate, rank, "dilation_rate")
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, channels, self.filters]

    def _input_channels(self, input_shape: Any) -> int:
        axis = 1 if self._channels_first else -1
        channels = as_shape(input_shape).as_list()[axis]
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
        return channels

    def _add_bias(self) -> None:
        self.bias = self._add_own("bias", [self.filters]) if self.use_bias else None

    def build(self, input_shape: Any) -> None:
        channels = self._input_channels(input_shape)
        self.kernel = self._add_own("kernel", self._kernel_shape(channels))
        self._add_bias()
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        outputs = self._biased(self._convolve(inputs))
        return outputs if self.activation is None else self.activation(outputs)

    def _padded(self, inputs: Tensor) -> tuple[Tensor, str]:
        """The inputs, with the margin of causal padding, and the padding for the operation."""
        if self.padding != "causal":
            return inputs, self.padding.upper()
        before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        return pad(inputs, self._arranged((0, 0), [(before, 0)], (0, 0))), "VALID"

    def _convolve(self, inputs: Tensor) -> Tensor:
        inputs, padding = self._padded(inputs)
        function = _CONVOLUTIONS[self.rank]
        strides, dilations = self._in_layout(self.strides), self._in_layout(self.dilation_rate)
        options = {"data_format": self._op_format, "dilations": dilations}
        return function(inputs, self.kernel, strides, padding, **options)

    def _biased(self, outputs: Tensor) -> Tensor:
        if self.bias is None:
            return outputs
        return nn.bias_add(outputs, self.bias, "NCHW" if self._channels_first else "NHWC")

    def _space_after(self, space: list[int | None]) -> list[int | None]:
        parts = zip(space, self.kernel_size, self.strides, self.dilation_rate, strict=True)
        padding = "same" if self.padding == "causal" else self.padding
        return [output_length(n, window, padding, s, d) for n, window, s, d in parts]


class Conv1D(Convolution):
    """Slides filters along sequences [batch, width, channels]; see `Convolution`."""

    rank = 1


class Conv2D(Convolution):
    """Slides filters over images [batch, height, width, channels]; see `Convolution`.

    Example:
      >>> tf.layers.Conv2D(32, 5, padding="same", activation=tf.nn.relu)(tf.zeros([1, 28, 28, 1]))
      <tf.Tensor 'conv2d/Relu:0' shape=(1, 28, 28, 32) dtype=float32>
    """

    rank = 2


class Conv3D(Convolution):
    """Slides filters over volumes [batch, depth, height, width, channels]; see `Convolution`."""

    rank = 3


conv1d = functional(Conv1D, "conv1d", "Slides filters along sequences.")
conv2d = functional(Conv2D, "conv2d", "Slides filters over images.")
conv3d = functional(Conv3D, "conv3d", "Slides filters over volumes.")

# ---- transposed --------------------------------------------------------------------------------


class TransposedConvolution(Convolution):
    """The transpose of a convolution: it makes images larger, by its strides.

    The arguments are those of `Convolution`, but for `dilation_rate`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        activation: Callable | None = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = _ZEROS,
        kernel_regularizer: Callable | None = None,
        bias_regularizer: Callable | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, 1, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, **kwargs,
        )  # fmt: skip

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, self.filters, channels]

    def _convolve(self, inputs: Tensor) -> Tensor:
        sizes = shape_of(inputs)
        first = 2 if self._channels_first else 1
        space = self._space_after([sizes[first + i] for i in range(self.rank)])
        outputs = (conv2d_transpose_op if self.rank == 2 else conv3d_transpose_op)(
            inputs,
            self.kernel,
            stack(self._arranged(sizes[0], space, self.filters)),
            self._in_layout(self.strides),
            self.padding.upper(),
            data_format=self._op_format,
        )
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs

    def _space_after(self, space: list[Any]) -> list[Any]:
        parts = zip(space, self.kernel_size, self.strides, strict=True)
        return [deconv_output_length(n, window, self.padding, s) for n, window, s in parts]


class Conv2DTranspose(TransposedConvolution):
    """The transpose of `Conv2D`; see `TransposedConvolution`."""

    rank = 2


class Conv3DTranspose(TransposedConvolution):
    """The transpose of `Conv3D`; see `TransposedConvolution`."""

    rank = 3


conv2d_transpose = functional(
    Conv2DTranspose, "conv2d_transpose", "Makes images larger by the transpose of a convolution."
)
conv3d_transpose = functional(
    Conv3DTranspose, "conv3d_transpose", "Makes volumes larger by the transpose of a convolution."
)

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
from minitf.library.keras.backend.config import (
    deconv_output_length,
    normalize_tuple,
    output_length,
)
from minitf.library.keras.engine.calls import InputSpec
from minitf.library.keras.layers.sliding import Sliding
from minitf.library.nets import basics as nn
from minitf.library.nets.convolution import atrous_conv2d_transpose
from minitf.library.nets.convolution import conv1d as conv1d_op
from minitf.library.nets.convolution import conv2d as conv2d_op
from minitf.library.nets.convolution import conv2d_transpose as conv2d_transpose_op
from minitf.library.nets.convolution import conv3d as conv3d_op
from minitf.library.nets.convolution import conv3d_transpose as conv3d_transpose_op

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

    Raises:
      ValueError: when both strides and dilation are larger than 1.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(strides, padding, data_format, **kwargs)
        self._keep_windows(locals())

    def _keep_windows(self, arguments: dict[str, Any]) -> None:
        """Keeps a constructor's arguments, with a number for each axis of space."""
        self._keep(
            {k: v for k, v in arguments.items() if k not in ("strides", "padding", "data_format")}
        )
        for name in ("kernel_size", "dilation_rate"):
            setattr(self, name, normalize_tuple(getattr(self, name), self.rank, name))
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                f"strides={self.strides} and dilation_rate={self.dilation_rate}"
            )
        if self.filters is not None:
            self.filters = int(self.filters)

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
        return self.activation(self._biased(self._convolve(inputs)))

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
      >>> tf.keras.layers.Conv2D(32, 5, padding="same", activation="relu")(tf.zeros([1, 28, 28, 1]))
      <tf.Tensor 'conv2d/Relu:0' shape=(1, 28, 28, 32) dtype=float32>
    """

    rank = 2


class Conv3D(Convolution):
    """Slides filters over volumes [batch, depth, height, width, channels]; see `Convolution`."""

    rank = 3


# ---- transposed --------------------------------------------------------------------------------


class TransposedConvolution(Convolution):
    """The transpose of a convolution: it makes images larger, by its strides.

    Args:
      output_padding: how much longer the output is along each axis than it need be; None: as long
        as the padding says.

    The other arguments are those of `Convolution`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            **kwargs,
        )
        self.output_padding = output_padding
        if output_padding is not None:
            self.output_padding = normalize_tuple(output_padding, self.rank, "output_padding")
            for stride, more in zip(self.strides, self.output_padding, strict=True):
                if stride <= more:
                    raise ValueError(
                        f"Stride {self.strides} must be greater than output padding "
                        f"{self.output_padding}"
                    )

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, self.filters, channels]

    def _convolve(self, inputs: Tensor) -> Tensor:
        sizes = shape_of(inputs)
        first = 2 if self._channels_first else 1
        space = self._space_after([sizes[first + i] for i in range(self.rank)])
        target, padding = stack(self._arranged(sizes[0], space, self.filters)), self.padding.upper()
        if max(self.dilation_rate) > 1:
            rate = self.dilation_rate[0]
            outputs = atrous_conv2d_transpose(inputs, self.kernel, target, rate, padding)
        else:
            outputs = self._transposed(inputs, target, padding)
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs

    def _transposed(self, inputs: Tensor, target: Tensor, padding: str) -> Tensor:
        function = conv2d_transpose_op if self.rank == 2 else conv3d_transpose_op
        steps, layout = self._in_layout(self.strides), self._op_format
        return function(inputs, self.kernel, target, steps, padding, data_format=layout)

    def _space_after(self, space: list[Any]) -> list[Any]:
        more = self.output_padding or (None,) * self.rank
        parts = zip(space, self.kernel_size, self.strides, more, self.dilation_rate, strict=True)
        return [deconv_output_length(n, w, self.padding, s, m, d) for n, w, s, m, d in parts]


class Conv2DTranspose(TransposedConvolution):
    """The transpose of `Conv2D`; see `TransposedConvolution`."""

    rank = 2


class Conv3DTranspose(TransposedConvolution):
    """The transpose of `Conv3D`; see `TransposedConvolution`."""

    _untold = (*TransposedConvolution._untold, "dilation_rate")

    rank = 3

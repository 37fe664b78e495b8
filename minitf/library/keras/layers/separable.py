"""Separable convolutions: first each channel by itself, then a mixture of channels at each place.

    inputs --depthwise_kernel--> channels * several --pointwise_kernel (1 x 1)--> filters --> + bias

They have far fewer weights than a convolution of the same window.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.library.keras.backend.config import normalize_padding
from minitf.library.keras.layers.convolutional import Convolution
from minitf.library.nets.depthwise import depthwise_conv2d as depthwise_conv2d_op
from minitf.library.nets.depthwise import separable_conv2d as separable_conv2d_op


class SeparableConvolution(Convolution):
    """What the separable convolutions have in common.

    Args:
      depth_multiplier: how many numbers the first step makes of each channel.
      depthwise_initializer, depthwise_regularizer, depthwise_constraint: of the first kernel.
      pointwise_initializer, pointwise_regularizer, pointwise_constraint: of the second.

    The other arguments are those of `Convolution`.
    """

    _untold = (*Convolution._untold, "kernel_initializer")

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(filters, kernel_size, strides, padding, data_format, **kwargs)
        self._keep_windows(locals())

    def build(self, input_shape: Any) -> None:
        channels, several = self._input_channels(input_shape), self.depth_multiplier
        window, pixel = self.kernel_size, [1] * self.rank
        self.depthwise_kernel = self._add_own("depthwise_kernel", [*window, channels, several])
        mixing = [*pixel, channels * several, self.filters]
        self.pointwise_kernel = self._add_own("pointwise_kernel", mixing)
        self._add_bias()
        self.built = True

    def _separated(
        self, inputs: Tensor, kernels: tuple[Any, Any], strides: tuple, padding: str, rate: tuple
    ) -> Tensor:
        steps, layout = self._in_layout(strides), self._op_format
        return separable_conv2d_op(
            inputs, *kernels, steps, padding.upper(), rate, data_format=layout
        )


class SeparableConv2D(SeparableConvolution):
    """A separable convolution of images [batch, height, width, channels]."""

    rank = 2

    def _convolve(self, inputs: Tensor) -> Tensor:
        kernels = self.depthwise_kernel, self.pointwise_kernel
        return self._separated(inputs, kernels, self.strides, self.padding, self.dilation_rate)


class SeparableConv1D(SeparableConvolution):
    """A separable convolution of sequences [batch, width, channels]: of images one pixel high."""

    rank = 1

    def _convolve(self, inputs: Tensor) -> Tensor:
        axis = 2 if self._channels_first else 1
        inputs, padding = self._padded(inputs)
        kernels = expand_dims(self.depthwise_kernel, 0), expand_dims(self.pointwise_kernel, 0)
        inputs, rate = expand_dims(inputs, axis), (1, *self.dilation_rate)
        return self._separated(inputs, kernels, self.strides * 2, padding, rate)

    def _biased(self, outputs: Tensor) -> Tensor:
        axis = 2 if self._channels_first else 1
        return squeeze(super()._biased(outputs), [axis])


class DepthwiseConv2D(Convolution):
    """Slides over each channel of images filters of its own; channels are not mixed.

    Args:
      kernel_size, strides, padding, data_format: see `Convolution`.
      depth_multiplier: how many numbers are made of each channel.
      depthwise_initializer, depthwise_regularizer, depthwise_constraint: of the kernel.

    The other arguments are those of `Convolution`.
    """

    rank = 2

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        dilation_rate: Any = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(1, kernel_size, strides, normalize_padding(padding), data_format, **kwargs)
        self._keep_windows(locals())

    def build(self, input_shape: Any) -> None:
        """Makes `depthwise_kernel` [height, width, channels, several], and `bias`."""
        channels = self._input_channels(input_shape)
        self.filters = channels * self.depth_multiplier
        shape = [*self.kernel_size, channels, self.depth_multiplier]
        self.depthwise_kernel = self._add_own("depthwise_kernel", shape)
        self._add_bias()
        self.built = True

    def _convolve(self, inputs: Tensor) -> Tensor:
        steps, layout = self._in_layout(self.strides), self._op_format
        rate, padding = self.dilation_rate, self.padding.upper()
        return depthwise_conv2d_op(
            inputs, self.depthwise_kernel, steps, padding, rate, data_format=layout
        )

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The places of the window, with `depth_multiplier` numbers for each channel."""
        if not self.built:
            self.filters = self._input_channels(input_shape) * self.depth_multiplier
        return super().compute_output_shape(input_shape)

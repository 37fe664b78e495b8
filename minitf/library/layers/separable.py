"""Separable convolutions: first each channel by itself, then a mixture of channels at each place.

    inputs --depthwise_kernel--> channels * several --pointwise_kernel (1 x 1)--> filters --> + bias

They have far fewer weights than a convolution of the same window.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.core.variables.initializers import zeros_initializer
from minitf.library.layers.convolutional import Convolution
from minitf.library.layers.utils import functional
from minitf.library.nets.depthwise import separable_conv2d as separable_conv2d_op

_ZEROS = zeros_initializer()


class SeparableConvolution(Convolution):
    """What the separable convolutions have in common.

    Args:
      depth_multiplier: how many numbers the first step makes of each channel.
      depthwise_initializer, depthwise_regularizer, depthwise_constraint: of the first kernel.
      pointwise_initializer, pointwise_regularizer, pointwise_constraint: of the second.

    The other arguments are those of `Convolution`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Callable | None = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = _ZEROS,
        depthwise_regularizer: Callable | None = None,
        pointwise_regularizer: Callable | None = None,
        bias_regularizer: Callable | None = None,
        activity_regularizer: Callable | None = None,
        depthwise_constraint: Callable | None = None,
        pointwise_constraint: Callable | None = None,
        bias_constraint: Callable | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation,
            use_bias, None, bias_initializer, None, bias_regularizer, activity_regularizer,
            None, bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = depthwise_initializer
        self.pointwise_initializer = pointwise_initializer
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint

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


separable_conv1d = functional(
    SeparableConv1D, "separable_conv1d", "A separable convolution of sequences."
)
separable_conv2d = functional(
    SeparableConv2D, "separable_conv2d", "A separable convolution of images."
)

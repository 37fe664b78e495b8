"""Layers that slide filters over sequences and images.

    inputs --convolution(kernel, strides, padding)--> + bias --> activation

Their layouts are "channels_last", [batch, *space, channels], and "channels_first". A separable
convolution filters each channel by itself, then mixes the channels at each place:

    inputs --depthwise_kernel--> channels * several --pointwise_kernel (1 x 1)--> filters --> + bias

It has far fewer weights than a convolution of the same window.

Layers that change the sizes of space: pooling, margins of zeros, repetition.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter
from typing import Any, ClassVar

from minitf.core.graph.shapes import as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.reductions import reduce_max, reduce_mean, reduce_sum
from minitf.library.keras.backend.functions import resize_images
from minitf.library.keras.backend.session import (
    deconv_output_length,
    normalize_data_format,
    normalize_padding,
    normalize_tuple,
)
from minitf.library.keras.engine.calls import InputSpec
from minitf.library.keras.layers.configured import Configured
from minitf.library.keras.objects import constructor, defaults, parameters_of
from minitf.library.nets import basics as nn
from minitf.library.nets.convolution import conv1d as conv1d_op
from minitf.library.nets.convolution import conv2d as conv2d_op
from minitf.library.nets.convolution import conv2d_transpose as conv2d_transpose_op
from minitf.library.nets.depthwise import depthwise_conv2d as depthwise_conv2d_op
from minitf.library.nets.depthwise import separable_conv2d as separable_conv2d_op
from minitf.library.nets.pooling import avg_pool, max_pool
from minitf.library.numeric.padding import pad

# ---- windows that slide --------------------------------------------------------------------------


class OfSpace(Configured):
    """A layer of inputs with `rank` axes of space: images have two, sequences one.

    Args:
      data_format: "channels_last" or "channels_first".
      kwargs: see `Layer`.
    """

    rank: ClassVar[int] = 2

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    @property
    def _channels_first(self) -> bool:
        return self.data_format == "channels_first"

    def _arranged(self, batch: Any, space: Any, channels: Any) -> list:
        """What is said of each dimension, in the order of the layout."""
        return [batch, channels, *space] if self._channels_first else [batch, *space, channels]


class Sliding(OfSpace):
    """A layer whose windows slide along the axes of space.

    Args:
      strides: from one window to the next, a number or one for each axis.
      padding: "valid", "same" or "causal".
      data_format: "channels_last" or "channels_first".
      options: see `Layer`.
    """

    filters: Any

    def __init__(self, strides: Any, padding: str, data_format: str | None, **options: Any) -> None:
        super().__init__(data_format, **options)
        self.strides = normalize_tuple(strides, self.rank, "strides")
        self.padding = normalize_padding(padding)

    @property
    def _op_format(self) -> str:
        """The layout as operations name it; that of images for sequences, which become images."""
        return "NCHW" if self._channels_first else "NHWC"

    def _in_layout(self, space: tuple[int, ...]) -> list[int]:
        """A number for each dimension, from one for each axis of space."""
        return self._arranged(1, space, 1)


# ---- convolutions --------------------------------------------------------------------------------


_CONVOLUTIONS: dict[int, Callable[..., Tensor]] = {1: conv1d_op, 2: conv2d_op}


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
        strides, padding, data_format = self.strides, self.padding, self.data_format
        self._keep(locals())
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
        return nn.bias_add(outputs, self.bias, self._op_format)


class Conv1D(Convolution):
    """Slides filters along sequences [batch, width, channels]; see `Convolution`."""

    rank = 1


class Conv2D(Convolution):
    """Slides filters over images [batch, height, width, channels]; see `Convolution`.

    Example:
      >>> tf.keras.layers.Conv2D(32, 5, padding="same", activation="relu")(tf.zeros([1, 28, 28, 1]))
      <tf.Tensor 'conv2d/Relu:0' shape=(1, 28, 28, 32) dtype=float32>
    """


# ---- transposed --------------------------------------------------------------------------------


class Conv2DTranspose(Convolution):
    """The transpose of `Conv2D`: it makes images larger, by its strides.

    Args:
      output_padding: how much longer the output is along each axis than it need be; None: as long
        as the padding says.

    The other arguments are those of `Convolution`.
    """

    def _start(self, output_padding: Any, **arguments: Any) -> None:
        Convolution.__init__(self, **arguments)
        self.output_padding = output_padding
        if output_padding is not None:
            self.output_padding = normalize_tuple(output_padding, self.rank, "output_padding")
            for stride, more in zip(self.strides, self.output_padding, strict=True):
                if stride <= more:
                    raise ValueError(
                        f"Stride {self.strides} must be greater than output padding "
                        f"{self.output_padding}"
                    )

    __init__ = constructor(parameters_of(Convolution, padding={"output_padding": None}), _start)

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, self.filters, channels]

    def _convolve(self, inputs: Tensor) -> Tensor:
        sizes, padding = shape_of(inputs), self.padding.upper()
        target = stack(self._sizes_after([sizes[i] for i in range(self.rank + 2)]))
        steps, holes = self._in_layout(self.strides), self._in_layout(self.dilation_rate)
        outputs = conv2d_transpose_op(
            inputs, self.kernel, target, steps, padding, self._op_format, dilations=holes
        )
        outputs.set_shape(self._sizes_after(inputs.shape.as_list()))
        return outputs

    def _sizes_after(self, sizes: list[Any]) -> list[Any]:
        """The sizes of the outputs for inputs of such sizes."""
        space = sizes[2:] if self._channels_first else sizes[1:-1]
        more = self.output_padding or (None,) * self.rank
        parts = zip(space, self.kernel_size, self.strides, more, self.dilation_rate, strict=True)
        space = [deconv_output_length(n, w, self.padding, s, m, d) for n, w, s, m, d in parts]
        return self._arranged(sizes[0], space, self.filters)


# ---- separable convolutions ----------------------------------------------------------------------


def _of_kernels(*kinds: str, **behind: Any) -> list[Parameter]:
    """The parameters of `Convolution`, with those of each of these kernels in place of its one's.

    Args:
      kinds: "depthwise", "pointwise".
      **behind: see `parameters_of`.
    """
    found = []
    for parameter in parameters_of(Convolution, **behind):
        part = parameter.name.removeprefix("kernel_")
        own = part in ("initializer", "regularizer", "constraint")
        found += [parameter.replace(name=f"{k}_{part}") for k in kinds] if own else [parameter]
    return found


def _start(self: Convolution, **arguments: Any) -> None:
    """Their constructor, which keeps what is of the kernels."""
    names = [name for name in arguments if name.startswith(("depth", "pointwise_"))]
    own = {name: arguments.pop(name) for name in names}
    Convolution.__init__(self, **{"filters": 1, **arguments})
    self._keep(own)


class SeparableConvolution(Convolution):
    """What the separable convolutions have in common.

    Args:
      depth_multiplier: how many numbers the first step makes of each channel.
      depthwise_initializer, depthwise_regularizer, depthwise_constraint: of the first kernel.
      pointwise_initializer, pointwise_regularizer, pointwise_constraint: of the second.

    The other arguments are those of `Convolution`.
    """

    __init__ = constructor(
        _of_kernels("depthwise", "pointwise", dilation_rate={"depth_multiplier": 1}), _start
    )

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


_DEPTHWISE = [
    parameter
    for parameter in _of_kernels("depthwise", padding={"depth_multiplier": 1})
    if parameter.name not in ("filters", "dilation_rate")
]


class DepthwiseConv2D(Convolution):
    """Slides over each channel of images filters of its own; channels are not mixed.

    Args:
      kernel_size, strides, padding, data_format: see `Convolution`.
      depth_multiplier: how many numbers are made of each channel.
      depthwise_initializer, depthwise_regularizer, depthwise_constraint: of the kernel.

    The other arguments are those of `Convolution`.
    """

    __init__ = constructor([*_DEPTHWISE[:-1], *defaults(dilation_rate=1), _DEPTHWISE[-1]], _start)

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


# ---- pooling, margins of zeros, repetition -------------------------------------------------------


class Pooling(Sliding):
    """What the pooling layers have in common.

    Args:
      pool_size: the size of the window, a number or one for each axis.
      strides: from one window to the next, likewise; None: the size of the window.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      kwargs: see `Layer`.
    """

    function: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        strides = pool_size if strides is None else strides
        super().__init__(strides, padding, data_format, **kwargs)
        self.pool_size = normalize_tuple(pool_size, self.rank, "pool_size")

    def call(self, inputs: Tensor) -> Tensor:
        return self._pooled(inputs, self.pool_size, self.strides)

    def _pooled(self, inputs: Tensor, window: tuple, strides: tuple) -> Tensor:
        sizes = self._in_layout(window), self._in_layout(strides)
        padding, layout = self.padding.upper(), self._op_format
        return type(self).function(inputs, *sizes, padding, data_format=layout)


class _Pooling1D(Pooling):
    """Pools sequences as images one column wide."""

    rank = 1

    def call(self, inputs: Tensor) -> Tensor:
        axis = 3 if self._channels_first else 2
        window, strides = (*self.pool_size, 1), (*self.strides, 1)
        return squeeze(self._pooled(expand_dims(inputs, axis), window, strides), axis)


class MaxPooling1D(_Pooling1D):
    """The largest of each window of sequences [batch, width, channels]; see `Pooling`."""

    function = max_pool


class AveragePooling1D(_Pooling1D):
    """The mean of each window of sequences [batch, width, channels]; see `Pooling`."""

    function = avg_pool


class MaxPooling2D(Pooling):
    """The largest of each window of images [batch, height, width, channels]; see `Pooling`.

    Args:
      pool_size: the height and width of the window, or one number for both.
      strides: its steps; the size of the window without them.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.
    Example:
      >>> tf.keras.layers.MaxPooling2D(2)(tf.zeros([8, 28, 28, 3])).shape.as_list()
      [8, 14, 14, 3]
    """

    function = max_pool


class AveragePooling2D(Pooling):
    """The mean of each window of images [batch, height, width, channels]; see `Pooling`."""

    function = avg_pool


# ---- of all places ---------------------------------------------------------------------------


class _GlobalPooling(OfSpace):
    """One number for each channel, of all places.

    Args:
      data_format: "channels_last" or "channels_first".
      kwargs: see `Layer`.
    """

    function: ClassVar[Callable[..., Tensor]]

    @property
    def _space(self) -> list[int]:
        start = 2 if self._channels_first else 1
        return list(range(start, start + self.rank))

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        return type(self).function(inputs, self._space)


class GlobalMaxPooling1D(_GlobalPooling):
    """The largest number of each channel of sequences [batch, time, channels]."""

    rank = 1
    function = reduce_max


class GlobalMaxPooling2D(_GlobalPooling):
    """The largest number of each channel of images [batch, height, width, channels]."""

    function = reduce_max


class GlobalAveragePooling1D(_GlobalPooling):
    """The mean of each channel of sequences [batch, time, channels], of the steps that count."""

    rank = 1
    function = reduce_mean

    def __init__(self, data_format: str | None = "channels_last", **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Tensor, mask: Any = None) -> Tensor:
        """Adds the operations; steps whose mask is False do not count."""
        if mask is None:
            return super().call(inputs)
        (axis,) = self._space
        counts = expand_dims(cast(mask, inputs.dtype), 3 - axis)
        return reduce_sum(inputs * counts, axis) / reduce_sum(counts, axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> None:
        """None: no steps are left."""


class GlobalAveragePooling2D(_GlobalPooling):
    """The mean of each channel of images [batch, height, width, channels].

    Args:
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.
    Example:
      >>> tf.keras.layers.GlobalAveragePooling2D()(tf.zeros([8, 7, 7, 64])).shape.as_list()
      [8, 64]
    """

    function = reduce_mean


# ---- margins and repetition ----------------------------------------------------------------------


class ZeroPadding2D(OfSpace):
    """A margin of zeros around images.

    Args:
      padding: a number, one for each axis, or (before, after) for each axis.
      data_format: "channels_last" or "channels_first".
      kwargs: see `Layer`.
    """

    def __init__(self, padding: Any = 1, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        given = (padding, padding) if isinstance(padding, int) else padding
        if len(given) != 2:
            raise ValueError(f"`padding` should have 2 elements. Found: {padding}")
        self.padding = tuple(normalize_tuple(each, 2, "entry of padding") for each in given)

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        margins = self._arranged((0, 0), self.padding, (0, 0))
        return pad(inputs, [list(each) for each in margins])


class UpSampling2D(OfSpace):
    """Makes images larger by whole factors.

    Args:
      size: the factors.
      data_format: "channels_last" or "channels_first".
      interpolation: "nearest" or "bilinear".
      kwargs: see `Layer`.
    """

    def __init__(
        self,
        size: Any = (2, 2),
        data_format: str | None = None,
        interpolation: str = "nearest",
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.size = normalize_tuple(size, 2, "size")
        if interpolation not in ("nearest", "bilinear"):
            raise ValueError(
                '`interpolation` argument should be one of `"nearest"` or `"bilinear"`.'
            )
        self.interpolation = interpolation

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        height, width = self.size
        return resize_images(inputs, height, width, self.data_format, self.interpolation)

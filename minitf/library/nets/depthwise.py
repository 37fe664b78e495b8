"""Depthwise convolution: each channel has filters of its own; separable convolution, made of it.

x [batch, h, w, c],  w [kh, kw, c, q]   ──>   y [batch, oh, ow, c * q]
y[..., c, q] = sum over the window of x[..., c] w[di, dj, c, q]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.likes import TensorLike
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import one_of
from minitf.core.ops.elementwise import check_rank, invalid
from minitf.library.nets.conv_ops import (
    BY_FILTER,
    BY_INPUT,
    FORWARD,
    PLAIN_2D,
    STRIDED_2D,
    Family,
    samples_of,
    slide,
    slide_back,
    slide_together,
    wire,
)
from minitf.library.nets.convolution import conv2d
from minitf.library.nets.kernels.depthwise import (
    depthwise,
    depthwise_filter_gradient,
    depthwise_input_gradient,
)
from minitf.library.nets.layouts import (
    Convolution2D,
    channels_last,
    convolved_shape,
    sizes_of,
    taken_apart,
    window_attrs,
)

_OPTIONS: dict[str, Any] = {"attrs": Convolution2D, "T": dtypes.FLOATS}
_CASES = [
    ((2, 3, 4, 2), (2, 3, 2, 2), (2, 3, 4, 4), PLAIN_2D),
    ((1, 5, 4, 1), (3, 2, 1, 2), (1, 2, 2, 2), STRIDED_2D),
    ((1, 2, 3, 4), (2, 2, 2, 1), (1, 2, 3, 4), {**PLAIN_2D, "data_format": "NCHW"}),
]


@op(
    "DepthwiseConv2dNative",
    FORWARD,
    batch="fold first",
    samples=samples_of(_CASES, "forward"),
    **_OPTIONS,
)
def depthwise_op(xp: Any, x: Any, w: Any, **attrs: Any) -> Any:
    """Slides over each channel the filters that belong to it."""
    check_rank(x, 4)
    check_rank(w, 4, "filter")
    depth = channels_last(x, attrs["data_format"]).shape[-1]
    if depth != w.shape[2]:
        raise invalid(f"input and filter must have the same depth: {depth} vs {w.shape[2]}")
    return slide(xp, depthwise, x, w, attrs)


@op(
    "DepthwiseConv2dNativeBackpropInput",
    **BY_INPUT,
    samples=samples_of(_CASES, "by_input"),
    **_OPTIONS,
)
def depthwise_backprop_input_op(xp: Any, sizes: Any, w: Any, dy: Any, **attrs: Any) -> Any:
    """Gives the gradient of DepthwiseConv2dNative by its input."""
    return slide_back(xp, depthwise_input_gradient, sizes, w, dy, attrs)


@op(
    "DepthwiseConv2dNativeBackpropFilter",
    **BY_FILTER,
    samples=samples_of(_CASES, "by_filter"),
    **_OPTIONS,
)
def depthwise_backprop_filter_op(xp: Any, x: Any, sizes: Any, dy: Any, **attrs: Any) -> Any:
    """Gives the gradient of DepthwiseConv2dNative by its filter."""
    dw = slide_together(xp, depthwise_filter_gradient, x, sizes, dy, attrs)
    return dw.reshape(sizes.tolist())


def _shape(x: Any, w: Any, **attrs: Any) -> TensorShape:
    channels = taken_apart(x.shape, attrs["data_format"])[2]
    *window, depth, several = sizes_of(w.shape, 4)
    if None not in (channels, depth) and channels != depth:
        raise ValueError(f"Dimensions must be equal, but are {channels} and {depth}")
    channels = depth if channels is None else channels
    features = None if channels is None or several is None else channels * several
    return convolved_shape(x.shape, window, features, attrs)


wire(Family(depthwise_op, depthwise_backprop_input_op, depthwise_backprop_filter_op), _shape)


# ---- functions ---------------------------------------------------------------------------


def _attrs(strides: Any, padding: Any, data_format: str | None, dilations: Any) -> dict[str, Any]:
    attrs = window_attrs(depthwise_op, padding, data_format, dilations=dilations)
    return {**attrs, "strides": [int(s) for s in strides]}


def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Sequence[int],
    padding: Any,
    rate: Sequence[int] | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
) -> Tensor:
    """Slides over each channel of images the filters that belong to it.

    Args:
      input: [batch, height, width, channels], or channels second for NCHW.
      filter: [height, width, channels, several].
      strides: four numbers in the order of the layout.
      padding: "SAME" or "VALID", or a pair of margins for each dimension.
      rate: two numbers: the distance between the elements of a window. Also `dilations`.
      name: the name.
      data_format: "NHWC" or "NCHW".
    Returns: [batch, height, width, channels * several].
    """
    rate = one_of("dilations", dilations, "rate", rate)
    with name_scope(name, "depthwise", [input, filter]) as scope:
        attrs = _attrs(strides, padding, data_format, rate)
        x = convert_to_tensor(input, name="tensor_in")
        w = convert_to_tensor(filter, name="filter_in")
        return depthwise_op(x, w, name=scope, **attrs)


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Sequence[int],
    padding: Any,
    rate: Sequence[int] | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
) -> Tensor:
    """A depthwise convolution, and then a mixture of the channels at each pixel.

    Args:
      input: [batch, height, width, channels], or channels second for NCHW.
      depthwise_filter: [height, width, channels, several].
      pointwise_filter: [1, 1, channels * several, features].
      strides: four numbers, for the depthwise part.
      padding: "SAME" or "VALID".
      rate: two numbers, for the depthwise part. Also `dilations`.
      name: the name.
      data_format: "NHWC" or "NCHW".
    Raises:
      ValueError: when the second filter is larger than a pixel.
    """
    rate = one_of("dilations", dilations, "rate", rate)
    with name_scope(name, "separable_conv2d", [input, depthwise_filter, pointwise_filter]) as scope:
        x = convert_to_tensor(input, name="tensor_in")
        w = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        mixing = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        sizes = mixing.shape.with_rank(4)
        sizes[0].assert_is_compatible_with(1)
        sizes[1].assert_is_compatible_with(1)
        attrs = _attrs(strides, padding, data_format, rate)
        y = depthwise_op(x, w, name="depthwise", **attrs)
        layout = attrs["data_format"]
        return conv2d(y, mixing, [1, 1, 1, 1], "VALID", data_format=layout, name=scope)

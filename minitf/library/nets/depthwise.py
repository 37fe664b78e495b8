"""Depthwise convolution: each channel has filters of its own; separable convolution, made of it.

x [batch, h, w, c],  w [kh, kw, c, q]   ──>   y [batch, oh, ow, c * q]
y[..., c, q] = sum over the window of x[..., c] w[di, dj, c, q]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import one_of
from minitf.core.ops.elementwise import check_rank, invalid
from minitf.library.nets.conv_ops import (
    Family,
    check_gradient,
    ints,
    mixed_sample,
    places_of,
    taken_filter,
    wire_gradients,
)
from minitf.library.nets.convolution import conv2d
from minitf.library.nets.kernels.depthwise import (
    depthwise,
    depthwise_filter_gradient,
    depthwise_input_gradient,
)
from minitf.library.nets.layouts import (
    arranged,
    as_given,
    channels_last,
    check_choices,
    explicit,
    margins,
    output_sizes,
    per_dimension,
    spatial,
    taken_apart,
)

_PLAIN = {"strides": [1, 1, 1, 1], "padding": "SAME"}
_STRIDED = {"strides": [1, 2, 2, 1], "padding": "VALID", "dilations": [1, 1, 1, 1]}
_FIRST = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NCHW"}


@op(
    "DepthwiseConv2dNative",
    "input: T, filter: T -> output: T",
    T=dtypes.FLOATS,
    samples=[
        mixed_sample([(2, 3, 4, 2), (2, 3, 2, 2)], **_PLAIN),
        mixed_sample([(1, 5, 4, 1), (3, 2, 1, 2)], **_STRIDED),
        mixed_sample([(1, 2, 3, 3), (2, 2, 2, 1)], **_FIRST),
    ],
)
def depthwise_op(
    xp: Any,
    input: Any,  # noqa: A002
    filter: Any,  # noqa: A002
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:
    """Slides over each channel the filters that belong to it."""
    check_rank(input, 4)
    check_rank(filter, 4, "filter")
    x = channels_last(input, data_format)
    if x.shape[-1] != filter.shape[2]:
        raise invalid(
            f"input and filter must have the same depth: {x.shape[-1]} vs {filter.shape[2]}"
        )
    axes = places_of(x.shape[1:-1], filter.shape[:2], locals())
    return as_given(depthwise(xp, x, filter, axes), data_format)


@op(
    "DepthwiseConv2dNativeBackpropInput",
    "input_sizes: int32, filter: T, out_backprop: T -> output: T",
    host=("input_sizes",),
    T=dtypes.FLOATS,
    samples=[
        mixed_sample([ints(2, 3, 4, 2), (2, 3, 2, 2), (2, 3, 4, 4)], **_PLAIN),
        mixed_sample([ints(1, 5, 4, 1), (3, 2, 1, 2), (1, 2, 2, 2)], **_STRIDED),
    ],
)
def depthwise_backprop_input_op(
    xp: Any,
    input_sizes: Any,
    filter: Any,  # noqa: A002
    out_backprop: Any,
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:
    """Gives the gradient of DepthwiseConv2dNative by its input."""
    dy = channels_last(out_backprop, data_format)
    axes = places_of(spatial(input_sizes.tolist(), data_format), filter.shape[:2], locals())
    check_gradient(dy.shape, axes)
    return as_given(depthwise_input_gradient(xp, filter, dy, axes), data_format)


@op(
    "DepthwiseConv2dNativeBackpropFilter",
    "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    host=("filter_sizes",),
    T=dtypes.FLOATS,
    samples=[
        mixed_sample([(2, 3, 4, 2), ints(2, 3, 2, 2), (2, 3, 4, 4)], **_PLAIN),
        mixed_sample([(1, 5, 4, 1), ints(3, 2, 1, 2), (1, 2, 2, 2)], **_STRIDED),
    ],
)
def depthwise_backprop_filter_op(
    xp: Any,
    input: Any,  # noqa: A002
    filter_sizes: Any,
    out_backprop: Any,
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:
    """Gives the gradient of DepthwiseConv2dNative by its filter."""
    sizes = filter_sizes.tolist()
    x, dy = channels_last(input, data_format), channels_last(out_backprop, data_format)
    axes = places_of(x.shape[1:-1], sizes[:2], locals())
    check_gradient(dy.shape, axes)
    return depthwise_filter_gradient(xp, x, dy, axes).reshape(sizes)


@depthwise_op.shape
def _depthwise_shape(x: Any, w: Any, **attrs: Any) -> TensorShape:
    layout = attrs["data_format"]
    batch, sizes, channels = taken_apart(x.shape, 4, layout)
    *window, depth, several = taken_filter(w.shape, 4)
    if None not in (channels, depth) and channels != depth:
        raise ValueError(f"Dimensions must be equal, but are {channels} and {depth}")
    pads = spatial(margins(attrs["explicit_paddings"] or [0] * 8), layout)
    strides, dilations = (spatial(attrs[a], layout) for a in ("strides", "dilations"))
    outputs = output_sizes(sizes, window, strides, dilations, attrs["padding"], pads)
    channels = depth if channels is None else channels
    features = None if channels is None or several is None else channels * several
    return arranged(batch, outputs, features, layout)


wire_gradients(Family(depthwise_op, depthwise_backprop_input_op, depthwise_backprop_filter_op), 4)


# ---- functions ---------------------------------------------------------------------------


def _attrs(strides: Any, padding: Any, data_format: str | None, dilations: Any) -> dict[str, Any]:
    layout = data_format or "NHWC"
    mode, pads = explicit(padding)
    check_choices("Conv2D", mode, layout, ("NHWC", "NCHW"))
    return {
        "strides": [int(s) for s in strides],
        "padding": mode,
        "explicit_paddings": pads,
        "data_format": layout,
        "dilations": per_dimension(dilations, 4, layout, "dilations"),
    }


def depthwise_conv2d(
    input: Any,  # noqa: A002
    filter: Any,  # noqa: A002
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


def depthwise_conv2d_native(
    input: Any,  # noqa: A002
    filter: Any,  # noqa: A002
    strides: Sequence[int],
    padding: Any,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """As `depthwise_conv2d`, with dilations for all four dimensions."""
    attrs = _attrs(strides, padding, data_format, dilations)
    return depthwise_op(input, filter, name=name, **attrs)


def depthwise_conv2d_native_backprop_input(
    input_sizes: Any,
    filter: Any,  # noqa: A002
    out_backprop: Any,
    strides: Sequence[int],
    padding: Any,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` by its input, whose sizes are `input_sizes`."""
    attrs = _attrs(strides, padding, data_format, dilations)
    return depthwise_backprop_input_op(input_sizes, filter, out_backprop, name=name, **attrs)


def depthwise_conv2d_native_backprop_filter(
    input: Any,  # noqa: A002
    filter_sizes: Any,
    out_backprop: Any,
    strides: Sequence[int],
    padding: Any,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` by its filter, whose sizes are `filter_sizes`."""
    attrs = _attrs(strides, padding, data_format, dilations)
    return depthwise_backprop_filter_op(input, filter_sizes, out_backprop, name=name, **attrs)


def separable_conv2d(
    input: Any,  # noqa: A002
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

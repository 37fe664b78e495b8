"""Depthwise convolution: each channel has filters of its own; separable convolution, made of it.

    x [batch, h, w, c],  w [kh, kw, c, q]   ──>   y [batch, oh, ow, c * q]
    y[..., c, q] = sum over the window of x[..., c] w[di, dj, c, q]

Nothing is summed over channels, so there is no product of matrices in it: the references go over
the window's elements and work on a whole image at each, the compiled tier over the outputs. Where a
channel has several filters, it is repeated, so that each number of `x` meets one of `y`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels.table import kernel
from minitf.core.ops.array import one_of
from minitf.core.ops.elementwise import check_rank, invalid
from minitf.library.nets import conv_ops
from minitf.library.nets import windows as layouts
from minitf.library.nets.convolution import conv2d

# ---- kernels -------------------------------------------------------------------------------------


def _taps(xp: Any, x: Any, several: int, axes: Sequence[layouts.Axis]) -> Any:
    """What each element of the window meets of images whose channels have several filters each.

    Returns: a view [*window, batch, rows, columns, channels]; where windows step by one column,
      [*window, batch, rows, columns * channels], since loops are then as long as a row.
    """
    margin = conv_ops.padded(xp, repeated(xp, x, several), axes)
    rows, columns = axes
    if columns.stride > 1:
        return xp.moveaxis(conv_ops.windows(xp, margin, axes), (3, 4), (0, 1))
    batch, height, width, channels = margin.shape
    wide = columns._replace(
        dilation=columns.dilation * channels, outputs=columns.outputs * channels
    )
    lines = margin.reshape(batch, height, width * channels, 1)
    return xp.moveaxis(conv_ops.windows(xp, lines, (rows, wide))[..., 0], (3, 4), (0, 1))


def repeated(xp: Any, x: Any, several: int) -> Any:
    """Each channel `several` times in a row."""
    return x if several == 1 else xp.repeat(x, several, axis=-1)


def summed(x: Any, several: int) -> Any:
    """The transpose of `repeated`: the sums of so many channels in a row; a new array."""
    total = x[..., ::several].copy()
    for place in range(1, several):
        total += x[..., place::several]
    return total


@kernel(compiled="depthwise", takes=lambda x, w, axes: w.ndim == 4 and conv_ops.slides(x, w, axes))
def depthwise(xp: Any, x: Any, w: Any, axes: Sequence[layouts.Axis]) -> Any:
    """Slides over each channel the filters that belong to it.

    Args:
      x: [batch, rows, columns, c].
      w: [*window, c, q].
      axes: how the windows lie.
    Returns: [batch, *outputs, c * q].
    """
    dtype, (x, w) = x.dtype, conv_ops.precise(x, w)
    taps = _taps(xp, x, w.shape[3], axes)
    channels = w.shape[2] * w.shape[3]
    weights = xp.tile(w.reshape(*w.shape[:2], channels), taps.shape[-1] // max(1, channels))
    y = xp.empty(taps.shape[2:], x.dtype)

    def run(few: slice) -> None:
        y[few] = xp.einsum("ij...k,ijk->...k", taps[:, :, few], weights)

    conv_ops.few_at_a_time(xp, run, y)
    y = y.reshape(len(x), *(a.outputs for a in axes), channels)
    return y.astype(dtype, copy=False)


@kernel()
def depthwise_input_gradient(xp: Any, w: Any, dy: Any, axes: Sequence[layouts.Axis]) -> Any:
    """The gradient of `depthwise` by its input; `size` of each axis is that of the result.

    It is another such convolution, of `dy` with the turned filters; for strides, one for each place
    in a stride, with the taps that it meets.
    """
    if any(a.stride > 1 and a.dilation > 1 for a in axes):
        return summed(_scattered(xp, w, dy, axes), w.shape[3])
    parts = itertools.product(*map(conv_ops.phases, axes))
    if all(a.stride == 1 for a in axes):
        dx = _gathered(xp, w, dy, *parts)
    else:
        dx = xp.zeros((dy.shape[0], *(a.size for a in axes), dy.shape[-1]), dy.dtype)
        for rows, columns in parts:
            dx[:, rows.places, columns.places] = _gathered(xp, w, dy, (rows, columns))
    return dx if w.shape[3] == 1 else summed(dx, w.shape[3])


def _gathered(xp: Any, w: Any, dy: Any, phase: Sequence[Any]) -> Any:
    rows, columns = phase
    turned = w[rows.taps, columns.taps][::-1, ::-1]
    turned = turned.reshape(*turned.shape[:2], dy.shape[-1], 1)
    return depthwise(xp, dy[:, rows.outputs, columns.outputs], turned, [rows.axis, columns.axis])


def _scattered(xp: Any, w: Any, dy: Any, axes: Sequence[layouts.Axis]) -> Any:
    margin = xp.zeros((dy.shape[0], *(a.padded for a in axes), dy.shape[-1]), dy.dtype)
    places = itertools.product(*(axis.reaches for axis in axes))
    for (rows, columns), weight in zip(places, w.reshape(-1, dy.shape[-1]), strict=True):
        margin[:, rows, columns] += dy * weight
    return margin[conv_ops.inside(axes)]


@kernel(
    compiled="depthwise",
    takes=lambda x, dy, axes: (
        x.ndim == 4 and conv_ops.answers(x, dy, axes) and dy.shape[-1] % max(1, x.shape[-1]) == 0
    ),
)
def depthwise_filter_gradient(xp: Any, x: Any, dy: Any, axes: Sequence[layouts.Axis]) -> Any:
    """The gradient of `depthwise` by its filters: [*window, c, q]."""
    several = dy.shape[-1] // max(1, x.shape[-1])
    dtype, (x, dy) = x.dtype, conv_ops.precise(x, dy)
    taps = _taps(xp, x, several, axes)
    slopes = dy.reshape(taps.shape[2:])
    window = tuple(a.window for a in axes)
    sums = xp.empty((*window, slopes.shape[-1]), x.dtype)
    names = "abcd"[: slopes.ndim - 1] + "k"

    def work(some: list[tuple[int, ...]]) -> None:
        for place in some:
            sums[place] = xp.einsum(f"{names},{names}->k", taps[place], slopes)

    conv_ops.in_threads(xp, work, np.ndindex(window))
    columns = slopes.shape[-1] // max(1, dy.shape[-1])  # that lie in one row
    sums = sums.reshape(*window, columns, x.shape[-1], several).sum(axis=2)
    return sums.astype(dtype, copy=False)


# ---- ops -----------------------------------------------------------------------------------------


_OPTIONS: dict[str, Any] = {"attrs": layouts.Convolution2D, "T": dtypes.FLOATS}
_CASES = [
    ((2, 3, 4, 2), (2, 3, 2, 2), (2, 3, 4, 4), conv_ops.PLAIN_2D),
    ((1, 5, 4, 1), (3, 2, 1, 2), (1, 2, 2, 2), conv_ops.STRIDED_2D),
    ((1, 2, 3, 4), (2, 2, 2, 1), (1, 2, 3, 4), {**conv_ops.PLAIN_2D, "data_format": "NCHW"}),
]


@op(
    "DepthwiseConv2dNative",
    conv_ops.FORWARD,
    samples=conv_ops.samples_of(_CASES, "forward"),
    **_OPTIONS,
)
def depthwise_op(xp: Any, x: Any, w: Any, **attrs: Any) -> Any:
    """Slides over each channel the filters that belong to it."""
    check_rank(x, 4)
    check_rank(w, 4, "filter")
    depth = layouts.channels_last(x, attrs["data_format"]).shape[-1]
    if depth != w.shape[2]:
        raise invalid(f"input and filter must have the same depth: {depth} vs {w.shape[2]}")
    return conv_ops.slide(xp, depthwise, x, w, attrs)


@op(
    "DepthwiseConv2dNativeBackpropInput",
    **conv_ops.BY_INPUT,
    samples=conv_ops.samples_of(_CASES, "by_input"),
    **_OPTIONS,
)
def depthwise_backprop_input_op(xp: Any, sizes: Any, w: Any, dy: Any, **attrs: Any) -> Any:
    """Gives the gradient of DepthwiseConv2dNative by its input."""
    return conv_ops.slide_back(xp, depthwise_input_gradient, sizes, w, dy, attrs)


@op(
    "DepthwiseConv2dNativeBackpropFilter",
    **conv_ops.BY_FILTER,
    samples=conv_ops.samples_of(_CASES, "by_filter"),
    **_OPTIONS,
)
def depthwise_backprop_filter_op(xp: Any, x: Any, sizes: Any, dy: Any, **attrs: Any) -> Any:
    """Gives the gradient of DepthwiseConv2dNative by its filter."""
    dw = conv_ops.slide_together(xp, depthwise_filter_gradient, x, sizes, dy, attrs)
    return dw.reshape(sizes.tolist())


def _shape(x: Any, w: Any, **attrs: Any) -> TensorShape:
    channels = layouts.taken_apart(x.shape, attrs["data_format"])[2]
    *window, depth, several = layouts.sizes_of(w.shape, 4)
    if None not in (channels, depth) and channels != depth:
        raise ValueError(f"Dimensions must be equal, but are {channels} and {depth}")
    channels = depth if channels is None else channels
    features = None if channels is None or several is None else channels * several
    return layouts.convolved_shape(x.shape, window, features, attrs)


conv_ops.wire(
    conv_ops.Family(depthwise_op, depthwise_backprop_input_op, depthwise_backprop_filter_op), _shape
)


# ---- functions ---------------------------------------------------------------------------


def _attrs(strides: Any, padding: Any, data_format: str | None, dilations: Any) -> dict[str, Any]:
    attrs = layouts.window_attrs(depthwise_op, padding, data_format, dilations=dilations)
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

"""Convolutions of images and volumes, their gradients as operations, and transposed convolution.

One kernel serves all: an op only places its windows and hands over to `kernels/conv.py`. Each of
the three ops of a family is linear in both its tensors, so their gradients are one another:

                 by the input             by the filter
    Conv         ConvBackpropInput        ConvBackpropFilter
    ...Input     Conv                     ...Filter
    ...Filter    ...Input                 Conv
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import shape_n
from minitf.core.ops.elementwise import check_rank, invalid
from minitf.library.nets.kernels.conv import convolve, filter_gradient, input_gradient
from minitf.library.nets.kernels.windows import Axis, axis_of
from minitf.library.nets.layouts import (
    Conv2D,
    Convolution3D,
    as_given,
    channels_last,
    convolved_shape,
    is_channels_first,
    margins,
    same_attrs,
    sizes_of,
    spatial,
    taken_apart,
)


class Family(NamedTuple):
    """The three ops of one number of dimensions."""

    forward: OpDef
    by_input: OpDef
    by_filter: OpDef


def places_of(sizes: Sequence[int], window: Sequence[int], attrs: dict[str, Any]) -> list[Axis]:
    """Places the windows; `attrs` are those of the op."""
    steps = tuple(attrs["strides"]), tuple(attrs["dilations"])
    pads = tuple(attrs.get("explicit_paddings") or ())
    return list(
        _placed(tuple(sizes), tuple(window), steps, attrs["padding"], pads, attrs["data_format"])
    )


@lru_cache(maxsize=1024)
def _placed(
    sizes: tuple, window: tuple, steps: tuple, padding: str, pads: tuple, layout: str
) -> list[Axis]:
    for what, whole in zip(("strides", "dilations"), steps, strict=True):
        if whole[0] != 1 or whole[1 if is_channels_first(layout) else -1] != 1:
            raise errors.UnimplementedError(
                None,
                None,
                f"Current implementation does not yet support {what} in the batch and depth "
                "dimensions.",
            )
    lists = (spatial(each, layout) for each in (*steps, margins(pads, len(layout))))
    return [
        axis_of(int(n), int(k), int(s), int(d), padding, p)
        for n, k, s, d, p in zip(sizes, window, *lists, strict=True)
    ]


def check_inputs(x: Any, w: Any, layout: str) -> None:
    """Raises unless images and a filter fit together.

    Raises:
      InvalidArgumentError: "input must be 4-dimensional", "input depth must be ...".
    """
    check_rank(x, len(layout))
    check_rank(w, len(layout), "filter")
    depth = x.shape[1 if is_channels_first(layout) else -1]
    if depth != w.shape[-2]:
        raise invalid(
            f"input depth must be evenly divisible by filter depth: {depth} vs {w.shape[-2]}"
        )


# ---- kernels: they place the windows, and hand over to kernels/conv.py or depthwise.py ----


def slide(xp: Any, kernel: Callable, x: Any, w: Any, attrs: dict[str, Any]) -> Any:
    """Lets `kernel` slide a filter over `x`."""
    layout = attrs["data_format"]
    x = channels_last(x, layout)
    return as_given(kernel(xp, x, w, places_of(x.shape[1:-1], w.shape[:-2], attrs)), layout)


def slide_back(xp: Any, kernel: Callable, sizes: Any, w: Any, dy: Any, attrs: dict) -> Any:
    """Lets `kernel` compute the gradient by an input of these sizes."""
    layout = attrs["data_format"]
    dy, known = channels_last(dy, layout), spatial(sizes.tolist(), layout)
    axes = places_of(known, w.shape[:-2], attrs)
    _check_gradient(dy.shape, axes)
    return as_given(kernel(xp, w, dy, axes), layout)


def slide_together(xp: Any, kernel: Callable, x: Any, sizes: Any, dy: Any, attrs: dict) -> Any:
    """Lets `kernel` compute the gradient by a filter of these sizes."""
    layout = attrs["data_format"]
    x, dy = channels_last(x, layout), channels_last(dy, layout)
    axes = places_of(x.shape[1:-1], sizes.tolist()[:-2], attrs)
    _check_gradient(dy.shape, axes)
    return kernel(xp, x, dy, axes)


def _check_gradient(given: Sequence[int], axes: Sequence[Axis]) -> None:
    """Raises unless a gradient, channels last, has a number for each window.

    Raises:
      InvalidArgumentError: "... Size of out_backprop doesn't match computed: ...".
    """
    for place, (size, axis) in enumerate(zip(given[1:-1], axes, strict=True)):
        if size != axis.outputs:
            raise invalid(
                "Conv2DSlowBackpropInput: Size of out_backprop doesn't match computed: "
                f"actual = {size}, computed = {axis.outputs} spatial_dim: {place + 1} input: "
                f"{axis.size} filter: {axis.window} output: {size} stride: {axis.stride} "
                f"dilation: {axis.dilation}"
            )


# ---- the ops -----------------------------------------------------------------------------


def mixed_sample(sizes: Sequence[tuple], **attrs: Any) -> Any:
    """A sample of random floats; an array stands for itself."""

    def draw(rng: np.random.Generator) -> tuple:
        values = [s if isinstance(s, np.ndarray) else rng.normal(size=s) for s in sizes]
        return (*values, attrs)

    return draw


def ints(*sizes: int) -> np.ndarray:
    """Sizes as an op takes them."""
    return np.array(sizes, np.int32)


def samples_of(cases: Sequence[tuple], which: str) -> list:
    """Samples for one op of a family.

    Args:
      cases: for each the sizes of the input, of the filter and of the result, and the attributes.
      which: "forward", "by_input" (the input's sizes are an input) or "by_filter".
    """
    return [
        mixed_sample(
            {"forward": [x, w], "by_input": [ints(*x), w, y], "by_filter": [x, ints(*w), y]}[which],
            **attrs,
        )
        for x, w, y, attrs in cases
    ]


FORWARD = "input: T, filter: T -> output: T"
BY_INPUT: dict[str, Any] = {
    "signature": "input_sizes: int32, filter: T, out_backprop: T -> output: T",
    "host": ("input_sizes",),
}
BY_FILTER: dict[str, Any] = {
    "signature": "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    "host": ("filter_sizes",),
}
PLAIN_2D = {"strides": [1, 1, 1, 1], "padding": "SAME"}
STRIDED_2D = {"strides": [1, 2, 2, 1], "padding": "VALID"}
_FIRST_2D = {"strides": [1, 1, 2, 1], "padding": "SAME", "data_format": "NCHW"}
_DILATED_2D = {"strides": [1, 1, 1, 1], "padding": "SAME", "dilations": [1, 2, 1, 1]}
_MARGINS_2D = {
    "strides": [1, 1, 2, 1],
    "padding": "EXPLICIT",
    "explicit_paddings": [0, 0, 2, 0, 1, 3, 0, 0],
}
_STRIDED_3D = {"strides": [1, 1, 2, 1, 1], "padding": "SAME"}
_CASES_2D = [
    ((2, 3, 4, 2), (2, 3, 2, 3), (2, 3, 4, 3), PLAIN_2D),
    ((1, 5, 4, 1), (3, 2, 1, 2), (1, 2, 2, 2), STRIDED_2D),
    ((1, 2, 3, 4), (2, 2, 2, 1), (1, 1, 2, 4), _FIRST_2D),
    ((1, 4, 3, 1), (2, 2, 1, 1), (1, 4, 3, 1), _DILATED_2D),
    ((1, 3, 3, 1), (2, 2, 1, 2), (1, 4, 3, 2), _MARGINS_2D),
]
_CASES_3D = [((1, 2, 3, 2, 2), (2, 2, 1, 2, 1), (1, 2, 2, 2, 1), _STRIDED_3D)]
_IMAGES: dict[str, Any] = {"attrs": Conv2D, "T": (*dtypes.FLOATS, dtypes.int32)}
_VOLUMES: dict[str, Any] = {"attrs": Convolution3D, "T": dtypes.FLOATS}


@op("Conv2D", FORWARD, batch="fold first", samples=samples_of(_CASES_2D, "forward"), **_IMAGES)
def conv2d_op(xp: Any, x: Any, w: Any, **attrs: Any) -> Any:
    """Slides a filter over images and gives the products at each place."""
    check_inputs(x, w, attrs["data_format"])
    return slide(xp, convolve, x, w, attrs)


@op("Conv2DBackpropInput", **BY_INPUT, samples=samples_of(_CASES_2D, "by_input"), **_IMAGES)
def conv2d_backprop_input_op(xp: Any, sizes: Any, w: Any, dy: Any, **attrs: Any) -> Any:
    """Gives the gradient of Conv2D by its input."""
    return slide_back(xp, input_gradient, sizes, w, dy, attrs)


@op("Conv2DBackpropFilter", **BY_FILTER, samples=samples_of(_CASES_2D, "by_filter"), **_IMAGES)
def conv2d_backprop_filter_op(xp: Any, x: Any, sizes: Any, dy: Any, **attrs: Any) -> Any:
    """Gives the gradient of Conv2D by its filter."""
    return slide_together(xp, filter_gradient, x, sizes, dy, attrs)


@op("Conv3D", FORWARD, batch="fold first", samples=samples_of(_CASES_3D, "forward"), **_VOLUMES)
def conv3d_op(xp: Any, x: Any, w: Any, **attrs: Any) -> Any:
    """Slides a filter over volumes and gives the products at each place."""
    check_inputs(x, w, attrs["data_format"])
    return slide(xp, convolve, x, w, attrs)


@op(
    "Conv3DBackpropInputV2",
    "input_sizes: Tshape, filter: T, out_backprop: T -> output: T",
    host=("input_sizes",),
    Tshape=dtypes.INDICES,
    samples=samples_of(_CASES_3D, "by_input"),
    **_VOLUMES,
)
def conv3d_backprop_input_op(xp: Any, sizes: Any, w: Any, dy: Any, **attrs: Any) -> Any:
    """Gives the gradient of Conv3D by its input."""
    return slide_back(xp, input_gradient, sizes, w, dy, attrs)


@op("Conv3DBackpropFilterV2", **BY_FILTER, samples=samples_of(_CASES_3D, "by_filter"), **_VOLUMES)
def conv3d_backprop_filter_op(xp: Any, x: Any, sizes: Any, dy: Any, **attrs: Any) -> Any:
    """Gives the gradient of Conv3D by its filter."""
    return slide_together(xp, filter_gradient, x, sizes, dy, attrs)


# ---- shapes and gradients ----------------------------------------------------------------


def _conv_shape(x: Any, w: Any, **attrs: Any) -> TensorShape:
    channels = taken_apart(x.shape, attrs["data_format"])[2]
    *window, depth, features = sizes_of(w.shape, len(attrs["data_format"]))
    if None not in (channels, depth) and depth and channels % depth:
        raise ValueError(
            f"Depth of input ({channels}) is not a multiple of input depth of filter ({depth})"
        )
    groups = channels // depth if channels and depth else 1
    if features is not None and features % groups:
        raise ValueError(
            f"Depth of output ({features}) is not a multiple of the number of groups ({groups})"
        )
    return convolved_shape(x.shape, window, features, attrs)


def _sized(sizes: Any, rank: int) -> TensorShape:
    known = sizes.partial_shape
    return TensorShape([None] * rank) if known.ndims is None else known.with_rank(rank)


def wire(family: Family, shape: Callable[..., TensorShape], check_features: bool = False) -> None:
    """Declares the shapes and the gradients of a family: each op's are the other two.

    Args:
      shape: the shape function of `family.forward`.
      check_features: whether a gradient must have as many channels as the filter has features.
    """
    forward, by_input, by_filter = family
    rank = len(forward.attr_defaults["data_format"])
    forward.shape(shape)

    @forward.gradient
    def forward_grad(operation: Any, dy: Tensor) -> list:
        x, w = operation.inputs
        attrs = same_attrs(forward, operation)
        x_shape, w_shape = shape_n([x, w])
        return [by_input(x_shape, w, dy, **attrs), by_filter(x, w_shape, dy, **attrs)]

    @by_input.gradient
    def by_input_grad(operation: Any, dy: Tensor) -> list:
        _, w, given = operation.inputs
        attrs = same_attrs(forward, operation)
        return [None, by_filter(dy, shape_of(w), given, **attrs), forward(dy, w, **attrs)]

    @by_filter.gradient
    def by_filter_grad(operation: Any, dy: Tensor) -> list:
        x, _, given = operation.inputs
        attrs = same_attrs(forward, operation)
        return [by_input(shape_of(x), dy, given, **attrs), None, forward(x, dy, **attrs)]

    @by_input.shape
    def by_input_shape(sizes: Any, w: Any, dy: Any, **attrs: Any) -> TensorShape:
        batch, _, given = taken_apart(dy.shape, attrs["data_format"])
        features = sizes_of(w.shape, rank)[-1]
        if check_features and None not in (given, features) and given != features:
            raise ValueError(f"Dimensions must be equal, but are {given} and {features}")
        return _sized(sizes, rank).merge_with([batch, *[None] * (rank - 1)])

    by_filter.shape(lambda x, sizes, dy, **attrs: _sized(sizes, rank))


_CONV2D = Family(conv2d_op, conv2d_backprop_input_op, conv2d_backprop_filter_op)
wire(_CONV2D, _conv_shape, check_features=True)
wire(Family(conv3d_op, conv3d_backprop_input_op, conv3d_backprop_filter_op), _conv_shape)

"""Convolutions of images and volumes, their gradients as operations, and transposed convolution.

One kernel serves all: an op only places its windows and hands over to `kernels/conv.py`. Each of
the three ops of a family is linear in both its tensors, so their gradients are one another:

                 by the input             by the filter
    Conv         ConvBackpropInput        ConvBackpropFilter
    ...Input     Conv                     ...Filter
    ...Filter    ...Input                 Conv
"""

from __future__ import annotations

from collections.abc import Sequence
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
    arranged,
    as_given,
    channels_last,
    check_margins,
    is_channels_first,
    margins,
    output_sizes,
    spatial,
    taken_apart,
)

_TYPES = (*dtypes.FLOATS, dtypes.int32)


class Family(NamedTuple):
    """The three ops of one number of dimensions."""

    forward: OpDef
    by_input: OpDef
    by_filter: OpDef


def places_of(sizes: Sequence[int], window: Sequence[int], attrs: dict[str, Any]) -> list[Axis]:
    """Places the windows; `attrs` are those of the op."""
    lists = (tuple(attrs[what]) for what in ("strides", "dilations"))
    pads = tuple(attrs.get("explicit_paddings") or ())
    layout = attrs["data_format"]
    return list(_placed(tuple(sizes), tuple(window), *lists, attrs["padding"], pads, layout))


@lru_cache(maxsize=1024)
def _placed(
    sizes: tuple,
    window: tuple,
    strides: tuple,
    dilations: tuple,
    padding: str,
    pads: tuple,
    layout: str,
) -> list[Axis]:
    for what, whole in (("strides", strides), ("dilations", dilations)):
        if whole[0] != 1 or whole[1 if is_channels_first(layout) else -1] != 1:
            raise errors.UnimplementedError(
                None,
                None,
                f"Current implementation does not yet support {what} in the batch and depth "
                "dimensions.",
            )
    pairs = margins(pads or [0] * 2 * (len(sizes) + 2))
    return [
        axis_of(int(n), int(k), int(s), int(d), padding, p)
        for n, k, s, d, p in zip(
            sizes,
            window,
            spatial(strides, layout),
            spatial(dilations, layout),
            spatial(pairs, layout),
            strict=True,
        )
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


def _forward(xp: Any, x: Any, w: Any, attrs: dict[str, Any]) -> Any:
    layout = attrs["data_format"]
    check_inputs(x, w, layout)
    x = channels_last(x, layout)
    return as_given(convolve(xp, x, w, places_of(x.shape[1:-1], w.shape[:-2], attrs)), layout)


def _by_input(xp: Any, sizes: Any, w: Any, dy: Any, attrs: dict[str, Any]) -> Any:
    layout = attrs["data_format"]
    dy, known = channels_last(dy, layout), spatial(sizes.tolist(), layout)
    axes = places_of(known, w.shape[:-2], attrs)
    check_gradient(dy.shape, axes)
    return as_given(input_gradient(xp, w, dy, axes), layout)


def _by_filter(xp: Any, x: Any, sizes: Any, dy: Any, attrs: dict[str, Any]) -> Any:
    layout = attrs["data_format"]
    x, dy = channels_last(x, layout), channels_last(dy, layout)
    axes = places_of(x.shape[1:-1], sizes.tolist()[:-2], attrs)
    check_gradient(dy.shape, axes)
    return filter_gradient(xp, x, dy, axes)


def check_gradient(given: Sequence[int], axes: Sequence[Axis]) -> None:
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
                f"dilation: {axis.dilation}",
            )


# ---- shapes ------------------------------------------------------------------------------


def _conv_shape(x: Any, w: Any, **attrs: Any) -> TensorShape:
    layout, rank = attrs["data_format"], len(attrs["data_format"])
    batch, sizes, channels = taken_apart(x.shape, rank, layout)
    *window, depth, features = taken_filter(w.shape, rank)
    if None not in (channels, depth) and depth and channels % depth:
        raise ValueError(
            f"Depth of input ({channels}) is not a multiple of input depth of filter ({depth})"
        )
    pads = margins(attrs.get("explicit_paddings") or [0] * 2 * rank)
    check_margins(pads, layout)
    pads = spatial(pads, layout)
    strides, dilations = (spatial(attrs[a], layout) for a in ("strides", "dilations"))
    outputs = output_sizes(sizes, window, strides, dilations, attrs["padding"], pads)
    return arranged(batch, outputs, features, layout)


def taken_filter(shape: TensorShape, rank: int) -> list[int | None]:
    """The sizes of a filter of `rank` dimensions."""
    sizes = shape.with_rank(rank)
    return [None] * rank if sizes.ndims is None else sizes.as_list()


def _sized(sizes: Any, rank: int) -> TensorShape:
    known = sizes.partial_shape
    return TensorShape([None] * rank) if known.ndims is None else known.with_rank(rank)


# ---- the two families --------------------------------------------------------------------


def mixed_sample(sizes: Sequence[tuple], **attrs: Any) -> Any:
    """A sample of random floats; an array stands for itself."""

    def draw(rng: np.random.Generator) -> tuple:
        values = [s if isinstance(s, np.ndarray) else rng.normal(size=s) for s in sizes]
        return (*values, attrs)

    return draw


def ints(*sizes: int) -> np.ndarray:
    """Sizes as an op takes them."""
    return np.array(sizes, np.int32)


_PLAIN_2D = {"strides": [1, 1, 1, 1], "padding": "SAME"}
_STRIDED_2D = {"strides": [1, 2, 2, 1], "padding": "VALID"}
_FIRST_2D = {"strides": [1, 1, 2, 1], "padding": "SAME", "data_format": "NCHW"}
_DILATED_2D = {"strides": [1, 1, 1, 1], "padding": "SAME", "dilations": [1, 2, 1, 1]}
_MARGINS_2D = {
    "strides": [1, 1, 2, 1],
    "padding": "EXPLICIT",
    "explicit_paddings": [0, 0, 2, 0, 1, 3, 0, 0],
}
_STRIDED_3D = {"strides": [1, 1, 2, 1, 1], "padding": "SAME"}


@op(
    "Conv2D",
    "input: T, filter: T -> output: T",
    T=_TYPES,
    samples=[
        mixed_sample([(2, 3, 4, 2), (2, 3, 2, 3)], **_PLAIN_2D),
        mixed_sample([(1, 5, 4, 1), (3, 2, 1, 2)], **_STRIDED_2D),
        mixed_sample([(1, 2, 3, 4), (2, 2, 2, 1)], **_FIRST_2D),
        mixed_sample([(1, 4, 3, 1), (2, 2, 1, 1)], **_DILATED_2D),
        mixed_sample([(1, 3, 3, 1), (2, 2, 1, 2)], **_MARGINS_2D),
    ],
)
def conv2d_op(
    xp: Any,
    input: Any,  # noqa: A002
    filter: Any,  # noqa: A002
    *,
    strides: Any,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:
    """Slides a filter over images and gives the products at each place."""
    return _forward(xp, input, filter, locals())


@op(
    "Conv2DBackpropInput",
    "input_sizes: int32, filter: T, out_backprop: T -> output: T",
    host=("input_sizes",),
    T=_TYPES,
    samples=[
        mixed_sample([ints(2, 3, 4, 2), (2, 3, 2, 3), (2, 3, 4, 3)], **_PLAIN_2D),
        mixed_sample([ints(1, 5, 4, 1), (3, 2, 1, 2), (1, 2, 2, 2)], **_STRIDED_2D),
        mixed_sample([ints(1, 2, 3, 4), (2, 2, 2, 1), (1, 1, 2, 4)], **_FIRST_2D),
        mixed_sample([ints(1, 4, 3, 1), (2, 2, 1, 1), (1, 4, 3, 1)], **_DILATED_2D),
        mixed_sample([ints(1, 3, 3, 1), (2, 2, 1, 2), (1, 4, 3, 2)], **_MARGINS_2D),
    ],
)
def conv2d_backprop_input_op(
    xp: Any,
    input_sizes: Any,
    filter: Any,  # noqa: A002
    out_backprop: Any,
    *,
    strides: Any,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:
    """Gives the gradient of Conv2D by its input."""
    return _by_input(xp, input_sizes, filter, out_backprop, locals())


@op(
    "Conv2DBackpropFilter",
    "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    host=("filter_sizes",),
    T=_TYPES,
    samples=[
        mixed_sample([(2, 3, 4, 2), ints(2, 3, 2, 3), (2, 3, 4, 3)], **_PLAIN_2D),
        mixed_sample([(1, 5, 4, 1), ints(3, 2, 1, 2), (1, 2, 2, 2)], **_STRIDED_2D),
        mixed_sample([(1, 2, 3, 4), ints(2, 2, 2, 1), (1, 1, 2, 4)], **_FIRST_2D),
        mixed_sample([(1, 3, 3, 1), ints(2, 2, 1, 2), (1, 4, 3, 2)], **_MARGINS_2D),
    ],
)
def conv2d_backprop_filter_op(
    xp: Any,
    input: Any,  # noqa: A002
    filter_sizes: Any,
    out_backprop: Any,
    *,
    strides: Any,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:
    """Gives the gradient of Conv2D by its filter."""
    return _by_filter(xp, input, filter_sizes, out_backprop, locals())


@op(
    "Conv3D",
    "input: T, filter: T -> output: T",
    T=dtypes.FLOATS,
    samples=[mixed_sample([(1, 2, 3, 2, 2), (2, 2, 1, 2, 1)], **_STRIDED_3D)],
)
def conv3d_op(
    xp: Any,
    input: Any,  # noqa: A002
    filter: Any,  # noqa: A002
    *,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
) -> Any:
    """Slides a filter over volumes and gives the products at each place."""
    return _forward(xp, input, filter, locals())


@op(
    "Conv3DBackpropInputV2",
    "input_sizes: Tshape, filter: T, out_backprop: T -> output: T",
    host=("input_sizes",),
    T=dtypes.FLOATS,
    Tshape=dtypes.INDICES,
    samples=[mixed_sample([ints(1, 2, 3, 2, 2), (2, 2, 1, 2, 1), (1, 2, 2, 2, 1)], **_STRIDED_3D)],
)
def conv3d_backprop_input_op(
    xp: Any,
    input_sizes: Any,
    filter: Any,  # noqa: A002
    out_backprop: Any,
    *,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
) -> Any:
    """Gives the gradient of Conv3D by its input."""
    return _by_input(xp, input_sizes, filter, out_backprop, locals())


@op(
    "Conv3DBackpropFilterV2",
    "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    host=("filter_sizes",),
    T=dtypes.FLOATS,
    samples=[mixed_sample([(1, 2, 3, 2, 2), ints(2, 2, 1, 2, 1), (1, 2, 2, 2, 1)], **_STRIDED_3D)],
)
def conv3d_backprop_filter_op(
    xp: Any,
    input: Any,  # noqa: A002
    filter_sizes: Any,
    out_backprop: Any,
    *,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
) -> Any:
    """Gives the gradient of Conv3D by its filter."""
    return _by_filter(xp, input, filter_sizes, out_backprop, locals())


def wire_gradients(family: Family, rank: int) -> None:
    """Declares the shapes and the gradients of a family: each op's are the other two."""
    forward, by_input, by_filter = family

    def attrs_of(operation: Any) -> dict[str, Any]:
        return {name: operation.get_attr(name) for name in forward.attr_names}

    @forward.gradient
    def forward_grad(operation: Any, dy: Tensor) -> list:
        x, w = operation.inputs
        attrs = attrs_of(operation)
        x_shape, w_shape = shape_n([x, w])
        return [by_input(x_shape, w, dy, **attrs), by_filter(x, w_shape, dy, **attrs)]

    @by_input.gradient
    def by_input_grad(operation: Any, dy: Tensor) -> list:
        _, w, given = operation.inputs
        attrs = attrs_of(operation)
        return [None, by_filter(dy, shape_of(w), given, **attrs), forward(dy, w, **attrs)]

    @by_filter.gradient
    def by_filter_grad(operation: Any, dy: Tensor) -> list:
        x, _, given = operation.inputs
        attrs = attrs_of(operation)
        return [by_input(shape_of(x), dy, given, **attrs), None, forward(x, dy, **attrs)]

    @by_input.shape
    def by_input_shape(sizes: Any, w: Any, dy: Any, **attrs: Any) -> TensorShape:
        given = taken_apart(dy.shape, rank, attrs["data_format"])[2]
        features = taken_filter(w.shape, rank)[-1]
        if family is _CONV2D and None not in (given, features) and given != features:
            raise ValueError(f"Dimensions must be equal, but are {given} and {features}")
        batch = taken_apart(dy.shape, rank, attrs["data_format"])[0]
        return _sized(sizes, rank).merge_with([batch, *[None] * (rank - 1)])

    by_filter.shape(lambda x, sizes, dy, **attrs: _sized(sizes, rank))


_CONV2D = Family(conv2d_op, conv2d_backprop_input_op, conv2d_backprop_filter_op)
_CONV3D = Family(conv3d_op, conv3d_backprop_input_op, conv3d_backprop_filter_op)
conv2d_op.shape(_conv_shape)
conv3d_op.shape(_conv_shape)
wire_gradients(_CONV2D, 4)
wire_gradients(_CONV3D, 5)

"""Convolutions of images, their gradients as operations, and transposed convolution.

One kernel serves all: an op only places its windows. Each of the three ops of a family is linear in
both its tensors, so their gradients are one another:

                 by the input             by the filter
    Conv         ConvBackpropInput        ConvBackpropFilter
    ...Input     Conv                     ...Filter
    ...Filter    ...Input                 Conv

The kernels work in any number of dimensions, by products of matrices:

    x [batch, h, w, c]  ──unfold──>  rows [batch * oh * ow, kh * kw * c]  @  w [kh * kw * c, m]
                                                                   = y [batch * oh * ow, m]

Unfolding a whole batch writes many times the memory of the input. Here it is done in blocks that
stay in the second-level cache until BLAS has read them. With one channel, the rows are built as
columns: then every copy runs along the width of the image instead of along three or five numbers.
Several threads take the blocks: copies and products leave Python's lock to others. The compiled
tier unfolds nothing.

The gradient by the input has two forms. *Gather* convolves the gradient with the flipped filter;
with a stride s, each s-th place of the input meets the same s-th part of the filter, so it is s
smaller convolutions along an axis. *Scatter* multiplies first and adds the products where they
belong; it serves inputs of few channels.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.table import kernel
from minitf.core.kernels.threads import split
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import shape_n
from minitf.core.ops.elementwise import check_rank, invalid
from minitf.library.nets import windows as layouts

# ---- kernels -------------------------------------------------------------------------------------


_BLOCK = 1 << 18  # elements of an unfolded block: one megabyte of float32
_SMALL = 1_000_000  # multiplications that OpenBLAS does without packing, twice as fast
_WORTH_CUTTING = 1024  # outputs: smaller pieces cost more calls than they gain
_FEWEST = 16  # outputs of a small product: with fewer, a large one is as quick


def precise(*arrays: Any) -> list[Any]:
    """Half-precision numbers are multiplied in single precision."""
    return [a.astype(np.float32) if a.dtype.itemsize == 2 else a for a in arrays]


def padded(xp: Any, x: Any, axes: Sequence[layouts.Axis]) -> Any:
    """`x`, channels last, with margins of zeros; itself, when there are none.

    Raises:
      InvalidArgumentError: when these are not the axes of `x`; `windows` looks at no bounds.
    """
    if not layouts.placed(axes, x.shape[1:-1]):
        raise invalid(f"Windows do not fit images of the shape {list(x.shape)}: {list(axes)}")
    if not any(a.before or a.after for a in axes):
        return x
    result = xp.zeros((x.shape[0], *(a.padded for a in axes), x.shape[-1]), x.dtype)
    result[inside(axes)] = x
    return result


def inside(axes: Sequence[layouts.Axis]) -> tuple:
    """Where the input lies in the padded array."""
    return (slice(None), *(slice(a.before, a.before + a.size) for a in axes), slice(None))


def windows(xp: Any, x: Any, axes: Sequence[layouts.Axis]) -> Any:
    """A view [batch, *outputs, *window, channels]; nothing is copied."""
    steps = x.strides
    return xp.lib.stride_tricks.as_strided(
        x,
        (x.shape[0], *(a.outputs for a in axes), *(a.window for a in axes), x.shape[-1]),
        (
            steps[0],
            *(n * a.stride for n, a in zip(steps[1:], axes, strict=False)),
            *(n * a.dilation for n, a in zip(steps[1:], axes, strict=False)),
            steps[-1],
        ),
    )


def blocks(
    xp: Any, batch: int, axes: Sequence[layouts.Axis], depth: int, features: int, parts: int = 0
) -> Iterator[tuple]:
    """Pieces of the outputs: several images, or some rows of one.

    Args:
      depth: how many numbers a window holds.
      features: how many numbers an output has.
      parts: how many outputs are pooled to one of those that `axes` counts; 0: they are not kept
        in the block.
    Returns: pairs of slices, of the batch and of the first axis.
    """
    rows = axes[0].outputs
    if xp is not np:
        yield slice(0, batch), slice(0, rows)
        return
    most = _BLOCK // max(1, depth, 2 * features if parts else 0)
    small = _SMALL // max(1, depth * features)
    most = (small if _WORTH_CUTTING <= small < most else most) // max(1, parts)  # of outputs
    row = math.prod(a.outputs for a in axes[1:])
    images = max(1, most // max(1, row * rows))
    high = rows if row * rows <= 2 * most else max(1, most // max(1, row))
    for first in range(0, batch, images):
        for top in range(0, rows, high):
            yield slice(first, min(first + images, batch)), slice(top, min(top + high, rows))


def few_at_a_time(xp: Any, run: Callable[[slice], None], images: Any) -> None:
    """Calls `run` with places of a few images, which stay in the cache, in several threads.

    On a GPU it calls it once, with all of them.
    """
    few = max(1, _BLOCK // max(1, images[:1].size))

    def work(start: int, stop: int) -> None:
        for first in range(start, stop, few):
            run(slice(first, min(first + few, stop)))

    if xp is np:
        split(work, len(images), few)
    else:
        run(slice(0, len(images)))


def in_threads(xp: Any, work: Callable[[list], Any], places: Iterable[Any]) -> list:
    """What `work` makes of parts of a list of blocks; each part in a thread of its own."""
    listed, results = list(places), {}

    def part(start: int, stop: int) -> None:
        results[start] = work(listed[start:stop])

    if xp is np:
        split(part, len(listed), 1)
    else:
        part(0, len(listed))
    return [results[start] for start in sorted(results)]


def unfolded(xp: Any, view: Any, lead: int) -> Any:
    """The windows of a block as a matrix [outputs, window * channels], its memory in either order.

    Args:
      view: [*outputs, *window, channels].
      lead: how many axes the outputs have.
    """
    count, depth = math.prod(view.shape[:lead]), math.prod(view.shape[lead:])
    if view.shape[-1] == 1:
        order = (*range(lead, view.ndim), *range(lead))
        return xp.ascontiguousarray(view.transpose(order)).reshape(depth, count).T
    return xp.ascontiguousarray(view).reshape(count, depth)


def multiplied(xp: Any, rows: Any, matrix: Any, out: Any) -> Any:
    """rows @ matrix, written to `out`: as products so small that OpenBLAS packs none of them."""
    most = _SMALL // max(1, matrix.size)
    if xp is np and _FEWEST <= most < len(rows) and rows.flags.c_contiguous:
        whole = len(rows) // most * most
        pieces = rows[:whole].reshape(-1, most, rows.shape[1])
        np.matmul(pieces, matrix, out=out[:whole].reshape(-1, most, out.shape[1]))
        rows, rest = rows[whole:], out[whole:]
    else:
        rest = out
    xp.matmul(rows, matrix, out=rest)
    return out


def slides(x: Any, w: Any, axes: Sequence[layouts.Axis]) -> bool:
    """Whether a filter [*window, c, m] slides over images [batch, *sizes, c] so."""
    sizes = (*[a.window for a in axes], x.shape[-1])  # no generator: small steps ask this, too
    return layouts.placed(axes, x.shape[1:-1]) and w.shape[:-1] == sizes and w.dtype == x.dtype


def answers(x: Any, dy: Any, axes: Sequence[layouts.Axis]) -> bool:
    """Whether a gradient [batch, *outputs, m] has a number for each window on images."""
    sizes = (len(x), *(a.outputs for a in axes))
    return layouts.placed(axes, x.shape[1:-1]) and dy.shape[:-1] == sizes and dy.dtype == x.dtype


@kernel(compiled="conv", takes=slides)
def convolve(xp: Any, x: Any, w: Any, axes: Sequence[layouts.Axis]) -> Any:
    """Convolution, or rather correlation, with the channels last.

    Args:
      x: [batch, *sizes, c].
      w: [*window, c, m].
      axes: how the windows lie.
    Returns: [batch, *outputs, m].
    """
    dtype = x.dtype
    x, w = precise(x, w)
    rank, features = len(axes), w.shape[-1]
    matrix = w.reshape(-1, features)
    view = windows(xp, padded(xp, x, axes), axes)
    y = xp.empty((x.shape[0], *(a.outputs for a in axes), features), x.dtype)

    def work(places: list) -> None:
        for place in places:
            part = y[place].reshape(-1, features)
            multiplied(xp, unfolded(xp, view[place], 1 + rank), matrix, part)

    in_threads(xp, work, blocks(xp, x.shape[0], axes, *matrix.shape))
    return y.astype(dtype, copy=False)


@kernel(compiled="conv", takes=answers)
def filter_gradient(xp: Any, x: Any, dy: Any, axes: Sequence[layouts.Axis]) -> Any:
    """The gradient of `convolve` by the filter.

    Args:
      x: [batch, *sizes, c].
      dy: [batch, *outputs, m].
      axes: how the windows lie.
    Returns: [*window, c, m].
    """
    dtype = x.dtype
    x, dy = precise(x, dy)
    rank, features = len(axes), dy.shape[-1]
    view = windows(xp, padded(xp, x, axes), axes)
    shape = (*(a.window for a in axes), x.shape[-1], features)
    depth = math.prod(shape[:-1])

    def work(places: list) -> Any:
        total = xp.zeros((depth, features), x.dtype)
        for place in places:
            matrix = unfolded(xp, view[place], 1 + rank)
            total += xp.matmul(matrix.T, dy[place].reshape(-1, features))
        return total

    total = sum(in_threads(xp, work, blocks(xp, x.shape[0], axes, depth, features)))
    return total.reshape(shape).astype(dtype, copy=False)


def input_gradient(xp: Any, w: Any, dy: Any, axes: Sequence[layouts.Axis]) -> Any:
    """The gradient of `convolve` by its input, which is also the transposed convolution.

    Args:
      w: [*window, c, m].
      dy: [batch, *outputs, m].
      axes: how the windows lie; `size` is that of the result.
    Returns: [batch, *sizes, c].
    """
    dtype = dy.dtype
    w, dy = precise(w, dy)
    few = w.shape[-2] <= min(4, w.shape[-1] // 4)
    apart = any(a.stride > 1 and a.dilation > 1 for a in axes)
    dx = (_scattered if few or apart else _gathered)(xp, w, dy, axes)
    return dx.astype(dtype, copy=False)


class _Phase(NamedTuple):
    """Every `stride`-th place of the input along an axis: those that meet the same taps.

    Attributes:
      places: which places of the input.
      taps: which elements of the window.
      outputs: which elements of the gradient they need.
      axis: how the flipped taps lie over these.
    """

    places: slice
    taps: slice
    outputs: slice
    axis: layouts.Axis


def phases(axis: layouts.Axis) -> Iterator[_Phase]:
    """How the gradient by the input is gathered along an axis: once for each place in a stride."""
    step, reach = axis.stride, axis.dilation
    for tap in range(step):
        start = (tap - axis.before) % step
        count = len(range(start, axis.size, step))
        taps = len(range(tap, axis.window, step))
        if not count or not taps:
            continue
        newest = (start + axis.before - tap) // step  # the last window that holds the first place
        low, high = newest - (taps - 1) * reach, newest + count
        inside = slice(max(low, 0), max(min(high, axis.outputs), 0))
        size = max(inside.stop - inside.start, 0)
        before, after = min(max(-low, 0), high - low), max(high - max(axis.outputs, low), 0)
        yield _Phase(
            slice(start, None, step),
            slice(tap, None, step),
            inside,
            layouts.Axis(size, taps, 1, reach, before, after, count),
        )


def _gathered(xp: Any, w: Any, dy: Any, axes: Sequence[layouts.Axis]) -> Any:
    """Convolves dy with the flipped filter; for strides, each phase with the taps it meets."""
    flip = (slice(None, None, -1),) * len(axes)
    if all(a.stride == 1 for a in axes):
        (phase,) = zip(*(list(phases(a)) for a in axes), strict=True)
        part = dy[(slice(None), *(p.outputs for p in phase))]
        turned = xp.ascontiguousarray(w[flip].swapaxes(-1, -2))
        return convolve(xp, part, turned, [p.axis for p in phase])
    dx = xp.zeros((dy.shape[0], *(a.size for a in axes), w.shape[-2]), dy.dtype)
    for phase in itertools.product(*map(phases, axes)):
        part = dy[(slice(None), *(p.outputs for p in phase))]
        turned = w[tuple(p.taps for p in phase)][flip].swapaxes(-1, -2)
        dx[(slice(None), *(p.places for p in phase))] = convolve(
            xp, part, xp.ascontiguousarray(turned), [p.axis for p in phase]
        )
    return dx


def _scattered(xp: Any, w: Any, dy: Any, axes: Sequence[layouts.Axis]) -> Any:
    """Adds up planes, one for each channel: their rows are longer than a pixel's few channels."""
    *window, channels, features = w.shape
    matrix = w.reshape(-1, features)
    dx = xp.zeros((channels, dy.shape[0], *(a.padded for a in axes)), dy.dtype)

    def work(images: list) -> None:
        planes, given = (part[images[0] : images[-1] + 1] for part in (dx.swapaxes(0, 1), dy))
        for some, rows in blocks(xp, len(given), axes, *matrix.shape):
            part = given[some, rows]
            products = xp.matmul(part.reshape(-1, features), matrix.T).T
            products = products.reshape(*window, channels, *part.shape[:-1]).swapaxes(
                rank, rank + 1
            )
            for offset, (down, *right) in zip(np.ndindex(*window), places, strict=True):
                first = down.start + rows.start * step
                down = slice(first, first + (rows.stop - rows.start - 1) * step + 1, step)
                planes[(some, slice(None), down, *right)] += products[offset]

    rank, step = len(axes), axes[0].stride
    places = list(itertools.product(*(axis.reaches for axis in axes)))
    if len(dy):
        in_threads(xp, work, range(len(dy)))
    return xp.ascontiguousarray(xp.moveaxis(dx, 0, -1)[inside(axes)])


# ---- placing windows -----------------------------------------------------------------------------


class Family(NamedTuple):
    """The three ops of one number of dimensions."""

    forward: OpDef
    by_input: OpDef
    by_filter: OpDef


def places_of(
    sizes: Sequence[int], window: Sequence[int], attrs: dict[str, Any]
) -> tuple[layouts.Axis, ...]:
    """Places the windows; `attrs` are those of the op."""
    steps = tuple(attrs["strides"]), tuple(attrs["dilations"])
    pads = tuple(attrs.get("explicit_paddings") or ())
    return _placed(tuple(sizes), tuple(window), steps, attrs["padding"], pads, attrs["data_format"])


@lru_cache(maxsize=1024)
def _placed(
    sizes: tuple, window: tuple, steps: tuple, padding: str, pads: tuple, layout: str
) -> tuple[layouts.Axis, ...]:
    for what, whole in zip(("strides", "dilations"), steps, strict=True):
        if whole[0] != 1 or whole[1 if layouts.is_channels_first(layout) else -1] != 1:
            raise errors.UnimplementedError(
                None,
                None,
                f"Current implementation does not yet support {what} in the batch and depth "
                "dimensions.",
            )
    lists = (layouts.spatial(each, layout) for each in (*steps, layouts.margins(pads, len(layout))))
    return tuple(
        layouts.axis_of(int(n), int(k), int(s), int(d), padding, p)
        for n, k, s, d, p in zip(sizes, window, *lists, strict=True)
    )


def check_inputs(x: Any, w: Any, layout: str) -> None:
    """Raises unless images and a filter fit together.

    Raises:
      InvalidArgumentError: "input must be 4-dimensional", "input depth must be ...".
    """
    check_rank(x, len(layout))
    check_rank(w, len(layout), "filter")
    depth = x.shape[1 if layouts.is_channels_first(layout) else -1]
    if depth != w.shape[-2]:
        raise invalid(
            f"input depth must be evenly divisible by filter depth: {depth} vs {w.shape[-2]}"
        )


def slide(xp: Any, kernel: Callable, x: Any, w: Any, attrs: dict[str, Any]) -> Any:
    """Lets `kernel` slide a filter over `x`."""
    layout = attrs["data_format"]
    x = layouts.channels_last(x, layout)
    return layouts.as_given(kernel(xp, x, w, places_of(x.shape[1:-1], w.shape[:-2], attrs)), layout)


def slide_back(xp: Any, kernel: Callable, sizes: Any, w: Any, dy: Any, attrs: dict) -> Any:
    """Lets `kernel` compute the gradient by an input of these sizes."""
    layout = attrs["data_format"]
    dy, known = layouts.channels_last(dy, layout), layouts.spatial(sizes.tolist(), layout)
    axes = places_of(known, w.shape[:-2], attrs)
    _check_gradient(dy.shape, axes)
    return layouts.as_given(kernel(xp, w, dy, axes), layout)


def slide_together(xp: Any, kernel: Callable, x: Any, sizes: Any, dy: Any, attrs: dict) -> Any:
    """Lets `kernel` compute the gradient by a filter of these sizes."""
    layout = attrs["data_format"]
    x, dy = layouts.channels_last(x, layout), layouts.channels_last(dy, layout)
    axes = places_of(x.shape[1:-1], sizes.tolist()[:-2], attrs)
    _check_gradient(dy.shape, axes)
    return kernel(xp, x, dy, axes)


def _check_gradient(given: Sequence[int], axes: Sequence[layouts.Axis]) -> None:
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
_CASES_2D = [
    ((2, 3, 4, 2), (2, 3, 2, 3), (2, 3, 4, 3), PLAIN_2D),
    ((1, 5, 4, 1), (3, 2, 1, 2), (1, 2, 2, 2), STRIDED_2D),
    ((1, 2, 3, 4), (2, 2, 2, 1), (1, 1, 2, 4), _FIRST_2D),
    ((1, 4, 3, 1), (2, 2, 1, 1), (1, 4, 3, 1), _DILATED_2D),
    ((1, 3, 3, 1), (2, 2, 1, 2), (1, 4, 3, 2), _MARGINS_2D),
]
_IMAGES: dict[str, Any] = {"attrs": layouts.Conv2D, "T": (*dtypes.FLOATS, dtypes.int32)}


@op("Conv2D", FORWARD, samples=samples_of(_CASES_2D, "forward"), **_IMAGES)
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


# ---- shapes and gradients ----------------------------------------------------------------


def _conv_shape(x: Any, w: Any, **attrs: Any) -> TensorShape:
    channels = layouts.taken_apart(x.shape, attrs["data_format"])[2]
    *window, depth, features = layouts.sizes_of(w.shape, len(attrs["data_format"]))
    if None not in (channels, depth) and depth and channels % depth:
        raise ValueError(
            f"Depth of input ({channels}) is not a multiple of input depth of filter ({depth})"
        )
    groups = channels // depth if channels and depth else 1
    if features is not None and features % groups:
        raise ValueError(
            f"Depth of output ({features}) is not a multiple of the number of groups ({groups})"
        )
    return layouts.convolved_shape(x.shape, window, features, attrs)


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
        attrs = layouts.same_attrs(forward, operation)
        x_shape, w_shape = shape_n([x, w])
        return [by_input(x_shape, w, dy, **attrs), by_filter(x, w_shape, dy, **attrs)]

    @by_input.gradient
    def by_input_grad(operation: Any, dy: Tensor) -> list:
        _, w, given = operation.inputs
        attrs = layouts.same_attrs(forward, operation)
        return [None, by_filter(dy, shape_of(w), given, **attrs), forward(dy, w, **attrs)]

    @by_filter.gradient
    def by_filter_grad(operation: Any, dy: Tensor) -> list:
        x, _, given = operation.inputs
        attrs = layouts.same_attrs(forward, operation)
        return [by_input(shape_of(x), dy, given, **attrs), None, forward(x, dy, **attrs)]

    @by_input.shape
    def by_input_shape(sizes: Any, w: Any, dy: Any, **attrs: Any) -> TensorShape:
        batch, _, given = layouts.taken_apart(dy.shape, attrs["data_format"])
        features = layouts.sizes_of(w.shape, rank)[-1]
        if check_features and None not in (given, features) and given != features:
            raise ValueError(f"Dimensions must be equal, but are {given} and {features}")
        return _sized(sizes, rank).merge_with([batch, *[None] * (rank - 1)])

    by_filter.shape(lambda x, sizes, dy, **attrs: _sized(sizes, rank))


_CONV2D = Family(conv2d_op, conv2d_backprop_input_op, conv2d_backprop_filter_op)
wire(_CONV2D, _conv_shape, check_features=True)

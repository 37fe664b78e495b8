"""Pooling: the largest or the mean element of each window; kernels, ops, and functions of `tf.nn`.

                 gradient                 its gradient
    MaxPool      MaxPoolGrad              MaxPoolGradGrad      (picks where the maxima were)
    AvgPool      AvgPoolGrad              AvgPool

A window of any rank is worked off one axis at a time:

    max over a k x k window  =  max over k columns, then over k rows      2 k steps, not k * k

No step touches single pixels: each is an operation on a strided view of the whole array. Ties go
to the first maximum in reading order. That, too, is one axis at a time: the first row that holds
the maximum, and in it the first column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels.table import kernel
from minitf.core.ops.array import one_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.elementwise import invalid, sample
from minitf.library.nets import windows as layouts
from minitf.library.nets.conv_ops import few_at_a_time, ints, mixed_sample

# ---- kernels ---------------------------------------------------------------------------------


def _pairs(axis: layouts.Axis, place: int) -> list[tuple[tuple, tuple]]:
    """For each element of a window: the windows that have it, and where it lies in the input."""
    found = []
    first = (axis.before - (axis.outputs - 1) * axis.stride) // axis.dilation
    last = (axis.before + axis.size - 1) // axis.dilation
    for offset in range(max(0, first), min(last + 1, axis.window)):  # those that meet the input
        start = offset * axis.dilation - axis.before
        low = max(0, -(start // axis.stride))
        high = min(axis.outputs, (axis.size - 1 - start) // axis.stride + 1)
        if low >= high:
            continue
        first = start + low * axis.stride
        last = start + (high - 1) * axis.stride + 1
        head = (slice(None),) * place
        found.append(((*head, slice(low, high)), (*head, slice(first, last, axis.stride))))
    return found


def _covers(where: tuple, axis: layouts.Axis) -> bool:
    return where[-1] == slice(0, axis.outputs)


def _sized(x: Any, place: int, size: int) -> tuple:
    return (*x.shape[:place], size, *x.shape[place + 1 :])


def moves(axes: Sequence[layouts.Axis | None]) -> list[tuple[int, layouts.Axis]]:
    """The axes along which there is something to do, the last one first."""
    return [
        (place, axis)
        for place, axis in reversed(list(enumerate(axes)))
        if axis is not None and (axis.window > 1 or axis.stride > 1 or axis.before or axis.after)
    ]


def lowest(dtype: Any) -> Any:
    """What loses against every number."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _reduced(xp: Any, x: Any, place: int, axis: layouts.Axis, function: Any, start: Any) -> Any:
    """`function` over the windows along one axis."""
    pairs = _pairs(axis, place)
    whole = [pair for pair in pairs if _covers(pair[0], axis)][:1]
    if whole:
        y = x[whole[0][1]].copy()
        pairs.remove(whole[0])
    else:
        y = xp.full(_sized(x, place, axis.outputs), start, x.dtype)
    for where, source in pairs:
        function(y[where], x[source], out=y[where])
    return y


@kernel(compiled="pooling", takes=lambda x, axes: layouts.placed(axes, x.shape))
def max_of_windows(xp: Any, x: Any, axes: Sequence[layouts.Axis | None]) -> Any:
    """The largest element of each window.

    Args:
      x: any array.
      axes: for each dimension of `x` how the windows lie along it; None: it has none.
    """
    for place, axis in reversed(moves(axes)):  # rows first: long runs of memory
        x = _reduced(xp, x, place, axis, xp.maximum, lowest(x.dtype))
    return x


def _stages(xp: Any, x: Any, axes: Sequence[layouts.Axis | None]) -> list[Any]:
    """`x`, and the maxima after each axis, in the order of `moves`."""
    stages = [x]
    for place, axis in moves(axes):
        stages.append(_reduced(xp, stages[-1], place, axis, xp.maximum, lowest(x.dtype)))
    return stages


@kernel(
    compiled="pooling",
    takes=lambda x, dy, axes: (
        layouts.placed(axes, x.shape) and dy.shape == layouts.outputs_of(axes, x.shape)
    ),
)
def max_pool_scatter(xp: Any, x: Any, dy: Any, axes: Sequence[layouts.Axis | None]) -> Any:
    """The gradient of `max_of_windows`: a number of `dy` goes to its window's first maximum."""
    if axes[0] is not None:
        return _scattered(xp, x, dy, axes)
    dx = xp.empty(x.shape, dy.dtype)

    def run(few: slice) -> None:
        dx[few] = _scattered(xp, x[few], dy[few], axes)

    few_at_a_time(xp, run, x)
    return dx


def _scattered(xp: Any, x: Any, dy: Any, axes: Sequence[layouts.Axis | None]) -> Any:
    stages = _stages(xp, x, axes)
    for (place, axis), low, high in zip(
        reversed(moves(axes)), stages[-2::-1], stages[:0:-1], strict=True
    ):
        pairs = _pairs(axis, place)
        apart = (axis.window - 1) * axis.dilation < axis.stride
        dx = xp.zeros(low.shape, dy.dtype)
        left = None  # the windows whose maximum has not been met yet
        for where, source in pairs:
            if left is None:
                hit = low[source] == high[where]
                left = ~hit if _covers(where, axis) else xp.ones(high.shape, bool)
                if not _covers(where, axis):
                    left[where] ^= hit
            elif source is pairs[-1][1] and _covers(where, axis):
                hit = left
            else:
                hit = low[source] == high[where]
                hit &= left[where]
                left[where] ^= hit
            if apart:
                xp.multiply(dy[where], hit, out=dx[source])
            else:
                dx[source] += dy[where] * hit
        dy = dx
    return dy


def max_pool_gather(xp: Any, x: Any, values: Any, axes: Sequence[layouts.Axis | None]) -> Any:
    """The transpose of `max_pool_scatter`: takes from `values` where `x` has its maxima."""
    stages = _stages(xp, x, axes)
    for (place, axis), low, high in zip(moves(axes), stages[:-1], stages[1:], strict=True):
        taken = xp.zeros(high.shape, values.dtype)
        left = xp.ones(high.shape, bool)
        for where, source in _pairs(axis, place):
            hit = (low[source] == high[where]) & left[where]
            left[where] ^= hit
            xp.copyto(taken[where], values[source], where=hit)
        values = taken
    return values


def counts(xp: Any, axes: Sequence[layouts.Axis | None], dtype: Any) -> Any:
    """How many elements each window has inside the input; an array that broadcasts."""
    total = xp.ones((1,) * len(axes), dtype)
    for place, axis in moves(axes):
        inside = np.zeros(axis.outputs, dtype)
        for where, _ in _pairs(axis, 0):
            inside[where] += 1
        shape = [1] * len(axes)
        shape[place] = -1
        if (inside == inside[:1]).all():
            total = total * inside[0]
        else:
            total = total * xp.asarray(inside).reshape(shape)
    return total


@kernel(compiled="pooling", takes=lambda x, axes: layouts.placed(axes, x.shape))
def mean_pool(xp: Any, x: Any, axes: Sequence[layouts.Axis | None]) -> Any:
    """The mean of each window, of what it has inside the input."""
    total = x
    for place, axis in reversed(moves(axes)):
        total = _reduced(xp, total, place, axis, xp.add, 0)
    return total / counts(xp, axes, x.dtype)


@kernel(
    compiled="pooling",
    takes=lambda dy, axes: (
        dy.ndim == len(axes)
        and dy.shape == layouts.outputs_of(axes, dy.shape)
        and layouts.placed(
            axes, [n if a is None else a.size for a, n in zip(axes, dy.shape, strict=True)]
        )
    ),
)
def mean_pool_scatter(xp: Any, dy: Any, axes: Sequence[layouts.Axis | None]) -> Any:
    """The gradient of `mean_pool`: each number of `dy` is shared by the elements of its window."""
    dy = dy / counts(xp, axes, dy.dtype)
    for place, axis in moves(axes):
        dx = xp.zeros(_sized(dy, place, axis.size), dy.dtype)
        for where, source in _pairs(axis, place):
            dx[source] += dy[where]
        dy = dx
    return dy


# ---- what the ops share ----------------------------------------------------------------------


def places_of(sizes: Sequence[int], attrs: dict[str, Any]) -> list[layouts.Axis]:
    """Places the windows along every dimension of the input."""
    ksize, strides = attrs["ksize"], attrs["strides"]
    if len(sizes) == 4 and (ksize[0] != 1 or strides[0] != 1):
        raise errors.UnimplementedError(
            None, None, "Pooling is not yet supported on the batch dimension."
        )
    if len(sizes) != len(ksize):
        raise invalid(f"tensor_in must be {len(ksize)}-dimensional")
    pads = layouts.margins(attrs.get("explicit_paddings"), len(sizes))
    return [
        layouts.axis_of(int(n), int(k), int(s), 1, attrs["padding"], p)
        for n, k, s, p in zip(sizes, ksize, strides, pads, strict=True)
    ]


def pool_shape(x: Any, **attrs: Any) -> TensorShape:
    """The shape of what an op that pools gives."""
    rank = len(attrs["ksize"])
    pads = layouts.margins(attrs.get("explicit_paddings"), rank)
    rows = zip(layouts.sizes_of(x.shape, rank), attrs["ksize"], attrs["strides"], pads, strict=True)
    return TensorShape(
        [
            None if n is None else layouts.known_outputs(n, k, s, 1, attrs["padding"], p)
            for n, k, s, p in rows
        ]
    )


_SAME = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 2, 1], "padding": "SAME"}
_VALID = {"ksize": [1, 2, 3, 1], "strides": [1, 2, 1, 1], "padding": "VALID"}
_FIRST = {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2], "padding": "SAME", "data_format": "NCHW"}
_DEPTH = {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2], "padding": "VALID"}
_MARGINS = {
    "ksize": [1, 2, 2, 1],
    "strides": [1, 2, 2, 1],
    "padding": "EXPLICIT",
    "explicit_paddings": [0, 0, 1, 0, 0, 1, 0, 0],
}
#: the sizes of an input and of what is pooled of it, and the attributes
_IMAGE_CASES = [
    ((1, 3, 4, 2), (1, 3, 2, 2), _SAME),
    ((1, 4, 3, 1), (1, 2, 1, 1), _VALID),
    ((1, 2, 3, 4), (1, 2, 2, 2), _FIRST),
]
_MAX_CASES = [
    *_IMAGE_CASES,
    ((1, 1, 2, 4), (1, 1, 2, 2), _DEPTH),
    ((1, 3, 3, 1), (1, 2, 2, 1), _MARGINS),
]


def _forward(cases: list) -> list:
    """Samples for an op that pools."""
    return [sample(x, **attrs) for x, _, attrs in cases]


# ---- MaxPool -----------------------------------------------------------------------------

_IMAGES: dict[str, Any] = {"attrs": layouts.PoolingWithMargins, "T": dtypes.REALS}
_GRADIENT = "orig_input: T, orig_output: T, grad: T -> output: T"


def _with_output(cases: list, like_output: bool) -> list:
    """Samples of an input, what is pooled of it, and a third tensor of the size of one of them."""

    def sample(x_sizes: tuple, y_sizes: tuple, attrs: dict[str, Any]) -> Any:
        def draw(rng: np.random.Generator) -> tuple:
            x = rng.normal(size=x_sizes)
            third = rng.normal(size=y_sizes if like_output else x_sizes)
            return x, max_of_windows(np, x, places_of(x_sizes, attrs)), third, attrs

        return draw

    return [sample(*case) for case in cases]


@op("MaxPool", "input: T -> output: T", batch="fold", samples=_forward(_MAX_CASES), **_IMAGES)
def max_pool_op(xp: Any, x: Any, **attrs: Any) -> Any:
    """Takes the largest element of each window of images."""
    return max_of_windows(xp, x, places_of(x.shape, attrs))


@op(
    "MaxPoolGrad",
    _GRADIENT,
    shape_of="orig_output",
    batch="fold",
    samples=_with_output(_MAX_CASES, True),
    **_IMAGES,
)
def max_pool_grad_op(xp: Any, x: Any, y: Any, dy: Any, **attrs: Any) -> Any:
    """Brings the gradient of each window to its first maximum."""
    return max_pool_scatter(xp, x, dy, places_of(x.shape, attrs))


@op("MaxPoolGradGrad", _GRADIENT, samples=_with_output(_MAX_CASES, False), **_IMAGES)
def max_pool_grad_grad_op(xp: Any, x: Any, y: Any, grad: Any, **attrs: Any) -> Any:
    """Takes from `grad` where the first maximum of each window of `x` is."""
    return max_pool_gather(xp, x, grad, places_of(x.shape, attrs))


@max_pool_op.gradient
def _max_pool_grad(operation: Any, dy: Tensor) -> list:
    x, y = operation.inputs[0], operation.outputs[0]
    return [max_pool_grad_op(x, y, dy, **layouts.same_attrs(max_pool_op, operation))]


@max_pool_grad_op.gradient
def _max_pool_grad_grad(operation: Any, dy: Tensor) -> list:
    x, y, _ = operation.inputs
    picked = max_pool_grad_grad_op(x, y, dy, **layouts.same_attrs(max_pool_op, operation))
    return [zeros_like(x), zeros_like(y), picked]


@max_pool_grad_grad_op.gradient
def _max_pool_third_grad(operation: Any, dy: Tensor) -> list:
    x, y, _ = operation.inputs
    spread = max_pool_grad_op(x, y, dy, **layouts.same_attrs(max_pool_op, operation))
    return [zeros_like(x), zeros_like(y), spread]


max_pool_op.shape(pool_shape)
max_pool_grad_op.shape(lambda x, y, dy, **attrs: x.shape.with_rank(len(attrs["ksize"])))
max_pool_grad_grad_op.shape(lambda x, y, dy, **attrs: pool_shape(x, **attrs).merge_with(y.shape))


# ---- AvgPool -----------------------------------------------------------------------------


_MEANS: dict[str, Any] = {"attrs": layouts.Pooling2D, "T": dtypes.FLOATS}


@op("AvgPool", "value: T -> output: T", batch="fold", samples=_forward(_IMAGE_CASES), **_MEANS)
def avg_pool_op(xp: Any, x: Any, **attrs: Any) -> Any:
    """Takes the mean of each window of images; margins do not count."""
    axes = places_of(x.shape, attrs)
    precise = x.astype(np.float32) if x.dtype == np.float16 else x
    return mean_pool(xp, precise, axes).astype(x.dtype, copy=False)


@op(
    "AvgPoolGrad",
    "orig_input_shape: int32, grad: T -> output: T",
    host=("orig_input_shape",),
    samples=[mixed_sample([ints(*x), y], **attrs) for x, y, attrs in _IMAGE_CASES],
    **_MEANS,
)
def avg_pool_grad_op(xp: Any, sizes: Any, dy: Any, **attrs: Any) -> Any:
    """Shares the gradient of each window among its elements."""
    return mean_pool_scatter(xp, dy, places_of(sizes.tolist(), attrs))


@avg_pool_op.gradient
def _avg_pool_grad(operation: Any, dy: Tensor) -> list:
    attrs = layouts.same_attrs(avg_pool_op, operation)
    return [avg_pool_grad_op(shape_of(operation.inputs[0]), dy, **attrs)]


@avg_pool_grad_op.gradient
def _avg_pool_grad_grad(operation: Any, dy: Tensor) -> list:
    return [None, avg_pool_op(dy, **layouts.same_attrs(avg_pool_op, operation))]


avg_pool_op.shape(pool_shape)
avg_pool_grad_op.shape(lambda sizes, dy, **attrs: sizes.partial_shape)


# ---- functions: each opens its scope and brings the arguments into one form --------------


def _pool(
    op_def: OpDef,
    default_name: str,
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    name: str | None,
) -> Tensor:
    with name_scope(name, default_name, [value]) as scope:
        attrs = layouts.window_attrs(op_def, padding, data_format, ksize=ksize, strides=strides)
        return op_def(value, name=scope, **attrs)


def max_pool(
    value: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike = None,
) -> Tensor:
    """The largest element of each window of images.

    Args:
      value: [batch, height, width, channels], or channels second for NCHW. Also `input`.
      ksize: the size of the window: four numbers in the order of the layout, or the one or two that
        speak of space.
      strides: from one window to the next, as `ksize`.
      padding: "SAME" (windows may reach over the edge) or "VALID" (they may not).
      data_format: "NHWC" or "NCHW".
      name: the name.
    Example:
      >>> images = tf.zeros([8, 28, 28, 1])
      >>> tf.nn.max_pool(images, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
      <tf.Tensor 'MaxPool:0' shape=(8, 14, 14, 1) dtype=float32>
    """
    value = one_of("input", input, "value", value)
    return _pool(max_pool_op, "MaxPool", value, ksize, strides, padding, data_format, name)


def avg_pool(
    value: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike = None,
) -> Tensor:
    """The mean of each window of images; the arguments are those of `max_pool`.

    What lies beyond the edge does not count.

    Args:
      value: images [batch, height, width, channels].
      ksize: the size of the window along each of the four.
      strides: its steps.
      padding: "VALID" or "SAME".
      data_format: "NHWC" or "NCHW".
      name: the operation's name.
      input: another name of `value`.
    Example:
      >>> images, window = tf.zeros([8, 28, 28, 3]), [1, 2, 2, 1]
      >>> tf.nn.avg_pool(images, window, strides=window, padding="SAME").shape.as_list()
      [8, 14, 14, 3]
    """
    value = one_of("input", input, "value", value)
    return _pool(avg_pool_op, "AvgPool", value, ksize, strides, padding, data_format, name)

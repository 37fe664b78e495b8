"""Pooling by windows of random sizes, so that an image shrinks by a fraction of its size.

    input of 7 rows, ratio 1.5: 4 rows     windows of 1 or 2 rows, as 2 2 1 2: [0, 2, 4, 5, 7]

The windows are drawn anew in each step, for rows and for columns. Source: Graham, 2014.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import OpDef, op, unchanged_shape
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.random import Stream

_POOL = "value: T -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64"
_BOUNDS = "out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64"
_KINDS = (*dtypes.FLOATS, dtypes.int32, dtypes.int64)


def _program(folder: str) -> list:
    """Windows of a size that the image has a whole number of: nothing is left to chance."""
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    bounds = [np.array([0, 2, 4])] * 2
    most, mean = x[:, 1::2, 1::2], x[:, 1::2, 1::2] - 2.5
    dy = np.ones([1, 2, 2, 1], np.float32)
    back = np.zeros_like(x)
    back[:, 1::2, 1::2] = 1
    return [
        (fractional_max_pool(x, [1.0, 2.0, 2.0, 1.0]), [most, *bounds]),
        (fractional_avg_pool(x, [1.0, 2.0, 2.0, 1.0]), [mean, *bounds]),
        (max_grad_op(x, most, dy, *bounds), back),
        (avg_grad_op(x.shape, dy, *bounds), np.full_like(x, 0.25)),
    ]


def _bounds(generator: Any, size: int, count: int, pseudo_random: bool) -> np.ndarray:
    """Where the windows along one dimension begin, and the end."""
    least = size // count
    if pseudo_random and size % count:
        alpha = size / count
        limit = min((least + 2) / alpha - 1, (size + 1 - least) / alpha - (count - 1))
        u = generator.random() * limit
        inner = [math.ceil(alpha * (i + u)) - 1 for i in range(1, count)]
        return np.array([0, *inner, size], np.int64)
    lengths = np.full(count, least, np.int64)
    lengths[: size % count] += 1
    generator.shuffle(lengths)
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _windows(bounds: Any, size: int, overlapping: bool) -> list[slice]:
    places = bounds.tolist()
    ends = [min(end + overlapping, size) for end in places[1:]]
    return [slice(*window) for window in zip(places, ends)]


class _Regions(Stream):
    """The generator of one node, and the bounds of its windows where they stay."""

    bounds: list[np.ndarray] | None = None


def _cut(x: Any, axis: int, window: slice) -> Any:
    return x[:, window] if axis == 1 else x[:, :, window]


_SETTINGS: dict[str, Any] = {"T": _KINDS, "program": _program}


def _pool_op(name: str, take: Any, sentence: str) -> OpDef:
    """Declares a pooling, which gives what `take` makes of the windows, and their bounds."""

    def kernel(
        ctx: Any, value: Any, *, pooling_ratio: Any, pseudo_random: bool = False,
        overlapping: bool = False, deterministic: bool = False, seed: int = 0, seed2: int = 0,
    ) -> list:  # fmt: skip
        x = np.asarray(value)
        if x.ndim != 4:
            raise invalid("tensor_in must be 4-dimensional")
        if not deterministic and (seed or seed2):
            raise invalid("Both seed and seed2 should be 0 if deterministic is false.")
        counts = [int(x.shape[axis] / pooling_ratio[axis]) for axis in (1, 2)]
        if 0 in counts:
            ratios = list(pooling_ratio)
            raise invalid(f"Images of shape {x.shape} are too small for pooling_ratio {ratios}")
        regions = ctx.state(lambda: _Regions(np, seed, seed2))
        with regions.lock:
            bounds = regions.bounds
            if bounds is None:
                bounds = [
                    _bounds(regions.generator, size, count, pseudo_random)
                    for size, count in zip(x.shape[1:3], counts, strict=True)
                ]
            if deterministic:
                regions.bounds = bounds
        result = x
        for axis in (1, 2):
            windows = _windows(bounds[axis - 1], x.shape[axis], overlapping)
            result = np.stack([take(_cut(result, axis, each), axis=axis) for each in windows], axis)
        return [result.astype(x.dtype), *bounds]

    kernel.__doc__ = sentence
    return op(name, _POOL, **_SETTINGS)(kernel)


max_pool_op = _pool_op(
    "FractionalMaxPool", np.max, "Takes the largest element of each window, of random sizes."
)
avg_pool_op = _pool_op(
    "FractionalAvgPool", np.mean, "Takes the mean of each window, of random sizes."
)


@op(
    "FractionalMaxPoolGrad",
    f"orig_input: T, orig_output: T, {_BOUNDS} -> output: T",
    differentiable=False,
    **_SETTINGS,
)
def max_grad_op(
    xp: Any, x: Any, y: Any, dy: Any, rows: Any, columns: Any, *, overlapping: bool = False
) -> Any:
    """Brings the gradient of each window to its first maximum."""
    result = xp.zeros_like(x)
    batch, height, width, depth = x.shape
    for i, row in enumerate(_windows(rows, height, overlapping)):
        for j, column in enumerate(_windows(columns, width, overlapping)):
            block = x[:, row, column]
            flat = block.reshape(batch, -1, depth)
            first = xp.arange(flat.shape[1])[:, None] == flat.argmax(1)[:, None]
            result[:, row, column] += (first * dy[:, i, j, None]).reshape(block.shape)
    return result


@op(
    "FractionalAvgPoolGrad",
    f"orig_input_tensor_shape: int64, {_BOUNDS} -> output: T",
    host=("orig_input_tensor_shape",),
    differentiable=False,
    **_SETTINGS,
)
def avg_grad_op(
    xp: Any, sizes: Any, dy: Any, rows: Any, columns: Any, *, overlapping: bool = False
) -> Any:
    """Shares the gradient of each window among its elements."""
    for axis, bounds in ((2, columns), (1, rows)):
        shape = [*dy.shape]
        shape[axis] = int(sizes[axis])
        result = xp.zeros(shape, dy.dtype)
        for place, window in enumerate(_windows(bounds, shape[axis], overlapping)):
            part = _cut(result, axis, window)
            part += _cut(dy, axis, slice(place, place + 1)) / part.shape[axis]
        dy = result
    return dy


def _pool_shape(value: Any, *, pooling_ratio: Any, **attrs: Any) -> list[TensorShape]:
    if len(pooling_ratio) != 4:
        raise ValueError("pooling_ratio field must specify 4 dimensions")
    sizes = value.shape.with_rank(4).as_list()
    if min(pooling_ratio) < 1:
        raise ValueError(f"pooling_ratio cannot be smaller than 1, got: {min(pooling_ratio)}")
    if pooling_ratio[0] != 1 or pooling_ratio[3] != 1:
        raise ValueError(
            "Fractional pooling is not yet supported on the batch nor channel dimension."
        )
    pairs = zip(sizes, pooling_ratio, strict=True)
    pooled = [None if size is None else int(size / ratio) for size, ratio in pairs]
    return [TensorShape(pooled), TensorShape([None]), TensorShape([None])]


max_pool_op.shape(_pool_shape)
avg_pool_op.shape(_pool_shape)
max_grad_op.shape(unchanged_shape)
avg_grad_op.shape(lambda sizes, *rest, **attrs: sizes.partial_shape)


@max_pool_op.gradient
def _max_pool_grad(op: Any, dy: Tensor, *_: Any) -> Tensor:
    y, rows, columns = op.outputs
    overlapping = op.attrs["overlapping"]
    return max_grad_op(op.inputs[0], y, dy, rows, columns, overlapping=overlapping)


@avg_pool_op.gradient
def _avg_pool_grad(op: Any, dy: Tensor, *_: Any) -> Tensor:
    sizes = shape_of(op.inputs[0], out_type=dtypes.int64)
    return avg_grad_op(sizes, dy, *op.outputs[1:], overlapping=op.attrs["overlapping"])


def fractional_max_pool(
    value: Any, pooling_ratio: Sequence[float], pseudo_random: bool = False,
    overlapping: bool = False, deterministic: bool = False, seed: int = 0, seed2: int = 0,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The largest element of each window, where windows have random sizes.

    Args:
      value: [batch, height, width, channels].
      pooling_ratio: four numbers of at least 1, by which the sizes shrink; the first and the last
        are 1.
      pseudo_random: whether the windows of 1 dimension are spread evenly from a random beginning.
      overlapping: whether a window has the first row and column of the next one, too.
      deterministic: whether all steps have the same windows.
      seed, seed2: where the random numbers begin; anywhere for 0 and 0.
      name: of the operation.
    Returns: `output`, and `row_pooling_sequence` and `col_pooling_sequence`, [windows + 1] int64:
      where the windows begin, and the end.
    """
    return _call(max_pool_op, locals())


def fractional_avg_pool(
    value: Any, pooling_ratio: Sequence[float], pseudo_random: bool = False,
    overlapping: bool = False, deterministic: bool = False, seed: int = 0, seed2: int = 0,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The mean of each window, where windows have random sizes; see `fractional_max_pool`."""
    return _call(avg_pool_op, locals())


def _call(op_def: OpDef, given: dict[str, Any]) -> Any:
    value = given.pop("value")
    given["pooling_ratio"] = [float(each) for each in given["pooling_ratio"]]
    return op_def.named(op_def(value, **given))

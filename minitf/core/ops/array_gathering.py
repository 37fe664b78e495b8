"""Slices chosen by index tensors, and the sum of segments, which is the adjoint.

    gather(params, indices):           out[i] = params[indices[i]]
    unsorted_segment_sum(dout, ...):   dparams[indices[i]] += dout[i]

Along the first axis the gradient is an `IndexedSlices`, the rows and their places, so that the
gradient of a large table is not written out. An index out of range is an error on the CPU and is
not checked on a GPU, as in TensorFlow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels.host import on_cpu
from minitf.core.kernels.rows import add_rows, check_indices
from minitf.core.ops import run_time_axes
from minitf.core.ops.array import rank as rank_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import size, static_int
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_shaping import expand_dims, reshape, transpose
from minitf.core.ops.batching import again, behind, stack_all
from minitf.core.ops.comparisons import greater_equal, where_v2
from minitf.core.ops.elementwise import invalid, sample, shown
from minitf.core.ops.math import maximum

# ---- GatherV2 ----------------------------------------------------------------------------


@op(
    "GatherV2",
    "params: Tparams, indices: Tindices -> output: Tparams",
    Tindices=dtypes.INDICES,
    samples=[
        sample((4, 3), np.array([2, 0, 2], np.int32)),
        sample((4, 3), np.array([[1], [2]], np.int64), axis=-1),
        sample((2, 4, 3), np.array([3, 3], np.int32), axis=1),
        sample((4,), np.int32(1)),
        sample((2, 4, 3), np.array([[3, 3], [0, 1]], np.int32), axis=1, batch_dims=1),
        sample((2, 3, 4), np.array([[3], [0]], np.int32), axis=2, batch_dims=1),
    ],
)
def gather_op(xp: Any, params: Any, indices: Any, *, axis: int = 0, batch_dims: int = 0) -> Any:
    """Takes the slices of `params` along an axis that `indices` names."""
    if not params.ndim:
        raise invalid("params must be at least 1 dimensional")
    if not -params.ndim <= axis < params.ndim:
        least = axis + 1 if axis >= 0 else -axis
        raise invalid(f"Shape must be at least rank {least} but is rank {params.ndim}")
    check_indices(xp, indices, params.shape[axis])
    if batch_dims:
        return _gather_in_batches(xp, params, indices, axis % params.ndim, batch_dims)
    result = params.take(indices, axis)
    return result if getattr(result, "ndim", 0) or params.dtype == object else result[()]


def _gather_in_batches(xp: Any, params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    """out[b, outer, i, inner] = params[b, outer, indices[b, i], inner]."""
    front = xp.moveaxis(params, axis, batch_dims)  # [batch, n, outer, inner]
    batch = [
        xp.arange(n).reshape([-1] + [1] * (indices.ndim - i - 1))
        for i, n in enumerate(params.shape[:batch_dims])
    ]
    rows = front[(*batch, indices)]  # [batch, i, outer, inner]
    for _ in range(indices.ndim - batch_dims):  # the axes of `indices` to where the axis was
        rows = xp.moveaxis(rows, batch_dims, axis + indices.ndim - batch_dims - 1)
    return xp.ascontiguousarray(rows)


@gather_op.shape
def _gather_shape(params: Any, indices: Any, *, axis: int, batch_dims: int) -> Any:
    sizes = params.shape.with_rank_at_least(axis + 1 if axis >= 0 else -axis)
    picked = indices.shape.with_rank_at_least(batch_dims)
    if sizes.ndims is None:
        return None
    axis %= sizes.ndims
    if picked.ndims is not None:
        picked[:batch_dims].assert_is_compatible_with(sizes[:batch_dims])
        picked = picked[batch_dims:]
    return sizes[:axis].concatenate(picked).concatenate(sizes[axis + 1 :])


@gather_op.gradient
def _gather_grad(op: Any, dy: Tensor) -> list:
    params, indices = op.inputs
    axis, batch = op.attrs["axis"], op.attrs["batch_dims"]
    rank, depth = params.shape.ndims, indices.shape.ndims
    if not axis and not batch:
        return [_slices(dy, indices, params), None]
    if rank is None or depth is None:
        raise ValueError(f"The gradient of '{op.name}' (op: 'GatherV2') needs known ranks.")
    axis %= rank
    after = axis + depth - batch  # in dy, the axes of `indices` stand in place of the axis
    total = rank - 1 + depth - batch
    rows = transpose(
        dy, [*range(batch), *range(axis, after), *range(batch, axis), *range(after, total)]
    )
    summed = _summed_in_batches(rows, indices, params, axis, batch)
    back = [*range(batch), *range(batch + 1, axis + 1), batch, *range(axis + 1, rank)]
    return [transpose(summed, back), None]


@gather_op.batch
def _gather_batch(op: Any, inputs: list, stacked: list) -> Any:
    axis, batch_dims = op.attrs["axis"], op.attrs["batch_dims"]
    if stacked == [True, False] and not batch_dims:
        return again(op, inputs, axis=behind(axis))
    if stacked == [False, True] and axis == 0:
        return again(op, inputs)
    return again(op, stack_all(op, inputs, stacked), axis=behind(axis), batch_dims=batch_dims + 1)


def _slices(rows: Tensor, indices: Tensor, params: Tensor) -> IndexedSlices:
    """The gradient of rows looked up along the first axis."""
    if indices.shape.ndims == 1:
        return IndexedSlices(rows, indices, shape_of(params))
    if params.shape.is_fully_defined() and 0 not in params.shape.as_list():
        values = reshape(rows, [-1, *params.shape.as_list()[1:]])
    else:
        count = reshape(size(indices), [1])
        values = reshape(rows, call("ConcatV2", [count, shape_of(params)[1:]], axis=0))
    return IndexedSlices(values, reshape(indices, [-1]), shape_of(params))


def _summed_in_batches(
    rows: Tensor, indices: Tensor, params: Tensor, axis: int, batch: int
) -> Tensor:
    """[batch, n, ...]: zeros, with `rows` [batch, i, ...] added at `indices` in each batch."""
    sizes = params.shape.as_list()
    count = shape_of(params)[axis] if sizes[axis] is None else np.int32(sizes[axis])
    if not batch:
        return call("UnsortedSegmentSum", rows, indices, count)
    lengths = [shape_of(params)[i] if n is None else n for i, n in enumerate(sizes[:batch])]
    batches = lengths[0]
    for n in lengths[1:]:
        batches = batches * n
    first = call("Range", np.int32(0), batches, np.int32(1)) * count
    first = reshape(first, [*lengths, *[1] * (indices.shape.ndims - batch)])
    places = indices + call("Cast", first, DstT=indices.dtype.base_dtype)
    total = call("UnsortedSegmentSum", rows, places, batches * count)
    rest = [
        shape_of(total)[i + 1] if n is None else n for i, n in enumerate(total.shape.as_list()[1:])
    ]
    return reshape(total, [*lengths, count, *rest])


def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:
    """The slices of `params` along `axis` that `indices` names.

    Args:
      params: a tensor of rank 1 or more.
      indices: int32 or int64, of any shape.
      validate_indices: accepted; indices are always checked on the CPU.
      name: the name.
      axis: the axis of `params`; that numbered `batch_dims` by default.
      batch_dims: how many first axes `params` and `indices` have in common.
    Returns: a tensor with the shape of `indices` in the place of that axis.
    Raises:
      InvalidArgumentError: when it runs and an index is outside.
    Example:
      >>> sess.run(tf.gather([10, 20, 30], [2, 0]))
      array([30, 10], dtype=int32)
    """
    axis = batch_dims if axis is None else axis
    if batch_dims < 0:
        batch_dims += convert_to_tensor(indices, name="indices").shape.ndims
    if run_time_axes.varies(axis) and not batch_dims:
        return run_time_axes.gathered_along(params, indices, axis, name)
    place = static_int(axis, "axis")
    return gather_op(params, indices, axis=place, batch_dims=batch_dims, name=name)


# ---- UnsortedSegmentSum ------------------------------------------------------------------


def summed_rows(xp: Any, data: Any, ids: Any, count: int) -> Any:
    """The rows of `data` added up by `ids`, in `count` rows."""
    total = xp.zeros((count, *data.shape[ids.ndim :]), data.dtype)
    add_rows(xp, total, ids, data)
    return total


@op(
    "UnsortedSegmentSum",
    "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T",
    host=("num_segments",),
    T=dtypes.NUMBERS,
    Tindices=dtypes.INDICES,
    Tnumsegments=dtypes.INDICES,
    samples=[
        sample((4, 2), np.array([1, 0, 1, 1], np.int32), np.int32(3)),
        sample((3,), np.array([2, 2, 0], np.int64), np.int32(3)),
        sample((2, 2, 3), np.array([[0, 1], [1, 1]]), np.int32(2)),
    ],
)
def unsorted_segment_sum_op(xp: Any, data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Sums the rows of `data` that have the same segment."""
    ids = xp.asarray(segment_ids)
    if data.shape[: ids.ndim] != ids.shape:
        raise invalid(
            f"data.shape = {shown(data)} does not start with segment_ids.shape = {shown(ids)}"
        )
    if on_cpu(xp) and ids.size and ids.min() < 0:
        data, ids = data[ids >= 0], ids[ids >= 0]
    if num_segments < 0:
        raise invalid(f"Input num_segments == {int(num_segments)} must not be negative.")
    check_indices(xp, ids, int(num_segments), "segment_ids", "= {} is out of range")
    return summed_rows(xp, data, ids, int(num_segments))


@unsorted_segment_sum_op.shape
def _unsorted_shape(data: Any, segment_ids: Any, num_segments: Any) -> Any:
    count = None if num_segments.value is None else int(num_segments.value)
    if data.shape.ndims is None or segment_ids.shape.ndims is None:
        return None
    data.shape[: segment_ids.shape.ndims].assert_is_compatible_with(segment_ids.shape)
    return TensorShape([count]).concatenate(data.shape[segment_ids.shape.ndims :])


def in_front_of(x: Tensor, rows: Tensor) -> Tensor:
    """`x` with axes of size 1 appended, up to the rank of `rows`."""
    ranks = x.shape.ndims, rows.shape.ndims
    if None in ranks:
        units = call("Fill", reshape(rank_of(rows) - rank_of(x), [1]), np.int32(1))
        return reshape(x, call("ConcatV2", [shape_of(x), units], axis=0))
    for _ in range(ranks[1] - ranks[0]):
        x = expand_dims(x, -1)
    return x


@unsorted_segment_sum_op.gradient
def _unsorted_sum_grad(op: Any, dy: Tensor) -> list:
    ids = op.inputs[1]
    zero = ids.dtype.as_numpy_dtype(0)
    rows, kept = gather_op(dy, maximum(ids, zero)), greater_equal(ids, zero)
    return [where_v2(in_front_of(kept, rows), rows, zeros_like(rows)), None, None]


def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Sums the rows of `data` that have the same segment.

    Args:
      data: numbers; its first axes are those of `segment_ids`.
      segment_ids: int32 or int64, each in [0, num_segments), or negative to drop the row.
      num_segments: how many segments there are.
      name: the name.
    Returns: `num_segments` rows.
    """
    return unsorted_segment_sum_op(data, segment_ids, num_segments, name=name)

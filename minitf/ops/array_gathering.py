"""Elements chosen by index tensors: gather and its adjoint, the sum into chosen rows.

    gather(params, indices):    out[i] = params[indices[i]]
    its gradient:               dparams[indices[i]] += dout[i]

An index outside is an error on the CPU; on a card nobody looks, as in TensorFlow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.framework import dtypes, errors
from minitf.framework.registry import op
from minitf.framework.shapes import TensorShape
from minitf.framework.tensor import Tensor
from minitf.ops.array import shape as shape_of
from minitf.ops.array import static_int
from minitf.ops.array_filling import zeros_like
from minitf.ops.array_shaping import expand_dims, transpose
from minitf.ops.comparisons import greater_equal, where_v2
from minitf.ops.math import maximum


def check_indices(xp: Any, indices: Any, size: int) -> None:
    """Raises unless all indices lie in [0, size).

    Raises:
      InvalidArgumentError: "indices[0] = 7 is not in [0, 5)".
    """
    if xp is not np or not np.size(indices):
        return
    if np.ndim(indices):  # as unsigned numbers, negative ones are large: one pass finds both kinds
        unsigned = indices.view(f"u{indices.dtype.itemsize}")
        if np.maximum.reduce(unsigned, axis=None) < size:
            return
    elif 0 <= indices < size:
        return
    flat = np.asarray(indices)
    place = tuple(int(p) for p in np.argwhere((flat < 0) | (flat >= size))[0])
    where = f"[{','.join(str(p) for p in place)}]" if place else ""
    raise errors.InvalidArgumentError(
        None, None, f"indices{where} = {flat[place]} is not in [0, {size})"
    )


def add_rows(xp: Any, target: Any, indices: Any, rows: Any) -> None:
    """target[indices[i]] += rows[i], where an index that comes twice adds twice.

    Rows that belong together are brought side by side by a sort and summed in one pass.
    """
    flat = indices.reshape(-1)
    if not flat.size:
        return
    inner = target.shape[1:]
    rows = xp.broadcast_to(rows, (*indices.shape, *inner)).reshape(flat.size, *inner)
    if xp is not np or not inner:
        xp.add.at(target, flat, rows)
        return
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    rows = rows[order]
    if starts.size != flat.size:
        rows = np.add.reduceat(rows, starts, axis=0, dtype=rows.dtype)
        ordered = ordered[starts]
    target[ordered] += rows


# ---- GatherV2 ----------------------------------------------------------------------------


@op(
    "GatherV2",
    "params: Tparams, indices: Tindices -> output: Tparams",
    Tindices=dtypes.INDICES,
    samples=[
        lambda rng: (rng.normal(size=(4, 3)), np.array([2, 0, 2], np.int32), {}),
        lambda rng: (rng.normal(size=(4, 3)), np.array([[1], [2]], np.int64), {"axis": -1}),
        lambda rng: (rng.normal(size=(2, 4, 3)), np.array([3, 3], np.int32), {"axis": 1}),
        lambda rng: (rng.normal(size=(4,)), np.int32(1), {}),
    ],
)
def gather_op(xp: Any, params: Any, indices: Any, *, axis: int = 0) -> Any:
    """Takes the slices of `params` along an axis that `indices` names."""
    check_indices(xp, indices, params.shape[axis])
    result = xp.take(params, indices, axis)
    return result if result.ndim else result[()]


@gather_op.shape
def _gather_shape(params: Any, indices: Any, *, axis: int) -> Any:
    sizes = params.shape.with_rank_at_least(axis + 1 if axis >= 0 else -axis)
    if sizes.ndims is None:
        return None
    axis %= sizes.ndims
    return sizes[:axis].concatenate(indices.shape).concatenate(sizes[axis + 1 :])


@gather_op.gradient
def _gather_grad(op: Any, dy: Tensor) -> list:
    params, indices = op.inputs
    axis, rank = op.get_attr("axis"), params.shape.ndims
    if axis == 0:
        return [_sum_into(dy, indices, params, 0), None]
    if rank is None or indices.shape.ndims is None:
        raise ValueError(f"The gradient of '{op.name}' (op: 'GatherV2') needs known ranks.")
    axis %= rank
    after = axis + indices.shape.ndims  # in dy, the axes of `indices` stand in place of the axis
    total = rank - 1 + indices.shape.ndims
    front = transpose(dy, [*range(axis, after), *range(axis), *range(after, total)])
    summed = _sum_into(front, indices, params, axis)
    return [transpose(summed, [*range(1, axis + 1), 0, *range(axis + 1, rank)]), None]


def _sum_into(rows: Tensor, indices: Tensor, params: Tensor, axis: int) -> Tensor:
    """Zeros, as many as `params` has along the axis, with `rows` added at `indices`."""
    size = params.shape.as_list()[axis] if params.shape.ndims else None
    count = np.int32(size) if size is not None else gather_op(shape_of(params), np.int32(axis))
    return unsorted_segment_sum_op(rows, indices, count)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
) -> Tensor:
    """The slices of `params` along `axis` that `indices` names.

    Args:
      params: a tensor of rank 1 or more.
      indices: int32 or int64, of any shape.
      validate_indices: accepted; indices are always checked on the CPU.
      name: the name.
      axis: the axis of `params`; the first by default.
    Returns: a tensor with the shape of `indices` in the place of that axis.
    Raises:
      InvalidArgumentError: when it runs and an index is outside.
    Example:
      >>> sess.run(tf.gather([10, 20, 30], [2, 0]))   # [30 10]
    """
    place = 0 if axis is None else static_int(axis, "axis")
    return gather_op(params, indices, axis=place, name=name)


# ---- UnsortedSegmentSum ------------------------------------------------------------------


@op(
    "UnsortedSegmentSum",
    "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T",
    T=dtypes.NUMBERS,
    Tindices=dtypes.INDICES,
    Tnumsegments=dtypes.INDICES,
    samples=[
        lambda rng: (rng.normal(size=(4, 2)), np.array([1, 0, 1, 1], np.int32), np.int32(3), {}),
        lambda rng: (rng.normal(size=(3,)), np.array([2, 2, 0], np.int64), np.int32(3), {}),
        lambda rng: (
            rng.normal(size=(2, 2, 3)),
            np.array([[0, 1], [1, 1]], np.int32),
            np.int32(2),
            {},
        ),
    ],
)
def unsorted_segment_sum_op(xp: Any, data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Sums the rows of `data` that have the same segment; negative segments are dropped."""
    ids = xp.asarray(segment_ids)
    total = xp.zeros((int(num_segments), *data.shape[ids.ndim :]), data.dtype)
    if xp is np and ids.size and ids.min() < 0:
        data, ids = data[ids >= 0], ids[ids >= 0]
    check_indices(xp, ids, total.shape[0])
    add_rows(xp, total, ids, data)
    return total


@unsorted_segment_sum_op.shape
def _unsorted_segment_sum_shape(data: Any, segment_ids: Any, num_segments: Any) -> Any:
    count = None if num_segments.value is None else int(num_segments.value)
    if data.shape.ndims is None or segment_ids.shape.ndims is None:
        return None
    return TensorShape([count]).concatenate(data.shape[segment_ids.shape.ndims :])


@unsorted_segment_sum_op.gradient
def _unsorted_segment_sum_grad(op: Any, dy: Tensor) -> list:
    ids = op.inputs[1]
    rows = gather_op(dy, maximum(ids, ids.dtype.as_numpy_dtype(0)))
    kept = greater_equal(ids, ids.dtype.as_numpy_dtype(0))
    if kept.shape.ndims is None or rows.shape.ndims is None:
        raise ValueError(
            f"The gradient of '{op.name}' (op: 'UnsortedSegmentSum') needs known ranks."
        )
    for _ in range(rows.shape.ndims - kept.shape.ndims):
        kept = expand_dims(kept, -1)
    return [where_v2(kept, rows, zeros_like(rows)), None, None]


def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The sums of the rows of `data` that belong together.

    Args:
      data: numbers; its first axes are those of `segment_ids`.
      segment_ids: the segment of each row, in [0, num_segments) and in any order; negative: none.
      num_segments: how many segments there are.
      name: the name.
    """
    return unsorted_segment_sum_op(data, segment_ids, num_segments, name=name)


# ---- GatherNd, ScatterNd -----------------------------------------------------------------


def _coordinates(xp: Any, indices: Any) -> tuple:
    return tuple(xp.moveaxis(indices, -1, 0))


def _check_coordinates(xp: Any, indices: Any, sizes: tuple) -> None:
    if xp is not np or not indices.size:
        return
    bad = ((indices < 0) | (indices >= np.array(sizes[: indices.shape[-1]]))).any(axis=-1)
    if bad.any():
        place = tuple(int(p) for p in np.argwhere(bad)[0])
        raise errors.InvalidArgumentError(
            None,
            None,
            f"indices[{','.join(str(p) for p in place)}] = "
            f"[{', '.join(str(i) for i in indices[place])}] does not index into param shape "
            f"[{','.join(str(n) for n in sizes)}]",
        )


@op(
    "GatherNd",
    "params: Tparams, indices: Tindices -> output: Tparams",
    Tindices=dtypes.INDICES,
    samples=[
        lambda rng: (rng.normal(size=(3, 4)), np.array([[0, 1], [2, 3]], np.int32), {}),
        lambda rng: (rng.normal(size=(3, 4)), np.array([[2], [2]], np.int64), {}),
    ],
)
def gather_nd_op(xp: Any, params: Any, indices: Any) -> Any:
    """Takes the elements or slices of `params` at the coordinates in the rows of `indices`."""
    _check_coordinates(xp, indices, params.shape)
    return params[_coordinates(xp, indices)]


@gather_nd_op.shape
def _gather_nd_shape(params: Any, indices: Any) -> Any:
    depth = indices.shape.as_list()[-1] if indices.shape.ndims else None
    if params.shape.ndims is None or depth is None:
        return None
    if depth > params.shape.ndims:
        raise ValueError(
            f"indices.shape[-1] must be <= params.rank, but saw indices shape: "
            f"[{','.join(str(n) for n in indices.shape.as_list())}] and params shape: "
            f"[{','.join(str(n) for n in params.shape.as_list())}]"
        )
    return indices.shape[:-1].concatenate(params.shape[depth:])


@gather_nd_op.gradient
def _gather_nd_grad(op: Any, dy: Tensor) -> list:
    params, indices = op.inputs
    sizes = shape_of(params, out_type=indices.dtype.base_dtype)
    return [scatter_nd_op(indices, dy, sizes), None]


def gather_nd(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """The elements or slices of `params` at the coordinates in the last axis of `indices`."""
    return gather_nd_op(params, indices, name=name)


@op(
    "ScatterNd",
    "indices: Tindices, updates: T, shape: Tindices -> output: T",
    T=dtypes.NUMBERS,
    Tindices=dtypes.INDICES,
    samples=[
        lambda rng: (
            np.array([[0], [2], [0]], np.int32),
            rng.normal(size=(3, 2)),
            np.array([3, 2], np.int32),
            {},
        ),
        lambda rng: (
            np.array([[0, 1], [2, 1]], np.int64),
            rng.normal(size=(2,)),
            np.array([3, 2], np.int64),
            {},
        ),
    ],
)
def scatter_nd_op(xp: Any, indices: Any, updates: Any, shape: Any) -> Any:
    """Adds `updates` into zeros of the given shape at the coordinates in `indices`."""
    sizes = tuple(shape.tolist())
    _check_coordinates(xp, indices, sizes)
    result = xp.zeros(sizes, updates.dtype)
    xp.add.at(result, _coordinates(xp, indices), updates)
    return result


@scatter_nd_op.shape
def _scatter_nd_shape(indices: Any, updates: Any, shape: Any) -> Any:
    return shape.partial_shape


@scatter_nd_op.gradient
def _scatter_nd_grad(op: Any, dy: Tensor) -> list:
    return [None, gather_nd_op(dy, op.inputs[0]), None]


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    """Zeros of `shape` with `updates` added at the coordinates in the last axis of `indices`."""
    return scatter_nd_op(indices, updates, shape, name=name)

"""Elements chosen by index tensors: gather and gather_nd.

    gather(params, indices):    out[i] = params[indices[i]]
    its gradient:               dparams[indices[i]] += dout[i]

Along the first axis the gradient is an `IndexedSlices`: the rows and their places, for a large
table must not be written out whole because a few of its rows were looked up. An index outside is
an error on the CPU; on a card nobody looks, as in TensorFlow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.likes import TensorLike
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import brackets
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.rows import check_coordinates, check_indices
from minitf.core.ops import run_time_axes
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import size, static_int
from minitf.core.ops.array_shaping import reshape, transpose
from minitf.core.ops.batching import again, behind, stack_all
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.string_values import with_shape

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
        lambda rng: (
            rng.normal(size=(2, 4, 3)),
            np.array([[3, 3], [0, 1]], np.int32),
            {"axis": 1, "batch_dims": 1},
        ),
        lambda rng: (
            rng.normal(size=(2, 3, 4)),
            np.array([[3], [0]], np.int32),
            {"axis": 2, "batch_dims": 1},
        ),
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
    result = xp.take(params, indices, axis)
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


# ---- GatherNd ----------------------------------------------------------------------------


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
    params = with_shape(params)
    if indices.shape[-1] > params.ndim:
        raise invalid(
            "index innermost dimension length must be <= params rank; saw: "
            f"{indices.shape[-1]} vs. {params.ndim}"
        )
    check_coordinates(xp, indices, params.shape, "param shape")
    if not indices.shape[-1]:  # coordinates of nothing name the whole
        return xp.broadcast_to(params, indices.shape[:-1] + params.shape).copy()
    return params[tuple(xp.moveaxis(indices, -1, 0))]


@gather_nd_op.shape
def _gather_nd_shape(params: Any, indices: Any) -> Any:
    places = indices.shape.with_rank_at_least(1)
    depth = places.as_list()[-1] if places.ndims else None
    if params.shape.ndims is None or depth is None:
        return None
    if depth > params.shape.ndims:
        raise ValueError(
            "indices.shape[-1] must be <= params.rank, but saw indices shape: "
            f"{brackets(indices.shape)} and params shape: {brackets(params.shape)}"
        )
    return indices.shape[:-1].concatenate(params.shape[depth:])


@gather_nd_op.batch
def _gather_nd_batch(op: Any, inputs: list, stacked: list) -> Any:
    return None if stacked[0] else again(op, inputs)


@gather_nd_op.gradient
def _gather_nd_grad(op: Any, dy: Tensor) -> list:
    params, indices = op.inputs
    sizes = shape_of(params, out_type=indices.dtype.base_dtype)
    return [call("ScatterNd", indices, dy, sizes), None]


def gather_nd(
    params: TensorLike, indices: TensorLike, name: str | None = None, batch_dims: int = 0
) -> Tensor:
    """The elements or slices of `params` at the coordinates in the last axis of `indices`.

    Args:
      params: any tensor.
      indices: [..., depth] int32 or int64.
      name: the name.
      batch_dims: how many first axes `params` and `indices` have in common.
    """
    if not batch_dims:
        return gather_nd_op(params, indices, name=name)
    with name_scope(name, "BatchGatherNd", [params, indices]):
        params, indices = convert_to_tensor(params), convert_to_tensor(indices)
        for what, ndims in (("indices", indices.shape.ndims), ("params", params.shape.ndims)):
            if ndims is not None and batch_dims >= ndims:
                raise ValueError(
                    f"batch_dims = {batch_dims} must be less than rank({what}) = {ndims}"
                )
        whole = shape_of(indices, out_type=indices.dtype.base_dtype)
        coordinates = [indices]
        for axis in reversed(range(batch_dims)):  # each index gets the place of its batch in front
            ones = [1] * indices.shape.ndims
            ones[axis] = -1
            zero, one = indices.dtype.as_numpy_dtype(0), indices.dtype.as_numpy_dtype(1)
            place = reshape(call("Range", zero, whole[axis], one), ones)
            coordinates.insert(0, indices[..., :1] * zero + place)
        return gather_nd_op(params, call("ConcatV2", coordinates, axis=-1))

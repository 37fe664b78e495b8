"""Elements and slices at coordinates: read, put into a copy of a tensor, or added into zeros.

    gather_nd               params[indices[i, :]]
    tensor_scatter_update   a copy of a tensor with the slices at indices[i, :] replaced
    scatter_nd              zeros with updates[i] added at indices[i, :]

Each is in the gradient of another. Coordinates become places in the axes they go over, made one; a
place named twice gets both updates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.shapes import TensorShape, brackets
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels.host import on_cpu
from minitf.core.kernels.rows import add_rows
from minitf.core.ops.array import check_same_dimensions
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.elementwise import invalid, sample, shown
from minitf.core.ops.string_values import with_shape


def check_coordinates(xp: Any, indices: Any, sizes: tuple[int, ...], what: str = "shape") -> None:
    """Raises unless every coordinate in the last axis of `indices` lies in `sizes`.

    Raises:
      InvalidArgumentError: "indices[1] = [7] does not index into shape [3,2]".
    """
    if not on_cpu(xp) or not indices.size:
        return
    bad = ((indices < 0) | (indices >= np.array(sizes[: indices.shape[-1]]))).any(axis=-1)
    if bad.any():
        place = tuple(int(p) for p in np.argwhere(bad)[0])
        where = f"[{','.join(str(p) for p in place)}]" if place else ""
        raise invalid(
            f"indices{where} = [{', '.join(str(i) for i in indices[place])}] does not index into "
            f"{what} [{','.join(str(n) for n in sizes)}]",
        )


# ---- GatherNd ----------------------------------------------------------------------------


@op(
    "GatherNd",
    "params: Tparams, indices: Tindices -> output: Tparams",
    Tindices=dtypes.INDICES,
    samples=[
        sample((3, 4), np.array([[0, 1], [2, 3]], np.int32)),
        sample((3, 4), np.array([[2], [2]], np.int64)),
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


# ---- slices at coordinates ---------------------------------------------------------------


def _check_slices(xp: Any, indices: Any, updates: Any, sizes: tuple[int, ...]) -> None:
    """Raises unless `updates` holds one slice of a tensor of `sizes` for each coordinate."""
    depth, batch = indices.shape[-1], indices.ndim - 1
    if not sizes:
        raise invalid("Output must be at least 1-D, got shape: []")
    if 0 in sizes and indices.size and updates.size:
        raise invalid("Indices and updates specified for empty output")
    whole, given = brackets(TensorShape(sizes)), shown(updates)
    if updates.shape[:batch] != indices.shape[:-1]:
        raise invalid(
            f"Dimensions [0,{batch}) of indices[shape={shown(indices)}] must match dimensions "
            f"[0,{batch}) of updates[shape={given}]"
        )
    if depth > len(sizes) or updates.shape[batch:] != sizes[depth:]:
        raise invalid(
            f"Dimensions [{depth},{len(sizes)}) of input[shape={whole}] must match dimensions "
            f"[{batch},{updates.ndim}) of updates[shape={given}]"
        )
    check_coordinates(xp, indices, sizes)


def _put(xp: Any, target: Any, places: Any, updates: Any) -> None:
    target[places] = updates


def _add(xp: Any, target: Any, places: Any, updates: Any) -> None:
    if target.dtype == object:  # strings are joined
        np.add.at(target, places, updates)
    else:
        add_rows(xp, target, places, updates)


def linear(indices: Any, sizes: Sequence[int]) -> Any:
    """Coordinates as places that count through the axes they go over."""
    depth = indices.shape[-1]
    places = indices[..., 0] if depth else indices.sum(axis=-1, dtype=indices.dtype)
    for axis in range(1, depth):
        places = places * sizes[axis] + indices[..., axis]
    return places


def _changed(xp: Any, target: Any, indices: Any, updates: Any, change: Callable[..., None]) -> Any:
    """`target` with its slices at the coordinates in the last axis of `indices` changed."""
    _check_slices(xp, indices, updates, target.shape)
    depth = indices.shape[-1]
    places = linear(indices, target.shape)
    change(xp, target.reshape(-1, *target.shape[depth:]), places, updates)
    return target


def _slice_shape(whole: TensorShape, indices: Any, updates: Any) -> TensorShape:
    """The shape function of all that put slices into a tensor of shape `whole`."""
    if whole.ndims is None or indices.shape.ndims is None or updates.shape.ndims is None:
        return whole
    if whole.num_elements() == 0 and indices.shape.num_elements() and updates.shape.num_elements():
        raise ValueError("Indices and updates specified for empty input")
    depth, batch = indices.shape.as_list()[-1], indices.shape.ndims - 1
    if depth is None:
        return whole
    given = brackets(updates.shape)
    pairs = (
        (
            f"Dimensions [0,{batch}) of indices[shape={brackets(indices.shape)}]",
            f"dimensions [0,{batch})",
            indices.shape[:-1],
            updates.shape[:batch],
        ),
        (
            f"Dimensions [{depth},{whole.ndims}) of input[shape={brackets(whole)}]",
            f"dimensions [{batch},{updates.shape.ndims})",
            whole[depth:],
            updates.shape[batch:],
        ),
    )
    for left, right, one, other in pairs:
        try:
            check_same_dimensions(one, other)
        except ValueError as error:
            raise ValueError(
                f"{left} = {brackets(one)} must match {right} of updates[shape={given}] = "
                f"{brackets(other)}: {error}"
            ) from None
    return whole


# ---- into a copy of a tensor -------------------------------------------------------------


def _coordinates(values: list) -> Any:
    return np.array(values, np.int32)


def _tensor_scatter(op_type: str, change: Callable[..., None], doc: str) -> OpDef:
    def kernel(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
        depth, batch = indices.shape[-1], indices.ndim - 1
        inner = tensor.ndim - depth
        if updates.shape[batch:] != tensor.shape[depth:]:
            raise invalid(
                f"The inner {inner} dimensions of output.shape={shown(tensor)} must match the "
                f"inner {inner} dimensions of updates.shape={shown(updates)}"
            )
        return _changed(xp, xp.array(tensor, order="C"), indices, updates, change)

    op_def: OpDef = op(
        op_type,
        "tensor: T, indices: Tindices, updates: T -> output: T",
        doc=doc,
        Tindices=dtypes.INDICES,
        samples=[
            sample((4, 2), _coordinates([[3], [1]]), (2, 2)),
            sample((3, 2), _coordinates([[0, 1], [2, 1]]), (2,)),
        ],
    )(kernel)
    op_def.shape(lambda tensor, indices, updates: _slice_shape(tensor.shape, indices, updates))
    return op_def


tensor_scatter_update_op = _tensor_scatter(
    "TensorScatterUpdate", _put, "Replaces slices of a copy of `tensor` at coordinates."
)
tensor_scatter_add_op = _tensor_scatter(
    "TensorScatterAdd", _add, "Adds to slices of a copy of `tensor` at coordinates."
)


@tensor_scatter_update_op.gradient
def _tensor_scatter_update_grad(op: Any, dy: Tensor) -> list:
    _, indices, updates = op.inputs
    replaced = tensor_scatter_update_op(dy, indices, call("ZerosLike", updates))
    return [replaced, None, gather_nd_op(dy, indices)]


@tensor_scatter_add_op.gradient
def _tensor_scatter_add_grad(op: Any, dy: Tensor) -> list:
    return [dy, None, gather_nd_op(dy, op.inputs[1])]


def tensor_scatter_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """`tensor` with the slices at the coordinates in `indices` replaced by `updates`.

    Args:
      tensor: any tensor.
      indices: [..., depth] int32 or int64.
      updates: `indices.shape[:-1] + tensor.shape[depth:]`.
      name: the name.
    Example:
      >>> sess.run(tf.tensor_scatter_update([1, 2, 3], [[1]], [7]))
      array([1, 7, 3], dtype=int32)
    """
    return tensor_scatter_update_op(tensor, indices, updates, name=name)


# ---- into zeros --------------------------------------------------------------------------


@op(
    "ScatterNd",
    "indices: Tindices, updates: T, shape: Tindices -> output: T",
    host=("shape",),
    Tindices=dtypes.INDICES,
    samples=[
        sample(_coordinates([[0], [2], [0]]), (3, 2), _coordinates([3, 2])),
        sample(_coordinates([[0, 1], [2, 1]]), (2,), _coordinates([3, 2])),
    ],
)
def scatter_nd_op(xp: Any, indices: Any, updates: Any, shape: Any) -> Any:
    """Adds `updates` into zeros of the given shape at the coordinates in `indices`."""
    sizes = shape.tolist()
    zeros = (
        xp.full(sizes, b"", object) if updates.dtype == object else xp.zeros(sizes, updates.dtype)
    )
    return _changed(xp, zeros, indices, updates, _add)


@scatter_nd_op.shape
def _scatter_nd_shape(indices: Any, updates: Any, shape: Any) -> Any:
    return _slice_shape(shape.partial_shape, indices, updates)


@scatter_nd_op.gradient
def _scatter_nd_grad(op: Any, dy: Tensor) -> list:
    return [None, gather_nd_op(dy, op.inputs[0]), None]


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    """Zeros of `shape` with `updates` added at the coordinates in the last axis of `indices`.

    Example:
      >>> sess.run(tf.scatter_nd([[1], [3]], [9, 8], [5]))
      array([0, 9, 0, 8, 0], dtype=int32)
    """
    return scatter_nd_op(indices, updates, shape, name=name)

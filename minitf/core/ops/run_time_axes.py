"""Axes that are computed while the graph runs.

Axes are attributes ([decision 4](../../../docs/decisions/0004-static-axes-as-attributes.md)), but a
program may give a tensor whose value is not known yet. Two operations serve all operations with an
axis: one moves the axes to the end, the other moves them back, and the operation works along the
last axis.

    reduce_sum(x, axes)      MergeAxes ──> Sum, axis=-1
    cumsum(x, axis)          MergeAxes ──> Cumsum, axis=-1 ──> RestoreAxes

Each is the other's gradient. TensorFlow has one operation where this makes two or three, in a scope
of its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import control_dependencies, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape, size
from minitf.core.ops.elementwise import invalid, sample


def varies(axis: Any) -> bool:
    """Whether an argument has a tensor whose value is unknown when the graph is built."""
    if isinstance(axis, (list, tuple)):
        return any(varies(each) for each in axis)
    return isinstance(axis, Tensor) and constant_value(axis) is None


def _places(axes: Any, rank: int) -> tuple[list[int], list[int]]:
    """The other axes, and the named ones, both counted from the front."""
    named: list[int] = []
    for axis in map(int, np.asarray(axes).flat):  # a repeated one ends it, however many there are
        if not -rank <= axis < rank:
            raise invalid(f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)")
        if axis % rank in named:
            raise invalid(
                f"Invalid reduction arguments: Axes contains duplicate dimension: {axis % rank}"
            )
        named.append(axis % rank)
    return [axis for axis in range(rank) if axis not in named], named


def _check_permutation(perm: Any, rank: int) -> None:
    if np.ndim(perm) != 1:
        raise invalid(f"perm must be a vector, not [{','.join(map(str, np.shape(perm)))}]")
    if len(perm) != rank:
        raise invalid(
            f"transpose expects a vector of size {rank}. But input(1) is a vector of size "
            f"{len(perm)}"
        )
    for axis in perm:
        if not 0 <= axis < rank:
            raise invalid(f"{axis} is out of range [0 .. {rank})")
    for axis in range(rank):
        if axis not in perm:
            raise invalid(f"{axis} is missing from {{{','.join(map(str, perm))}}}.")


@op(
    "MergeAxes",
    "x: T, axes: Tidx -> merged: T",
    host=("axes",),
    Tidx=dtypes.INDICES,
    sized_by_values=True,
    moves_elements=True,
    alias=True,
    samples=[
        sample((2, 3, 2), np.array(1, np.int32)),
        sample((2, 3, 2), np.array([-1, 0], np.int64)),
        sample((2, 3), np.array([], np.int32)),
    ],
)
def merge_axes(xp: Any, x: Any, axes: Any, *, permutes: bool = False) -> Any:
    """Moves `axes` to the end and merges them; with `permutes` they must be all axes."""
    if permutes:
        _check_permutation(axes, x.ndim)
    kept, named = _places(axes, x.ndim)
    count = int(np.prod([x.shape[axis] for axis in named], dtype=np.int64))
    return xp.transpose(x, kept + named).reshape([*(x.shape[axis] for axis in kept), count])


@merge_axes.shape
def _merge_axes_shape(x: Any, axes: Any, *, permutes: bool) -> Any:
    rank, count = x.shape.ndims, axes.shape.num_elements()
    return None if rank is None or count is None else TensorShape([None] * (rank - count + 1))


@merge_axes.gradient
def _merge_axes_grad(op: Any, dy: Tensor) -> list:
    return [restore_axes(dy, op.inputs[1], shape(op.inputs[0])), None]


@op(
    "RestoreAxes",
    "merged: T, axes: Tidx, shape: int32 -> x: T",
    host=("axes", "shape"),
    Tidx=dtypes.INDICES,
    sized_by_values=True,
    moves_elements=True,
    alias=True,
    samples=[
        sample((3, 4), np.array([2, 0], np.int32), np.array([2, 3, 2], np.int32)),
        sample((3, 1), np.array([2, 0], np.int32), np.array([2, 3, 2], np.int32)),
        sample((3, 5), np.array(0, np.int32), np.array([2, 3], np.int32)),
    ],
)
def restore_axes(xp: Any, merged: Any, axes: Any, shape: Any) -> Any:
    """Splits the last axis into `axes` and moves them to their places before `MergeAxes`.

    `shape` is the shape before `MergeAxes`. The last axis has as many elements as then; or one, and
    each of the axes gets size 1; or, for a single axis, any number.
    """
    sizes = shape.tolist()
    kept, named = _places(axes, len(sizes))
    count = merged.shape[-1]
    if len(named) == 1:
        sizes[named[0]] = count
    elif count != np.prod([sizes[axis] for axis in named], dtype=np.int64):
        for axis in named:
            sizes[axis] = 1
    order = kept + named
    apart = merged.reshape([sizes[axis] for axis in order])
    return xp.transpose(apart, np.argsort(order).tolist())


@restore_axes.shape
def _restore_axes_shape(merged: Any, axes: Any, shape: Any) -> Any:
    rank = shape.shape.num_elements()
    return None if rank is None else TensorShape([None] * rank)


@restore_axes.gradient
def _restore_axes_grad(op: Any, dy: Tensor) -> list:
    return [merge_axes(dy, op.inputs[1]), None, None]


def along(scope: str | None, x: Any, axes: Any, work: Callable[[Tensor], Any]) -> Any:
    """Applies `work` with `axes` of `x` merged to its last axis, and restores the axes."""
    x, axes = convert_to_tensor(x), convert_to_tensor(axes)
    results = work(merge_axes(x, axes))
    if isinstance(results, (list, tuple)):
        return [restore_axes(each, axes, shape(x)) for each in results]
    return restore_axes(results, axes, shape(x), name=scope)


def reduced(op_type: str, x: Any, axes: Any, keep_dims: bool, name: str | None) -> Tensor:
    """The reduction `op_type` of `x` over axes that are a tensor."""
    with name_scope(name, op_type) as scope:
        if keep_dims:
            return along(
                scope, x, axes, lambda merged: call(op_type, merged, axis=(-1,), keep_dims=True)
            )
        merged = merge_axes(x, convert_to_tensor(axes))
        return call(op_type, merged, axis=(-1,), keep_dims=False, name=scope)


def position(op_type: str, x: Any, axis: Any, output_type: Any, name: str | None) -> Tensor:
    """`ArgMax` or `ArgMin` of `x` along an axis that is a tensor."""
    with name_scope(name, op_type) as scope:
        merged = merge_axes(x, convert_to_tensor(axis))
        return call(op_type, merged, dimension=-1, output_type=output_type, name=scope)


def mapped(op_type: str, x: Any, axes: Any, name: str | None, **attrs: Any) -> Any:
    """The operation `op_type`, which keeps the shape, along axes that are a tensor."""
    with name_scope(name, op_type) as scope:
        x = convert_to_tensor(x)
        result = along(scope, x, axes, lambda merged: call(op_type, merged, **attrs))
        result.set_shape(x.shape)
        return result


def joined_along(values: Sequence[Any], axis: Any, name: str | None) -> Tensor:
    """`concat` along an axis that is a tensor."""
    with name_scope(name, "concat") as scope:
        tensors, axis = [convert_to_tensor(each) for each in values], convert_to_tensor(axis)
        whole = call("ConcatV2", [merge_axes(each, axis) for each in tensors], axis=-1)
        return restore_axes(whole, axis, shape(tensors[0]), name=scope)


def cut_along(op_type: str, value: Any, sizes: Any, axis: Any, count: int, name: str) -> list:
    """`split` along an axis that is a tensor, into `count` parts of `sizes` (() for equal ones)."""
    with name_scope(name, op_type) as scope:
        return along(
            scope,
            value,
            axis,
            lambda merged: call(op_type, merged, *sizes, axis=-1, num_split=count),
        )


def gathered_along(params: Any, indices: Any, axis: Any, name: str | None) -> Tensor:
    """`gather` along an axis that is a tensor."""
    with name_scope(name, "GatherV2") as scope:
        params, axis = convert_to_tensor(params), convert_to_tensor(axis)
        indices = convert_to_tensor(indices, name="indices")
        flat = call("Reshape", indices, [-1])
        rows = along(None, params, axis, lambda merged: _picked(merged, flat))
        sizes = shape(params)
        place = call("FloorMod", call("Cast", axis, DstT=dtypes.int32), size(sizes))
        wanted = call("ConcatV2", [sizes[:place], shape(indices), sizes[place + 1 :]], axis=0)
        made = call("Reshape", rows, wanted, name=scope)
        if None not in (params.shape.ndims, indices.shape.ndims):
            rank = params.shape.ndims + indices.shape.ndims - 1
            made.set_shape([None] * rank)
        return made


def _picked(merged: Tensor, indices: Tensor) -> Tensor:
    """Gathers along the last axis, moved to the front: the gradient then needs no rank."""
    turned = call("Transpose", merged)
    return call("Transpose", call("GatherV2", turned, indices, axis=0))


def with_axis(input: Any, axis: Any, name: str | None) -> Tensor:
    """`expand_dims` at an axis that is a tensor."""
    with name_scope(name, "ExpandDims") as scope:
        sizes = shape(convert_to_tensor(input))
        axis = call("Cast", call("Reshape", convert_to_tensor(axis), []), DstT=dtypes.int32)
        place = call("FloorMod", axis, size(sizes) + 1)
        wanted = call("ConcatV2", [sizes[:place], [1], sizes[place:]], axis=0)
        return call("Reshape", input, wanted, name=scope)


def rearranged(a: Tensor, perm: Any, name: str) -> Tensor:
    """`transpose` by a permutation that is a tensor."""
    with name_scope(name, "transpose") as scope:
        perm = convert_to_tensor(perm)
        merged = merge_axes(a, perm, permutes=True)
        with control_dependencies([merged]):  # which says what is wrong with the permutation
            sizes = call("GatherV2", shape(a), perm, axis=0)
        return call("Reshape", merged, sizes, name=scope)

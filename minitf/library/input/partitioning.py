"""Rows dealt out into several tensors by number, and put together again.

    dynamic_partition   data [a, b, c], partitions [1, 0, 1]   ──>   [b], [a, c]
    dynamic_stitch      indices [[1], [0, 2]], data [[b], [a, c]]   ──>   [a, b, c]

Together they do something else with each kind of row; `embedding_lookup` over several tables is
made of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.shapes import TensorShape, check_same_dimensions, merged_dimensions
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.rows import nothing
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_gathering import gather_op
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.elementwise import invalid, sample, shown

# ---- DynamicPartition --------------------------------------------------------------------


@op(
    "DynamicPartition",
    "data: T, partitions: int32 -> outputs: num_partitions*T",
    sized_by_values=True,
    samples=[
        sample((4, 2), np.array([1, 0, 1, 1], np.int32), num_partitions=2),
        sample((2, 2), np.array([[0, 2], [2, 0]], np.int32), num_partitions=3),
    ],
)
def dynamic_partition_op(xp: Any, data: Any, partitions: Any, *, num_partitions: int) -> Any:
    """Deals the rows of `data` out into as many tensors as there are partitions."""
    if data.shape[: partitions.ndim] != partitions.shape:
        raise invalid(
            f"data.shape must start with partitions.shape, got data.shape = {shown(data)}, "
            f"partitions.shape = {shown(partitions)}"
        )
    if xp is np and partitions.size:
        if partitions.min() < 0 or partitions.max() >= num_partitions:
            bad = np.argwhere((partitions < 0) | (partitions >= num_partitions))[0]
            raise invalid(
                f"partitions[{','.join(str(i) for i in bad)}] = {partitions[tuple(bad)]} is not "
                f"in [0, {num_partitions})"
            )
    return [data[partitions == i] for i in range(num_partitions)]


@dynamic_partition_op.shape
def _dynamic_partition_shape(data: Any, partitions: Any, *, num_partitions: int) -> Any:
    if data.shape.ndims is None or partitions.shape.ndims is None:
        return [None] * num_partitions
    rank = partitions.shape.ndims
    merged_dimensions(data.shape.with_rank_at_least(rank)[:rank], partitions.shape)
    return [TensorShape([None]).concatenate(data.shape[rank:])] * num_partitions


@dynamic_partition_op.gradient
def _dynamic_partition_grad(op: Any, *dy: Any) -> list:
    """Each row's gradient goes back to where the row came from."""
    data, partitions = op.inputs
    places = reshape(
        call("Range", np.int32(0), call("Size", partitions), np.int32(1)), shape_of(partitions)
    )
    parts = dynamic_partition_op(places, partitions, num_partitions=len(op.outputs))
    rows = [call("ZerosLike", y) if d is None else d for y, d in zip(op.outputs, dy, strict=True)]
    return [reshape(dynamic_stitch_op(parts, rows), shape_of(data)), None]


def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """The rows of `data`, dealt out by number.

    Args:
      data: any tensor whose first axes are those of `partitions`.
      partitions: int32 in [0, num_partitions).
      num_partitions: how many tensors to make.
      name: the name.
    Returns: a list of tensors, each with the rows of one number, in their order.
    """
    if isinstance(num_partitions, int) and num_partitions < 1:
        raise ValueError(
            f"Attr 'num_partitions' of 'DynamicPartition' Op passed {num_partitions} less than "
            "minimum 1."
        )
    return dynamic_partition_op(data, partitions, num_partitions=num_partitions, name=name)


# ---- DynamicStitch -----------------------------------------------------------------------


def _stitch(op_type: str) -> OpDef:
    def kernel(xp: Any, indices: Any, data: Any) -> Any:
        inner = np.shape(data[0])[np.ndim(indices[0]) :]
        for i, (place, rows) in enumerate(zip(indices, data, strict=True)):
            if np.shape(rows) != (*np.shape(place), *inner):
                raise invalid(
                    f"data[{i}].shape = {shown(rows)} does not start with "
                    f"indices[{i}].shape = {shown(place)}"
                )
        length = max((int(i.max()) + 1 for i in indices if np.size(i)), default=0)
        merged = nothing(xp, (length, *inner), data[0].dtype)
        for place, rows in zip(indices, data, strict=True):
            merged[place] = rows
        return merged

    kernel.__doc__ = "Puts the rows of several tensors where their indices say; the last one stays."
    op_def: OpDef = op(
        op_type,
        "indices: N*int32, data: N*T -> merged: T",
        samples=[
            sample([np.array([1], np.int32), np.array([0, 2], np.int32)], [(1, 2), (2, 2)]),
            sample([np.int32(1), np.array([[0, 2], [3, 4]], np.int32)], [(), (2, 2)]),
        ],
    )(kernel)
    op_def.shape(_stitch_shape)
    op_def.gradient(_stitch_grad)
    return op_def


def _stitch_shape(indices: Any, data: Any) -> Any:
    inner = TensorShape(None)
    for place, rows in zip(indices, data, strict=True):
        if place.shape.ndims is not None and rows.shape.ndims is not None:
            rank = place.shape.ndims
            merged_dimensions(rows.shape.with_rank_at_least(rank)[:rank], place.shape)
            check_same_dimensions(inner, rows.shape[rank:])
            inner = inner.merge_with(rows.shape[rank:])
    values = [place.value for place in indices]
    length = None
    if all(v is not None for v in values):
        length = max((int(v.max()) + 1 for v in values if v.size), default=0)
    return TensorShape([length]).concatenate(inner)


def _stitch_grad(op: Any, dy: Tensor) -> list:
    count = len(op.inputs) // 2
    places = op.inputs[:count]
    return [*[None] * count, *[gather_op(dy, place) for place in places]]


dynamic_stitch_op = _stitch("DynamicStitch")
parallel_dynamic_stitch_op = _stitch("ParallelDynamicStitch")


def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], name: str | None = None) -> Tensor:
    """One tensor of the rows of several: merged[indices[m][i]] = data[m][i].

    Args:
      indices: a list of int32 tensors.
      data: a list of as many tensors; the first axes of each are those of its indices.
      name: the name.
    Returns: a tensor as long as the largest index plus one.
    """
    return dynamic_stitch_op(list(indices), list(data), name=name)


def parallel_dynamic_stitch(
    indices: Sequence[Any], data: Sequence[Any], name: str | None = None
) -> Tensor:
    """As `dynamic_stitch`, where no index comes twice."""
    return parallel_dynamic_stitch_op(list(indices), list(data), name=name)

"""Segments: rows that belong together, by a number that each row has, reduced to one.

    data          [a, b, c, d]
    segment_ids   [0, 0, 2, 2]   ──>   segment_sum  [a+b, 0, c+d]

In the `segment_*` family the numbers are sorted, and the largest says how many segments there are.
In `unsorted_segment_*` they come in any order, a negative one drops its row, and the caller says
how many there are. `sparse_segment_*` takes the rows out of a table first, as a gather would, and
never writes the gathered rows down. `UnsortedSegmentSum`, the adjoint of gather, is declared beside
it in core/ops/array_gathering.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.host import on_cpu
from minitf.core.kernels.rows import check_indices
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones, ones_like
from minitf.core.ops.array_gathering import (
    gather_op,
    in_front_of,
    summed_rows,
    unsorted_segment_sum_op,
)
from minitf.core.ops.elementwise import invalid, named, sample
from minitf.core.ops.math import maximum, realdiv, sqrt


def _counts(ids: Tensor, count: Any, like: Tensor) -> Tensor:
    """How many rows each of `count` segments has, at least 1, of the type of `like`.

    They get axes of size 1, so that rows of `like` can be divided by them.
    """
    dtype = like.dtype.base_dtype
    counts = unsorted_segment_sum_op(ones_like(ids, dtype), ids, count)
    return in_front_of(maximum(counts, ones([], dtype)), like)


# ---- by sorted numbers -------------------------------------------------------------------


def _check_sorted(xp: Any, ids: Any) -> int:
    """How many segments sorted `ids` name.

    Raises:
      InvalidArgumentError: when they are not sorted.
    """
    if ids.ndim != 1:
        raise invalid("segment_ids should be a vector.")
    if on_cpu(xp) and ids.size and (ids[1:] < ids[:-1]).any():
        raise invalid("segment ids are not increasing")
    if ids.size and int(ids[0]) < 0:
        raise invalid(
            f"Segment id {int(ids[0])} out of range [0, {int(ids[-1]) + 1}), possibly because "
            "'segment_ids' input is not sorted."
        )
    return int(ids[-1]) + 1 if ids.size else 0


@op(
    "SegmentSum",
    "data: T, segment_ids: Tindices -> output: T",
    T=dtypes.NUMBERS,
    Tindices=dtypes.INDICES,
    sized_by_values=True,
    samples=[
        sample((4, 2), np.array([0, 0, 2, 2], np.int32)),
        sample((3,), np.array([0, 1, 1], np.int64)),
    ],
)
def segment_sum_op(xp: Any, data: Any, segment_ids: Any) -> Any:
    """Sums the rows of each segment."""
    count = _check_sorted(xp, segment_ids)
    if data.shape[:1] != segment_ids.shape:
        raise invalid("segment_ids should be the same size as dimension 0 of input.")
    return summed_rows(xp, data, segment_ids, count)


@segment_sum_op.shape
def _sorted_shape(data: Any, segment_ids: Any, *rest: Any) -> Any:
    segment_ids.shape.assert_has_rank(1)
    return TensorShape([None]).concatenate(data.shape.with_rank_at_least(1)[1:])


@segment_sum_op.gradient
def _segment_sum_grad(op: Any, dy: Tensor) -> list:
    return [gather_op(dy, op.inputs[1]), None]


# ---- of rows of a table ------------------------------------------------------------------

_WEIGHTS: dict[str, Callable[[Any], Any]] = {
    "Sum": lambda counts: 1.0 + 0.0 * counts,
    "Mean": lambda counts: 1.0 / counts,
    "SqrtN": lambda counts: 1.0 / counts**0.5,
}


def _sparse_segment(kind: str, sentence: str) -> OpDef:
    def kernel(
        xp: Any, data: Any, indices: Any, segment_ids: Any, *, num_segments: int = -1
    ) -> Any:
        count = _check_sorted(xp, segment_ids)
        if num_segments >= 0:
            if count > num_segments:
                raise invalid("segment ids must be < num_segments")
            count = num_segments
        check_indices(xp, indices, data.shape[0], "Bad: indices", "== {} out of range")
        total = summed_rows(xp, data[indices], segment_ids, count)
        if kind == "Sum":
            return total
        rows = xp.maximum(xp.bincount(segment_ids, minlength=count), 1).astype(np.float64)
        weights = _WEIGHTS[kind](rows).astype(data.dtype)
        return total * weights.reshape(-1, *[1] * (data.ndim - 1))

    op_def: OpDef = op(
        f"SparseSegment{kind}",
        "data: T, indices: Tidx, segment_ids: Tsegmentids -> output: T",
        doc=sentence,
        sized_by_values=True,
        T=dtypes.REALS if kind == "Sum" else dtypes.FLOATS,
        Tidx=dtypes.INDICES,
        Tsegmentids=dtypes.INDICES,
        samples=[
            sample((4, 2), np.array([1, 3, 1], np.int32), np.array([0, 2, 2], np.int32)),
            sample(
                (3,), np.array([2, 0, 1], np.int64), np.array([0, 0, 1], np.int32), num_segments=4
            ),
        ],
    )(kernel)

    @op_def.shape
    def _shape(data: Any, indices: Any, segment_ids: Any, *, num_segments: int) -> Any:
        if num_segments >= 0 and data.shape.ndims:
            return TensorShape([num_segments]).concatenate(data.shape[1:])
        return _sorted_shape(data, segment_ids)

    @op_def.gradient
    def _grad(op: Any, dy: Tensor) -> list:
        data, indices, ids = op.inputs
        if kind != "Sum":
            counts = _counts(ids, shape_of(dy)[0], dy)
            dy = realdiv(dy, counts if kind == "Mean" else sqrt(counts))
        size = data.shape.as_list()[0] if data.shape.ndims else None
        rows = shape_of(data)[0] if size is None else np.int32(size)
        return [unsorted_segment_sum_op(gather_op(dy, ids), indices, rows), None, None]

    return op_def


_sparse_sum_op = _sparse_segment("Sum", "Sums the chosen rows of each segment.")
_sparse_mean_op = _sparse_segment("Mean", "Averages the chosen rows of each segment.")
_sparse_sqrt_n_op = _sparse_segment(
    "SqrtN", "Sums the chosen rows of each segment, over the root of their number."
)

# ---- what programs call ------------------------------------------------------------------


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Sums the rows of each segment.

    Args:
      data: [n, ...] numbers.
      segment_ids: [n] int32 or int64, sorted, from 0.
      name: the name.
    Returns: one row for each number up to the largest.
    Raises:
      InvalidArgumentError: when it runs and the numbers are not sorted.
    """
    return segment_sum_op(data, segment_ids, name=name)


def _sparse_function(op_def: OpDef, name: str) -> Callable[..., Tensor]:
    def function(
        data: Any, indices: Any, segment_ids: Any, name: str | None = None, num_segments: Any = None
    ) -> Tensor:
        count = -1 if num_segments is None else int(num_segments)
        return op_def(data, indices, segment_ids, num_segments=count, name=name)

    doc = f"""{op_def.__doc__}

    Args:
      data: [rows, ...] the table.
      indices: [n] the rows to take.
      segment_ids: [n] their segments, sorted.
      name: the name.
      num_segments: how many segments there are; by default one more than the largest.
    """
    return named(function, name, doc)


sparse_segment_sum = _sparse_function(_sparse_sum_op, "sparse_segment_sum")
sparse_segment_mean = _sparse_function(_sparse_mean_op, "sparse_segment_mean")
sparse_segment_sqrt_n = _sparse_function(_sparse_sqrt_n_op, "sparse_segment_sqrt_n")

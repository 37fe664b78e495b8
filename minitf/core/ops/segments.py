"""Segments: rows that belong together, by a number that each row has, reduced to one.

    data          [a, b, c, d]
    segment_ids   [0, 0, 2, 2]   ──>   segment_sum  [a+b, 0, c+d]

In the `segment_*` family the numbers are sorted, and the largest says how many segments there are.
In `unsorted_segment_*` they come in any order, a negative one drops its row, and the caller says
how many there are. `sparse_segment_*` takes the rows out of a table first, as a gather would, and
never writes the gathered rows down. `UnsortedSegmentSum` is the adjoint of gather.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.host import on_cpu
from minitf.core.kernels.rows import add_rows, check_indices
from minitf.core.ops.array import rank as rank_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import size
from minitf.core.ops.array_filling import ones, ones_like, zeros_like
from minitf.core.ops.array_gathering import gather_op
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.comparisons import greater_equal, where_v2
from minitf.core.ops.elementwise import invalid, named, shown
from minitf.core.ops.math import maximum, realdiv, sqrt

# ---- by any number -----------------------------------------------------------------------


def _summed(xp: Any, data: Any, ids: Any, count: int) -> Any:
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
        lambda rng: (rng.normal(size=(4, 2)), np.array([1, 0, 1, 1], np.int32), np.int32(3), {}),
        lambda rng: (rng.normal(size=(3,)), np.array([2, 2, 0], np.int64), np.int32(3), {}),
        lambda rng: (rng.normal(size=(2, 2, 3)), np.array([[0, 1], [1, 1]]), np.int32(2), {}),
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
    return _summed(xp, data, ids, int(num_segments))


@unsorted_segment_sum_op.shape
def _unsorted_shape(data: Any, segment_ids: Any, num_segments: Any) -> Any:
    count = None if num_segments.value is None else int(num_segments.value)
    if data.shape.ndims is None or segment_ids.shape.ndims is None:
        return None
    data.shape[: segment_ids.shape.ndims].assert_is_compatible_with(segment_ids.shape)
    return TensorShape([count]).concatenate(data.shape[segment_ids.shape.ndims :])


def _gather_kept(values: Tensor, ids: Tensor) -> Tensor:
    """values[ids], with zeros where an id is negative: the row was dropped."""
    zero = ids.dtype.as_numpy_dtype(0)
    rows, kept = gather_op(values, maximum(ids, zero)), greater_equal(ids, zero)
    if kept.shape.ndims is None or rows.shape.ndims is None:
        added = size(shape_of(rows)) - size(shape_of(kept))
        units = call("Fill", call("ExpandDims", added, axis=0), np.int32(1))
        kept = reshape(kept, call("ConcatV2", [shape_of(kept), units], axis=0))
        return where_v2(kept, rows, zeros_like(rows))
    for _ in range(rows.shape.ndims - kept.shape.ndims):
        kept = expand_dims(kept, -1)
    return where_v2(kept, rows, zeros_like(rows))


@unsorted_segment_sum_op.gradient
def _unsorted_sum_grad(op: Any, dy: Tensor) -> list:
    return [_gather_kept(dy, op.inputs[1]), None, None]


def _counts(ids: Tensor, count: Any, like: Tensor) -> Tensor:
    """How many rows each of `count` segments has, at least 1, of the type of `like`.

    They get axes of size 1, so that rows of `like` can be divided by them.
    """
    dtype = like.dtype.base_dtype
    counts = unsorted_segment_sum_op(ones_like(ids, dtype), ids, count)
    counts = maximum(counts, ones([], dtype))
    ranks = like.shape.ndims, ids.shape.ndims
    if None in ranks:
        axes = call("Fill", reshape(rank_of(like) - rank_of(ids), [1]), np.int32(1))
        return reshape(counts, call("ConcatV2", [shape_of(counts), axes], axis=0))
    for _ in range(ranks[0] - ranks[1]):
        counts = expand_dims(counts, -1)
    return counts


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
        lambda rng: (rng.normal(size=(4, 2)), np.array([0, 0, 2, 2], np.int32), {}),
        lambda rng: (rng.normal(size=(3,)), np.array([0, 1, 1], np.int64), {}),
    ],
)
def segment_sum_op(xp: Any, data: Any, segment_ids: Any) -> Any:
    """Sums the rows of each segment."""
    count = _check_sorted(xp, segment_ids)
    if data.shape[:1] != segment_ids.shape:
        raise invalid("segment_ids should be the same size as dimension 0 of input.")
    return _summed(xp, data, segment_ids, count)


@segment_sum_op.shape
def _sorted_shape(data: Any, segment_ids: Any, *rest: Any) -> Any:
    if segment_ids.shape.ndims not in (None, 1):
        raise ValueError(f"Shape must be rank 1 but is rank {segment_ids.shape.ndims}")
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
        total = _summed(xp, data[indices], segment_ids, count)
        if kind == "Sum":
            return total
        rows = xp.maximum(xp.bincount(segment_ids, minlength=count), 1).astype(np.float64)
        weights = _WEIGHTS[kind](rows).astype(data.dtype)
        return total * weights.reshape(-1, *[1] * (data.ndim - 1))

    op_def: OpDef = op(
        f"SparseSegment{kind}",
        "data: T, indices: Tidx, segment_ids: Tids -> output: T",
        doc=sentence,
        sized_by_values=True,
        T=dtypes.REALS if kind == "Sum" else dtypes.FLOATS,
        Tidx=dtypes.INDICES,
        Tids=dtypes.INDICES,
        samples=[
            lambda rng: (
                rng.normal(size=(4, 2)),
                np.array([1, 3, 1], np.int32),
                np.array([0, 2, 2], np.int32),
                {},
            ),
            lambda rng: (
                rng.normal(size=(3,)),
                np.array([2, 0, 1], np.int64),
                np.array([0, 0, 1], np.int32),
                {"num_segments": 4},
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

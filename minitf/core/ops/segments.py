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
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.host import on_cpu
from minitf.core.kernels.rows import add_rows, check_indices
from minitf.core.ops.array import rank as rank_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import size
from minitf.core.ops.array_filling import ones, ones_like, zeros_like
from minitf.core.ops.array_gathering import gather_op
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, greater_equal, where_v2
from minitf.core.ops.elementwise import invalid, named, shown
from minitf.core.ops.math import maximum, multiply, realdiv, sqrt

# ---- by any number -----------------------------------------------------------------------


def _extreme_of(dtype: Any, sign: int) -> Any:
    """What is smaller (sign 1) or larger (-1) than every number: the extreme of no rows."""
    if dtype.kind == "f":
        limits = np.finfo(dtype)
        return limits.min if sign > 0 else limits.max
    integers = np.iinfo(dtype)
    return integers.min if sign > 0 else integers.max


_INITIAL: dict[str, Callable[[Any], Any]] = {
    "Sum": lambda dtype: 0,
    "Prod": lambda dtype: 1,
    "Max": lambda dtype: _extreme_of(dtype, 1),
    "Min": lambda dtype: _extreme_of(dtype, -1),
}
_UFUNCS = {"Prod": "multiply", "Max": "maximum", "Min": "minimum"}


def _reduced(xp: Any, kind: str, data: Any, ids: Any, count: int, nothing: Any) -> Any:
    """The rows of `data` reduced by `ids`, into `count` rows that begin as `nothing`."""
    total = xp.full((count, *data.shape[ids.ndim :]), nothing, data.dtype)
    if kind == "Sum":
        add_rows(xp, total, ids, data)
    elif ids.size:
        rows = data.reshape(ids.size, *total.shape[1:])
        getattr(xp, _UFUNCS[kind]).at(total, ids.reshape(-1), rows)
    return total


def _unsorted_samples(kind: str) -> list:
    samples = [
        lambda rng: (rng.normal(size=(4, 2)), np.array([1, 0, 1, 1], np.int32), np.int32(3), {}),
        lambda rng: (rng.normal(size=(3,)), np.array([2, 2, 0], np.int64), np.int32(3), {}),
        lambda rng: (
            rng.normal(size=(2, 2, 3)),
            np.array([[0, 1], [1, 1]], np.int32),
            np.int32(2),
            {},
        ),
    ]
    return samples[2:] if kind in ("Max", "Min") else samples  # the extreme of no rows is too large


def _unsorted(kind: str, types: tuple, sentence: str) -> OpDef:
    def kernel(xp: Any, data: Any, segment_ids: Any, num_segments: Any) -> Any:
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
        nothing = _INITIAL[kind](data.dtype)
        return _reduced(xp, kind, data, ids, int(num_segments), nothing)

    op_def: OpDef = op(
        f"UnsortedSegment{kind}",
        "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T",
        doc=sentence,
        host=("num_segments",),
        T=types,
        Tindices=dtypes.INDICES,
        Tnumsegments=dtypes.INDICES,
        host_only=kind == "Prod",  # CuPy has no `multiply.at`
        samples=_unsorted_samples(kind),
    )(kernel)
    op_def.shape(_unsorted_shape)
    return op_def


def _unsorted_shape(data: Any, segment_ids: Any, num_segments: Any) -> Any:
    count = None if num_segments.value is None else int(num_segments.value)
    if data.shape.ndims is None or segment_ids.shape.ndims is None:
        return None
    data.shape[: segment_ids.shape.ndims].assert_is_compatible_with(segment_ids.shape)
    return TensorShape([count]).concatenate(data.shape[segment_ids.shape.ndims :])


unsorted_segment_sum_op = _unsorted(
    "Sum", dtypes.NUMBERS, "Sums the rows of `data` that have the same segment."
)
unsorted_segment_prod_op = _unsorted(
    "Prod", dtypes.NUMBERS, "Multiplies the rows of `data` that have the same segment."
)
unsorted_segment_max_op = _unsorted(
    "Max", dtypes.REALS, "Takes the largest of the rows of `data` that have the same segment."
)
unsorted_segment_min_op = _unsorted(
    "Min", dtypes.REALS, "Takes the smallest of the rows of `data` that have the same segment."
)


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


def _share_of_extreme(op: Any, dy: Tensor, total: Callable[[Tensor], Tensor]) -> Tensor:
    """Rows that share the extreme of their segment share its gradient equally."""
    data, ids = op.inputs[:2]
    chosen = cast(equal(data, _gather_kept(op.outputs[0], ids)), dy.dtype.base_dtype)
    counts = maximum(total(chosen), ones([], dy.dtype.base_dtype))
    return multiply(chosen, _gather_kept(realdiv(dy, counts), ids))


def _unsorted_extreme_grad(op: Any, dy: Tensor) -> list:
    ids, count = op.inputs[1:]
    return [_share_of_extreme(op, dy, lambda x: unsorted_segment_sum_op(x, ids, count)), None, None]


unsorted_segment_max_op.gradient(_unsorted_extreme_grad)
unsorted_segment_min_op.gradient(_unsorted_extreme_grad)


def _product_of_others(data: Tensor, product: Callable[[Tensor], Tensor], ids: Tensor) -> Tensor:
    """For each element the product of the others in its segment; right with one 0 in it, too."""
    zero = equal(data, zeros_like(data))
    without = product(where_v2(zero, ones_like(data), data))
    whole = product(data)
    divisor = where_v2(zero, ones_like(data), data)
    others = where_v2(zero, _gather_kept(without, ids), realdiv(_gather_kept(whole, ids), divisor))
    zeros_in = cast(zero, data.dtype.base_dtype)
    # two zeros in one segment: the product of the others is 0 for each of them
    several = greater(
        unsorted_segment_sum_op(zeros_in, ids, shape_of(whole)[0]), ones([], data.dtype.base_dtype)
    )
    none = equal(_gather_kept(cast(several, data.dtype.base_dtype), ids), zeros_like(data))
    return where_v2(none, others, zeros_like(data))


@unsorted_segment_prod_op.gradient
def _unsorted_prod_grad(op: Any, dy: Tensor) -> list:
    data, ids, count = op.inputs
    others = _product_of_others(data, lambda x: unsorted_segment_prod_op(x, ids, count), ids)
    return [multiply(_gather_kept(dy, ids), others), None, None]


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


def _sorted_samples() -> list:
    return [
        lambda rng: (rng.normal(size=(4, 2)), np.array([0, 0, 2, 2], np.int32), {}),
        lambda rng: (rng.normal(size=(3,)), np.array([0, 1, 1], np.int64), {}),
    ]


def _sorted(kind: str, types: tuple, sentence: str) -> OpDef:
    def kernel(xp: Any, data: Any, segment_ids: Any) -> Any:
        ids = segment_ids
        count = _check_sorted(xp, ids)
        if data.shape[:1] != ids.shape:
            raise invalid("segment_ids should be the same size as dimension 0 of input.")
        if kind != "Mean":
            total = _reduced(xp, kind, data, ids, count, _INITIAL[kind](data.dtype))
            if kind in ("Max", "Min"):  # a segment without rows is zero
                total[xp.bincount(ids, minlength=count) == 0] = 0
            return total
        total = _reduced(xp, "Sum", data, ids, count, 0)
        rows = xp.maximum(xp.bincount(ids, minlength=count), 1)
        rows = rows.reshape(-1, *[1] * (data.ndim - 1)).astype(data.dtype)
        return total / rows if data.dtype.kind in "fc" else total // rows

    op_def: OpDef = op(
        f"Segment{kind}",
        "data: T, segment_ids: Tindices -> output: T",
        doc=sentence,
        T=types,
        Tindices=dtypes.INDICES,
        host_only=kind == "Prod",
        sized_by_values=True,
        samples=_sorted_samples(),
    )(kernel)
    op_def.shape(_sorted_shape)
    return op_def


def _sorted_shape(data: Any, segment_ids: Any, *rest: Any) -> Any:
    if segment_ids.shape.ndims not in (None, 1):
        raise ValueError(f"Shape must be rank 1 but is rank {segment_ids.shape.ndims}")
    return TensorShape([None]).concatenate(data.shape.with_rank_at_least(1)[1:])


segment_sum_op = _sorted("Sum", dtypes.NUMBERS, "Sums the rows of each segment.")
segment_mean_op = _sorted("Mean", dtypes.NUMBERS, "Averages the rows of each segment.")
segment_prod_op = _sorted("Prod", dtypes.NUMBERS, "Multiplies the rows of each segment.")
segment_max_op = _sorted("Max", dtypes.REALS, "Takes the largest of the rows of each segment.")
segment_min_op = _sorted("Min", dtypes.REALS, "Takes the smallest of the rows of each segment.")


@segment_sum_op.gradient
def _segment_sum_grad(op: Any, dy: Tensor) -> list:
    return [gather_op(dy, op.inputs[1]), None]


@segment_mean_op.gradient
def _segment_mean_grad(op: Any, dy: Tensor) -> list:
    ids = op.inputs[1]
    return [gather_op(realdiv(dy, _counts(ids, shape_of(dy)[0], dy)), ids), None]


def _segment_extreme_grad(op: Any, dy: Tensor) -> list:
    ids = op.inputs[1]
    return [_share_of_extreme(op, dy, lambda x: segment_sum_op(x, ids)), None]


segment_max_op.gradient(_segment_extreme_grad)
segment_min_op.gradient(_segment_extreme_grad)


@segment_prod_op.gradient
def _segment_prod_grad(op: Any, dy: Tensor) -> list:
    data, ids = op.inputs
    others = _product_of_others(data, lambda x: segment_prod_op(x, ids), ids)
    return [multiply(gather_op(dy, ids), others), None]


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
        total = _reduced(xp, "Sum", data[indices], segment_ids, count, 0)
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


def _sorted_function(op_def: OpDef, name: str) -> Callable[..., Tensor]:
    def function(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
        return op_def(data, segment_ids, name=name)

    doc = f"""{op_def.__doc__}

    Args:
      data: [n, ...] numbers.
      segment_ids: [n] int32 or int64, sorted, from 0.
      name: the name.
    Returns: one row for each number up to the largest.
    Raises:
      InvalidArgumentError: when it runs and the numbers are not sorted.
    """
    return named(function, name, doc)


segment_sum = _sorted_function(segment_sum_op, "segment_sum")
segment_mean = _sorted_function(segment_mean_op, "segment_mean")
segment_max = _sorted_function(segment_max_op, "segment_max")


def _unsorted_function(op_def: OpDef, name: str) -> Callable[..., Tensor]:
    def function(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
        return op_def(data, segment_ids, num_segments, name=name)

    doc = f"""{op_def.__doc__}

    Args:
      data: numbers; its first axes are those of `segment_ids`.
      segment_ids: the segment of each row, in [0, num_segments) and in any order; negative: none.
      num_segments: how many segments there are.
      name: the name.
    """
    return named(function, name, doc)


unsorted_segment_sum = _unsorted_function(unsorted_segment_sum_op, "unsorted_segment_sum")
unsorted_segment_max = _unsorted_function(unsorted_segment_max_op, "unsorted_segment_max")


def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Averages the rows of `data` that have the same segment; see `unsorted_segment_sum`."""
    return _over_counts("UnsortedSegmentMean", data, segment_ids, num_segments, name, False)


def _over_counts(
    scope: str, data: Any, segment_ids: Any, num_segments: Any, name: str | None, root: bool
) -> Tensor:
    with name_scope(name, scope):
        data, ids = call("Identity", data), call("Identity", segment_ids)
        total = unsorted_segment_sum_op(data, ids, num_segments)
        if hasattr(total, "_map_elements"):  # ragged rows: each value has a count of its own
            counts = unsorted_segment_sum_op(call("ZerosLike", data) + 1, ids, num_segments)
            wide = data.dtype if data.dtype.is_floating else dtypes.float64
            counts = cast(counts, wide)
            return cast(total, wide) / (sqrt(counts) if root else counts)
        counts = _counts(ids, num_segments, data)
        return total / (sqrt(counts) if root else counts)


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

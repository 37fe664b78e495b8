"""Order along an axis: top_k, sort, argsort, searchsorted; and the values of a vector, each once.

top_k        the k largest of each row, and where they are; of equal ones the first comes first
sort         the whole row; its gradient goes back to where each element came from
searchsorted where a value would have to stand in a sorted row
bucketize    the same of every number, in one row of boundaries

How many values `unique` and `setdiff1d` give depends on those that go in, so the static shapes
leave it open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, call, none_is_default, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels.table import kernel
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import static_int
from minitf.core.ops.array_shaping import reshape, transpose
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.math import negative, subtract
from minitf.core.ops.reductions import may_hold_nan
from minitf.core.ops.run_time_axes import along

# ---- TopKV2 ------------------------------------------------------------------------------


@op(
    "TopKV2",
    "input: T, k: int32 -> values: T, indices: int32",
    batch="each",
    host=("k",),
    T=dtypes.REALS,
    samples=[
        lambda rng: (rng.normal(size=(2, 5)), np.int32(3), {}),
        lambda rng: (rng.normal(size=(4,)), np.int32(4), {}),
        lambda rng: (rng.normal(size=(2, 2, 3)), np.int32(1), {"sorted": False}),
    ],
)
def top_k_op(xp: Any, input: Any, k: Any, *, sorted: bool = True) -> Any:
    """Gives the `k` largest elements of each row and their places, the largest first."""
    count, length = int(k), input.shape[-1] if input.ndim else 0
    if count < 0:
        raise invalid(f"Need k >= 0, got {count}")
    if not input.ndim:
        raise invalid("input must be >= 1-D, got shape []")
    if length < count:
        raise invalid(f"input must have at least k columns. Had {length}, needed {count}")
    places = largest(xp, input, count)
    return xp.take_along_axis(input, places, axis=-1), places.astype(np.int32)


def falling(x: Any) -> Any:
    """Numbers that a rising sort puts in the order in which `x` falls."""
    return ~x if x.dtype.kind in "iu" else -x


@kernel()
def largest(xp: Any, x: Any, count: int) -> Any:
    """The places of the `count` largest of each row, in order; of equal ones the first.

    NaN comes last, as in every order here.
    """
    if not count:
        return xp.empty((*x.shape[:-1], 0), np.int64)
    if count == 1 and not (x.dtype.kind == "f" and may_hold_nan(xp, x)):
        return x.argmax(axis=-1)[..., None]
    key = falling(x)  # a stable sort keeps equal ones in their order
    if count * 8 >= x.shape[-1]:
        return xp.argsort(key, axis=-1, kind="stable")[..., :count]
    # a long row: sort those only that are not smaller than the last one that is wanted
    edge = xp.partition(key, count - 1, axis=-1)[..., count - 1 : count]
    rows, wanted = (each.reshape(-1, x.shape[-1]) for each in (key, ~(key > edge)))
    places = xp.empty((len(rows), count), np.int64)
    for place, row, candidates in zip(places, rows, map(xp.flatnonzero, wanted), strict=True):
        place[:] = candidates[xp.argsort(row[candidates], kind="stable")[:count]]
    return places.reshape(*x.shape[:-1], count)


@top_k_op.shape
def _top_k_shape(input: Any, k: Any, *, sorted: bool) -> Any:
    sizes = input.shape.with_rank_at_least(1)
    k.shape.with_rank(0)
    count = None if k.value is None else int(k.value)
    last = sizes[-1].value
    if None not in (last, count) and last < count:
        raise ValueError(f"input must have last dimension >= k = {count} but is {last}")
    found = sizes[:-1].concatenate([count])
    return [found, found]


@top_k_op.gradient
def _top_k_grad(op: Any, dy: Tensor, _: Any) -> list:
    """What reaches a chosen element goes to its place."""
    x, places = op.inputs[0], op.outputs[1]
    length = shape_of(x)[-1]
    flat = reshape(places, [-1, shape_of(places)[-1]])
    rows = call("Range", np.int32(0), shape_of(flat)[0] * length, length)
    where = reshape(flat + reshape(rows, [-1, 1]), [-1])
    total = call("UnsortedSegmentSum", reshape(dy, [-1]), where, call("Size", x))
    return [reshape(total, shape_of(x)), None]


def top_k(input: TensorLike, k: Any = 1, sorted: bool = True, name: str | None = None) -> Any:
    """The `k` largest elements along the last axis, and where they are.

    Args:
      input: numbers of rank 1 or more.
      k: how many; a scalar int32.
      sorted: accepted; the largest always come first.
      name: the name.
    Returns: `(values, indices)`; of equal elements the one with the lower index comes first.
    Raises:
      ValueError: when the last axis is known to be shorter than `k`.
    Example:
      >>> sess.run(tf.nn.top_k([1., 5., 3.], 2))
      TopKV2(values=array([5., 3.], dtype=float32), indices=array([1, 2], dtype=int32))
    """
    return top_k_op.named(top_k_op(input, k, sorted=sorted, name=name))


# ---- sort, argsort -----------------------------------------------------------------------


def sort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """`values` in order along an axis.

    Args:
      values: numbers of rank 1 or more.
      axis: the axis; known when the graph is built.
      direction: "ASCENDING" or "DESCENDING".
      name: the name of the scope.
    """
    with name_scope(name, "sort"):
        return _ordered(convert_to_tensor(values, name="values"), axis, direction)[0]


def argsort(
    values: Any,
    axis: Any = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """The places of the elements of `values` in their order along an axis, as int32.

    The arguments are those of `sort`; the order of equal elements is always kept.
    """
    with name_scope(name, "argsort"):
        return _ordered(convert_to_tensor(values, name="values"), axis, direction)[1]


def _ordered(values: Tensor, axis: Any, direction: str) -> Any:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"{direction} should be one of ['ASCENDING', 'DESCENDING']")
    place, rank = static_int(axis, "axis"), values.shape.ndims
    last = place == -1 or (rank is not None and place == rank - 1)
    order: Any = None
    if not last:
        if rank is None:
            parts = along("sort", values, place, lambda x: [*_ordered(x, -1, direction)])
            return top_k_op.named(parts)
        if not -rank <= place < rank:
            raise ValueError(f"axis {place} is out of range for a tensor of rank {rank}")
        order = list(range(rank))
        order[place], order[-1] = order[-1], order[place]
        values = transpose(values, order)
    flipped = direction == "ASCENDING"
    integer = values.dtype.base_dtype.is_integer
    top = top_k(_mirrored(values, integer) if flipped else values, shape_of(values)[-1])
    found = _mirrored(top.values, integer) if flipped else top.values
    if order is None:
        return top_k_op.named([found, top.indices])
    return top_k_op.named([transpose(found, order), transpose(top.indices, order)])


def _mirrored(values: Tensor, integer: bool) -> Tensor:
    """`values` in the opposite order: -x, and for integers, whose range has no middle, -1 - x."""
    if not integer:
        return negative(values)
    dtype = values.dtype.base_dtype
    return subtract(convert_to_tensor(dtype.max if dtype.is_unsigned else -1, dtype), values)


# ---- LowerBound, UpperBound --------------------------------------------------------------


def _bound(op_type: str, side: str, doc: str) -> OpDef:
    def search(xp: Any, sorted_inputs: Any, values: Any, *, out_type: Any = dtypes.int32) -> Any:
        if sorted_inputs.ndim != 2 or values.ndim != 2 or len(sorted_inputs) != len(values):
            raise invalid("Leading dim_size of both tensors must match.")
        pairs = zip(sorted_inputs, values, strict=True)
        found = [xp.searchsorted(row, wanted, side=side) for row, wanted in pairs]
        return xp.asarray(found, dtype=out_type.as_numpy_dtype).reshape(values.shape)

    search.__doc__ = doc
    declared: OpDef = op(
        op_type,
        "sorted_inputs: T, values: T -> output: out_type",
        differentiable=False,
        samples=[
            lambda rng: (np.sort(rng.normal(size=(2, 5)), axis=-1), rng.normal(size=(2, 3)), {})
        ],
    )(search)

    @declared.shape
    def _shape(sorted_inputs: Any, values: Any, *, out_type: Any) -> TensorShape:
        sorted_inputs.shape.with_rank(2)
        return values.shape.with_rank(2)

    return declared


upper_bound_op = _bound(
    "UpperBound", "right", "Finds the first place in each sorted row whose element is larger."
)


# ---- Bucketize ---------------------------------------------------------------------------


@op(
    "Bucketize",
    "input: T -> output: int32",
    T=dtypes.REALS,
    samples=[lambda rng: (rng.normal(size=(2, 3)), {"boundaries": (-0.5, 0.0, 0.5)})],
)
def bucketize_op(xp: Any, input: Any, *, boundaries: Any) -> Any:
    """Counts for each number the boundaries that are at or below it."""
    bounds = xp.asarray(boundaries, dtype=np.float32)
    return xp.searchsorted(bounds, input, side="right").astype(np.int32)


@bucketize_op.shape
def _bucketize_shape(input: Any, *, boundaries: Any) -> TensorShape:
    if list(boundaries) != sorted(boundaries):
        raise invalid("Expected sorted boundaries")
    return input.shape


def bucketize(input: Any, boundaries: Sequence[float], name: str | None = None) -> Tensor:
    """For each number how many of the boundaries lie at or below it, as int32.

    Args:
      input: any tensor of numbers.
      boundaries: rising numbers.
      name: the name.
    Raises:
      InvalidArgumentError: when the boundaries do not rise.
      TypeError: when they are no list.
    """
    if not isinstance(boundaries, (list, tuple)):
        raise TypeError(f"Expected list for 'boundaries' argument, not {boundaries!r}.")
    return bucketize_op(input, boundaries=tuple(map(float, boundaries)), name=name)


_FEW = 1000  # elements


# ---- Unique, ListDiff ------------------------------------------------------------------


@op(
    "Unique",
    "x: T -> y: T, idx: out_idx",
    sized_by_values=True,
    host_only=True,
    differentiable=None,
    samples=[
        lambda rng: (np.array([4, 1, 4, 2, 1], np.int32), {}),
        lambda rng: (np.array([3, 3], np.int64), {"out_idx": dtypes.int64}),
    ],
)
def unique_op(xp: Any, x: Any, *, out_idx: Any = dtypes.int32) -> Any:
    """Gives the values of a vector, each once, and where each element is among them."""
    if x.ndim != 1:
        raise invalid("unique expects a 1D vector.")
    kind = out_idx.as_numpy_dtype
    if x.size <= _FEW and x.dtype.kind in "iu":  # a dict is faster than a sort
        listed = x.tolist()
        number = {v: i for i, v in enumerate(dict.fromkeys(listed))}
        return np.array([*number], x.dtype), np.array([*map(number.__getitem__, listed)], kind)
    values, first, places = xp.unique(  # one NaN is not the other
        x, return_index=True, return_inverse=True, equal_nan=False
    )
    order = xp.argsort(first)  # NumPy sorts by value
    rank = xp.empty_like(order)
    rank[order] = xp.arange(order.size)
    return values[order], rank[places.reshape(-1)].astype(kind)


@unique_op.shape
def _unique_shape(x: Any, *, out_idx: Any) -> list:
    x.shape.with_rank(1)
    return [TensorShape([None]), x.shape]


def unique(x: TensorLike, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """The values of a vector, each once, in the order in which they first come.

    Args:
      x: [n] of any type.
      out_idx: the type of the places, int32 or int64.
      name: the name.
    Returns: `(y, idx)`: the values, and for each element of `x` its place in `y`.
    Example:
      >>> sess.run(tf.unique([1, 1, 2, 4, 4]))
      Unique(y=array([1, 2, 4], dtype=int32), idx=array([0, 0, 1, 2, 2], dtype=int32))
    """
    return unique_op.named(unique_op(x, out_idx=out_idx, name=name))


@op(
    "ListDiff",
    "x: T, y: T -> out: T, idx: out_idx",
    sized_by_values=True,
    host_only=True,
    differentiable=None,
    samples=[lambda rng: (np.array([1, 2, 3, 2, 5]), np.array([2, 1]), {})],
)
def list_diff_op(xp: Any, x: Any, y: Any, *, out_idx: Any = dtypes.int32) -> Any:
    """Gives the elements of `x` that are not in `y`, and their places in `x`."""
    places = xp.flatnonzero(~xp.isin(x, y))
    return x[places], places.astype(out_idx.as_numpy_dtype)


list_diff_op.shape(lambda x, y, *, out_idx: [TensorShape([None]), TensorShape([None])])


@none_is_default
def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None) -> Any:
    """The elements of the vector `x` that are not in `y`, in their order: `(out, idx)`."""
    found = list_diff_op(x, y, out_idx=dtypes.as_dtype(index_dtype), name=name)
    return list_diff_op.named(found)

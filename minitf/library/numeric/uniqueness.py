"""Which values there are: unique, with counts, set differences, bins and histograms.

How many values come out depends on the values that go in, so the static shapes leave it open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.likes import TensorLike
from minitf.core.graph.op_def import OpDef, none_is_default, op
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.host import on_cpu
from minitf.core.ops.array_filling import zeros, zeros_like
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.math import add, floor, maximum, minimum
from minitf.core.ops.reductions import reduce_max

# ---- Unique, UniqueWithCounts ------------------------------------------------------------


_FEW = 1000  # elements


def _unique(xp: Any, x: Any, out_idx: Any) -> tuple[Any, Any, Any]:
    """The values of `x` in the order in which they first come, their places, and their counts."""
    if x.ndim != 1:
        raise invalid("unique expects a 1D vector.")
    kind = out_idx.as_numpy_dtype
    if x.size <= _FEW and x.dtype.kind in "iu":  # a dict is faster than a sort
        listed = x.tolist()
        number = {v: i for i, v in enumerate(dict.fromkeys(listed))}
        places = np.array([*map(number.__getitem__, listed)], kind)
        return np.array([*number], x.dtype), places, np.bincount(places).astype(kind)
    values, first, places, counts = xp.unique(  # one NaN is not the other
        x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    order = xp.argsort(first)  # NumPy sorts by value
    rank = xp.empty_like(order)
    rank[order] = xp.arange(order.size)
    return values[order], rank[places.reshape(-1)].astype(kind), counts[order].astype(kind)


_REPEATING = (
    lambda rng: (np.array([4, 1, 4, 2, 1], np.int32), {}),
    lambda rng: (np.array([3, 3], np.int64), {"out_idx": dtypes.int64}),
)


def _vector_shapes(x: Any, **attrs: Any) -> list:
    x.shape.with_rank(1)
    return [TensorShape([None]), x.shape, TensorShape([None])]


def _declare(op_type: str, signature: str, *samples: Callable) -> Callable[[Callable], OpDef]:
    """Declares an op whose values say how many it gives; so it runs on the host."""
    return op(
        op_type,
        signature,
        sized_by_values=True,
        host_only=True,
        differentiable=False,
        samples=samples,
    )


@_declare("Unique", "x: T -> y: T, idx: out_idx", *_REPEATING)
def unique_op(xp: Any, x: Any, *, out_idx: Any = dtypes.int32) -> Any:
    """Gives the values of a vector, each once, and where each element is among them."""
    return _unique(xp, x, out_idx)[:2]


unique_op.shape(lambda x, *, out_idx: _vector_shapes(x)[:2])


@_declare("UniqueWithCounts", "x: T -> y: T, idx: out_idx, count: out_idx", *_REPEATING)
def unique_with_counts_op(xp: Any, x: Any, *, out_idx: Any = dtypes.int32) -> Any:
    """Gives the values of a vector, where each element is among them, and how often each comes."""
    return _unique(xp, x, out_idx)


unique_with_counts_op.shape(_vector_shapes)


def _unique_along(xp: Any, x: Any, axis: Any, out_idx: Any) -> tuple[Any, Any, Any]:
    """As `_unique`, of the parts of `x` along an axis; of a vector when none is given."""
    if axis.ndim != 1:
        raise invalid("axis expects a 1D vector.")
    if not axis.size:
        return _unique(xp, x, out_idx)
    if axis.size > 1:
        raise invalid("axis does not support input tensors larger than 1 elements")
    if not -x.ndim <= axis[0] < x.ndim:
        raise invalid(f"axis has to be between [0, {x.ndim})")
    number: dict[tuple, int] = {}
    parts = [tuple(part.ravel().tolist()) for part in np.moveaxis(x, axis[0], 0)]
    places = np.array([number.setdefault(part, len(number)) for part in parts], np.int64)
    first = np.unique(places, return_index=True)[1]
    kind = out_idx.as_numpy_dtype
    counts = np.bincount(places, minlength=first.size)
    return np.take(x, first, axis[0]), places.astype(kind), counts.astype(kind)


def _shapes_along(x: Any, axis: Any, **attrs: Any) -> list:
    rank, known, places = x.shape.ndims, axis.value, TensorShape([None])
    if known is not None and known.ndim != 1:
        raise ValueError("axis expects a 1D vector.")
    if known is not None and known.size > 1:
        raise ValueError("axis does not support input tensors larger than 1 elements.")
    if known is not None and rank is not None:
        if not known.size and rank != 1:
            raise ValueError("x expects a 1D vector.")
        if known.size and not -rank <= known[0] < rank:
            raise ValueError(f"axis expects to be in the range [{-rank}, {rank})")
        places = TensorShape([x.shape[int(known[0]) if known.size else 0]])
    return [unknown_shape(rank), places, TensorShape([None])]


_ALONG = (
    lambda rng: (np.array([[1, 2, 1], [3, 4, 3]]), np.array([1], np.int32), {}),
    lambda rng: (np.array([3, 1, 3]), np.zeros(0, np.int64), {"out_idx": dtypes.int64}),
)


@_declare("UniqueV2", "x: T, axis: Taxis -> y: T, idx: out_idx", *_ALONG)
def unique_along_op(xp: Any, x: Any, axis: Any, *, out_idx: Any = dtypes.int32) -> Any:
    """Gives the parts of a tensor along an axis, each once, and where each part is among them."""
    return _unique_along(xp, x, axis, out_idx)[:2]


unique_along_op.shape(lambda x, axis, *, out_idx: _shapes_along(x, axis)[:2])


@_declare("UniqueWithCountsV2", "x: T, axis: Taxis -> y: T, idx: out_idx, count: out_idx", *_ALONG)
def unique_with_counts_along_op(xp: Any, x: Any, axis: Any, *, out_idx: Any = dtypes.int32) -> Any:
    """Gives the parts along an axis, where each is among them, and how often each comes."""
    return _unique_along(xp, x, axis, out_idx)


unique_with_counts_along_op.shape(_shapes_along)


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


def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """As `unique`, and how often each value comes: `(y, idx, count)`."""
    found = unique_with_counts_op(x, out_idx=out_idx, name=name)
    return unique_with_counts_op.named(found)


# ---- ListDiff ----------------------------------------------------------------------------


@_declare(
    "ListDiff",
    "x: T, y: T -> out: T, idx: out_idx",
    lambda rng: (np.array([1, 2, 3, 2, 5]), np.array([2, 1]), {}),
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


# ---- histograms --------------------------------------------------------------------------


@op(
    "Bincount",
    "arr: int32, size: int32, weights: T -> bins: T",
    host=("size",),
    T=(dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64),
    differentiable=False,
    sized_by_values=True,
    samples=[
        lambda rng: (np.array([1, 3, 1], np.int32), np.int32(3), np.zeros(0, np.int64), {}),
        lambda rng: (np.array([1, 3, 1], np.int32), np.int32(5), rng.normal(size=3), {}),
    ],
)
def bincount_op(xp: Any, arr: Any, size: Any, weights: Any) -> Any:
    """Counts the numbers below `size`, each as one or by its weight."""
    flat, weighed = arr.ravel(), weights.ravel()
    if size < 0:
        raise invalid(f"size ({size}) must be non-negative")
    if on_cpu(xp) and flat.size and flat.min() < 0:
        raise invalid("Input arr must be non-negative!")
    counted = xp.bincount(flat, weighed if weighed.size else None, int(size))[: int(size)]
    return counted.astype(weights.dtype)


bincount_op.shape(
    lambda arr, size, weights: TensorShape([None if size.value is None else int(size.value)])
)


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How often each of the numbers 0, 1, ... comes.

    Args:
      arr: int32 of any shape, not negative.
      weights: what each number counts, of the same shape; 1 by default.
      minlength: the least length of the result.
      maxlength: the largest length; larger numbers are left out.
      dtype: the type of the counts when there are no weights.
      name: the name of the scope.
    Returns: a vector as long as the largest number plus one.
    """
    with name_scope(name, "bincount"):
        numbers = convert_to_tensor(arr, dtypes.int32, name="arr")
        flat = _flat(numbers)
        length = add(maximum(reduce_max(flat), convert_to_tensor(-1, dtypes.int32)), 1)
        if minlength is not None:
            length = maximum(convert_to_tensor(minlength, dtypes.int32), length)
        if maxlength is not None:
            length = minimum(convert_to_tensor(maxlength, dtypes.int32), length)
        counted = (
            zeros([0], dtype) if weights is None else convert_to_tensor(weights, name="weights")
        )
        return bincount_op(flat, length, counted)


def _flat(x: Tensor) -> Tensor:
    return x if x.shape.ndims == 1 else reshape(x, [-1])


@op(
    "HistogramFixedWidth",
    "values: T, value_range: T, nbins: int32 -> out: dtype",
    host=("nbins",),
    T=dtypes.REALS,
    differentiable=False,
    samples=[lambda rng: (rng.normal(size=(7,)), np.array([-1.0, 1.0]), np.int32(4), {})],
)
def histogram_fixed_width_op(
    xp: Any, values: Any, value_range: Any, nbins: Any, *, dtype: Any = dtypes.int32
) -> Any:
    """Counts values in bins of equal width; what lies outside counts in the outermost."""
    places = _bins(xp, values, value_range, nbins)
    counts = xp.bincount(places.ravel(), minlength=int(nbins))
    return counts.astype(dtype.as_numpy_dtype)


def _bins(xp: Any, values: Any, value_range: Any, nbins: Any) -> Any:
    low, high = value_range.astype(np.float64)
    if int(nbins) <= 0:
        raise invalid(f"nbins should be a positive number, but got '{int(nbins)}'")
    if low >= high:
        raise invalid(
            "value_range should satisfy value_range[0] < value_range[1], but got "
            f"'[{low:g}, {high:g}]'"
        )
    scaled = xp.floor((values.astype(np.float64) - low) / (high - low) * int(nbins))
    return xp.clip(scaled, 0, int(nbins) - 1).astype(np.int64)


@histogram_fixed_width_op.shape
def _histogram_shape(values: Any, value_range: Any, nbins: Any, *, dtype: Any) -> Any:
    for given, rank in (value_range, 1), (nbins, 0):
        if given.shape.ndims not in (None, rank):
            raise ValueError(f"Shape must be rank {rank} but is rank {given.shape.ndims}")
    if value_range.shape.ndims and value_range.shape.as_list()[0] not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {value_range.shape.as_list()[0]}")
    if nbins.value is not None and nbins.value <= 0:
        raise ValueError(f"Requires nbins > 0: {nbins.value}")
    return TensorShape([None if nbins.value is None else int(nbins.value)])


def histogram_fixed_width(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Counts of values in bins of equal width.

    Args:
      values: numbers of any shape.
      value_range: [2] the lower end of the first bin and the upper end of the last.
      nbins: how many bins there are.
      dtype: int32 or int64.
      name: the name.
    Returns: [nbins]; what lies outside counts in the outermost bins.
    """
    with name_scope(name, "histogram_fixed_width", [values, value_range, nbins]) as scope:
        values = convert_to_tensor(values, name="values")
        return histogram_fixed_width_op(
            values, value_range, nbins, dtype=dtypes.as_dtype(dtype), name=scope
        )


def histogram_fixed_width_bins(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """For each value, the bin that `histogram_fixed_width` counts it in, int32 whatever `dtype`."""
    with name_scope(name, "histogram_fixed_width_bins"):
        values = convert_to_tensor(values, name="values")
        ends = convert_to_tensor(value_range, values.dtype.base_dtype, name="value_range")
        count = convert_to_tensor(nbins, dtypes.int32, name="nbins")
        scaled = (values - ends[0]) / (ends[1] - ends[0]) * cast(count, values.dtype)
        last = cast(count, values.dtype) - 1
        return cast(minimum(maximum(floor(scaled), zeros_like(last)), last), dtypes.int32)

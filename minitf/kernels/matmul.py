"""Products of matrices: large ones by several threads, and one that is taken off where it belongs.

gradient = X.T @ G;  W -= rate * gradient        a product, and two or three passes over it
W -= rate * X.T @ G                              one product: BLAS adds to what is there
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.kernels.library import optional
from minitf.kernels.table import kernel
from minitf.kernels.threads import count, split
from minitf.kernels.updates import apply_gradient_descent

WORTH_SPLITTING = 10_000_000  # multiplications: about 100 us
_LONGEST = 192  # numbers in a sum: from there on NumPy's newer BLAS gains more than passes cost
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
    apply_gradient_descent.whole(xp, [target], change, (rate,), {}, change)


@subtract_product.tier("scipy")
def _(target: Any, a: Any, b: Any, rate: Any) -> Any:
    if not 0 < a.shape[1] <= _LONGEST or target.dtype.char not in "fd" or not rate:
        return NotImplemented
    if not target.flags.c_contiguous or not target.size:
        return NotImplemented
    if a.size * b.shape[1] >= WORTH_SPLITTING and count() > 1:
        return NotImplemented
    if np.may_share_memory(a, target) or np.may_share_memory(b, target):
        return NotImplemented
    blas = optional("scipy.linalg.blas")
    if blas is None:
        return NotImplemented
    gemm = blas.sgemm if target.dtype.char == "f" else blas.dgemm
    # It sees columns where NumPy sees rows: target.T -= rate * b.T @ a.T
    turn_a, turn_b = not a.flags.c_contiguous, not b.flags.c_contiguous
    left, right = b if turn_b else b.T, a if turn_a else a.T
    gemm(-rate, left, right, 1.0, target.T, turn_b, turn_a, 1)
    return None

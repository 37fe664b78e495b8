"""Products with few columns, tile by tile: BLAS is fastest where it packs nothing.

    [rows, long] @ [long, columns]        60 of the long side at a time: a tile of b, 32 KB, stays
                                          in the first cache, and the result in the second

A dense layer of 128 units is such a product, and so is the gradient by its weights. It takes 0.8 of
the time of one call, and a third for 8 rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.kernels import dense
from minitf.core.kernels.table import contiguous
from minitf.core.kernels.threads import split
from minitf.fast.blocks.products import WORTH_SPLITTING
from minitf.fast.compiled._blas import SMALL, multiply
from minitf.fast.compiled._loops import loop

_LONG = 60  # of the side that is summed over
_MOST_COLUMNS = 128  # more, and the rows of a tile of `b` lie too far apart in memory


@loop("void(const(float32[:,::1]), b1, const(float32[:,::1]), float32[:,::1], intp, intp)")
def _product(a, turned, b, c, first, stop):  # type: ignore[no-untyped-def]
    """The rows [first, stop) of c = a @ b, or of a.T @ b when `turned`."""
    long, columns = b.shape
    line = a.shape[1]
    high = max(1, 1_000_000 // (_LONG * max(1, columns)))
    for k in range(0, long, _LONG):
        deep, beta = min(_LONG, long - k), np.float32(1 if k else 0)
        tile = b.ctypes.data + 4 * k * columns
        for i in range(first, stop, high):
            part = a.ctypes.data + 4 * (k * line + i if turned else i * line + k)
            place, rows = c.ctypes.data + 4 * i * columns, min(high, stop - i)
            multiply(rows, columns, deep, part, line, turned, tile, columns, beta, place, columns)


@dense.product.tier("numba")
def _(a: Any, b: Any) -> Any:
    turned = not a.flags.c_contiguous
    stored = a.T if turned else a
    long = a.shape[1] > _LONG and 1 < b.shape[1] <= _MOST_COLUMNS  # few are: this is asked first
    if not long or not contiguous("f", stored, b) or not SMALL:
        return NotImplemented
    rows, columns = a.shape[0], b.shape[1]
    c = np.empty((rows, columns), np.float32)

    def run(start: int, stop: int) -> None:
        _product(stored, turned, b, c, start, stop)

    split(run, rows, 1 + WORTH_SPLITTING // (2 * a.shape[1] * columns))
    return c

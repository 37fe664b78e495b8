"""Sums and extremes of large arrays over leading or trailing axes, where NumPy is slow.

NumPy's inner loop runs along the last axis. When that is short, most of the time goes into
starting it, ten numbers at a time. So the loop is made long:

    over rows, [1000000, 10]:    [10000, 1000] ──sum──> [1000] as [100, 10] ──sum──> [10]
    along rows, [1000000, 10]:   the largest of ten columns, a few thousand rows at a time
    sums of floats along rows:   a product with a vector of ones, by BLAS
    the sum of all, from memory: NumPy's pairwise sums of pieces, in several threads
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from minitf.core.kernels import dense as kernels
from minitf.core.kernels.threads import split

_WORTH_A_LOOK = 4096  # elements
_WORTH_BLAS = 65_536  # elements of which one sum is made
_CACHED = 1 << 22  # elements: more come from memory, which NumPy reads a quarter faster than BLAS
_PIECE = 1 << 18  # elements that are added up before the sums are: about 40 us
_LONG = 1024  # elements: as many make NumPy's inner loop fast
_MANY = 256  # rows: with fewer, NumPy's loop is not started often
_WIDE = 256  # elements: over rows of more NumPy is fast
_SHORT = 64  # elements: along rows of up to so many NumPy is slow
_LONGEST = 4096  # numbers that BLAS adds up one after the other; more would lose digits
_BLOCK = 8192  # rows whose columns stay in the second-level cache
_UFUNCS: dict[str, Any] = {"sum": np.add, "max": np.maximum, "min": np.minimum}


@kernels.reduced.tier("blocks")
def _(kind: str, x: Any, axis: tuple[int, ...] | None, keep_dims: bool) -> Any:
    worth = _WORTH_BLAS if axis is None else _WORTH_A_LOOK
    if x.size >= worth and x.flags.c_contiguous:
        result = _of_long_loops(kind, x, axis)
        if result is not None:
            sizes = sizes_left(x.shape, axis, keep_dims)
            return result.reshape(sizes) if sizes else result.reshape(())[()]
    # what the methods of an array call, too
    kept = x.dtype if kind == "sum" else None
    return _UFUNCS[kind].reduce(x, axis=axis, dtype=kept, keepdims=keep_dims)


@kernels.sum_of_rows.tier("blocks")
def _(matrix: Any) -> Any:  # a third of the time of a sum
    if matrix.dtype.char not in "fd":
        return NotImplemented
    return _ones(matrix.shape[0], matrix.dtype.char) @ matrix


@lru_cache(maxsize=64)
def _ones(size: int, char: str) -> Any:
    return np.ones(size, char)


def sizes_left(sizes: tuple[int, ...], axis: tuple[int, ...] | None, keep_dims: bool) -> tuple:
    """The sizes of what is left after a reduction."""
    over = set(range(len(sizes)) if axis is None else [a % len(sizes) for a in axis])
    if keep_dims:
        return tuple(1 if i in over else n for i, n in enumerate(sizes))
    return tuple(n for i, n in enumerate(sizes) if i not in over)


def _of_long_loops(kind: str, x: Any, axis: tuple[int, ...] | None) -> Any:
    """The result in some shape; None where NumPy's own way is as good."""
    floats = x.dtype.char in "fd"
    if x.dtype.kind not in "fiu" or (kind == "sum" and not floats):
        return None
    over = sorted({a % x.ndim for a in axis} if axis is not None else range(x.ndim))
    count = math.prod(x.shape[a] for a in over)
    if len(over) == x.ndim:
        return _sum_of_all(x.reshape(-1)) if kind == "sum" and count >= _WORTH_BLAS else None
    if over == list(range(len(over))):
        many = count >= _MANY and x.size <= _WIDE * count
        return _over_rows(_UFUNCS[kind], x.reshape(count, -1)) if many else None
    if over == list(range(x.ndim - len(over), x.ndim)) and x.size >= _MANY * count > _MANY:
        rows = x.reshape(-1, count)
        if kind == "sum":
            return rows @ np.ones(count, x.dtype) if count <= _LONGEST else None
        return _along_rows(_UFUNCS[kind], rows) if count <= _SHORT else None
    return None


def _sum_of_all(x: Any) -> Any:
    if x.size > _CACHED:
        return kernels.sum_of_many(np, x)
    end = x.size // _LONG * _LONG
    partial = x[:end].reshape(-1, _LONG) @ np.ones(_LONG, x.dtype)
    return np.add.reduce(partial) + np.add.reduce(x[end:])


@kernels.sum_of_many.tier("blocks")
def _(x: Any) -> Any:
    """The pieces are the same for any number of threads, and so is the sum."""
    sums = np.empty(-(-x.size // _PIECE), x.dtype)

    def run(start: int, stop: int) -> None:
        for i in range(start, stop):
            sums[i] = np.add.reduce(x[i * _PIECE : (i + 1) * _PIECE])

    split(run, len(sums), 2)
    return np.add.reduce(sums)


def _over_rows(ufunc: Any, rows: Any) -> Any:
    """Several rows side by side are one long row."""
    count, width = rows.shape
    together = _LONG // width if width else 0
    if together < 2 or count < 2 * together:
        return None
    end = count // together * together
    wide = ufunc.reduce(rows[:end].reshape(-1, together * width), axis=0)
    result = ufunc.reduce(wide.reshape(together, width), axis=0)
    return result if end == count else ufunc(result, ufunc.reduce(rows[end:], axis=0))


def _along_rows(ufunc: Any, rows: Any) -> Any:
    result = np.empty(len(rows), rows.dtype)
    for start in range(0, len(rows), _BLOCK):
        columns = rows[start : start + _BLOCK].T.copy()
        ufunc.reduce(columns, axis=0, out=result[start : start + _BLOCK])
    return result

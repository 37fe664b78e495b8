"""Softmax and the cross entropies, narrow rows as columns, and large arrays a few rows at a time.

Where no exponential overflows, and a row has one that is not small, nothing need be subtracted.
NumPy sums along ten numbers slower than ten sums of columns, so narrow rows are worked on as
columns. Large arrays are worked on a few rows at a time, which stay in the cache between passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.kernels import dense as kernels
from minitf.core.kernels.threads import split

_NARROW = 64  # classes: up to here columns are summed faster than short rows
_BLOCK = 262_144  # elements that stay in the second-level cache while passes go over them


def _by_columns(logits: Any) -> bool:
    """Whether to work on the columns of narrow rows."""
    return logits.ndim == 2 and logits.shape[1] <= _NARROW < 8 * logits.shape[0]


def _shifted_columns(logits: Any) -> Any:
    """The transposed logits, less the largest of each row: a fresh array to overwrite."""
    columns = logits.T.copy()
    columns -= columns.max(axis=0)
    return columns


def _shifted_rows(logits: Any) -> Any:
    """The logits, less the largest of each row: a fresh array to overwrite."""
    return logits - logits.max(axis=-1, keepdims=True)


def _row_sums(rows: Any) -> Any:
    """The sums of rows, as a column; BLAS adds up three times as fast as NumPy."""
    if rows.dtype.char not in "fd":
        return rows.sum(axis=1, keepdims=True)
    return (rows @ np.ones(rows.shape[1], rows.dtype))[:, None]


def _in_blocks(logits: Any, run: Callable[[Any, Any], None]) -> Any:
    """A new array whose blocks of rows `run(rows, result)` has filled from those of `logits`."""
    result = np.empty(logits.shape, logits.dtype)
    if not result.size:
        return result
    rows, results = (a.reshape(-1, a.shape[-1]) for a in (logits, result))
    step = max(1, _BLOCK // rows.shape[1])

    def work(start: int, stop: int) -> None:
        for low in range(start, stop, step):
            high = min(low + step, stop)
            run(rows[low:high], results[low:high])

    split(work, len(rows), step)
    return result


@kernels.softmax.tier("blocks")
def _(logits: Any) -> Any:
    if _by_columns(logits):
        shifted = _shifted_columns(logits)
        np.exp(shifted, out=shifted)
        shifted /= shifted.sum(axis=0)
        return shifted.T.copy()

    def run(rows: Any, result: Any) -> None:
        np.exp(rows, out=result)
        total = _row_sums(result)
        if not (total.min() >= 1 and total.max() < np.inf):  # too small, too large, or no number
            np.subtract(rows, rows.max(axis=1, keepdims=True), out=result)
            np.exp(result, out=result)
            total = _row_sums(result)
        np.divide(result, total, out=result)

    return _in_blocks(logits, run)


@kernels.log_softmax.tier("blocks")
def _(logits: Any) -> Any:
    if _by_columns(logits):
        shifted = _shifted_columns(logits)
        shifted -= np.log(np.exp(shifted).sum(axis=0))
        return shifted.T.copy()

    def run(rows: Any, result: Any) -> None:
        np.subtract(rows, rows.max(axis=1, keepdims=True), out=result)
        np.subtract(result, np.log(_row_sums(np.exp(result))), out=result)

    return _in_blocks(logits, run)


@kernels.softmax_cross_entropy.tier("blocks")
def _(logits: Any, labels: Any) -> tuple[Any, Any]:
    axis = 0 if _by_columns(logits) else 1
    shifted = _shifted_columns(logits) if axis == 0 else _shifted_rows(logits)
    backprop = np.empty(logits.shape, logits.dtype)
    softmaxed, wanted = (backprop.T, labels.T) if axis == 0 else (backprop, labels)
    exponentials = np.exp(shifted)
    total = exponentials.sum(axis=axis, keepdims=True)
    exponentials /= total
    np.subtract(exponentials, wanted, out=softmaxed)
    np.subtract(np.log(total), shifted, out=shifted)
    shifted *= wanted
    return shifted.sum(axis=axis), backprop


@kernels.sparse_softmax_cross_entropy.tier("blocks")
def _(logits: Any, labels: Any) -> tuple[Any, Any]:
    rows = np.arange(logits.shape[0])
    if _by_columns(logits):
        shifted, chosen, axis = _shifted_columns(logits), (labels, rows), 0
    else:
        shifted, chosen, axis = _shifted_rows(logits), (rows, labels), 1
    picked = shifted[chosen]
    backprop = np.exp(shifted, out=shifted)
    total = backprop.sum(axis=axis, keepdims=True)
    backprop /= total
    backprop[chosen] -= 1
    return np.log(total.ravel()) - picked, backprop.T.copy() if axis == 0 else backprop

"""The arithmetic of softmax: over rows, its logarithm, and the two cross entropies.

    exp(x) / sum(exp(x))  =  exp(x - largest) / sum(exp(x - largest))

Where no exponential overflows, and a row has one that is not small, nothing need be subtracted.
NumPy sums along ten numbers slower than ten sums of columns, so narrow rows are worked on as
columns. Large arrays are worked on a few rows at a time, which stay in the cache between passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.kernels.table import kernel
from minitf.core.kernels.threads import split

_NARROW = 64  # classes: up to here columns are summed faster than short rows
_BLOCK = 65_536  # elements that stay in the second-level cache while passes go over them


def _by_columns(xp: Any, logits: Any) -> bool:
    """Whether to work on the columns of narrow rows."""
    return xp is np and logits.ndim == 2 and logits.shape[1] <= _NARROW < 8 * logits.shape[0]


def _shifted_columns(logits: Any) -> Any:
    """The transposed logits, less the largest of each row: a fresh array to overwrite."""
    columns = logits.T.copy()
    columns -= columns.max(axis=0)
    return columns


def _shifted_rows(logits: Any) -> Any:
    """The logits, less the largest of each row: a fresh array to overwrite."""
    return logits - logits.max(axis=-1, keepdims=True)


def _row_sums(xp: Any, rows: Any) -> Any:
    """The sums of rows, as a column; BLAS adds up three times as fast as NumPy."""
    if xp is not np or rows.dtype.char not in "fd":
        return rows.sum(axis=1, keepdims=True)
    return (rows @ np.ones(rows.shape[1], rows.dtype))[:, None]


def _in_blocks(xp: Any, logits: Any, run: Callable[[Any, Any], None]) -> Any:
    """A new array whose blocks of rows `run(rows, result)` has filled from those of `logits`."""
    result = xp.empty(logits.shape, logits.dtype)
    if not result.size:
        return result
    rows, results = (a.reshape(-1, a.shape[-1]) for a in (logits, result))
    if xp is not np:
        run(rows, results)
        return result
    step = max(1, _BLOCK // rows.shape[1])

    def work(start: int, stop: int) -> None:
        for low in range(start, stop, step):
            high = min(low + step, stop)
            run(rows[low:high], results[low:high])

    split(work, len(rows), 2 * step)
    return result


@kernel(compiled="softmax")
def softmax(xp: Any, logits: Any) -> Any:
    """exp(logits) divided by its sum over the last axis."""
    if _by_columns(xp, logits):
        shifted = _shifted_columns(logits)
        xp.exp(shifted, out=shifted)
        shifted /= shifted.sum(axis=0)
        return shifted.T.copy()

    def run(rows: Any, result: Any) -> None:
        fits = xp is np  # asking a card would mean waiting for it
        if fits:
            xp.exp(rows, out=result)
            total = _row_sums(xp, result)
            fits = total.min() >= 1 and total.max() < np.inf
        if not fits:  # too small, too large, or no number
            xp.subtract(rows, rows.max(axis=1, keepdims=True), out=result)
            xp.exp(result, out=result)
            total = _row_sums(xp, result)
        xp.divide(result, total, out=result)

    return _in_blocks(xp, logits, run)


@kernel(compiled="softmax")
def log_softmax(xp: Any, logits: Any) -> Any:
    """The logarithm of the softmax over the last axis."""
    if _by_columns(xp, logits):
        shifted = _shifted_columns(logits)
        shifted -= xp.log(xp.exp(shifted).sum(axis=0))
        return shifted.T.copy()

    def run(rows: Any, result: Any) -> None:
        xp.subtract(rows, rows.max(axis=1, keepdims=True), out=result)
        xp.subtract(result, xp.log(_row_sums(xp, xp.exp(result))), out=result)

    return _in_blocks(xp, logits, run)


@kernel(compiled="softmax")
def softmax_cross_entropy(xp: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
    """The cross entropy of `labels` and softmax of `logits`, and its gradient by the logits.

    Args:
      logits: [rows, classes].
      labels: [rows, classes] of the same type: a distribution in each row.
    Returns: loss [rows], gradient [rows, classes].
    """
    axis = 0 if _by_columns(xp, logits) else 1
    shifted = _shifted_columns(logits) if axis == 0 else _shifted_rows(logits)
    backprop = xp.empty(logits.shape, logits.dtype)
    softmaxed, wanted = (backprop.T, labels.T) if axis == 0 else (backprop, labels)
    exponentials = xp.exp(shifted)
    total = exponentials.sum(axis=axis, keepdims=True)
    exponentials /= total
    xp.subtract(exponentials, wanted, out=softmaxed)
    xp.subtract(xp.log(total), shifted, out=shifted)
    shifted *= wanted
    return shifted.sum(axis=axis), backprop


@kernel(compiled="softmax")
def sparse_softmax_cross_entropy(xp: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
    """The negative log-probability of each row's class, and its gradient by the logits.

    Args:
      logits: [rows, classes].
      labels: [rows] integers in [0, classes).
    Returns: loss [rows], gradient [rows, classes].
    """
    rows = xp.arange(logits.shape[0])
    if _by_columns(xp, logits):
        shifted, chosen, axis = _shifted_columns(logits), (labels, rows), 0
    else:
        shifted, chosen, axis = _shifted_rows(logits), (rows, labels), 1
    picked = shifted[chosen]
    backprop = xp.exp(shifted, out=shifted)
    total = backprop.sum(axis=axis, keepdims=True)
    backprop /= total
    backprop[chosen] -= 1
    return xp.log(total.ravel()) - picked, backprop.T.copy() if axis == 0 else backprop

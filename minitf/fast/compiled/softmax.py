"""Softmax and the cross entropies, row by row: each row is read from memory once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.kernels import dense
from minitf.core.kernels.table import contiguous
from minitf.core.kernels.threads import split
from minitf.fast.compiled._loops import loop
from minitf.fast.compiled._math import _as_float, _as_int, exp, inlined, log

_ROWS = "float32[:, ::1]"
_GIVEN = f"const({_ROWS})"
_PIECE = 50_000  # elements: about 50 us


@inlined
def _turned(bits):
    """Bits of floats as integers that are ordered as the floats are; the same way back."""
    return bits ^ ((bits >> np.int32(31)) & np.int32(0x7FFFFFFF))


@inlined
def _largest(x, i):
    """The largest of a row, by comparing integers: eight or sixteen at once."""
    top = np.int32(-0x80000000)
    for j in range(x.shape[1]):
        top = max(top, _turned(_as_int(x[i, j])))
    return _as_float(_turned(top))


@inlined
def _minus(x, y):
    """x - y, before anything else: the loops may put sums in another order, helpers may not."""
    return x - y


@inlined
def _log_share(x, top, size):
    """The logarithm of e^x / (e^top e^size)."""
    return (x - top) - size


@loop(f"void({_GIVEN}, {_ROWS})")
def _softmax(x, y):
    for i in range(x.shape[0]):
        top, total = _largest(x, i), np.float32(0)
        for j in range(x.shape[1]):
            y[i, j] = exp(_minus(x[i, j], top))
            total += y[i, j]
        share = np.float32(1) / total
        for j in range(x.shape[1]):
            y[i, j] *= share


@loop(f"void({_GIVEN}, {_ROWS})")
def _log_softmax(x, y):
    for i in range(x.shape[0]):
        top, total = _largest(x, i), np.float32(0)
        for j in range(x.shape[1]):
            total += exp(_minus(x[i, j], top))
        size = log(total)
        for j in range(x.shape[1]):
            y[i, j] = _log_share(x[i, j], top, size)


@loop(f"void({_GIVEN}, {_GIVEN}, float32[::1], {_ROWS})")
def _cross_entropy(x, labels, loss, backprop):
    for i in range(x.shape[0]):
        top, total = _largest(x, i), np.float32(0)
        for j in range(x.shape[1]):
            backprop[i, j] = exp(_minus(x[i, j], top))
            total += backprop[i, j]
        share, size, cost = np.float32(1) / total, log(total), np.float32(0)
        for j in range(x.shape[1]):
            cost -= labels[i, j] * _log_share(x[i, j], top, size)
            backprop[i, j] = backprop[i, j] * share - labels[i, j]
        loss[i] = cost


@loop(
    *(
        f"void({_GIVEN}, const({labels}[::1]), float32[::1], {_ROWS})"
        for labels in ("int32", "int64")
    )
)
def _sparse_cross_entropy(x, labels, loss, backprop):
    for i in range(x.shape[0]):
        top, total = _largest(x, i), np.float32(0)
        for j in range(x.shape[1]):
            backprop[i, j] = exp(_minus(x[i, j], top))
            total += backprop[i, j]
        share = np.float32(1) / total
        for j in range(x.shape[1]):
            backprop[i, j] *= share
        backprop[i, labels[i]] -= np.float32(1)
        loss[i] = -_log_share(x[i, labels[i]], top, log(total))


def _run(run: Callable[..., None], x: Any, *others: Any) -> None:
    """Runs a loop over rows, in pieces when there are many."""
    if x.size < 2 * _PIECE:
        run(x, *others)
    else:
        split(
            lambda start, stop: run(x[start:stop], *(a[start:stop] for a in others)),
            len(x),
            1 + _PIECE // x.shape[1],
        )


def _over_rows(run: Callable[..., None], x: Any) -> Any:
    if not contiguous("f", x):
        return NotImplemented
    y = np.empty_like(x)
    _run(run, *(a.reshape(-1, a.shape[-1]) for a in (x, y)))
    return y


@dense.softmax.tier("numba")
def _(logits: Any) -> Any:
    return _over_rows(_softmax, logits)


@dense.log_softmax.tier("numba")
def _(logits: Any) -> Any:
    return _over_rows(_log_softmax, logits)


@dense.softmax_cross_entropy.tier("numba")
def _(logits: Any, labels: Any) -> Any:
    if not contiguous("f", logits, labels):
        return NotImplemented
    loss, backprop = np.empty(len(logits), np.float32), np.empty_like(logits)
    _run(_cross_entropy, logits, labels, loss, backprop)
    return loss, backprop


@dense.sparse_softmax_cross_entropy.tier("numba")
def _(logits: Any, labels: Any) -> Any:
    if not contiguous("f", logits) or not contiguous("ilq", labels):
        return NotImplemented
    loss, backprop = np.empty(len(logits), np.float32), np.empty_like(logits)
    _run(_sparse_cross_entropy, logits, labels, loss, backprop)
    return loss, backprop

"""Batch normalization in few passes: mean and variance in one, the result in another."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.kernels.table import contiguous
from minitf.core.kernels.threads import split
from minitf.fast.compiled._loops import in_parts, loop
from minitf.library.nets import normalization as batch_norm

_OUT = "float32[:,::1]"  # [outer, channels]: images with channels last
_IN = f"const({_OUT})"
_VECTOR = "const(float32[::1])"
_SUMS = "float64[::1]"
_BLOCK = 64  # rows that are summed in single precision, in the first cache
_PIECE = 200_000  # elements: about 50 us


@loop(f"void({_IN}, {_SUMS}, {_SUMS})")
def _moments(x, sums, squares):  # type: ignore[no-untyped-def]
    """Sum and sum of squared distances of each channel, block after block, joined as Chan does."""
    channels = x.shape[1]
    total, mean = np.empty(channels, np.float32), np.empty(channels, np.float32)
    for first in range(0, x.shape[0], _BLOCK):
        stop = min(first + _BLOCK, x.shape[0])
        count = stop - first
        total[:] = 0
        for n in range(first, stop):
            for c in range(channels):
                total[c] += x[n, c]
        share = count / (first + count)
        for c in range(channels):
            mean[c] = total[c] / np.float32(count)
            if first:
                step = mean[c] - sums[c] / first
                squares[c] += step * step * first * share
            sums[c] += total[c]
            total[c] = 0
        for n in range(first, stop):
            for c in range(channels):
                d = x[n, c] - mean[c]
                total[c] += d * d
        for c in range(channels):
            squares[c] += total[c]


@loop(f"void({_IN}, {_VECTOR}, {_VECTOR}, {_VECTOR}, {_OUT})")
def _normalize(x, mean, factor, offset, y):  # type: ignore[no-untyped-def]
    for n in range(x.shape[0]):
        for c in range(x.shape[1]):
            y[n, c] = (x[n, c] - mean[c]) * factor[c] + offset[c]


@loop(f"void({_IN}, {_IN}, {_VECTOR}, {_SUMS}, {_SUMS})")
def _sums(dy, x, mean, plain, weighted):  # type: ignore[no-untyped-def]
    channels = x.shape[1]
    one, two = np.empty(channels, np.float32), np.empty(channels, np.float32)
    for first in range(0, x.shape[0], _BLOCK):
        one[:] = 0
        two[:] = 0
        for n in range(first, min(first + _BLOCK, x.shape[0])):
            for c in range(channels):
                one[c] += dy[n, c]
                two[c] += dy[n, c] * (x[n, c] - mean[c])
        for c in range(channels):
            plain[c] += one[c]
            weighted[c] += two[c]


@loop(f"void({_IN}, {_IN}, {_VECTOR}, {_VECTOR}, {_VECTOR}, {_VECTOR}, {_OUT})")
def _mix(dy, x, mean, by_dy, by_x, rest, dx):  # type: ignore[no-untyped-def]
    for n in range(x.shape[0]):
        for c in range(x.shape[1]):
            near = (x[n, c] - mean[c]) * by_x[c]
            dx[n, c] = dy[n, c] * by_dy[c] + near + rest[c]


def _fits(x: Any, *others: Any) -> bool:
    return x.shape[2] == 1 and contiguous("f", x, *others)


def _least(x: Any) -> int:
    return 1 + _PIECE // x.shape[1]


@batch_norm.moments.tier("numba")
def _(x: Any) -> Any:
    if not _fits(x):
        return NotImplemented
    rows = x[..., 0]

    def run(start: int, stop: int) -> tuple:
        sums, squares = np.zeros((2, x.shape[1]))
        _moments(rows[start:stop], sums, squares)
        return stop - start, sums, squares

    (count, sums, squares), *parts = in_parts(run, len(x), _least(x))
    for more, other, rest in parts:
        step = other / more - sums / count
        squares = squares + rest + step * step * (count * more / (count + more))
        count, sums = count + more, sums + other
    return (sums / count).astype(np.float32), (squares / count).astype(np.float32)


@batch_norm.normalized.tier("numba")
def _(x: Any, mean: Any, factor: Any, offset: Any) -> Any:
    if not _fits(x, mean, factor, offset):
        return NotImplemented
    y = np.empty_like(x)
    rows, out = x[..., 0], y[..., 0]
    split(lambda a, b: _normalize(rows[a:b], mean, factor, offset, out[a:b]), len(x), _least(x))
    return y


@batch_norm.gradient_sums.tier("numba")
def _(dy: Any, x: Any, mean: Any) -> Any:
    if not _fits(x, dy, mean):
        return NotImplemented
    given, rows = dy[..., 0], x[..., 0]

    def run(start: int, stop: int) -> Any:
        part = np.zeros((2, x.shape[1]))
        _sums(given[start:stop], rows[start:stop], mean, part[0], part[1])
        return part

    plain, weighted = sum(in_parts(run, len(x), _least(x))).astype(np.float32)
    return plain, weighted


@batch_norm.mixed.tier("numba")
def _(dy: Any, x: Any, mean: Any, a: Any, b: Any, c: Any) -> Any:
    if not _fits(x, dy, mean, a, b, c):
        return NotImplemented
    dx = np.empty_like(x)
    given, rows, out = dy[..., 0], x[..., 0], dx[..., 0]

    def run(start: int, stop: int) -> None:
        _mix(given[start:stop], rows[start:stop], mean, a, b, c, out[start:stop])

    split(run, len(x), _least(x))
    return dx

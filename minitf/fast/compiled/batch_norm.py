"""Batch normalization in few passes: mean and variance in one, the result in another."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from minitf.core.kernels.table import contiguous
from minitf.core.kernels.threads import split
from minitf.fast.compiled._loops import loop
from minitf.library.nets import normalization as batch_norm

_OUT = "float32[:,:,::1]"  # [outer, channels, inner]
_IN = f"const({_OUT})"
_VECTOR = "const(float32[::1])"
_SUMS = "float64[::1]"
_BLOCK = 64  # rows that are summed in single precision, in the first cache
_PIECE = 200_000  # elements: about 50 us


@loop(f"void({_IN}, {_SUMS}, {_SUMS})")
def _moments(x, sums, squares):  # type: ignore[no-untyped-def]
    """Sum and sum of squared distances of each channel, block after block, joined as Chan does."""
    channels, inner = x.shape[1:]
    total, mean = np.empty(channels, np.float32), np.empty(channels, np.float32)
    block = max(1, _BLOCK // inner)
    for first in range(0, x.shape[0], block):
        stop = min(first + block, x.shape[0])
        count = (stop - first) * inner
        total[:] = 0
        for n in range(first, stop):
            if inner == 1:
                for c in range(channels):
                    total[c] += x[n, c, 0]
            else:
                for c in range(channels):
                    s = np.float32(0)
                    for i in range(inner):
                        s += x[n, c, i]
                    total[c] += s
        before = first * inner
        share = count / (before + count)
        for c in range(channels):
            mean[c] = total[c] / np.float32(count)
            if before:
                step = mean[c] - sums[c] / before
                squares[c] += step * step * before * share
            sums[c] += total[c]
            total[c] = 0
        for n in range(first, stop):
            if inner == 1:
                for c in range(channels):
                    d = x[n, c, 0] - mean[c]
                    total[c] += d * d
            else:
                for c in range(channels):
                    s = np.float32(0)
                    for i in range(inner):
                        d = x[n, c, i] - mean[c]
                        s += d * d
                    total[c] += s
        for c in range(channels):
            squares[c] += total[c]


@loop(f"void({_IN}, {_VECTOR}, {_VECTOR}, {_VECTOR}, {_OUT})")
def _normalize(x, mean, factor, offset, y):  # type: ignore[no-untyped-def]
    for n in range(x.shape[0]):
        if x.shape[2] == 1:
            for c in range(x.shape[1]):
                y[n, c, 0] = (x[n, c, 0] - mean[c]) * factor[c] + offset[c]
        else:
            for c in range(x.shape[1]):
                m, f, o = mean[c], factor[c], offset[c]
                for i in range(x.shape[2]):
                    y[n, c, i] = (x[n, c, i] - m) * f + o


@loop(f"void({_IN}, {_IN}, {_VECTOR}, {_SUMS}, {_SUMS})")
def _sums(dy, x, mean, plain, weighted):  # type: ignore[no-untyped-def]
    channels, inner = x.shape[1:]
    one, two = np.empty(channels, np.float32), np.empty(channels, np.float32)
    block = max(1, _BLOCK // inner)
    for first in range(0, x.shape[0], block):
        one[:] = 0
        two[:] = 0
        for n in range(first, min(first + block, x.shape[0])):
            if inner == 1:
                for c in range(channels):
                    one[c] += dy[n, c, 0]
                    two[c] += dy[n, c, 0] * (x[n, c, 0] - mean[c])
            else:
                for c in range(channels):
                    m, s, t = mean[c], np.float32(0), np.float32(0)
                    for i in range(inner):
                        s += dy[n, c, i]
                        t += dy[n, c, i] * (x[n, c, i] - m)
                    one[c] += s
                    two[c] += t
        for c in range(channels):
            plain[c] += one[c]
            weighted[c] += two[c]


@loop(f"void({_IN}, {_IN}, {_VECTOR}, {_VECTOR}, {_VECTOR}, {_VECTOR}, {_OUT})")
def _mix(dy, x, mean, by_dy, by_x, rest, dx):  # type: ignore[no-untyped-def]
    for n in range(x.shape[0]):
        if x.shape[2] == 1:
            for c in range(x.shape[1]):
                near = (x[n, c, 0] - mean[c]) * by_x[c]
                dx[n, c, 0] = dy[n, c, 0] * by_dy[c] + near + rest[c]
        else:
            for c in range(x.shape[1]):
                m, a, b, o = mean[c], by_dy[c], by_x[c], rest[c]
                for i in range(x.shape[2]):
                    dx[n, c, i] = dy[n, c, i] * a + (x[n, c, i] - m) * b + o


def _least(x: Any) -> int:
    return 1 + _PIECE // x[0].size


@batch_norm.moments.tier("numba")
def _(x: Any) -> Any:
    if not contiguous("f", x):
        return NotImplemented
    parts: list[Any] = []
    lock = threading.Lock()

    def run(start: int, stop: int) -> None:
        sums, squares = np.zeros((2, x.shape[1]))
        _moments(x[start:stop], sums, squares)
        with lock:
            parts.append(((stop - start) * x.shape[2], sums, squares))

    split(run, len(x), _least(x))
    count, sums, squares = parts[0]
    for more, other, rest in parts[1:]:
        step = other / more - sums / count
        squares = squares + rest + step * step * (count * more / (count + more))
        count, sums = count + more, sums + other
    return (sums / count).astype(np.float32), (squares / count).astype(np.float32)


@batch_norm.normalized.tier("numba")
def _(x: Any, mean: Any, factor: Any, offset: Any) -> Any:
    if not contiguous("f", x, mean, factor, offset):
        return NotImplemented
    y = np.empty_like(x)
    split(lambda a, b: _normalize(x[a:b], mean, factor, offset, y[a:b]), len(x), _least(x))
    return y


@batch_norm.gradient_sums.tier("numba")
def _(dy: Any, x: Any, mean: Any) -> Any:
    if not contiguous("f", dy, x, mean):
        return NotImplemented
    parts: list[Any] = []
    lock = threading.Lock()

    def run(start: int, stop: int) -> None:
        part = np.zeros((2, x.shape[1]))
        _sums(dy[start:stop], x[start:stop], mean, part[0], part[1])
        with lock:
            parts.append(part)

    split(run, len(x), _least(x))
    plain, weighted = sum(parts[1:], parts[0]).astype(np.float32)
    return plain, weighted


@batch_norm.mixed.tier("numba")
def _(dy: Any, x: Any, mean: Any, a: Any, b: Any, c: Any) -> Any:
    if not contiguous("f", dy, x, mean, a, b, c):
        return NotImplemented
    dx = np.empty_like(x)

    def run(start: int, stop: int) -> None:
        _mix(dy[start:stop], x[start:stop], mean, a, b, c, dx[start:stop])

    split(run, len(x), _least(x))
    return dx

"""Depthwise convolution, output by output: each sum stays in the first cache until it is done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.kernels import depthwise as reference
from minitf.kernels.compiled._loops import loop
from minitf.kernels.conv import phases
from minitf.kernels.threads import split
from minitf.kernels.windows import Axis

_OUT = "float32[:,:,:,::1]"  # images, channels last
_IN = f"const({_OUT})"
_W = "float32[:,:,::1]"  # filters, one for each channel of y
_AXES = "int64[:,::1]"  # of rows and of columns: window, stride, dilation, before
_PIECE = 500_000  # products: about 50 us


@loop(f"void({_IN}, const({_W}), {_OUT}, {_AXES})")
def _forward(x, w, y, axes):  # type: ignore[no-untyped-def]
    channels = w.shape[2]
    for n in range(y.shape[0]):
        y[n] = 0
        for i in range(y.shape[1]):
            for j in range(y.shape[2]):
                for a in range(w.shape[0]):
                    row = i * axes[0, 1] + a * axes[0, 2] - axes[0, 3]
                    if row < 0 or row >= x.shape[1]:
                        continue
                    b, step = 0, axes[1, 2]
                    while b < w.shape[1]:
                        k = j * axes[1, 1] + b * step - axes[1, 3]
                        if k >= 0 and k + 2 * step < x.shape[2] and b + 2 < w.shape[1]:
                            one, two = k + step, k + 2 * step  # three at once: y is touched less
                            for c in range(channels):
                                y[n, i, j, c] += (
                                    x[n, row, k, c] * w[a, b, c]
                                    + x[n, row, one, c] * w[a, b + 1, c]
                                    + x[n, row, two, c] * w[a, b + 2, c]
                                )
                            b += 3
                            continue
                        if 0 <= k < x.shape[2]:
                            for c in range(channels):
                                y[n, i, j, c] += x[n, row, k, c] * w[a, b, c]
                        b += 1


@loop(f"void(const({_W}), {_IN}, {_OUT}, {_AXES})")
def _to_input(w, dy, dx, axes):  # type: ignore[no-untyped-def]
    channels = w.shape[2]
    for n in range(dy.shape[0]):
        dx[n] = 0
        for i in range(dy.shape[1]):
            for j in range(dy.shape[2]):
                for a in range(w.shape[0]):
                    row = i * axes[0, 1] + a * axes[0, 2] - axes[0, 3]
                    if row < 0 or row >= dx.shape[1]:
                        continue
                    for b in range(w.shape[1]):
                        column = j * axes[1, 1] + b * axes[1, 2] - axes[1, 3]
                        if column < 0 or column >= dx.shape[2]:
                            continue
                        for c in range(channels):
                            dx[n, row, column, c] += dy[n, i, j, c] * w[a, b, c]


@loop(f"void({_IN}, {_IN}, {_W}, {_AXES})")
def _to_filter(x, dy, dw, axes):  # type: ignore[no-untyped-def]
    channels = dw.shape[2]
    line = np.empty(channels, np.float32)  # the sum of one row of outputs
    for n in range(dy.shape[0]):
        for i in range(dy.shape[1]):
            for a in range(dw.shape[0]):
                row = i * axes[0, 1] + a * axes[0, 2] - axes[0, 3]
                if row < 0 or row >= x.shape[1]:
                    continue
                for b in range(dw.shape[1]):
                    line[:] = 0
                    start, stride = b * axes[1, 2] - axes[1, 3], axes[1, 1]
                    j = max(0, -(start // stride))
                    high = min(dy.shape[2], (x.shape[2] - 1 - start) // stride + 1)
                    while j + 4 <= high:
                        k = start + j * stride
                        one, two, three = k + stride, k + 2 * stride, k + 3 * stride
                        for c in range(channels):
                            line[c] += (
                                x[n, row, k, c] * dy[n, i, j, c]
                                + x[n, row, one, c] * dy[n, i, j + 1, c]
                                + x[n, row, two, c] * dy[n, i, j + 2, c]
                                + x[n, row, three, c] * dy[n, i, j + 3, c]
                            )
                        j += 4
                    for left in range(j, high):
                        k = start + left * stride
                        for c in range(channels):
                            line[c] += x[n, row, k, c] * dy[n, i, left, c]
                    for c in range(channels):
                        dw[a, b, c] += line[c]


def _ready(axes: Sequence[Axis], *arrays: Any) -> tuple[Any, ...] | None:
    """The arrays in order in memory, and the axes as the loops take them; None to refuse."""
    if any(a.dtype != np.float32 or not a.size for a in arrays):
        return None
    table = np.array([(a.window, a.stride, a.dilation, a.before) for a in axes])
    return *(np.ascontiguousarray(a) for a in arrays), table


def _split(run: Callable[[int, int], None], dy: Any, axes: Sequence[Axis]) -> None:
    split(run, len(dy), 1 + _PIECE // (dy[0].size * axes[0].window * axes[1].window))


@reference.depthwise.tier("numba")
def _(x: Any, w: Any, axes: Sequence[Axis]) -> Any:
    ready = _ready(axes, reference.repeated(np, x, w.shape[3]), w)
    if ready is None:
        return NotImplemented
    x, w, table = ready
    y = np.empty((len(x), axes[0].outputs, axes[1].outputs, x.shape[-1]), np.float32)
    filters = w.reshape(*w.shape[:2], -1)
    if y.size:
        _split(lambda start, stop: _forward(x[start:stop], filters, y[start:stop], table), y, axes)
    return y


@reference.depthwise_input_gradient.tier("numba")
def _(w: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    ready = _ready(axes, w, dy)
    if ready is None:
        return NotImplemented
    if all(a.stride == 1 for a in axes):  # gathered with the flipped filter
        rows, columns = (next(phases(a)) for a in axes)
        part = dy[:, rows.outputs, columns.outputs]
        turned = w[::-1, ::-1].reshape(*w.shape[:2], -1, 1)
        dx = reference.depthwise(np, part, turned, [rows.axis, columns.axis])
        return dx if w.shape[3] == 1 else reference.summed(dx, w.shape[3])
    w, dy, table = ready
    dx = np.empty((len(dy), axes[0].size, axes[1].size, dy.shape[-1]), np.float32)
    filters = w.reshape(*w.shape[:2], -1)
    _split(lambda start, stop: _to_input(filters, dy[start:stop], dx[start:stop], table), dy, axes)
    return dx if w.shape[3] == 1 else reference.summed(dx, w.shape[3])


@reference.depthwise_filter_gradient.tier("numba")
def _(x: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    several = dy.shape[-1] // max(1, x.shape[-1])
    ready = _ready(axes, reference.repeated(np, x, several), dy)
    if ready is None:
        return NotImplemented
    x, dy, table = ready
    parts: list[Any] = []
    lock = threading.Lock()

    def run(start: int, stop: int) -> None:
        part = np.zeros((axes[0].window, axes[1].window, dy.shape[-1]), np.float32)
        _to_filter(x[start:stop], dy[start:stop], part, table)
        with lock:
            parts.append(part)

    _split(run, dy, axes)
    total = sum(parts[1:], parts[0])
    return total.reshape(*total.shape[:2], -1, several)

"""Depthwise convolution. With stride 1 a whole row of outputs is computed at a time.

    image with its margins:   a row is [columns * channels] numbers, as is each tap of the filter
    y row  +=  x row, shifted by the tap,  *  the tap's weights, written once for each column

So the inner loops run over some hundred numbers that lie side by side, three taps at a time. Other
strides go from output to output.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.kernels.threads import split
from minitf.fast.compiled._loops import loop
from minitf.library.nets.kernels import depthwise as reference
from minitf.library.nets.kernels.conv import phases
from minitf.library.nets.kernels.windows import Axis

_OUT = "float32[:,:,:,::1]"  # images, channels last
_IN = f"const({_OUT})"
_W = "float32[:,:,::1]"  # filters, one for each channel of y
_AXES = "int64[:,::1]"  # of rows and of columns: window, stride, dilation, before
_WIDE = 512  # numbers of a row that are worked on together: nine taps of them fill half a cache
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
                    for b in range(w.shape[1]):
                        column = j * axes[1, 1] + b * axes[1, 2] - axes[1, 3]
                        if 0 <= column < x.shape[2]:
                            for c in range(channels):
                                y[n, i, j, c] += x[n, row, column, c] * w[a, b, c]


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
                    for j in range(dy.shape[2]):
                        column = j * axes[1, 1] + b * axes[1, 2] - axes[1, 3]
                        if 0 <= column < x.shape[2]:
                            for c in range(channels):
                                line[c] += x[n, row, column, c] * dy[n, i, j, c]
                    for c in range(channels):
                        dw[a, b, c] += line[c]


# ---- stride 1 ------------------------------------------------------------------------------


@loop(f"void({_IN}, intp, intp, intp, float32[:,:,::1])")
def _pad(x, n, top, left, out):  # type: ignore[no-untyped-def]
    """Writes an image into the middle of another; its margins stay as they are."""
    for i in range(x.shape[1]):
        out[top + i, left : left + x.shape[2]] = x[n, i]


@loop(f"void({_IN}, const({_W}), {_OUT}, {_AXES}, float32[:,:,::1])")
def _slide(x, w, y, axes, image):  # type: ignore[no-untyped-def]
    """As `_forward`; `image` is [rows, columns, channels] with margins of zeros."""
    channels, taps = y.shape[3], w.shape[0] * w.shape[1]
    piece = max(1, min(y.shape[2], _WIDE // channels))
    tiles = np.empty((taps, piece, channels), np.float32)
    for tap in range(taps):
        tiles[tap] = w[tap // w.shape[1], tap % w.shape[1]]
    weights = tiles.reshape(taps, piece * channels)
    lines = image.reshape(image.shape[0], image.shape[1] * channels)
    for n in range(y.shape[0]):
        _pad(x, n, axes[0, 3], axes[1, 3], image)
        for i in range(y.shape[1]):
            whole = y[n, i].reshape(y.shape[2] * channels)
            for left in range(0, whole.size, piece * channels):
                out = whole[left : left + piece * channels]
                out[:] = 0
                wide = out.size
                for a in range(w.shape[0]):
                    line = lines[i + a * axes[0, 2]][left:]
                    b = 0
                    while b < w.shape[1]:
                        shift, tap = b * axes[1, 2] * channels, a * w.shape[1] + b
                        first, one = line[shift : shift + wide], weights[tap]
                        if b + 2 < w.shape[1]:
                            shift += axes[1, 2] * channels
                            second, two = line[shift : shift + wide], weights[tap + 1]
                            shift += axes[1, 2] * channels
                            third, three = line[shift : shift + wide], weights[tap + 2]
                            for q in range(wide):
                                more = first[q] * one[q] + second[q] * two[q]
                                out[q] += more + third[q] * three[q]
                            b += 3
                        else:
                            for q in range(wide):
                                out[q] += first[q] * one[q]
                            b += 1


@loop(f"void({_IN}, {_IN}, {_W}, {_AXES}, float32[:,:,::1])")
def _slide_filter(x, dy, dw, axes, image):  # type: ignore[no-untyped-def]
    """As `_to_filter`; `image` as in `_slide`."""
    channels, taps = dy.shape[3], dw.shape[0] * dw.shape[1]
    piece = max(1, min(dy.shape[2], _WIDE // channels))
    tiles = np.zeros((taps, piece, channels), np.float32)
    sums = tiles.reshape(taps, piece * channels)
    lines = image.reshape(image.shape[0], image.shape[1] * channels)
    for n in range(dy.shape[0]):
        _pad(x, n, axes[0, 3], axes[1, 3], image)
        for i in range(dy.shape[1]):
            whole = dy[n, i].reshape(dy.shape[2] * channels)
            for left in range(0, whole.size, piece * channels):
                given = whole[left : left + piece * channels]
                for tap in range(taps):
                    shift = left + tap % dw.shape[1] * axes[1, 2] * channels
                    line = lines[i + tap // dw.shape[1] * axes[0, 2]][shift:]
                    total = sums[tap]
                    for q in range(given.size):
                        total[q] += line[q] * given[q]
    for tap in range(taps):
        for j in range(piece):
            for c in range(channels):
                dw[tap // dw.shape[1], tap % dw.shape[1], c] += tiles[tap, j, c]


# ---- what they serve -----------------------------------------------------------------------


def _ready(axes: Sequence[Axis], *arrays: Any) -> tuple[Any, ...] | None:
    """The arrays in order in memory, and the axes as the loops take them; None to refuse."""
    if any(a.dtype != np.float32 or not a.size for a in arrays):
        return None
    table = np.array([(a.window, a.stride, a.dilation, a.before) for a in axes])
    return *(np.ascontiguousarray(a) for a in arrays), table


def _split(run: Callable[[int, int], None], dy: Any, axes: Sequence[Axis]) -> None:
    split(run, len(dy), 1 + _PIECE // (dy[0].size * axes[0].window * axes[1].window))


def _steps_by_one(axes: Sequence[Axis]) -> bool:
    return all(a.stride == 1 for a in axes)


def _empty(x: Any, axes: Sequence[Axis]) -> Any:
    """An image of zeros, with room for the margins."""
    return np.zeros((axes[0].padded, axes[1].padded, x.shape[-1]), np.float32)


@reference.depthwise.tier("numba")
def _(x: Any, w: Any, axes: Sequence[Axis]) -> Any:
    ready = _ready(axes, reference.repeated(np, x, w.shape[3]), w)
    if ready is None:
        return NotImplemented
    x, w, table = ready
    y = np.empty((len(x), axes[0].outputs, axes[1].outputs, x.shape[-1]), np.float32)
    filters = w.reshape(*w.shape[:2], -1)

    def run(start: int, stop: int) -> None:
        if _steps_by_one(axes):
            _slide(x[start:stop], filters, y[start:stop], table, _empty(x, axes))
        else:
            _forward(x[start:stop], filters, y[start:stop], table)

    if y.size:
        _split(run, y, axes)
    return y


@reference.depthwise_input_gradient.tier("numba")
def _(w: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    ready = _ready(axes, w, dy)
    if ready is None:
        return NotImplemented
    if _steps_by_one(axes):  # gathered with the flipped filter
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
        if _steps_by_one(axes):
            _slide_filter(x[start:stop], dy[start:stop], part, table, _empty(x, axes))
        else:
            _to_filter(x[start:stop], dy[start:stop], part, table)
        with lock:
            parts.append(part)

    _split(run, dy, axes)
    total = sum(parts[1:], parts[0])
    return total.reshape(*total.shape[:2], -1, several)

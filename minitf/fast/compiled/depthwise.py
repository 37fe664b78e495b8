"""Depthwise convolution: sums over a window that stay in registers.

    four outputs side by side, sixteen channels of each; from tap to tap the inputs move on by one:

        tap 0   x0 x1 x2 x3          one  += w[tap] * x0      three += w[tap] * x2
        tap 1      x1 x2 x3 x4       two  += w[tap] * x1      four  += w[tap] * x3

So a tap reads one number of the image and one of the weights for four products, where windows step
by as much as their elements lie apart. Elsewhere, and where a part of the window is in the margin,
outputs are computed one by one, from the taps that are inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.kernels.table import contiguous
from minitf.core.kernels.threads import split
from minitf.fast.compiled._lanes import WIDTH, fetch, load, spread, store
from minitf.fast.compiled._loops import in_parts, loop
from minitf.fast.compiled._windows import (
    AXES,
    BEFORE,
    COLUMNS,
    DILATION,
    OFFSETS,
    OUTPUTS,
    ROWS,
    SIZE,
    STRIDE,
    WINDOW,
    inside,
    offsets,
    row_of,
    table,
)
from minitf.library.nets import depthwise as reference
from minitf.library.nets.windows import Axis

_OUT = "float32[::1]"  # images, channels last, one number after the other
_IN = f"const({_OUT})"
_PIECE = 500_000  # products: about 50 us
_ZERO = np.float32(0)


@loop(f"void({_IN}, {_IN}, {_OUT}, {AXES}, {OFFSETS}, intp)")
def _forward(x, w, y, axes, offsets, channels):
    width, window, columns = axes[COLUMNS, SIZE], axes[COLUMNS, WINDOW], axes[COLUMNS, OUTPUTS]
    stride, dilation, before = axes[COLUMNS, STRIDE], axes[COLUMNS, DILATION], axes[COLUMNS, BEFORE]
    step, moves = stride * channels, stride == dilation
    for line in range(y.size // (columns * channels)):
        corner, (first, stop) = row_of(line, axes, channels)
        j = 0
        while j < columns:
            left, target = j * stride - before, (line * columns + j) * channels
            reach = left + (window + 2) * dilation  # the last column of this output and three more
            if moves and left >= 0 and reach < width and j + 4 <= columns:
                for c in range(0, channels, WIDTH):
                    count = channels - c
                    one = two = three = four = spread(_ZERO)
                    for a in range(first, stop):
                        place, tap = corner + offsets[a * window] + c, a * window * channels + c
                        x0, x1 = load(x, place, count), load(x, place + step, count)
                        x2 = load(x, place + 2 * step, count)
                        for _ in range(window):
                            weights, x3 = load(w, tap, count), load(x, place + 3 * step, count)
                            one += weights * x0
                            two += weights * x1
                            three += weights * x2
                            four += weights * x3
                            x0, x1, x2 = x1, x2, x3
                            place, tap = place + step, tap + channels
                    store(one, y, target + c, count)
                    store(two, y, target + c + channels, count)
                    store(three, y, target + c + 2 * channels, count)
                    store(four, y, target + c + 3 * channels, count)
                j, corner = j + 4, corner + 4 * step
                continue
            near, far = inside(left, dilation, window, width)
            for c in range(0, channels, WIDTH):
                count, total = channels - c, spread(_ZERO)
                for a in range(first, stop):
                    for tap in range(a * window + near, a * window + far):
                        weights = load(w, tap * channels + c, count)
                        total += weights * load(x, corner + offsets[tap] + c, count)
                store(total, y, target + c, count)
            j, corner = j + 1, corner + step


@loop(f"void({_IN}, {_IN}, {_OUT}, {AXES}, {OFFSETS}, intp)")
def _to_filter(x, dy, dw, axes, offsets, channels):
    """Adds to dw: a row of outputs at a time, three taps side by side, of 32 channels."""
    width, window, columns = axes[COLUMNS, SIZE], axes[COLUMNS, WINDOW], axes[COLUMNS, OUTPUTS]
    stride, dilation, before = axes[COLUMNS, STRIDE], axes[COLUMNS, DILATION], axes[COLUMNS, BEFORE]
    step, next_tap = stride * channels, dilation * channels
    for line in range(dy.size // (columns * channels)):
        corner, (first, stop) = row_of(line, axes, channels)
        next_line = (stop - first) * axes[ROWS, DILATION] * width * channels
        for a in range(first, stop):
            for b in range(0, window, 3):
                tap = a * window + b
                for c in range(0, channels, 2 * WIDTH):
                    count, more = channels - c, max(channels - c - WIDTH, 0)
                    one = two = three = x0 = x1 = x2 = spread(_ZERO)
                    four = five = six = x3 = x4 = x5 = spread(_ZERO)
                    place, given = corner + offsets[tap] + c, line * columns * channels + c
                    left = b * dilation - before
                    for j in range(columns):
                        if a == first and b == 0:  # once for each number of the line to come
                            for q in (0, WIDTH):
                                fetch(x, place + next_line + q)
                                fetch(dy, given + columns * channels + q)
                        if j and stride == dilation:
                            x0, x1, x3, x4 = x1, x2, x4, x5
                        else:
                            valid = 0 <= left < width
                            x0 = load(x, place, count if valid else 0)
                            x3 = load(x, place + WIDTH, more if valid else 0)
                            valid = 0 <= left + dilation < width
                            x1 = load(x, place + next_tap, count if valid else 0)
                            x4 = load(x, place + next_tap + WIDTH, more if valid else 0)
                        valid = 0 <= left + 2 * dilation < width
                        x2 = load(x, place + 2 * next_tap, count if valid else 0)
                        x5 = load(x, place + 2 * next_tap + WIDTH, more if valid else 0)
                        slope, other = load(dy, given, count), load(dy, given + WIDTH, more)
                        one, four = one + slope * x0, four + other * x3
                        two, five = two + slope * x1, five + other * x4
                        three, six = three + slope * x2, six + other * x5
                        left, place, given = left + stride, place + step, given + channels
                    sums = ((one, four), (two, five), (three, six))
                    for k in range(min(3, window - b)):
                        target = (tap + k) * channels + c
                        store(load(dw, target, count) + sums[k][0], dw, target, count)
                        target += WIDTH
                        store(load(dw, target, more) + sums[k][1], dw, target, more)


# ---- what they serve -----------------------------------------------------------------------


def _flat(array: Any) -> Any:
    return np.ascontiguousarray(array).reshape(-1)


def _least(dy: Any, axes: Sequence[Axis]) -> int:
    return 1 + _PIECE // (dy[0].size * axes[0].window * axes[1].window)


@reference.depthwise.tier("numba")
def _(x: Any, w: Any, axes: Sequence[Axis]) -> Any:
    x = np.ascontiguousarray(reference.repeated(np, x, w.shape[3]))
    y = np.empty((len(x), *(a.outputs for a in axes), x.shape[-1]), np.float32)
    filters, channels = _flat(w), x.shape[-1]
    if not contiguous("f", x, filters, y):
        return NotImplemented
    lie = table(axes), offsets(axes, channels), channels

    def run(start: int, stop: int) -> None:
        _forward(_flat(x[start:stop]), filters, _flat(y[start:stop]), *lie)

    split(run, len(y), _least(y, axes))
    return y


@reference.depthwise_filter_gradient.tier("numba")
def _(x: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    several, channels = dy.shape[-1] // max(1, x.shape[-1]), dy.shape[-1]
    x, dy = np.ascontiguousarray(reference.repeated(np, x, several)), np.ascontiguousarray(dy)
    if not contiguous("f", x, dy):
        return NotImplemented
    lie = table(axes), offsets(axes, channels), channels

    def run(start: int, stop: int) -> Any:
        part = np.zeros((axes[0].window, axes[1].window, channels), np.float32)
        _to_filter(_flat(x[start:stop]), _flat(dy[start:stop]), _flat(part), *lie)
        return part

    total = sum(in_parts(run, len(dy), _least(dy, axes)))
    return total.reshape(*total.shape[:2], -1, several)

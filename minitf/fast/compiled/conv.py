"""Convolution by rows that never leave the first caches: unfold a few, multiply them, go on.

    for each image, for each `block` of its outputs:
        unfold the block ──> [block, window * channels] ──sgemm──> where its outputs belong

Pooling is done while the outputs are there, and its gradient is spread just before it is used.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from minitf.core.kernels.threads import split
from minitf.fast.compiled._blas import SMALL, clear, copy, multiply
from minitf.fast.compiled._loops import loop
from minitf.fast.kernels import conv_pool
from minitf.library.nets.kernels import conv
from minitf.library.nets.kernels.windows import Axis

_X = "const(float32[:,:,:,::1])"  # images, channels last
_W = "const(float32[:,::1])"  # the filter as a matrix [window * channels, features]
_DW = "float32[:,::1]"  # its gradient
_Y = "float32[:,:,::1]"  # [images, outputs, features]
_DY = f"const({_Y})"
_BEST = "uint8[:,:,::1]"  # which element of its window won
_WON = f"const({_BEST})"
_AXES = "const(int64[:,::1])"  # of each axis: window, stride, dilation, before, outputs, padded

_UNFOLDED = 1 << 16  # numbers of a block otherwise: a quarter of a megabyte
_PIECE = 5_000_000  # products: about 50 us
_TOGETHER = 1 << 15  # outputs that are pooled at a time


def _block(depth: int, features: int, outputs: int) -> int:
    """How many outputs are computed at a time."""
    small = SMALL // max(1, depth * features)
    if small >= 12:
        return max(1, min(small, outputs))
    return max(1, min(max(64, _UNFOLDED // max(1, depth)), outputs))


@loop(f"void({_X}, intp, intp, intp, {_AXES}, float32[::1])")
def _unfold(x, n, first, count, axes, space):  # type: ignore[no-untyped-def]
    """The windows of the outputs [first, first + count) of an image, one a row of `space`."""
    height, width, channels = x.shape[1:]
    window, stride, dilation, before, across = axes[1, :5]
    wide = window * channels
    image, to = x.ctypes.data + 4 * n * height * width * channels, space.ctypes.data
    for p in range(first, first + count):
        start = p % across * stride - before
        top = p // across * axes[0, 1] - axes[0, 3]
        for a in range(axes[0, 0]):
            row = top + a * axes[0, 2]
            if row < 0 or row >= height:
                clear(to, wide)
            elif dilation == 1 and start >= 0 and start + window <= width:
                copy(to, image + 4 * (row * width + start) * channels, wide)
            else:
                for b in range(window):
                    column, place = start + b * dilation, to + 4 * b * channels
                    if column < 0 or column >= width:
                        clear(place, channels)
                    else:
                        copy(place, image + 4 * (row * width + column) * channels, channels)
            to += 4 * wide


@loop(f"void({_X}, intp, {_AXES}, intp)")
def _widen(x, n, axes, to):  # type: ignore[no-untyped-def]
    """An image of one channel, margins and all, once for each column of the window.

    [window, padded rows, outputs of a row], at the address `to`: what the outputs meet there.
    """
    height, width = x.shape[1:3]
    window, stride, dilation, before, across = axes[1, :5]
    image = x.ctypes.data + 4 * n * height * width
    for b in range(window):
        start = b * dilation - before
        low = min(max(0, -(start // stride)), across)  # outputs [low, high) meet the image
        high = max(min(across, (width - 1 - start) // stride + 1), low)
        for row in range(-axes[0, 3], axes[0, 5] - axes[0, 3]):
            if row < 0 or row >= height:
                clear(to, across)
            else:
                clear(to, low)
                if stride == 1:
                    copy(to + 4 * low, image + 4 * (row * width + start + low), high - low)
                else:
                    for j in range(low, high):
                        copy(to + 4 * j, image + 4 * (row * width + start + j * stride), 1)
                clear(to + 4 * high, across - high)
            to += 4 * across


@loop("void(intp, intp, intp, const(int64[:,::1]), intp)")
def _unfold_single(wide, first, count, axes, to):  # type: ignore[no-untyped-def]
    """As `_unfold`, of what `_widen` made, one window a column: long pieces of memory."""
    window, across, stride = axes[1, 0], axes[1, 4], axes[0, 1]
    for a in range(axes[0, 0]):
        for b in range(window):
            top = wide + 4 * (b * axes[0, 5] + a * axes[0, 2]) * across
            if stride == 1:
                copy(to, top + 4 * first, count)
                to += 4 * count
                continue
            p = first
            while p < first + count:
                j = p % across
                many = min(across - j, first + count - p)
                copy(to, top + 4 * (p // across * stride * across + j), many)
                to += 4 * many
                p += many


@loop(f"void({_X}, intp, intp, intp, {_W}, intp, {_AXES}, intp, float32[::1])")
def _outputs(x, n, first, count, w, target, axes, block, space):  # type: ignore[no-untyped-def]
    """Writes the outputs [first, first + count) of an image to the address `target`."""
    depth, features = w.shape
    single = x.shape[3] == 1
    for start in range(first, first + count, block):
        rows = min(block, first + count - start)
        if single:
            wide = space.ctypes.data + 4 * block * depth
            _unfold_single(wide, start, rows, axes, space.ctypes.data)
        else:
            _unfold(x, n, start, rows, axes, space)
        place = target + 4 * (start - first) * features
        at, line = space.ctypes.data, rows if single else depth
        zero = np.float32(0)
        multiply(
            rows, features, depth, at, line, single, w.ctypes.data, features, zero, place, features
        )


@loop(f"intp({_X}, {_AXES}, intp)")
def _room(x, axes, unfolded):  # type: ignore[no-untyped-def]
    """How many numbers an unfolded block takes, and the widened image behind it."""
    return unfolded + (axes[1, 0] * axes[0, 5] * axes[1, 4] if x.shape[3] == 1 else 0)


@loop(f"void({_X}, {_W}, {_Y}, {_AXES}, intp)")
def _convolve(x, w, y, axes, block):  # type: ignore[no-untyped-def]
    space = np.empty(_room(x, axes, block * w.shape[0]), np.float32)
    image = 4 * y.shape[1] * y.shape[2]
    for n in range(x.shape[0]):
        if x.shape[3] == 1:
            _widen(x, n, axes, space.ctypes.data + 4 * block * w.shape[0])
        _outputs(x, n, 0, y.shape[1], w, y.ctypes.data + n * image, axes, block, space)


@loop(f"void({_X}, intp, intp, intp, intp, {_DW}, {_AXES}, intp, float32[::1])")
def _add_gradient(x, n, first, count, dy, dw, axes, block, space):  # type: ignore[no-untyped-def]
    """Adds to `dw` what some outputs of an image, whose gradients lie at `dy`, have to say."""
    depth, features = dw.shape
    single = x.shape[3] == 1
    for start in range(first, first + count, block):
        rows = min(block, first + count - start)
        if single:
            wide = space.ctypes.data + 4 * block * depth
            _unfold_single(wide, start, rows, axes, space.ctypes.data)
        else:
            _unfold(x, n, start, rows, axes, space)
        place = dy + 4 * (start - first) * features
        at, line = space.ctypes.data, rows if single else depth
        one, to = np.float32(1), dw.ctypes.data
        multiply(depth, features, rows, at, line, not single, place, features, one, to, features)


@loop(f"void({_X}, {_DY}, {_DW}, {_AXES}, intp)")
def _filter_gradient(x, dy, dw, axes, block):  # type: ignore[no-untyped-def]
    space = np.empty(_room(x, axes, block * dw.shape[0]), np.float32)
    image = 4 * dy.shape[1] * dy.shape[2]
    for n in range(x.shape[0]):
        if x.shape[3] == 1:
            _widen(x, n, axes, space.ctypes.data + 4 * block * dw.shape[0])
        _add_gradient(x, n, 0, dy.shape[1], dy.ctypes.data + n * image, dw, axes, block, space)


# ---- with the pooling that follows ---------------------------------------------------------


@loop("void(float32[:,::1], intp, intp, intp, intp, float32[:,::1], uint8[:,::1], intp)")
def _pick(lines, across, high, wide, many, best, winner, first):  # type: ignore[no-untyped-def]
    """The largest of each window of `high` x `wide` outputs, for one row of windows."""
    features = lines.shape[1]
    for j in range(many):
        to, corner = first + j, j * wide
        if high == 2 and wide == 2:  # all four at once: what nearly every network does
            for c in range(features):
                m, t = lines[corner, c], 0
                v = lines[corner + 1, c]
                more = (not v <= m) and m == m
                m, t = v if more else m, 1 if more else t
                v = lines[corner + across, c]
                more = (not v <= m) and m == m
                m, t = v if more else m, 2 if more else t
                v = lines[corner + across + 1, c]
                more = (not v <= m) and m == m
                best[to, c], winner[to, c] = v if more else m, 3 if more else t
            continue
        for c in range(features):
            best[to, c], winner[to, c] = lines[corner, c], 0
        for tap in range(1, high * wide):
            at = corner + tap // wide * across + tap % wide
            for c in range(features):
                v, m = lines[at, c], best[to, c]
                more = (not v <= m) and m == m
                best[to, c] = v if more else m
                winner[to, c] = tap if more else winner[to, c]


@loop(f"void({_X}, {_W}, {_Y}, {_BEST}, {_AXES}, intp[::1], intp)")
def _convolve_and_pool(x, w, y, winners, axes, pool, block):  # type: ignore[no-untyped-def]
    features, across = w.shape[1], axes[1, 4]
    many = across // pool[1]
    lines = axes[0, 4] // pool[0]
    group = max(1, min(lines, _TOGETHER // max(1, pool[0] * across * features)))
    space = np.empty(_room(x, axes, block * w.shape[0]), np.float32)
    found = np.empty((group * pool[0] * across, features), np.float32)
    for n in range(x.shape[0]):
        if x.shape[3] == 1:
            _widen(x, n, axes, space.ctypes.data + 4 * block * w.shape[0])
        for line in range(0, lines, group):
            rows = min(group, lines - line)
            first, count = line * pool[0] * across, rows * pool[0] * across
            _outputs(x, n, first, count, w, found.ctypes.data, axes, block, space)
            for i in range(rows):
                start = i * pool[0] * across
                _pick(
                    found[start : start + pool[0] * across],
                    *(across, pool[0], pool[1], many),
                    *(y[n], winners[n], (line + i) * many),
                )


@loop(f"void({_WON}, {_DY}, intp, intp, intp, {_AXES}, intp[::1], float32[:,::1])")
def _spread(winners, dy, n, line, rows, axes, pool, out):  # type: ignore[no-untyped-def]
    """The gradients of all outputs under some rows of windows: zero but for the winners'."""
    across, features, zero = axes[1, 4], out.shape[1], np.float32(0)
    high, wide = pool[0], pool[1]
    many = across // wide
    for i in range(rows):
        for j in range(many):
            window, corner = (line + i) * many + j, i * high * across + j * wide
            if high == 2 and wide == 2:
                below = corner + across
                for c in range(features):
                    g, t = dy[n, window, c], winners[n, window, c]
                    out[corner, c] = g if t == 0 else zero
                    out[corner + 1, c] = g if t == 1 else zero
                    out[below, c] = g if t == 2 else zero
                    out[below + 1, c] = g if t == 3 else zero
                continue
            for tap in range(high * wide):
                to = corner + tap // wide * across + tap % wide
                for c in range(features):
                    g, t = dy[n, window, c], winners[n, window, c]
                    out[to, c] = g if t == tap else zero
        for k in range(high):  # what fills no window
            for j in range(many * wide, across):
                out[(i * high + k) * across + j] = 0


@loop(f"void({_X}, {_WON}, {_DY}, {_DW}, {_AXES}, intp[::1], intp)")
def _pooled_filter_gradient(x, winners, dy, dw, axes, pool, block):  # type: ignore[no-untyped-def]
    features, across = dw.shape[1], axes[1, 4]
    lines = axes[0, 4] // pool[0]
    group = max(1, min(lines, _TOGETHER // max(1, pool[0] * across * features)))
    space = np.empty(_room(x, axes, block * dw.shape[0]), np.float32)
    spread = np.empty((group * pool[0] * across, features), np.float32)
    for n in range(x.shape[0]):
        if x.shape[3] == 1:
            _widen(x, n, axes, space.ctypes.data + 4 * block * dw.shape[0])
        for line in range(0, lines, group):
            rows = min(group, lines - line)
            first, count = line * pool[0] * across, rows * pool[0] * across
            _spread(winners, dy, n, line, rows, axes, pool, spread)
            _add_gradient(x, n, first, count, spread.ctypes.data, dw, axes, block, space)


@loop(f"void({_WON}, {_DY}, {_Y}, {_AXES}, intp[::1])")
def _unpool(winners, dy, out, axes, pool):  # type: ignore[no-untyped-def]
    used = axes[0, 4] // pool[0] * pool[0] * axes[1, 4]
    for n in range(dy.shape[0]):
        _spread(winners, dy, n, 0, axes[0, 4] // pool[0], axes, pool, out[n, :used])
        out[n, used:] = 0


# ---- what they serve -----------------------------------------------------------------------


class _Plan(NamedTuple):
    """What the loops have to know of the windows.

    Attributes:
      table: the axes as the loops take them.
      outputs: of one image.
      depth: how many numbers a window holds.
      block: how many outputs are computed at a time.
      least: how many images make a piece for a thread.
      trivial: whether there is nothing to unfold.
    """

    table: Any
    outputs: int
    depth: int
    block: int
    least: int
    trivial: bool


@lru_cache(maxsize=256)
def _plan(axes: tuple[Axis, Axis], channels: int, features: int) -> _Plan:
    rows, columns = axes
    outputs, depth = rows.outputs * columns.outputs, rows.window * columns.window * channels
    return _Plan(
        np.array([(*a[1:4], a.before, a.outputs, a.padded) for a in axes]),
        outputs,
        depth,
        _block(depth, features, outputs),
        1 + _PIECE // max(1, outputs * depth * features),
        all(a.window == a.stride == 1 and a.size == a.padded == a.outputs for a in axes),
    )


class _Job:
    """One convolution, as the loops take it: or not, when `fits` is false.

    Args:
      x: [batch, rows, columns, channels].
      features: how many numbers each output has.
      axes: how the windows lie.
      other: one more array that must fit.
    """

    def __init__(self, x: Any, features: int, axes: Sequence[Axis], other: Any) -> None:
        self.fits = (
            len(axes) == 2 and x.dtype == other.dtype == np.float32 and x.size and other.size
        )
        if self.fits:
            self.x = np.ascontiguousarray(x)
            plan = _plan(tuple(axes), x.shape[-1], features)
            self.axes, _, self.depth, self.block, self.least, self.trivial = plan

    def summed(self, run: Any, shape: Sequence[int]) -> Any:
        """The sum of what `run(start, stop, dw)` adds to one array for each thread."""
        parts: list[Any] = []
        lock = threading.Lock()

        def piece(start: int, stop: int) -> None:
            part = np.zeros((self.depth, shape[-1]), np.float32)
            run(start, stop, part)
            with lock:
                parts.append(part)

        split(piece, len(self.x), self.least)
        total = parts[0]
        for part in parts[1:]:
            total += part
        return total.reshape(shape)


def _matrix(w: Any) -> Any:
    return np.ascontiguousarray(w).reshape(-1, w.shape[-1])


def _listed(array: Any) -> Any:
    """Images as lists of outputs."""
    return np.ascontiguousarray(array).reshape(len(array), -1, array.shape[-1])


@conv.convolve.tier("numba")
def _(x: Any, w: Any, axes: Sequence[Axis]) -> Any:
    job = _Job(x, w.shape[-1], axes, w)
    if not job.fits or job.trivial:
        return NotImplemented
    y = np.empty((len(x), axes[0].outputs, axes[1].outputs, w.shape[-1]), np.float32)
    flat, matrix = _listed(y), _matrix(w)

    def run(start: int, stop: int) -> None:
        _convolve(job.x[start:stop], matrix, flat[start:stop], job.axes, job.block)

    split(run, len(x), job.least)
    return y


@conv.filter_gradient.tier("numba")
def _(x: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    job = _Job(x, dy.shape[-1], axes, dy)
    if not job.fits or job.trivial:
        return NotImplemented
    flat = _listed(dy)

    def run(start: int, stop: int, dw: Any) -> None:
        _filter_gradient(job.x[start:stop], flat[start:stop], dw, job.axes, job.block)

    return job.summed(run, (axes[0].window, axes[1].window, x.shape[-1], dy.shape[-1]))


@conv_pool.convolve_and_pool.tier("numba")
def _(x: Any, w: Any, axes: Sequence[Axis], pool: Sequence[int], keep: bool = True) -> Any:
    job = _Job(x, w.shape[-1], axes, w)
    if not job.fits:
        return NotImplemented
    shape = (len(x), *(a.outputs // p for a, p in zip(axes, pool, strict=True)), w.shape[-1])
    y, winners = np.empty(shape, np.float32), np.empty(shape, np.uint8)
    best, won, matrix, window = _listed(y), _listed(winners), _matrix(w), np.array(pool)

    def run(start: int, stop: int) -> None:
        piece = slice(start, stop)
        _convolve_and_pool(
            job.x[piece], matrix, best[piece], won[piece], job.axes, window, job.block
        )

    split(run, len(x), job.least)
    return y, winners


@conv_pool.pooled_filter_gradient.tier("numba")
def _(x: Any, winners: Any, dy: Any, axes: Sequence[Axis], pool: Sequence[int]) -> Any:
    job = _Job(x, dy.shape[-1], axes, dy)
    if not job.fits:
        return NotImplemented
    given, won, window = _listed(dy), _listed(winners), np.array(pool)

    def run(start: int, stop: int, dw: Any) -> None:
        piece = slice(start, stop)
        _pooled_filter_gradient(
            job.x[piece], won[piece], given[piece], dw, job.axes, window, job.block
        )

    return job.summed(run, (axes[0].window, axes[1].window, x.shape[-1], dy.shape[-1]))


@conv_pool.unpool.tier("numba")
def _(winners: Any, dy: Any, sizes: Sequence[int], pool: Sequence[int]) -> Any:
    if len(sizes) != 2 or dy.dtype != np.float32 or not dy.size:
        return NotImplemented
    out = np.empty((len(dy), *sizes, dy.shape[-1]), np.float32)
    given, won, flat, window = _listed(dy), _listed(winners), _listed(out), np.array(pool)
    axes = np.array([(0, 0, 0, 0, n, 0) for n in sizes])

    def run(start: int, stop: int) -> None:
        piece = slice(start, stop)
        _unpool(won[piece], given[piece], flat[piece], axes, window)

    split(run, len(dy), 1 + 100_000 // max(1, out[:1].size))
    return out

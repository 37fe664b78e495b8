"""Pooling in one pass over the image: what it reads of a window is still in the first cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.kernels.threads import split
from minitf.fast.compiled._loops import loop
from minitf.library.nets.kernels import pooling
from minitf.library.nets.kernels.windows import Axis

_OUT = "float32[:,:,:,::1]"  # [outer, rows, columns, inner]
_IN = f"const({_OUT})"
_PLACES = "int64[:,::1]"  # of rows and of columns: window, stride, dilation, before
_PIECE = 100_000  # elements: about 50 us


@loop(f"void({_IN}, {_OUT}, {_PLACES})")
def _max(x, y, axes):
    inner = x.shape[3]
    for n in range(y.shape[0]):
        for i in range(y.shape[1]):
            for j in range(y.shape[2]):
                first = True
                for a in range(axes[0, 0]):
                    row = i * axes[0, 1] + a * axes[0, 2] - axes[0, 3]
                    if row < 0 or row >= x.shape[1]:
                        continue
                    for b in range(axes[1, 0]):
                        column = j * axes[1, 1] + b * axes[1, 2] - axes[1, 3]
                        if column < 0 or column >= x.shape[2]:
                            continue
                        if first:
                            for c in range(inner):
                                y[n, i, j, c] = x[n, row, column, c]
                            first = False
                            continue
                        for c in range(inner):
                            v, m = x[n, row, column, c], y[n, i, j, c]
                            y[n, i, j, c] = v if v > m or v != v else m
                if first:
                    y[n, i, j] = -np.inf


@loop(f"void({_IN}, {_IN}, {_OUT}, {_PLACES})")
def _max_scatter(x, dy, dx, axes):
    inner = x.shape[3]
    best = np.empty(inner, np.float32)
    found = np.empty(inner, np.float32)  # which element of the window; as wide as `best`
    for n in range(dy.shape[0]):
        dx[n] = 0
        for i in range(dy.shape[1]):
            for j in range(dy.shape[2]):
                if axes[0, 0] == axes[1, 0] == 2:  # all four at once, when they are inside
                    top, left = i * axes[0, 1] - axes[0, 3], j * axes[1, 1] - axes[1, 3]
                    low, right = top + axes[0, 2], left + axes[1, 2]
                    if top >= 0 and low < x.shape[1] and left >= 0 and right < x.shape[2]:
                        for c in range(inner):
                            m, t = x[n, top, left, c], np.float32(0)
                            v = x[n, top, right, c]
                            more = (not v <= m) and m == m
                            m, t = v if more else m, np.float32(1) if more else t
                            v = x[n, low, left, c]
                            more = (not v <= m) and m == m
                            m, t = v if more else m, np.float32(2) if more else t
                            v = x[n, low, right, c]
                            more = (not v <= m) and m == m
                            t = np.float32(3) if more else t
                            g, zero = dy[n, i, j, c], np.float32(0)
                            dx[n, top, left, c] += g if t == 0 else zero
                            dx[n, top, right, c] += g if t == 1 else zero
                            dx[n, low, left, c] += g if t == 2 else zero
                            dx[n, low, right, c] += g if t == 3 else zero
                        continue
                tap = np.float32(0)
                for a in range(axes[0, 0]):
                    row = i * axes[0, 1] + a * axes[0, 2] - axes[0, 3]
                    if row < 0 or row >= x.shape[1]:
                        continue
                    for b in range(axes[1, 0]):
                        column = j * axes[1, 1] + b * axes[1, 2] - axes[1, 3]
                        if column < 0 or column >= x.shape[2]:
                            continue
                        if tap > 0:
                            for c in range(inner):
                                v, m = x[n, row, column, c], best[c]
                                more = (not v <= m) and m == m
                                best[c] = v if more else m
                                found[c] = tap if more else found[c]
                        else:
                            for c in range(inner):
                                best[c] = x[n, row, column, c]
                                found[c] = 0
                        tap += np.float32(1)
                tap = np.float32(0)
                for a in range(axes[0, 0]):
                    row = i * axes[0, 1] + a * axes[0, 2] - axes[0, 3]
                    if row < 0 or row >= x.shape[1]:
                        continue
                    for b in range(axes[1, 0]):
                        column = j * axes[1, 1] + b * axes[1, 2] - axes[1, 3]
                        if column < 0 or column >= x.shape[2]:
                            continue
                        for c in range(inner):
                            given = dy[n, i, j, c] if found[c] == tap else np.float32(0)
                            dx[n, row, column, c] += given
                        tap += np.float32(1)


@loop(f"void({_IN}, {_OUT}, {_PLACES})")
def _sum(x, y, axes):
    for n in range(y.shape[0]):
        y[n] = 0
        for i in range(y.shape[1]):
            for j in range(y.shape[2]):
                for a in range(axes[0, 0]):
                    row = i * axes[0, 1] + a * axes[0, 2] - axes[0, 3]
                    if row < 0 or row >= x.shape[1]:
                        continue
                    for b in range(axes[1, 0]):
                        column = j * axes[1, 1] + b * axes[1, 2] - axes[1, 3]
                        if 0 <= column < x.shape[2]:
                            for c in range(x.shape[3]):
                                y[n, i, j, c] += x[n, row, column, c]


@loop(f"void({_IN}, {_OUT}, {_PLACES})")
def _sum_scatter(dy, dx, axes):
    for n in range(dy.shape[0]):
        dx[n] = 0
        for i in range(dy.shape[1]):
            for j in range(dy.shape[2]):
                for a in range(axes[0, 0]):
                    row = i * axes[0, 1] + a * axes[0, 2] - axes[0, 3]
                    if row < 0 or row >= dx.shape[1]:
                        continue
                    for b in range(axes[1, 0]):
                        column = j * axes[1, 1] + b * axes[1, 2] - axes[1, 3]
                        if 0 <= column < dx.shape[2]:
                            for c in range(dy.shape[3]):
                                dx[n, row, column, c] += dy[n, i, j, c]


# ---- from arrays of any rank to images -----------------------------------------------------


class _Places:
    """Windows along one or two neighbouring axes, as the loops take them.

    Args:
      axes: one for each dimension; None where there are no windows.
    """

    def __init__(self, axes: Sequence[Axis | None]) -> None:
        moving = [place for place, _ in pooling.moves(axes)]
        self.fits = 0 < len(moving) <= 2 and max(moving) - min(moving) < 2
        if self.fits:
            self.first = min(moving)
            self.last = max(moving)
            one = Axis(1, 1, 1, 1, 0, 0, 1)
            pair = [axes[i] or one for i in range(self.first, self.last + 1)]
            self.axes = pair if len(pair) == 2 else [one, *pair]
            self.table = np.array([(a.window, a.stride, a.dilation, a.before) for a in self.axes])

    def image(self, array: Any) -> Any:
        """A view [outer, rows, columns, inner]."""
        sizes = array.shape
        rows = sizes[self.first] if self.last > self.first else 1
        outer, inner = int(np.prod(sizes[: self.first])), int(np.prod(sizes[self.last + 1 :]))
        return array.reshape(outer, rows, sizes[self.last], inner)

    def sized(self, array: Any, outputs: bool) -> Any:
        """A new array like another, but with as many elements along the axes as asked for."""
        sizes = list(array.shape)
        for place, axis in zip(range(self.last, self.first - 1, -1), self.axes[::-1], strict=False):
            sizes[place] = axis.outputs if outputs else axis.size
        return np.empty(sizes, array.dtype)


def _fit(*arrays: Any) -> bool:
    return all(a.dtype == np.float32 and a.flags.c_contiguous and a.size for a in arrays)


def _run(run: Callable[..., None], places: _Places, *arrays: Any) -> None:
    images = [places.image(a) for a in arrays]
    largest = max(i[:1].size for i in images)
    split(
        lambda start, stop: run(*(i[start:stop] for i in images), places.table),
        len(images[0]),
        1 + _PIECE // largest,
    )


@pooling.max_pool.tier("numba")
def _(x: Any, axes: Sequence[Axis | None]) -> Any:
    places = _Places(axes)
    if not places.fits or not _fit(x):
        return NotImplemented
    y = places.sized(x, outputs=True)
    _run(_max, places, x, y)
    return y


@pooling.max_pool_scatter.tier("numba")
def _(x: Any, dy: Any, axes: Sequence[Axis | None]) -> Any:
    places = _Places(axes)
    if not places.fits or not _fit(x, dy):
        return NotImplemented
    dx = np.empty_like(x)
    _run(_max_scatter, places, x, dy, dx)
    return dx


@pooling.sum_pool.tier("numba")
def _(x: Any, axes: Sequence[Axis | None]) -> Any:
    places = _Places(axes)
    if not places.fits or not _fit(x):
        return NotImplemented
    y = places.sized(x, outputs=True)
    _run(_sum, places, x, y)
    return y


@pooling.sum_pool_scatter.tier("numba")
def _(dy: Any, axes: Sequence[Axis | None]) -> Any:
    places = _Places(axes)
    if not places.fits or not _fit(dy):
        return NotImplemented
    dx = places.sized(dy, outputs=False)
    _run(_sum_scatter, places, dy, dx)
    return dx

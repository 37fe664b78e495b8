"""Pooling: the largest of a window, or its sum, stays in a register until the window is through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.kernels.table import contiguous
from minitf.core.kernels.threads import split
from minitf.fast.compiled._lanes import WIDTH, beats, choose, load, same, spread, store
from minitf.fast.compiled._loops import loop
from minitf.fast.compiled._windows import (
    AXES,
    COLUMNS,
    MOST,
    OFFSETS,
    OUTPUTS,
    STRIDE,
    WINDOW,
    clear,
    columns_of,
    gather,
    offsets,
    row_of,
    table,
)
from minitf.library.nets import pooling
from minitf.library.nets.windows import Axis

_OUT = "float32[::1]"  # [outer, rows, columns, inner], one number after the other
_IN = f"const({_OUT})"
_PLACES = f"{AXES}, {OFFSETS}, intp"  # how the windows lie, and how many numbers `inner` are
_PIECE = 100_000  # elements: about 50 us
_ZERO, _LOWEST = np.float32(0), np.float32(-np.inf)


@loop(f"void({_IN}, {_OUT}, {_PLACES})")
def _max(x, y, axes, offsets, inner):
    near, known, target = np.empty_like(offsets), 0, 0
    for line in range(y.size // (axes[COLUMNS, OUTPUTS] * inner)):
        corner, rows = row_of(line, axes, inner)
        before = (-1, -1)
        for j in range(axes[COLUMNS, OUTPUTS]):
            columns = columns_of(j, axes)
            if columns != before:
                known = gather(offsets, axes[COLUMNS, WINDOW], rows, columns, near)
                before = columns
            for c in range(0, inner, WIDTH):
                count, best = inner - c, spread(_LOWEST)
                for tap in range(known):
                    value = load(x, corner + near[tap] + c, count)
                    best = choose(beats(value, best), value, best)
                store(best, y, target + c, count)
            target += inner
            corner += axes[COLUMNS, STRIDE] * inner


@loop(f"void({_IN}, {_IN}, {_OUT}, {_PLACES}, boolean, boolean)")
def _max_scatter(x, dy, dx, axes, offsets, inner, apart, whole):
    near, known, source = np.empty_like(offsets), 0, 0
    for line in range(dy.size // (axes[COLUMNS, OUTPUTS] * inner)):
        if not whole:
            clear(dx, line, axes, inner)
        corner, rows = row_of(line, axes, inner)
        before = (-1, -1)
        for j in range(axes[COLUMNS, OUTPUTS]):
            columns = columns_of(j, axes)
            if columns != before:
                known = gather(offsets, axes[COLUMNS, WINDOW], rows, columns, near)
                before = columns
            for c in range(0, inner, WIDTH):
                count, best, found = inner - c, spread(_LOWEST), spread(_ZERO)
                for tap in range(known):
                    value = load(x, corner + near[tap] + c, count)
                    larger = beats(value, best)
                    best = choose(larger, value, best)
                    found = choose(larger, spread(np.float32(tap)), found)
                given = load(dy, source + c, count)
                for tap in range(known):
                    place = corner + near[tap] + c
                    share = choose(same(found, spread(np.float32(tap))), given, spread(_ZERO))
                    store(share if apart else share + load(dx, place, count), dx, place, count)
            source += inner
            corner += axes[COLUMNS, STRIDE] * inner


@loop(f"void({_IN}, {_OUT}, {_PLACES})")
def _mean(x, y, axes, offsets, inner):
    near, known, target = np.empty_like(offsets), 0, 0
    for line in range(y.size // (axes[COLUMNS, OUTPUTS] * inner)):
        corner, rows = row_of(line, axes, inner)
        before = (-1, -1)
        for j in range(axes[COLUMNS, OUTPUTS]):
            columns = columns_of(j, axes)
            if columns != before:
                known = gather(offsets, axes[COLUMNS, WINDOW], rows, columns, near)
                before = columns
            for c in range(0, inner, WIDTH):
                count, total = inner - c, spread(_ZERO)
                for tap in range(known):
                    total += load(x, corner + near[tap] + c, count)
                store(total / spread(np.float32(known)), y, target + c, count)
            target += inner
            corner += axes[COLUMNS, STRIDE] * inner


@loop(f"void({_IN}, {_OUT}, {_PLACES}, boolean, boolean)")
def _mean_scatter(dy, dx, axes, offsets, inner, apart, whole):
    near, known, source = np.empty_like(offsets), 0, 0
    for line in range(dy.size // (axes[COLUMNS, OUTPUTS] * inner)):
        if not whole:
            clear(dx, line, axes, inner)
        corner, rows = row_of(line, axes, inner)
        before = (-1, -1)
        for j in range(axes[COLUMNS, OUTPUTS]):
            columns = columns_of(j, axes)
            if columns != before:
                known = gather(offsets, axes[COLUMNS, WINDOW], rows, columns, near)
                before = columns
            for c in range(0, inner, WIDTH):
                count = inner - c
                share = load(dy, source + c, count) / spread(np.float32(known))
                for tap in range(known):
                    place = corner + near[tap] + c
                    store(share if apart else share + load(dx, place, count), dx, place, count)
            source += inner
            corner += axes[COLUMNS, STRIDE] * inner


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
            self.apart = all((a.window - 1) * a.dilation < a.stride for a in self.axes)
            self.fits = self.axes[0].padded * self.axes[1].padded <= MOST
            self.whole = self.apart and all(  # whether the windows cover the image
                a.window == a.stride and a.outputs * a.stride - a.before >= a.size
                for a in self.axes
            )

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


def _fit(places: _Places, *arrays: Any) -> bool:
    return places.fits and contiguous("f", *arrays)


def _run(run: Callable[..., None], places: _Places, *arrays: Any) -> None:
    images = [places.image(a) for a in arrays]
    inner = images[0].shape[3]
    lie = table(places.axes), offsets(places.axes, inner), inner
    split(
        lambda start, stop: run(*(i[start:stop].reshape(-1) for i in images), *lie),
        len(images[0]),
        1 + _PIECE // max(i[:1].size for i in images),
    )


def _scattered(run: Callable[..., None], places: _Places, dy: Any, *others: Any) -> Any:
    dx = places.sized(dy, outputs=False)
    _run(lambda *args: run(*args, places.apart, places.whole), places, *others, dy, dx)
    return dx


@pooling.max_of_windows.tier("numba")
def _(x: Any, axes: Sequence[Axis | None]) -> Any:
    places = _Places(axes)
    if not _fit(places, x):
        return NotImplemented
    y = places.sized(x, outputs=True)
    _run(_max, places, x, y)
    return y


@pooling.max_pool_scatter.tier("numba")
def _(x: Any, dy: Any, axes: Sequence[Axis | None]) -> Any:
    places = _Places(axes)
    return _scattered(_max_scatter, places, dy, x) if _fit(places, x, dy) else NotImplemented


@pooling.mean_pool.tier("numba")
def _(x: Any, axes: Sequence[Axis | None]) -> Any:
    places = _Places(axes)
    if not _fit(places, x):
        return NotImplemented
    y = places.sized(x, outputs=True)
    _run(_mean, places, x, y)
    return y


@pooling.mean_pool_scatter.tier("numba")
def _(dy: Any, axes: Sequence[Axis | None]) -> Any:
    places = _Places(axes)
    return _scattered(_mean_scatter, places, dy) if _fit(places, dy) else NotImplemented

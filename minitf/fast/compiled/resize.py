"""Resizing, row by row: what is mixed of old rows is still in the first cache for the columns.

Of two taps each way, as bilinear resizing has them, a new number is mixed in registers alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.kernels.threads import split
from minitf.fast.compiled._lanes import WIDTH, load, spread, store
from minitf.fast.compiled._loops import loop
from minitf.library.images import image_resize as resize
from minitf.library.images.image_resize import Taps

_OUT = "float32[::1]"  # images, channels last, one number after the other
_IN = f"const({_OUT})"
_TAPS = "const(int64[:,::1]), const(float32[:,::1])"
_PIECE = 100_000  # numbers of the larger images: about 50 us
_ZERO = np.float32(0)


@loop(f"void({_IN}, intp, intp, intp, {_TAPS}, {_TAPS}, {_OUT})")
def _mix(x, height, width, channels, row_places, row_weights, places, weights, y):
    wide, rows = width * channels, len(row_places)
    mixed = np.empty(wide, np.float32)
    for line in range(y.size // (len(places) * channels)):
        image, i = line // rows, line % rows
        for q in range(0, wide, WIDTH):
            total = spread(_ZERO)
            for t in range(row_places.shape[1]):
                place = (image * height + row_places[i, t]) * wide + q
                total += spread(row_weights[i, t]) * load(x, place, wide - q)
            store(total, mixed, q, wide - q)
        for j in range(len(places)):
            target = (line * len(places) + j) * channels
            for c in range(0, channels, WIDTH):
                total = spread(_ZERO)
                for t in range(places.shape[1]):
                    place = places[j, t] * channels + c
                    total += spread(weights[j, t]) * load(mixed, place, channels - c)
                store(total, y, target + c, channels - c)


@loop(f"void({_IN}, intp, intp, intp, {_TAPS}, {_TAPS}, {_OUT})")
def _mix_of_two(x, height, width, channels, row_places, row_weights, places, weights, y):
    rows, target = len(row_places), 0
    for line in range(y.size // (len(places) * channels)):
        image, i = line // rows, line % rows
        top = (image * height + row_places[i, 0]) * width
        low = (image * height + row_places[i, 1]) * width
        above, below = spread(row_weights[i, 0]), spread(row_weights[i, 1])
        for j in range(len(places)):
            before, after = spread(weights[j, 0]), spread(weights[j, 1])
            a, b = (top + places[j, 0]) * channels, (low + places[j, 0]) * channels
            ahead = (places[j, 1] - places[j, 0]) * channels
            for c in range(0, channels, WIDTH):
                count = channels - c
                one = above * load(x, a + c, count) + below * load(x, b + c, count)
                two = above * load(x, a + ahead + c, count) + below * load(x, b + ahead + c, count)
                store(before * one + after * two, y, target + c, count)
            target += channels


@loop(f"void({_IN}, intp, intp, intp, {_TAPS}, {_TAPS}, {_OUT})")
def _mix_back(dy, height, width, channels, row_places, row_weights, places, weights, dx):
    wide, rows = width * channels, len(row_places)
    mixed = np.empty(wide, np.float32)
    dx[:] = 0
    for line in range(dy.size // (len(places) * channels)):
        image, i = line // rows, line % rows
        mixed[:] = 0
        for j in range(len(places)):
            source = (line * len(places) + j) * channels
            for c in range(0, channels, WIDTH):
                count, given = channels - c, load(dy, source + c, channels - c)
                for t in range(places.shape[1]):
                    place = places[j, t] * channels + c
                    total = load(mixed, place, count) + spread(weights[j, t]) * given
                    store(total, mixed, place, count)
        for q in range(0, wide, WIDTH):
            given = load(mixed, q, wide - q)
            for t in range(row_places.shape[1]):
                place = (image * height + row_places[i, t]) * wide + q
                total = load(dx, place, wide - q) + spread(row_weights[i, t]) * given
                store(total, dx, place, wide - q)


@loop(f"void({_IN}, intp, intp, intp, const(int64[::1]), const(int64[::1]), {_OUT})")
def _pick(x, height, width, channels, row_places, places, y):
    for line in range(y.size // (len(places) * channels)):
        image, i = line // len(row_places), line % len(row_places)
        row = (image * height + row_places[i]) * width
        for j in range(len(places)):
            source, target = (row + places[j]) * channels, (line * len(places) + j) * channels
            for c in range(0, channels, WIDTH):
                store(load(x, source + c, channels - c), y, target + c, channels - c)


def _tables(taps: Taps) -> tuple[Any, Any]:
    places, weights = taps
    return np.ascontiguousarray(places, np.int64), np.ascontiguousarray(weights, np.float32)


def _each(run: Any, given: Any, sizes: tuple, old: tuple, *tables: Any) -> Any:
    """Runs a loop that makes images of other images."""
    if given.dtype != np.float32 or not given.size:
        return NotImplemented
    given = np.ascontiguousarray(given)
    made = np.empty((len(given), *sizes, given.shape[3]), np.float32)

    def work(start: int, stop: int) -> None:
        part, to = given[start:stop].reshape(-1), made[start:stop].reshape(-1)
        run(part, *old, given.shape[3], *tables, to)

    split(work, len(given), 1 + _PIECE // max(given[0].size, made[0].size))
    return made


@resize.mix.tier("numba")
def _(x: Any, rows: Taps, columns: Taps) -> Any:
    sizes = len(rows.places), len(columns.places)
    two = rows.places.shape[1] == columns.places.shape[1] == 2
    run = _mix_of_two if two else _mix
    return _each(run, x, sizes, x.shape[1:3], *_tables(rows), *_tables(columns))


@resize.mix_back.tier("numba")
def _(dy: Any, height: int, width: int, rows: Taps, columns: Taps) -> Any:
    sizes = height, width
    return _each(_mix_back, dy, sizes, sizes, *_tables(rows), *_tables(columns))


@resize.pick.tier("numba")
def _(x: Any, rows: Any, columns: Any) -> Any:
    chosen = (np.ascontiguousarray(places, np.int64) for places in (rows, columns))
    return _each(_pick, x, (len(rows), len(columns)), x.shape[1:3], *chosen)

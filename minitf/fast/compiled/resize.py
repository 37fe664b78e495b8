"""Resizing, row by row: what is mixed of old rows is still in the first cache for the columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.kernels.threads import split
from minitf.fast.compiled._loops import loop
from minitf.library.images import resize_kernels as resize
from minitf.library.images.resize_kernels import Taps

_OUT = "float32[:,:,:,::1]"  # images, channels last
_IN = f"const({_OUT})"
_TAPS = "const(int64[:,::1]), const(float32[:,::1])"
_FEW = 8  # channels: below, a loop over them is too short, and numbers are looked up one by one
_PIECE = 100_000  # numbers of the larger images: about 50 us


@loop(f"void({_IN}, {_TAPS}, {_TAPS}, {_OUT})")
def _mix(x, row_places, row_weights, places, weights, y):  # type: ignore[no-untyped-def]
    channels = x.shape[3]
    line = np.empty((x.shape[2], channels), np.float32)
    flat = line.reshape(line.size)
    found = np.empty((places.shape[1], y.shape[2] * channels), np.uint32)
    spread = np.empty(found.shape, np.float32)
    for t in range(places.shape[1]):
        for q in range(found.shape[1]):
            found[t, q] = places[q // channels, t] * channels + q % channels
            spread[t, q] = weights[q // channels, t]
    for n in range(x.shape[0]):
        for i in range(y.shape[1]):
            flat[:] = 0
            for t in range(row_places.shape[1]):
                weight, source = row_weights[i, t], x[n, row_places[i, t]].reshape(flat.size)
                for q in range(flat.size):
                    flat[q] += weight * source[q]
            if channels < _FEW:
                out = y[n, i].reshape(y.shape[2] * channels)
                out[:] = 0
                for t in range(places.shape[1]):
                    for q in range(out.size):
                        out[q] += spread[t, q] * flat[found[t, q]]
                continue
            for j in range(y.shape[2]):
                for c in range(channels):
                    y[n, i, j, c] = weights[j, 0] * line[places[j, 0], c]
                for t in range(1, places.shape[1]):
                    for c in range(channels):
                        y[n, i, j, c] += weights[j, t] * line[places[j, t], c]


@loop(f"void({_IN}, {_TAPS}, {_TAPS}, {_OUT})")
def _mix_back(dy, row_places, row_weights, places, weights, dx):  # type: ignore[no-untyped-def]
    channels = dx.shape[3]
    line = np.empty((dx.shape[2], channels), np.float32)
    flat = line.reshape(line.size)
    for n in range(dy.shape[0]):
        dx[n] = 0
        for i in range(dy.shape[1]):
            flat[:] = 0
            for j in range(dy.shape[2]):
                for t in range(places.shape[1]):
                    for c in range(channels):
                        line[places[j, t], c] += weights[j, t] * dy[n, i, j, c]
            for t in range(row_places.shape[1]):
                weight, target = row_weights[i, t], dx[n, row_places[i, t]].reshape(flat.size)
                for q in range(flat.size):
                    target[q] += weight * flat[q]


def _tables(taps: Taps) -> tuple[Any, Any]:
    places, weights = taps
    return np.ascontiguousarray(places, np.int64), np.ascontiguousarray(weights, np.float32)


@resize.mix.tier("numba")
def _(x: Any, rows: Taps, columns: Taps) -> Any:
    if x.dtype != np.float32 or not x.size:
        return NotImplemented
    x, tables = np.ascontiguousarray(x), (*_tables(rows), *_tables(columns))
    y = np.empty((len(x), len(rows.places), len(columns.places), x.shape[3]), np.float32)
    least = 1 + _PIECE // max(x[0].size, y[0].size)
    split(lambda start, stop: _mix(x[start:stop], *tables, y[start:stop]), len(x), least)
    return y


@resize.mix_back.tier("numba")
def _(dy: Any, height: int, width: int, rows: Taps, columns: Taps) -> Any:
    if dy.dtype != np.float32 or not dy.size:
        return NotImplemented
    dy, tables = np.ascontiguousarray(dy), (*_tables(rows), *_tables(columns))
    dx = np.empty((len(dy), height, width, dy.shape[3]), np.float32)
    least = 1 + _PIECE // max(dx[0].size, dy[0].size)
    split(lambda start, stop: _mix_back(dy[start:stop], *tables, dx[start:stop]), len(dy), least)
    return dx

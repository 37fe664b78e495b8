"""Resizing and the gradient of pooling, a few images at a time, which stay in the cache.

The images go to several threads as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.kernels.threads import split
from minitf.library.images import resize_kernels as resize
from minitf.library.images.resize_kernels import Taps
from minitf.library.nets.kernels import pooling
from minitf.library.nets.kernels.windows import Axis

_BLOCK = 200_000  # numbers: what is made of them stays in the second-level cache


def _few_at_a_time(run: Callable[[slice], None], images: Any) -> None:
    """Calls `run` with places of a few images, in several threads."""
    few = max(1, _BLOCK // max(1, images[:1].size))

    def work(start: int, stop: int) -> None:
        for first in range(start, stop, few):
            run(slice(first, min(first + few, stop)))

    split(work, len(images), few)


@pooling.max_pool_scatter.tier("blocks")
def _(x: Any, dy: Any, axes: Sequence[Axis | None]) -> Any:
    if any(place == 0 for place, _ in pooling.moves(axes)):
        return NotImplemented
    dx, of_all = np.empty(x.shape, dy.dtype), pooling.max_pool_scatter.tiers["numpy"]

    def run(few: slice) -> None:
        dx[few] = of_all(np, x[few], dy[few], axes)

    _few_at_a_time(run, x)
    return dx


@resize.mix.tier("blocks")
def _(x: Any, rows: Taps, columns: Taps) -> Any:
    """Columns first: what is longest, the new rows, is then mixed of whole rows."""
    sizes = (len(x), len(rows.places), len(columns.places), x.shape[3])
    y = np.empty((*sizes[:2], sizes[2] * sizes[3]), x.dtype)
    shares = np.repeat(columns.weights.T.astype(x.dtype), x.shape[3], axis=1)
    taps, weights = rows.places.shape[1], rows.weights.astype(x.dtype)
    side_by_side = (np.diff(rows.places) == 1).all(axis=1)

    def run(few: slice) -> None:
        mixed: Any = 0
        for places, share in zip(columns.places.T, shares, strict=True):
            taken = x[few].take(places, axis=2).reshape(-1, x.shape[1], y.shape[2])
            mixed = np.add(mixed, np.multiply(taken, share, out=taken), out=taken)
        for number, places in enumerate(rows.places):
            near = slice(places[0], places[0] + taps) if side_by_side[number] else places
            np.matmul(weights[number], mixed[:, near], out=y[few, number])

    _few_at_a_time(run, y)
    return y.reshape(sizes)


@resize.pick.tier("blocks")
def _(x: Any, rows: Any, columns: Any) -> Any:
    y = np.empty((len(x), len(rows), len(columns), x.shape[3]), x.dtype)

    def run(few: slice) -> None:
        wide = x[few].take(columns, axis=2)
        wide.take(rows, axis=1, out=y[few], mode="clip")

    _few_at_a_time(run, y)
    return y

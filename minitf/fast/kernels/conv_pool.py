"""Convolution with the pooling that follows it: the outputs are pooled while they are in the cache.

    windows of a 2 x 2 pool:   0 1 0 1      the outputs of a block are computed in four parts,
                               2 3 2 3      first all 0s, then all 1s, ...; so the largest of each
                               0 1 0 1      window is a maximum of four arrays, without a stride

Which part won is kept, one byte a window, instead of the outputs themselves: from it comes the
gradient, and the outputs are never in memory as a whole. Windows do not overlap here, and what
does not fill a window is left out. Ties go to the first in reading order, and so does NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from minitf.core.kernels.table import kernel
from minitf.core.ops.elementwise import invalid
from minitf.library.nets.conv_ops import (
    blocks,
    in_threads,
    multiplied,
    padded,
    precise,
    slides,
    unfolded,
    windows,
)
from minitf.library.nets.windows import Axis, placed

_MOST = 255  # elements of a window, of which one is named by a byte


def _parted(xp: Any, x: Any, axes: Sequence[Axis], pool: Sequence[int]) -> Any:
    """The windows of a convolution as [batch, *pooled, *pool, *window, channels], a view."""
    view = windows(xp, padded(xp, x, axes), axes)
    rank, steps = len(axes), view.strides
    return xp.lib.stride_tricks.as_strided(
        view,
        (
            len(x),
            *(a.outputs // p for a, p in zip(axes, pool, strict=True)),
            *pool,
            *view.shape[rank + 1 :],
        ),
        (
            steps[0],
            *(s * p for s, p in zip(steps[1:], pool, strict=False)),
            *steps[1 : rank + 1],
            *steps[rank + 1 :],
        ),
    )


def _pieces(
    xp: Any, x: Any, axes: Sequence[Axis], pool: Sequence[int], features: int
) -> tuple[Iterator[tuple], Callable[[tuple], Any]]:
    """Where the blocks of windows are; what unfolds the images of one, part after part."""
    rank, parts = len(axes), math.prod(pool)
    view = _parted(xp, x, axes, pool)
    depth = math.prod(view.shape[2 * rank + 1 :])
    order = (*range(rank + 1, 2 * rank + 1), *range(rank + 1), *range(2 * rank + 1, view.ndim))
    pooled = [a._replace(outputs=a.outputs // p) for a, p in zip(axes, pool, strict=True)]
    places = blocks(xp, len(x), pooled, depth, features, parts)
    return places, lambda place: unfolded(xp, view[place].transpose(order), 2 * rank + 1)


def _pick(xp: Any, outputs: Any, best: Any, won: Any) -> None:
    """The largest of some parts, and which one it is."""
    xp.maximum(outputs[0], outputs[-1], out=best)
    for part in outputs[1:-1]:
        xp.maximum(best, part, out=best)
    if xp is not np or np.isnan(best).any():  # a card is not asked, which would stop it
        won[...] = outputs.argmax(axis=0)
        return
    lost = outputs[0] != best
    won[...] = lost if len(outputs) > 1 else 0
    for part in outputs[1:-1]:
        lost &= part != best
        won += lost


@lru_cache(maxsize=1024)  # each step of a network asks the same
def _fits(pool: tuple[int, ...], sizes: tuple[int, ...]) -> bool:
    """Whether windows of pooling are small enough for a byte, and none is larger than its axis."""
    known = len(pool) == len(sizes) and min(pool) > 0 and math.prod(pool) <= _MOST
    return known and all(n >= p for n, p in zip(sizes, pool, strict=True))


@kernel(
    compiled="conv",
    takes=lambda x, w, axes, pool, keep=True: (
        _fits(tuple(pool), tuple([a.outputs for a in axes])) and slides(x, w, axes)
    ),
)
def convolve_and_pool(
    xp: Any, x: Any, w: Any, axes: Sequence[Axis], pool: Sequence[int], keep: bool = True
) -> tuple[Any, Any]:
    """The largest output of `convolve` in each window, and which one it was.

    Args:
      x: [batch, *sizes, c].
      w: [*window, c, m].
      axes: how the windows of the convolution lie.
      pool: the sizes of the windows of pooling, at most 255 elements.
      keep: whether anybody asks for the second result.
    Returns: [batch, *pooled, m], and the same shape of uint8.
    """
    dtype = x.dtype
    x, w = precise(x, w)
    features, parts = w.shape[-1], math.prod(pool)
    matrix = w.reshape(-1, features)
    shape = (len(x), *(a.outputs // p for a, p in zip(axes, pool, strict=True)), features)
    y, winners = xp.empty(shape, x.dtype), xp.empty(shape, xp.uint8)
    places, rows_of = _pieces(xp, x, axes, pool, features)

    def work(places: list) -> None:
        space = None  # that all blocks share: new memory costs more than the product
        for place in places:
            rows = rows_of(place)
            if space is None:
                space = xp.empty((len(rows), features), x.dtype)  # the first block is the largest
            outputs = multiplied(xp, rows, matrix, space[: len(rows)])
            _pick(xp, outputs.reshape(parts, *y[place].shape), y[place], winners[place])

    in_threads(xp, work, places)
    return y.astype(dtype, copy=False), winners


def _spread(xp: Any, winners: Any, dy: Any, parts: int) -> Any:
    """The gradients of the outputs of a block, [parts, *pooled]: zero but for the winners'."""
    out = xp.empty((parts, *dy.shape), dy.dtype)
    bits = f"i{dy.itemsize}"  # an infinity times 0 is no 0, but its bits times 0 are
    for part in range(parts):
        xp.multiply(dy.view(bits), winners == part, out=out[part].view(bits))
    return out


@kernel(
    compiled="conv",
    takes=lambda x, winners, dy, axes, pool: (
        _fits(tuple(pool), tuple([a.outputs for a in axes]))
        and placed(axes, x.shape[1:-1])
        and winners.shape == dy.shape
        and dy.shape[:-1] == (len(x), *(a.outputs // p for a, p in zip(axes, pool, strict=True)))
        and dy.dtype == x.dtype
    ),
)
def pooled_filter_gradient(
    xp: Any, x: Any, winners: Any, dy: Any, axes: Sequence[Axis], pool: Sequence[int]
) -> Any:
    """The gradient of `convolve_and_pool` by the filter.

    Args:
      x: [batch, *sizes, c].
      winners, dy: [batch, *pooled, m].
      axes, pool: as there.
    Returns: [*window, c, m].
    """
    dtype = x.dtype
    x, dy = precise(x, dy)
    features, parts = dy.shape[-1], math.prod(pool)
    shape = (*(a.window for a in axes), x.shape[-1], features)
    places, rows_of = _pieces(xp, x, axes, pool, features)

    def work(places: list) -> Any:
        total = xp.zeros((math.prod(shape[:-1]), features), x.dtype)
        for place in places:
            given = _spread(xp, winners[place], dy[place], parts)
            total += xp.matmul(rows_of(place).T, given.reshape(-1, features))
        return total

    total = sum(in_threads(xp, work, places))
    return total.reshape(shape).astype(dtype, copy=False)


def _unpools(winners: Any, dy: Any, sizes: Sequence[int], pool: Sequence[int]) -> bool:
    """Whether there is a number in `dy` for each window on images of these sizes."""
    return (
        _fits(tuple(pool), tuple(sizes))
        and winners.shape == dy.shape
        and dy.shape[1:-1] == tuple(n // p for n, p in zip(sizes, pool, strict=True))
    )


@kernel(compiled="conv", takes=_unpools)
def unpool(xp: Any, winners: Any, dy: Any, sizes: Sequence[int], pool: Sequence[int]) -> Any:
    """The gradient of pooling alone: each number of `dy` where its window had the largest.

    Args:
      winners, dy: [batch, *pooled, m].
      sizes: of the outputs that were pooled.
      pool: the sizes of the windows.
    Returns: [batch, *sizes, m].
    Raises:
      InvalidArgumentError: when `dy` has another number of windows; a view looks at no bounds.
    """
    if not _unpools(winners, dy, sizes, pool):
        raise invalid(f"{list(dy.shape)} is no gradient of windows {list(pool)} on {list(sizes)}")
    rank = len(sizes)
    out = xp.zeros((len(dy), *sizes, dy.shape[-1]), dy.dtype)
    inside = out[(slice(None), *(slice(n // p * p) for n, p in zip(sizes, pool, strict=True)))]
    steps, origin = inside.strides, inside.strides[1 : rank + 1]
    parted = xp.lib.stride_tricks.as_strided(
        inside,
        (*pool, *dy.shape),
        (*origin, steps[0], *(s * p for s, p in zip(origin, pool, strict=True)), steps[-1]),
    )
    parted[...] = _spread(xp, winners, dy, math.prod(pool)).reshape(parted.shape)
    return out

"""Depthwise convolution whose windows step by one: long loops over whole rows of an image.

a row is [columns * channels] numbers, and one tap of all its outputs is
    the row, moved by the tap,  *  the tap's weights, written once for each column

The taps of a whole image are a view of it, of which `einsum` adds the products up as it makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minitf.core.kernels.threads import split
from minitf.library.nets.kernels import depthwise as reference
from minitf.library.nets.kernels.conv import padded
from minitf.library.nets.kernels.windows import Axis

_PIECE = 500_000  # products: about 100 us


def _taps(x: Any, axes: Sequence[Axis]) -> Any:
    """What each tap takes of images, a view: [batch, window, window, rows, columns * channels]."""
    margin = padded(np, x, axes)
    lines = margin.reshape(*margin.shape[:2], margin.shape[2] * margin.shape[3])
    (rows, columns), channels = axes, x.shape[3]
    image, row, one = lines.strides
    return as_strided(
        lines,
        (len(x), rows.window, columns.window, rows.outputs, columns.outputs * channels),
        (image, rows.dilation * row, columns.dilation * channels * one, row, one),
        writeable=False,
    )


def _fit(axes: Sequence[Axis], *arrays: Any) -> bool:
    return all(a.stride == 1 for a in axes) and all(x.size for x in arrays)


@reference.depthwise.tier("blocks")
def _(x: Any, w: Any, axes: Sequence[Axis]) -> Any:
    if not _fit(axes, x, w):
        return NotImplemented
    channels, columns = w.shape[2] * w.shape[3], axes[1].outputs
    taps = _taps(reference.repeated(np, x, w.shape[3]), axes)
    y = np.empty((len(x), axes[0].outputs, columns * channels), x.dtype)
    weights = np.tile(w.reshape(*w.shape[:2], channels), columns)

    def run(start: int, stop: int) -> None:
        for number in range(start, stop):
            np.einsum("abrk,abk->rk", taps[number], weights, out=y[number])

    split(run, len(x), 1 + _PIECE // taps[0].size)
    return y.reshape(len(x), -1, columns, channels)


@reference.depthwise_filter_gradient.tier("blocks")
def _(x: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    if not _fit(axes, x, dy):
        return NotImplemented
    channels, several = dy.shape[-1], dy.shape[-1] // x.shape[-1]
    taps = _taps(reference.repeated(np, x, several), axes)
    slopes = dy.reshape(*dy.shape[:2], -1)
    places = [*np.ndindex(taps.shape[1:3])]
    sums = np.empty((len(places), slopes.shape[2]), x.dtype)

    def run(start: int, stop: int) -> None:
        for number in range(start, stop):
            np.einsum("irk,irk->k", taps[:, *places[number]], slopes, out=sums[number])

    split(run, len(places), 1 + _PIECE // slopes.size)
    dw = sums.reshape(len(places), axes[1].outputs, channels).sum(axis=1)
    return dw.reshape(axes[0].window, axes[1].window, -1, several)

"""Depthwise convolution whose windows step by one: long loops over whole rows of an image.

a row is [columns * channels] numbers, and one tap of all its outputs is
    the row, moved by the tap,  *  the tap's weights, written once for each column
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.kernels.threads import split
from minitf.library.nets.kernels import depthwise as reference
from minitf.library.nets.kernels.conv import padded
from minitf.library.nets.kernels.windows import Axis

_PIECE = 500_000  # products: about 100 us


def _lines(x: Any, axes: Sequence[Axis]) -> Any:
    """Images with their margins, [batch, rows, columns * channels]."""
    margin = padded(np, x, axes)
    return margin.reshape(*margin.shape[:2], margin.shape[2] * margin.shape[3])


def _places(axes: Sequence[Axis], channels: int) -> list[tuple[slice, slice]]:
    """For each tap: what it takes of such an image."""
    rows, columns = axes
    return [
        (
            slice(a * rows.dilation, a * rows.dilation + rows.outputs),
            slice(
                b * columns.dilation * channels, (b * columns.dilation + columns.outputs) * channels
            ),
        )
        for a, b in itertools.product(range(rows.window), range(columns.window))
    ]


def _fit(axes: Sequence[Axis], *arrays: Any) -> bool:
    return all(a.stride == 1 for a in axes) and all(x.size for x in arrays)


def _least(axes: Sequence[Axis], image: Any) -> int:
    return 1 + _PIECE // (image.size * axes[0].window * axes[1].window)


@reference.depthwise.tier("blocks")
def _(x: Any, w: Any, axes: Sequence[Axis]) -> Any:
    if not _fit(axes, x, w):
        return NotImplemented
    channels, columns = w.shape[2] * w.shape[3], axes[1].outputs
    images, places = _lines(reference.repeated(np, x, w.shape[3]), axes), _places(axes, channels)
    y = np.zeros((len(x), axes[0].outputs, columns * channels), x.dtype)
    weights = np.tile(w.reshape(-1, channels), columns)

    def run(start: int, stop: int) -> None:
        product = np.empty_like(y[0])
        for image, total in zip(images[start:stop], y[start:stop], strict=True):
            for place, weight in zip(places, weights, strict=True):
                np.multiply(image[place], weight, out=product)
                total += product

    split(run, len(x), _least(axes, y[0]))
    return y.reshape(len(x), -1, columns, channels)


@reference.depthwise_filter_gradient.tier("blocks")
def _(x: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    if not _fit(axes, x, dy):
        return NotImplemented
    channels, several = dy.shape[-1], dy.shape[-1] // x.shape[-1]
    images, places = _lines(reference.repeated(np, x, several), axes), _places(axes, channels)
    slopes = dy.reshape(*dy.shape[:2], -1)
    sums = np.zeros((len(places), len(x), slopes.shape[2]), x.dtype)

    def run(start: int, stop: int) -> None:
        product = np.empty_like(slopes[0])
        for number in range(start, stop):
            for place, total in zip(places, sums, strict=True):
                np.multiply(images[number][place], slopes[number], out=product)
                np.add.reduce(product, axis=0, out=total[number])

    split(run, len(x), _least(axes, slopes[0]))
    dw = sums.sum(axis=1).reshape(-1, axes[1].outputs, channels).sum(axis=1)
    return dw.reshape(axes[0].window, axes[1].window, -1, several)

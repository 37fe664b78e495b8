"""The arithmetic of depthwise convolution: each channel has filters of its own.

    y[..., c, q] = sum over the window of x[..., c] w[di, dj, c, q]

Nothing is summed over channels, so there is no product of matrices in it: the references go over
the window's elements and work on a whole image at each, the compiled tier over the outputs. Where a
channel has several filters, it is repeated, so that each number of `x` meets one of `y`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minitf.core.kernels.table import kernel
from minitf.library.nets.kernels.conv import inside, padded
from minitf.library.nets.kernels.windows import Axis


def _offsets(axes: Sequence[Axis]) -> Iterator[tuple[tuple, tuple]]:
    """Each element of the window, and where it lies in the padded images."""
    for offset in itertools.product(*(range(a.window) for a in axes)):
        starts = [o * a.dilation for o, a in zip(offset, axes, strict=True)]
        place = tuple(
            slice(start, start + (a.outputs - 1) * a.stride + 1, a.stride)
            for start, a in zip(starts, axes, strict=True)
        )
        yield offset, (slice(None), *place)


def _images(xp: Any, batch: int) -> list[slice]:
    """One image at a time on the CPU, so that what lies between stays in the cache."""
    return [slice(i, i + 1) for i in range(batch)] if xp is np else [slice(0, batch)]


def repeated(xp: Any, x: Any, several: int) -> Any:
    """Each channel `several` times in a row."""
    return x if several == 1 else xp.repeat(x, several, axis=-1)


def summed(x: Any, several: int) -> Any:
    """The transpose of `repeated`: the sums of so many channels in a row; a new array."""
    total = x[..., ::several].copy()
    for place in range(1, several):
        total += x[..., place::several]
    return total


@kernel(compiled="depthwise")
def depthwise(xp: Any, x: Any, w: Any, axes: Sequence[Axis]) -> Any:
    """Slides over each channel the filters that belong to it.

    Args:
      x: [batch, rows, columns, c].
      w: [*window, c, q].
      axes: how the windows lie.
    Returns: [batch, *outputs, c * q].
    """
    margin = padded(xp, repeated(xp, x, w.shape[3]), axes)
    y = xp.zeros((x.shape[0], *(a.outputs for a in axes), margin.shape[-1]), x.dtype)
    for images in _images(xp, x.shape[0]):
        for offset, place in _offsets(axes):
            y[images] += margin[images][place] * w[offset].reshape(-1)
    return y


@kernel(compiled="depthwise")
def depthwise_input_gradient(xp: Any, w: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    """The gradient of `depthwise` by its input; `size` of each axis is that of the result."""
    margin = xp.zeros((dy.shape[0], *(a.padded for a in axes), dy.shape[-1]), dy.dtype)
    for images in _images(xp, dy.shape[0]):
        for offset, place in _offsets(axes):
            margin[images][place] += dy[images] * w[offset].reshape(-1)
    return summed(margin[inside(axes)], w.shape[3])


@kernel(compiled="depthwise")
def depthwise_filter_gradient(xp: Any, x: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    """The gradient of `depthwise` by its filters: [*window, c, q]."""
    several = dy.shape[-1] // max(1, x.shape[-1])
    margin = padded(xp, repeated(xp, x, several), axes)
    dw = xp.zeros((*(a.window for a in axes), dy.shape[-1]), x.dtype)
    for images in _images(xp, x.shape[0]):
        for offset, place in _offsets(axes):
            dw[offset] += (margin[images][place] * dy[images]).sum(axis=(0, 1, 2))
    return dw.reshape(*dw.shape[:2], x.shape[-1], several)

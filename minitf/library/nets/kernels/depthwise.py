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
from minitf.library.nets.kernels.conv import answers, inside, padded, phases, slides
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


@kernel(compiled="depthwise", takes=lambda x, w, axes: w.ndim == 4 and slides(x, w, axes))
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


@kernel()
def depthwise_input_gradient(xp: Any, w: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    """The gradient of `depthwise` by its input; `size` of each axis is that of the result.

    It is another such convolution, of `dy` with the turned filters; for strides, one for each place
    in a stride, with the taps that it meets.
    """
    if any(a.stride > 1 and a.dilation > 1 for a in axes):
        return summed(_scattered(xp, w, dy, axes), w.shape[3])
    parts = itertools.product(*map(phases, axes))
    if all(a.stride == 1 for a in axes):
        dx = _gathered(xp, w, dy, *parts)
    else:
        dx = xp.zeros((dy.shape[0], *(a.size for a in axes), dy.shape[-1]), dy.dtype)
        for rows, columns in parts:
            dx[:, rows.places, columns.places] = _gathered(xp, w, dy, (rows, columns))
    return dx if w.shape[3] == 1 else summed(dx, w.shape[3])


def _gathered(xp: Any, w: Any, dy: Any, phase: Sequence[Any]) -> Any:
    rows, columns = phase
    turned = w[rows.taps, columns.taps][::-1, ::-1]
    turned = turned.reshape(*turned.shape[:2], dy.shape[-1], 1)
    return depthwise(xp, dy[:, rows.outputs, columns.outputs], turned, [rows.axis, columns.axis])


def _scattered(xp: Any, w: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    margin = xp.zeros((dy.shape[0], *(a.padded for a in axes), dy.shape[-1]), dy.dtype)
    for images in _images(xp, dy.shape[0]):
        for offset, place in _offsets(axes):
            margin[images][place] += dy[images] * w[offset].reshape(-1)
    return margin[inside(axes)]


@kernel(
    compiled="depthwise",
    takes=lambda x, dy, axes: (
        x.ndim == 4 and answers(x, dy, axes) and dy.shape[-1] % max(1, x.shape[-1]) == 0
    ),
)
def depthwise_filter_gradient(xp: Any, x: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    """The gradient of `depthwise` by its filters: [*window, c, q]."""
    several = dy.shape[-1] // max(1, x.shape[-1])
    margin = padded(xp, repeated(xp, x, several), axes)
    dw = xp.zeros((*(a.window for a in axes), dy.shape[-1]), x.dtype)
    for images in _images(xp, x.shape[0]):
        for offset, place in _offsets(axes):
            dw[offset] += (margin[images][place] * dy[images]).sum(axis=(0, 1, 2))
    return dw.reshape(*dw.shape[:2], x.shape[-1], several)

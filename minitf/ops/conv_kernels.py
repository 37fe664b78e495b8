"""The arithmetic of convolution, in any number of dimensions, as products of matrices.

    x [batch, h, w, c]  ──unfold──>  rows [batch * oh * ow, kh * kw * c]  @  w [kh * kw * c, m]
                                                                   = y [batch * oh * ow, m]

Unfolding a whole batch writes many times the memory of the input. Here it is done in blocks that
stay in the second-level cache until BLAS has read them. With one channel, the rows are built as
columns: then every copy runs along the width of the image instead of along three or five numbers.

The gradient by the input has two forms. *Gather* convolves the gradient with the flipped filter;
it reads each place once. *Scatter* multiplies first and adds the products where they belong; it
serves strides above one, and inputs of few channels.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minitf.ops.windows import Axis

_BLOCK = 1 << 18  # elements of an unfolded block: one megabyte of float32


def _precise(*arrays: Any) -> list[Any]:
    """Half-precision numbers are multiplied in single precision."""
    return [a.astype(np.float32) if a.dtype == np.float16 else a for a in arrays]


def padded(xp: Any, x: Any, axes: Sequence[Axis]) -> Any:
    """`x`, channels last, with margins of zeros; itself, when there are none."""
    if not any(a.before or a.after for a in axes):
        return x
    result = xp.zeros((x.shape[0], *(a.padded for a in axes), x.shape[-1]), x.dtype)
    result[inside(axes)] = x
    return result


def inside(axes: Sequence[Axis]) -> tuple:
    """Where the input lies in the padded array."""
    return (slice(None), *(slice(a.before, a.before + a.size) for a in axes), slice(None))


def windows(xp: Any, x: Any, axes: Sequence[Axis]) -> Any:
    """A view [batch, *outputs, *window, channels]; nothing is copied."""
    steps = x.strides
    return xp.lib.stride_tricks.as_strided(
        x,
        (x.shape[0], *(a.outputs for a in axes), *(a.window for a in axes), x.shape[-1]),
        (
            steps[0],
            *(n * a.stride for n, a in zip(steps[1:], axes, strict=False)),
            *(n * a.dilation for n, a in zip(steps[1:], axes, strict=False)),
            steps[-1],
        ),
    )


def _blocks(xp: Any, batch: int, axes: Sequence[Axis], depth: int) -> Iterator[tuple]:
    """Pieces of the outputs: several images, or some rows of one.

    Args:
      depth: how many numbers a window holds.
    Returns: pairs of slices, of the batch and of the first axis.
    """
    rows = axes[0].outputs
    row = depth
    for axis in axes[1:]:
        row *= axis.outputs
    if xp is not np:
        yield slice(0, batch), slice(0, rows)
        return
    images = max(1, _BLOCK // max(1, row * rows))
    high = rows if row * rows <= 2 * _BLOCK else max(1, _BLOCK // max(1, row))
    for first in range(0, batch, images):
        for top in range(0, rows, high):
            yield slice(first, min(first + images, batch)), slice(top, min(top + high, rows))


def _unfolded(xp: Any, view: Any, rank: int) -> Any:
    """The windows of a block as a matrix [outputs, window * channels], its memory in either order.

    Args:
      view: [images, *outputs, *window, channels].
      rank: how many axes outputs and window have.
    """
    depth = int(np.prod(view.shape[rank + 1 :]))
    count = int(np.prod(view.shape[: rank + 1]))
    if view.shape[-1] == 1:
        order = (*range(rank + 1, 2 * rank + 2), *range(rank + 1))
        columns = xp.ascontiguousarray(view.transpose(order))
        return columns.reshape(depth, count).T
    return xp.ascontiguousarray(view).reshape(count, depth)


def convolve(xp: Any, x: Any, w: Any, axes: Sequence[Axis]) -> Any:
    """Convolution, or rather correlation, with the channels last.

    Args:
      x: [batch, *sizes, c].
      w: [*window, c, m].
      axes: how the windows lie.
    Returns: [batch, *outputs, m].
    """
    dtype = x.dtype
    x, w = _precise(x, w)
    rank, features = len(axes), w.shape[-1]
    matrix = w.reshape(-1, features)
    view = windows(xp, padded(xp, x, axes), axes)
    y = xp.empty((x.shape[0], *(a.outputs for a in axes), features), x.dtype)
    for images, rows in _blocks(xp, x.shape[0], axes, matrix.shape[0]):
        part = y[images, rows]
        xp.matmul(_unfolded(xp, view[images, rows], rank), matrix, out=part.reshape(-1, features))
    return y.astype(dtype, copy=False)


def filter_gradient(xp: Any, x: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    """The gradient of `convolve` by the filter.

    Args:
      x: [batch, *sizes, c].
      dy: [batch, *outputs, m].
      axes: how the windows lie.
    Returns: [*window, c, m].
    """
    dtype = x.dtype
    x, dy = _precise(x, dy)
    rank, features = len(axes), dy.shape[-1]
    view = windows(xp, padded(xp, x, axes), axes)
    shape = (*(a.window for a in axes), x.shape[-1], features)
    total = xp.zeros((int(np.prod(shape[:-1])), features), x.dtype)
    for images, rows in _blocks(xp, x.shape[0], axes, total.shape[0]):
        matrix = _unfolded(xp, view[images, rows], rank)
        total += xp.matmul(matrix.T, dy[images, rows].reshape(-1, features))
    return total.reshape(shape).astype(dtype, copy=False)


def input_gradient(xp: Any, w: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    """The gradient of `convolve` by its input, which is also the transposed convolution.

    Args:
      w: [*window, c, m].
      dy: [batch, *outputs, m].
      axes: how the windows lie; `size` is that of the result.
    Returns: [batch, *sizes, c].
    """
    dtype = dy.dtype
    w, dy = _precise(w, dy)
    back = [_gathering(a) for a in axes]
    few = w.shape[-2] * 4 <= w.shape[-1]
    if few or any(a is None for a in back):
        dx = _scattered(xp, w, dy, axes)
    else:
        rank = len(axes)
        flipped = w[(slice(None, None, -1),) * rank].swapaxes(-1, -2)
        dx = convolve(xp, dy, xp.ascontiguousarray(flipped), [a for a in back if a is not None])
    return dx.astype(dtype, copy=False)


def _gathering(axis: Axis) -> Axis | None:
    """The axis of the convolution of dy with the flipped filter; None when there is none."""
    reach = (axis.window - 1) * axis.dilation
    before = reach - axis.before
    after = axis.size - axis.outputs + reach - before
    if axis.stride != 1 or before < 0 or after < 0:
        return None
    return Axis(axis.outputs, axis.window, 1, axis.dilation, before, after, axis.size)


def _scattered(xp: Any, w: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    *window, channels, features = w.shape
    matrix = w.reshape(-1, features).T
    dx = xp.zeros((dy.shape[0], *(a.padded for a in axes), channels), dy.dtype)
    for images, rows in _blocks(xp, dy.shape[0], axes, matrix.shape[1]):
        part = dy[images, rows]
        products = xp.matmul(part.reshape(-1, features), matrix)
        products = products.reshape(*part.shape[:-1], *window, channels)
        for offset in itertools.product(*map(range, window)):
            place = [
                slice(o * a.dilation, o * a.dilation + (a.outputs - 1) * a.stride + 1, a.stride)
                for o, a in zip(offset, axes, strict=True)
            ]
            first, step = place[0].start, axes[0].stride
            place[0] = slice(first + rows.start * step, first + (rows.stop - 1) * step + 1, step)
            dx[(images, *place)] += products[(..., *offset, slice(None))]
    return dx[inside(axes)].copy()

"""The arithmetic of pooling: a window of any rank is worked off one axis at a time.

    max over a k x k window  =  max over k columns, then over k rows      2 k steps, not k * k

No step touches single pixels: each is an operation on a strided view of the whole array. Ties go
to the first maximum in reading order. That, too, is one axis at a time: the first row that holds
the maximum, and in it the first column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.kernels.table import kernel
from minitf.library.nets.kernels.windows import Axis, outputs_of, placed


def _pairs(axis: Axis, place: int) -> list[tuple[tuple, tuple]]:
    """For each element of a window: the windows that have it, and where it lies in the input."""
    found = []
    first = (axis.before - (axis.outputs - 1) * axis.stride) // axis.dilation
    last = (axis.before + axis.size - 1) // axis.dilation
    for offset in range(max(0, first), min(last + 1, axis.window)):  # those that meet the input
        start = offset * axis.dilation - axis.before
        low = max(0, -(start // axis.stride))
        high = min(axis.outputs, (axis.size - 1 - start) // axis.stride + 1)
        if low >= high:
            continue
        first = start + low * axis.stride
        last = start + (high - 1) * axis.stride + 1
        head = (slice(None),) * place
        found.append(((*head, slice(low, high)), (*head, slice(first, last, axis.stride))))
    return found


def _covers(where: tuple, axis: Axis) -> bool:
    return where[-1] == slice(0, axis.outputs)


def _sized(x: Any, place: int, size: int) -> tuple:
    return (*x.shape[:place], size, *x.shape[place + 1 :])


def moves(axes: Sequence[Axis | None]) -> list[tuple[int, Axis]]:
    """The axes along which there is something to do, the last one first."""
    return [
        (place, axis)
        for place, axis in reversed(list(enumerate(axes)))
        if axis is not None and (axis.window > 1 or axis.stride > 1 or axis.before or axis.after)
    ]


def lowest(dtype: Any) -> Any:
    """What loses against every number."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _reduced(xp: Any, x: Any, place: int, axis: Axis, function: Any, start: Any) -> Any:
    """`function` over the windows along one axis."""
    pairs = _pairs(axis, place)
    whole = [pair for pair in pairs if _covers(pair[0], axis)][:1]
    if whole:
        y = x[whole[0][1]].copy()
        pairs.remove(whole[0])
    else:
        y = xp.full(_sized(x, place, axis.outputs), start, x.dtype)
    for where, source in pairs:
        function(y[where], x[source], out=y[where])
    return y


@kernel(compiled="pooling", takes=lambda x, axes: placed(axes, x.shape))
def max_pool(xp: Any, x: Any, axes: Sequence[Axis | None]) -> Any:
    """The largest element of each window.

    Args:
      x: any array.
      axes: for each dimension of `x` how the windows lie along it; None: it has none.
    """
    for place, axis in reversed(moves(axes)):  # rows first: long runs of memory
        x = _reduced(xp, x, place, axis, xp.maximum, lowest(x.dtype))
    return x


def _stages(xp: Any, x: Any, axes: Sequence[Axis | None]) -> list[Any]:
    """`x`, and the maxima after each axis, in the order of `moves`."""
    stages = [x]
    for place, axis in moves(axes):
        stages.append(_reduced(xp, stages[-1], place, axis, xp.maximum, lowest(x.dtype)))
    return stages


@kernel(
    compiled="pooling",
    takes=lambda x, dy, axes: placed(axes, x.shape) and dy.shape == outputs_of(axes, x.shape),
)
def max_pool_scatter(xp: Any, x: Any, dy: Any, axes: Sequence[Axis | None]) -> Any:
    """The gradient of `max_pool`: each number of `dy` goes to the first maximum of its window."""
    stages = _stages(xp, x, axes)
    for (place, axis), low, high in zip(
        reversed(moves(axes)), stages[-2::-1], stages[:0:-1], strict=True
    ):
        pairs = _pairs(axis, place)
        apart = (axis.window - 1) * axis.dilation < axis.stride
        dx = xp.zeros(low.shape, dy.dtype)
        left = None  # the windows whose maximum has not been met yet
        for where, source in pairs:
            if left is None:
                hit = low[source] == high[where]
                left = ~hit if _covers(where, axis) else xp.ones(high.shape, bool)
                if not _covers(where, axis):
                    left[where] ^= hit
            elif source is pairs[-1][1] and _covers(where, axis):
                hit = left
            else:
                hit = low[source] == high[where]
                hit &= left[where]
                left[where] ^= hit
            if apart:
                xp.multiply(dy[where], hit, out=dx[source])
            else:
                dx[source] += dy[where] * hit
        dy = dx
    return dy


def max_pool_gather(xp: Any, x: Any, values: Any, axes: Sequence[Axis | None]) -> Any:
    """The transpose of `max_pool_scatter`: takes from `values` where `x` has its maxima."""
    stages = _stages(xp, x, axes)
    for (place, axis), low, high in zip(moves(axes), stages[:-1], stages[1:], strict=True):
        taken = xp.zeros(high.shape, values.dtype)
        left = xp.ones(high.shape, bool)
        for where, source in _pairs(axis, place):
            hit = (low[source] == high[where]) & left[where]
            left[where] ^= hit
            xp.copyto(taken[where], values[source], where=hit)
        values = taken
    return values


def counts(xp: Any, axes: Sequence[Axis | None], dtype: Any) -> Any:
    """How many elements each window has inside the input; an array that broadcasts."""
    total = xp.ones((1,) * len(axes), dtype)
    for place, axis in moves(axes):
        inside = np.zeros(axis.outputs, dtype)
        for where, _ in _pairs(axis, 0):
            inside[where] += 1
        shape = [1] * len(axes)
        shape[place] = -1
        if (inside == inside[:1]).all():
            total = total * inside[0]
        else:
            total = total * xp.asarray(inside).reshape(shape)
    return total


@kernel(compiled="pooling", takes=lambda x, axes: placed(axes, x.shape))
def mean_pool(xp: Any, x: Any, axes: Sequence[Axis | None]) -> Any:
    """The mean of each window, of what it has inside the input."""
    total = x
    for place, axis in reversed(moves(axes)):
        total = _reduced(xp, total, place, axis, xp.add, 0)
    return total / counts(xp, axes, x.dtype)


@kernel(
    compiled="pooling",
    takes=lambda dy, axes: (
        dy.ndim == len(axes)
        and dy.shape == outputs_of(axes, dy.shape)
        and placed(axes, [n if a is None else a.size for a, n in zip(axes, dy.shape, strict=True)])
    ),
)
def mean_pool_scatter(xp: Any, dy: Any, axes: Sequence[Axis | None]) -> Any:
    """The gradient of `mean_pool`: each number of `dy` is shared by the elements of its window."""
    dy = dy / counts(xp, axes, dy.dtype)
    for place, axis in moves(axes):
        dx = xp.zeros(_sized(dy, place, axis.size), dy.dtype)
        for where, source in _pairs(axis, place):
            dx[source] += dy[where]
        dy = dx
    return dy

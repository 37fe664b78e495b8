"""Windows as loops take them: a table of numbers, and which elements of a window lie in the image.

A loop sees an image as one row of numbers, [images * rows * columns * channels], so that an element
of a window is as many numbers away from the window's first one wherever the window lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.fast.compiled._loops import loop
from minitf.library.nets.windows import Axis

#: How loops take windows: a line for rows and one for columns, and how far away the elements are.
AXES, OFFSETS = "int64[:,::1]", "int64[::1]"
#: Elements of an image with its margins: loops over more might count too far.
MOST = 1 << 28
#: The lines and the columns of that table.
ROWS, COLUMNS = range(2)
SIZE, WINDOW, STRIDE, DILATION, BEFORE, OUTPUTS = range(6)


def table(axes: Sequence[Axis]) -> Any:
    """For rows and for columns: size, window, stride, dilation, before, outputs."""
    return np.array([(a.size, a.window, a.stride, a.dilation, a.before, a.outputs) for a in axes])


def offsets(axes: Sequence[Axis], channels: int) -> Any:
    """How many numbers each element of a window lies behind the first one."""
    rows, columns = (np.arange(a.window) * a.dilation for a in axes)
    return ((rows[:, None] * axes[1].size + columns) * channels).reshape(-1)


@loop()
def inside(start, step, count, size):
    """Which of the places start, start + step, ... lie in range(size): the first, and the end."""
    if start >= 0 and start + (count - 1) * step < size:
        return 0, count
    first = 0 if start >= 0 else (step - 1 - start) // step
    return first, max(first, min(count, (size - start + step - 1) // step))


@loop()
def row_of(line, axes, channels):
    """Where the windows of a line of outputs begin, and which of their rows are inside."""
    image, i = line // axes[ROWS, OUTPUTS], line % axes[ROWS, OUTPUTS]
    top = i * axes[ROWS, STRIDE] - axes[ROWS, BEFORE]
    start = (image * axes[ROWS, SIZE] + top) * axes[COLUMNS, SIZE] - axes[COLUMNS, BEFORE]
    rows = inside(top, axes[ROWS, DILATION], axes[ROWS, WINDOW], axes[ROWS, SIZE])
    return start * channels, rows


@loop()
def columns_of(j, axes):
    """Which columns of window j of a line are inside."""
    left = j * axes[COLUMNS, STRIDE] - axes[COLUMNS, BEFORE]
    return inside(left, axes[COLUMNS, DILATION], axes[COLUMNS, WINDOW], axes[COLUMNS, SIZE])


@loop()
def clear(x, line, axes, channels):
    """Before the first line of outputs of an image, makes it zeros."""
    if line % axes[ROWS, OUTPUTS] == 0:
        size = axes[ROWS, SIZE] * axes[COLUMNS, SIZE] * channels
        start = line // axes[ROWS, OUTPUTS] * size
        x[start : start + size] = 0


@loop()
def gather(offsets, window, rows, columns, near):
    """Writes down the offsets of those elements of a window that are inside; returns how many."""
    known = 0
    for a in range(rows[0], rows[1]):
        for b in range(columns[0], columns[1]):
            near[known] = offsets[a * window + b]
            known += 1
    return known

"""The arithmetic of resizing: along each axis a new pixel is mixed of a few old ones, its taps.

    y = rows @ x @ columns.T           rows: [new height, height],  columns: [new width, width]

Most of these matrices is zeros. Forward only the taps are taken; backward the reference multiplies
by the transposed matrices, and the compiled tier adds to the taps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minitf.core.kernels.rows import within
from minitf.core.kernels.table import kernel


class Taps(NamedTuple):
    """Along one axis: which old pixels each new one is mixed of.

    Attributes:
      places: [new, taps] int, inside the image.
      weights: [new, taps] float32.
    """

    places: np.ndarray
    weights: np.ndarray

    def of(self, size: int) -> bool:
        """Whether they lie inside an image of this size, and each place has a weight."""
        places, weights = self
        fits = places.ndim == 2 and places.size > 0 and places.shape == weights.shape
        return fits and within(places, size)

    def matrix(self, size: int) -> np.ndarray:
        """The same as a matrix [new, size]."""
        matrix = np.zeros((len(self.places), size), np.float32)
        np.add.at(matrix, (np.arange(len(self.places))[:, None], self.places), self.weights)
        return matrix


def _are_images(x: Any) -> bool:
    return x.ndim == 4 and x.size > 0 and x.dtype.kind == "f"


@kernel(
    compiled="resize",
    takes=lambda x, rows, columns: (
        _are_images(x) and rows.of(x.shape[1]) and columns.of(x.shape[2])
    ),
)
def mix(xp: Any, x: Any, rows: Taps, columns: Taps) -> Any:
    """Images of another size, mixed along both axes, one tap after the other.

    Args:
      x: [batch, height, width, channels].
      rows, columns: the taps of each new row and each new column.
    """
    batch, height, width, channels = x.shape
    y = _along(xp, x.reshape(batch, height, width * channels), rows, 1)
    inside = np.arange(channels)
    wide = Taps(  # of the single numbers of a row, whose channels lie side by side
        (columns.places[:, None] * channels + inside[:, None]).reshape(-1, columns.places.shape[1]),
        np.repeat(columns.weights, channels, axis=0),
    )
    y = _along(xp, y, wide, 2)
    return y.reshape(*y.shape[:2], len(columns.places), channels)


def _along(xp: Any, x: Any, taps: Taps, axis: int) -> Any:
    total: Any = None
    for places, weights in zip(taps.places.T, taps.weights.T, strict=True):
        part = xp.take(x, xp.asarray(places), axis)
        part *= xp.asarray(weights[:, None] if axis == 1 else weights, x.dtype)
        total = part if total is None else xp.add(total, part, out=total)
    return total


@kernel(
    compiled="resize",
    takes=lambda dy, height, width, rows, columns: (
        _are_images(dy)
        and dy.shape[1:3] == (len(rows.places), len(columns.places))
        and rows.of(height)
        and columns.of(width)
    ),
)
def mix_back(xp: Any, dy: Any, height: int, width: int, rows: Taps, columns: Taps) -> Any:
    """The gradient of `mix` by its images, [batch, height, width, channels]."""
    batch, new_height, new_width, channels = dy.shape
    by_row = xp.asarray(rows.matrix(height).T, dy.dtype)
    by_column = xp.asarray(columns.matrix(width).T, dy.dtype)
    y = xp.matmul(by_row, dy.reshape(batch, new_height, new_width * channels))
    y = y.reshape(batch * height, new_width, channels)
    return xp.matmul(by_column, y).reshape(batch, height, width, channels)


@kernel(
    compiled="resize",
    takes=lambda x, rows, columns: (
        x.ndim == 4
        and rows.ndim == columns.ndim == 1
        and within(rows, x.shape[1])
        and within(columns, x.shape[2])
    ),
)
def pick(xp: Any, x: Any, rows: Any, columns: Any) -> Any:
    """Images of another size, each new pixel one of the old ones.

    Args:
      x: [batch, height, width, channels].
      rows, columns: which old row each new row takes, and each new column.
    """
    few, many = ((rows, 1), (columns, 2)) if len(rows) < x.shape[1] else ((columns, 2), (rows, 1))
    for places, axis in (few, many):  # the larger array is made once
        x = xp.take(x, xp.asarray(places), axis)
    return x

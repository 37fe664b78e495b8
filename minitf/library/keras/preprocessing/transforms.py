"""Images turned, moved, sheared, enlarged: one map of coordinates, and a number drawn for each.

    pixel of the result ──matrix──> place in the image ──fill_mode──> inside it ──> its neighbours

Between pixels the values are those of the nearest one (order 0) or of the four around (order 1).
Smoother ones need SciPy. The numbers are drawn with NumPy's global generator, as Keras's are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def apply_affine_transform(
    x: Any,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    order: int = 1,
) -> np.ndarray:
    """Turns, moves, shears and enlarges an image about its middle.

    Args:
      x: an image; the axes are named below.
      theta: by which angle to turn it, in degrees.
      tx, ty: by how many pixels to move it; `tx` along columns where rows come first, as in Keras.
      shear: by which angle to shear it, in degrees.
      zx, zy: by how much to shrink rows and columns.
      row_axis, col_axis, channel_axis: which axis is which; channels come first or last.
      fill_mode: what lies outside: "nearest", "constant", "reflect" or "wrap".
      cval: the constant.
      order: of what lies between pixels: 0, 1, or up to 5 with SciPy.
    Raises:
      ValueError: when the axes are no such, or x is no image.
      ImportError: when `order` needs SciPy, and it is not installed.
    """
    axes = {row_axis, col_axis, channel_axis}
    if len(axes) != 3:
        raise ValueError("'row_axis', 'col_axis', and 'channel_axis' must be distinct")
    if axes != {0, 1, 2}:
        raise ValueError(f"Invalid axis' indices: {axes - {0, 1, 2}}")
    if x.ndim != 3:
        raise ValueError("Input arrays must be multi-channel 2D images.")
    if channel_axis == 1:
        raise ValueError("Channels are allowed and the first and last dimensions.")
    turn, lean = np.deg2rad(theta), np.deg2rad(shear)
    steps: Any = (
        (theta, [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]]),
        (tx or ty, [[1, 0, tx], [0, 1, ty], [0, 0, 1]]),
        (shear, [[1, -np.sin(lean), 0], [0, np.cos(lean), 0], [0, 0, 1]]),
        (zx != 1 or zy != 1, [[zx, 0, 0], [0, zy, 0], [0, 0, 1]]),
    )
    matrix = np.eye(3)
    for wanted, step in steps:
        matrix = matrix @ step if wanted else matrix
    if not any(wanted for wanted, _ in steps):
        return x
    middle = np.eye(3)
    middle[:2, 2] = x.shape[row_axis] / 2 - 0.5, x.shape[col_axis] / 2 - 0.5
    matrix = middle @ matrix @ np.linalg.inv(middle)
    if col_axis > row_axis:  # Keras's matrices hold columns before rows
        matrix = matrix[[1, 0, 2]][:, [1, 0, 2]]
    channels = np.moveaxis(x, channel_axis, 0)
    if order > 1:
        moved = _smooth(channels, matrix, fill_mode, cval, order)
    else:
        moved = _between(channels, matrix, fill_mode, cval, order)
    return np.moveaxis(moved, 0, channel_axis)


def _smooth(
    channels: np.ndarray, matrix: np.ndarray, fill_mode: str, cval: float, order: int
) -> np.ndarray:
    try:
        from scipy import ndimage
    except ImportError:
        raise ImportError(
            f"interpolation_order={order} needs SciPy (pip install 'minitf[fast]'); 0 and 1 do not."
        ) from None
    where: Any = matrix[:2, :2], matrix[:2, 2]
    moved = [
        ndimage.affine_transform(channel, *where, order=order, mode=fill_mode, cval=cval)
        for channel in channels
    ]
    return np.stack(moved)


def _between(
    channels: np.ndarray, matrix: np.ndarray, fill_mode: str, cval: float, order: int
) -> np.ndarray:
    """[channels, rows, columns] at the places that the matrix gives."""
    shape = channels.shape[1:]
    grid = np.stack([*np.indices(shape), np.ones(shape)]).reshape(3, -1)
    found: Any = 0.0
    outside = np.zeros(grid.shape[1], bool)
    corners = []
    for place, size in zip((matrix @ grid)[:2], shape):
        place = _EDGES[fill_mode](place, size)
        if fill_mode == "constant":
            outside |= (place < 0) | (place > size - 1)
        low = np.floor(place if order else place + 0.5)
        part = place - low if order else np.zeros_like(place)
        ends = [np.clip(low + step, 0, size - 1).astype(int) for step in (0, 1)]
        corners.append(((ends[0], 1 - part), (ends[1], part)))
    for row, of_row in corners[0]:
        for column, of_column in corners[1]:
            found = found + channels[:, row, column] * (of_row * of_column)
    return np.where(outside, cval, found).reshape(channels.shape).astype(channels.dtype)


def _reflected(place: np.ndarray, size: int) -> np.ndarray:
    """d c b a | a b c d | d c b a"""
    place = np.mod(place + 0.5, 2 * size)
    return np.minimum(place, 2 * size - place) - 0.5


def _wrapped(place: np.ndarray, size: int) -> np.ndarray:
    """The first and the last pixel are one."""
    period = max(size - 1, 1)
    return np.where((place < 0) | (place > size - 1), np.mod(place, period), place)


_EDGES: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "nearest": lambda place, size: np.clip(place, 0, size - 1),
    "constant": lambda place, size: place,
    "reflect": _reflected,
    "wrap": _wrapped,
}


def apply_channel_shift(x: Any, intensity: float, channel_axis: int = 0) -> np.ndarray:
    """Adds a number to all values, between the lowest and the highest that there were.

    Args:
      x: an image.
      intensity: the number.
      channel_axis: not needed.
    """
    return np.clip(x + intensity, np.min(x), np.max(x))


def flip_axis(x: Any, axis: int) -> np.ndarray:
    """An array backwards along one axis."""
    return np.flip(np.asarray(x), axis)

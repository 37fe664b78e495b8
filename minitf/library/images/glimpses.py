"""Glimpses: small windows out of images, as networks take them that look around."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import range
from minitf.core.ops.array_gathering import gather_nd
from minitf.core.ops.array_joining import stack
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import logical_and, where_v2
from minitf.core.ops.math import maximum, minimum
from minitf.core.ops.random import random_normal, random_uniform
from minitf.core.ops.reductions import reduce_max, reduce_min
from minitf.library.nets.basics import moments


def pixels_at(images: Any, rows: Any, columns: Any) -> tuple[Tensor, Tensor]:
    """The pixels at whole-numbered places, which may lie outside.

    Args:
      images: [batch, height, width, channels].
      rows, columns: [batch, h, w] int32.
    Returns: [batch, h, w, channels], and [batch, h, w, 1]: whether the place is in the image.
    """
    sizes = shape_of(images)
    zero = rows * 0
    inside = logical_and(
        logical_and(rows >= 0, rows < sizes[1]), logical_and(columns >= 0, columns < sizes[2])
    )
    row, column = (
        minimum(maximum(place, 0), sizes[axis] - 1) for axis, place in ((1, rows), (2, columns))
    )
    entry = range(sizes[0])[:, None, None] + zero
    return gather_nd(images, stack([entry, row, column], -1)), inside[..., None]


def extract_glimpse(
    input: Any, size: Any, offsets: Any, centered: bool = True, normalized: bool = True,
    uniform_noise: bool = True, name: str | None = None,
) -> Tensor:  # fmt: skip
    """A window of each image; what lies outside of the image is noise like its pixels.

    Args:
      input: [batch, height, width, channels] float32.
      size: two int32, the height and the width of the windows.
      offsets: [batch, 2] float32, row and column of each window's middle.
      centered: whether (0, 0) is the middle of the image, or its upper left corner.
      normalized: whether the image is 2 (1, unless centered) high and wide, or its pixels.
      uniform_noise: whether the noise is uniform, or normal.
      name: the name of the scope.
    """
    with name_scope(name, "ExtractGlimpse"):
        images = convert_to_tensor(input, dtypes.float32)
        window, middles = convert_to_tensor(size, dtypes.int32), convert_to_tensor(offsets)
        whole = cast(shape_of(images)[1:3], dtypes.float32)
        if normalized:
            middles = middles * whole
        if centered:
            middles = middles / 2.0 + whole / 2.0
        corners = cast(middles - cast(window, dtypes.float32) / 2.0, dtypes.int32)
        rows = corners[:, 0, None, None] + range(window[0])[None, :, None]
        columns = corners[:, 1, None, None] + range(window[1])[None, None, :]
        seen, inside = pixels_at(images, rows + columns * 0, columns + rows * 0)
        if uniform_noise:
            low, high = reduce_min(images), reduce_max(images)
            noise = random_uniform(shape_of(seen)) * (high - low) + low
        else:
            mean, variance = moments(images, [0, 1, 2, 3])
            noise = random_normal(shape_of(seen)) * variance**0.5 + mean
        result = where_v2(inside, seen, noise)
        known = constant_value(window)
        sizes = [None, None] if known is None else known.tolist()
        result.set_shape([images.shape[0], *sizes, images.shape[3]])
        return result

"""`extract_glimpse`: a window of each image around a point, as an eye that looks there would see.

offsets: normalized, centered   (-1, -1) is the upper left corner, (0, 0) the middle
what lies outside the image is noise
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid


def _sample(rng: np.random.Generator) -> tuple:
    images, offsets = rng.normal(size=(2, 6, 6, 1)), np.array([[0.1, 0.1], [-0.2, 0.0]])
    return images.astype(np.float32), np.array([2, 3], np.int32), offsets.astype(np.float32), {}


@op(
    "ExtractGlimpse",
    "input: float32, size: int32, offsets: float32 -> glimpse: float32",
    differentiable=False,
    stateful=True,
    host_only=True,
    samples=[_sample],
)
def extract_glimpse_op(
    xp: Any, input: Any, size: Any, offsets: Any, *, centered: bool = True, normalized: bool = True,
    uniform_noise: bool = True,
) -> Any:  # fmt: skip
    """Cuts a window out of each image; what of it lies outside is noise."""
    if input.ndim != 4 or len(offsets) != len(input):
        raise invalid("input must be 4-dimensional, with one row of offsets for each image")
    limits, window = np.array(input.shape[1:3], np.float32), np.array(size)
    starts = offsets * limits if normalized else offsets
    if centered:
        starts = starts / 2 + limits / 2
    starts = starts - np.float32(0.5) * window.astype(np.float32)
    draw = xp.random.uniform if uniform_noise else xp.random.normal
    axes = (1, 2, 3)
    least, most = input.min(axes, keepdims=True), input.max(axes, keepdims=True)
    if not uniform_noise:
        least, most = input.mean(axes, keepdims=True), least + input.std(axes, keepdims=True)
    noise = draw(size=(len(input), *window.tolist(), input.shape[3]))
    result = (least + noise * (most - least)).astype(input.dtype)
    for image, start, whole in zip(result, starts.astype(np.int64).tolist(), input, strict=True):
        inside, seen = [], []
        for at, length, limit in zip(start, window.tolist(), input.shape[1:3], strict=True):
            low, high = min(max(at, 0), limit), max(min(at + length, limit), 0)
            seen.append(slice(low, high))
            inside.append(slice(low - at, max(high - at, low - at)))
        image[tuple(inside)] = whole[tuple(seen)]
    return result


@extract_glimpse_op.shape
def _extract_glimpse_shape(input: Any, size: Any, offsets: Any, **attrs: Any) -> TensorShape:
    images = input.shape.with_rank(4)
    offsets.shape.with_rank(2)
    window = [None, None] if size.value is None else size.value.tolist()
    return TensorShape([images[0].merge_with(offsets.shape[0]), *window, images[3]])


def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """A window of each image around a point.

    Args:
      input: [batch, height, width, channels] float32.
      size: height and width of the windows, in pixels.
      offsets: [batch, 2] y and x of each window.
      centered: whether offsets are those of the middles, from the middle of the image: -1 is the
        upper or left edge and 1 the lower or right one. Otherwise from its upper left corner.
      normalized: whether offsets are parts of the image; otherwise pixels.
      uniform_noise: what lies outside is uniform noise between the image's least and largest
        value; otherwise normal with its mean and deviation.
      name: the name.
    Returns: [batch, *size, channels].
    """
    attrs = {"centered": centered, "normalized": normalized, "uniform_noise": uniform_noise}
    return extract_glimpse_op(input, size, offsets, name=name, **attrs)

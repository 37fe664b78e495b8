"""`tf.contrib.image.single_image_random_dot_stereograms`: depth, hidden in a picture of dots.

Who looks through the picture sees with both eyes two of its dots as one point behind it: the nearer
the point, the closer the two. So of a row of random dots some must be equal (Thimbleby, Inglis and
Witten, "Displaying 3D Images: Algorithms for Single-Image Random-Dot Stereograms", 1994).

    depth ──StereogramColumns──> which dot of its row each pixel shows ──> random dots, chosen by it
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.host import on_host
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import range as number_range
from minitf.core.ops.array_gathering import gather, gather_nd
from minitf.core.ops.array_joining import stack
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import logical_and, where_v2
from minitf.core.ops.math import floordiv, maximum, minimum
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_max, reduce_min


def _separation(depth: Any, eyes: int, mu: float) -> Any:
    """How many pixels the two dots of a point are apart, at depths from 0 (far) to 1 (near)."""
    return np.int64((1 - mu * depth) * eyes / (2 - mu * depth) + 0.5)


def _seen(depth: np.ndarray, eyes: int, mu: float, border: float) -> np.ndarray:
    """Whether both eyes see each point of a row, or another one stands before it."""
    seen, step = np.ones(len(depth), bool), 0
    looking = seen.copy()
    while looking.any():
        step += 1
        ray = depth + 2 * (2 - mu * depth) * step / (mu * eyes)
        beside = np.pad(depth, step, constant_values=border)
        free = (beside[: -2 * step] < ray) & (beside[2 * step :] < ray)
        seen &= free | ~looking
        looking &= seen & (ray < 1)
    return seen


def _columns(depth: np.ndarray, eyes: int, mu: float, seen: np.ndarray) -> list[int]:
    """Which dot each pixel of a row shows: itself, or one to the right."""
    same = list(range(len(depth)))
    apart = _separation(depth, eyes, mu)
    lefts = np.arange(len(depth)) - apart // 2
    fits = seen & (lefts >= 0) & (lefts + apart < len(depth))
    for left, right in zip(lefts[fits].tolist(), (lefts + apart)[fits].tolist(), strict=True):
        while (other := same[left]) not in (left, right):
            if other < right:
                left = other
            else:  # all three are equal: the chain goes on from the nearer one
                same[left], left, right = right, right, other
        same[left] = right
    for pixel in reversed(range(len(same))):
        same[pixel] = same[same[pixel]]
    return same


@op(
    "StereogramColumns",
    "depth: T -> columns: int32",
    T=(dtypes.float32, dtypes.float64),
    differentiable=False,
    samples=[
        lambda rng: (
            rng.uniform(size=(2, 3)),
            {"width": 30, "window": 24, "eyes": 12, "mu": 0.3, "border": 0.0, "hidden": True},
        )
    ],
)
def stereogram_columns_op(
    xp: Any, depth: Any, *, width: int, window: int, eyes: int, mu: float, border: float,
    hidden: bool,
) -> Any:  # fmt: skip
    """Which dot of its row each pixel of a stereogram shows, for rows of depth and the border."""
    table = on_host(depth)
    inside = np.arange(width) - (width - window) // 2
    rows = np.full((len(table) + 1, width), border)
    known = (inside >= 0) & (inside < window)
    rows[:-1, known] = table[:, table.shape[1] * inside[known] // window]
    shown = [
        _columns(row, eyes, mu, _seen(row, eyes, mu, border) if hidden else np.ones(width, bool))
        for row in rows
    ]
    return xp.asarray(np.array(shown, np.int32))


@stereogram_columns_op.shape
def _stereogram_columns_shape(depth: Any, *, width: int, **attrs: Any) -> TensorShape:
    rows = depth.shape.with_rank(2)[0].value
    return TensorShape([None if rows is None else rows + 1, width])


def single_image_random_dot_stereograms(
    depth_values: Any, hidden_surface_removal: bool | None = None,
    convergence_dots_size: int | None = None, dots_per_inch: int | None = None,
    eye_separation: float | None = None, mu: float | None = None, normalize: bool | None = None,
    normalize_max: float | None = None, normalize_min: float | None = None,
    border_level: float | None = None, number_colors: int | None = None,
    output_image_shape: Any = None, output_data_window: Any = None,
) -> Tensor:  # fmt: skip
    """Hides depth in a picture of random dots.

    Args:
      depth_values: [rows, columns] int or float: the larger, the nearer.
      hidden_surface_removal: whether points that one eye cannot see bind no dots; True.
      convergence_dots_size: how wide the two black squares are that help to look through; 8.
      dots_per_inch: of the screen or printer; 72.
      eye_separation: in inches; 2.5.
      mu: how near 1 is: a part of the distance of the far plane; 0.3333.
      normalize: whether depth is brought between 0 and 1 before it is cut off there; True.
      normalize_max: the depth that becomes 1; the largest, when less than `normalize_min`.
      normalize_min: the depth that becomes 0.
      border_level: the depth around the window, from 0 to 1; 0.
      number_colors: 2 for black and white, up to 256 for grey, more for colours; 256.
      output_image_shape: (width, height, channels); (1024, 768, 1).
      output_data_window: (width, height) of what shows the depth; (1022, 757).
    Returns: [height, width, channels] uint8.
    """

    def given(value: Any, default: Any) -> Any:
        return default if value is None else value

    dots, colors = given(convergence_dots_size, 8), given(number_colors, 256)
    width, height, channels = (int(n) for n in given(output_image_shape, (1024, 768, 1)))
    across, down = (int(n) for n in given(output_data_window, (1022, 757)))
    eyes, mu = int(given(eye_separation, 2.5) * given(dots_per_inch, 72)), given(mu, 0.3333)
    top = max(0, height - down - dots) // 3 if dots > 0 else (height - down) // 2
    with name_scope("SingleImageRandomDotStereograms"):
        depth = cast(convert_to_tensor(depth_values, name="depth_values"), dtypes.float64)
        if given(normalize, True):
            low, high = given(normalize_min, 100.0), given(normalize_max, -100.0)
            if high < low:
                low, high = reduce_min(depth), reduce_max(depth)
            depth = (depth - low) / maximum(cast(high - low, dtypes.float64), 1e-300)
        columns = stereogram_columns_op(
            minimum(maximum(depth, 0.0), 1.0), width=width, window=across, eyes=eyes, mu=float(mu),
            border=float(given(border_level, 0.0)), hidden=given(hidden_surface_removal, True),
        )  # fmt: skip
        rows = shape_of(depth)[0]
        y = number_range(height)
        inside = logical_and(y >= top, y < top + down)
        row = where_v2(inside, floordiv((y - top) * rows, down), rows)
        shown = gather(columns, row)
        noise = random_uniform(
            [height, width, 3 if colors > 256 else channels], maxval=2 if colors == 2 else 256,
            dtype=dtypes.int32,
        ) * (255 if colors == 2 else 1)  # fmt: skip
        image = gather_nd(noise, stack([y[:, None] + shown * 0, shown], -1))
        light = np.ones((height, width, 1), np.int32)
        end = height - (top if dots > 0 else 0)
        far = int(_separation(0.0, eyes, mu)) // 2
        for middle in (width // 2 - far, width // 2 + far):
            left = middle - dots // 2
            light[max(0, end - dots) : end, max(0, left) : max(0, left + dots)] = 0
        return cast(image * light, dtypes.uint8)

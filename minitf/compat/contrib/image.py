"""`tf.contrib.image`: images turned, moved and seen from elsewhere, by projections.

The transform [a0, a1, a2, b0, b1, b2, c0, c1] gives the pixel (x, y) of the output that of the
input at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1; 0 outside.
"""

from __future__ import annotations

import functools
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones, range, zeros
from minitf.core.ops.array_gathering import gather_nd
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import logical_and, where_v2
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import cos, floor, maximum, minimum, round, sin


def transform(
    images: Any, transforms: Any, interpolation: str = "NEAREST", output_shape: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Applies projections to images.

    Args:
      images: [batch, height, width, channels], [height, width, channels] or [height, width].
      transforms: [8] or [batch, 8] float32; see the module.
      interpolation: "NEAREST" or "BILINEAR".
      output_shape: (height, width) of the result; that of the images by default.
      name: the name of the scope.
    Raises:
      ValueError: when `interpolation` is another, or the rank.
    """
    if interpolation not in ("NEAREST", "BILINEAR"):
        raise ValueError(f"interpolation must be NEAREST or BILINEAR, got {interpolation}")
    with name_scope(name, "transform"):
        images = convert_to_tensor(images, name="images")
        rank = images.shape.ndims
        if rank not in (2, 3, 4):
            raise ValueError("Images should have rank between 2 and 4.")
        batch = {2: images[None, :, :, None], 3: images[None], 4: images}[rank]
        sizes = shape_of(batch)[1:3] if output_shape is None else convert_to_tensor(output_shape)
        y = cast(range(sizes[0]), dtypes.float32)[None, :, None]
        x = cast(range(sizes[1]), dtypes.float32)[None, None, :]
        table = reshape(convert_to_tensor(transforms, dtypes.float32), [-1, 8])
        table = table + zeros([shape_of(batch)[0], 1])
        a0, a1, a2, b0, b1, b2, c0, c1 = (table[:, n, None, None] for n in _EIGHT)
        depth = c0 * x + c1 * y + 1.0
        column, row = (a0 * x + a1 * y + a2) / depth, (b0 * x + b1 * y + b2) / depth
        if interpolation == "NEAREST":
            result = _at(batch, round(row), round(column))
        else:
            up, left = floor(row), floor(column)
            down, right = (row - up)[..., None], (column - left)[..., None]
            numbers = cast(batch, dtypes.float32)
            above = (1.0 - right) * _at(numbers, up, left) + right * _at(numbers, up, left + 1.0)
            below = (1.0 - right) * _at(numbers, up + 1.0, left)
            below += right * _at(numbers, up + 1.0, left + 1.0)
            result = cast((1.0 - down) * above + down * below, batch.dtype)
        if output_shape is None:
            result.set_shape(batch.shape)
        return {2: result[0, :, :, 0], 3: result[0], 4: result}[rank]


_EIGHT = (0, 1, 2, 3, 4, 5, 6, 7)


def _at(images: Any, rows: Any, columns: Any) -> Any:
    found, inside = _pixels_at(images, cast(rows, dtypes.int32), cast(columns, dtypes.int32))
    return where_v2(inside, found, cast(0, images.dtype))


def rotate(
    images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Tensor:
    """Turns images about their middles, against the clock.

    Args:
      images, interpolation: see `transform`.
      angles: a scalar or [batch], in radians.
      name: the name of the scope.
    """
    with name_scope(name, "rotate"):
        images = convert_to_tensor(images, name="images")
        rank = images.shape.ndims or 4
        sizes = cast(shape_of(images), dtypes.float32)
        first = 1 if rank == 4 else 0
        table = angles_to_projective_transforms(angles, sizes[first], sizes[first + 1])
        return transform(images, table, interpolation)


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: str | None = None
) -> Tensor:
    """The transforms, [batch, 8], that turn images of a size by angles in radians."""
    with name_scope(name, "angles_to_projective_transforms"):
        turned = reshape(convert_to_tensor(angles, dtypes.float32), [-1])
        right, low = (
            cast(image_width, dtypes.float32) - 1.0,
            cast(image_height, dtypes.float32) - 1.0,
        )
        c, s = cos(turned), sin(turned)
        x, y = (right - (c * right - s * low)) / 2.0, (low - (s * right + c * low)) / 2.0
        return stack([c, -s, x, s, c, y, c * 0.0, c * 0.0], 1)


def translate(
    images: Any, translations: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Tensor:
    """Moves images by (dx, dy), [2] or [batch, 2]."""
    with name_scope(name, "translate"):
        return transform(images, translations_to_projective_transforms(translations), interpolation)


def translations_to_projective_transforms(translations: Any, name: str | None = None) -> Tensor:
    """The transforms, [batch, 8], that move images."""
    with name_scope(name, "translations_to_projective_transforms"):
        moves = reshape(convert_to_tensor(translations, dtypes.float32), [-1, 2])
        one, nought = ones([shape_of(moves)[0], 1]), zeros([shape_of(moves)[0], 1])
        x, y = -moves[:, :1], -moves[:, 1:]
        return concat([one, nought, x, nought, one, y, nought, nought], 1)


def compose_transforms(*transforms: Any) -> Tensor:
    """The transforms, [batch, 8], that stand for several ones, of which the last one acts first.

    Args:
      transforms: each [8] or [batch, 8].
    """
    assert transforms, "transforms cannot be empty"
    with name_scope("compose_transforms"):
        matrices = map(flat_transforms_to_matrices, transforms)
        return matrices_to_flat_transforms(functools.reduce(matmul, matrices))


def flat_transforms_to_matrices(transforms: Any) -> Tensor:
    """The matrices, [batch, 3, 3], of transforms, [8] or [batch, 8].

    Raises:
      ValueError: when the rank is another.
    """
    with name_scope("flat_transforms_to_matrices"):
        transforms = convert_to_tensor(transforms, name="transforms")
        if transforms.shape.ndims not in (1, 2):
            raise ValueError(f"Transforms should be 1D or 2D, got: {transforms}")
        table = reshape(transforms, [-1, 8])
        last = ones([shape_of(table)[0], 1], table.dtype)
        return reshape(concat([table, last], 1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: Any) -> Tensor:
    """The transforms, [batch, 8], of matrices, [3, 3] or [batch, 3, 3], divided by their last.

    Raises:
      ValueError: when the rank is another.
    """
    with name_scope("matrices_to_flat_transforms"):
        matrices = convert_to_tensor(transform_matrices, name="transform_matrices")
        if matrices.shape.ndims not in (2, 3):
            raise ValueError(f"Matrices should be 2D or 3D, got: {matrices}")
        table = reshape(matrices, [-1, 9])
        return (table / table[:, 8:9])[:, :8]


def _pixels_at(images: Any, rows: Any, columns: Any) -> tuple[Tensor, Tensor]:
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

"""Images turned, mirrored, cropped, padded and cut into patches.

All take one image [height, width, channels] or a batch of them; a size that is known when the graph
is built is worked with as a number, so that the result's shape is known as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.ops.array import identity, one_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_shaping import expand_dims, reshape, reverse, squeeze, transpose
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import less, where_v2
from minitf.core.ops.control import with_dependencies
from minitf.core.ops.elementwise import sample
from minitf.core.ops.math import maximum, minimum
from minitf.core.ops.random import random_uniform
from minitf.library.checks.assertions import assert_positive
from minitf.library.checks.logging_ops import Assert
from minitf.library.nets.conv_ops import padded, places_of, windows
from minitf.library.nets.convolution import conv2d_backprop_input
from minitf.library.nets.windows import known_outputs
from minitf.library.numeric.diagonals import eye
from minitf.library.numeric.padding import pad

# ---- sizes that may be numbers or tensors ------------------------------------------------


def image_rank(image: Tensor) -> int:
    """3 or 4.

    Raises:
      ValueError: when the rank is known and another.
    """
    rank = image.shape.ndims
    if rank not in (None, 3, 4):
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return rank or 3


def at_least_3d(image: Tensor) -> Tensor:
    """`image` itself.

    Raises:
      ValueError: when its rank is known and below 3.
    """
    if image.shape.ndims is not None and image.shape.ndims < 3:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    return image


def sizes_of(image: Tensor) -> list[Any]:
    """Each size of an image: a number where it is known, else a scalar tensor."""
    known = image.shape.as_list() if image.shape.ndims is not None else [None] * 3
    if None not in known:
        return known
    dynamic = shape_of(image)
    return [dynamic[i] if n is None else n for i, n in enumerate(known)]


def _as_number(value: Any) -> Any:
    """A number, where it is known when the graph is built."""
    if isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
        known = constant_value(convert_to_tensor(value))
        return value if known is None else int(known)
    return int(value)


def _numeric(*values: Any) -> bool:
    return all(isinstance(v, (int, np.integer)) for v in values)


def _larger(a: Any, b: Any) -> Any:
    return max(a, b) if _numeric(a, b) else maximum(a, b)


def _smaller(a: Any, b: Any) -> Any:
    return min(a, b) if _numeric(a, b) else minimum(a, b)


def _require(image: Tensor, conditions: dict[str, Any]) -> Tensor:
    """`image`, which waits for the conditions that only a step can check.

    Raises:
      ValueError: with the message of a condition that is known not to hold.
    """
    checks = []
    for message, condition in conditions.items():
        if isinstance(condition, Tensor):
            checks.append(Assert(condition, [message]))
        elif not condition:
            raise ValueError(message)
    return with_dependencies(checks, image) if checks else image


def _require_sizes(image: Tensor, sizes: Sequence[Any]) -> Tensor:
    """`image`, of whose height, width and channels none is 0."""
    known = tuple(image.shape.as_list())
    message = f"inner 3 dims of 'image.shape' must be > 0: {known}"
    if 0 in known[-3:]:
        raise ValueError(message)
    computed = [size for size in sizes[-3:] if isinstance(size, Tensor)]
    if not computed:
        return image
    check = assert_positive(stack(computed), message="inner 3 dims of 'image.shape' must be > 0.")
    return with_dependencies([check], image)


def _vector(values: Sequence[Any]) -> Any:
    return list(values) if _numeric(*values) else stack([cast(v, dtypes.int32) for v in values])


# ---- mirroring and turning ---------------------------------------------------------------


def flip_left_right(image: Any) -> Tensor:
    """The mirror image: columns in the opposite order.

    Args:
      image: [height, width, channels] or a batch of them.
    """
    with name_scope(None, "flip_left_right", [image]):
        return reverse(at_least_3d(convert_to_tensor(image, name="image")), [-2])


def flip_up_down(image: Any) -> Tensor:
    """The image upside down: rows in the opposite order."""
    with name_scope(None, "flip_up_down", [image]):
        return reverse(at_least_3d(convert_to_tensor(image, name="image")), [-3])


def _random_flip(image: Any, axis: int, seed: int | None, name: str) -> Tensor:
    with name_scope(None, name, [image]):
        image = at_least_3d(convert_to_tensor(image, name="image"))
        count = [sizes_of(image)[0]] if image.shape.ndims == 4 else []
        drawn = random_uniform(_vector(count), 0, 1.0, seed=seed)
        if count:
            drawn = reshape(drawn, [-1, 1, 1, 1])
        return where_v2(less(drawn, 0.5), reverse(image, [axis]), image)


def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """The image or its mirror image, with equal chances; in a batch, each for itself.

    Args:
      image: an image [height, width, channels], or a batch of them.
      seed: an integer; with the graph's own seed it fixes the choice.
    Example:
      >>> tf.image.random_flip_left_right(tf.zeros([32, 32, 3])).shape.as_list()
      [32, 32, 3]
    """
    return _random_flip(image, -2, seed, "random_flip_left_right")


def transpose_image(image: TensorLike, name: str | None = None) -> Tensor:
    """The image with rows and columns exchanged."""
    with name_scope(name, "transpose", [image]):
        image = at_least_3d(convert_to_tensor(image, name="image"))
        return transpose(image, [1, 0, 2] if image_rank(image) == 3 else [0, 2, 1, 3])


# ---- cropping and padding ----------------------------------------------------------------


def _batched(image: Tensor) -> tuple[Tensor, bool]:
    """The image as a batch, and whether it was single; one of unknown rank is taken for single."""
    single = image_rank(image) == 3
    if image.shape.ndims is None:
        image = identity(image)
        image.set_shape([None] * 3)
    return (expand_dims(image, 0) if single else image), single


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """A part of the image.

    Args:
      image: [height, width, channels] or a batch of them.
      offset_height, offset_width: where the part begins.
      target_height, target_width: its size.
    Raises:
      ValueError: when the part reaches beyond the image.
    """
    with name_scope(None, "crop_to_bounding_box", [image]):
        image, single = _batched(convert_to_tensor(image, name="image"))
        top, left, high, wide = map(
            _as_number, (offset_height, offset_width, target_height, target_width)
        )
        batch, height, width, channels = sizes_of(image)
        conditions = {
            "offset_width must be >= 0.": left >= 0,
            "offset_height must be >= 0.": top >= 0,
            "target_width must be > 0.": wide > 0,
            "target_height must be > 0.": high > 0,
            "width must be >= target + offset.": width >= wide + left,
            "height must be >= target + offset.": height >= high + top,
        }
        image = _require(_require_sizes(image, [height, width, channels]), conditions)
        cropped = slice_of(image, _vector([0, top, left, 0]), _vector([-1, high, wide, -1]))
        cropped.set_shape(_known(batch, high, wide, channels))
        return squeeze(cropped, [0]) if single else cropped


def _known(*sizes: Any) -> list[int | None]:
    return [int(n) if _numeric(n) else None for n in sizes]


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The image on a larger ground of zeros.

    Args:
      image: [height, width, channels] or a batch of them.
      offset_height, offset_width: where the image begins.
      target_height, target_width: the size of the ground.
    Raises:
      ValueError: when the image reaches beyond it.
    """
    with name_scope(None, "pad_to_bounding_box", [image]):
        image, single = _batched(convert_to_tensor(image, name="image"))
        top, left, high, wide = map(
            _as_number, (offset_height, offset_width, target_height, target_width)
        )
        batch, height, width, channels = sizes_of(image)
        right, below = wide - left - width, high - top - height
        conditions = {
            "offset_height must be >= 0": top >= 0,
            "offset_width must be >= 0": left >= 0,
            "width must be <= target - offset": right >= 0,
            "height must be <= target - offset": below >= 0,
        }
        image = _require(_require_sizes(image, [height, width, channels]), conditions)
        margins = [0, 0, top, below, left, right, 0, 0]
        numbers = np.array(margins, np.int32) if _numeric(*margins) else _vector(margins)
        result = pad(image, reshape(numbers, [4, 2]))
        result.set_shape(_known(batch, high, wide, channels))
        return squeeze(result, [0]) if single else result


def central_crop(image: TensorLike, central_fraction: float) -> Tensor:
    """The middle of the image.

    Args:
      image: [height, width, channels] or a batch of them.
      central_fraction: which part of the height and of the width stays, in (0, 1].
    Raises:
      ValueError: for another fraction.
    """
    with name_scope(None, "central_crop", [image]):
        image = convert_to_tensor(image, name="image")
        if not 0.0 < central_fraction <= 1.0:
            raise ValueError("central_fraction must be within (0, 1]")
        if central_fraction == 1.0:
            return image
        rank = image_rank(image)
        sizes = sizes_of(image)
        begin, size = [0] * rank, [-1] * rank
        for axis in (rank - 3, rank - 2):
            n = sizes[axis]
            if _numeric(n):
                begin[axis] = int((n - n * central_fraction) / 2)
            else:
                wide = cast(n, dtypes.float64)
                begin[axis] = cast((wide - wide * central_fraction) / 2, dtypes.int32)
            size[axis] = n - begin[axis] * 2
        cropped = slice_of(image, _vector(begin), _vector(size))
        known = [n if whole == -1 else whole for n, whole in zip(sizes, size, strict=True)]
        cropped.set_shape(_known(*known))
        return cropped


def _with_target(image: Any, target_height: Any, target_width: Any) -> tuple[Tensor, Any, Any]:
    image = convert_to_tensor(image, name="image")
    image_rank(image)
    high, wide = _as_number(target_height), _as_number(target_width)
    image = _require(
        image, {"target_width must be > 0.": wide > 0, "target_height must be > 0.": high > 0}
    )
    return image, high, wide


def resize_image_with_crop_or_pad(
    image: TensorLike, target_height: Any, target_width: Any
) -> Tensor:
    """The image brought to a size: cut at its edges or set on zeros, with its middle kept.

    Args:
      image: [height, width, channels] or a batch of them.
      target_height, target_width: numbers, or scalar tensors.
    Raises:
      ValueError: when a size is not positive.
    Example:
      >>> tf.image.resize_image_with_crop_or_pad(tf.zeros([28, 28, 1]), 32, 20).shape.as_list()
      [32, 20, 1]
    """
    with name_scope(None, "resize_image_with_crop_or_pad", [image]):
        image, high, wide = _with_target(image, target_height, target_width)
        height, width = sizes_of(image)[-3:-1]
        beyond = high - height, wide - width
        cut = [_larger(-n // 2, 0) for n in beyond]
        cropped = crop_to_bounding_box(image, *cut, _smaller(high, height), _smaller(wide, width))
        return pad_to_bounding_box(cropped, *[_larger(n // 2, 0) for n in beyond], high, wide)


# ---- patches -----------------------------------------------------------------------------

_PATCHES = {"ksizes": [1, 2, 3, 1], "strides": [1, 1, 2, 1], "rates": [1, 1, 1, 1]}
_SPREAD = {"ksizes": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "rates": [1, 2, 3, 1]}


@op(
    "ExtractImagePatches",
    "images: T -> patches: T",
    batch="fold",
    T=dtypes.REALS,
    samples=[
        sample((1, 3, 4, 2), **_PATCHES, padding="SAME"),
        sample((1, 4, 5, 1), **_SPREAD, padding="VALID"),
    ],
)
def extract_image_patches_op(
    xp: Any, images: Any, *, ksizes: Any, strides: Any, rates: Any, padding: str
) -> Any:
    """Takes the windows of images apart: the pixels of each become one long pixel."""
    attrs = {"strides": strides, "dilations": rates, "padding": padding, "data_format": "NHWC"}
    axes = places_of(images.shape[1:3], ksizes[1:3], attrs)
    view = windows(xp, padded(xp, images, axes), axes)
    return xp.ascontiguousarray(view).reshape(*view.shape[:3], -1)


@extract_image_patches_op.shape
def _extract_image_patches_shape(
    images: Any, *, ksizes: Any, strides: Any, rates: Any, padding: str
) -> TensorShape:
    sizes = images.shape.with_rank(4)
    batch, *space, channels = sizes.as_list()
    outputs = [
        None if n is None else known_outputs(n, ksizes[i], strides[i], rates[i], padding)
        for i, n in enumerate(space, start=1)
    ]
    depth = None if channels is None else channels * ksizes[1] * ksizes[2]
    return TensorShape([batch, *outputs, depth])


@extract_image_patches_op.gradient
def _extract_image_patches_grad(op: Any, dy: Tensor) -> list:
    """To take patches is to convolve with filters that have a single one."""
    images = op.inputs[0]
    high, wide = op.attrs["ksizes"][1:3]
    channels = sizes_of(images)[3]
    depth = channels * (high * wide)
    filters = reshape(eye(depth, dtype=images.dtype), _vector([high, wide, channels, depth]))
    strides, padding, rates = (op.attrs[name] for name in ("strides", "padding", "rates"))
    return [conv2d_backprop_input(shape_of(images), filters, dy, strides, padding, dilations=rates)]


def extract_image_patches(
    images: Any,
    ksizes: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    rates: Sequence[int] | None = None,
    padding: str | None = None,
    name: str | None = None,
    sizes: Sequence[int] | None = None,
) -> Tensor:
    """Windows of images as long pixels.

    Args:
      images: [batch, height, width, channels].
      ksizes: [1, height, width, 1] of a window. Also `sizes`.
      strides: [1, down, right, 1] from one window to the next.
      rates: [1, down, right, 1] from one pixel of a window to the next.
      padding: "SAME" or "VALID".
      name: the name.
    Returns: [batch, rows, columns, height * width * channels].
    """
    ksizes = one_of("sizes", sizes, "ksizes", ksizes)
    attrs = {"ksizes": list(ksizes), "strides": list(strides or []), "rates": list(rates or [])}
    return extract_image_patches_op(images, name=name, padding=padding, **attrs)

"""The colours and the brightness of images, and the types in which they are kept.

A float image holds numbers from 0 to 1, an integer image from 0 to the largest of its type.
What computes goes through float and back:

    uint8 ──convert_image_dtype──> float32 ──> brighter, greyer, ... ──> uint8, cut off at its ends
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import DTypeLike, Tensor, TensorLike
from minitf.core.ops.array import constant, identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.array_shaping import reshape, reverse, tile
from minitf.core.ops.cast import cast
from minitf.core.ops.math import (
    div_no_nan,
    floordiv,
    maximum,
    multiply,
    realdiv,
    rsqrt,
    sqrt,
    square,
)
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import argmax, argmin, reduce_mean, reduce_prod, reduce_sum
from minitf.library.numeric.clip import saturate_cast
from minitf.library.numeric.filling import one_hot
from minitf.library.numeric.products import tensordot

_SMALL_FLOATS = (dtypes.float16, dtypes.float32)


# ---- types -------------------------------------------------------------------------------


def convert_image_dtype(
    image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None
) -> Tensor:
    """The image in another type, its numbers scaled to the range of that type.

    Args:
      image: any image.
      dtype: the type wanted.
      saturate: whether to cut off what is out of range, instead of wrapping around.
      name: the name.
    Example:
      >>> pixels = tf.constant([0, 255], tf.uint8)
      >>> sess.run(tf.image.convert_image_dtype(pixels, tf.float32))
      array([0., 1.], dtype=float32)
    """
    image, dtype = convert_to_tensor(image, name="image"), dtypes.as_dtype(dtype)
    if dtype == image.dtype:
        return identity(image, name=name)
    to = saturate_cast if saturate else cast
    with name_scope(name, "convert_image", [image]) as scope:
        if image.dtype.is_integer and dtype.is_integer:
            largest, wanted = int(image.dtype.max), int(dtype.max)
            if largest > wanted:
                return to(floordiv(image, (largest + 1) // (wanted + 1)), dtype, name=scope)
            wide = to(image, dtype)
            return multiply(wide, (wanted + 1) // (largest + 1), name=scope)
        if image.dtype.is_floating and dtype.is_floating:
            return cast(image, dtype, name=scope)
        if image.dtype.is_integer:
            return multiply(cast(image, dtype), 1.0 / float(image.dtype.max), name=scope)
        return to(multiply(image, float(dtype.max) + 0.5), dtype, name=scope)


def _in_floats(image: Any, function: Callable[[Tensor], Tensor], saturate: bool = True) -> Tensor:
    """Runs `function` on the image as floats, and gives its result in the image's type."""
    image = convert_to_tensor(image, name="image")
    kind = image.dtype.base_dtype
    flat = image if kind in _SMALL_FLOATS else convert_image_dtype(image, dtypes.float32)
    return convert_image_dtype(function(flat), kind, saturate=saturate)


# ---- RGBToHSV, HSVToRGB ------------------------------------------------------------------


def _value_and_spread(xp: Any, rgb: Any) -> tuple[Any, Any]:
    """The largest of the three channels, and by how much it exceeds the smallest."""
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    value = xp.maximum(xp.maximum(red, green), blue)
    return value, value - xp.minimum(xp.minimum(red, green), blue)


def _hsv_of(xp: Any, rgb: Any) -> Any:
    """Gives hue, saturation and value of red, green and blue."""
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    value, spread = _value_and_spread(xp, rgb)
    some = spread > 0
    norm = 1 / (6 * xp.where(some, spread, 1))
    hue = xp.where(
        value == red,
        norm * (green - blue),
        xp.where(value == green, norm * (blue - red) + 2 / 6, norm * (red - green) + 4 / 6),
    )
    hue = xp.where(some, xp.where(hue < 0, hue + 1, hue), 0)
    saturation = xp.where(value > 0, spread / xp.where(value > 0, value, 1), 0)
    return xp.stack([hue, saturation, value], axis=-1).astype(rgb.dtype, copy=False)


def _rgb_of(xp: Any, hsv: Any) -> Any:
    """Gives red, green and blue of hue, saturation and value."""
    hue, saturation, value = hsv[..., 0] * 6, hsv[..., 1], hsv[..., 2]
    parts = [abs(hue - 3) - 1, 2 - abs(hue - 2), 2 - abs(hue - 4)]
    rgb = [(1 - saturation + saturation * xp.clip(part, 0, 1)) * value for part in parts]
    return xp.stack(rgb, axis=-1).astype(hsv.dtype, copy=False)


def _with_hue(xp: Any, rgb: Any, delta: Any) -> Any:
    """Moves the hue of each pixel round the circle."""
    hsv = _hsv_of(xp, rgb.astype(np.float32, copy=False))
    hsv[..., 0] = (hsv[..., 0] + delta) % 1
    return _rgb_of(xp, hsv).astype(rgb.dtype, copy=False)


def _with_saturation(xp: Any, rgb: Any, scale: Any) -> Any:
    """Multiplies the saturation of each pixel: moves each channel away from the largest."""
    wide = rgb.astype(np.float32, copy=False)
    value, spread = _value_and_spread(xp, wide)
    saturation = spread / xp.where(value > 0, value, 1)
    wanted = xp.clip(saturation * scale, 0, 1)
    ratio = wanted / xp.where(saturation > 0, saturation, 1)
    result = value[..., None] - (value[..., None] - wide) * ratio[..., None]
    return result.astype(rgb.dtype, copy=False)


def _colour_shape(images: Any, *others: Any) -> Any:
    sizes = images.shape.with_rank_at_least(1)
    if sizes[-1].value not in (None, 3):
        raise ValueError(f"Dimension must be 3 but is {sizes[-1]}")
    return sizes[:-1].concatenate([3])


def _declare(op_type: str, inputs: str, kernel: Callable, *numbers: np.float32) -> OpDef:
    """Declares an op on pixels of three channels; `numbers` are the other inputs of its sample."""
    declared = op(
        op_type,
        f"{inputs} -> output: T",
        batch="first",
        T=dtypes.FLOATS,
        differentiable={"RGBToHSV": True, "HSVToRGB": False}.get(op_type),
        samples=[lambda rng: (rng.uniform(size=(2, 2, 3)), *numbers, {})],
    )(kernel)
    declared.shape(_colour_shape)
    return declared


_rgb_to_hsv_op = _declare("RGBToHSV", "images: T", _hsv_of)
_hsv_to_rgb_op = _declare("HSVToRGB", "images: T", _rgb_of)
_adjust_hue_op = _declare("AdjustHue", "images: T, delta: float32", _with_hue, np.float32(0.3))
_adjust_saturation_op = _declare(
    "AdjustSaturation", "images: T, scale: float32", _with_saturation, np.float32(0.5)
)


@_rgb_to_hsv_op.gradient
def _rgb_to_hsv_gradient(op: Any, dy: Tensor) -> Tensor:
    """The hue is (next channel - the one after) / 6 spread + k / 3, where channel k is the largest;
    the saturation is 1 - smallest / largest. Of equal channels the first is the largest, the last
    the smallest; a smallest of 0 has no share in the saturation, as in TensorFlow.
    """
    rgb, kind = op.inputs[0], op.inputs[0].dtype
    hue, saturation, value = split(dy, 3, -1)
    most = one_hot(argmax(rgb, -1), 3, dtype=kind)
    least = one_hot(2 - argmin(reverse(rgb, [-1]), -1), 3, dtype=kind)
    red, green, blue = split(most, 3, -1)
    around = concat([blue - green, red - blue, green - red], -1)
    large, small = (reduce_sum(each * rgb, -1, keepdims=True) for each in (most, least))
    apart, spread = reduce_sum(around * rgb, -1, keepdims=True), large - small
    turned = div_no_nan(around, spread) - div_no_nan(apart, square(spread)) * (most - least)
    faded = div_no_nan(small, square(large)) * most - div_no_nan(small, small * large) * least
    return value * most + saturation * faded + hue * turned / 6.0


def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Hue, saturation and value of images [..., 3] of red, green and blue; all from 0 to 1."""
    return _rgb_to_hsv_op(images, name=name)


def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Red, green and blue of images [..., 3] of hue, saturation and value; all from 0 to 1."""
    return _hsv_to_rgb_op(images, name=name)


# ---- mixtures of the channels ------------------------------------------------------------


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """The brightness of each pixel, as the eye sees it.

    Args:
      images: [..., 3].
      name: the name.
    Returns: [..., 1] of the same type.
    """
    with name_scope(name, "rgb_to_grayscale", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        flat = convert_image_dtype(images, dtypes.float32)
        gray = tensordot(flat, constant([[0.2989], [0.5870], [0.1140]]), 1)
        return convert_image_dtype(gray, images.dtype, name=scope)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Images [..., 1] as images [..., 3] with three equal channels."""
    with name_scope(name, "grayscale_to_rgb", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        rank = images.shape.ndims
        if rank is None:
            count = reshape(convert_to_tensor(shape_of(shape_of(images))[0] - 1), [1])
            return tile(images, concat([ones(count, dtypes.int32), [3]], 0), name=scope)
        if images.shape.as_list()[-1] not in (None, 1):
            raise ValueError("Last dimension of a grayscale image should be size 1.")
        return tile(images, [1] * (rank - 1) + [3], name=scope)


# ---- adjustments -------------------------------------------------------------------------


def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """The image with `delta` added; a delta of 1 makes black white, whatever the type."""
    with name_scope(None, "adjust_brightness", [image, delta]):
        return _in_floats(image, lambda x: x + cast(delta, x.dtype))


def adjust_contrast(images: TensorLike, contrast_factor: Any) -> Tensor:
    """Each channel's distance from its mean over the image, multiplied by `contrast_factor`."""

    def stretched(x: Tensor) -> Tensor:
        wide = cast(x, dtypes.float32)
        mean = reduce_mean(reduce_mean(wide, [-3], keepdims=True), [-2], keepdims=True)
        return cast((wide - mean) * cast(contrast_factor, dtypes.float32) + mean, x.dtype)

    with name_scope(None, "adjust_contrast", [images, contrast_factor]):
        return _in_floats(images, stretched)


def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """The image with all hues moved by `delta`, a part of the circle in [-1, 1]."""
    with name_scope(name, "adjust_hue", [image]):
        return _in_floats(image, lambda x: _adjust_hue_op(x, cast(delta, dtypes.float32)))


def adjust_saturation(image: TensorLike, saturation_factor: Any, name: str | None = None) -> Tensor:
    """The image with all saturations multiplied by `saturation_factor`."""
    with name_scope(name, "adjust_saturation", [image]):
        factor = cast(saturation_factor, dtypes.float32)
        return _in_floats(image, lambda x: _adjust_saturation_op(x, factor))


def per_image_standardization(image: TensorLike) -> Tensor:
    """Each image with mean 0 and variance 1; float32.

    An image of one colour is divided by 1 / sqrt(number of elements) instead of 0.
    """
    with name_scope(None, "per_image_standardization", [image]) as scope:
        image = convert_to_tensor(image, name="image")
        x = image if image.dtype == dtypes.float16 else cast(image, dtypes.float32)
        axes = [-1, -2, -3]
        mean = reduce_mean(x, axes, keepdims=True)
        deviation = sqrt(reduce_mean(square(x - mean), axes, keepdims=True))
        count = cast(reduce_prod(shape_of(image)[-3:]), x.dtype)
        return realdiv(x - mean, maximum(deviation, rsqrt(count)), name=scope)


# ---- adjustments by lot ------------------------------------------------------------------


def _range(lower: float, upper: float) -> None:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


def random_brightness(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """The image with a number from [-max_delta, max_delta) added.

    Args:
      image: an image of any shape; with integers, the number is scaled to their range.
      max_delta: the largest change, at least 0.
      seed: an integer; with the graph's own seed it fixes the number.
    Example:
      >>> tf.image.random_brightness(tf.zeros([32, 32, 3]), 0.2).shape.as_list()
      [32, 32, 3]
    """
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, random_uniform([], -max_delta, max_delta, seed=seed))


def random_contrast(
    image: TensorLike, lower: float, upper: float, seed: int | None = None
) -> Tensor:
    """The image with its contrast multiplied by a number from [lower, upper).

    Args:
      image: an image [..., height, width, channels].
      lower: the smallest factor, at least 0.
      upper: the largest, more than `lower`.
      seed: an integer; with the graph's own seed it fixes the number.
    Example:
      >>> tf.image.random_contrast(tf.zeros([32, 32, 3]), 0.8, 1.2).shape.as_list()
      [32, 32, 3]
    """
    _range(lower, upper)
    return adjust_contrast(image, random_uniform([], lower, upper, seed=seed))


def random_hue(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """The image with its hues moved by a number from [-max_delta, max_delta)."""
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_hue(image, random_uniform([], -max_delta, max_delta, seed=seed))


def random_saturation(
    image: TensorLike, lower: float, upper: float, seed: int | None = None
) -> Tensor:
    """The image with its saturations multiplied by a number from [lower, upper)."""
    _range(lower, upper)
    return adjust_saturation(image, random_uniform([], lower, upper, seed=seed))

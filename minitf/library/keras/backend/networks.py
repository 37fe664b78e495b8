"""What networks are made of, in the argument orders of `tf.keras.backend`.

Layouts are "channels_last", [batch, *space, channels], and "channels_first".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.ops import activations, array_padding
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, where
from minitf.core.ops.math import negative
from minitf.library.images.image_resize import resize_bilinear, resize_nearest_neighbor
from minitf.library.keras.backend.arithmetic import repeat_elements
from minitf.library.keras.backend.values import int_shape
from minitf.library.keras.backend.windows import normalize_data_format
from minitf.library.nets import basics
from minitf.library.numeric.clip import clip_by_value

# ---- activations ---------------------------------------------------------------------------


def relu(x: Any, alpha: Any = 0.0, max_value: Any = None, threshold: Any = 0.0) -> Tensor:
    """The rectified linear function: `x` from `threshold` to `max_value`.

    Args:
      x: a tensor.
      alpha: the slope below the threshold: `alpha * (x - threshold)`.
      max_value: what larger values become; None: they stay.
      threshold: below it values are 0, or sloped.

    Example:
      >>> sess.run(tf.keras.backend.relu(tf.constant([-2.0, 0.5, 9.0]), alpha=0.5, max_value=4.0))
      array([-1. ,  0.5,  4. ], dtype=float32)
    """
    if alpha != 0 and max_value is None and threshold == 0:
        return activations.leaky_relu(x, alpha)
    below = None
    if alpha != 0:
        below = activations.relu(threshold - x if threshold != 0 else negative(x))
    if threshold != 0:
        x = x * cast(greater(x, threshold), x.dtype)
    elif max_value == 6:
        x, max_value = activations.relu6(x), None
    else:
        x = activations.relu(x)
    if max_value is not None:
        x = clip_by_value(x, cast(0, x.dtype), cast(max_value, x.dtype))
    return x if below is None else x - cast(alpha, x.dtype) * below


def elu(x: Any, alpha: float = 1.0) -> Tensor:
    """x where it is positive, `alpha * (exp(x) - 1)` elsewhere."""
    result = activations.elu(x)
    return result if alpha == 1 else where(greater(x, 0.0), result, alpha * result)


def hard_sigmoid(x: Any) -> Tensor:
    """0.2 * x + 0.5, between 0 and 1: a sigmoid of straight lines."""
    line = x * cast(0.2, x.dtype) + cast(0.5, x.dtype)
    return clip_by_value(line, cast(0.0, x.dtype), cast(1.0, x.dtype))


def softmax(x: Any, axis: int = -1) -> Tensor:
    """exp(x) divided by its sum along an axis."""
    return activations.softmax(x, axis)


def l2_normalize(x: Any, axis: Any = None) -> Tensor:
    """`x` divided by its Euclidean norm along an axis."""
    return basics.l2_normalize(x, axis)


# ---- pooling, margins, sizes ---------------------------------------------------------------


def spatial_padding(x: Any, padding: Sequence[Any], data_format: str | None = None) -> Tensor:
    """A margin of zeros: (before, after) for each axis of space."""
    first = normalize_data_format(data_format) == "channels_first"
    margins = [(0, 0), (0, 0), *padding] if first else [(0, 0), *padding, (0, 0)]
    return array_padding.pad(x, [list(each) for each in margins])


_RESIZES = {"nearest": resize_nearest_neighbor, "bilinear": resize_bilinear}


def resize_images(
    x: Any, height_factor: int, width_factor: int, data_format: str, interpolation: str = "nearest"
) -> Tensor:
    """Makes images larger by whole factors; `interpolation` is "nearest" or "bilinear".

    Raises:
      ValueError: for another layout or interpolation.
    """
    first = normalize_data_format(data_format) == "channels_first"
    if interpolation not in _RESIZES:
        raise ValueError('interpolation should be one of "nearest" or "bilinear".')
    if first:
        x = transpose(x, [0, 2, 3, 1])
    known = (int_shape(x) or ())[1:3]
    sizes = shape_of(x)[1:3] if None in known else known
    larger = [sizes[0] * height_factor, sizes[1] * width_factor]
    result = _RESIZES[interpolation](x, larger, half_pixel_centers=True)
    return transpose(result, [0, 3, 1, 2]) if first else result


def resize_volumes(
    x: Any, depth_factor: int, height_factor: int, width_factor: int, data_format: str
) -> Tensor:
    """Makes volumes larger by whole factors; each element is repeated."""
    start = 2 if normalize_data_format(data_format) == "channels_first" else 1
    for axis, factor in enumerate((depth_factor, height_factor, width_factor), start):
        x = repeat_elements(x, factor, axis)
    return x

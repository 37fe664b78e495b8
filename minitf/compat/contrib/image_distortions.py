"""`tf.contrib.image`: hue, saturation and value changed in YIQ, the colours of NTSC television.

There all three are one linear map: hue turns (I, Q), saturation scales them, value scales all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_shaping import transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.linalg import matmul, tensordot
from minitf.core.ops.math import cos, sin
from minitf.core.ops.random import random_uniform
from minitf.library.images.image_color import convert_image_dtype

_YIQ_OF_RGB = np.array(
    [[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]], np.float32
)
_RGB_OF_YIQ = np.array(
    [[1, 0.95617069, 0.62143257], [1, -0.2726886, -0.64681324], [1, -1.103744, 1.70062309]],
    np.float32,
)


def adjust_hsv_in_yiq(
    image: Any, delta_hue: Any = 0, scale_saturation: Any = 1, scale_value: Any = 1,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Images whose colours are turned, made stronger or weaker, and brighter or darker.

    Args:
      image: [..., 3] of red, green and blue, of rank 3 or more.
      delta_hue: by how much to turn the hue, in radians.
      scale_saturation: by what to multiply the saturation.
      scale_value: by what to multiply the brightness.
      name: the name of the scope.
    Returns: as `image`; nothing is cut off.
    Raises:
      ValueError: when the rank is less, or the channels are not three.
    """
    with name_scope(name, "adjust_hsv_in_yiq", [image]):
        image = convert_to_tensor(image, name="image")
        rank = image.shape.ndims
        if rank is not None and rank < 3:
            raise ValueError(f"Shape must be at least rank 3 but is rank {rank}")
        pixels = convert_image_dtype(image, dtypes.float32)
        hue, saturation, value = (
            cast(each, dtypes.float32) for each in (delta_hue, scale_saturation, scale_value)
        )
        u, w = saturation * cos(hue), saturation * sin(hue)
        turn = value * stack([[1.0, 0.0, 0.0], [0.0, u, -w], [0.0, w, u]])
        whole = matmul(_RGB_OF_YIQ, matmul(turn, _YIQ_OF_RGB))
        result = tensordot(pixels, transpose(whole), 1)
        result.set_shape(image.shape)
        return convert_image_dtype(result, image.dtype)


def random_hsv_in_yiq(
    image: Any, max_delta_hue: float = 0, lower_saturation: float = 1,
    upper_saturation: float = 1, lower_value: float = 1, upper_value: float = 1,
    seed: int | None = None,
) -> Tensor:  # fmt: skip
    """`adjust_hsv_in_yiq` by random numbers, the same for all pixels.

    Args:
      image: see `adjust_hsv_in_yiq`.
      max_delta_hue: the hue is turned by -max_delta_hue to max_delta_hue.
      lower_saturation: the least factor of the saturation.
      upper_saturation: the largest one.
      lower_value: the least factor of the brightness.
      upper_value: the largest one.
      seed: the seed.
    Raises:
      ValueError: when a bound is negative, or a lower one above its upper one.
    """
    for bound, name in (
        (max_delta_hue, "max_delta"),
        (lower_saturation, "lower_saturation"),
        (lower_value, "lower_value"),
    ):
        if bound < 0:
            raise ValueError(f"{name} must be non-negative.")
    if lower_saturation > upper_saturation:
        raise ValueError("lower_saturation must be < upper_saturation.")
    if lower_value > upper_value:
        raise ValueError("lower_value must be < upper_value.")

    def drawn(low: float, high: float) -> Any:
        return low if low == high else random_uniform([], low, high, seed=seed)

    hue = drawn(-max_delta_hue, max_delta_hue)
    saturation = drawn(lower_saturation, upper_saturation)
    return adjust_hsv_in_yiq(image, hue, saturation, drawn(lower_value, upper_value))

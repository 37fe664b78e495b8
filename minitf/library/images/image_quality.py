"""How images differ, and where they change: PSNR, SSIM, total variation, gradients, edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
from minitf.core.ops.array import constant
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import reshape, tile
from minitf.core.ops.cast import cast
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import log, pow, squared_difference, subtract
from minitf.core.ops.reductions import reduce_mean, reduce_prod, reduce_sum
from minitf.library.images.image_color import convert_image_dtype
from minitf.library.nets.depthwise import depthwise_conv2d
from minitf.library.nets.pooling import avg_pool

_POWERS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """The sum of the absolute differences of neighbouring pixels: how noisy an image is.

    Args:
      images: [height, width, channels], which gives a scalar, or a batch, which gives a vector.
      name: the name of the scope.
    Raises:
      ValueError: for another rank.
    """
    with name_scope(name, "total_variation"):
        images = convert_to_tensor(images)
        rank = images.shape.ndims
        if rank not in (3, 4):
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        down = images[..., 1:, :, :] - images[..., :-1, :, :]
        right = images[..., :, 1:, :] - images[..., :, :-1, :]
        axes = None if rank == 3 else [1, 2, 3]
        return reduce_sum(absolute(down), axes) + reduce_sum(absolute(right), axes)


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """How much each pixel differs from the next one below and to the right; 0 at the far edge.

    Args:
      image: [batch, height, width, channels].
    Raises:
      ValueError: for another rank.
    """
    image = convert_to_tensor(image)
    if image.shape.ndims != 4:
        raise ValueError(
            "image_gradients expects a 4D tensor [batch_size, h, w, d], not "
            f"{tuple(image.shape.as_list())}."
        )
    down = image[:, 1:, :, :] - image[:, :-1, :, :]
    right = image[:, :, 1:, :] - image[:, :, :-1, :]
    dy = pad(down, [[0, 0], [0, 1], [0, 0], [0, 0]])
    dx = pad(right, [[0, 0], [0, 0], [0, 1], [0, 0]])
    return reshape(dy, shape_of(image)), reshape(dx, shape_of(image))


def sobel_edges(image: Any) -> Tensor:
    """Smoothed differences down and to the right, by Sobel's filters.

    Args:
      image: [batch, height, width, channels].
    Returns: [batch, height, width, channels, 2].
    """
    image = convert_to_tensor(image)
    known = image.shape
    down = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]], np.float32)
    filters = constant(np.stack([down, down.T], axis=-1)[:, :, None])
    sizes = shape_of(image)
    filters = tile(filters, stack([1, 1, sizes[3], 1]), name="sobel_filters")
    padded = pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = depthwise_conv2d(padded, filters, [1, 1, 1, 1], "VALID")
    result = reshape(edges, concat([sizes, [2]], 0))
    result.set_shape(known.concatenate([2]))
    return result


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """The ratio of the largest square to the mean squared difference, in decibels.

    Args:
      a, b: [..., height, width, channels], of one type.
      max_val: the largest number that a pixel can have.
      name: the name of the scope.
    Returns: [...] float32.
    """
    with name_scope(name, "PSNR", [a, b]):
        x, y, largest = _floats(a, b, max_val)
        error = reduce_mean(squared_difference(x, y), [-3, -2, -1])
        signal = 20 * log(largest) / float(np.log(10.0))
        return subtract(signal, np.float32(10 / np.log(10)) * log(error), name="psnr")


def _gaussian(size: int, sigma: float) -> np.ndarray:
    places = np.arange(size, dtype=np.float32) - np.float32((size - 1) / 2)
    weights = np.exp(-0.5 * np.square(places) / np.float32(sigma) ** 2)
    both = weights[:, None] * weights
    return (both / both.sum()).astype(np.float32)


def _similarity(
    x: Tensor, y: Tensor, largest: Tensor, size: int, sigma: float, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """For each channel the mean of SSIM, and of its part that compares contrast and structure."""
    depth = x.shape.as_list()[-1] or shape_of(x)[-1]
    filters = tile(constant(_gaussian(size, sigma)[:, :, None, None]), stack([1, 1, depth, 1]))

    def smooth(z: Tensor) -> Tensor:
        sizes = shape_of(z)
        flat = reshape(z, concat([[-1], sizes[-3:]], 0))
        flat = depthwise_conv2d(flat, filters, [1, 1, 1, 1], "VALID")
        return reshape(flat, concat([sizes[:-3], shape_of(flat)[1:]], 0))

    c1, c2 = (k1 * largest) ** 2.0, (k2 * largest) ** 2.0
    mean_x, mean_y = smooth(x), smooth(y)
    both = mean_x * mean_y * 2.0
    squares = mean_x * mean_x + mean_y * mean_y
    luminance = (both + c1) / (squares + c1)
    crossed, powers = smooth(x * y) * 2.0, smooth(x * x + y * y)
    structure = (crossed - both + c2) / (powers - squares + c2)
    return reduce_mean(luminance * structure, [-3, -2]), reduce_mean(structure, [-3, -2])


def _floats(img1: Any, img2: Any, max_val: Any) -> tuple[Tensor, Tensor, Tensor]:
    first, second = convert_to_tensor(img1, name="img1"), convert_to_tensor(img2, name="img2")
    largest = convert_image_dtype(cast(max_val, first.dtype), dtypes.float32)
    images = (convert_image_dtype(each, dtypes.float32) for each in (first, second))
    return (*images, largest)


def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """How alike two images look, at most 1: structural similarity (Wang 2004).

    Args:
      img1, img2: [..., height, width, channels], of one type.
      max_val: the largest number that a pixel can have.
      filter_size, filter_sigma: of the Gaussian window, in pixels.
      k1, k2: small numbers that keep the quotients from 0 / 0.
    Returns: [...] float32.
    """
    with name_scope(None, "SSIM", [img1, img2]):
        x, y, largest = _floats(img1, img2, max_val)
        by_channel, _ = _similarity(x, y, largest, filter_size, filter_sigma, k1, k2)
        return reduce_mean(by_channel, [-1])


def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Any = _POWERS,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """Structural similarity at several sizes, each half the one before (Wang 2003).

    Args:
      img1, img2, max_val: as in `ssim`; [batch, height, width, channels].
      power_factors: the weight of each size.
      filter_size, filter_sigma, k1, k2: as in `ssim`.
    """
    with name_scope(None, "MS-SSIM", [img1, img2]):
        x, y, largest = _floats(img1, img2, max_val)
        parts = []
        for scale in range(len(power_factors)):
            if scale:
                x, y = (avg_pool(_even(z), [1, 2, 2, 1], [1, 2, 2, 1], "VALID") for z in (x, y))
            whole, structure = _similarity(x, y, largest, filter_size, filter_sigma, k1, k2)
            parts.append(relu(structure))
        parts[-1] = relu(whole)
        product = reduce_prod(pow(stack(parts, axis=-1), list(power_factors)), [-1])
        return reduce_mean(product, [-1])


def _even(x: Tensor) -> Tensor:
    """Images of even sizes: an odd one repeats its last row or column."""
    odd = shape_of(x)[1:3] % 2
    margins = reshape(stack([0, 0, 0, odd[0], 0, odd[1], 0, 0]), [4, 2])
    return pad(x, margins, mode="SYMMETRIC")

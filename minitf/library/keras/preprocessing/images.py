"""Images as files and as arrays; Pillow reads and writes them."""

from __future__ import annotations

import io
import os
import warnings
from typing import Any

import numpy as np

from minitf.library.formats.file_io import regular
from minitf.library.keras.backend.config import floatx, image_data_format

_MODES = {"grayscale": ("L", "I;16", "I"), "rgba": ("RGBA",), "rgb": ("RGB",)}
_METHODS = ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")


def _pillow(what: str) -> tuple[Any, Any]:
    try:
        from PIL import Image, ImageEnhance
    except ImportError:
        raise ImportError(
            f"Could not import PIL.Image. The use of `{what}` requires PIL: "
            "pip install 'minitf[image]'"
        ) from None
    return Image, ImageEnhance


def checked_format(data_format: str | None) -> str:
    """The layout of an image; Keras's own when None.

    Raises:
      ValueError: when there is no such layout.
    """
    data_format = data_format or image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid data_format: {data_format}")
    return data_format


def array_to_img(
    x: Any, data_format: str | None = None, scale: bool = True, dtype: Any = None
) -> Any:
    """Makes a picture of Pillow's of an array.

    Args:
      x: [height, width, channels], of 1, 3 or 4 channels.
      data_format: "channels_last", or "channels_first".
      scale: stretch the values to 0..255.
      dtype: in which to reckon.
    Raises:
      ImportError: when Pillow is not installed.
      ValueError: when the array has another form.
    """
    image_module, _ = _pillow("array_to_img")
    x = np.asarray(x, dtype=dtype or floatx())
    if x.ndim != 3:
        raise ValueError(
            f"Expected image array to have rank 3 (single image). Got array with shape: {x.shape}"
        )
    if checked_format(data_format) == "channels_first":
        x = x.transpose(1, 2, 0)
    if scale:
        x = x - x.min()
        x = x / (x.max() or 1) * 255
    if x.shape[2] not in (1, 3, 4):
        raise ValueError(f"Unsupported channel number: {x.shape[2]}")
    if x.shape[2] > 1:
        return image_module.fromarray(x.astype("uint8"))
    return image_module.fromarray(x[:, :, 0].astype("int32" if x.max() > 255 else "uint8"))


def img_to_array(img: Any, data_format: str | None = None, dtype: Any = None) -> np.ndarray:
    """Makes an array of a picture of Pillow's.

    Args:
      img: the picture.
      data_format: "channels_last", or "channels_first".
      dtype: of the result; Keras's own when None.
    Returns: [height, width, channels], or [channels, height, width].
    Raises:
      ValueError: when it is no picture.
    """
    first = checked_format(data_format) == "channels_first"
    x = np.asarray(img, dtype=dtype or floatx())
    if x.ndim not in (2, 3):
        raise ValueError(f"Unsupported image shape: {x.shape}")
    x = x[..., None] if x.ndim == 2 else x
    return x.transpose(2, 0, 1) if first else x


def load_img(
    path: Any,
    grayscale: bool = False,
    color_mode: str = "rgb",
    target_size: Any = None,
    interpolation: str = "nearest",
    keep_aspect_ratio: bool = False,
) -> Any:
    """Reads the file of a picture, as one of Pillow's.

    Args:
      path: the file, or its content as a `BytesIO`.
      grayscale: the old word for color_mode="grayscale".
      color_mode: "rgb", "rgba" or "grayscale".
      target_size: (height, width) to change it to; its own when None.
      interpolation: how: "nearest", "bilinear", "bicubic", "hamming", "box" or "lanczos".
      keep_aspect_ratio: cut off what would be squeezed.
    Raises:
      ImportError: when Pillow is not installed.
      ValueError: when there is no such mode or interpolation.
    """
    image_module, _ = _pillow("load_img")
    if grayscale:
        warnings.warn('grayscale is deprecated. Please use color_mode = "grayscale"', stacklevel=2)
        color_mode = "grayscale"
    if color_mode not in _MODES:
        raise ValueError('color_mode must be "grayscale", "rgb", or "rgba"')
    if not isinstance(path, io.BytesIO):
        with open(os.fspath(path), "rb", opener=regular) as file:
            path = io.BytesIO(file.read())
    picture = image_module.open(path)
    if picture.mode not in _MODES[color_mode]:
        picture = picture.convert(_MODES[color_mode][0])
    if target_size is None or picture.size == (target_size[1], target_size[0]):
        return picture
    if interpolation not in _METHODS:
        raise ValueError(
            f"Invalid interpolation method {interpolation} specified. Supported methods are "
            f"{', '.join(_METHODS)}"
        )
    (width, height), (high, wide) = picture.size, target_size
    box = None
    if keep_aspect_ratio:
        cut_high, cut_wide = min(height, width * high // wide), min(width, height * wide // high)
        top, left = (height - cut_high) // 2, (width - cut_wide) // 2
        box = (left, top, left + cut_wide, top + cut_high)
    method = getattr(image_module.Resampling, interpolation.upper())
    return picture.resize((wide, high), method, box=box)


def apply_brightness_shift(x: Any, brightness: float, scale: bool = True) -> np.ndarray:
    """Makes an image brighter or darker.

    Args:
      x: [height, width, channels].
      brightness: 1 leaves it, 0 makes it black.
      scale: stretch the values to 0..255 first.
    """
    _, enhance = _pillow("apply_brightness_shift")
    low, high = np.min(x), np.max(x)
    outside = bool(low < 0 or high > 255)
    picture = array_to_img(x, scale=outside or scale)
    found = img_to_array(enhance.Brightness(picture).enhance(brightness))
    return found / 255 * (high - low) + low if outside and not scale else found

"""Images as files: JPEG, PNG, GIF and BMP, read and written by Pillow.

    contents (bytes) ──decode──> [height, width, channels] uint8        a GIF: [frames, ...]

Pillow is optional; this is the one file that asks for it.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, none_is_default, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import DTypeLike, Tensor, TensorLike
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.ops.elementwise import invalid
from minitf.library.images.image_color import convert_image_dtype
from minitf.library.parsing.values import check_type

_MOST_VALUES = 1 << 29  # that a file may unpack to
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise errors.UnimplementedError(
            None, None, "Reading and writing images needs Pillow: pip install 'minitf[image]'"
        ) from None
    return Image


def _kind(contents: bytes) -> str:
    """The format of a file, by its first bytes; empty when it is none that is known."""
    starts = ((b"\xff\xd8\xff", "jpeg"), (b"\x89PNG\r\n", "png"), (b"GIF8", "gif"), (b"BM", "bmp"))
    return next((kind for start, kind in starts if contents.startswith(start)), "")


@contextlib.contextmanager
def _reading(kind: str, more: str = "") -> Iterator[None]:
    """Says in TensorFlow's class of error what Pillow does not read."""
    image_module = _pillow()
    try:
        yield
    except image_module.DecompressionBombError as error:
        raise invalid(f"{kind.upper()} size too large: {error}") from None
    except OSError:
        raise invalid(f"Invalid {kind.upper()} data{more}") from None


def _check_size(image: Any, kind: str, channels: int, frames: int = 1) -> None:
    sizes = frames, image.height, image.width, channels
    if math.prod(sizes) > _MOST_VALUES:
        raise invalid(f"{kind.upper()} size too large: {' x '.join(map(str, sizes))} values")


def _opened(contents: Any) -> tuple[Any, str]:
    """The image in a file, not read yet, and its format.

    Raises:
      InvalidArgumentError: when it is no image, or too large.
    """
    contents = bytes(contents)
    kind = _kind(contents)
    if not kind:
        raise invalid("Unknown image file format. One of JPEG, PNG, GIF, BMP required.")
    with _reading(kind, f" or crop window, data size {len(contents)}"):
        return _pillow().open(io.BytesIO(contents)), kind


def _pixels(image: Any, channels: int, kind: str, dtype: Any) -> np.ndarray:
    """A decoded image as an array of the wanted number of channels; 0 means its own."""
    if channels not in (0, 1, 3, 4):
        raise invalid(f"channels must be 0, 1, 3, or 4, got {channels}")
    if kind == "jpeg" and channels == 4:
        raise invalid("channels must be 0, 1, or 3 for JPEG")
    _check_size(image, kind, max(channels, len(image.getbands())))
    if image.mode.startswith("I"):
        wide = np.asarray(image).astype(np.uint16)[..., None]
        array = wide if dtype == np.uint16 else (wide >> 8).astype(np.uint8)
        return np.repeat(array, channels or 1, axis=-1) if channels < 4 else _opaque(array)
    own = {"1": 1, "L": 1, "LA": 2, "RGBA": 4, "P": 4 if "transparency" in image.info else 3}
    count = channels or own.get(image.mode, 3)
    if kind == "jpeg" and channels == 1:
        image.draft("L", image.size)
    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    mode = _MODES[count]
    with _reading(kind):
        array = np.array(image if image.mode == mode else image.convert(mode), np.uint8)
    array = array.reshape(*array.shape[:2], count)
    return array.astype(np.uint16) * 257 if dtype == np.uint16 else array


def _opaque(gray: np.ndarray) -> np.ndarray:
    colour = np.repeat(gray, 4, axis=-1)
    colour[..., 3] = np.iinfo(gray.dtype).max
    return colour


def _frames(image: Any, all_of_them: bool) -> np.ndarray:
    frames: list[np.ndarray] = []
    with _reading("gif"):
        count = image.n_frames if all_of_them else 1
        for place in range(count):
            image.seek(place)
            _check_size(image, "gif", 3, count)  # a frame may be larger than those before
            frames.append(np.array(image.convert("RGB"), np.uint8))
    return np.stack(frames)


def _file(kind: str, **attrs: Any) -> Callable[..., tuple]:
    """A sample: the bytes of a small picture's file."""

    def sample(rng: np.random.Generator) -> tuple:
        buffer = io.BytesIO()
        picture = rng.integers(1, 256, (3, 4, 3), np.uint8)
        _pillow().fromarray(picture).save(buffer, kind)
        return buffer.getvalue(), attrs

    return sample


def _reads(op_type: str, result: str, *samples: Callable) -> Callable[[Callable], OpDef]:
    """Declares an op that takes the bytes of a file."""
    signature = f"contents: string -> {result}"
    options: dict[str, Any] = {"differentiable": False, "sized_by_values": True}
    return op(op_type, signature, samples=samples, **options)


def _in_channels(contents: Any, *, channels: int = 0, **attrs: Any) -> TensorShape:
    contents.shape.with_rank(0)
    return TensorShape([None, None, channels or None])


# ---- reading -----------------------------------------------------------------------------


@_reads("DecodeJpeg", "image: uint8", _file("JPEG", channels=3), _file("JPEG", ratio=2))
def decode_jpeg_op(
    xp: Any,
    contents: Any,
    *,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1.0,
    dct_method: str = "",
) -> Any:
    """Reads a JPEG, a PNG or the first frame of a GIF."""
    image, kind = _opened(contents)
    if kind == "jpeg" and ratio > 1:
        image.draft(None, (-(-image.width // ratio), -(-image.height // ratio)))
    return _pixels(image, channels, kind, np.uint8)


@_reads("DecodePng", "image: dtype", _file("PNG", channels=4), _file("PNG", dtype=dtypes.uint16))
def decode_png_op(xp: Any, contents: Any, *, channels: int = 0, dtype: Any = dtypes.uint8) -> Any:
    """Reads a PNG, a JPEG or the first frame of a GIF."""
    image, kind = _opened(contents)
    return _pixels(image, channels, kind, dtype.as_numpy_dtype)


@_reads("DecodeImage", "image: dtype", _file("BMP"), _file("GIF", expand_animations=False))
def decode_image_op(
    xp: Any,
    contents: Any,
    *,
    channels: int = 0,
    dtype: Any = dtypes.uint8,
    expand_animations: bool = True,
) -> Any:
    """Reads an image of any format that is known."""
    image, kind = _opened(contents)
    if kind == "gif":
        frames = _frames(image, expand_animations)
        return frames if expand_animations else frames[0]
    return _pixels(image, channels, kind, dtype.as_numpy_dtype)


@decode_image_op.shape
def _decode_image_shape(contents: Any, *, expand_animations: bool, **attrs: Any) -> Any:
    whole = _in_channels(contents, **attrs)
    return None if expand_animations else whole


decode_jpeg_op.shape(_in_channels)
decode_png_op.shape(_in_channels)


@_reads("ExtractJpegShape", "image_shape: output_type", _file("JPEG"))
def extract_jpeg_shape_op(xp: Any, contents: Any, *, output_type: Any = dtypes.int32) -> Any:
    """Reads height, width and channels from the head of a JPEG, without its pixels."""
    image, _ = _opened(contents)
    sizes = [image.height, image.width, len(image.getbands())]
    return np.array(sizes, output_type.as_numpy_dtype)


extract_jpeg_shape_op.shape(lambda contents, *, output_type: TensorShape([3]))


@none_is_default
def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The pixels of a JPEG.

    Args:
      contents: the bytes of the file; a scalar string.
      channels: 0 (as in the file), 1 (grey) or 3 (red, green, blue).
      ratio: 1, 2, 4 or 8: by how much to make the image smaller while reading.
      fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method: accepted; Pillow's
        own way is used.
      name: the name.
    Returns: [height, width, channels] uint8.
    Raises:
      InvalidArgumentError: when it runs and the bytes are no image, or have no such channels.
    Example:
      >>> image = tf.image.decode_jpeg(tf.read_file("dog.jpg"), channels=3)
    """
    return decode_jpeg_op(
        contents,
        channels=channels or 0,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=float(acceptable_fraction),
        dct_method=dct_method,
        name=name,
    )


@none_is_default
def decode_png(
    contents: TensorLike,
    channels: int = 0,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
) -> Tensor:
    """The pixels of a PNG.

    Args:
      contents: the bytes of the file; a scalar string.
      channels: 0 (as in the file), 1 (grey), 3 (red, green, blue) or 4 (and opacity).
      dtype: uint8 or uint16.
      name: the name.
    """
    kind = check_type(dtypes.as_dtype(dtype), "dtype", (dtypes.uint8, dtypes.uint16))
    return decode_png_op(contents, channels=channels or 0, dtype=kind, name=name)


def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The pixels of an image of any known format.

    Args:
      contents: the bytes of the file; a scalar string.
      channels: as in `decode_png`; a GIF has 3.
      dtype: uint8, uint16 or float32; floats run from 0 to 1.
      name: the name of the scope.
      expand_animations: whether a GIF gives all its frames. If so, even the rank of the result is
        unknown when the graph is built.
    """
    with name_scope(name, "decode_image"):
        wanted = dtypes.as_dtype(dtype)
        if wanted not in (dtypes.float32, dtypes.uint8, dtypes.uint16):
            raise ValueError("`dtype` must be one of: uint8, uint16, float32")
        if channels not in (None, 0, 1, 3, 4):
            raise ValueError("channels must be in (None, 0, 1, 3, 4)")
        kind = dtypes.uint16 if wanted == dtypes.uint16 else dtypes.uint8
        image = decode_image_op(
            contents, channels=channels or 0, dtype=kind, expand_animations=expand_animations
        )
        return convert_image_dtype(image, wanted) if wanted == dtypes.float32 else image


@none_is_default
def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """A part of a JPEG's pixels.

    Args:
      contents: the bytes of the file.
      crop_window: [top, left, height, width] int32.
      channels, ratio: as in `decode_jpeg`; and so the others.
    """
    with name_scope(name, "DecodeAndCropJpeg"):
        window = convert_to_tensor(crop_window, dtypes.int32, name="crop_window")
        image = decode_jpeg(contents, channels, ratio)
        start, size = concat([window[:2], [0]], 0), concat([window[2:], [-1]], 0)
        return slice_of(image, start, size)  # which refuses a window that is not inside


@none_is_default
def extract_jpeg_shape(
    contents: Any, output_type: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Height, width and channels of a JPEG, without reading its pixels."""
    return extract_jpeg_shape_op(contents, output_type=dtypes.as_dtype(output_type), name=name)

"""Images as files: JPEG, PNG, GIF and BMP, read and written by Pillow.

    contents (bytes) ──decode──> [height, width, channels] uint8        a GIF: [frames, ...]

Pillow is optional; this is the one file that asks for it.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.likes import DTypeLike, TensorLike
from minitf.core.graph.op_def import OpDef, none_is_default, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.ops.comparisons import equal
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.random import random_uniform
from minitf.library.images.image_color import convert_image_dtype
from minitf.library.parsing.values import check_type
from minitf.library.text.strings import substr

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def _pillow() -> Any:
    try:
        from PIL import Image, ImageSequence
    except ImportError:
        raise errors.UnimplementedError(
            None, None, "Reading and writing images needs Pillow: pip install 'minitf[image]'"
        ) from None
    return Image, ImageSequence


def _kind(contents: bytes) -> str:
    """The format of a file, by its first bytes; empty when it is none that is known."""
    starts = ((b"\xff\xd8\xff", "jpeg"), (b"\x89PNG\r\n", "png"), (b"GIF8", "gif"), (b"BM", "bmp"))
    return next((kind for start, kind in starts if contents.startswith(start)), "")


def _opened(contents: Any) -> tuple[Any, str]:
    """The image in a file, not read yet, and its format.

    Raises:
      InvalidArgumentError: when it is no image.
    """
    contents = bytes(contents)
    kind = _kind(contents)
    if not kind:
        raise invalid("Unknown image file format. One of JPEG, PNG, GIF, BMP required.")
    image_module, _ = _pillow()
    try:
        return image_module.open(io.BytesIO(contents)), kind
    except OSError:
        raise invalid(
            f"Invalid {kind.upper()} data or crop window, data size {len(contents)}"
        ) from None


def _pixels(image: Any, channels: int, kind: str, dtype: Any) -> np.ndarray:
    """A decoded image as an array of the wanted number of channels; 0 means its own."""
    if channels not in (0, 1, 3, 4):
        raise invalid(f"channels must be 0, 1, 3, or 4, got {channels}")
    if kind == "jpeg" and channels == 4:
        raise invalid("channels must be 0, 1, or 3 for JPEG")
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
    try:
        array = np.array(image if image.mode == mode else image.convert(mode), np.uint8)
    except OSError:
        raise invalid(f"Invalid {kind.upper()} data") from None
    array = array.reshape(*array.shape[:2], count)
    return array.astype(np.uint16) * 257 if dtype == np.uint16 else array


def _opaque(gray: np.ndarray) -> np.ndarray:
    colour = np.repeat(gray, 4, axis=-1)
    colour[..., 3] = np.iinfo(gray.dtype).max
    return colour


def _frames(image: Any) -> np.ndarray:
    _, sequence = _pillow()
    return np.stack([np.array(f.convert("RGB"), np.uint8) for f in sequence.Iterator(image)])


def _saved(picture: Any, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def _drawn(rng: np.random.Generator, channels: int = 3) -> np.ndarray:
    return rng.integers(1, 256, (3, 4, channels), np.uint8)


def _file(kind: str, **attrs: Any) -> Callable[..., tuple]:
    """A sample: the bytes of a small picture's file."""
    return lambda rng: (_saved(_pillow()[0].fromarray(_drawn(rng)), kind), attrs)


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
    xp: Any, contents: Any, *, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
    try_recover_truncated: bool = False, acceptable_fraction: float = 1.0, dct_method: str = "",
) -> Any:  # fmt: skip
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


@_reads("DecodeBmp", "image: uint8", _file("BMP"))
def decode_bmp_op(xp: Any, contents: Any, *, channels: int = 0) -> Any:
    """Reads a BMP."""
    image, kind = _opened(contents)
    return _pixels(image, channels, kind, np.uint8)


@_reads("DecodeGif", "image: uint8", _file("GIF"))
def decode_gif_op(xp: Any, contents: Any) -> Any:
    """Reads all frames of a GIF."""
    return _frames(_opened(contents)[0])


@_reads("DecodeImage", "image: dtype", _file("BMP"), _file("GIF", expand_animations=False))
def decode_image_op(
    xp: Any, contents: Any, *, channels: int = 0, dtype: Any = dtypes.uint8,
    expand_animations: bool = True,
) -> Any:  # fmt: skip
    """Reads an image of any format that is known."""
    image, kind = _opened(contents)
    if kind == "gif":
        frames = _frames(image)
        return frames if expand_animations else frames[0]
    return _pixels(image, channels, kind, dtype.as_numpy_dtype)


@decode_image_op.shape
def _decode_image_shape(contents: Any, *, expand_animations: bool, **attrs: Any) -> Any:
    whole = _in_channels(contents, **attrs)
    return None if expand_animations else whole


decode_jpeg_op.shape(_in_channels)
decode_png_op.shape(_in_channels)
decode_bmp_op.shape(_in_channels)
decode_gif_op.shape(lambda contents: TensorShape([None, None, None, 3]))


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
        contents, channels=channels or 0, ratio=ratio, fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated, acceptable_fraction=float(acceptable_fraction),
        dct_method=dct_method, name=name,
    )  # fmt: skip


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


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels of a BMP; the arguments are those of `decode_png`."""
    return decode_bmp_op(contents, channels=channels or 0, name=name)


def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """The frames of a GIF: [frames, height, width, 3] uint8."""
    return decode_gif_op(contents, name=name)


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


def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Whether a scalar string begins as a JPEG does."""
    with name_scope(name, "is_jpeg"):
        return equal(substr(contents, 0, 3), b"\xff\xd8\xff", name=name)


# ---- writing -----------------------------------------------------------------------------


def _picture(image: Any, allowed: tuple[int, ...]) -> Any:
    if image.ndim != 3 or image.shape[-1] not in allowed:
        raise invalid(
            f"image must have {' or '.join(str(c) for c in allowed)} channels and rank 3, got "
            f"shape {TensorShape(image.shape)}"
        )
    image_module, _ = _pillow()
    flat = np.ascontiguousarray(image[..., 0] if image.shape[-1] == 1 else image)
    return image_module.fromarray(flat)


@op(
    "EncodeJpeg",
    "image: uint8 -> contents: string",
    differentiable=False,
    samples=[lambda rng: (_drawn(rng), {"quality": 50}), lambda rng: (_drawn(rng, 1), {})],
)
def encode_jpeg_op(
    xp: Any, image: Any, *, format: str = "", quality: int = 95, progressive: bool = False,
    optimize_size: bool = False, chroma_downsampling: bool = True, density_unit: str = "in",
    x_density: int = 300, y_density: int = 300, xmp_metadata: str = "",
) -> Any:  # fmt: skip
    """Writes an image as a JPEG."""
    options: dict[str, Any] = {"quality": quality, "progressive": progressive}
    if image.shape[-1] == 3:
        options["subsampling"] = 2 if chroma_downsampling else 0
    dpi = (x_density, y_density)
    return _saved(_picture(image, (1, 3)), "JPEG", optimize=optimize_size, dpi=dpi, **options)


@op(
    "EncodePng",
    "image: T -> contents: string",
    T=(dtypes.uint8, dtypes.uint16),
    differentiable=False,
    samples=[lambda rng: (_drawn(rng, 4), {"compression": 9})],
)
def encode_png_op(xp: Any, image: Any, *, compression: int = -1) -> Any:
    """Writes an image as a PNG."""
    allowed = (1,) if image.dtype == np.uint16 else (1, 2, 3, 4)
    options = {} if compression < 0 else {"compress_level": compression}
    return _saved(_picture(image, allowed), "PNG", **options)


def _text_shape(image: Any, **attrs: Any) -> TensorShape:
    image.shape.with_rank(3)
    return TensorShape([])


encode_jpeg_op.shape(_text_shape)
encode_png_op.shape(_text_shape)


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """An image as the bytes of a JPEG.

    Args:
      image: [height, width, 1 or 3] uint8.
      format: accepted; the channels say whether it is grey.
      quality: 0 to 100.
      progressive: whether it is shown coarse first.
      optimize_size: whether to spend time on a smaller file.
      chroma_downsampling: whether colours are kept at half the resolution.
      x_density, y_density: pixels an inch.
      name: the name.
    """
    return encode_jpeg_op(
        image, format=format, quality=quality, progressive=progressive,
        optimize_size=optimize_size, chroma_downsampling=chroma_downsampling,
        density_unit=density_unit, x_density=x_density, y_density=y_density,
        xmp_metadata=xmp_metadata, name=name,
    )  # fmt: skip


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """An image as the bytes of a PNG.

    Args:
      image: [height, width, 1 to 4] uint8, or with 1 channel uint16.
      compression: 0 to 9; -1 chooses.
      name: the name.
    """
    return encode_png_op(convert_to_tensor(image), compression=compression, name=name)


@op(
    "EncodeJpegVariableQuality",
    "images: uint8, quality: int32 -> contents: string",
    differentiable=False,
    samples=[lambda rng: (_drawn(rng), np.int32(50), {})],
)
def encode_jpeg_variable_quality_op(xp: Any, images: Any, quality: Any) -> Any:
    """Writes an image as a JPEG of a quality that is known when it runs."""
    return _saved(_picture(images, (1, 3)), "JPEG", quality=int(quality))


encode_jpeg_variable_quality_op.shape(lambda images, quality: _text_shape(images))


def adjust_jpeg_quality(image: Any, jpeg_quality: Any, name: str | None = None) -> Tensor:
    """The image as it looks after it was kept as a JPEG of a quality from 0 to 100."""
    with name_scope(name, "adjust_jpeg_quality", [image]):
        image = convert_to_tensor(image, name="image")
        channels = image.shape.as_list()[-1]
        stored = encode_jpeg_variable_quality_op(
            convert_image_dtype(image, dtypes.uint8), jpeg_quality
        )
        return convert_image_dtype(decode_jpeg(stored, channels), image.dtype, saturate=True)


def random_jpeg_quality(
    image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """The image as a JPEG of a quality drawn by lot.

    Raises:
      ValueError: when the range is empty or lies outside 0 to 100.
    """
    if not 0 <= min_jpeg_quality <= 100 or not 0 <= max_jpeg_quality <= 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    quality = random_uniform([], min_jpeg_quality, max_jpeg_quality, dtypes.int32, seed=seed)
    return adjust_jpeg_quality(image, quality)

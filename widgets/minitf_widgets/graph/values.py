"""What is shown of a tensor's value: a short text, a small picture or a histogram.

    value -> summary -> {"text": "0.01 ... 3.2", "type": "float32 (32, 10)", "bars": [...], ...}

Only summaries leave the kernel, so that a run of any size stays small on the page. Pictures are
PNGs of a few thousand pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf_widgets.pictures import data_uri, png

__all__ = ["summary"]

FEW = 12  # elements that are told one by one
SHORT, LONG = 22, 160  # characters: on a wire, in the panel
BARS = 16
SAMPLE = 4096  # elements that a histogram looks at
TILES, TILE = 8, 32  # pictures side by side, and the pixels of a side of one


def _number(value: Any, digits: int = 3) -> str:
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return str(value)
    return f"{value:.{digits}g}"


def _not_finite(numbers: np.ndarray) -> str:
    """Says which of them are not finite: "2 × nan, 1 × -inf"."""
    kinds, counts = np.unique(numbers[~np.isfinite(numbers)].astype(str), return_counts=True)
    return ", ".join(f"{count} × {kind}" for kind, count in zip(kinds, counts))


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _string(value: Any) -> str:
    return repr(value.decode(errors="replace") if isinstance(value, bytes) else str(value))


def _nested(value: Any, tell: Any) -> str:
    if isinstance(value, np.ndarray) and value.ndim:
        return f"[{', '.join(_nested(each, tell) for each in value)}]"
    return tell(value.item() if isinstance(value, np.ndarray) else value)


def summary(value: Any, fed: bool = False, images: bool = True) -> dict[str, Any]:
    """Summarises one value.

    Args:
      value: an array, a scalar, a list of them, or whatever else a tensor may hold; None for none.
      fed: whether the caller gave it: rows of a square number of elements are then images.
      images: whether an image may be made.
    Returns: plain data:
      text, full: at most 20 and 160 characters.
      type: dtype and shape.
      low, mean, high, bars: of many numbers; the counts of a histogram from low to high.
      image: {"src": data URL, "w": pixels, "h": pixels, "of": what it shows}, where there is one.
      bad: how many elements are NaN or infinite, where any is.
    Example:
      >>> summary(np.float32([1, 2]))
      {'text': '[1, 2]', 'full': '[1, 2]', 'type': 'float32 (2,)'}
    """
    if value is None:
        return {"text": "no value", "full": "no value", "type": ""}
    if isinstance(value, (list, tuple)):  # a stack, as of what a loop's turns computed
        inner = summary(value[-1]) if value else {"type": "nothing"}
        text = f"{len(value)} × {inner['type']}"
        return {"text": _shorten(text, SHORT), "full": text, "type": "stack"}
    if isinstance(value, (bytes, str)):
        return _told(_string(value), "string")
    if not isinstance(value, (np.ndarray, np.generic, bool, int, float, complex)):
        size = getattr(value, "size", None)  # of the list that a TensorArray is
        kind = f"list of {size}" if isinstance(size, int) else type(value).__name__
        return {"text": _shorten(kind, SHORT), "full": kind, "type": "resource"}
    array = np.asarray(value)
    shape = (
        "" if not array.ndim else f" ({', '.join(map(str, array.shape))}{',' * (array.ndim == 1)})"
    )
    if array.dtype.kind in "OSU":
        if array.size <= FEW:
            return _told(_nested(array, _string), "string" + shape)
        first = _shorten(_string(array.flat[0]), SHORT)
        return {"text": f"{array.size} strings", "full": f"{first}, …", "type": "string" + shape}
    dtype = array.dtype.name + shape
    if array.size <= FEW:
        alike = array.size > 4 and bool((array == array.flat[0]).all())
        one = _number(array.flat[0], 4) if alike or not array.ndim else ""
        one = f"all {one}" if alike else one
        result = _told(one or _nested(array, _number), dtype)
        bad = array.size - int(np.isfinite(array).sum())
        if bad:
            words = _not_finite(array.ravel()) if array.size > 1 else result["text"]
            result |= {"text": _shorten(words, SHORT), "bad": bad}
        return result
    result = _many(array, dtype)
    if images and not result.get("bad") and array.dtype.kind in "iuf":
        if (found := _tiles(array, fed)) is not None:
            tiles, what = found
            pixels = _montage(tiles)
            height, width = pixels.shape[:2]
            result["image"] = {
                "src": data_uri("image/png", png(pixels)),
                "w": width,
                "h": height,
                "of": what,
            }
    return result


def _told(full: str, dtype: str) -> dict[str, Any]:
    return {"text": _shorten(full, SHORT), "full": _shorten(full, LONG), "type": dtype}


def _many(array: np.ndarray, dtype: str) -> dict[str, Any]:
    """Summarises more numbers than one reads."""
    if array.dtype.kind == "b":
        text = f"{int(array.sum())} of {array.size} true"
        return {"text": text, "full": text, "type": dtype}
    flat = array.ravel()
    flat = np.abs(flat) if array.dtype.kind == "c" else flat
    bad, words = 0, ""
    with np.errstate(all="ignore"):
        mean = float(flat.mean(dtype=np.float64))
        if not math.isfinite(mean):
            finite = np.isfinite(flat)
            bad, words = flat.size - int(finite.sum()), _not_finite(flat)
            flat = flat[finite]
            mean = float(flat.mean(dtype=np.float64)) if flat.size else math.nan
    result: dict[str, Any] = {"type": dtype} | ({"bad": bad} if bad else {})
    if not flat.size:
        return result | {"text": _shorten(words, SHORT), "full": words}
    low, high = flat.min(), flat.max()
    span = float(high) - float(low)
    if not span and not bad:
        return result | _told(f"all {_number(low, 4)}", dtype)
    sample = flat[:: flat.size // SAMPLE + 1].astype(np.float64)
    places = ((sample - float(low)) * ((BARS - 1e-9) / span)).astype(np.intp) if span else [0]
    result["bars"] = np.bincount(places, minlength=BARS).tolist()
    whole = array.dtype.kind in "iu"
    low, high = (_number(each) if whole else f"{each:.3g}" for each in (low, high))
    result |= {"low": low, "mean": f"{mean:.3g}", "high": high}
    result["text"] = f"{low} … {high}"
    result["full"] = f"from {low} to {high}, mean {result['mean']}"
    if bad:
        result["text"] = _shorten(words, SHORT)
        result["full"] = f"{words}, the rest {result['full']}"
    return result


def _tiles(array: np.ndarray, fed: bool) -> tuple[Sequence[np.ndarray], str] | None:
    """The images in an array, each of rank 2 or with colours, and what they are; None for none."""
    shape = array.shape

    def like_image(height: int, width: int, least: int = 8) -> bool:
        return least <= min(height, width) and max(height, width) <= 4 * min(height, width)

    def some(images: np.ndarray, of: str) -> tuple[Sequence[np.ndarray], str]:
        shown = list(images[:TILES])
        return shown, f"{len(shown)} of {len(images)} {of}" if len(images) > 1 else of[:-1]

    if array.ndim == 2:
        side = math.isqrt(shape[1])
        if fed and side * side == shape[1] and side >= 8:
            return some(array.reshape(-1, side, side), "images")
        return ([array], "matrix") if like_image(*shape) and array.min() >= 0 else None
    if array.ndim == 3:
        if shape[2] in (1, 3, 4) and like_image(*shape[:2]):
            return [array[..., :3]], "image"
        return some(array, "images") if like_image(*shape[1:]) and array.min() >= 0 else None
    if array.ndim == 4:
        if shape[3] in (1, 3, 4) and like_image(*shape[1:3], 4):
            return some(array[..., :3], "images")
        if like_image(*shape[1:3], 4):
            return some(np.moveaxis(array[0], -1, 0), "channels of the first image")
        if 2 <= shape[0] <= 11 and 2 <= shape[1] <= 11:
            return some(np.moveaxis(array[:, :, 0], -1, 0), "filters")
    return None


def _montage(tiles: Sequence[np.ndarray]) -> np.ndarray:
    """Images of one size side by side, four in a row, as bytes: darkest 0, brightest 255."""
    step = -(-max(tiles[0].shape[:2]) // TILE)
    small = np.stack([tile[::step, ::step] for tile in tiles]).astype(np.float64)
    low, high = small.min(), small.max()
    if tiles[0].dtype != np.uint8:
        small = (small - low) * (255 / (high - low) if high > low else 0)
    small = small.reshape(*small.shape[:3], -1)
    number, height, width, colors = small.shape
    columns = min(4, number)
    rows = -(-number // columns)
    shape = (rows * (height + 1) - 1, columns * (width + 1) - 1, colors)
    result = np.full(shape, 127, np.uint8)
    for k, tile in enumerate(small):
        top, left = k // columns * (height + 1), k % columns * (width + 1)
        result[top : top + height, left : left + width] = tile
    return result

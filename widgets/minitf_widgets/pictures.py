"""What a drawing function may return, as a picture that a page shows: an SVG or PNG in a data URI.

Taken are the text of an SVG document, an array (a grey or colour image), and anything with
`savefig`, as a Matplotlib figure. In an `<img>`, where it is shown, no script of an SVG runs.
"""

from __future__ import annotations

import base64
import dataclasses
import io
import re
import struct
import sys
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf_widgets import svg

__all__ = ["GREYS", "Picture", "SIGNED", "as_picture", "data_uri", "png", "shades"]

GREYS = ("#ffffff", "#000000")
SIGNED = ("#4393c3", "#ffffff", "#d6604d")  # below zero, zero, above


@dataclasses.dataclass(frozen=True)
class Picture:
    """A picture as a data URI, with its size in pixels; `pixels` says that each one counts.

    `drawn` is in its place the text of an SVG document of this package, which follows the theme.
    """

    href: str
    width: float
    height: float
    pixels: bool = False
    drawn: str = ""

    def element(self, alt: str) -> svg.Markup:
        """Returns it as an element of an SVG document."""
        if self.drawn:
            return svg.Markup(self.drawn)
        rendering = "image-rendering:pixelated" if self.pixels else None
        how = {"width": self.width, "height": self.height, "href": self.href, "style": rendering}
        return svg.element("image", svg.element("title", alt), **how)


def as_picture(what: Any, most: float = 648) -> Picture:
    """Makes a picture.

    Args:
      what: SVG text; an array of shape [height, width] or [height, width, 1, 3 or 4], of bytes or
        of numbers (then from black for the least to white for the largest); a figure; or a
        `Picture`, which is returned.
      most: the greatest width in pixels; what is wider is shown smaller.
    Raises:
      TypeError: when it is nothing of these.
    """
    if isinstance(what, Picture):
        return what
    if hasattr(what, "savefig"):
        text = io.StringIO()
        what.savefig(text, format="svg")
        # A figure of pyplot would be drawn again at the end of the cell, and kept for ever.
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is not None:
            pyplot.close(what)
        what = text.getvalue()
    if isinstance(what, str) and "<svg" in what[:4000]:
        width, height = _size(what)
        return _fit("image/svg+xml", what.encode(), width, height, most)
    if hasattr(what, "__array__"):
        image = np.asarray(what)
        if image.ndim == 2 or (image.ndim == 3 and image.shape[-1] in (1, 3, 4)):
            height, width = image.shape[:2]
            scale = max(1, int(240 // max(height, 1)))
            picture = _fit("image/png", png(image), width * scale, height * scale, most)
            return dataclasses.replace(picture, pixels=True)
        raise TypeError(f"An array of shape {image.shape} is no image: [height, width] is.")
    raise TypeError(
        f"A drawing function returns SVG text, an array or a figure, not {type(what).__name__}."
    )


def _fit(kind: str, data: bytes, width: float, height: float, most: float) -> Picture:
    scale = min(1.0, most / width)
    return Picture(data_uri(kind, data), width * scale, height * scale)


def data_uri(kind: str, data: bytes) -> str:
    """Returns a file of a MIME type as the address that holds it."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def _size(text: str) -> tuple[float, float]:
    head = text[text.index("<svg") :].partition(">")[0]
    box = re.search(r"viewBox=[\"'][-\d.e]+[ ,]+[-\d.e]+[ ,]+([\d.e]+)[ ,]+([\d.e]+)", head)
    found = [re.search(rf"\s{name}=[\"']([\d.]+)(pt)?", head) for name in ("width", "height")]
    if all(found):
        return tuple(float(m[1]) * (4 / 3 if m[2] else 1) for m in found if m)  # type: ignore[return-value]
    return (float(box[1]), float(box[2])) if box else (640.0, 320.0)


def shades(table: Any, low: float, top: float, stops: Sequence[str]) -> str:
    """Returns a table [h, w] as an image's address: colours between `stops`, for low to top."""
    share = (np.asarray(table, float) - low) / ((top - low) or 1.0) * (len(stops) - 1)
    parts = [[int(stop[at : at + 2], 16) for stop in stops] for at in (1, 3, 5)]
    colors = np.stack([np.interp(share, range(len(stops)), part) for part in parts], axis=-1)
    return data_uri("image/png", png(colors.round().astype(np.uint8)))


def png(image: np.ndarray) -> bytes:
    """Encodes an image; see `as_picture` for its shape and values."""
    if image.dtype != np.uint8:
        image = np.nan_to_num(image.astype(np.float64))
        low, high = (image.min(), image.max()) if image.size else (0.0, 1.0)
        image = ((image - low) * (255 / (high - low or 1))).round().astype(np.uint8)
    height, width = image.shape[:2]
    image = image.reshape(height, width, -1)
    kind = {1: 0, 3: 2, 4: 6}[image.shape[2]]  # grey, colour, colour with opacity
    rows = np.zeros((height, 1 + width * image.shape[2]), np.uint8)  # each row's filter: none
    rows[:, 1:] = image.reshape(height, -1)

    def chunk(name: bytes, data: bytes) -> bytes:
        body = name + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    data = zlib.compress(rows.tobytes(), 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")

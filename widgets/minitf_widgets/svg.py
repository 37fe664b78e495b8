"""What pages and static pictures are made of: elements of HTML and SVG, and shapes.

    document(680, 200, text(16, 24, "a < b", bold=True), path("M0 0h9"))  ->  "<svg ..."

Texts of others, as names of tasks and of operations, are escaped; `Markup` is what need not be.
"""

from __future__ import annotations

import dataclasses
import html
import re
from typing import Any

__all__ = [
    "FONT",
    "LIGHT",
    "Look",
    "Markup",
    "circle",
    "document",
    "element",
    "escape",
    "group",
    "image",
    "join",
    "path",
    "rect",
    "text",
]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
#: also half a character of UTF-16, which no file can hold
_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Markup(str):
    """Elements as text, which are not escaped again."""


def escape(text: str) -> str:
    """Returns a text as SVG and HTML hold it; U+FFFD stands for what XML 1.0 forbids."""
    if not (text.isascii() and text.isprintable()):
        text = _NOT_IN_XML.sub("\ufffd", text)
    return html.escape(text)


def join(*parts: Any) -> Markup:
    """Puts parts together, each escaped unless it is `Markup`."""
    return Markup("".join(p if isinstance(p, Markup) else escape(str(p)) for p in parts))


def element(name: str, *inside: Any, **attributes: Any) -> Markup:
    """Returns an element; what is inside is escaped unless it is `Markup`.

    An attribute of None is left out; "_" in its name stands for "-"; numbers have six digits.

    Example:
      >>> element("b", "a < b", title="less")
      '<b title="less">a &lt; b</b>'
    """
    given = "".join(
        f' {key.replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{given}>{join(*inside)}</{name}>")


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value) if isinstance(value, int) else escape(value)


def group(*inside: Any, at: tuple[float, float] | None = None, **attributes: Any) -> Markup:
    """Returns a group of elements, with its origin `at` a point."""
    moved = None if at is None else f"translate({at[0]:g} {at[1]:g})"
    return element("g", *inside, transform=moved, **attributes)


def rect(x: float, y: float, width: float, height: float, **attributes: Any) -> Markup:
    """Returns a rectangle; `says` is what a pointer is told of it."""
    return _shape("rect", x=x, y=y, width=width, height=height, **attributes)


def path(d: str, *, fill: str = "none", **attributes: Any) -> Markup:
    """Returns a path, by default a line."""
    return _shape("path", d=d, fill=fill, **attributes)


def image(x: float, y: float, width: float, height: float, href: str) -> Markup:
    """Returns an image whose pixels stay squares with edges."""
    how = {"href": href, "preserveAspectRatio": "none", "style": "image-rendering:pixelated"}
    return element("image", x=x, y=y, width=width, height=height, **how)


def circle(x: float, y: float, r: float, **attributes: Any) -> Markup:
    """Returns a circle around (x, y)."""
    return _shape("circle", cx=x, cy=y, r=r, **attributes)


def _shape(name: str, says: str = "", **attributes: Any) -> Markup:
    return element(name, element("title", says) if says else "", **attributes)


def text(
    x: float,
    y: float,
    *inside: Any,
    fill: str | None = "#59636e",
    size: float | None = 12,
    bold: bool = False,
    anchor: str | None = None,
    **attributes: Any,
) -> Markup:
    """Returns a line of text at (x, y), muted on a light ground by default."""
    given = {"fill": fill, "font_size": size, "font_weight": 600 if bold else None, **attributes}
    return element("text", *inside, x=x, y=y, text_anchor=anchor, **given)


@dataclasses.dataclass(frozen=True)
class Look:
    """The colours of a picture, and how much of a box's own colour goes into its ground."""

    ground: str
    ink: str
    muted: str
    wire: str
    line: str
    tint: float


#: A picture brings its own ground, since an `<img>` sees nothing of the page's theme.
LIGHT = Look("#ffffff", "#1f2328", "#59636e", "#7d8590", "#c4c9d0", 0.17)


def document(
    width: float, height: float, *inside: Any, title: str = "", ground: str = LIGHT.ground
) -> str:
    """Returns a whole picture; `title` is said first to readers who hear it."""
    size = {"width": width, "height": height, "viewBox": f"0 0 {width:g} {height:g}"}
    return element(
        "svg",
        element("title", title) if title else "",
        element("rect", width="100%", height="100%", rx=8, fill=ground) if ground else "",
        *inside,
        xmlns="http://www.w3.org/2000/svg",
        **size,
        font_family=FONT,
        font_size=13,
        role="img",
    )

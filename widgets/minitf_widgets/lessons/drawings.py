"""The lessons' drawings, so that their cells hold what is taught and not how it is drawn.

Curves and bars are widgets, with values to read off. All else is a picture: it has no ground of its
own, and a grey of text that can be read on white as well as on black.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from IPython.display import HTML, display

from minitf_widgets import svg
from minitf_widgets.base import picture_html
from minitf_widgets.chart import Curve, Row, format_value
from minitf_widgets.colors import CURVES, PALETTE, look_of, mix
from minitf_widgets.figure import Figure, Panel
from minitf_widgets.pictures import GREYS, SIGNED, shades

__all__ = [
    "Diary",
    "INK",
    "belt_svg",
    "draw_bars",
    "draw_bytes",
    "draw_curves",
    "draw_images",
    "draw_lanes",
    "draw_stages",
    "draw_tiles",
    "images_svg",
    "pixels",
    "show",
]

INK = "#7b8088"  # 4 to 1 against white, and against JupyterLab's black
SKY, ORANGE, GREEN, PURPLE = (swatch.color for swatch in PALETTE[:4])


def show(picture: str, words: str) -> None:
    """Shows a picture, the text of an SVG document; `words` tell it to who cannot see it."""
    display(HTML(picture_html(picture, words, "")))


def _tile(x: float, y: float, wide: float, high: float, color: str, text: object) -> svg.Markup:
    """A coloured tile with a text on it."""
    dark = sum(int(color[at : at + 2], 16) for at in (1, 3, 5)) < 330
    words = {"anchor": "middle", "size": 11, "fill": "#ffffff" if dark else "#000000"}
    tile = svg.rect(x, y, wide, high, rx=3, fill=color)
    return svg.join(tile, svg.text(x + wide / 2, y + high / 2 + 4, text, **words))


def _chain(names: Sequence[str], y: float, wide: float, colors: Sequence[str]) -> svg.Markup:
    """Boxes from left to right, with arrows between them."""
    drawn = []
    for place, (name, color) in enumerate(zip(names, colors)):
        x = wide * place
        drawn.append(_tile(x, y, wide - 18, 28, color, name))
        if place:
            drawn.append(svg.path(f"M{x - 17:g} {y + 14:g}h10", stroke=INK))
            drawn.append(svg.path(f"M{x - 1:g} {y + 14:g}l-8 -4v8z", fill=INK))
    return svg.join(*drawn)


def draw_tiles(rows: Mapping[str, Iterable[object]], top: float = 11) -> None:
    """Draws rows of numbers, a tile for each; a gap follows each batch.

    Args:
      rows: by title, the elements: numbers, or batches [n] of numbers.
      top: the number with the lightest colour.
    """
    left, drawn, widest = 12 + 7.4 * max(map(len, rows)), [], 0.0
    for row, (name, elements) in enumerate(rows.items()):
        drawn.append(svg.text(0, 32 * row + 21, name, fill=INK, font_family="monospace"))
        x = left
        for element in elements:
            for value in np.atleast_1d(element):
                color = mix("#fde68a", "#1e3a6e", int(value) / top)
                drawn.append(_tile(x, 32 * row + 4, 22, 26, color, value))
                x += 24
            x += 12 * (np.ndim(element) > 0)
        widest = max(widest, x)
    told = (f"{name}: {' '.join(map(str, elements))}" for name, elements in rows.items())
    show(svg.document(widest, 32 * len(rows) + 6, *drawn, ground=""), "; ".join(told))


def draw_lanes(
    runs: Mapping[str, Sequence[tuple[str, int, float, float]]], until: float = math.inf
) -> None:
    """Draws who worked when: one panel for each run, a lane for each stage, a bar for each element.

    Bars of odd elements lie lower than those of even ones, so that one can see two at a time.

    Args:
      runs: by title, the entries (stage, number of the element, start, end), times in seconds.
      until: bars that end later than this, in seconds after the first start, are left out; the
        titles tell the whole time.
    """
    lanes = list(dict.fromkeys(entry[0] for entries in runs.values() for entry in entries))
    panels = []
    for title, entries in runs.items():
        first, last = min(entry[2] for entry in entries), max(entry[3] for entry in entries)
        cut = f", the first {1e3 * until:.0f} ms" if last - first > until else ""
        bars: dict[str, list[tuple[float, float, str, int]]] = {lane: [] for lane in lanes}
        for lane, element, start, end in entries:
            if end - first <= until:
                times = 1e3 * (start - first), 1e3 * (end - first)
                bars[lane].append((*times, str(element), int(element) % 2))
        rows = [Row(lane, _own(lane, place), bars[lane]) for place, lane in enumerate(lanes)]
        head = f"{title}: {1e3 * (last - first):.0f} ms{cut}"
        panels.append(Panel(rows=rows, x="milliseconds", title=head))
    display(Figure(panels))


def _own(name: str, place: int) -> str:
    """The colour of a thing, or else of the one in this place."""
    return (look_of(name) or CURVES[place % len(CURVES)]).color


def draw_bytes(path: str | Path, columns: int = 24) -> None:
    """Draws a TFRecord file as a table of bytes, coloured by what they are; letters as letters."""
    content = Path(path).read_bytes()
    colours: list[str] = []
    while len(colours) < len(content):
        length = int.from_bytes(content[len(colours) : len(colours) + 8], "little")
        colours += [ORANGE] * 8 + [PURPLE] * 4 + [SKY] * length + [PURPLE] * 4
    words, drawn = "orange: length    purple: checksum    blue: the data", []
    for place, (byte, colour) in enumerate(zip(content, colours, strict=True)):
        y, x = divmod(place, columns)
        text = chr(byte) if 32 < byte < 127 else f"{byte:02x}"
        drawn.append(_tile(28 * x, 24 + 28 * y, 26, 26, colour, text))
    drawn.append(svg.text(0, 14, words, fill=INK, style="white-space:pre"))
    rows = -(-len(content) // columns)
    show(svg.document(28 * columns, 28 * rows + 26, *drawn, ground=""), words)


def images_svg(
    images: Sequence[Any],
    titles: Sequence[object] = (),
    rows: int = 1,
    signed: bool = False,
    numbers: bool = False,
) -> str:
    """Returns images [h, w] as SVG, side by side, each in a frame.

    Args:
      images: numbers of any range; all images have one scale.
      titles: a caption for each; none by default.
      rows: in how many rows.
      signed: white is 0, red is positive and blue negative, and a scale says how much; otherwise
        from white (the least value) to black.
      numbers: whether each pixel has its number on it.
    """
    columns = -(-len(images) // rows)
    captions = [str(t).splitlines() for t in titles] + [[]] * (len(images) - len(titles))
    side = min(150.0 if numbers else 108.0, 680 / columns - 8)
    head = 15.0 * max(map(len, captions)) + 6
    wide = max(columns * (side + 8), 7.0 * max((len(t) for t in captions[0]), default=0))
    low, top = min(np.min(each) for each in images), max(np.max(each) for each in images)
    most = max(abs(low), abs(top)) or 1.0
    low, top = (-most, most) if signed else (low, top)
    drawn = []
    for place, (image, lines) in enumerate(zip(images, captions)):
        x, y = place % columns * (side + 8) + 1, place // columns * (side + head + 4) + head
        for line, text in enumerate(lines):
            at = y - 6 - 15 * (len(lines) - 1 - line)
            middle = {} if columns == 1 else {"anchor": "middle"}
            drawn.append(svg.text(x + side / 2 * bool(middle), at, text, fill=INK, **middle))
        drawn.append(pixels(image, (x, y, side, side), low, top, SIGNED if signed else GREYS))
        cell = side / len(image)
        for (i, j), value in np.ndenumerate(image) if numbers else ():
            ink = "#ffffff" if abs(value) > 0.6 * top else "#000000"
            at = x + (j + 0.5) * cell, y + (i + 0.5) * cell + 4
            drawn.append(svg.text(*at, f"{value:g}", anchor="middle", fill=ink))
    if signed:
        bar = (wide + 4, head, 12, side)
        drawn.append(pixels(np.linspace(top, -top, 32)[:, None], bar, low, top, SIGNED))
        for value, y in ((top, 10), (0, side / 2 + 4), (low, side)):
            drawn.append(svg.text(wide + 20, head + y, format_value(value, 2), fill=INK))
    high = rows * (side + head + 4)
    return svg.document(wide + 64 * signed, high, *drawn, ground="")


def draw_images(images: Sequence[Any], titles: Sequence[object] = (), **how: Any) -> None:
    """Shows the picture of `images_svg`."""
    told = ", ".join(str(title).replace("\n", " ") for title in titles)
    show(images_svg(images, titles, **how), f"images: {told}" if told else f"{len(images)} images")


def pixels(table: Any, box: Any, low: float, top: float, stops: Sequence[str]) -> svg.Markup:
    """A table as an image in a frame: x, y, width, height."""
    return svg.join(
        svg.image(*box, shades(table, low, top, stops)),
        svg.rect(*box, fill="none", stroke=INK, stroke_width=0.8),
    )


def draw_bars(values: Mapping[str, float], label: str, ordered: bool = True) -> None:
    """Draws numbers as bars from zero to the left or right.

    Args:
      values: by name.
      label: what they are.
      ordered: the largest above; otherwise in the order of `values`.
    """
    names = sorted(values, key=lambda name: -abs(values[name])) if ordered else list(values)
    numbers = [float(values[name]) for name in names]
    form = "+.3f" if min(numbers) < 0 else ",.0f" if max(numbers) >= 1000 else ".3g"
    rows = [
        Row(name, _own(name, int(number < 0)), [(0.0, number, f"{number:{form}}", 0)], True)
        for name, number in zip(names, numbers, strict=True)
    ]
    display(Figure([Panel(rows=rows, x=label)]))


def draw_curves(
    *panels: Mapping[str, Any],
    xlabel: str = "epoch",
    ylabel: str = "",
    log: bool | str = False,
    ticks: Sequence[object] = (),
    points: bool = False,
) -> None:
    """Draws panels side by side.

    Args:
      *panels: the curves of each by name: values from number 1 on, or by number.
      xlabel: what the numbers count.
      ylabel: what the values are; by default the name of the first curve.
      log: whether each line upwards is ten times the one below; "both": to the right, too.
      ticks: what stands below number 1, 2 and so on, in place of these.
      points: whether there are marks alone, and the values are (xs, ys).
    """
    drawn = []
    for panel in panels:
        curves = []
        for name, values in panel.items():
            if not points:
                pairs = values if isinstance(values, Mapping) else dict(enumerate(values, 1))
                values = pairs, pairs.values()
            xs, ys = ([*map(float, each)] for each in values)
            curves.append(Curve(name, xs, ys, points=points))
        few = xs if len(xs) < 8 and log == "both" else ()  # these rather than powers of ten
        own = [(x, format_value(x)) for x in few] or [(k, str(t)) for k, t in enumerate(ticks, 1)]
        how = {"x": xlabel, "y": ylabel or curves[0].name, "ticks": own}
        drawn.append(Panel(curves, **how, log_x=log == "both", log_y=bool(log)))
    display(Figure(drawn))


def draw_stages(once: Sequence[str], always: str) -> None:
    """Draws the stages of a run: boxes that come once, and the one that always comes."""
    wide, words = 92.0, {"anchor": "middle", "fill": INK}
    drawn = [
        _chain([*once, always], 6, wide, [SKY] * len(once) + [GREEN]),
        svg.text((wide * len(once) - 18) / 2, 54, "once, the first time", **words),
        svg.text(wide * (len(once) + 0.5) - 9, 54, "every time", **words),
    ]
    picture = svg.document(wide * (len(once) + 1) - 16, 60, *drawn, ground="")
    show(picture, f"{', '.join(once)} once; then {always} every time")


def belt_svg(size: int, capacity: int, putting: bool = True, taking: bool = True) -> str:
    """Returns a queue as SVG: full and empty places, and who of the two has to wait.

    Args:
      size: how many elements are in it.
      capacity: how many there is room for.
      putting, taking: False for the side that waits.
    """
    wide, left = 34, 120
    pieces = []
    for place in range(capacity):
        full = place >= capacity - size  # the first to be taken is on the right
        fill = SKY if full else "none"
        box = left + place * wide, 14, wide - 4, 30
        pieces.append(svg.rect(*box, rx=4, fill=fill, stroke=INK))
    right = left + capacity * wide
    for x, anchor, name, busy in (
        (left - 10, "end", "puts ▸", putting),
        (right + 6, "start", "▸ takes", taking),
    ):
        words = name if busy else f"{name.strip(' ▸')}: WAITS"
        pieces.append(svg.text(x, 34, words, anchor=anchor, bold=not busy, size=14, fill=INK))
    return svg.document(right + 120, 58, *pieces, ground="")


class Diary:
    """Keeps when each stage of a pipeline began and ended with each element.

    Attributes:
      entries: (stage, number of the element, start, end), times in seconds.
    """

    def __init__(self) -> None:
        self.entries: list[tuple[str, int, float, float]] = []

    def worker(self, stage: str, milliseconds: float) -> Callable[[Any], Any]:
        """Returns a function that takes so long, hands its element on, and writes it down."""

        def work(element: Any) -> Any:
            start = time.perf_counter()
            time.sleep(milliseconds / 1000)
            self.entries.append((stage, int(element), start, time.perf_counter()))
            return element

        return work

    def close(self) -> list[tuple[str, int, float, float]]:
        """Returns the entries, and begins a new page."""
        entries, self.entries = self.entries, []
        return entries

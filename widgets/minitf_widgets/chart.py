"""Line charts for the static pictures: what src/common/chart.ts draws on the page.

    chart_svg([Curve("loss", xs, ys)], x="step")  ->  "<g>...</g>", 640 by 200

Axes with few round numbers; curves told apart by colour, dash and mark, named with their last value
below. Values that are not finite leave a gap. Colours are fixed and the ground is light, since an
image cannot follow the notebook's theme.
"""

from __future__ import annotations

import dataclasses
import math
import textwrap
from collections.abc import Callable, Iterable, Sequence

from minitf_widgets import svg
from minitf_widgets.colors import CURVES, PALETTE, Swatch, inked, look_of, mix
from minitf_widgets.svg import LIGHT

__all__ = [
    "Curve",
    "Row",
    "Scale",
    "chart_svg",
    "counted",
    "format_bytes",
    "format_value",
    "rows_svg",
    "sendable",
    "stacked",
    "ticks",
]

GRID = "#d9dde2"
LEVEL = 15  # the height of a bar
_FEW = 30  # so few points have a mark each


@dataclasses.dataclass
class Curve:
    """A named row of points; `style` is its place in the palette, `points` draws marks alone."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    style: int | None = None
    points: bool = False

    def look(self, index: int) -> Swatch:
        """Its colour, dash and mark as the `index`-th of a chart; the first is drawn through."""
        own = look_of(self.name) if self.style is None else PALETTE[self.style % len(PALETTE)]
        look = own or CURVES[index % len(CURVES)]
        dash = look.dash if own or index else ""
        return dataclasses.replace(look, color=inked(look.color), dash=dash)

    def told(self, x: str) -> str:
        """The curve over `x` in words."""
        f, known = format_value, [y for y in self.ys if math.isfinite(y)] or self.ys
        ends = f"{f(self.ys[0])} at {x} {f(self.xs[0])}, {f(self.ys[-1])} at {f(self.xs[-1])}"
        return f"{self.name}: {ends}, least {f(min(known))}, most {f(max(known))}"


def sendable(values: Iterable[float]) -> list[float | str]:
    """Numbers as JSON, which knows none that is not finite."""
    return [v if math.isfinite(v) else str(v).replace("inf", "Infinity") for v in values]


def format_value(value: float, digits: int = 3) -> str:
    """A number in about three digits.

    Example:
      >>> [format_value(x) for x in (12345, 1 / 3, 0.00002, float("nan"))]
      ['12,345', '0.333', '2e-05', 'NaN']
    """
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "∞" if value > 0 else "-∞"
    if abs(value) < 1e6 and (value == int(value) or abs(value) >= 10 ** (digits + 1)):
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def counted(number: int, what: str) -> str:
    """A number of things: "1 step", "1,200 steps"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def format_bytes(size: float) -> str:
    """Returns a size with three digits, in powers of 1000: 1536 -> "1.54 kB"."""
    unit = 0
    while size >= 999.5 and unit < 4:
        size /= 1000
        unit += 1
    digits = 0 if unit == 0 or size >= 99.95 else 1 if size >= 9.995 else 2
    return f"{size:.{digits}f} {('B', 'kB', 'MB', 'GB', 'TB')[unit]}"


def ticks(low: float, high: float, count: int = 5, log: bool = False) -> list[float]:
    """Round numbers from `low` to `high`, about `count`.

    Example:
      >>> ticks(0, 97), ticks(0.01, 5, log=True)
      ([0, 20, 40, 60, 80], [0.01, 0.1, 1.0])
    """
    if log and math.log10(high / low) >= 1:
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        if last - first < 2:
            fine = [f * 10.0**power for power in range(first - 1, last + 1) for f in (1, 2, 5)]
            return [tick for tick in fine if low * 0.9999 <= tick <= high * 1.0001]
        return [10.0**power for power in range(first, last + 1, (last - first) // count + 1)]
    rough = (high - low) / count
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(f * unit for f in (1, 2, 5, 10) if f * unit >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    found = (float(f"{i * step:.12g}") for i in range(first, last + 1))
    return [int(tick) if tick == int(tick) and abs(tick) < 1e9 else tick for tick in found]


class Scale:
    """An axis: from values to pixels; `room` is the share left free at each end."""

    def __init__(
        self, values: Iterable[float], start: float, end: float, log: bool = False, room: float = 0
    ):
        known = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
        low, high = min(known, default=0.1), max(known, default=1.0)
        if low == high:
            low, high = (low / 2, high * 2) if log else (low - 0.5, high + 0.5)
        self.start, self.end, self.log = start, end, log
        self._map: Callable[[float], float] = math.log if log else float
        more = (self._map(high) - self._map(low)) * room
        self.low, self.high = (
            (low / math.exp(more), high * math.exp(more)) if log else (low - more, high + more)
        )

    def __call__(self, value: float) -> float:
        low, high = self._map(self.low), self._map(self.high)
        return self.start + (self.end - self.start) * (self._map(value) - low) / (high - low)

    def shows(self, value: float) -> bool:
        """Whether the value has a place here."""
        return math.isfinite(value) and (value > 0 or not self.log)

    def ticks(self, count: int) -> list[float]:
        """Round numbers on it."""
        return ticks(self.low, self.high, count, self.log)


def chart_svg(
    curves: Sequence[Curve],
    *,
    x: str = "",
    y: str = "",
    log_x: bool = False,
    log_y: bool = False,
    ticks: Sequence[tuple[float, str]] = (),
    width: float = 640,
    height: float = 200,
) -> svg.Markup:
    """Draws curves; returns an SVG group whose left top corner is (0, 0)."""
    left, right, top, bottom = 58.0, width - 16, 10.0, height - 66
    across = Scale((v for c in curves for v in c.xs), left, right, log_x)
    up = Scale((v for c in curves for v in c.ys), bottom, top, log_y, 0.04)
    parts = []
    for tick, text in ticks or [(tick, format_value(tick)) for tick in across.ticks(6)]:
        parts.append(svg.path(f"M{across(tick):.1f} {top}V{bottom}", stroke=GRID))
        parts.append(svg.text(across(tick), bottom + 16, text, anchor="middle"))
    for tick in up.ticks(4):
        parts.append(svg.path(f"M{left} {up(tick):.1f}H{right}", stroke=GRID))
        parts.append(svg.text(left - 7, up(tick) + 4, format_value(tick), anchor="end"))
    parts.append(svg.text((left + right) / 2, bottom + 33, x, anchor="middle"))
    turned = f"translate(13 {(top + bottom) / 2:g}) rotate(-90)"
    parts.append(svg.text(0, 0, y, anchor="middle", transform=turned))
    at, y_legend = left, height - 12
    for index, curve in enumerate(curves):
        look = curve.look(index)
        parts += _curve(curve, look, across, up)
        last = f" {format_value(curve.ys[-1])}" if len(curve.ys) and not curve.points else ""
        long = 36 + 6.6 * len(curve.name + last)
        if at > left and at + long > width:
            at, y_legend = left, y_legend + 17
        parts.append(svg.text(at, y_legend, look.marker, fill=look.color))
        parts.append(svg.text(at + 15, y_legend, curve.name + last, fill=LIGHT.ink))
        at += long
    return svg.group(*parts)


def _curve(curve: Curve, look: Swatch, across: Scale, up: Scale) -> list[svg.Markup]:
    dots, line, pen = [], "", "M"
    stride = max(1, len(curve.xs) // 1000)
    for i, (x, y) in enumerate(zip(curve.xs, curve.ys)):
        if i % stride and i != len(curve.xs) - 1:
            continue
        if not (across.shows(x) and up.shows(y)):
            pen = "M"
            continue
        dots.append((across(x), up(y)))
        line += f"{pen}{dots[-1][0]:.1f} {dots[-1][1]:.1f}"
        pen = "L"
    how = {"stroke": look.color, "stroke_width": 2, "stroke_dasharray": look.dash or None}
    drawn = [] if curve.points else [svg.path(line, **how)]
    mark = {"fill": look.color, "anchor": "middle", "size": 11}
    marked = dots if len(dots) <= _FEW or curve.points else dots[-1:]
    return drawn + [svg.text(px, py + 4, look.marker, **mark) for px, py in marked]


@dataclasses.dataclass
class Row:
    """A named row of bars.

    Attributes:
      name, color: what stands at its left, and the colour of its bars.
      bars: (from, to, text, level) of each; bars of another level lie a bit lower.
      beside: whether the texts stand at the ends of the bars.
    """

    name: str
    color: str
    bars: Sequence[tuple[float, float, str, int]]
    beside: bool = False

    def told(self) -> str:
        """The row in words."""
        return " ".join([self.name, *(text for _, _, text, _ in self.bars)])


def rows_svg(
    rows: Sequence[Row], *, x: str = "", title: str = "", width: float = 640
) -> tuple[svg.Markup, float]:
    """Draws rows of bars along one axis; returns an SVG group from (0, 0) down, and its height."""
    ends = [end for row in rows for bar in row.bars for end in bar[:2]]
    beside = 64.0 if rows[0].beside else 12.0
    left = 20 + 6.6 * max(len(row.name) for row in rows)
    across = Scale(ends, left + beside * (min(ends) < 0), width - beside)
    y, parts = 24.0 if title else 4.0, [svg.text(0, 14, title, bold=True, fill=LIGHT.ink)]
    high = LEVEL * (1 + max(bar[3] for row in rows for bar in row.bars)) + 6
    bottom = y + high * len(rows)
    for tick in across.ticks(6):
        parts.append(svg.path(f"M{across(tick):.1f} {y}V{bottom}", stroke=GRID))
        parts.append(svg.text(across(tick), bottom + 16, format_value(tick), anchor="middle"))
    for row in rows:
        parts.append(svg.text(left - 12, y + high / 2 + 1, row.name, anchor="end", fill=LIGHT.ink))
        how = {"style": f"--c:{row.color}"}  # for the page, which mixes it with its own ground
        how |= {"fill": mix(row.color, LIGHT.ground, 0.5), "stroke": inked(row.color)}
        for start, end, text, level in row.bars:
            low, top = sorted((across(start), across(end)))
            at, long = y + LEVEL * level, max(top - low, 1.0)
            span = "" if row.beside else f": {format_value(start)} to {format_value(end)}"
            says = f"{row.name}, {text}{span} {x}"
            parts.append(svg.rect(low, at, long, LEVEL, **how, says=says))
            place, anchor = ((low + top) / 2, "middle")
            if row.beside:
                place, anchor = (top + 6, "start") if end >= start else (low - 6, "end")
            if row.beside or 6.6 * len(text) < long:
                words = {"anchor": anchor, "size": 11, "fill": LIGHT.ink}
                parts.append(svg.text(place, at + 11.5, text, **words))
        y += high
    parts.append(svg.text((left + width) / 2, bottom + 33, x, anchor="middle"))
    return svg.group(*parts), bottom + 42


def stacked(
    title: str, parts: Sequence[tuple[str, float]], note: str = "", width: float = 680
) -> str:
    """A whole picture: a title, a line below it, and parts below each other.

    Args:
      title, note: texts; both may be empty.
      parts: SVG elements, each with its height in pixels.
    Returns: the text of an SVG document.
    """
    body, y = [svg.text(16, 24, title, fill=LIGHT.ink, size=15, bold=True)], 34.0 if title else 2.0
    for line in textwrap.wrap(note, int(width / 6.4)):
        y += 16
        body.append(svg.text(16, y - 7, line))
    for part, height in parts:
        body.append(svg.group(part, at=(16, y + 6)))
        y += height + 6
    return svg.document(width, y + 12, *body)

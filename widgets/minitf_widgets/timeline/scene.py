"""Steps as plain data for the page, and one of them as a static picture.

    Step -> {"lanes": [...], "bars": [[lane, start, length, name, ...], ...], "arrows": [...], ...}

Bars are rows of numbers and texts, in the order of `FIELDS`, since a step may have thousands.
"""

from __future__ import annotations

from typing import Any

from minitf_widgets import svg
from minitf_widgets.graph.scene import KINDS
from minitf_widgets.svg import GREY, mix, swatch
from minitf_widgets.timeline.steps import Step
from minitf_widgets.traffic.rates import format_bytes

__all__ = ["FIELDS", "draw_svg", "micros", "step_data"]

FIELDS = ("lane", "start", "length", "name", "op", "node", "kind", "size", "waited", "why")
WIDTH, GUTTER, ROW, TOP = 960.0, 168.0, 34.0, 34.0
WORDS = {
    "send": ("sends", GREY),
    "wait": ("waits for a tensor", GREY),
    "pipeline": ("input pipeline", "#a06a3b"),
}


def micros(value: float) -> str:
    """Returns a time in the unit that suits it.

    Example:
      >>> micros(7), micros(1234.0), micros(2_500_000)
      ('7 µs', '1.23 ms', '2.5 s')
    """
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.0f} µs"


def kinds_of(step: Step) -> dict[str, tuple[str, str]]:
    """The kinds of the step's bars: what the legend says, and the colour."""
    seen = {bar.kind for bar in step.bars}
    known = {**{kind: KINDS[kind] for kind in KINDS}, **WORDS}
    return {kind: known[kind] for kind in known if kind in seen}


def lane_looks(step: Step) -> list[dict[str, str]]:
    """The colour and the mark of each lane: those of its device in a GraphView."""
    devices = sorted({lane.device for lane in step.lanes})
    order = {device: swatch(k) for k, device in enumerate(devices)}
    return [
        {"color": order[lane.device].color, "marker": order[lane.device].marker}
        for lane in step.lanes
    ]


def step_data(step: Step) -> dict[str, Any]:
    """One step for the page."""
    looks = lane_looks(step)
    lanes = [
        {
            "label": lane.label,
            "device": lane.device,
            "pipeline": lane.is_pipeline,
            "simulated": lane.simulated,
            "busy": round(lane.busy / step.length, 4),
            **look,
        }
        for lane, look in zip(step.lanes, looks, strict=True)
    ]
    return {
        "length": step.length,
        "lanes": lanes,
        "bars": [[getattr(bar, field) for field in FIELDS] for bar in step.bars],
        "critical": [index for index, bar in enumerate(step.bars) if bar.critical],
        "arrows": [list(arrow) for arrow in step.arrows],
        "dearest": step.dearest(),
        "kinds": {kind: list(pair) for kind, pair in kinds_of(step).items()},
    }


def draw_svg(step: Step, color_by: str, theme: str, caption: str) -> str:
    """Draws the whole step.

    Args:
      step: which.
      color_by: "device" or "kind".
      theme: "light" or "dark".
      caption: said first to readers who hear the picture.
    Returns: the text of an SVG document.
    """
    look, looks, kinds = svg.THEMES[theme], lane_looks(step), kinds_of(step)
    scale = (WIDTH - GUTTER - 16) / step.length
    height = TOP + ROW * len(step.lanes) + 44
    out = []
    for tick in range(5):
        x = GUTTER + (WIDTH - GUTTER - 16) * tick / 4
        line = f"M{x:.1f} {TOP - 8:g}V{height - 40:g}"
        out.append(svg.path(line, stroke=look.muted, stroke_opacity=0.3))
        how = {"anchor": "end" if tick == 4 else "start", "size": 11, "fill": look.muted}
        out.append(svg.text(x, TOP - 14, micros(step.length * tick / 4), **how))
    for index, lane in enumerate(step.lanes):
        y, name = TOP + ROW * index, f"{looks[index]['marker']} {lane.label}"
        out.append(svg.text(12, y + 13, name, bold=True, fill=look.ink))
        busy = f"busy {lane.busy / step.length:.0%}"
        out.append(svg.text(12, y + 27, busy, size=10.5, fill=look.muted))
    for bar in step.bars:
        own = bar.kind in WORDS or color_by == "kind"
        color = kinds[bar.kind][1] if own else looks[bar.lane]["color"]
        x, y, width = GUTTER + bar.start * scale, TOP + ROW * bar.lane + 4, bar.length * scale
        waits = bar.kind == "wait"
        how = {
            "fill": mix(color, look.ground, 0.12 if waits else 0.55),
            "stroke": look.ink if bar.critical else mix(color, look.ink, 0.8),
            "stroke_width": 1.6 if bar.critical else 0.6,
            "stroke_dasharray": "3 2" if waits else None,
            "says": f"{bar.name}, {micros(bar.length)}",
        }
        out.append(svg.rect(x, y, max(width, 1), ROW - 12, **how))
        if width > 7 * len(bar.op) + 6 and not waits:
            how = {"anchor": "middle", "size": 10.5, "fill": look.ink}
            out.append(svg.text(x + width / 2, y + 15, bar.op.lstrip("_"), **how))
    for source, target, size in step.arrows:
        a, b = step.bars[source], step.bars[target]
        x1, x2 = GUTTER + a.end * scale, GUTTER + b.end * scale
        y1, y2 = (TOP + ROW * bar.lane + ROW / 2 - 2 for bar in (a, b))
        says = f"{a.node}, {format_bytes(size)}"
        out.append(svg.path(f"M{x1:.1f} {y1:g}L{x2:.1f} {y2:g}", stroke=look.wire, says=says))
        out.append(svg.circle(x2, y2, 2.5, fill=look.wire))
    x, y = 12.0, height - 26
    for words, ground in [*kinds.values()] if color_by == "kind" else ():
        out.append(svg.rect(x, y, 14, 11, rx=3, fill=mix(ground, look.ground, 0.55), stroke=ground))
        out.append(svg.text(x + 20, y + 10, words, size=11.5, fill=look.ink))
        x += 36 + 6.4 * len(words)
    return svg.document(WIDTH, height, *out, title=caption, ground=look.ground)

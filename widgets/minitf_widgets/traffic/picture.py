"""The static picture of a cluster's traffic: what every task and link has carried, as SVG.

It is what a saved notebook shows where no kernel runs. By then the traffic is over, so boxes and
lanes tell totals, not the rates of the last second. Colours are fixed and the ground is light,
since an image cannot follow the notebook's theme.

The page draws the same places (`layout`) in its own width.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from minitf_widgets import svg
from minitf_widgets.chart import format_bytes
from minitf_widgets.colors import color_of, inked
from minitf_widgets.svg import LIGHT
from minitf_widgets.traffic.layout import FULL, WIDTH, Box, Point, lay_out
from minitf_widgets.traffic.wire import parse_task, short_label, task_label, total_text, wait_texts

_HEADER = 46
_FOOTER = 34
_WAITS = 5  # lines on what tasks wait for
_MOST_LANES = 1000  # that are drawn: those that have carried most
_FROM_PS, _TO_PS, _OTHER = (inked(color_of(each)) for each in ("variable", "gradient", "input"))
_LEGEND = (
    (_FROM_PS, "from a parameter server"),
    (_TO_PS, "to a parameter server"),
    (_OTHER, "between other tasks"),
)


def lane_width(size: float, most: float) -> float:
    """Returns a lane's width in pixels: 7 for the `most` bytes, 1.5 less a decade, 1.5 at least."""
    return max(1.5, 7.0 + 1.5 * math.log10(max(size, 1.0) / max(most, 1.0)))


def traffic_svg(tick: Mapping[str, Any] | None) -> str:
    """Draws the state at a snapshot.

    Args:
      tick: a clean snapshot, or None before the first.
    Returns: the text of an SVG document.
    """
    tick = tick or {"tasks": [], "counters": {}, "waits": []}
    states = {task["task"]: task for task in tick["tasks"]}
    totals = {key: count["bytes"] for key, count in tick["counters"].items()}
    most = max(totals.values(), default=0)
    carried = {task: [0, 0] for task in states}  # bytes in, out
    for key, size in totals.items():
        for end, way in zip(key.split("|"), (1, 0), strict=True):
            carried.setdefault(end, [0, 0])[way] += size
    widest = sorted(totals, key=lambda key: -totals[key])[:_MOST_LANES]
    layout = lay_out(carried, widest)
    parts = []
    for key in widest:
        source, destination = key.split("|")
        if source != destination:
            dead = not all(states.get(end, {}).get("alive", True) for end in (source, destination))
            parts.append(_lane(key, layout.lanes[key], tick["counters"][key], most, dead))
    for task, box in layout.boxes.items():
        parts.append(_box(box, states.get(task), carried[task]))
    if not layout.boxes:
        parts.append(svg.text(WIDTH / 2, 6, "No tasks yet", size=13, anchor="middle"))
    waits = wait_texts(tick)[:_WAITS]
    height = _HEADER + layout.height + _FOOTER + 20 * len(waits)
    below = height - _FOOTER - 20 * len(waits)
    told = [svg.text(16, below + 20 * (i + 1), w, fill=LIGHT.ink) for i, w in enumerate(waits)]
    header = _header(tick, len(totals) - len(widest))
    body = svg.group(*parts, at=(0, _HEADER))
    return svg.document(WIDTH, height, *header, body, *told, *_legend(height - 12))


def _header(tick: Mapping[str, Any], left_out: int) -> list[svg.Markup]:
    total = f"{total_text(tick['counters'].values())} in all"
    total += f"; {left_out:,} links that carried less are left out" if left_out else ""
    title = svg.text(16, 27, "Traffic between tasks", size=15, bold=True, fill=LIGHT.ink)
    return [title, svg.text(WIDTH - 16, 27, total, size=13, anchor="end")]


def _lane(
    key: str, curve: list[Point], count: Mapping[str, int], most: float, dead: bool
) -> svg.Markup:
    source, destination = key.split("|")
    to_ps = _TO_PS if parse_task(destination)[0] == "ps" else _OTHER
    color = _FROM_PS if parse_task(source)[0] == "ps" else to_ps
    color = LIGHT.line if dead else color
    start, *rest = (f"{x:.1f} {y:.1f}" for x, y in curve)
    line = f"M{start}C{' '.join(rest)}"
    turned = f"translate({rest[-1]}) rotate({90 if curve[-1][1] > curve[-2][1] else -90})"
    says = f"{task_label(source)} to {task_label(destination)}: {total_text([count])}"
    width, dash = lane_width(count["bytes"], most), "4 4" if dead else None
    return svg.group(
        svg.element("title", says),
        svg.path(line, stroke=color, stroke_width=width, stroke_dasharray=dash),
        svg.path("M0 0L-10 -6L-10 6Z", fill=color, transform=turned),
        opacity=0.85,
    )


def _box(box: Box, state: Mapping[str, Any] | None, carried: Iterable[int]) -> svg.Markup:
    dead = state is not None and not state["alive"]
    ink = LIGHT.muted if dead else LIGHT.ink
    frame = {
        "fill": "#f1f2f4" if dead else "#f8f9fb",
        "stroke": LIGHT.line if dead else LIGHT.muted,
        "stroke_width": 1.2,
        "stroke_dasharray": "5 4" if dead or state is None else None,
    }
    label = (task_label if box.width >= 66 else short_label)(box.task)
    numbers = [f"{way} {format_bytes(n)}" for way, n in zip(("in", "out"), carried, strict=True)]
    if box.height < FULL:
        numbers = [format_bytes(sum(carried))]
    parts = [svg.rect(0, 0, box.width, box.height, rx=8, **frame)]
    for i, line in enumerate([label, *(["✕ dead"] if dead else numbers)]):
        look = {"fill": ink, "bold": not i, "size": 10 if i else 13, "anchor": "middle"}
        parts.append(svg.text(box.width / 2, 19 + box.height * i // 3.2, line, **look))
    return svg.group(*parts, at=(box.x, box.y))


def _legend(y: float) -> list[svg.Markup]:
    parts, x = [], 16
    for color, label in _LEGEND:
        parts.append(svg.path(f"M{x} {y - 4:g}h20", stroke=color, stroke_width=4))
        parts.append(svg.path(f"M{x + 26} {y - 4:g}l-9 -5v10Z", fill=color))
        parts.append(svg.text(x + 32, y, label))
        x += 46 + 7 * len(label)
    return [*parts, svg.text(x, y, "width: total bytes")]

"""The static picture of a cluster's traffic: what every task and link has carried, as SVG.

It is what a saved notebook shows where no kernel runs. By then the traffic is over, so boxes and
lanes tell totals, not the rates of the last second. Colours are fixed and the ground is light,
since an image cannot follow the notebook's theme.

    row 0   ps 0    ps 1          a link is a lane from edge to edge: the two directions of a pair
    row 1   worker 0 .. worker 2  stand side by side, a lane within a row bows below it, and one
    row 2   evaluator, client     that passes a row goes behind the boxes

The page follows its own width, and routes lanes around boxes (src/traffic/layout.ts).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any

from minitf_widgets import svg
from minitf_widgets.chart import format_bytes
from minitf_widgets.svg import LIGHT, PALETTE
from minitf_widgets.traffic.wire import parse_task, short_label, task_label

_WIDTH = 860
_MARGIN = 14
_NARROW = 46  # the least width of a box and its gap
_GAP, _GAP_BROKEN = 104, 24  # below a row, and below a piece of a long row
_SIDE = 5.5  # pixels of a lane from the middle of its pair
_BOW = 44
_ROWS = {"ps": 0, "chief": 1, "master": 1, "worker": 1}
_HEADER = 46
_FOOTER = 34
_WAITS = 5  # lines on what tasks wait for
_MOST_LANES = 1000  # that are drawn: those that have carried most
_FROM_PS, _TO_PS, _OTHER = (PALETTE[place].color for place in (5, 4, 2))
_LEGEND = (
    (_FROM_PS, "from a parameter server"),
    (_TO_PS, "to a parameter server"),
    (_OTHER, "between other tasks"),
)


@dataclasses.dataclass(frozen=True)
class Box:
    """A task's place; pixels."""

    task: str
    x: float
    y: float
    width: float

    @property
    def compact(self) -> bool:
        """Whether there is room for the name and one number only."""
        return self.width < 124 or parse_task(self.task)[0] not in _ROWS

    @property
    def height(self) -> float:
        return 46 if self.compact else 80

    def port(self, other: Box) -> float:
        """Returns where on its edge the lanes to another box begin: towards where that stands."""
        middle = self.x + self.width / 2
        way = 2 * (other.x + other.width / 2 - middle) / _WIDTH
        return middle + 0.35 * self.width * min(max(way, -1.0), 1.0)


def place_boxes(tasks: Iterable[str]) -> dict[str, Box]:
    """Places servers above, workers below them, all others under these; long rows are broken."""
    rows: dict[int, list[tuple[str, int, str]]] = {}
    for task in tasks:
        job, index = parse_task(task)
        rows.setdefault(_ROWS.get(job, 2), []).append((job, index or 0, task))
    boxes: dict[str, Box] = {}
    fit, y = (_WIDTH - 2 * _MARGIN) // _NARROW, float(_MARGIN)
    for _, row in sorted(rows.items()):
        names = [task for _, _, task in sorted(row)]
        pieces = math.ceil(len(names) / fit)
        for k in range(pieces):
            piece = names[k * len(names) // pieces : (k + 1) * len(names) // pieces]
            slot = (_WIDTH - 2 * _MARGIN) / len(piece)
            width = min(176.0, slot - (12 if slot >= 80 else 4))
            for i, task in enumerate(piece):
                boxes[task] = Box(task, _MARGIN + slot * (i + 0.5) - width / 2, y, width)
            y += boxes[piece[0]].height + (_GAP if k == pieces - 1 else _GAP_BROKEN)
    return boxes


def lane_width(size: float, most: float) -> float:
    """Returns a lane's width in pixels: 7 for the `most` bytes, 1.5 less a decade, 1.5 at least."""
    return max(1.5, 7.0 + 1.5 * math.log10(max(size, 1.0) / max(most, 1.0)))


def traffic_svg(tick: Mapping[str, Any] | None, *, selected: str | None = None) -> str:
    """Draws the state at a snapshot.

    Args:
      tick: a clean snapshot, or None before the first.
      selected: the task or link to set off, if any.
    Returns: the text of an SVG document.
    """
    tick = tick or {"tasks": [], "counters": {}, "events": [], "time": 0.0}
    states = {task["task"]: task for task in tick["tasks"]}
    totals = {key: count["bytes"] for key, count in tick["counters"].items()}
    most = max(totals.values(), default=0)
    carried = {task: [0, 0] for task in states}  # bytes in, out
    for key, size in totals.items():
        for end, way in zip(key.split("|"), (1, 0), strict=True):
            carried.setdefault(end, [0, 0])[way] += size
    boxes = place_boxes(carried)
    widest = sorted(totals, key=lambda key: -totals[key])[:_MOST_LANES]
    parts = []
    for key in widest:
        source, destination = key.split("|")
        if source != destination:
            faded = selected is not None and selected not in (key, source, destination)
            dead = not all(states.get(end, {}).get("alive", True) for end in (source, destination))
            ends = boxes[source], boxes[destination]
            parts.append(_lane(*ends, tick["counters"][key], most, faded, dead))
    for task, box in boxes.items():
        parts.append(_box(box, states.get(task), carried[task], selected == task))
    if not boxes:
        parts.append(svg.text(_WIDTH / 2, 6, "No tasks yet", size=13, anchor="middle"))
    waits = [wait for wait in tick.get("waits", ()) if wait["seconds"] >= 1.0][:_WAITS]
    last = max((box.y for box in boxes.values()), default=0)
    bows = any({boxes[end].y for end in key.split("|")} == {last} for key in widest)
    bottom = max((box.y + box.height for box in boxes.values()), default=0) + _MARGIN
    height = _HEADER + bottom + (_BOW if bows else 0) + _FOOTER + 20 * len(waits)
    told = []
    for i, wait in enumerate(waits):
        words = f"{task_label(wait['task'])} {wait['text']}, for {wait['seconds']:.0f} s"
        y = height - _FOOTER - 20 * (len(waits) - 1 - i)
        told.append(svg.text(16, y, words, fill=LIGHT.ink))
    header = _header(tick, len(totals) - len(widest))
    body = svg.group(*parts, at=(0, _HEADER))
    return svg.document(_WIDTH, height, *header, body, *told, *_legend(height - 12))


def _header(tick: Mapping[str, Any], left_out: int) -> list[svg.Markup]:
    messages = sum(count["messages"] for count in tick["counters"].values())
    size = sum(count["bytes"] for count in tick["counters"].values())
    total = f"{messages:,} messages, {format_bytes(size)} in all"
    total += f"; {left_out:,} links that carried less are left out" if left_out else ""
    title = svg.text(16, 27, "Traffic between tasks", size=15, bold=True, fill=LIGHT.ink)
    return [title, svg.text(_WIDTH - 16, 27, total, size=13, anchor="end")]


def _lane(
    a: Box, b: Box, count: Mapping[str, int], most: float, faded: bool, dead: bool
) -> svg.Markup:
    to_ps = _TO_PS if parse_task(b.task)[0] == "ps" else _OTHER
    color = _FROM_PS if parse_task(a.task)[0] == "ps" else to_ps
    color = LIGHT.line if dead else color
    if a.y == b.y:  # the way there bows around the way back
        x0, x1, y0, y1 = a.port(b) - _SIDE, b.port(a) + _SIDE, a.y + a.height, b.y + b.height
        bend = back = _BOW + (2 * _SIDE if a.x < b.x else -2 * _SIDE)
    else:
        down = a.y < b.y
        side = -_SIDE if down else _SIDE
        x0, x1 = a.port(b) + side, b.port(a) + side
        y0, y1 = (a.y + a.height, b.y) if down else (a.y, b.y + b.height)
        bend, back = (y1 - y0) / 2, (y0 - y1) / 2
    line = f"M{x0:.1f} {y0:g}C{x0:.1f} {y0 + bend:g} {x1:.1f} {y1 + back:g} {x1:.1f} {y1:g}"
    turned = f"translate({x1:.1f} {y1:g}) rotate({-90 if back > 0 else 90})"
    says = f"{task_label(a.task)} to {task_label(b.task)}: {count['messages']:,} messages"
    width, dash = lane_width(count["bytes"], most), "4 4" if dead else None
    return svg.group(
        svg.element("title", f"{says}, {format_bytes(count['bytes'])}"),
        svg.path(line, stroke=color, stroke_width=width, stroke_dasharray=dash),
        svg.path("M0 0L-10 -6L-10 6Z", fill=color, transform=turned),
        opacity=0.25 if faded else 0.85,
    )


def _box(
    box: Box, state: Mapping[str, Any] | None, carried: Iterable[int], selected: bool
) -> svg.Markup:
    dead = state is not None and not state["alive"]
    ink = LIGHT.muted if dead else LIGHT.ink
    frame = {
        "fill": "#f1f2f4" if dead else "#f8f9fb",
        "stroke": "#0b6bcb" if selected else LIGHT.line if dead else LIGHT.muted,
        "stroke_width": 2.5 if selected else 1.2,
        "stroke_dasharray": "5 4" if dead or state is None else None,
    }
    parts = [svg.rect(0, 0, box.width, box.height, rx=8, **frame)]
    label = (task_label if box.width >= 66 else short_label)(box.task)
    middle = box.width / 2
    if box.compact:
        parts.append(svg.text(middle, 19, label, fill=ink, bold=True, anchor="middle"))
        below = "✕ dead" if dead else format_bytes(sum(carried))
        parts.append(svg.text(middle, 36, below, size=10, anchor="middle"))
    else:
        parts.append(svg.text(12, 22, label, fill=ink, size=14, bold=True))
        if dead:
            parts.append(svg.text(box.width - 12, 22, "✕ dead", fill=ink, size=13, anchor="end"))
        for y, word, value in zip((45, 67), ("in", "out"), carried, strict=True):
            parts.append(svg.text(12, y, word))
            parts.append(svg.text(36, y, format_bytes(value), fill=ink))
    return svg.group(*parts, at=(box.x, box.y))


def _legend(y: float) -> list[svg.Markup]:
    parts, x = [], 16
    for color, label in _LEGEND:
        parts.append(svg.path(f"M{x} {y - 4:g}h20", stroke=color, stroke_width=4))
        parts.append(svg.path(f"M{x + 26} {y - 4:g}l-9 -5v10Z", fill=color))
        parts.append(svg.text(x + 32, y, label))
        x += 46 + 7 * len(label)
    return [*parts, svg.text(x, y, "width: total bytes")]

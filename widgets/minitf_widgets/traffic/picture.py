"""The static picture of a cluster's traffic: what every task and link has carried, as SVG.

It is what a saved notebook shows where no kernel runs. By then the traffic is over, so boxes and
lanes tell totals, not the rates of the last second; a sparkline shows the last half minute where
anything moved in it. Colours are fixed and the ground is light, since an image cannot follow the
notebook's theme.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from minitf_widgets import svg
from minitf_widgets.svg import LIGHT, PALETTE
from minitf_widgets.traffic.layout import (
    Box,
    Lane,
    box_label,
    curve_path,
    layout_traffic,
    parse_task,
    task_label,
)
from minitf_widgets.traffic.rates import RateMeter, format_bytes

_WIDTH = 860
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


def lane_width(size: float, most: float) -> float:
    """Returns a lane's width in pixels: 7 for the `most` bytes, 1.5 less a decade, 1.5 at least."""
    return max(1.5, 7.0 + 1.5 * math.log10(max(size, 1.0) / max(most, 1.0)))


def traffic_svg(
    tick: Mapping[str, Any] | None, meter: RateMeter, *, selected: str | None = None
) -> str:
    """Draws the state at a snapshot.

    Args:
      tick: a clean snapshot, or None before the first.
      meter: the rates up to it, for the sparklines.
      selected: the task or link to set off, if any.
    Returns: the text of an SVG document.
    """
    tick = tick or {"tasks": [], "counters": {}, "events": [], "time": 0.0}
    links = [tuple(key.split("|")) for key in tick["counters"]]
    states = {task["task"]: task for task in tick["tasks"]}
    names = list(states) + sorted({end for link in links for end in link} - set(states))
    totals = {key: count["bytes"] for key, count in tick["counters"].items()}
    most = max(totals.values(), default=0)
    widest = sorted(totals, key=lambda key: -totals[key])[:_MOST_LANES]
    layout = layout_traffic(names, [tuple(key.split("|")) for key in widest], _WIDTH)
    parts = []
    for lane in layout.lanes:
        faded = selected is not None and selected not in (lane.key, *lane.key.split("|"))
        dead = not all(states.get(end, {}).get("alive", True) for end in lane.key.split("|"))
        parts.append(_lane(lane, tick["counters"][lane.key], most, faded, dead))
    came, went = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for (source, destination), size in zip(links, totals.values(), strict=True):
        went[source] += size
        came[destination] += size
    histories = {task: meter.history(task) for task in names}
    peak = max([1000.0, *(x for pair in histories.values() for side in pair for x in side)])
    for box in layout.boxes:
        carried, history = (came[box.task], went[box.task]), histories[box.task]
        state = states.get(box.task)
        parts.append(_box(box, state, carried, history, peak, selected == box.task))
    if not layout.boxes:
        parts.append(svg.text(layout.width / 2, 6, "No tasks yet", size=13, anchor="middle"))
    waits = [wait for wait in tick.get("waits", ()) if wait["seconds"] >= 1.0][:_WAITS]
    height = _HEADER + layout.height + _FOOTER + 20 * len(waits)
    told = []
    for i, wait in enumerate(waits):
        words = f"{task_label(wait['task'])} {wait['text']}, for {wait['seconds']:.0f} s"
        y = height - _FOOTER - 20 * (len(waits) - 1 - i)
        told.append(svg.text(16, y, words, fill=LIGHT.ink))
    header = _header(tick, layout.width, len(links) - len(widest))
    body = svg.group(*parts, at=(0, _HEADER))
    return svg.document(layout.width, height, *header, body, *told, *_legend(height - 12))


def _header(tick: Mapping[str, Any], width: float, left_out: int) -> list[svg.Markup]:
    messages = sum(count["messages"] for count in tick["counters"].values())
    size = sum(count["bytes"] for count in tick["counters"].values())
    total = f"{messages:,} messages, {format_bytes(size)} in all"
    total += f"; {left_out:,} links that carried less are left out" if left_out else ""
    title = svg.text(16, 27, "Traffic between tasks", size=15, bold=True, fill=LIGHT.ink)
    return [title, svg.text(width - 16, 27, total, size=13, anchor="end")]


def _lane(lane: Lane, count: Mapping[str, int], most: float, faded: bool, dead: bool) -> svg.Markup:
    to_ps = _TO_PS if parse_task(lane.destination)[0] == "ps" else _OTHER
    color = _FROM_PS if parse_task(lane.source)[0] == "ps" else to_ps
    color = LIGHT.line if dead else color
    (x0, y0), (x1, y1) = lane.curve[-2:]
    turned = f"rotate({math.degrees(math.atan2(y1 - y0, x1 - x0)):.3g})"
    ends = " to ".join(task_label(end) for end in lane.key.split("|"))
    width, dash = lane_width(count["bytes"], most), "4 4" if dead else None
    return svg.group(
        svg.element(
            "title", f"{ends}: {count['messages']:,} messages, {format_bytes(count['bytes'])}"
        ),
        svg.path(curve_path(lane.curve), stroke=color, stroke_width=width, stroke_dasharray=dash),
        svg.path("M0 0L-10 -6L-10 6Z", fill=color, transform=f"translate({x1:g} {y1:g}) {turned}"),
        opacity=0.25 if faded else 0.85,
    )


def _box(
    box: Box,
    state: Mapping[str, Any] | None,
    carried: tuple[int, int],
    history: tuple[Sequence[float], Sequence[float]],
    peak: float,
    selected: bool,
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
    label, middle = box_label(box), box.width / 2
    if box.compact:
        parts.append(svg.text(middle, 19, label, fill=ink, bold=True, anchor="middle"))
        below = "✕ dead" if dead else format_bytes(sum(carried))
        parts.append(svg.text(middle, 36, below, size=10, anchor="middle"))
    else:
        parts.append(svg.text(12, 22, label, fill=ink, size=14, bold=True))
        if dead:
            parts.append(svg.text(box.width - 12, 22, "✕ dead", fill=ink, size=13, anchor="end"))
        for y, word, value, points in zip((45, 67), ("in", "out"), carried, history, strict=True):
            parts.append(svg.text(12, y, word))
            parts.append(svg.text(36, y, format_bytes(value), fill=ink))
            if any(points):
                parts.append(_spark(points, peak, box.width - 70, y - 12, 58, 14))
    return svg.group(*parts, at=(box.x, box.y))


def _spark(
    points: Sequence[float], peak: float, x: float, y: float, width: float, height: float
) -> svg.Markup:
    step = width / (len(points) - 1)
    tops = [y + height * (1 - min(1.0, value / peak)) for value in points]
    line = "L".join(f"{x + i * step:.4g} {top:.4g}" for i, top in enumerate(tops))
    area = f"M{x:g} {y + height:g}L{line}L{x + width:g} {y + height:g}Z"
    return svg.path(area, fill=LIGHT.muted, fill_opacity=0.25, stroke=LIGHT.muted)


def _legend(y: float) -> list[svg.Markup]:
    parts, x = [], 16
    for color, label in _LEGEND:
        parts.append(svg.path(f"M{x} {y - 4:g}h20", stroke=color, stroke_width=4))
        parts.append(svg.path(f"M{x + 26} {y - 4:g}l-9 -5v10Z", fill=color))
        parts.append(svg.text(x + 32, y, label))
        x += 46 + 7 * len(label)
    return [*parts, svg.text(x, y, "width: total bytes")]

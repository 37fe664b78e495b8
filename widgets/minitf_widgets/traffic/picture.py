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

from minitf_widgets.text import escape
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
_INK, _MUTED, _FAINT, _GROUND = "#1f2328", "#59636e", "#c4c9d0", "#ffffff"
_FROM_PS, _TO_PS, _OTHER = "#0072b2", "#d55e00", "#009e73"
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"


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
    parts = [_header(tick, layout.width, len(links) - len(widest))]
    parts.append(f'<g transform="translate(0 {_HEADER})">')
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
        parts.append(_text(layout.width / 2, 6, "No tasks yet", fill=_MUTED, anchor="middle"))
    parts.append("</g>")
    waits = [wait for wait in tick.get("waits", ()) if wait["seconds"] >= 1.0][:_WAITS]
    height = _HEADER + layout.height + _FOOTER + 20 * len(waits)
    for i, wait in enumerate(waits):
        told = f"{task_label(wait['task'])} {wait['text']}, for {wait['seconds']:.0f} s"
        parts.append(_text(16, height - _FOOTER - 20 * (len(waits) - 1 - i), told, size=12))
    parts.append(_legend(height - 12))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{layout.width:g}" height="{height:g}" '
        f'viewBox="0 0 {layout.width:g} {height:g}" font-family="{_FONT}" font-size="13">'
        f'<rect width="100%" height="100%" rx="8" fill="{_GROUND}"/>' + "".join(parts) + "</svg>"
    )


def _text(
    x: float,
    y: float,
    text: str,
    *,
    fill: str = _INK,
    size: int = 13,
    bold: bool = False,
    anchor: str = "start",
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" fill="{fill}" font-size="{size}" text-anchor="{anchor}"'
        f"{weight}>{escape(text)}</text>"
    )


def _header(tick: Mapping[str, Any], width: float, left_out: int) -> str:
    messages = sum(count["messages"] for count in tick["counters"].values())
    size = sum(count["bytes"] for count in tick["counters"].values())
    total = f"{messages:,} messages, {format_bytes(size)} in all"
    total += f"; {left_out:,} links that carried less are left out" if left_out else ""
    return _text(16, 27, "Traffic between tasks", size=15, bold=True) + _text(
        width - 16, 27, total, fill=_MUTED, anchor="end"
    )


def _lane(lane: Lane, count: Mapping[str, int], most: float, faded: bool, dead: bool) -> str:
    if dead:
        color = _FAINT
    elif parse_task(lane.source)[0] == "ps":
        color = _FROM_PS
    elif parse_task(lane.destination)[0] == "ps":
        color = _TO_PS
    else:
        color = _OTHER
    (x0, y0), (x1, y1) = lane.curve[-2:]
    angle = math.degrees(math.atan2(y1 - y0, x1 - x0))
    dash = ' stroke-dasharray="4 4"' if dead else ""
    ends = " to ".join(task_label(end) for end in lane.key.split("|"))
    return (
        f'<g opacity="{0.25 if faded else 0.85}"><title>{escape(ends)}: '
        f"{count['messages']:,} messages, {format_bytes(count['bytes'])}</title>"
        f'<path d="{curve_path(lane.curve)}" fill="none" stroke="{color}" '
        f'stroke-width="{lane_width(count["bytes"], most):.3g}"{dash}/>'
        f'<path d="M0 0L-10 -6L-10 6Z" fill="{color}" '
        f'transform="translate({x1:g} {y1:g}) rotate({angle:.3g})"/></g>'
    )


def _box(
    box: Box,
    state: Mapping[str, Any] | None,
    carried: tuple[int, int],
    history: tuple[Sequence[float], Sequence[float]],
    peak: float,
    selected: bool,
) -> str:
    dead = state is not None and not state["alive"]
    ink = _MUTED if dead else _INK
    stroke = "#0b6bcb" if selected else _FAINT if dead else _MUTED
    dash = ' stroke-dasharray="5 4"' if dead or state is None else ""
    parts = [
        f'<g transform="translate({box.x:g} {box.y:g})"><rect width="{box.width:g}" '
        f'height="{box.height:g}" rx="8" fill="{"#f1f2f4" if dead else "#f8f9fb"}" '
        f'stroke="{stroke}" stroke-width="{2.5 if selected else 1.2}"{dash}/>'
    ]
    label = box_label(box)
    if box.compact:
        parts.append(_text(box.width / 2, 19, label, fill=ink, size=12, bold=True, anchor="middle"))
        below = "✕ dead" if dead else format_bytes(sum(carried))
        parts.append(_text(box.width / 2, 36, below, fill=_MUTED, size=10, anchor="middle"))
    else:
        parts.append(_text(12, 22, label, fill=ink, size=14, bold=True))
        if dead:
            parts.append(_text(box.width - 12, 22, "✕ dead", fill=ink, anchor="end"))
        for y, word, value, points in (
            (45, "in", carried[0], history[0]),
            (67, "out", carried[1], history[1]),
        ):
            parts.append(_text(12, y, word, fill=_MUTED, size=12))
            parts.append(_text(36, y, format_bytes(value), fill=ink, size=12))
            if any(points):
                parts.append(_spark(points, peak, box.width - 70, y - 12, 58, 14))
    parts.append("</g>")
    return "".join(parts)


def _spark(
    points: Sequence[float], peak: float, x: float, y: float, width: float, height: float
) -> str:
    step = width / (len(points) - 1)
    tops = [y + height * (1 - min(1.0, value / peak)) for value in points]
    line = "L".join(f"{x + i * step:.4g} {top:.4g}" for i, top in enumerate(tops))
    base = y + height
    return (
        f'<path d="M{x:g} {base:g}L{line}L{x + width:g} {base:g}Z" fill="{_MUTED}" '
        f'fill-opacity="0.25" stroke="{_MUTED}" stroke-width="1"/>'
    )


def _legend(y: float) -> str:
    entries = (
        (_FROM_PS, "from a parameter server"),
        (_TO_PS, "to a parameter server"),
        (_OTHER, "between other tasks"),
    )
    parts = []
    x = 16
    for color, label in entries:
        parts.append(
            f'<path d="M{x} {y - 4:g}h20" stroke="{color}" stroke-width="4"/>'
            f'<path d="M{x + 26} {y - 4:g}l-9 -5v10Z" fill="{color}"/>'
        )
        parts.append(_text(x + 32, y, label, fill=_MUTED, size=12))
        x += 46 + 7 * len(label)
    parts.append(_text(x, y, "width: bytes in all", fill=_MUTED, size=12))
    return "".join(parts)

"""Where the tasks and links of a cluster stand, for the page and for the static picture.

    row 0   ps 0    ps 1          the two directions of a pair stand side by side; a link within a
    row 1   worker 0 .. worker 2  row bows below it, and one that passes a row goes behind its boxes
    row 2   evaluator, client

The picture is `WIDTH` pixels wide. The page stretches it across, boxes and curves alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from minitf_widgets.traffic.wire import parse_task

WIDTH = 860
MARGIN = 14
_NARROW = 46  # the least width of a box and its gap
_WIDE = 176
_ROOMY = 124  # a narrower box has room for the name and one number only
COMPACT, FULL = 46, 80  # heights of boxes
_GAP, _GAP_BELOW, _GAP_BROKEN = 104, 44, 28  # below servers, other rows, pieces of a long row
_SIDE = 5.5  # pixels of a lane from the middle of its pair
_BOW = 44
_ROWS = {"ps": 0, "chief": 1, "master": 1, "worker": 1}
_MOST_EXPECTED = 200  # links that are drawn before anything goes over them

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A task's place; pixels."""

    task: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    """The places of all tasks and links.

    Attributes:
      height, width: of the whole picture.
      boxes: by the task.
      lanes: the curve of each link "source|destination", a cubic Bezier's four points.
    """

    height: float
    boxes: dict[str, Box]
    lanes: dict[str, list[Point]]
    width: int = WIDTH


def lay_out(tasks: Iterable[str], links: Iterable[str]) -> Layout:
    """Places tasks and links; servers stand above, workers below them, all others under these.

    Args:
      tasks: their names; other ends of links need not be among them.
      links: "source|destination". Those between servers and workers are placed in any case, unless
        there are many: they are to come.
    """
    wanted = dict.fromkeys(link for link in links if len({*link.split("|")}) == 2)
    rows = _rows(dict.fromkeys([*tasks, *(end for link in wanted for end in link.split("|"))]))
    boxes: dict[str, Box] = {}
    y = float(MARGIN)
    for group in rows:
        for row in group:
            slot = (WIDTH - 2 * MARGIN) / len(row)
            width = min(_WIDE, slot - (12 if slot >= 80 else 4))
            aside = parse_task(row[0])[0] not in _ROWS  # who has little to show
            height = COMPACT if width < _ROOMY or aside else FULL
            for i, task in enumerate(row):
                boxes[task] = Box(
                    task, round(MARGIN + slot * (i + 0.5) - width / 2, 1), y, width, height
                )
            y += height + _GAP_BROKEN
        y += (_GAP if group is rows[0] else _GAP_BELOW) - _GAP_BROKEN
    servers = [task for task in boxes if parse_task(task)[0] == "ps"]
    workers = [task for task in boxes if _ROWS.get(parse_task(task)[0]) == 1]
    if 2 * len(servers) * len(workers) <= _MOST_EXPECTED:
        for ends in ((ps, worker) for ps in servers for worker in workers):
            wanted.update(dict.fromkeys(("|".join(ends), "|".join(reversed(ends)))))
    lanes = _lanes(boxes, wanted)
    bottom = max((box.y + box.height for box in boxes.values()), default=0) + MARGIN
    bows = any(curve[0][1] == curve[-1][1] > bottom - 2 * MARGIN for curve in lanes.values())
    return Layout(bottom + (_BOW if bows else 0), boxes, lanes)


def _rows(tasks: Iterable[str]) -> list[list[list[str]]]:
    """Groups tasks by row; a row that does not fit is broken into pieces of about equal length."""
    rows: dict[int, list[tuple[str, int, str]]] = {}
    for task in tasks:
        job, index = parse_task(task)
        rows.setdefault(_ROWS.get(job, 2), []).append((job, index or 0, task))
    fit = (WIDTH - 2 * MARGIN) // _NARROW
    groups = []
    for _, row in sorted(rows.items()):
        names = [task for _, _, task in sorted(row)]
        pieces = math.ceil(len(names) / fit)
        ends = [k * len(names) // pieces for k in range(pieces + 1)]
        groups.append([names[a:b] for a, b in zip(ends, ends[1:])])
    return groups


def _lanes(boxes: dict[str, Box], links: Iterable[str]) -> dict[str, list[Point]]:
    """Lays the two directions of each pair beside each other, from edge to edge."""
    pairs: dict[tuple[str, str], list[str]] = {}
    for link in links:
        upper, lower = sorted(link.split("|"), key=lambda end: (boxes[end].y, boxes[end].x))
        pairs.setdefault((upper, lower), []).append(link)
    ports = _ports(boxes, pairs)
    lanes = {}
    for (upper, lower), both in pairs.items():
        ends = ports[upper, lower], ports[lower, upper]
        for link in both:
            down = link == f"{upper}|{lower}"
            curve = _route(*ends, -_SIDE if down else _SIDE)
            lanes[link] = curve if down else curve[::-1]
    return lanes


def _ports(boxes: dict[str, Box], pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Point]:
    """Spreads the links of each box along its edges, in the order of where they lead."""
    edges: dict[tuple[str, float], list[str]] = {}
    for upper, lower in pairs:
        a, b = boxes[upper], boxes[lower]
        edges.setdefault((upper, a.y + a.height), []).append(lower)
        edges.setdefault((lower, b.y if a.y < b.y else b.y + b.height), []).append(upper)
    ports = {}
    for (task, y), others in edges.items():
        box = boxes[task]
        others.sort(key=lambda other: boxes[other].x + boxes[other].width / 2)
        for i, other in enumerate(others):
            ports[task, other] = round(box.x + 14 + (box.width - 28) * (i + 0.5) / len(others)), y
    return ports


def _route(start: Point, end: Point, side: float) -> list[Point]:
    """Draws a lane `side` pixels beside the middle of its pair."""
    (x0, y0), (x1, y1) = start, end
    if y0 == y1:  # the way there bows around the way back
        bow = y0 + _BOW - 2 * side
        return [(x0 + side, y0), (x0 + side, bow), (x1 - side, bow), (x1 - side, y1)]
    x0, x1, half = x0 + side, x1 + side, (y1 - y0) / 2
    return [(x0, y0), (x0, y0 + half), (x1, y1 - half), (x1, y1)]

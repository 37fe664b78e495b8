"""Where tasks and links stand in a picture of traffic: servers above, workers below, rest under.

The live view lays out in the browser (src/traffic/layout.ts), since it follows the page's width;
the static picture is laid out here, by the same rules. test/traffic-layout.json holds both to the
same numbers.

    row 0   ps 0    ps 1          every pair of tasks that has talked: two lanes side by side,
    row 1   worker 0 .. worker 2  one a direction; a lane that has to pass a row goes through a gap,
    row 2   evaluator, client     one within a row bows out of it

A row that does not fit is broken into rows of equal length, so that nothing leaves the picture.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Sequence

_MARGIN = 14
_BOX_WIDTH = 176
_BOX_NARROW = 42
_BOX_GAP = 12
_BOX_GAP_NARROW = 4
_NARROW_BELOW = 80  # pixels a box and its gap: the gaps shrink, too
_BOX_HEIGHT = 80
_BOX_HEIGHT_COMPACT = 46
_ROW_GAP = 118
_ROW_GAP_BELOW = 60  # below the workers there are few links to tell apart
_ROW_GAP_BROKEN = 56  # within a broken row
_LANE = 11
_BOW = 44
_COMPACT_BELOW = 124  # a box narrower than this shows its label only
_SHORT_BELOW = 66  # a box narrower than this shows a short label

_ROWS = {"ps": 0, "chief": 1, "master": 1, "worker": 1}
_ORDER = ["ps", "chief", "master", "worker", "evaluator"]

Point = tuple[float, float]


@dataclasses.dataclass(frozen=True)
class Box:
    """A task's place; pixels."""

    task: str
    row: int
    x: float
    y: float
    width: float
    height: float
    compact: bool

    @property
    def center(self) -> float:
        return self.x + self.width / 2


@dataclasses.dataclass(frozen=True)
class Lane:
    """A directed link's way: cubic Bezier pieces, the start and then three points a piece."""

    source: str
    destination: str
    curve: tuple[Point, ...]

    @property
    def key(self) -> str:
        return f"{self.source}|{self.destination}"


@dataclasses.dataclass(frozen=True)
class Layout:
    """A whole picture's places."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    lanes: tuple[Lane, ...]


def parse_task(task: str) -> tuple[str, int | None]:
    """Returns job and index: "/job:ps/task:1" -> ("ps", 1); other text is a job of its own."""
    job = re.search(r"/job:([^/]+)", task)
    index = re.search(r"/task:(\d+)", task)
    return (job[1] if job else task), (int(index[1]) if index else None)


def task_label(task: str) -> str:
    """Returns a task's short name: "/job:ps/task:1" -> "ps 1"."""
    job, index = parse_task(task)
    return job if index is None else f"{job} {index}"


def short_label(task: str) -> str:
    """Returns a task's name for a small box: "/job:worker/task:15" -> "w15"."""
    job, index = parse_task(task)
    return job[:6] if index is None else f"{job if job == 'ps' else job[:1]}{index}"


def box_label(box: Box) -> str:
    """Returns the name that fits into a box."""
    return task_label(box.task) if box.width >= _SHORT_BELOW else short_label(box.task)


def _rank(job: str) -> int:
    return _ORDER.index(job) if job in _ORDER else len(_ORDER)


def _task_order(task: str) -> tuple[int, str, int]:
    job, index = parse_task(task)
    return _rank(job), job, index or 0


def rows_of(tasks: Iterable[str]) -> list[list[str]]:
    """Returns the tasks in rows, top to bottom, left to right; as long as they are."""
    rows: dict[str, list[str]] = {}
    for task in sorted(tasks, key=_task_order):
        job, _ = parse_task(task)
        row = str(_ROWS[job]) if job in _ROWS else f"2 {_rank(job)} {job}"
        rows.setdefault(row, []).append(task)
    return [rows[row] for row in sorted(rows)]


def layout_traffic(tasks: Iterable[str], links: Sequence[tuple[str, str]], space: float) -> Layout:
    """Lays out tasks and links.

    Args:
      tasks: names of all tasks and other ends of links.
      links: (source, destination) of each directed link that has carried something.
      space: pixels across; the layout is wider only where not even one box would fit.
    """
    narrow = _BOX_NARROW + _BOX_GAP_NARROW
    width = max(space, 2 * _MARGIN + narrow)
    fit = math.floor((width - 2 * _MARGIN) / narrow)
    groups = [_broken(row, fit) for row in rows_of(tasks)]
    rows = [row for group in groups for row in group]
    row_of = {task: r for r, row in enumerate(rows) for task in row}
    widths = [_box_width((width - 2 * _MARGIN) / len(row)) for row in rows]
    # who is neither server nor worker has little to show
    small = [w < _COMPACT_BELOW or _is_aside(row[0]) for w, row in zip(widths, rows, strict=True)]
    heights = [_BOX_HEIGHT_COMPACT if compact else _BOX_HEIGHT for compact in small]

    bows = {row_of.get(a) for a, b in links if row_of.get(a) == row_of.get(b)}
    tops = []
    top = _MARGIN + (_BOW if 0 in bows else 0)
    bottom = top
    for g, group in enumerate(groups):
        for _ in group:
            bottom = top + heights[len(tops)]
            tops.append(top)
            top = bottom + _ROW_GAP_BROKEN
        top = bottom + (_ROW_GAP_BELOW if g else _ROW_GAP)
    boxes = tuple(
        Box(
            task,
            r,
            _round(_MARGIN + (width - 2 * _MARGIN) * (i + 0.5) / len(row) - widths[r] / 2),
            tops[r],
            widths[r],
            heights[r],
            small[r],
        )
        for r, row in enumerate(rows)
        for i, task in enumerate(row)
    )
    last = max(len(rows) - 1, 0)
    below = _BOW if last > 0 and last in bows else 0
    return Layout(width, bottom + _MARGIN + below, boxes, _lay_lanes(boxes, links, width))


def _box_width(slot: float) -> int:
    gap = _BOX_GAP if slot >= _NARROW_BELOW else _BOX_GAP_NARROW
    return math.floor(min(_BOX_WIDTH, slot - gap))


def _is_aside(task: str) -> bool:
    return parse_task(task)[0] not in _ROWS


def _broken(row: list[str], fit: int) -> list[list[str]]:
    """Breaks a row into as few of at most `fit` tasks as it takes, of equal length but for one."""
    pieces = math.ceil(len(row) / fit)
    return [row[k * len(row) // pieces : (k + 1) * len(row) // pieces] for k in range(pieces)]


def _round(value: float) -> float:
    return math.floor(value + 0.5)


def _lay_lanes(
    boxes: tuple[Box, ...], links: Sequence[tuple[str, str]], width: float
) -> tuple[Lane, ...]:
    by_task = {box.task: box for box in boxes}
    pairs: dict[str, tuple[Box, Box]] = {}  # the upper end first; in one row, the left one
    for source, destination in links:
        s, d = by_task.get(source), by_task.get(destination)
        if s is None or d is None or s is d:
            continue
        a, b = (s, d) if (s.row, s.x) < (d.row, d.x) else (d, s)
        pairs[f"{a.task}|{b.task}"] = (a, b)
    ports = _place_ports(pairs)
    rows: dict[int, list[Box]] = {}
    for box in sorted(boxes, key=lambda box: box.x):
        rows.setdefault(box.row, []).append(box)
    wanted = set(links)
    lanes = []
    for key in sorted(pairs):
        a, b = pairs[key]
        for source, destination, shift in ((a, b, -_LANE / 2), (b, a, _LANE / 2)):
            if (source.task, destination.task) in wanted:
                ends = (ports[f"a {key}"], ports[f"b {key}"])
                curve = _route(a, b, shift, ends, rows, width)
                lanes.append(
                    Lane(
                        source.task,
                        destination.task,
                        tuple(curve if source is a else reversed(curve)),
                    )
                )
    return tuple(lanes)


def _place_ports(pairs: dict[str, tuple[Box, Box]]) -> dict[str, Point]:
    """Spreads a box's links along its lower or upper edge, ordered by where they lead."""
    sides: dict[tuple[str, bool], tuple[Box, list[tuple[str, Box]]]] = {}
    for key, (a, b) in pairs.items():
        within = a.row == b.row
        lower_a, lower_b = not within or a.row > 0, within and b.row > 0
        sides.setdefault((a.task, lower_a), (a, []))[1].append((f"a {key}", b))
        sides.setdefault((b.task, lower_b), (b, []))[1].append((f"b {key}", a))
    ports = {}
    for (_, lower), (box, ends) in sides.items():
        ends.sort(key=lambda end: (end[1].center, end[1].row))
        for i, (key, _toward) in enumerate(ends):
            x = box.x + 14 + (box.width - 28) * (i + 0.5) / len(ends)
            ports[key] = (x, box.y + box.height if lower else box.y)
    return ports


def _route(
    a: Box,
    b: Box,
    shift: float,
    ends: tuple[Point, Point],
    rows: dict[int, list[Box]],
    width: float,
) -> list[Point]:
    """Returns the way from `a` to `b`, `shift` pixels beside the middle between the two lanes."""
    start, end = ends
    first = (start[0] + shift, start[1])
    if a.row == b.row:
        last = (end[0] - shift, end[1])
        bow = (-1 if a.row == 0 else 1) * (_BOW + 2 * shift)
        return [first, (first[0], first[1] + bow), (last[0], last[1] + bow), last]
    last = (end[0] + shift, end[1])
    curve = [first]
    for row in range(a.row + 1, b.row):
        passed = rows[row]
        x = _gap_near(end[0], passed, width) + shift
        upper = (x, passed[0].y - 6)
        lower = (x, upper[1] + passed[0].height + 12)
        _bend(curve, upper)
        curve += [upper, lower, lower]
    _bend(curve, last)
    return curve


def _bend(curve: list[Point], to: Point) -> None:
    """Adds an S-shaped piece from the curve's end to `to`."""
    x, y = curve[-1]
    half = (to[1] - y) / 2
    curve += [(x, y + half), (to[0], to[1] - half), to]


def _gap_near(x: float, boxes: Sequence[Box], width: float) -> float:
    """Returns the middle of the gap beside or between `boxes`, left to right, nearest to `x`."""
    gaps = [max(_LANE, boxes[0].x - 2 * _LANE)]
    gaps += [
        (left.x + left.width + right.x) / 2 for left, right in zip(boxes, boxes[1:], strict=False)
    ]
    gaps.append(min(width - _LANE, boxes[-1].x + boxes[-1].width + 2 * _LANE))
    return min(gaps, key=lambda gap: abs(gap - x))


def curve_path(curve: Sequence[Point]) -> str:
    """Returns a lane's curve as an SVG path."""
    start, *rest = (f"{round(x, 1):g} {round(y, 1):g}" for x, y in curve)
    return f"M{start}" + "".join(f"C{' '.join(rest[i : i + 3])}" for i in range(0, len(rest), 3))

"""Layered drawing of one level of a graph: where each box stands and how each wire runs.

    sizes, wires -> ranks (every wire points down)
                 -> order within each rank (few crossings)
                 -> x of each box (straight wires, no overlap), y of each rank
                 -> a route of points for each wire

The method is Sugiyama's, with the x coordinates found by repeated isotonic regression: each rank in
turn takes the places its neighbours want, by least squares, subject to the distances that keep the
boxes apart. It knows nothing of graphs of ops: the caller lays out scope by scope, and hands in
open scopes as big boxes whose wires end at a port.

Items of a second *lane* stand to the right of all of the first, each in the row of the item that it
faces; their wires may run up. Source: Sugiyama, Tagawa and Toda, "Methods for
visual understanding of hierarchical system structures", 1981.
"""

from __future__ import annotations

import dataclasses
import graphlib
import itertools
from collections.abc import Sequence

__all__ = ["Item", "Link", "Placement", "isotonic", "layered"]

GAP_X = 18.0  # between neighbours in a rank
GAP_LANE = 16.0  # between wires that pass a rank side by side
GAP_Y = 34.0  # between ranks: room for a bend and a label
GAP_EXIT = 20.0  # before the exit of a scope
GAP_BETWEEN = 44.0  # between two lanes: room for the frames of the second
STRAIGHT = 8.0  # how much a long wire resists bends between its ends
BRANCH = 0.2  # the same at an end that a heavy short wire shares: the long one gives way


@dataclasses.dataclass
class Item:
    """A box to place: its size, where wires attach from its left edge, where it may stand.

    `pin` is -1 for an item that must be first (the scope's entry) and 1 for the last (exit).
    `entry` None lets wires attach anywhere along the top edge. `face` is, in a lane beside the
    first, the index of the first lane's item whose row it takes; None for a row of its own.
    """

    width: float
    height: float
    entry: float | None = None
    exit: float | None = None
    pin: int = 0
    lane: int = 0
    face: int | None = None


@dataclasses.dataclass(frozen=True)
class Link:
    """A wire from item `source` to item `target`; `weight` pulls its ends into line."""

    source: int
    target: int
    weight: float = 1.0

    def arc(self, back: bool) -> tuple[int, int, float]:
        """Its ends from above to below, and its weight; `back` says that it runs up."""
        ends = (self.target, self.source) if back else (self.source, self.target)
        return (*ends, self.weight)


@dataclasses.dataclass
class Placement:
    """`corners` of the items (left, top), `routes` of the wires from source to target, the size.

    `lanes` has the left and right end of each lane.
    """

    corners: list[tuple[float, float]]
    routes: list[list[tuple[float, float]]]
    width: float
    height: float
    lanes: list[tuple[float, float]] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(eq=False)
class _Cell:
    """A place in a rank: an item, or a lane through which a long wire passes (`item` -1)."""

    rank: int
    item: int
    width: float
    entry: float
    exit: float
    up: list[tuple[_Cell, float]] = dataclasses.field(default_factory=list)
    down: list[tuple[_Cell, float]] = dataclasses.field(default_factory=list)
    place: float = 0.0  # position in the order of the rank
    x: float = 0.0  # left edge


def isotonic(
    wanted: Sequence[float], weights: Sequence[float], steps: Sequence[float]
) -> list[float]:
    """Finds the positions nearest to the wanted ones that keep their distances.

    Minimizes sum(weights * (x - wanted)**2) subject to x[i+1] - x[i] >= steps[i], by pooling
    adjacent violators.

    Args:
      wanted: n positions.
      weights: n positive weights.
      steps: n - 1 least distances.
    Returns: n positions.
    Example:
      >>> isotonic([0.0, 0.0], [1.0, 1.0], [10.0])
      [-5.0, 5.0]
    """
    offsets = [0.0]
    for step in steps:
        offsets.append(offsets[-1] + step)
    pools: list[list[float]] = []  # sum of weight * place, sum of weight, how many
    for want, weight, offset in zip(wanted, weights, offsets):
        pools.append([(want - offset) * weight, weight, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]:
            total, weight, number = pools.pop()
            pools[-1][0] += total
            pools[-1][1] += weight
            pools[-1][2] += number
    level = [pool[0] / pool[1] for pool in pools for _ in range(int(pool[2]))]
    return [base + offset for base, offset in zip(level, offsets)]


def _backward(number: int, links: Sequence[Link]) -> set[int]:
    """Returns the indices of wires that close a cycle; without them the graph has none."""
    out: list[list[int]] = [[] for _ in range(number)]
    incoming = [0] * number
    for k, link in enumerate(links):
        out[link.source].append(k)
        incoming[link.target] += 1
    state = [0] * number  # 0 new, 1 open, 2 done
    closing: set[int] = set()
    for start in sorted(range(number), key=lambda v: (incoming[v] > 0, v)):
        if state[start]:
            continue
        state[start] = 1
        stack = [(start, iter(out[start]))]
        while stack:
            top, rest = stack[-1]
            k = next(rest, -1)
            if k < 0:
                state[top] = 2
                stack.pop()
            elif state[links[k].target] == 1:
                closing.add(k)
            elif state[links[k].target] == 0:
                state[links[k].target] = 1
                stack.append((links[k].target, iter(out[links[k].target])))
    return closing


def _ranks(items: Sequence[Item], arcs: Sequence[tuple[int, int, float]]) -> list[int]:
    """Gives each item a rank so that all arcs point down and few are long."""
    above: list[list[tuple[int, float]]] = [[] for _ in items]
    below: list[list[tuple[int, float]]] = [[] for _ in items]
    for u, v, weight in arcs:
        above[v].append((u, weight))
        below[u].append((v, weight))
    sources = {v: [u for u, _ in ends] for v, ends in enumerate(above)}
    order = [*graphlib.TopologicalSorter(sources).static_order()]
    rank = [0] * len(items)
    for v in order:
        rank[v] = max((rank[u] + 1 for u in sources[v]), default=0)
    # Boxes with more wires down than up sink towards their consumers; the others rise.
    for _ in range(2):
        for u in reversed(order):
            if items[u].pin or not below[u]:
                continue
            if sum(w for _, w in below[u]) > sum(w for _, w in above[u]):
                rank[u] = max(rank[u], min(rank[v] for v, _ in below[u]) - 1)
        for v in order:
            if not items[v].pin:
                if above[v] and sum(w for _, w in above[v]) >= sum(w for _, w in below[v]):
                    rank[v] = max(rank[u] + 1 for u, _ in above[v])
    return rank


def _rows(items: Sequence[Item], links: Sequence[Link], closing: set[int]) -> list[int]:
    """Gives the items of all lanes their ranks: those of the first decide, the others follow."""
    arcs = [link.arc(k in closing) for k, link in enumerate(links) if not items[link.source].lane]
    rank: list[float] = list(_ranks(items, arcs))
    later = [v for v, item in enumerate(items) if item.lane and not item.pin]
    readers: dict[int, list[int]] = {v: [] for v in later}
    sources: dict[int, list[int]] = {v: [] for v in later}
    for link in links:
        if link.source in readers and link.target in readers:
            readers[link.source].append(link.target)
            sources[link.target].append(link.source)
    bottom = max([r for r, item in zip(rank, items) if not item.pin and not item.lane], default=0)
    done: set[int] = set()

    def place(v: int) -> float:
        """Puts an item into the row of its face, else just below those that read it.

        What nobody reads, as a sum at the lane's end, stands in a row above those it is made of.
        """
        face = items[v].face
        if v not in done:
            done.add(v)
            faced = [items[u].face for u in sources[v] if items[u].face is not None]
            if face is None and faced and not readers[v]:
                rank[v] = min(rank[u] for u in faced) - 1
                return rank[v]
            rank[v] = float(bottom if face is None else rank[face])
            above = [place(u) for u in readers[v]]
            if face is None and above:
                rank[v] = max(above) + 0.5
            while rank[v] in above:
                rank[v] += 0.25
        return rank[v]

    for v in later:
        place(v)
    inner = [r for r, item in zip(rank, items) if not item.pin]
    for v, item in enumerate(items):
        if item.pin:
            rank[v] = min(inner, default=1) - 1 if item.pin < 0 else max(inner, default=0) + 1
    used = {r: k for k, r in enumerate(sorted(set(rank)))}
    return [used[r] for r in rank]


def _crossings(ranks: Sequence[Sequence[_Cell]]) -> int:
    total = 0
    for row in ranks[:-1]:
        ends = sorted((a.place, b.place) for a in row for b, _ in a.down)
        pairs = itertools.combinations(ends, 2)
        total += sum(one[0] < other[0] and one[1] > other[1] for one, other in pairs)
    return total


def _sort(ranks: list[list[_Cell]]) -> None:
    """Orders the cells of each rank for few crossings, by sweeps of weighted barycentres."""
    best: list[list[_Cell]] = []
    fewest = -1
    small = sum(len(cell.down) for row in ranks for cell in row) < 400
    for sweep in range(10):
        rows = ranks if sweep % 2 == 0 else list(reversed(ranks))
        for row in rows:
            if sweep:
                centre = {}
                for cell in row:
                    sides = cell.up if sweep % 2 == 0 else cell.down
                    total = sum(w for _, w in sides)
                    centre[cell] = (
                        sum(c.place * w for c, w in sides) / total if total else cell.place
                    )
                row.sort(key=lambda cell: centre[cell])
            for k, cell in enumerate(row):
                cell.place = k - (len(row) - 1) / 2
        if not small:
            continue
        crossings = _crossings(ranks)
        if fewest < 0 or crossings < fewest:
            fewest, best = crossings, [list(row) for row in ranks]
        if crossings == 0 and sweep >= 2:
            break
    for row, kept in zip(ranks, best):
        row[:] = kept


def _spread(ranks: Sequence[Sequence[_Cell]]) -> None:
    """Gives each cell its x."""
    steps = []
    for row in ranks:
        step = []
        for a, b in zip(row, row[1:]):
            both = a.item >= 0 and b.item >= 0
            step.append(a.width + (GAP_X if both else GAP_LANE))
        steps.append(step)
        x = 0.0
        for cell, distance in zip(row, [*step, 0.0]):
            cell.x = x
            x += distance
        middle = (row[-1].x + row[-1].width) / 2
        for cell in row:
            cell.x -= middle
    for sweep in range(24):
        down = sweep % 2 == 0
        both = sweep >= 16
        for k in range(len(ranks)) if down else reversed(range(len(ranks))):
            row, wanted, weights = ranks[k], [], []
            for cell in row:
                above = cell.up if down or both else ()
                below = cell.down if both or not down else ()
                pulls = [(w * (other.x + other.exit - cell.entry), w) for other, w in above]
                pulls += [(w * (other.x + other.entry - cell.exit), w) for other, w in below]
                total = sum(w for _, w in pulls)
                wanted.append(sum(place for place, _ in pulls) / total if total else cell.x)
                weights.append(total or 0.05)
            for cell, x in zip(row, isotonic(wanted, weights, steps[k])):
                cell.x = x


def _entries(cell: _Cell, item: Item, wires: list[tuple[float, int]]) -> dict[int, float]:
    """Where the wires that come from the given x attach to the top edge of an item."""
    if item.entry is not None:
        return {wire: cell.x + item.entry for _, wire in wires}
    margin = min(14.0, item.width / 3)
    left, right = cell.x + margin, cell.x + item.width - margin
    wires = sorted(wires)
    step = min(18.0, (right - left) / max(1, len(wires) - 1))
    wanted = [min(max(x, left), right) for x, _ in wires]
    straight = [50.0 if x == w else 1.0 for w, (x, _) in zip(wanted, wires)]
    places = isotonic(wanted, straight, [step] * (len(wires) - 1))
    last = len(places) - 1
    places = [min(max(p, left + k * step), right - (last - k) * step) for k, p in enumerate(places)]
    return {wire: place for (_, wire), place in zip(wires, places)}


def layered(items: Sequence[Item], links: Sequence[Link]) -> Placement:
    """Places items so that wires run down, straight where they can, and no two items overlap.

    Args:
      items: what to place.
      links: the wires; an item's wire to itself is not allowed, cycles are.
    Returns: a Placement with its left top corner at (0, 0).
    """
    if not items:
        return Placement([], [], 0.0, 0.0)
    closing = {k for k in _backward(len(items), links) if not items[links[k].source].lane}
    rank = _rows(items, links, closing)
    for k, link in enumerate(links):
        if items[link.source].lane and rank[link.source] >= rank[link.target]:
            closing.add(k)
    arcs = [link.arc(k in closing) for k, link in enumerate(links)]
    lanes = max(item.lane for item in items) + 1
    stages: list[list[list[_Cell]]] = [[[] for _ in range(max(rank) + 1)] for _ in range(lanes)]
    cells = []
    for k, item in enumerate(items):
        middle = item.width / 2
        cell = _Cell(
            rank[k],
            k,
            item.width,
            middle if item.entry is None else item.entry,
            middle if item.exit is None else item.exit,
        )
        cells.append(cell)
        stages[item.lane][rank[k]].append(cell)
    paths: list[list[_Cell]] = []
    trunks: dict[tuple[int, int], _Cell] = {}  # long wires from one item share a trunk
    pulls: dict[tuple[_Cell, _Cell], float] = {}
    short = [(u, v) for u, v, weight in arcs if rank[v] == rank[u] + 1 and weight >= 1.0]
    leaving, arriving_short = {u for u, _ in short}, {v for _, v in short}
    for u, v, weight in arcs:
        path = [cells[u]]
        for r in range(rank[u] + 1, rank[v]):
            if (u, r) not in trunks:
                trunks[u, r] = _Cell(r, -1, 0.0, 0.0, 0.0)
                stages[items[u].lane][r].append(trunks[u, r])
            path.append(trunks[u, r])
        path.append(cells[v])
        for a, b in zip(path, path[1:]):
            lane = STRAIGHT if a.item < 0 and b.item < 0 else 1.0
            if (a.item >= 0 > b.item and u in leaving) or (
                b.item >= 0 > a.item and v in arriving_short
            ):
                lane = BRANCH
            pulls[a, b] = max(pulls.get((a, b), 0.0), weight * lane)
        paths.append(path)
    for (a, b), pull in pulls.items():
        a.down.append((b, pull))
        b.up.append((a, pull))
    ends: list[tuple[float, float]] = []
    for stage in stages:
        used = [row for row in stage if row]
        _sort(used)
        _spread(used)
        left = min((cell.x for row in used for cell in row), default=0.0)
        start = ends[-1][1] + GAP_BETWEEN if ends else 0.0
        for row in used:
            for cell in row:
                cell.x += start - left
        ends.append((start, max((c.x + c.width for row in used for c in row), default=start)))
    ranks = [[cell for stage in stages for cell in stage[r]] for r in range(max(rank) + 1)]

    heights = [
        max((items[c.item].height for c in row if c.item >= 0), default=0.0) for row in ranks
    ]
    tops, y = [], 0.0
    for k, (row, height) in enumerate(zip(ranks, heights)):
        if k:
            y += GAP_EXIT if all(c.item >= 0 and items[c.item].pin > 0 for c in row) else GAP_Y
        tops.append(y)
        y += height
    width = ends[-1][1]

    corners = []
    for cell, item in zip(cells, items):
        spare = heights[cell.rank] - item.height
        # What only feeds stands low, near its consumers; what only consumes stands high.
        share = 0.5 if lanes > 1 or bool(cell.up) == bool(cell.down) else 0.0 if cell.up else 1.0
        corners.append((cell.x, tops[cell.rank] + spare * share))
    arriving: list[list[tuple[float, int]]] = [[] for _ in items]
    for k, path in enumerate(paths):
        before = path[-2]
        arriving[path[-1].item].append((before.x + before.exit, k))
    entries: dict[int, float] = {}
    for cell, item, wires in zip(cells, items, arriving):
        entries |= _entries(cell, item, wires)
    routes = []
    for k, path in enumerate(paths):
        start, end = path[0], path[-1]
        x = start.x + start.exit
        if items[start.item].exit is None and len(start.down) == 1:
            ahead = path[1].x if len(path) > 2 else entries[k]
            margin = min(14.0, start.width / 3)
            x = min(max(ahead, start.x + margin), start.x + start.width - margin)
        points = [(x, corners[start.item][1] + items[start.item].height)]
        points.append((x, tops[start.rank] + heights[start.rank]))
        for passed in path[1:-1]:
            points.append((passed.x, tops[passed.rank]))
            points.append((passed.x, tops[passed.rank] + heights[passed.rank]))
        points.append((entries[k], tops[end.rank]))
        points.append((entries[k], corners[end.item][1]))
        kept = [points[0], *(b for a, b in zip(points, points[1:]) if a != b)]
        routes.append(kept[::-1] if k in closing else kept)
    return Placement(corners, routes, width, y, ends)

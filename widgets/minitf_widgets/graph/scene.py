"""What is seen of a graph: the boxes of the open scopes, the wires between them, all in place.

    GraphModel + open scopes -> build_scene -> {"boxes": [...], "wires": [...], "links": {...}, ...}

One scene serves the static picture (picture.py) and the live view (src/graph): both only
draw it. It is plain JSON data, in pixels, y down. Only what is visible is laid out, scope by scope
from the inside out, so that a graph of thousands of ops costs no more than what is open.

The gradient part stands on a lane beside the forward part, laid out together with it, so that each
box stands beside the one it faces, at every level that is open.

Wires of auxiliary boxes are not drawn; `links` holds them, summed up at the highest level where
the two ends part, for the live view to draw when a box is selected.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from minitf_widgets.colors import GREY, color_of, device_looks
from minitf_widgets.graph import shapes as box_shapes
from minitf_widgets.graph.layout import Item, Link, layered
from minitf_widgets.graph.model import Box, Edge, GraphModel
from minitf_widgets.graph.nodes import shape_text, short_device
from minitf_widgets.graph.shapes import NAME, SMALL, text_width

__all__ = ["build_scene", "kind_of"]

PAD = 16.0  # inside an open scope
TITLE = 30.0  # the band of its name
MARK = 52.0  # in that band, for the mark of what is folded away
FRAME = 6.0  # between the name of a lane and its first box
ASIDE_GAP = 20.0  # between the main flow and the side column
ROW_GAP = 12.0  # within the side column
HEADING = 20.0  # the word above it
HANDLE = 36.0  # at the right of a scope's name, to close it
ROOM = 960.0  # so wide a drawing is readable in a notebook beside JupyterLab's file browser
GAP_COLUMNS = 18.0  # between the columns that boxes without wires stand in
CROWDED = 120  # wires in one scope from which on labels are placed with less care
MARGIN = 12.0  # around the whole drawing

KINDS = {  # kind: (what the legend says, colour)
    "input": ("input", color_of("input")),
    "variable": ("variable", color_of("variable")),
    "layer": ("matrix or layer op", color_of("layer")),
    "math": ("other op", color_of("forward")),
    "update": ("update of variables", color_of("update")),
    "gradients": ("gradient", color_of("gradient")),
    "control": ("control", color_of("control")),
    "constant": ("constant", color_of("constant")),
    "scope": ("name scope or group", GREY),
    "plumbing": ("helper ops of gradients", color_of("helper")),
}
MEASURES = {
    "time": (color_of("update"), ("µs", "ms", "s")),
    "bytes": (color_of("now"), ("B", "kB", "MB", "GB", "TB")),
}
SHADES = (0.08, 0.24, 0.4, 0.56, 0.72)  # of a measure's colour, a factor of ten each


def kind_of(box: Box) -> str:
    """Returns the kind of a box, which its shape and (on demand) its colour tell.

    A closed scope that has the name of an op inside it, such as a variable's, is of that op's kind.
    An optimizer's is an update, whatever its last op: that may count the step or only bundle.
    """
    own = box.own
    if box.role in ("gradients", "plumbing"):
        return box.role
    if own is None:
        return "group" if box.group else "scope"
    if box.role == "train" and box.node is None and own.kind != "variable":
        return "update"
    return own.kind


@dataclasses.dataclass
class _Bundle:
    """The tensors that run along one wire."""

    edges: dict[tuple[str, int], Edge] = dataclasses.field(default_factory=dict)
    through: set[str] = dataclasses.field(default_factory=set)

    @property
    def tensors(self) -> list[Edge]:
        """Those without control dependencies, which carry nothing."""
        return [edge for edge in self.edges.values() if edge.index >= 0]

    def label(self) -> str:
        shapes = {edge.tensor[1] for edge in self.tensors}
        number = len(self.tensors)
        if number and len(shapes) == 1 and (number == 1 or None not in shapes):
            return (f"{number} × " if number > 1 else "") + shape_text(shapes.pop())
        return f"{number} tensors" if number else ""

    def line_width(self) -> float:
        sizes = (math.prod(max(1, n) for n in edge.tensor[1] or ()) for edge in self.tensors)
        return round(1.3 + 0.4 * math.log10(max(1, *sizes)), 2) if self.tensors else 1.2

    def title(self) -> str:
        """A line for each tensor, the first few."""
        lines = []
        for edge in list(self.edges.values())[:8]:
            dtype, shape = edge.tensor
            name = edge.name + " (control)" * (edge.index < 0)
            about = " ".join(filter(None, (dtype.removesuffix("_ref"), shape_text(shape))))
            lines.append(f"{name}  {about}".rstrip())
        more = len(self.edges) - len(lines)
        return "\n".join([*lines, f"and {more} more"] if more else lines)


@dataclasses.dataclass
class _Level:
    """An open scope: what is in it, the wires of its main flow, and its size once laid out.

    `top` and `bottom` are where wires pass its edges: what enters a scope comes from above, but
    gradients come from below.
    """

    box: Box
    main: list[Box]
    aside: list[Box]
    lanes: list[Box]
    wires: dict[tuple[str, str], _Bundle] = dataclasses.field(default_factory=dict)
    flow: list[Box] = dataclasses.field(default_factory=list)
    backward: bool = False
    width: float = 0.0
    height: float = 0.0
    top: float = 0.0
    bottom: float = 0.0
    corners: dict[str, tuple[float, float]] = dataclasses.field(default_factory=dict)
    routes: dict[tuple[str, str], list[Point]] = dataclasses.field(default_factory=dict)
    labels: dict[tuple[str, str], box_shapes.Rect] = dataclasses.field(default_factory=dict)
    aside_at: tuple[float, float] | None = None

    @property
    def inside(self) -> list[Box]:
        return [*self.main, *self.lanes, *self.aside]

    def shift(self, x: float) -> None:
        """Moves all that is inside to the right."""
        self.corners = {name: (left + x, top) for name, (left, top) in self.corners.items()}
        for route in self.routes.values():
            route[:] = [(left + x, top) for left, top in route]
        if self.aside_at is not None:
            self.aside_at = (self.aside_at[0] + x, self.aside_at[1])


IN, OUT = "<in>", "<out>"
Point = tuple[float, float]


def quantity(value: float, by: str) -> str:
    """Returns a time in microseconds or a size in bytes with its unit.

    Example:
      >>> quantity(1530.0, "time"), quantity(640, "bytes")
      ('1.53 ms', '640 B')
    """
    units = MEASURES[by][1]
    step = 0
    while value >= 999.5 and step + 1 < len(units):
        value, step = value / 1000, step + 1
    return f"{value:.3g} {units[step]}"


class Colors:
    """Tells the colour of each box, and the legend.

    Args:
      model: the graph.
      color_by: "device", "kind", "time" or "bytes".
      measured: op name -> microseconds or bytes, for the last two.
    """

    def __init__(
        self, model: GraphModel, color_by: str, measured: Mapping[str, float] | None = None
    ) -> None:
        self.by = color_by
        looks = device_looks(device for device in model.root.devices if device)
        self.devices = {device: look.color for device, look in looks.items()} | {"": GREY}
        self.markers = {device: look.marker for device, look in looks.items()}
        self.seen: collections.Counter[Any] = collections.Counter()
        self.total: dict[str, float] = {}
        if color_by in MEASURES:
            self._sum(model.root, measured or {})
            self.most = _decade(max((self.total[c.id] for c in model.root.children), default=0.0))

    def _sum(self, box: Box, measured: Mapping[str, float]) -> float:
        inside = [self._sum(child, measured) for child in box.children]
        own = measured.get(box.node.name, -1.0) if box.node is not None else -1.0
        found = [value for value in (own, *inside) if value >= 0]
        self.total[box.id] = sum(found) if found else -1.0
        return self.total[box.id]

    def _shade(self, value: float) -> int:
        return max(0, len(SHADES) - 1 - (self.most - _decade(value)))

    def bar(self, box: Box) -> list[tuple[str, float]]:
        """The colours of a box, with the share of its ops that has each."""
        if self.by == "device":
            often = sorted(box.lives.items(), key=lambda pair: (-pair[1], pair[0]))
            total = box.lives.total()
            return [(self.devices[device], number / total) for device, number in often]
        if self.by in MEASURES:
            value = self.total[box.id]
            self.seen[-1 if value < 0 else self._shade(value)] += 1
            return [(GREY if value < 0 else MEASURES[self.by][0], 1.0)]
        kind = "scope" if kind_of(box) == "group" else kind_of(box)
        self.seen[kind] += 1
        return [(KINDS[kind][1], 1.0)]

    def tint(self, box: Box) -> float | None:
        """How much of the colour the ground of a box has; None for the usual."""
        if self.by not in MEASURES or self.total[box.id] < 0:
            return None
        return SHADES[self._shade(self.total[box.id])]

    def sub(self, box: Box) -> str:
        """The second line of a closed box."""
        if self.by in MEASURES and self.total[box.id] >= 0:
            return quantity(self.total[box.id], self.by)
        return box_shapes.sub_label(box)

    def marker(self, box: Box) -> str:
        """The mark that tells a device without its colour; none where there is but one."""
        if self.by != "device" or len(self.markers) < 2:
            return ""
        often = sorted(box.lives, key=lambda device: (-box.lives[device], device))
        return "".join(self.markers[device] for device in often if device)[:4]

    def legend(self, model: GraphModel) -> list[dict[str, Any]]:
        if self.by == "device":
            several = len(self.markers) > 1
            return [
                {"label": short_device(device), "title": device or "no device asked for"}
                | {"marker": self.markers.get(device, "") if several else ""}
                | {"color": color, "count": model.root.devices[device]}
                for device, color in self.devices.items()
                if model.root.devices[device]
            ]
        told: list[tuple[Any, str, str, float | None]] = [
            (kind, words, color, None) for kind, (words, color) in KINDS.items()
        ]
        if self.by in MEASURES:
            color = MEASURES[self.by][0]
            told = [(k, self._range(k), color, tint) for k, tint in enumerate(SHADES)]
            told.append((-1, "did not run", GREY, None))
        return [
            {"label": words, "title": "", "color": color, "marker": "", "count": self.seen[key]}
            | ({} if tint is None else {"tint": tint})
            for key, words, color, tint in told
            if self.seen[key]
        ]

    def _range(self, shade: int) -> str:
        least = 10.0 ** (self.most - len(SHADES) + 1 + shade)
        if not shade:
            return f"under {quantity(least * 10, self.by)}"
        return f"{quantity(least, self.by)} to {quantity(least * 10, self.by)}"


def _decade(value: float) -> int:
    return math.floor(math.log10(value)) if value >= 1 else 0


class _Builder:
    def __init__(
        self,
        model: GraphModel,
        expanded: Collection[str],
        gradients: bool,
        colors: Colors,
        room: float,
    ) -> None:
        self.model = model
        self.room = room - 2 * MARGIN
        self.colors = colors
        self.gradients = gradients
        self.levels: dict[str, _Level] = {}
        for box in map(model.boxes.get, ("", *expanded)):
            if box is not None and self._is_open(box, expanded):
                for one in (box, *box.mirrored):
                    if self._shown(one):
                        self.levels[one.id] = self._level(one)
        self.apart = {
            child.id for level in self.levels.values() for child in (*level.aside, *level.lanes)
        }
        self.links: dict[str, collections.Counter[tuple[str, str]]] = {}
        self._wire()
        self._measure(model.root)

    @staticmethod
    def _is_open(box: Box, expanded: Collection[str]) -> bool:
        keys = [above.key for above in box.chain]
        return box.node is None and all(key is None or key.id in expanded for key in keys)

    def _level(self, box: Box) -> _Level:
        flow = box.flow()
        children = [child for child in box.children if self._shown(child)]
        lanes = [child for child in children if child in self.model.lanes]
        return _Level(
            box,
            [child for child in flow if self._shown(child) and child not in lanes],
            [child for child in children if child not in flow and child not in lanes],
            lanes,
        )

    def _shown(self, box: Box) -> bool:
        return self.gradients or box.role not in ("gradients", "plumbing")

    def _wire(self) -> None:
        """Finds, for each edge of the graph, the wires it runs along, or the links it adds to."""
        for edge in self.model.edges:
            for wire in (edge, self.model.straight(edge)):
                if not (self._shown(wire.source) and self._shown(wire.target)):
                    break
                up, down = wire.source.chain, wire.target.chain
                k = 1
                while up[k] is down[k]:
                    k += 1
                if up[k - 1].id not in self.levels:
                    break
                first, second = self._visible(up, k), self._visible(down, k)
                if not any(box.id in self.apart for box in (*first, *second)):
                    self._draw(wire, up[k - 1], first, second)
                    break
            else:
                ends = [
                    next(b.id for b in boxes if b not in self.model.lanes)
                    for boxes in (first, second)
                ]
                for box in first:
                    self.links.setdefault(box.id, collections.Counter())[(ends[1], "out")] += 1
                for box in second:
                    self.links.setdefault(box.id, collections.Counter())[(ends[0], "in")] += 1

    def _draw(self, edge: Edge, scope: Box, first: list[Box], second: list[Box]) -> None:
        through = {box.id for box in (*first, *second)}
        self._run(scope, first[0].id, second[0].id, edge, through)
        for outer, inner in zip(first, first[1:]):
            self._run(outer, inner.id, OUT, edge, through)
        for outer, inner in zip(second, second[1:]):
            self._run(outer, IN, inner.id, edge, through)

    def _visible(self, chain: tuple[Box, ...], start: int) -> list[Box]:
        boxes = [chain[start]]
        while boxes[-1].id in self.levels:
            boxes.append(chain[start + len(boxes)])
        return boxes

    def _run(self, scope: Box, source: str, target: str, edge: Edge, through: set[str]) -> None:
        bundle = self.levels[scope.id].wires.setdefault((source, target), _Bundle())
        bundle.edges.setdefault((edge.source.id, edge.index), edge)
        bundle.through |= through

    def _size(self, box: Box) -> tuple[float, float]:
        if box.id in self.levels:
            level = self.levels[box.id]
            return level.width, level.height
        marks, sub = len(self.colors.marker(box)), self.colors.sub(box)
        return box_shapes.closed_size(box, kind_of(box), marks, sub)

    def _item(self, box: Box, lane: int, face: int | None) -> Item:
        width, height = self._size(box)
        level = self.levels.get(box.id)
        ports = (level.top, level.bottom) if level is not None else (None, None)
        return Item(width, height, *ports, lane=lane, face=face)

    def _measure(self, scope: Box) -> None:
        """Lays out an open scope and what mirrors it, after those inside them."""
        group = [self.levels[b.id] for b in (scope, *scope.mirrored) if b.id in self.levels]
        for level in group:
            for child in level.inside:
                if child.id in self.levels and not child.mirrors:
                    self._measure(child)
        items: list[Item] = []
        links: list[Link] = []
        names: list[tuple[_Level, str]] = []
        index: dict[tuple[int, str], int] = {}
        for lane, level in enumerate(group):
            level.backward = any(above in self.model.lanes for above in level.box.chain)
            wired = {end for pair in level.wires for end in pair}
            for box in level.main:
                face = index.get((0, box.face.id)) if lane and box.face is not None else None
                if box.id in wired or face is not None:
                    index[lane, box.id] = len(items)
                    items.append(self._item(box, lane, face))
                    names.append((level, box.id))
                    level.flow.append(box)
            for port, pin in ((IN, -1), (OUT, 1)):
                if port in wired:
                    index[lane, port] = len(items)
                    items.append(Item(0.0, 0.0, 0.0, 0.0, -pin if level.backward else pin, lane))
                    names.append((level, port))
            links += [
                Link(index[lane, a], index[lane, b], self._weight(a, b, bundle))
                for (a, b), bundle in level.wires.items()
            ]
        alone = group[0].backward  # a first lane runs down: turned round before, and after again
        if alone:
            links = [Link(link.target, link.source, link.weight) for link in links]
        placed = layered(items, links)
        content = TITLE if scope.id else TITLE + FRAME if len(group) > 1 else 0.0
        top = 0.0 if any(item.pin < 0 for item in items) else content
        bottom = top + placed.height
        routes = iter(placed.routes)
        for (level, name), (x, y) in zip(names, placed.corners):
            level.corners[name] = (x, top + y)
        for level in group:
            for pair in level.wires:
                route = next(routes)
                level.routes[pair] = [(x, top + y) for x, y in (route[::-1] if alone else route)]
        for level, (left, right) in reversed(list(zip(group, placed.lanes or [(0.0, 0.0)]))):
            pad = PAD if level.box.id else 0.0
            level.shift(pad - left)
            self._finish(level, right - left + pad, content, bottom)
        height = max(level.height for level in group)
        for level in group:
            level.height = height
            port = IN if level.backward else OUT
            if port in level.corners:
                x, y = level.corners[port]
                level.corners[port] = (x, height)
                for (source, target), route in level.routes.items():
                    if port == target and y < height:
                        route.append((x, height))
                    if port == source and y < height:
                        route.insert(0, (x, height))

    def _finish(self, level: _Level, right: float, content: float, bottom: float) -> None:
        """Places what has no wires, the lanes and the side column, and sizes the scope.

        Args:
          level: whose flow is in place.
          right: where the flow ends.
          content: where boxes may begin, below the name.
          bottom: where the flow's last row ends.
        """
        placed = {box.id for box in level.flow}
        loose = [box for box in level.main if box.id not in placed]
        pad = PAD if level.box.id else 0.0
        title = self._title_width(level) if level.box.id else 0.0
        mark, at_name = self._mark(level), title - 52.0 - self._handle(level)
        flow_bottom = max(
            (level.corners[b.id][1] + self._size(b)[1] for b in level.flow), default=content
        )
        if loose:
            limit = max(flow_bottom, content + (170.0 if level.flow else 300.0))
            start = right + (2 * PAD if level.flow else 0.0)
            right, low = self._columns(level, loose, start, content, limit)
            flow_bottom = max(flow_bottom, low)
        under = (right, flow_bottom)
        for lane in level.lanes:
            width, height = self._size(lane)
            level.corners[lane.id] = (right + ASIDE_GAP, 0.0)
            right += ASIDE_GAP + width
            flow_bottom = max(flow_bottom, height)
        if level.aside and mark is None:
            around = (right, flow_bottom)
            right, flow_bottom = self._finish_aside(level, content, around, under)
        level.width = max(right + pad, title)
        level.height = max(bottom, flow_bottom + pad)
        spare = (level.width - right - pad) / 2
        if mark is not None:  # beside the name
            level.corners[mark.id] = (at_name - max(spare, 0.0), 4.0)
        if spare > 0:  # a short content under a long name: centred
            level.shift(spare)
        port = OUT if level.backward else IN
        if port in level.corners:  # the wire that passes the upper edge keeps off the name
            under = title - 34.0 - level.corners[port][0]
            if under > 0:
                level.shift(under)
                level.width += under
            if mark is not None and under > 0:
                level.corners[mark.id] = (at_name, 4.0)
        missing = self._label(level)
        if missing:  # room for the labels of a narrow scope, to the left of its wires
            level.shift(missing)
            level.width += missing
            self._label(level)
        ends = [level.corners.get(port, (level.width / 2, 0.0))[0] for port in (IN, OUT)]
        level.top, level.bottom = reversed(ends) if level.backward else ends

    def _finish_aside(self, level: _Level, content: float, around: Point, under: Point) -> Point:
        """Places the side column to the right of the rest, or where that is too wide below it.

        Args:
          content: where boxes may begin, below the name.
          around: where all else ends, to the right and below.
          under: where what is no lane ends: a row that is no wider goes below that.
        Returns: where all of it ends.
        """
        right, bottom = around
        named = level.aside[0].role != "plumbing"
        widths = [self._size(box)[0] for box in level.aside]
        start = right + (ASIDE_GAP if named else GAP_COLUMNS if level.flow else 0.0)
        top, limit = content, max(bottom, content + (170.0 if level.flow else 300.0))
        if named and right and not level.box.id and start + max(widths) > self.room:
            row = sum(widths) + GAP_COLUMNS * len(widths)
            start, top = 0.0, (under[1] if row < under[0] else bottom) + HEADING
            limit = top + HEADING + 50.0 * -(-row // self.room)
        level.aside_at = (start, top) if named else None
        end, low = self._columns(level, level.aside, start, top + HEADING * named, limit)
        return max(right, end), max(bottom, low)

    def _label(self, level: _Level) -> float:
        """Finds places for the wires' labels; returns how much wider the scope would have to be."""
        inside = level.inside
        taken: list[box_shapes.Rect] = []
        for box in inside:
            x, y = level.corners[box.id]
            width, height = self._size(box)
            taken.append((x, y, x + width, y + height))
        if level.box.id:
            taken.append((0.0, 0.0, self._title_width(level) - 8.0, TITLE - 6))
        if len(level.wires) <= CROWDED:
            for route in level.routes.values():
                taken += box_shapes.wire_rects(route)
        level.labels = {}
        told: set[tuple[str, str]] = set()
        entering = sum(source == IN for source, _ in level.wires)
        missing = 0.0
        for pair in sorted(level.wires, key=lambda pair: level.routes[pair][0]):
            source, target = pair
            label = level.wires[pair].label()
            repeated = target == OUT or (source == IN and entering == 1)
            if not label or repeated or (source, label) in told:
                continue
            spot = box_shapes.label_spot(level.routes[pair], label, taken, level.width)
            if spot is not None:
                told.add((source, label))
                taken.append(spot)
                level.labels[pair] = spot
            elif len(level.wires) <= CROWDED:
                room = min(x for x, _ in level.routes[pair])
                missing = max(missing, text_width(label, SMALL) + 12.0 - room)
        return missing

    def _columns(
        self, level: _Level, boxes: Iterable[Box], x: float, y: float, limit: float
    ) -> tuple[float, float]:
        """Stacks boxes from (x, y) down in columns to about `limit`; returns right, bottom."""
        column: list[tuple[Box, float]] = []
        right, low, at = x, y, y

        def close() -> None:
            widest = max((self._size(box)[0] for box, _ in column), default=0.0)
            for box, place in column:
                level.corners[box.id] = (x + (widest - self._size(box)[0]) / 2, place)

        for box in boxes:
            width, height = self._size(box)
            if column and at + height > limit:
                close()
                x, at, column = right + GAP_COLUMNS, y, []
            column.append((box, at))
            at += height + ROW_GAP
            right = max(right, x + width)
            low = max(low, at - ROW_GAP)
        close()
        return right, low

    def _weight(self, source: str, target: str, bundle: _Bundle) -> float:
        if IN in (source, target) or OUT in (source, target):
            return 4.0
        if not bundle.tensors:
            return 0.5
        kind = kind_of(self.model.boxes[source])
        return 0.4 if kind in ("variable", "constant") else 8.0

    def _mark(self, level: _Level) -> Box | None:
        """Returns the closed plumbing that is all that stands aside in a scope."""
        [*boxes] = level.aside
        alone = len(boxes) == 1 and boxes[0].role == "plumbing" and level.box.id
        return boxes[0] if alone and boxes[0].id not in self.levels else None

    def _title_width(self, level: _Level) -> float:
        mark = 0.0 if self._mark(level) is None else MARK
        return text_width(level.box.label, NAME, bold=True) + 33.0 + self._handle(level) + mark

    @staticmethod
    def _handle(level: _Level) -> float:
        return HANDLE if level.box.key is not None else 0.0


def build_scene(
    model: GraphModel,
    expanded: Collection[str] = (),
    *,
    color_by: str = "device",
    gradients: bool = True,
    measured: Mapping[str, float] | None = None,
    needed: Collection[str] | None = None,
    room: float = ROOM,
) -> dict[str, Any]:
    """Lays out what is visible of a graph.

    Args:
      model: the graph.
      expanded: ids of the open scopes; one whose parents are not all open counts as closed.
      color_by: "device", "kind", "time" or "bytes".
      gradients: whether the gradient part is shown.
      measured: op name -> microseconds or bytes, for the last two colourings.
      needed: names of the ops that are lit while all others are dimmed; None: nothing is dimmed.
      room: how wide the drawing should be at most: what is auxiliary then stands below the rest.
    Returns: plain data:
      width, height: of the whole drawing, in pixels.
      boxes: parents before children; x, y, w, h; `d` the outline from the box's corner.
      wires: `d` the line, `head` the arrow's head, `label` with its place, `through` the ids of the
        boxes whose tensors it carries.
      links: box id -> [[other box id, how many, "in" or "out"], ...], drawn on selection.
      legend: what the colours mean.
      shown: how many single ops and how many closed scopes are drawn.
    """
    colors = Colors(model, color_by, measured)
    lit = None if needed is None else _holders(model, needed)
    builder = _Builder(model, expanded, gradients, colors, room)
    boxes: list[dict[str, Any]] = []
    wires: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []

    def needs(edge: Edge) -> bool:
        return lit is None or (edge.source.id in lit and edge.target.id in lit)

    def draw(scope: Box, left: float, top: float) -> None:
        level = builder.levels[scope.id]
        if level.aside_at is not None:
            x, y = level.aside_at
            notes.append(
                {"x": round(left + x, 1), "y": round(top + y + 12, 1), "text": "auxiliary"}
            )
        inside = level.inside
        for place, box in enumerate(inside):
            x, y = level.corners[box.id]
            width, height = builder._size(box)
            is_open = box.id in builder.levels
            kind = kind_of(box)
            lane = box in level.lanes
            bar = colors.bar(box) if not is_open or color_by == "device" else [(GREY, 1.0)]
            tint = None if is_open else colors.tint(box)
            key = box.key
            boxes.append(
                box_shapes.draw_box(box, kind, is_open, width, height, colors.sub(box))
                | {
                    "x": round(left + x, 1),
                    "y": round(top + y, 1),
                    "parent": scope.id,
                    "level": len(box.chain) - 1,
                    "place": place + 1,
                    "siblings": len(inside),
                    "aside": box.id in builder.apart,
                    "bar": [[color, round(share, 3)] for color, share in bar],
                    "marker": colors.marker(box),
                    "device": ", ".join(short_device(name) for name in sorted(box.lives) if name),
                    "key": key.id if key is not None else "",
                    "face": box.face.id if box.face is not None else "",
                    "lane": lane,
                    "up": level.backward,
                    "expandable": box.node is None and key is not None,
                    "dim": lit is not None and box.id not in lit,
                }
                | ({} if tint is None else {"tint": tint})
            )
        for (source, target), bundle in level.wires.items():
            route = level.routes[source, target]
            spot = level.labels.get((source, target))
            moved = [(left + x, top + y) for x, y in route]
            wires.append(
                {
                    "id": f"{scope.id}|{source}|{target}",
                    "source": source if source != IN else scope.id,
                    "target": target if target != OUT else scope.id,
                    "kind": "data" if bundle.tensors else "control",
                    "d": box_shapes.wire_path(moved, trim=0.0 if target == OUT else 5.0),
                    "head": "" if target == OUT else box_shapes.arrow_head(moved),
                    "width": bundle.line_width(),
                    "label": bundle.label() if spot is not None else "",
                    "lx": round(left + spot[0], 1) if spot is not None else 0,
                    "ly": round(top + (spot[1] + spot[3]) / 2, 1) if spot is not None else 0,
                    "title": bundle.title(),
                    "dim": lit is not None and not any(map(needs, bundle.edges.values())),
                    "through": sorted(bundle.through),
                    "tensors": [edge.name for edge in bundle.tensors[:8]],
                }
            )
        for box in inside:
            if box.id in builder.levels:
                x, y = level.corners[box.id]
                draw(box, left + x, top + y)

    draw(model.root, MARGIN, MARGIN)
    shown = [box for box in boxes if not box["open"]]
    root = builder.levels[""]
    links = {
        name: [[other, number, way] for (other, way), number in counter.most_common()]
        for name, counter in builder.links.items()
    }
    return {
        "width": round(root.width + 2 * MARGIN, 1),
        "height": round(root.height + 2 * MARGIN, 1),
        "boxes": boxes,
        "wires": wires,
        "notes": notes,
        "links": links,
        "legend": colors.legend(model),
        "ops": len(model.nodes),
        "shown": [sum(box["expandable"] == closed for box in shown) for closed in (False, True)],
        "has_gradients": any(leaf.role == "gradients" for leaf in model.boxes.values()),
    }


def _holders(model: GraphModel, names: Collection[str]) -> set[str]:
    """Returns the ids of the boxes that hold any of the named ops."""
    leaves = map(model.leaf, names)
    return {box.id for leaf in leaves if leaf is not None for box in leaf.chain}

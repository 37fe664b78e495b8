"""What is seen of a graph: the boxes of the open scopes, the wires between them, all in place.

    GraphModel + open scopes -> build_scene -> {"boxes": [...], "wires": [...], "links": {...}, ...}

One scene serves the static picture (graph_picture.py) and the live view (src/graph): both only
draw it. It is plain JSON data, in pixels, y down. Only what is visible is laid out, scope by scope
from the inside out, so that a graph of thousands of ops costs no more than what is open.

Wires of auxiliary boxes are not drawn; `links` holds them, summed up at the highest level where
the two ends part, for the live view to draw when a box is selected.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Collection, Iterable
from typing import Any

from minitf_widgets.graph import shapes as box_shapes
from minitf_widgets.graph.layout import Item, Link, layered
from minitf_widgets.graph.model import Box, Edge, GraphModel, shape_text, short_device
from minitf_widgets.graph.shapes import text_width
from minitf_widgets.palette import GREY, PALETTE, swatch

__all__ = ["build_scene", "kind_of"]

PAD = 16.0  # inside an open scope
TITLE = 34.0  # the band of its name
ASIDE_GAP = 40.0  # between the main flow and the side column
ROW_GAP = 12.0  # within the side column
GAP_COLUMNS = 18.0  # between the columns that boxes without wires stand in
CROWDED = 120  # wires in one scope from which on labels are placed with less care
MARGIN = 20.0  # around the whole drawing

KINDS = {  # kind: (what the legend says, colour)
    "input": ("input", PALETTE[2].color),
    "variable": ("variable", PALETTE[1].color),
    "layer": ("matrix or layer op", PALETTE[5].color),
    "math": ("other op", PALETTE[0].color),
    "update": ("update of variables", PALETTE[4].color),
    "gradients": ("gradient", PALETTE[3].color),
    "control": ("control", "#6b7280"),
    "constant": ("constant", GREY),
    "scope": ("name scope", GREY),
}


def kind_of(box: Box) -> str:
    """Returns the kind of a box, which its shape and (on demand) its colour tell.

    A closed scope that has the name of an op inside it, such as a variable's, is of that op's kind.
    An optimizer's is an update, whatever its last op: that may count the step or only bundle.
    """
    own = box.own
    if box.role == "gradients":
        return "gradients"
    if own is None:
        return "scope"
    if box.role == "train" and box.node is None and own.kind != "variable":
        return "update"
    return own.kind


@dataclasses.dataclass
class _Bundle:
    """The tensors that run along one wire."""

    edges: dict[tuple[str, int], Edge] = dataclasses.field(default_factory=dict)
    through: set[str] = dataclasses.field(default_factory=set)


@dataclasses.dataclass
class _Level:
    """An open scope: what is in it, the wires of its main flow, and its size once laid out."""

    box: Box
    main: list[Box]
    aside: list[Box]
    wires: dict[tuple[str, str], _Bundle] = dataclasses.field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0
    entry: float = 0.0
    exit: float = 0.0
    corners: dict[str, tuple[float, float]] = dataclasses.field(default_factory=dict)
    routes: dict[tuple[str, str], list[tuple[float, float]]] = dataclasses.field(
        default_factory=dict
    )
    labels: dict[tuple[str, str], box_shapes.Rect] = dataclasses.field(default_factory=dict)
    aside_at: tuple[float, float] | None = None

    def shift(self, x: float) -> None:
        """Moves all that is inside to the right."""
        self.corners = {name: (left + x, top) for name, (left, top) in self.corners.items()}
        for route in self.routes.values():
            route[:] = [(left + x, top) for left, top in route]
        if self.aside_at is not None:
            self.aside_at = (self.aside_at[0] + x, self.aside_at[1])


IN, OUT = "<in>", "<out>"


class _Colors:
    """Tells the colour of each box, and the legend."""

    def __init__(self, model: GraphModel, color_by: str) -> None:
        self.by = color_by
        placed = sorted(device for device in model.root.devices if device)
        self.devices = {device: swatch(k).color for k, device in enumerate(placed)}
        self.markers = {device: swatch(k).marker for k, device in enumerate(placed)}
        self.devices[""] = GREY
        self.seen: collections.Counter[str] = collections.Counter()

    def bar(self, box: Box) -> list[tuple[str, float]]:
        """The colours of a box, with the share of its ops that has each."""
        if self.by == "device":
            often = sorted(box.lives.items(), key=lambda pair: (-pair[1], pair[0]))
            total = box.lives.total()
            return [(self.devices[device], number / total) for device, number in often]
        kind = kind_of(box)
        self.seen[kind] += 1
        return [(KINDS[kind][1], 1.0)]

    def marker(self, box: Box) -> str:
        """The mark that tells a device without its colour; none where there is but one."""
        if self.by != "device" or len(self.markers) < 2:
            return ""
        often = sorted(box.lives, key=lambda device: (-box.lives[device], device))
        return "".join(self.markers[device] for device in often if device)[:4]

    def legend(self, model: GraphModel) -> list[dict[str, Any]]:
        if self.by == "device":
            return [
                {
                    "label": short_device(device),
                    "title": device or "no device asked for",
                    "color": color,
                    "marker": self.markers.get(device, "") if len(self.markers) > 1 else "",
                    "count": model.root.devices[device],
                }
                for device, color in self.devices.items()
                if model.root.devices[device]
            ]
        return [
            {"label": words, "title": "", "color": color, "marker": "", "count": self.seen[kind]}
            for kind, (words, color) in KINDS.items()
            if self.seen[kind]
        ]


class _Builder:
    def __init__(
        self, model: GraphModel, expanded: Collection[str], gradients: bool, colors: _Colors
    ) -> None:
        self.model = model
        self.colors = colors
        self.gradients = gradients
        self.open = {""}
        for name in expanded:
            box = model.boxes.get(name)
            if (
                box is not None
                and box.node is None
                and all(above.id in expanded for above in box.chain[1:])
            ):
                self.open.add(name)
        self.levels: dict[str, _Level] = {}
        for name in self.open:
            box = model.boxes[name]
            children = [child for child in box.children if self._shown(child)]
            has_main = any(child.role == "main" for child in children)
            self.levels[name] = _Level(
                box,
                [c for c in children if c.role == "main" or not has_main],
                [c for c in children if c.role != "main" and has_main],
            )
        self.apart = {child.id for level in self.levels.values() for child in level.aside}
        self.links: dict[str, collections.Counter[tuple[str, str]]] = {}
        self._wire()
        self._measure(model.root)

    def _shown(self, box: Box) -> bool:
        return self.gradients or box.role != "gradients"

    def _wire(self) -> None:
        """Finds, for each edge of the graph, the wires it runs along, or the links it adds to."""
        for edge in self.model.edges:
            up, down = edge.source.chain, edge.target.chain
            if not (self._shown(edge.source) and self._shown(edge.target)):
                continue
            k = 1
            while up[k] is down[k]:
                k += 1
            if up[k - 1].id not in self.levels:
                continue
            first, second = self._visible(up, k), self._visible(down, k)
            if any(box.id in self.apart for box in (*first, *second)):
                for box in first:
                    self.links.setdefault(box.id, collections.Counter())[(second[0].id, "out")] += 1
                for box in second:
                    self.links.setdefault(box.id, collections.Counter())[(first[0].id, "in")] += 1
                continue
            through = {box.id for box in (*first, *second)}
            self._run(up[k - 1], first[0].id, second[0].id, edge, through)
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
        return box_shapes.closed_size(box, kind_of(box), len(self.colors.marker(box)))

    def _item(self, box: Box) -> Item:
        width, height = self._size(box)
        if box.id in self.levels:
            level = self.levels[box.id]
            return Item(width, height, level.entry, level.exit)
        return Item(width, height)

    def _measure(self, scope: Box) -> None:
        """Lays out an open scope, after those inside it."""
        level = self.levels[scope.id]
        for child in (*level.main, *level.aside):
            if child.id in self.levels:
                self._measure(child)
        wired = {end for pair in level.wires for end in pair}
        flow = [box for box in level.main if box.id in wired]
        loose = [box for box in level.main if box.id not in wired]
        names = [box.id for box in flow]
        items = [self._item(box) for box in flow]
        for port, pin in ((IN, -1), (OUT, 1)):
            if port in wired:
                names.append(port)
                items.append(Item(0.0, 0.0, 0.0, 0.0, pin))
        index = {name: k for k, name in enumerate(names)}
        links = [
            Link(index[a], index[b], self._weight(a, b, bundle))
            for (a, b), bundle in level.wires.items()
        ]
        placed = layered(items, links)
        top = 0.0 if IN in wired else TITLE if scope.id else 0.0
        pad = PAD if scope.id else 0.0
        title = self._title_width(scope) if scope.id else 0.0
        bottom = top + placed.height
        right = pad + placed.width
        content = TITLE if scope.id else 0.0
        for name, (x, y) in zip(names, placed.corners):
            level.corners[name] = (pad + x, top + y)
        for pair, route in zip(level.wires, placed.routes):
            level.routes[pair] = [(pad + x, top + y) for x, y in route]
        flow_bottom = max(
            (level.corners[b.id][1] + self._size(b)[1] for b in flow), default=content
        )
        limit = max(flow_bottom, content + 300.0 if not flow else content + 170.0)
        if loose:
            start = right + (2 * PAD if flow else 0.0)
            right, low = self._columns(level, loose, start, content, limit)
            flow_bottom = max(flow_bottom, low)
        if level.aside:
            level.aside_at = (right + ASIDE_GAP, content)
            aside_top = content + 22.0
            right, low = self._columns(level, level.aside, right + ASIDE_GAP, aside_top, limit)
            flow_bottom = max(flow_bottom, low)
        level.width = max(right + pad, title)
        level.height = max(bottom, flow_bottom + pad)
        spare = (level.width - right - pad) / 2
        if spare > 0:  # a short content under a long name: centred
            level.shift(spare)
        if OUT in wired and level.height > bottom:
            x, _ = level.corners[OUT]
            level.corners[OUT] = (x, level.height)
            for (_, target), route in level.routes.items():
                if target == OUT:
                    route.append((x, level.height))
        if IN in wired:  # the wire that enters keeps off the name
            under = title - 34.0 - level.corners[IN][0]
            if under > 0:
                level.shift(under)
                level.width += under
        missing = self._label(level)
        if missing:  # room for the labels of a narrow scope, to the left of its wires
            level.shift(missing)
            level.width += missing
            self._label(level)
        level.entry = level.corners.get(IN, (level.width / 2, 0.0))[0]
        level.exit = level.corners.get(OUT, (level.width / 2, 0.0))[0]

    def _label(self, level: _Level) -> float:
        """Finds places for the wires' labels; returns how much wider the scope would have to be."""
        inside = (*level.main, *level.aside)
        taken: list[box_shapes.Rect] = []
        for box in inside:
            x, y = level.corners[box.id]
            width, height = self._size(box)
            taken.append((x, y, x + width, y + height))
        if level.box.id:
            taken.append((0.0, 0.0, self._title_width(level.box) - 8.0, TITLE - 6))
        if len(level.wires) <= CROWDED:
            for route in level.routes.values():
                taken += box_shapes.wire_rects(route)
        level.labels = {}
        told: set[tuple[str, str]] = set()
        entering = sum(source == IN for source, _ in level.wires)
        missing = 0.0
        for pair in sorted(level.wires, key=lambda pair: level.routes[pair][0]):
            source, target = pair
            label = _wire_label(level.wires[pair])
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
                missing = max(missing, text_width(label, 10.5) + 12.0 - room)
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
        if all(edge.index < 0 for edge in bundle.edges.values()):
            return 0.5
        kind = kind_of(self.model.boxes[source])
        return 0.4 if kind in ("variable", "constant") else 8.0

    def _title_width(self, scope: Box) -> float:
        return text_width(scope.label, 13.0, bold=True) + 64.0


def _wire_label(bundle: _Bundle) -> str:
    tensors = [edge for edge in bundle.edges.values() if edge.index >= 0]
    if len(tensors) == 1:
        return shape_text(tensors[0].tensor[1])
    shapes = {edge.tensor[1] for edge in tensors}
    if len(shapes) == 1 and None not in shapes:
        return f"{len(tensors)} × ({shape_text(shapes.pop())})"
    return f"{len(tensors)} tensors" if tensors else ""


def _wire_tensors(bundle: _Bundle) -> list[str]:
    """The names of the tensors that run along a wire, the first few."""
    edges = [edge for edge in bundle.edges.values() if edge.index >= 0 and edge.source.node]
    return [f"{edge.source.node.name}:{edge.index}" for edge in edges[:8] if edge.source.node]


def _wire_width(bundle: _Bundle) -> float:
    sizes = [
        math.prod(max(1, n) for n in edge.tensor[1] or ())
        for edge in bundle.edges.values()
        if edge.index >= 0
    ]
    return round(1.3 + 0.4 * math.log10(max([1, *sizes])), 2)


def _wire_title(bundle: _Bundle) -> str:
    lines = []
    for edge in list(bundle.edges.values())[:8]:
        node = edge.source.node
        if node is not None:
            dtype, shape = edge.tensor
            about = " ".join(filter(None, (dtype.removesuffix("_ref"), shape_text(shape))))
            name = f"^{node.name} (control)" if edge.index < 0 else f"{node.name}:{edge.index}"
            lines.append(f"{name}  {about}".rstrip())
    more = len(bundle.edges) - len(lines)
    return "\n".join([*lines, f"and {more} more"] if more > 0 else lines)


def build_scene(
    model: GraphModel,
    expanded: Collection[str] = (),
    *,
    color_by: str = "device",
    gradients: bool = True,
) -> dict[str, Any]:
    """Lays out what is visible of a graph.

    Args:
      model: the graph.
      expanded: ids of the open scopes; one whose parents are not all open counts as closed.
      color_by: "device" or "kind".
      gradients: whether the gradient part is shown.
    Returns: plain data:
      width, height: of the whole drawing, in pixels.
      boxes: parents before children; x, y, w, h; `d` the outline from the box's corner.
      wires: `d` the line, `head` the arrow's head, `label` with its place, `through` the ids of the
        boxes whose tensors it carries.
      links: box id -> [[other box id, how many, "in" or "out"], ...], drawn on selection.
      legend: what the colours mean.
    """
    colors = _Colors(model, color_by)
    builder = _Builder(model, expanded, gradients, colors)
    boxes: list[dict[str, Any]] = []
    wires: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []

    def draw(scope: Box, left: float, top: float) -> None:
        level = builder.levels[scope.id]
        if level.aside_at is not None:
            x, y = level.aside_at
            notes.append(
                {"x": round(left + x, 1), "y": round(top + y + 12, 1), "text": "auxiliary"}
            )
        inside = (*level.main, *level.aside)
        for place, box in enumerate(inside):
            x, y = level.corners[box.id]
            width, height = builder._size(box)
            is_open = box.id in builder.levels
            kind = kind_of(box)
            bar = colors.bar(box) if not is_open or color_by == "device" else [(GREY, 1.0)]
            boxes.append(
                box_shapes.draw_box(box, kind, is_open, width, height)
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
                    "device": ", ".join(map(short_device, sorted(box.lives))),
                }
            )
        for (source, target), bundle in level.wires.items():
            route = level.routes[source, target]
            spot = level.labels.get((source, target))
            control = all(edge.index < 0 for edge in bundle.edges.values())
            moved = [(left + x, top + y) for x, y in route]
            wires.append(
                {
                    "id": f"{scope.id}|{source}|{target}",
                    "source": source if source != IN else scope.id,
                    "target": target if target != OUT else scope.id,
                    "kind": "control" if control else "data",
                    "d": box_shapes.wire_path(moved, trim=0.0 if target == OUT else 5.0),
                    "head": "" if target == OUT else box_shapes.arrow_head(moved),
                    "width": 1.2 if control else _wire_width(bundle),
                    "label": _wire_label(bundle) if spot is not None else "",
                    "lx": round(left + spot[0], 1) if spot is not None else 0,
                    "ly": round(top + (spot[1] + spot[3]) / 2, 1) if spot is not None else 0,
                    "title": _wire_title(bundle),
                    "through": sorted(bundle.through),
                    "tensors": _wire_tensors(bundle),
                }
            )
        for box in inside:
            if box.id in builder.levels:
                x, y = level.corners[box.id]
                draw(box, left + x, top + y)

    draw(model.root, MARGIN, MARGIN)
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
        "has_gradients": any(leaf.role == "gradients" for leaf in model.boxes.values()),
    }

"""A GraphDef read as a tree of name scopes, for drawing.

    GraphDef JSON -> GraphModel: a tree of Boxes          "dense"            a scope
                                                          ├─ "dense/W"       named like its op
                                                          │  ├─ "dense/W/(W)"   the op itself
                                                          │  └─ "dense/W/read"
                                                          └─ "dense/MatMul"  an op, a leaf

What makes a graph readable is decided here: which boxes are *auxiliary* (initialization, saving,
gradients, optimizer updates, axes and the like), so that the main flow stands out; and that no
scope has more children than an eye can take in: more are bundled, as they were built, into
groups that open like scopes. Scopes of one op stand as that op, and alike neighbours as one group,
"12 × res".

The gradient part mirrors the forward part, name by name, and its boxes know what they *face*:

    mlp                    <- faces -    gradients/mlp              mirrors it, opens with it
    ├─ mlp/MatMul          <- faces -    ├─ gradients/mlp/MatMul_grad
    └─ mlp/<12 × res>      <- faces -    └─ gradients/mlp/<12 × res>
"""

from __future__ import annotations

import collections
import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from minitf_widgets.graph.nodes import (
    APPLY,
    VARIABLES,
    Node,
    Places,
    device_key,
    read_graph_def,
    read_node,
    short_device,
)

__all__ = ["Box", "Edge", "GraphModel", "Node", "device_key", "short_device"]

MAX_CHILDREN = 40  # a scope with more children than this bundles them
BUNDLE = 24  # about how many go into a bundle
ALIKE = 4  # so many alike neighbours stand as one group

REDUCTIONS = {"All", "Any", "ArgMax", "ArgMin", "Max", "Mean", "Min", "Prod", "Sum"}
OPERAND_NAMES = {
    *("axis", "begin", "concat_dim", "depth", "dims", "max", "mean", "min", "multiples"),
    *("off_value", "on_value", "paddings", "perm", "reduction_indices", "shape", "size"),
    *("split_dim", "stack", "stack_1", "stack_2", "stddev", "strides"),
}
BACKWARD = ("gradients", "plumbing")
GRADIENTS = re.compile(r"gradients(_\d+)?")
TUPLE = re.compile(r"/tuple/(group_deps|control_dependency(_\d+)?)$")
SHAPE_OPS = {"BroadcastGradientArgs", "Const", "Shape", "ShapeN", "Size", "Rank"}


@dataclasses.dataclass(frozen=True)
class Edge:
    """A tensor (`index` >= 0) or a control dependency (`index` -1) between two leaves."""

    source: Box
    target: Box
    index: int

    @property
    def tensor(self) -> tuple[str, tuple[int, ...] | None]:
        """The dtype name and shape of what flows; ("", None) where nothing is known."""
        outputs = self.source.node.outputs if self.source.node is not None else ()
        return outputs[self.index] if 0 <= self.index < len(outputs) else ("", None)

    @property
    def name(self) -> str:
        """What a node's inputs call it, the first output with its ":0"."""
        return f"^{self.source.name}" if self.index < 0 else f"{self.source.name}:{self.index}"


@dataclasses.dataclass(eq=False, repr=False)
class Box:
    """A scope, a group of boxes or one op. The root has the id "".

    A group is none of the graph's own: a bundle, alike neighbours, or plumbing. `face` is, of a
    gradient box, what it is the gradient of; one that `mirrors` its face is built like it.
    `devices` counts all ops inside. `lives` is what tells the box's colour: a variable lives where
    its value is, and initializers have no say beside what they initialize.
    """

    id: str
    label: str
    parent: Box | None = None
    node: Node | None = None
    children: list[Box] = dataclasses.field(default_factory=list)
    role: str = "main"  # main, gradients, plumbing (of gradients), init, save, train, const
    count: int = 1  # ops inside
    devices: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    lives: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    chain: tuple[Box, ...] = ()  # from the root down to this box
    group: bool = False
    scope: str = ""  # of an op that stands for the scope in which it is alone
    face: Box | None = None
    mirrors: bool = False
    mirrored: list[Box] = dataclasses.field(default_factory=list)  # what mirrors this box

    @property
    def name(self) -> str:
        """The name of the op of a leaf, else the id."""
        return self.node.name if self.node is not None else self.id

    @property
    def own(self) -> Node | None:
        """The op of a leaf, or the op that has the scope's own name."""
        if self.node is not None:
            return self.node
        return next((c.node for c in self.children if c.node and c.node.name == self.id), None)

    @property
    def key(self) -> Box | None:
        """The box that opens together with this one: what it mirrors, else itself.

        None for what is always open: the root, and the lane of all gradients.
        """
        box = self.face if self.mirrors and self.face is not None else self
        return box if box.id else None

    def flow(self) -> list[Box]:
        """Returns the children of the main flow; the others stand aside."""
        main = [c for c in self.children if c.role == "main"]
        return main or [c for c in self.children if c.role != "plumbing"] or self.children


def _is_plumbing(node: Node) -> bool:
    """Whether a gradient op only ties results together, or reckons with shapes."""
    whole = [dtype for dtype, _ in node.outputs]
    return bool(
        TUPLE.search(node.name)
        or node.op in SHAPE_OPS
        or (whole and all(dtype in ("int32", "int64") for dtype in whole))
    )


def _is_slot(variable: Node, consumers: Mapping[str, list[tuple[Node, int]]]) -> bool:
    """Whether an optimizer keeps the variable for itself: a moment, a power of beta."""
    inside = variable.name + "/"
    found = False
    waiting, seen = [variable.name], {variable.name}
    while waiting:
        for node, place in consumers[waiting.pop()]:
            if node.name.startswith(inside):
                if node.name not in seen:
                    seen.add(node.name)
                    waiting.append(node.name)
            elif APPLY.match(node.op) and place:
                found = True
            elif APPLY.match(node.op):
                return False
    return found


def _roles(nodes: Mapping[str, Node]) -> dict[str, str]:
    """Tells for each op whether it is of the main flow or which auxiliary part it belongs to."""
    consumers: dict[str, list[tuple[Node, int]]] = {name: [] for name in nodes}
    for node in nodes.values():
        for place, (source, _) in enumerate(node.inputs):
            if source in consumers:
                consumers[source].append((node, place))
    roles: dict[str, str] = {}
    owned: dict[str, str] = {}  # scope -> the role of all that is in it
    for node in nodes.values():
        scope, _, base = node.name.rpartition("/")
        path = node.name.split("/")
        if any(map(GRADIENTS.fullmatch, path)):
            roles[node.name] = "plumbing" if _is_plumbing(node) else "gradients"
        elif any(re.fullmatch(r"save(_\d+)?", part) for part in path[:-1]):
            roles[node.name] = "save"
        elif re.fullmatch(r"init(_\d+)?|init_all_tables|group_deps(_\d+)?", node.name):
            roles[node.name] = "init"
        elif path[0].startswith("report_uninitialized_variables"):
            roles[node.name] = "init"
        elif node.op in ("Assign", "AssignVariableOp") and node.inputs[:1] == ((scope, 0),):
            roles[node.name] = "init"
        elif APPLY.match(node.op):
            roles[node.name] = "train"
            update = next((k for k, p in enumerate(path) if p.startswith("update_")), 0)
            if update:
                owned["/".join(path[:update])] = "train"
        elif node.op in VARIABLES and _is_slot(node, consumers):
            owned[node.name] = "train"
        elif node.op == "Const":
            used = consumers[node.name]
            reduced = [c.op in REDUCTIONS and place == 1 for c, place in used]
            if base in OPERAND_NAMES or (used and all(reduced)):
                roles[node.name] = "const"
    for name in nodes:
        path = name.split("/")
        for end in range(len(path), 0, -1):
            if (role := owned.get("/".join(path[:end]))) and roles.get(name) not in BACKWARD:
                roles[name] = role
                break
    # What feeds nothing but initialization, saving or updates belongs to them.
    waiting = [
        n for n in nodes.values() if n.name not in roles and n.kind not in ("input", "variable")
    ]
    changed = True
    while changed and waiting:
        changed = False
        for node in list(reversed(waiting)):
            found = {roles.get(c.name, "main") for c, _ in consumers[node.name]}
            if found and found <= {"init", "save", "train"}:
                roles[node.name] = min(found)
                waiting.remove(node)
                changed = True
    return roles


class GraphModel:
    """The tree of boxes of one graph and the edges between its leaves.

    Args:
      graph: a graph in any form that `read_graph_def` takes.
      devices: op name -> device it ran on, to show in place of the requested devices.
    """

    def __init__(self, graph: Any, devices: Mapping[str, str] | None = None) -> None:
        data = read_graph_def(graph)["node"]
        place = Places(devices or {})
        self.nodes = {d["name"]: read_node(d, place) for d in data}
        self.root = Box("", "")
        self.boxes: dict[str, Box] = {"": self.root}
        roles = _roles(self.nodes)
        scopes = {
            "/".join(p[:i]) for n in self.nodes if (p := n.split("/")) for i in range(1, len(p))
        }
        self._leaf: dict[str, Box] = {}
        for node in self.nodes.values():
            inside = node.name in scopes
            scope = node.name if inside else node.name.rpartition("/")[0]
            base = node.name.rpartition("/")[2]
            parent = self._scope(scope)
            label = f"({base})" if inside else base
            leaf = Box(f"{parent.id}/{label}".lstrip("/"), label, parent, node)
            leaf.role = roles.get(node.name, "main")
            leaf.devices[node.device] = leaf.lives[node.device] = 1
            parent.children.append(leaf)
            self.boxes[leaf.id] = self._leaf[node.name] = leaf
        self._alone: dict[str, Box] = {}
        self._unwrap(self.root)
        lanes = self._lanes()
        self.edges = [
            Edge(self._leaf[source], self._leaf[node.name], index)
            for node in self.nodes.values()
            for source, index in node.inputs
            if source in self._leaf
        ]
        self._settle(lanes)
        self._sum(self.root)
        self.lanes = [lane for lane in lanes if self._pair(lane, self.root)]
        for box in list(self.boxes.values()):
            if box.role in BACKWARD and box.node is None:
                plumbing = [child for child in box.children if child.role == "plumbing"]
                if 0 < len(plumbing) < len(box.children):
                    self._gather(box, plumbing, "plumbing")
        for box in list(self.boxes.values()):
            if box.role not in BACKWARD:
                self._fold(box)
        self._bundle(lambda box: not (box.mirrors or box in lanes))
        for lane in self.lanes:
            self._mirror(lane)
        self._bundle(lambda box: True)
        self._chain(self.root)

    def _chain(self, box: Box) -> None:
        box.chain = (*box.parent.chain, box) if box.parent is not None else (box,)
        for child in box.children:
            self._chain(child)

    def _unwrap(self, box: Box) -> None:
        """Lets an op that is alone in its scope stand for it, and so the gradient of one op."""
        for place, child in enumerate(box.children):
            self._unwrap(child)
            if len(child.children) != 1:
                continue
            [only] = child.children
            gradient = child.label.endswith("_grad")
            if only.node is not None:
                alike = gradient or only.label.startswith(child.label.removesuffix("_1"))
                only.label = child.label if alike else f"{child.label}/{only.label}"
                self._alone[child.id] = only
                only.scope = child.id
            elif not only.label.endswith("_grad"):
                continue
            del self.boxes[child.id]
            only.parent = box
            box.children[place] = only

    def _lanes(self) -> list[Box]:
        """Takes each gradient part out of the scope it was made in: it mirrors the whole graph."""
        lanes = []
        for box in self.boxes.values():
            *around, own = map(GRADIENTS.fullmatch, box.id.split("/"))
            if own and box.node is None and not any(around):
                lanes.append(box)
        for lane in lanes:
            if lane.parent is not None and lane.parent is not self.root:
                lane.parent.children.remove(lane)
                lane.parent, lane.label = self.root, lane.id
                self.root.children.append(lane)
        return lanes

    def _settle(self, lanes: list[Box]) -> None:
        """Moves the sums of gradients to the gradients that they are summed for."""
        tops = {
            box
            for lane in lanes
            for box in lane.children
            if box.node is not None and not box.label.endswith("_grad")
        }
        readers: dict[Box, list[Box]] = {}
        summed = set()
        for edge in self.edges:
            if edge.index >= 0 and edge.target.role == "gradients":
                readers.setdefault(edge.source, []).append(edge.target)
                source = edge.source.node
                if edge.target in tops and source is not None and edge.source.role in BACKWARD:
                    if source.op not in SHAPE_OPS:
                        summed.add(edge.target)
        for box in summed:
            scopes = []
            for reader in readers.get(box, ()):
                above = self._above(reader)
                named = [k for k, one in enumerate(above) if one.label.endswith("_grad")]
                scopes.append(above[: named[0] if named else -1])
            common = [level[0] for level in zip(*scopes) if len(set(level)) == 1]
            if len(common) > 1 and box.parent is not None:
                box.parent.children.remove(box)
                box.parent = common[-1]
                box.parent.children.append(box)

    @staticmethod
    def _above(box: Box) -> list[Box]:
        """Returns the boxes from the root down to `box`, before its chain is known."""
        found = [box]
        while found[0].parent is not None:
            found.insert(0, found[0].parent)
        return found

    def _pair(self, box: Box, face: Box) -> bool:
        """Lets a gradient scope mirror `face`; returns whether anything inside faces anything."""
        found = False
        lane = box.id.removesuffix(face.id)
        for child in box.children:
            name = (child.scope or child.id).removeprefix(lane).strip("/")
            gradient = name.endswith("_grad")
            other = self.find(name.removesuffix("_grad")) if name else None
            if other is None or other.role in BACKWARD:
                continue
            if gradient:
                child.face, found = other, True
            elif child.node is None and other.node is None and other.parent is face:
                found = self._pair(child, other) or found
        if found:
            box.face, box.mirrors = face, True
            face.mirrored.append(box)
        return found

    def straight(self, edge: Edge) -> Edge:
        """Returns the edge from where its value was computed, past the plumbing of gradients."""
        source, index = edge.source, edge.index
        while (
            index >= 0
            and source.role == "plumbing"
            and edge.target.role != "plumbing"
            and source.node is not None
            and source.node.op == "Identity"
        ):
            name, index = source.node.inputs[0]
            source = self._leaf[name]
        return edge if source is edge.source else Edge(source, edge.target, index)

    def _gather(self, scope: Box, boxes: list[Box], name: str, label: str = "⋯") -> Box:
        """Puts some of a scope's boxes into a group, in the place of the first."""
        box = Box(f"{scope.id}/<{name}>".lstrip("/"), label, scope, children=boxes, group=True)
        place = scope.children.index(boxes[0])
        inside = set(boxes)
        rest = [child for child in scope.children if child not in inside]
        scope.children = [*rest[:place], box, *rest[place:]]
        for child in boxes:
            child.parent = box
        self._total(box)
        self.boxes[box.id] = box
        return box

    def _fold(self, scope: Box) -> None:
        """Makes one group of many neighbours of one structure, such as the blocks of a network."""
        alike: dict[Any, list[Box]] = {}
        for child in scope.children:
            if child.role == "main" and child.node is None and not child.group:
                stem = child.label.rstrip("0123456789").rstrip("_")
                alike.setdefault((stem, _structure(child)), []).append(child)
        for (stem, _), boxes in alike.items():
            if len(boxes) >= ALIKE and self._in_a_row(scope, boxes):
                name = f"{len(boxes)} × {stem}"
                self._gather(scope, boxes, name, name)

    def _in_a_row(self, scope: Box, boxes: list[Box]) -> bool:
        """Whether nothing outside `boxes` stands between them."""
        inside = dict.fromkeys(scope.children, 0)
        after: dict[Box, set[Box]] = {}
        for edge in self.edges:
            source, target = self._among(edge.source, inside), self._among(edge.target, inside)
            if source is not None and target is not None and source is not target:
                if source.role == target.role == "main":
                    after.setdefault(source, set()).add(target)
        members = set(boxes)
        waiting = [box for member in boxes for box in after.get(member, ()) if box not in members]
        seen = set(waiting)
        for box in waiting:
            for following in after.get(box, ()):
                if following in members:
                    return False
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
        return True

    def _mirror(self, box: Box) -> None:
        """Groups the boxes of a gradient scope as those that they face are grouped."""
        if box.face is None:
            return
        for other in [child for child in box.face.children if child.group]:
            inside = dict.fromkeys(other.children, 0)
            boxes = [c for c in box.children if c.face and self._among(c.face, inside)]
            if boxes:
                group = self._gather(box, boxes, other.id.rpartition("<")[2][:-1], other.label)
                group.face, group.mirrors = other, True
                other.mirrored.append(group)
        for child in box.children:
            if child.mirrors:
                self._mirror(child)

    def needed(self, names: Iterable[str], fed: Iterable[str] = ()) -> set[str]:
        """Returns the ops that a run needs: those fetched, and all before them.

        Args:
          names: of the ops or tensors fetched.
          fed: of the ops or tensors fed, which need nothing before them and do not run.
        Raises:
          KeyError: when the graph has no such op.
        """
        waiting = [name.removeprefix("^").partition(":")[0] for name in names]
        stop = {name.partition(":")[0] for name in fed}
        found: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in found and name not in stop:
                found.add(name)
                waiting += [source for source, _ in self.nodes[name].inputs]
        return found

    def _scope(self, name: str) -> Box:
        if name not in self.boxes:
            parent = self._scope(name.rpartition("/")[0])
            self.boxes[name] = Box(name, name.rpartition("/")[2], parent, count=0)
            parent.children.append(self.boxes[name])
        return self.boxes[name]

    def _sum(self, box: Box) -> None:
        for child in box.children:
            self._sum(child)
        if box.node is None:
            self._total(box)

    @staticmethod
    def _total(box: Box) -> None:
        """Sums up what is in a scope, of which all children are summed up."""
        box.count = sum(child.count for child in box.children)
        box.devices = sum((child.devices for child in box.children), collections.Counter[str]())
        roles = collections.Counter[str]()
        for child in box.children:
            roles[child.role] += child.count
        for role in ("const", "plumbing"):
            if len(roles) > 1:
                roles.pop(role, None)
        main = next((c.role for c in box.children if c.node and c.node.name == box.id), None)
        if "main" in roles or not roles:
            box.role = "main"
        else:
            box.role = main or ("train" if "train" in roles else roles.most_common(1)[0][0])
        voters = [c.lives for c in box.children if c.role != "init" or box.role == "init"]
        box.lives = sum(voters, collections.Counter[str]())
        own = box.own
        if own is not None and own.kind == "variable":
            box.lives = collections.Counter({own.device: box.lives.total()})

    def _bundle(self, those: Callable[[Box], bool]) -> None:
        """Bundles the children of crowded scopes, the main flow apart from the auxiliary boxes."""
        crowded = [b for b in self.boxes.values() if len(b.children) > MAX_CHILDREN and those(b)]
        for box in crowded:
            kept = [child for child in box.children if child in self.lanes]
            main = [child for child in box.children if child.role == "main"]
            rest = [child for child in box.children if child not in {*main, *kept}]
            for part, word in ((main, "part"), (rest, "aux")):
                depth = 0
                while len(part) > MAX_CHILDREN:
                    part = self._chunks(box, part, word + "+" * depth)
                    depth += 1
                kept += part
            box.children = kept
            for child in kept:
                child.parent = box

    def _chunks(self, scope: Box, boxes: list[Box], word: str) -> list[Box]:
        number = math.ceil(len(boxes) / BUNDLE)
        bundles = []
        for k in range(number):
            part = boxes[k * len(boxes) // number : (k + 1) * len(boxes) // number]
            ends = [_first_leaf(part[0], 0).label, _first_leaf(part[-1], -1).label]
            bundles.append(self._gather(scope, part, f"{word} {k + 1}", " … ".join(ends)))
        return bundles

    @staticmethod
    def _among(box: Box | None, group: Mapping[Box, int]) -> Box | None:
        while box is not None and box not in group:
            box = box.parent
        return box

    def find(self, name: str) -> Box | None:
        """Returns the box of an op, a tensor ("a:0") or a scope by name; None if there is none."""
        name = name.removeprefix("^").partition(":")[0].rstrip("/")
        return self.boxes.get(name) or self._leaf.get(name) or self._alone.get(name)

    def leaf(self, name: str) -> Box | None:
        """Returns the leaf that stands for the op `name`."""
        return self._leaf.get(name)

    def search(self, query: str, limit: int = 30) -> list[Box]:
        """Returns the boxes whose name or op type contains all words of `query`, best first."""
        words = query.lower().split()
        if not words:
            return []
        found = []
        for box in self.boxes.values():
            text = box.id.lower()
            kind = box.node.op.lower() if box.node else ""
            if box.id and all(word in text or word in kind for word in words):
                base = box.label.lower().strip("()")
                best = 0 if base == words[-1] else 1 if base.startswith(words[-1]) else 2
                found.append((best, box.role != "main", len(box.id), box.id, box))
        return [item[-1] for item in sorted(found, key=lambda item: item[:-1])[:limit]]


def _structure(box: Box) -> tuple[Any, ...]:
    """What alike boxes have in common: the ops inside, by name and type, numbers aside."""
    inside = collections.Counter(
        (child.label.rstrip("0123456789"), child.node.op if child.node else _structure(child))
        for child in box.children
    )
    return tuple(sorted(inside.items(), key=repr))


def _first_leaf(box: Box, place: int) -> Box:
    while box.group:
        box = box.children[place]
    return box

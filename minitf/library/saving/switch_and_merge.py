"""Branches and loops as TensorFlow 1.x writes them into its files, made `If` and `While`.

There a graph branches by small operations. `Switch` sends a value out of one of two outputs, and
what hangs on the other one is *dead*: it does not run. `Merge` gives the one value that is alive.
A loop is a circle of these, in a *frame* that values enter and leave:

    Enter ──> Merge ──> Switch ─1─> body ──> NextIteration ──┐       While(cond, body)
                ▲  └──> LoopCond ┘└──0─> Exit                │
                └────────────────────────────────────────────┘

    Switch ─1─> then ──> Merge                                       If(then_branch, else_branch)
       └────0─> else ──────┘

Loops are taken out first, the innermost one first; then branches, those without branches inside
first. What a circle or a branch holds becomes a function, and what enters it an input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph_def import FunctionDef, NodeDef
from minitf.core.graph.importer import in_order
from minitf.core.graph.logging import warning
from minitf.core.graph.shapes import TensorShape

#: The operations of branches and loops; those for references to variables mean the same.
PRIMITIVES = {
    **{kind: kind for kind in ("Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch")},
    **{f"Ref{kind}": kind for kind in ("Enter", "Exit", "Merge", "NextIteration", "Switch")},
}
_LISTS = ("TensorArrayV3", "TensorArrayWriteV3", "TensorArrayScatterV3", "TensorArraySplitV3")
_OF_LOOP_GRADIENTS = ("StackV2", "StackPushV2", "StackPopV2", "TensorArrayGradV3")
_PASSED_ON = ("Enter", "Exit", "Identity", "Merge", "NextIteration", "Switch")
_UNKNOWN, _SCALAR = TensorShape(None), TensorShape(())


def structured(nodes: Sequence[NodeDef]) -> list[NodeDef]:
    """The nodes of a graph with its circles and switches made `While` and `If`.

    Raises:
      ValueError: when they do not stand as `tf.while_loop` and `tf.cond` make them.
    """
    if not any(node.op in PRIMITIVES for node in nodes):
        return list(nodes)
    graph = _Nodes(nodes)
    graph.drop_gradients_of_loops()
    while (frame := graph.innermost_frame()) is not None:
        graph.replace_loop(*frame)
    graph.replace_branches()
    return [*graph.nodes.values()]


def _parts(source: str) -> tuple[str, int]:
    """The node that a source names, and which of its outputs; -1 for a control input."""
    if source.startswith("^"):
        return source[1:], -1
    name, _, index = source.partition(":")
    return name, int(index or 0)


def _text(name: str, index: int) -> str:
    return f"{name}:{index}" if index else name


@dataclass
class _Function:
    """A function while it is taken out of a graph.

    Args:
      name: what it is for, "cond".
      scope: of the names of its arguments.
      keys: what enters it, and of which type; shared with the function beside it.
    """

    name: str
    scope: str
    keys: dict[str, DType]
    nodes: dict[str, NodeDef] = field(default_factory=dict)
    outputs: list[str] = field(default_factory=list)
    waits_for: set[str] = field(default_factory=set)

    def _argument(self, number: int) -> str:
        return f"{self.scope}/{self.name}_{number}"

    def argument_of(self, key: str, dtype: DType) -> str:
        """The name of the argument that stands for what enters as `key`."""
        self.keys.setdefault(key, dtype)
        return self._argument(list(self.keys).index(key))

    def definition(self, carried: int) -> FunctionDef:
        """The function as data, with an argument for all that enters."""
        arguments = [
            NodeDef(
                self._argument(i),
                "RefArgument" if dtype._is_ref_dtype else "Argument",
                attr={"dtype": dtype.base_dtype, "shape": _UNKNOWN},
            )
            for i, dtype in enumerate(self.keys.values())
        ]
        inside = _Nodes([*arguments, *self.nodes.values()])
        inside.replace_branches()
        return FunctionDef(
            self.name,
            [*inside.nodes.values()],
            tuple(f"{each.name}:0" for each in arguments),
            tuple("{}:{}".format(*_parts(each)) for each in self.outputs),
            len(arguments) - carried,
        )


class _Nodes:
    """The nodes of a graph or of a function, by name."""

    def __init__(self, nodes: Iterable[NodeDef]) -> None:
        self.nodes = {node.name: node for node in nodes}

    def _drop(self, names: Iterable[str]) -> None:
        for name in names:
            del self.nodes[name]

    def _kind(self, name: str) -> str:
        """The type of a node; "Identity" for what stands behind an `If` or `While` of ours."""
        node = self.nodes.get(name, NodeDef())
        made = node.op in ("Exit", "Merge") and self.nodes.get(_parts(node.input[0])[0], node)
        return (
            "Identity" if made and made.op in ("If", "While") else PRIMITIVES.get(node.op, node.op)
        )

    def _free_name(self, wanted: str) -> str:
        name, number = wanted, 0
        while name in self.nodes:
            number += 1
            name = f"{wanted}_{number}"
        return name

    def _type(self, source: str) -> DType:
        """The dtype of a value; that of a list, which is a number in TensorFlow, is variant."""
        seen = set()
        name, index = _parts(source)
        while (kind := self._kind(name)) in _PASSED_ON and name not in seen:
            seen.add(name)
            node = self.nodes[name]
            name, index = _parts(node.input[0])
        node = self.nodes.get(name, NodeDef())
        if kind in _LISTS:
            return dtypes.variant
        if kind in ("If", "While"):
            found: DType = node.attr["types"][index]
            return found
        own = self.nodes[_parts(source)[0]].attr
        for attr in (own, node.attr):
            for key in ("T", "dtype", "DstT"):
                if isinstance(attr.get(key), DType):
                    return attr[key]
        raise ValueError(f"Node '{name}' ({node.op}): the type of '{source}' is not known.")

    def _take(
        self,
        function: _Function,
        outputs: Sequence[str],
        members: set[str],
        key_of: Callable[[str], tuple[str, DType] | None],
    ) -> None:
        """Copies what `outputs` need into a function, up to what `key_of` says comes from outside.

        Args:
          function: where to.
          outputs: sources in this graph.
          members: the nodes of the loop or the branch; the function waits for what is no member.
          key_of: for a source from outside what enters and its type, else None.
        """

        def inside(source: str) -> str:
            entering = key_of(source)
            if entering is not None:
                return function.argument_of(*entering)
            waiting.append(_parts(source)[0])
            return source

        waiting: list[str] = []
        function.outputs = [inside(source) for source in outputs]
        while waiting:
            name = waiting.pop()
            if name in function.nodes:
                continue
            node = self.nodes[name]
            sources = [inside(each) for each in node.input if not each.startswith("^")]
            for each in node.input[len(sources) :]:
                if each[1:] in self.nodes and self._kind(each[1:]) not in PRIMITIVES:
                    if each[1:] in members:
                        sources.append(each)
                        waiting.append(each[1:])
                    else:
                        function.waits_for.add(each)
            function.nodes[name] = replace(node, input=sources)

    # ---- loops -------------------------------------------------------------------------

    def drop_gradients_of_loops(self) -> None:
        """Drops gradients that go through loops, and all that is computed from them.

        TensorFlow's run a second circle, on values that the first one has put on stacks. Here a
        gradient is made of the `While` as a whole, by who asks for it.
        """
        kept_values = [name for name, node in self.nodes.items() if node.op in _OF_LOOP_GRADIENTS]
        if kept_values:
            gone = self._reached(kept_values, out_of_loops=True)
            warning(
                "The graph has gradients of loops (as '%s'), which are left out, and with them %d "
                "operations that need them. Make them again: tf.gradients, optimizer.minimize.",
                kept_values[0],
                len(gone) - len(kept_values),
            )
            self._drop(gone)
            self._drop_what_reads_nothing()

    def innermost_frame(self) -> tuple[str, set[str]] | None:
        """A frame without another inside, and the names of all nodes in it; None without any."""
        frames: dict[str, list[str]] = {}
        for node in self.nodes.values():
            if self._kind(node.name) == "Enter":
                frames.setdefault(node.attr["frame_name"], []).append(node.name)
        for frame, enters in frames.items():
            members = self._reached(enters)
            others = (name for name in members if self._kind(name) == "Enter")
            if all(self.nodes[name].attr["frame_name"] == frame for name in others):
                return frame, members
        if frames:
            raise ValueError(f"The loops {sorted(frames)} are inside each other.")
        return None

    def _reached(
        self, names: list[str], with_these: bool = True, out_of_loops: bool = False
    ) -> set[str]:
        """The nodes that depend on some; up to where a loop is left, if not also out of loops."""
        readers: dict[str, list[str]] = {}
        for node in self.nodes.values():
            for source in node.input:
                readers.setdefault(_parts(source)[0], []).append(node.name)
        found, waiting = set(names if with_these else ()), list(names)
        while waiting:
            name = waiting.pop()
            at_end = self._kind(name) == "Exit" and not out_of_loops
            for reader in () if at_end else readers.get(name, ()):
                if reader not in found:
                    found.add(reader)
                    waiting.append(reader)
        return found

    def replace_loop(self, frame: str, members: set[str]) -> None:
        """Puts a `While` in the place of a circle.

        Raises:
          ValueError: when it is none that `tf.while_loop` makes.
        """
        ends = [self.nodes[name] for name in members if self._kind(name) == "LoopCond"]
        if not ends and not any(self._kind(name) == "Exit" for name in members):
            self._drop(members)
            return  # the rest of a gradient
        if len(ends) != 1:
            raise ValueError(f"The loop '{frame}' has {len(ends)} conditions.")
        (end,) = ends
        merges = self._merges_of_loop(members)
        switches = {
            node.input[0]: node.name
            for node in map(self.nodes.__getitem__, members)
            if self._kind(node.name) == "Switch" and node.input[1] == end.name
        }
        name = self._free_name(f"{end.name.rpartition('/')[0]}/While".lstrip("/"))
        keys = {enter: self._type(enter) for enter, _ in merges.values()}
        variables = {merge: (enter, keys[enter]) for merge, (enter, _) in merges.items()}
        in_body = {f"{switch}:1": variables[merge] for merge, switch in switches.items()}

        circle = {*merges, *switches.values()}

        def key_of(known: dict[str, tuple[str, DType]]) -> Callable[[str], Any]:
            def find(source: str) -> tuple[str, DType] | None:
                node_name, _ = _parts(source)
                if source in known:
                    return known[source]
                if node_name in circle:
                    raise ValueError(f"The loop '{frame}' reads '{source}' out of its order.")
                outside = self._kind(node_name) == "Enter" or node_name not in members
                return (source, self._type(source)) if outside else None

            return find

        cond, body = _Function("cond", name, keys), _Function("body", name, keys)
        self._take(cond, end.input[:1], members, key_of(variables))
        turns = [self.nodes[following].input[0] for _, following in merges.values()]
        self._take(body, turns, members, key_of(in_body))
        carried = len(merges)
        types = tuple(keys.values())[:carried]
        loop = NodeDef(name, "While", [self._entering(key) for key in keys], end.device)
        loop.input += sorted(cond.waits_for | body.waits_for)
        loop.attr = {
            "cond": cond.definition(carried),
            "body": body.definition(carried),
            "carried": carried,
            "types": (*types, dtypes.int32),
            "shapes": (*[_UNKNOWN] * carried, _SCALAR),
        }
        places = {switches.get(merge, ""): place for place, merge in enumerate(merges)}
        exits = [self.nodes[each] for each in members if self._kind(each) == "Exit"]
        self._drop(members)
        self.nodes[name] = loop
        for node in exits:
            value = _text(name, places[node.input[0].removesuffix(":0")])
            self.nodes[node.name] = NodeDef(node.name, "Exit", [value], node.device)

    def _merges_of_loop(self, members: set[str]) -> dict[str, tuple[str, str]]:
        """The loop variables: for each `Merge` its `Enter` and its `NextIteration`."""
        found = {}
        for node in self.nodes.values():
            if node.name in members and self._kind(node.name) == "Merge":
                sources = [_parts(source)[0] for source in node.input[:2]]
                if [self._kind(each) for each in sources] == ["Enter", "NextIteration"]:
                    found[node.name] = (sources[0], sources[1])
        return found

    def _entering(self, key: str) -> str:
        name, _ = _parts(key)
        return self.nodes[name].input[0] if self._kind(name) == "Enter" else key

    # ---- branches ------------------------------------------------------------------------

    def replace_branches(self) -> None:
        """Puts an `If` in the place of the switches and merges of each condition."""
        while self._replace_a_branch():
            pass
        if any(self._kind(node.name) == "Switch" for node in self.nodes.values()):
            states = self._states()[0]  # what is left gives nothing to anything
            dead = {name for name, state in states.items() if state or self._kind(name) == "Switch"}
            self._drop(dead)
            self._drop_what_reads_nothing()

    def _states(self) -> tuple[dict[str, dict[str, int]], dict[str, list[tuple[NodeDef, bool]]]]:
        """For each node the branches that it stands in; and the merges of each condition.

        A branch is a condition and 0 or 1; of a merge the second tells whether its first input is
        that of the true branch.
        """
        states: dict[str, dict[str, int]] = {}
        merges: dict[str, list[tuple[NodeDef, bool]]] = {}

        def of(source: str) -> dict[str, int]:
            name, index = _parts(source)
            state = states.get(name, {})
            if self._kind(name) == "Switch" and index >= 0:
                return {**state, self._condition(name): index}
            return state

        for node in in_order([*self.nodes.values()]):
            state: dict[str, int] = {}
            for source in node.input:
                state |= of(source)
            if self._kind(node.name) == "Merge":
                first, second = of(node.input[0]), of(node.input[1])
                joined = [p for p in first if first[p] != second.get(p, first[p])]
                if len(joined) != 1:
                    raise ValueError(f"Node '{node.name}' (Merge) does not join two branches.")
                del state[joined[0]]
                merges.setdefault(joined[0], []).append((node, first[joined[0]] == 1))
            states[node.name] = state
        return states, merges

    def _condition(self, switch: str) -> str:
        """What decides a `Switch`, in front of the identities that each branch has of it."""
        if self._kind(switch) != "Switch":
            return ""
        source = self.nodes[switch].input[1]
        while self._kind(_parts(source)[0]) == "Identity":
            source = self.nodes[_parts(source)[0]].input[0]
        return source.removesuffix(":0")

    def _replace_a_branch(self) -> bool:
        states, merges = self._states()
        if not merges:
            return False
        members = {p: {name for name, s in states.items() if p in s} for p in merges}
        pred = min(members, key=lambda p: len(members[p]))
        behind = self._reached([node.name for node, _ in merges[pred]], with_these=False)
        joined = [(node, way) for node, way in merges[pred] if node.name not in behind]
        first = joined[0][0]
        name = self._free_name(f"{first.name.rpartition('/')[0]}/If".lstrip("/"))

        def key_of(source: str) -> tuple[str, DType] | None:
            node_name, index = _parts(source)
            switch = self.nodes[node_name]
            if index >= 0 and self._condition(node_name) == pred:
                dtype = self._type(source)
                return switch.input[0], dtype._as_ref if switch.op == "RefSwitch" else dtype
            if node_name in members[pred]:
                return None
            return source, self._type(source)

        keys: dict[str, DType] = {}
        then_branch, else_branch = (_Function(n, name, keys) for n in ("then", "else"))
        for function, wanted in ((then_branch, True), (else_branch, False)):
            sources = [node.input[0 if true_first is wanted else 1] for node, true_first in joined]
            self._take(function, sources, members[pred], key_of)
        waits = sorted(then_branch.waits_for | else_branch.waits_for)
        chosen = NodeDef(name, "If", [pred, *keys, *waits], first.device)
        chosen.attr = {
            "types": tuple(self._type(node.name) for node, _ in joined),
            "shapes": tuple(_UNKNOWN for _ in joined),
            "then_branch": then_branch.definition(0),
            "else_branch": else_branch.definition(0),
        }
        for place, (node, _) in enumerate(joined):
            self.nodes[node.name] = NodeDef(node.name, "Merge", [_text(name, place)], node.device)
        self._drop(then_branch.nodes.keys() | else_branch.nodes.keys())
        self.nodes[name] = chosen
        self._drop_what_reads_nothing()
        return True

    def _drop_what_reads_nothing(self) -> None:
        """Drops what read values of a branch that is a function now: nobody reads it."""
        while lost := [
            name
            for name, node in self.nodes.items()
            if any(_parts(s)[0] not in self.nodes for s in node.input if not s.startswith("^"))
        ]:
            self._drop(lost)
        for node in self.nodes.values():
            node.input = [source for source in node.input if _parts(source)[0] in self.nodes]

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

The gradient of a loop is a second circle, on values that the first one has put on stacks. Its turns
are counted, so it becomes a `Scan` over what the turns of the `While` leave:

    circle: StackPush(stack, x)      While(...), with x as one more result of the body
    circle: StackPop(stack) ──> dx   Scan(turns, ..., reversed stack), x as an argument of its body

A circle inside of a circle leaves a stack in each turn of the outer one, which is pushed there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph_def import FunctionDef, NodeDef, free_name, output_name
from minitf.core.graph.importer import in_order
from minitf.core.graph.logging import warning
from minitf.core.graph.op_def import get_op_def
from minitf.core.graph.shapes import TensorShape

#: The operations of branches and loops; those for references to variables mean the same.
PRIMITIVES = {
    **{kind: kind for kind in ("Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch")},
    **{f"Ref{kind}": kind for kind in ("Enter", "Exit", "Merge", "NextIteration", "Switch")},
}
_LISTS = ("TensorArrayV3", "TensorArrayWriteV3", "TensorArrayScatterV3", "TensorArraySplitV3")
OF_STACKS = ("StackV2", "StackPushV2", "StackPopV2", "StackCloseV2")
_OURS = ("If", "Scan", "While")
_OF_VARIABLES = ("VariableV2", "RefArgument")
_PASSED_ON = ("Enter", "Exit", "Identity", "Merge", "NextIteration", "Switch")
_UNKNOWN, _SCALAR = TensorShape(None), TensorShape(())


def structured(nodes: Sequence[NodeDef]) -> list[NodeDef]:
    """The nodes of a graph with its circles and switches made `While` and `If`.

    Raises:
      ValueError: when they do not stand as `tf.while_loop` and `tf.cond` make them.
    """
    if not any(node.op in PRIMITIVES for node in nodes):
        return list(nodes)
    graph = _Nodes(map(copy, nodes))
    try:
        graph.replace_all()
    except ValueError as error:
        graph = _Nodes(nodes)
        graph.drop_gradients_of_loops(error)
        graph.replace_all()
    return [*graph.nodes.values()]


def _parts(source: str) -> tuple[str, int]:
    """The node that a source names, and which of its outputs; -1 for a control input."""
    if source.startswith("^"):
        return source[1:], -1
    name, _, index = source.partition(":")
    return name, int(index or 0)


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

    def nothing(self, dtype: DType) -> str:
        """What stands for a value of the other branch, which nobody reads."""
        name = f"{self.scope}/{self.name}_nothing_{dtype.name}"
        if dtype == dtypes.variant:
            name += f"_{len(self.nodes)}"  # each its own, since each is a list of something else
            self.nodes[name] = NodeDef(name, "EmptyList", attrs={"size": 0})
        else:
            value = (
                np.zeros((), dtype.numpy_dtype) if dtype != dtypes.string else np.array(b"", object)
            )
            self.nodes[name] = NodeDef(name, "Const", attrs={"dtype": dtype, "value": value})
        return name

    def argument_of(self, key: str, dtype: DType) -> str:
        """The name of the argument that stands for what enters as `key`."""
        self.keys.setdefault(key, dtype)
        return self._argument(list(self.keys).index(key))

    def definition(
        self, captured: int, pushed: int = 0, order: Sequence[int] | None = None
    ) -> FunctionDef:
        """The function as data, with an argument for all that enters.

        Args:
          captured: how many of its arguments, the last ones, are the same in all turns.
          pushed: how many of its results, the last ones, each turn leaves on a stack; from a branch
            that is not taken, too.
          order: the order of its arguments; that of the keys by default.
        """
        arguments = [
            NodeDef(
                self._argument(i),
                "RefArgument" if dtype._is_ref_dtype else "Argument",
                attrs={"dtype": dtype.base_dtype, "shape": _UNKNOWN},
            )
            for i, dtype in enumerate(self.keys.values())
        ]
        inside = _Nodes([*arguments, *self.nodes.values()])
        if pushed:
            self.outputs[-pushed:] = inside.joined(self.outputs[-pushed:], self)
        self.outputs = inside.without_open_switches(self.outputs)
        inside.replace_branches()
        return FunctionDef(
            self.name,
            [*inside.nodes.values()],
            tuple(f"{arguments[i].name}:0" for i in order or range(len(arguments))),
            tuple("{}:{}".format(*_parts(each)) for each in self.outputs),
            captured,
        )


class _Nodes:
    """The nodes of a graph or of a function, by name."""

    def __init__(self, nodes: Iterable[NodeDef]) -> None:
        self.nodes = {node.name: node for node in nodes}
        self.readers: dict[str, dict[str, None]] = {}  # of each node, and some that are gone
        self._types: dict[tuple[str, int], DType] = {}  # of values, as they become known

    def put(self, node: NodeDef) -> None:
        """Adds a node, or notes what it reads now."""
        self.nodes[node.name] = node
        for source in node.input:
            self.readers.setdefault(_parts(source)[0], {})[node.name] = None

    def find_readers(self) -> None:
        """Finds out who reads each node."""
        self.readers = {}
        for node in self.nodes.values():
            self.put(node)

    def _drop(self, names: Iterable[str]) -> None:
        for name in names:
            del self.nodes[name]

    def kind(self, name: str) -> str:
        """The type of a node; "Identity" for what stands behind an `If` or `While` of ours."""
        node = self.nodes.get(name, NodeDef())
        if node.op == "Merge" and len(node.data_inputs) == 1:
            return "Identity"
        made = node.op == "Exit" and self.nodes.get(_parts(node.input[0])[0], node)
        return "Identity" if made and made.op in _OURS else PRIMITIVES.get(node.op, node.op)

    def type(self, source: str) -> DType:
        """The dtype of a value; that of a list, which is a number in TensorFlow, is variant."""
        seen: dict[tuple[str, int], None] = {}
        value = _parts(source)
        while value[0] in self.nodes and value not in seen:
            seen[value] = None
            found = self._types.get(value) or self._type_there(*value)
            if isinstance(found, DType):
                self._types |= dict.fromkeys(seen, found)
                return found
            value = _parts(found)
        own = self.nodes[_parts(source)[0]]
        for key in ("T", "dtype"):
            if isinstance(own.attrs.get(key), DType):
                return own.attrs[key]
        raise ValueError(f"Node '{own.name}' ({own.op}): the type of '{source}' is not known.")

    def entering_type(self, source: str) -> DType:
        """The type of a value where it enters a loop or a branch: of a variable a reference."""
        node = self.nodes[_parts(source)[0]]
        dtype = self.type(source)
        if node.op in _OF_VARIABLES:
            return dtype._as_ref
        while self.kind(node.name) in ("Enter", "Switch", "Identity"):
            by_name = node.op.startswith("Ref") or node.attrs.get("T") == dtypes.resource
            node = self.nodes[_parts(node.input[0])[0]]
            if by_name and node.op in _OF_VARIABLES:
                return dtype._as_ref
            if not by_name:
                break
        return dtype

    def _type_there(self, name: str, index: int) -> DType | str:
        """The type of an output, or an input that has the same."""
        node, kind = self.nodes[name], self.kind(name)
        if kind in _LISTS:
            return dtypes.variant
        if kind in _OURS:
            known: DType = node.attrs["types"][index]
            return known
        if "_output_types" in node.attrs:
            return dtypes.as_dtype(node.attrs["_output_types"][index])
        if kind in _PASSED_ON:
            return node.input[0]
        for key in ("T", "dtype", "DstT", "elem_type"):
            if isinstance(node.attrs.get(key), DType):
                return node.attrs[key]
        try:
            op_def = get_op_def(node.op)
            output = op_def.outputs[min(index, len(op_def.outputs) - 1)]
            if output.type in node.attrs:
                return dtypes.as_dtype(node.attrs[output.type])
            same = [i for i, each in enumerate(op_def.inputs) if each.type == output.type]
            return node.input[same[0]] if same else dtypes.as_dtype(output.type)
        except (LookupError, TypeError):
            raise ValueError(f"Node '{node.name}' ({node.op}): its type is not known.") from None

    def take(
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
            sources = [inside(each) for each in node.data_inputs]
            for each in node.input[len(sources) :]:
                if each[1:] in self.nodes and self.kind(each[1:]) not in (*PRIMITIVES, *OF_STACKS):
                    if each[1:] in members:
                        sources.append(each)
                        waiting.append(each[1:])
                    else:
                        function.waits_for.add(each)
            function.nodes[name] = replace(node, input=sources)

    # ---- loops -------------------------------------------------------------------------

    def replace_all(self) -> None:
        """Puts `While`, `Scan` and `If` in the place of all circles and switches."""
        self.find_readers()
        frames: dict[str, list[str]] = {}
        back = ("NextIteration", "RefNextIteration")
        for node in in_order(
            [replace(n, input=[]) if n.op in back else n for n in self.nodes.values()]
        ):
            if self.kind(node.name) == "Enter":
                frames.setdefault(node.attrs["frame_name"], []).append(node.name)
        for frame, enters in reversed(frames.items()):  # a loop is entered before those inside
            self.replace_loop(frame, enters)
        self._join_stacks()
        self.replace_branches()

    def drop_gradients_of_loops(self, error: ValueError) -> None:
        """Drops gradients that go through loops in a way of their own, and what needs them.

        Raises:
          ValueError: the error, when there are none.
        """
        kept_values = [name for name, node in self.nodes.items() if node.op in OF_STACKS]
        if not kept_values:
            raise error
        self.find_readers()
        gone = self.reached(kept_values, out_of_loops=True)
        warning(
            "The graph has gradients of loops (as '%s'), which are left out, and with them %d "
            "operations that need them, since %s Make them again: tf.gradients, "
            "optimizer.minimize.",
            kept_values[0],
            len(gone) - len(kept_values),
            error,
        )
        self._drop(gone)

    def _stack(self, source: str) -> tuple[str, str]:
        """Where the handle of a stack enters a loop, or ""; and what enters there, or the stack."""
        name, _ = _parts(source)
        while self.kind(name) in ("Identity", "Switch"):
            name, _ = _parts(self.nodes[name].input[0])
        kind = self.kind(name)
        if kind not in ("Enter", "StackV2"):
            raise ValueError(f"Node '{name}' ({kind}) is no stack.")
        return ("", name) if kind == "StackV2" else (name, self.nodes[name].input[0])

    def _join_stacks(self) -> None:
        """Gives what reads a stack in the graph itself what was pushed there."""
        stacks = [node for node in self.nodes.values() if node.op in OF_STACKS]
        pushed = {self._stack(n.input[0])[1]: n.input[1] for n in stacks if n.op == "StackPushV2"}
        for node in stacks:
            if node.op == "StackPopV2":
                stack = self._stack(node.input[0])[1]
                if stack not in pushed:
                    raise ValueError(f"Nothing is pushed on the stack '{stack}'.")
                self.nodes[node.name] = NodeDef(node.name, "Identity", [pushed[stack]], node.device)
        self.find_readers()
        self._drop(self.reached([node.name for node in stacks if node.op == "StackV2"]))
        self._forget_missing_controls()

    def _forget_missing_controls(self) -> None:
        for node in self.nodes.values():
            node.input = [s for s in node.input if not s.startswith("^") or s[1:] in self.nodes]

    def joined(self, sources: Sequence[str], function: _Function) -> list[str]:
        """Values that are there whatever branch is taken; nothing stands for those of another."""
        if not any(self.kind(name) == "Switch" for name in self.nodes):
            return [*sources]
        states, found = self.states()[0], []
        for source in sources:
            state = self.state_of(source, states)
            for pred in sorted(state, key=lambda p: -len(self.state_of(p, states))):
                nothing = function.nothing(self.type(source))
                self.nodes[nothing] = function.nodes[nothing]
                name = _parts(source)[0]
                other, merge = (free_name(f"{name}/{k}", self.nodes) for k in ("no", "any"))
                self.nodes[other] = NodeDef(other, "Switch", [nothing, pred])
                self.nodes[merge] = NodeDef(
                    merge, "Merge", [output_name(other, 1 - state[pred]), source]
                )
                source = merge
            found.append(source)
        return found

    def reached(self, names: Iterable[str], out_of_loops: bool = False) -> set[str]:
        """Some nodes, and those that depend on them, inside of a loop or also outside."""
        waiting = [*names]
        found = {*waiting}
        while waiting:
            name = waiting.pop()
            at_end = self.kind(name) == "Exit" and not out_of_loops
            for reader in () if at_end else self.readers.get(name, ()):
                if reader not in found and reader in self.nodes:
                    found.add(reader)
                    waiting.append(reader)
        return found

    def replace_loop(self, frame: str, enters: list[str]) -> None:
        """Puts a `While` in the place of a circle, or a `Scan` if it reads stacks.

        Raises:
          ValueError: when it is none that `tf.while_loop` makes, or `tf.gradients`.
        """
        members = self.reached(enters)
        entered = [name for name in members if self.kind(name) == "Enter"]
        for other in {self.nodes[name].attrs["frame_name"] for name in entered} - {frame}:
            raise ValueError(f"The loops '{frame}' and '{other}' are inside each other.")
        ends = [self.nodes[name] for name in members if self.kind(name) == "LoopCond"]
        if not ends and not any(self.kind(name) == "Exit" for name in members):
            self._drop(members)
            return  # the rest of a gradient
        if len(ends) != 1:
            raise ValueError(f"The loop '{frame}' has {len(ends)} conditions.")
        (end,) = ends
        merges = self._merges_of_loop(enters)
        switches = {
            node.input[0]: node.name
            for node in map(self.nodes.__getitem__, members)
            if self.kind(node.name) == "Switch" and node.input[1] == end.name
        }
        pushes, popped = self._take_stacks(members)
        name = free_name(f"{end.name.rpartition('/')[0]}/While".lstrip("/"), self.nodes)
        keys = {enter: self.type(enter) for enter, _ in merges.values()}
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
                outside = self.kind(node_name) == "Enter" or node_name not in members
                return (
                    (source, popped.get(source) or self.entering_type(source)) if outside else None
                )

            return find

        cond, body = _Function("cond", name, keys), _Function("body", name, keys)
        if popped:
            turns = [self._turns(end, merges)]
        else:
            turns = []
            self.take(cond, end.input[:1], members, key_of(variables))
        results = [self.nodes[following].input[0] for _, following in merges.values()]
        self.take(body, [*results, *(n.input[1] for n in pushes)], members, key_of(in_body))
        carried, captured = len(merges), len(keys) - len(merges)
        order = sorted(range(len(keys)), key=lambda i: [*keys][i] in popped)
        inputs = [self._entering([*keys][i]) for i in order]
        scanned = sum(key in popped for key in keys)
        for place in range(len(keys) - scanned, len(keys)):
            inputs[place] = self._reversed(inputs[place])
        loop = NodeDef(name, "Scan" if popped else "While", [*turns, *inputs], end.device)
        loop.input += sorted(cond.waits_for | body.waits_for)
        counted = () if popped else (dtypes.int32,)
        types = (*[*keys.values()][:carried], *counted, *[dtypes.variant] * len(pushes))
        loop.attrs = {
            "body": body.definition(0 if popped else captured, len(pushes), order),
            "carried": carried,
            "types": types,
            "shapes": (*[_UNKNOWN] * carried, *[_SCALAR] * (len(types) - carried)),
        }
        loop.attrs |= {"scanned": scanned} if popped else {"cond": cond.definition(captured)}
        places = {switches.get(merge, ""): place for place, merge in enumerate(merges)}
        exits = [self._left(self.nodes[each]) for each in members if self.kind(each) == "Exit"]
        outer = [self._stack(node.input[0])[1] for node in pushes]
        self._drop(members - {node.name for node in pushes})
        self.put(loop)
        for node in exits:
            value = output_name(name, places[node.input[0].removesuffix(":0")])
            self.put(NodeDef(node.name, "Exit", [value], node.device))
        for place, node in enumerate(pushes, start=carried + len(counted)):
            given = [outer[place - carried - len(counted)], output_name(name, place)]
            self.put(NodeDef(node.name, "StackPushV2", given, node.device))

    def _left(self, node: NodeDef) -> NodeDef:
        """An `Exit`, right behind its `Switch`."""
        source = node.input[0]
        while self.kind(_parts(source)[0]) == "Identity":
            source = self.nodes[_parts(source)[0]].input[0]
        return replace(node, input=[source])

    def _take_stacks(self, members: set[str]) -> tuple[list[NodeDef], dict[str, DType]]:
        """What a circle pushes; and for each stack that it pops, where it enters, of what it is.

        The nodes that pop become identities of what enters there.
        """
        pushes, popped = [], {}
        for node in [self.nodes[name] for name in sorted(members)]:
            if node.op == "StackPushV2":
                pushes.append(node)
            elif node.op == "StackPopV2":
                dtype = node.attrs["elem_type"]
                popped[self._stack(node.input[0])[0]] = dtype
                node = replace(node, op="Identity", attrs={"_output_types": (dtype,)})
                self.nodes[node.name] = node
        return pushes, popped

    def _turns(self, end: NodeDef, merges: dict[str, tuple[str, str]]) -> str:
        """How many turns the circle of a gradient takes: it counts down to one."""
        test = self.nodes[_parts(end.input[0])[0]]
        if test.op != "GreaterEqual" or _parts(test.input[0])[0] not in merges:
            raise ValueError(f"The loop of '{end.name}' pops from a stack, and does not count.")
        return self._entering(merges[_parts(test.input[0])[0]][0])

    def _reversed(self, stack: str) -> str:
        """What is popped of a stack for a whole loop, with the last turn first."""
        made = _parts(stack)[0]
        popped, name = (
            free_name(f"{made}/{kind}", self.nodes) for kind in ("StackPopV2", "ReverseStack")
        )
        attr = {"elem_type": dtypes.variant}
        self.put(NodeDef(popped, "StackPopV2", [stack], attrs=attr))
        self.put(NodeDef(name, "ReverseStack", [popped]))
        return name

    def _merges_of_loop(self, enters: list[str]) -> dict[str, tuple[str, str]]:
        """The loop variables: for each `Merge` its `Enter` and its `NextIteration`."""
        found = {}
        for name in [reader for enter in enters for reader in self.readers.get(enter, ())]:
            if name in self.nodes and self.kind(name) == "Merge":
                sources = [_parts(source)[0] for source in self.nodes[name].input[:2]]
                if [self.kind(each) for each in sources] == ["Enter", "NextIteration"]:
                    found[name] = (sources[0], sources[1])
        return found

    def _entering(self, key: str) -> str:
        name, _ = _parts(key)
        return self.nodes[name].input[0] if self.kind(name) == "Enter" else key

    # ---- branches ------------------------------------------------------------------------

    def without_open_switches(self, outputs: Sequence[str]) -> list[str]:
        """The outputs of a function of which all is alive: a switch that nothing joins hands on."""
        switches = {name for name in self.nodes if self.kind(name) == "Switch"}
        joined = self.states()[1] if switches else {}
        switches = {name for name in switches if self.condition(name) not in joined}

        def behind(source: str) -> str:
            while _parts(source)[0] in switches and not source.startswith("^"):
                source = self.nodes[_parts(source)[0]].input[0]
            return source

        for node in self.nodes.values():
            if node.name not in switches:
                node.input = [behind(source) for source in node.input]
        found = [behind(source) for source in outputs]
        self._drop(switches)
        self._forget_missing_controls()
        return found

    def replace_branches(self) -> None:
        """Puts an `If` in the place of the switches and merges of each condition."""
        branches = _Branches(self)
        while branches.merges:
            branches.replace_one()
        if any(self.kind(node.name) == "Switch" for node in self.nodes.values()):
            states = self.states()[0]  # what is left gives nothing to anything
            dead = {name for name, state in states.items() if state or self.kind(name) == "Switch"}
            self._drop(dead)
            self._forget_missing_controls()

    def states(self) -> tuple[dict[str, dict[str, int]], dict[str, list[tuple[NodeDef, bool]]]]:
        """For each node the branches that it stands in; and the merges of each condition.

        A branch is a condition and 0 or 1; of a merge the second tells whether its first input is
        that of the true branch.
        """
        states: dict[str, dict[str, int]] = {}
        merges: dict[str, list[tuple[NodeDef, bool]]] = {}

        for node in in_order([*self.nodes.values()]):
            state: dict[str, int] = {}
            for source in node.input:
                state |= self.state_of(source, states)
            if self.kind(node.name) == "Merge":
                first, second = (self.state_of(source, states) for source in node.input[:2])
                joined = [p for p in first if first[p] != second.get(p, first[p])]
                if len(joined) != 1:
                    raise ValueError(f"Node '{node.name}' (Merge) does not join two branches.")
                del state[joined[0]]
                merges.setdefault(joined[0], []).append((node, first[joined[0]] == 1))
            states[node.name] = state
        return states, merges

    def state_of(self, source: str, states: dict[str, dict[str, int]]) -> dict[str, int]:
        """The branches that a value stands in, by those of the nodes."""
        name, index = _parts(source)
        state = states.get(name, {})
        if self.kind(name) == "Switch" and index >= 0:
            return {**state, self.condition(name): index}
        return state

    def condition(self, switch: str) -> str:
        """What decides a `Switch`, in front of the identities that each branch has of it."""
        if self.kind(switch) != "Switch":
            return ""
        source = self.nodes[switch].input[1]
        while self.kind(_parts(source)[0]) == "Identity":
            source = self.nodes[_parts(source)[0]].input[0]
        return source.removesuffix(":0")


class _Branches:
    """The branches of a graph; what is known of its nodes is kept up while they are replaced.

    Args:
      graph: the nodes.

    Attributes:
      merges: for each condition that is left the merges that join its branches.
    """

    def __init__(self, graph: _Nodes) -> None:
        self._graph = graph
        self._states: dict[str, dict[str, int]] = {}
        self._members: dict[str, set[str]] = {}  # of each condition
        self.merges: dict[str, list[tuple[NodeDef, bool]]] = {}
        if any(graph.kind(name) == "Merge" for name in graph.nodes):
            graph.find_readers()
            states, self.merges = graph.states()
            self._members = {condition: set() for condition in self.merges}
            for name, state in states.items():
                self._add(graph.nodes[name], state)

    def _add(self, node: NodeDef, state: dict[str, int]) -> None:
        self._graph.put(node)
        self._states[node.name] = state
        for condition in state:
            self._members.setdefault(condition, set()).add(node.name)

    def _drop(self, names: Iterable[str]) -> None:
        """Drops nodes, and what reads them: nobody reads that."""
        waiting = [*names]
        while waiting:
            name = waiting.pop()
            if self._graph.nodes.pop(name, None) is None:
                continue
            for condition in self._states.pop(name):
                self._members[condition].discard(name)
            for reader in sorted(self._graph.readers.pop(name, ())):
                node = self._graph.nodes.get(reader)
                if node is not None:
                    node.input = [source for source in node.input if source != f"^{name}"]
                    if any(_parts(source)[0] == name for source in node.input):
                        waiting.append(reader)

    def replace_one(self) -> None:
        """Puts an `If` in the place of a condition without others inside.

        Merges that depend on others of the same condition, as those of a gradient do, are left for
        an `If` of their own. It gets what it needs of the first one's branches.
        """
        graph = self._graph
        pred = min(self.merges, key=lambda p: len(self._members[p]))
        merges = self.merges.pop(pred)
        behind = graph.reached(r for n, _ in merges for r in graph.readers.get(n.name, ()))
        joined = [(node, way) for node, way in merges if node.name not in behind]
        later = [(node, way) for node, way in merges if node.name in behind]
        if later:
            self.merges[pred] = later
        members, first = self._members[pred], joined[0][0]
        name = free_name(f"{first.name.rpartition('/')[0]}/If".lstrip("/"), graph.nodes)

        def key_of(source: str) -> tuple[str, DType] | None:
            node_name, index = _parts(source)
            switch = graph.nodes[node_name]
            if index >= 0 and graph.condition(node_name) == pred:
                return switch.input[0], graph.entering_type(source)
            if node_name in members or switch.op == "ReverseStack":  # for a loop of this branch
                return None
            return source, graph.entering_type(source)

        keys: dict[str, DType] = {}
        then_branch, else_branch = (_Function(n, name, keys) for n in ("then", "else"))
        for function, wanted in ((then_branch, True), (else_branch, False)):
            sources = [node.input[0 if true_first is wanted else 1] for node, true_first in joined]
            graph.take(function, sources, members, key_of)
        types = [graph.type(node.name) for node, _ in joined]
        given_on = self._read_later(then_branch.nodes.keys() | else_branch.nodes.keys(), members)
        for source in given_on if later else ():
            types.append(graph.type(source))
            for function in (then_branch, else_branch):
                function.outputs.append(
                    source if _parts(source)[0] in function.nodes else function.nothing(types[-1])
                )
        waits = sorted(then_branch.waits_for | else_branch.waits_for)
        chosen = NodeDef(name, "If", [pred, *keys, *waits], first.device)
        chosen.attrs = {
            "types": tuple(types),
            "shapes": (_UNKNOWN,) * len(types),
            "then_branch": then_branch.definition(len(keys)),
            "else_branch": else_branch.definition(len(keys)),
        }
        state: dict[str, int] = {}
        for source in chosen.input:
            state |= graph.state_of(source, self._states)
        places = {
            source: output_name(name, i) for i, source in enumerate(given_on, start=len(joined))
        }
        if later:
            self._read_instead(places)
        self._add(chosen, {p: way for p, way in state.items() if p != pred})
        for place, (node, _) in enumerate(joined):
            merged = NodeDef(node.name, "Merge", [output_name(name, place)], node.device)
            self._add(merged, self._states[node.name])
        self._drop(then_branch.nodes.keys() | else_branch.nodes.keys())

    def _read_later(self, taken: set[str], members: set[str]) -> list[str]:
        """What nodes of a condition that stay read of those that are taken out, each once."""
        found: dict[str, None] = {}
        for name in sorted(
            {reader for each in taken for reader in self._graph.readers.get(each, ())}
        ):
            if name in members and name not in taken:
                for source in self._graph.nodes[name].input:
                    if _parts(source)[0] in taken and not source.startswith("^"):
                        found[source] = None
        return [*found]

    def _read_instead(self, places: dict[str, str]) -> None:
        """Lets all that read some values read others."""
        graph = self._graph
        readers = {r for source in places for r in graph.readers.get(_parts(source)[0], ())}
        for name in readers & graph.nodes.keys():
            node = graph.nodes[name]
            node.input = [places.get(source, source) for source in node.input]
            graph.put(node)

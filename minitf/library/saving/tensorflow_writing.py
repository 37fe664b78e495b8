"""Our graphs as TensorFlow's: what `tensorflow_graph.py` reads, the other way.

    GraphDef ──node by node, sources first──> nodes of TensorFlow ──graph_message.encode──> bytes
                  └─ the functions of If, While and pipelines ──> functions of its library

Nearly every node stays as it is: it gets the attributes that TensorFlow wants, which are told by
the types of its inputs. `_RULES` has the others: attributes that are inputs there, a list that
flows (a `TensorList` there), and the few operations that only exist here, made of several of
TensorFlow's. What can be made of nothing is a `ValueError` with the node's name, or is left out
with all that depends on it, where the caller says so.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph_def import FunctionDef, GraphDef, NodeDef, free_name, output_name
from minitf.core.graph.importer import in_order
from minitf.core.graph.op_def import get_op_def
from minitf.core.graph.shapes import as_shape
from minitf.core.graph.untrusted import TYPES, AbsentOp, find_op_def
from minitf.library.formats import graph_message
from minitf.library.formats.graph_message import (
    NO_NODE,
    Function,
    FunctionName,
    GraphMessage,
    no_node,
)
from minitf.library.formats.messages import to_text
from minitf.library.formats.summary_protos import attr_proto, plain_attr, shape_proto
from minitf.library.input import partitioning  # noqa: F401  rules write what this declares,
from minitf.library.numeric import broadcasting, diagonals  # noqa: F401  and these
from minitf.library.saving.tensorflow_composed import AXES
from minitf.library.saving.tensorflow_examples import their_parser
from minitf.library.saving.tensorflow_gates import gated
from minitf.library.saving.tensorflow_graph import (
    AS_ATTRIBUTES,
    from_message,
    is_theirs,
    read_graph,
)
from minitf.library.saving.tensorflow_lists import LISTS, ElementTypes
from minitf.library.saving.tensorflow_loops import plain_loop
from minitf.library.saving.tensorflow_ops import CALLED_THERE, OURS, their_op

_CALLED_HERE = {there: here for here, there in CALLED_THERE.items()}
#: Operations of ours that do what one with another name does there.
_RENAMED = {
    **dict.fromkeys(("Exit", "Merge", "ReadVariableOp"), "Identity"),
}

__all__ = [
    "GraphMessage",
    "attr_proto",
    "attr_text",
    "from_message",
    "is_theirs",
    "plain_attr",
    "read_graph",
    "shape_proto",
    "to_message",
    "write_graph",
]


def attr_text(value: Any) -> str:
    """The plain value of an attribute in protobuf's text form; empty if it is in no field."""
    return to_text(graph_message.shown_attr(value), "AttrValue")


def write_graph(graph_def: GraphDef) -> bytes:
    """The bytes of a graph as TensorFlow reads them.

    Raises:
      ValueError: when a node has no equal there.
    """
    return graph_message.encode(to_message(graph_def))


def to_message(graph_def: GraphDef, left_out: dict[str, str] | None = None) -> GraphMessage:
    """A graph as TensorFlow writes it.

    Args:
      graph_def: the graph.
      left_out: gets what has no equal there, and what depends on it: for each node why.
    Raises:
      ValueError: when a node has no equal there, and `left_out` is None.
    """
    writer = _Writer(graph_def.node, GraphMessage(), left_out, ElementTypes())
    for node in gated(in_order(graph_def.node)):
        writer.add(node)
    writer.lists.tell()
    for each in writer.nodes.values():
        if "_class" in each.attrs:  # who stands where others stand that are not there any more
            groups = each.attrs.pop("_class")
            try:
                known = tuple(g for g in groups if g.removeprefix("loc:@") in writer.nodes)
            except NO_NODE as error:
                raise no_node(each, error) from None
            each.attrs |= {"_class": known} if known else {}
    writer.message.node = [*writer.nodes.values()]
    return writer.message


class _WritesInside(ValueError):
    """A function writes to a variable, which TensorFlow's functions cannot do."""


class _Writer:
    """Makes nodes of TensorFlow of ours, sources first.

    Args:
      nodes: the nodes of a graph, or of a function.
      message: its library gets functions.
      left_out: see `to_message`.
      lists: is told of all nodes.
    """

    def __init__(
        self,
        nodes: Sequence[NodeDef],
        message: GraphMessage,
        left_out: dict[str, str] | None,
        lists: ElementTypes,
    ) -> None:
        self.nodes: dict[str, NodeDef] = {}
        self.message = message
        self.lists = lists
        self.ours = {node.name: node for node in nodes}
        self._arguments: dict[str, str] = {}  # of a function: their names there
        self.read = {source for node in nodes for source in node.input}
        self._left_out = left_out
        self._instead: dict[str, str] = {}  # what stands for values of nodes that became several
        self._not_given: set[str] = set()  # values that nodes have here and not there
        self._types: dict[str, list[DType]] = {}  # of the outputs of each node
        self._pivot, self._invariant = "", set[str]()  # see `_inlined`

    def add(self, node: NodeDef) -> None:
        """Adds a node, with what it takes there; once."""
        if node.name in self._types:
            return
        left_out, before = self._left_out, len(self.nodes)
        if node.op in ("Scan", "While"):
            try:
                loop = plain_loop(node, self.read.__contains__, lambda s: self.ours.get(_name(s)))
            except NO_NODE as error:
                raise no_node(node, error) from None
            for each in loop.before:
                self.add(each)
            self._instead |= loop.places
            node = loop.node
        if not self._instead.keys().isdisjoint(node.input):
            node = replace(node, input=[self._instead.get(each, each) for each in node.input])
        known = left_out or ()
        try:
            for source in node.input if known or self._not_given else ():
                if _name(source) in known or source in self._not_given:
                    raise ValueError(f"it needs '{source}'")
            absent = isinstance(find_op_def(node), AbsentOp)
            _RULES.get(node.op, _Writer.as_it_is if absent else _Writer.plain)(self, node)
        except errors.NotFoundError as error:  # a node of a plan, in a graph of `RunMetadata`
            raise ValueError(error.message) from None
        except NO_NODE as error:
            raise no_node(node, error) from None
        except ValueError as error:
            text = f"Node '{node.name}' ({node.op}) cannot be written for TensorFlow: {error}"
            if left_out is None:
                raise type(error)(text) from None
            left_out[node.name] = text
            for name in [*self.nodes][before:]:
                del self.nodes[name], self._types[name]

    # ---- what rules are made of ------------------------------------------------------------

    def emit(
        self,
        name: str,
        kind: str,
        inputs: Sequence[str],
        attr: dict[str, Any] | None = None,
        device: str = "",
    ) -> str:
        """Adds a node of TensorFlow, with all the attributes that it wants there.

        Raises:
          ValueError: when there is no such operation, or one of them is not known.
        """
        their = their_op(kind)
        if their is None:
            raise ValueError("TensorFlow has no such operation.")
        node = NodeDef(name, kind, inputs, device)
        attr, complete, sources = attr or {}, node.attrs, node.data_inputs
        makers = their.makers
        for key, value in attr.items():
            if value is None or key == "_output_types":
                continue
            if key in makers:
                complete[key] = makers[key](value)
            else:
                complete[key if key[0] == "_" else f"{OURS}{key}"] = value
        unknown = [key for key in their.needed if key not in complete]
        for key in unknown:
            if attr.get(_CALLED_HERE.get(key, "")) is not None:
                complete[key] = attr[_CALLED_HERE[key]]
        their.tell_types([self.type(source) for source in sources], complete)
        if self._arguments and any(
            _name(each) in self._arguments for each in their.references(sources, complete)
        ):
            raise _WritesInside("It writes to a variable inside of a function.")
        for key in unknown:
            if key not in complete:
                raise ValueError(f"Its attribute '{key}' is not known.")
        self._types[name] = their.output_types(complete)
        if self._pivot and self._invariant.issuperset(sources):
            node.input.append(f"^{self._pivot}")
        self.nodes[name] = node
        self.lists.add(self, node, self._types[name])
        return name

    def type(self, source: str) -> DType:
        """The type of a value."""
        if source in self._types:  # the first, as nearly always
            return self._types[source][0]
        name, _, index = source.partition(":")
        return self._types[name][int(index)]

    def constant(self, name: str, value: Any, dtype: DType = dtypes.int32) -> str:
        """The name of a constant; one that TensorFlow had made serves again."""
        array, wanted, number = np.array(value, dtype.numpy_dtype), name, 0
        while name in self.ours or name in self._types:
            known = self.ours.get(name)
            if known is not None and known.op == "Const":
                held = known.attrs["value"]
                if held.dtype.kind == array.dtype.kind and np.array_equal(held, array):
                    self.add(known)
                    return name
            number += 1
            name = f"{wanted}_{number}"
        return self.emit(name, "Const", [], {"dtype": dtype, "value": array})

    def added(self, node: NodeDef, part: str, kind: str, *inputs: str, **attr: Any) -> str:
        """Adds one of the several nodes that a node becomes."""
        name = free_name(f"{node.name}/{part}", ChainMap[str, Any](self.ours, self._types))
        return self.emit(name, kind, inputs, attr, node.device)

    def become(self, node: NodeDef, kind: str, inputs: Sequence[str], **attr: Any) -> None:
        """Adds what stands for a node under its own name."""
        self.emit(node.name, kind, [*inputs, *node.control_inputs], attr, node.device)

    def rank(self, source: str) -> int | None:
        """How many axes a value of the graph has, where that is written."""
        node = self.ours.get(_name(source), NodeDef())
        shapes = node.attrs.get("_output_shapes", ())
        index = int(source.partition(":")[2] or 0)
        return shapes[index].ndims if index < len(shapes) else None

    def function(
        self,
        definition: FunctionDef,
        name: str,
        change: Callable[[list[str], list[str]], list[str]] | None = None,
    ) -> FunctionName:
        """Adds a function to the library.

        Args:
          definition: the function.
          name: what it is for.
          change: gets its arguments and its outputs, and returns the outputs.
        """
        inner = _Writer(definition.node, self.message, None, self.lists)
        arguments = [_name(source) for source in definition.inputs]
        types = [dtypes.as_dtype(inner.ours[each].attrs["dtype"]) for each in arguments]
        for place, (argument, dtype) in enumerate(zip(arguments, types, strict=True)):
            inner._arguments[argument] = f"arg_{place}"
            inner._types[argument] = [dtype]
        inner.read |= set(definition.outputs)
        for node in in_order(definition.node):
            inner.add(node)
        outputs = list(definition.outputs)
        if change is not None:
            outputs = change(arguments, outputs)
        free = free_name(name.replace("/", "_"), self.message.library)
        results = {f"out_{place}": source for place, source in enumerate(outputs)}
        self.message.library[free] = Function(
            free,
            dict(zip(inner._arguments.values(), types, strict=True)),
            {key: inner.type(source) for key, source in results.items()},
            [inner._in_function(node) for node in inner.nodes.values()],
            {key: inner._source_in_function(source) for key, source in results.items()},
        )
        self.lists.add_function(free, inner, arguments, outputs)
        return FunctionName(free)

    def _in_function(self, node: NodeDef) -> NodeDef:
        attr = {k: v for k, v in node.attrs.items() if k not in ("_class", "_output_shapes")}
        if node.op == "EmptyTensorList":
            attr = node.attrs  # of which more will be known
        sources = node.data_inputs
        controls = [s for s in node.control_inputs if s[1:] not in self._arguments]
        inputs = [*map(self._source_in_function, sources), *controls]
        return NodeDef(node.name, node.op, inputs, node.device, attr)

    def _source_in_function(self, source: str) -> str:
        name, _, index = source.partition(":")
        if name in self._arguments:
            return self._arguments[name]
        node = self.nodes[name]
        their = their_op(node.op)
        if their is None:
            raise ValueError(f"It reads '{source}' ({node.op}) inside of a function.")
        output, place = their.output_places(node.attrs)[int(index or 0)]
        return f"{name}:{output}:{place}"

    # ---- rules -------------------------------------------------------------------------------

    def as_it_is(self, node: NodeDef) -> None:
        """A node that nobody here knows, out of a file."""
        attr = {k: v for k, v in node.attrs.items() if k != TYPES}
        self._types[node.name] = list(node.attrs[TYPES])
        self.nodes[node.name] = replace(node, attrs=attr)

    def plain(self, node: NodeDef) -> None:
        """A node that both know; attributes that are inputs there become constants."""
        kind = _RENAMED.get(node.op, node.op)
        if self._arguments and node.op == "ReadVariableOp":
            kind = "DeepCopy"  # there a loop would keep the variable's memory, which is updated
        sources = node.data_inputs
        op_def = get_op_def(node.op)
        attr = {key: v for key, v in node.attrs.items() if key not in op_def.type_names}
        for place, name, key, _ in AS_ATTRIBUTES.get(node.op, ()):
            given = self._as_input(node, f"{node.name}/{name}", attr.pop(key, None))
            sources.insert(place if place >= 0 else len(sources) + 1 + place, given)
        if attr.pop("conjugate", False):
            kind = "ConjugateTranspose"
        their = their_op(kind)
        for key, usual in op_def.attr_defaults.items():
            if their is not None and key not in their.attrs and attr.get(key, ...) == usual:
                del attr[key]  # TensorFlow has no place for it, and nobody needs one
        for key, value in attr.items():
            if isinstance(value, FunctionDef):
                attr[key] = self.function(value, f"{node.name}_{key}")
        self.emit(node.name, kind, [*sources, *node.control_inputs], attr, node.device)

    def _as_input(self, node: NodeDef, name: str, value: Any) -> str:
        """An attribute as the input that it is there; None is all axes."""
        if value is not None:
            return self.constant(name, value)
        rank = self.rank(node.input[0])
        if node.op == "Transpose":
            order = None if rank is None else range(rank)[::-1]
        else:
            order = None if rank is None else range(rank)
        if order is not None:
            return self.constant(name, list(order))
        rank_of = self.added(node, "Rank", "Rank", node.input[0])
        ends = [self.constant(f"{name}/{key}", each) for key, each in (("start", 0), ("delta", 1))]
        every = self.added(node, "range", "Range", ends[0], rank_of, ends[1])
        if node.op != "Transpose":
            return every
        zero = self.constant(f"{name}/axis", [0])
        return self.added(node, "ReverseV2", "ReverseV2", every, zero)

    def sum_to_shape_of(self, node: NodeDef) -> None:
        """What undoes a broadcast, as TensorFlow's gradients do it."""
        shapes = [self.added(node, "Shape", "Shape", source) for source in node.input[:2]]
        axes = self.added(node, "BroadcastGradientArgs", "BroadcastGradientArgs", *shapes)
        total = self.added(node, "Sum", "Sum", node.input[0], f"{axes}:1")
        self.become(node, "Reshape", [total, shapes[1]])

    def broadcast_like(self, node: NodeDef) -> None:
        """What spreads the gradient of a sum or a mean."""
        value, like = node.input[:2]
        sizes = self.added(node, "Shape", "Shape", like)
        if node.attrs["mean"]:
            count = self.added(node, "Size", "Size", like)
            least = self.constant(f"{node.name}/least", 1)
            parts = self.added(
                node, "Maximum", "Maximum", self.added(node, "Size", "Size", value), least
            )
            share = self.added(node, "floordiv", "FloorDiv", count, parts)
            share = self.added(node, "Cast", "Cast", share, DstT=self.type(value))
            value = self.added(node, "truediv", "RealDiv", value, share)
        axes = node.attrs["axis"]
        if axes and not node.attrs["keep_dims"]:
            rank = self.rank(like)
            if rank is None and min(axes) < 0:
                raise ValueError("The number of axes is not known.")
            start = self.constant(f"{node.name}/start", 0)
            delta = self.constant(f"{node.name}/delta", 1)
            every = self.added(
                node, "range", "Range", start, self.added(node, "Rank", "Rank", like), delta
            )
            places = self.constant(
                f"{node.name}/axes", [axis % rank if rank else axis for axis in axes]
            )
            ones = self.constant(f"{node.name}/ones", [1] * len(axes))
            kept = self.added(node, "DynamicStitch", "DynamicStitch", every, places, sizes, ones)
            value = self.added(node, "Reshape", "Reshape", value, kept)
        self.become(node, "BroadcastTo", [value, sizes])

    def along(self, node: NodeDef) -> None:
        """Axes that are computed while the graph runs, in the steps that it takes there."""
        made = {str(place): source for place, source in enumerate(node.input)}
        for name, kind, *taken in AXES[node.op]:
            attr = taken.pop() if isinstance(taken[-1], dict) else {}
            given = [
                made[each] if isinstance(each, str) else self.constant(f"{node.name}/{name}_", each)
                for each in taken
            ]
            if name:
                made[name] = self.added(node, name, kind, *given, **attr)
            else:
                self.become(node, kind, given, **attr)

    def initialized_value(self, node: NodeDef) -> None:
        """A variable's value, or another one while it has none."""
        ref, otherwise = node.input[:2]
        known = self.added(node, "IsVariableInitialized", "IsVariableInitialized", ref)
        there = self.added(node, "RefSwitch", "RefSwitch", ref, known)
        there = self.added(node, "Identity", "Identity", f"{there}:1")
        instead = self.added(node, "Switch", "Switch", otherwise, known)
        self.become(node, "Merge", [instead, there])

    def _in_library(
        self, node: NodeDef, change: Callable[..., list[str]] | None, *keys: str
    ) -> dict[str, FunctionName] | None:
        """The functions of a node, added to the library; None when one writes to a variable."""
        before = [*self.message.library]
        try:
            return {k: self.function(node.attrs[k], f"{node.name}_{k}", change) for k in keys}
        except _WritesInside:
            for name in [*self.message.library][len(before) :]:
                del self.message.library[name]
            return None

    def if_(self, node: NodeDef) -> None:
        """A branch: both are functions of the library, if they write to no variable."""
        branches = self._in_library(node, None, "then_branch", "else_branch")
        if branches is None:
            return self._switched(node)
        attr = {"Tout": node.attrs["types"], "output_shapes": node.attrs["shapes"], **branches}
        sources = node.data_inputs
        return self.become(node, "If", sources, **attr, _lower_using_switch_merge=True)

    def _switched(self, node: NodeDef) -> None:
        """A branch as TensorFlow 1.x writes it: both stand in the graph, behind switches."""
        pred, *sources = node.data_inputs
        waits, invariant = node.control_inputs, self._invariant
        switch = self.emit(f"{node.name}/Switch", "Switch", [pred, pred, *waits])
        results: list[list[str]] = []
        for key, way in (("else_branch", ""), ("then_branch", ":1")):
            pivot = self.emit(f"{node.name}/{key}", "Identity", [f"{switch}{way}"])
            given = [
                self.added(node, f"{key}/Switch", f"{ref}Switch", source, pred) + way
                for source, ref in zip(sources, _refs(node.attrs[key]), strict=True)
            ]
            results.append(self._inlined(node.attrs[key], given, pivot, invariant))
        self._stands_for(
            node, [self.added(node, "Merge", "Merge", *pair) for pair in zip(*results, strict=True)]
        )

    def _stands_for(self, node: NodeDef, results: list[str]) -> None:
        """Others give what a node gave, which only waits for them."""
        self._instead |= {output_name(node.name, place): name for place, name in enumerate(results)}
        self.emit(node.name, "NoOp", [f"^{name}" for name in results])

    def _inlined(
        self, definition: FunctionDef, given: list[str], pivot: str, invariant: set[str]
    ) -> list[str]:
        """Adds the operations of a function among the others.

        Args:
          definition: the function.
          given: what stands for its arguments.
          pivot: what operations wait for that otherwise would run always: those that read nothing,
            or only what a loop is given once.
          invariant: what a loop is given once.
        Returns: its results.
        """
        outside = self._pivot, self._invariant
        self._pivot, self._invariant = pivot, invariant
        instead = dict(zip(map(_name, definition.inputs), given, strict=True))
        self.ours |= {each.name: each for each in definition.node}
        for each in in_order(definition.node):
            if each.name not in instead:
                inputs = [instead.get(source.removesuffix(":0"), source) for source in each.input]
                inputs = [source for source in inputs if source[1:] not in instead]
                self.add(NodeDef(each.name, each.op, inputs, each.device, each.attrs))
        self._pivot, self._invariant = outside
        outputs = [source.removesuffix(":0") for source in definition.outputs]
        return [self._instead.get(each, instead.get(each, each)) for each in outputs]

    def while_(self, node: NodeDef) -> None:
        """A loop; what it keeps of its turns, and how many they are, are variables of it there."""
        sources = node.data_inputs

        def turn(arguments: list[str], outputs: list[str]) -> list[str]:
            return outputs + arguments[len(outputs) :]

        cond = self._in_library(node, None, "cond")
        body = self._in_library(node, turn, "body")
        if cond is None or body is None:
            return self._circle(node)
        shapes = (*node.attrs["shapes"], *[None] * len(sources))[: len(sources)]
        attr = {**cond, **body, "output_shapes": shapes}
        return self.become(node, "While", sources, **attr, _lower_using_switch_merge=True)

    def _circle(self, node: NodeDef) -> None:
        """A loop as TensorFlow 1.x writes it, in a frame: see `switch_and_merge.py`."""
        sources = node.data_inputs
        waits, body = node.control_inputs, node.attrs["body"]
        count = len(body.outputs)
        frame = {"frame_name": node.name, "parallel_iterations": 10}
        entered = [
            self.added(
                node, "Enter", f"{ref}Enter", source, *waits, **frame, is_constant=place >= count
            )
            for place, (source, ref) in enumerate(zip(sources, _refs(body), strict=True))
        ]
        captured = entered[count:]
        merges = [self.added(node, "Merge", "Merge", each, each) for each in entered[:count]]
        (test,) = self._inlined(
            node.attrs["cond"], merges + captured, merges[0], self._invariant | {*captured}
        )
        end = self.added(node, "LoopCond", "LoopCond", test)
        ways = [self.added(node, "Switch", "Switch", each, end) for each in merges]
        inside = [self.added(node, "Identity", "Identity", f"{each}:1") for each in ways]
        results = self._inlined(body, inside + captured, inside[0], self._invariant | {*captured})
        for merge, result in zip(merges, results, strict=True):
            following = self.added(node, "NextIteration", "NextIteration", result)
            self.nodes[merge].input[1] = following
        self._stands_for(node, [self.added(node, "Exit", "Exit", each) for each in ways])

    def add_lists(self, node: NodeDef) -> None:
        """A sum of lists, which are equally long there."""
        sources = node.data_inputs
        longest = self.constant(f"{node.name}/least", 0)
        for each in sources:
            size = self.added(node, "size", "TensorListLength", each)
            longest = self.added(node, "longest", "Maximum", longest, size)
        self.become(node, "AddN", [self._grown(node, each, longest) for each in sources])

    def list_items(self, node: NodeDef) -> None:
        """Items of a list, or zeros for those that it lacks."""
        flow, indices, shape = node.input[:3]
        flat = self.added(node, "flat", "Reshape", indices, self.constant(f"{node.name}/all", [-1]))
        dtype = {"element_dtype": node.attrs["dtype"]}
        grown = self._with_places(node, flow, flat)
        items = self.added(node, "items", "TensorListGather", grown, flat, shape, **dtype)
        sizes = [self.added(node, "Shape", "Shape", indices), shape]
        sizes.append(self.constant(f"{node.name}/first", 0))
        self.become(node, "Reshape", [items, self.added(node, "sizes", "ConcatV2", *sizes)])

    def _with_places(self, node: NodeDef, flow: str, indices: str) -> str:
        """A list, made as long as some places in it want."""
        one, all_ = self.constant(f"{node.name}/one", 1), self.constant(f"{node.name}/all", [-1])
        places = self.added(node, "places", "Reshape", indices, all_)
        last = self.added(node, "last", "Max", places, self.constant(f"{node.name}/axis", [0]))
        return self._grown(node, flow, self.added(node, "least", "AddV2", last, one))

    def _grown(self, node: NodeDef, flow: str, least: str) -> str:
        """A list, made as long as a number says."""
        size = self.added(node, "size", "TensorListLength", flow)
        size = self.added(node, "longest", "Maximum", size, least)
        return self.added(node, "grown", "TensorListResize", flow, size)

    def empty_list(self, node: NodeDef) -> None:
        """A list without a type; who writes to it, or reads it, tells that."""
        shape = self.constant(f"{node.name}/element_shape", -1)
        size = self.constant(f"{node.name}/most", -1)
        self.become(node, "EmptyTensorList", [shape, size], element_dtype=dtypes.float32)

    def resize_list(self, node: NodeDef) -> None:
        """A list with another number of places."""
        self.become(node, "TensorListResize", node.input[:2])

    def parser(self, node: NodeDef) -> None:
        """What parses examples: the keys are inputs there."""
        keys, attr = their_parser(node)
        kinds = zip(("sparse", "dense", "ragged"), keys, strict=True)
        given = [self.constant(f"{node.name}/{k}_keys", each, dtypes.string) for k, each in kinds]
        sources = node.data_inputs
        self.become(node, "ParseExampleV2", [*sources[:2], *given, *sources[2:]], **attr)

    def sparse_cross(self, node: NodeDef) -> None:
        """Crossed features: which of the inputs are parts of sparse ones, and of which types."""
        attr, sources = dict(node.attrs), node.data_inputs
        count = attr.pop("sparse")
        sources[: 3 * count] = [s for k in range(3) for s in sources[k : 3 * count : 3]]
        types = [*map(self.type, sources)]
        attr |= {"N": count, "sparse_types": tuple(types[count : 2 * count])}
        attr["dense_types"] = tuple(types[3 * count :])
        hashed = attr["hashed_output"] and dtypes.int64 in (
            *attr["sparse_types"],
            *types[3 * count :],
        )
        attr["internal_type"] = dtypes.int64 if hashed else dtypes.string
        self.become(node, "SparseCross", sources, **attr)

    def image_summary(self, node: NodeDef) -> None:
        """A summary of images, with the colour of what is no number as a tensor."""
        colour = np.array(node.attrs["bad_color"], np.uint8)
        self.plain(replace(node, attrs={**node.attrs, "bad_color": colour}))

    def reversed_(self, node: NodeDef) -> None:
        """A stack for the gradient of a loop, which there goes through it backwards itself."""
        self._not_given.add(node.name)
        self._types[node.name] = []

    def of_list(self, node: NodeDef) -> None:
        """An operation of a `TensorArray`: one of a `TensorList` there."""
        kind, places = LISTS[node.op]
        given: dict[Any, str] = dict(enumerate(node.input))
        if node.attrs.get("like_others"):
            given[0] = self._with_places(node, given[0], given[1])
        if "element_shape" in places:
            shape = as_shape(node.attrs.get("element_shape"))
            sizes = -1 if shape.ndims is None else [-1 if n is None else n for n in shape.as_list()]
            given["element_shape"] = self.constant(f"{node.name}/element_shape", sizes)
        if "leading_dims" in places:
            given["leading_dims"] = self.constant(f"{node.name}/leading_dims", [], dtypes.int64)
        attr: dict[str, Any] = {"element_dtype": node.attrs.get("dtype")}
        if node.op == "TensorArrayWriteV3":
            attr["resize_if_index_out_of_bounds"] = True
        self.become(node, kind, [given[place] for place in places], **attr)


_RULES: dict[str, Callable[[_Writer, NodeDef], None]] = {
    **dict.fromkeys(AXES, _Writer.along),
    **dict.fromkeys(LISTS, _Writer.of_list),
    "AddLists": _Writer.add_lists,
    "BroadcastLike": _Writer.broadcast_like,
    "EmptyList": _Writer.empty_list,
    "If": _Writer.if_,
    "InitializedValue": _Writer.initialized_value,
    "ImageSummary": _Writer.image_summary,
    "ListItems": _Writer.list_items,
    "ReverseStack": _Writer.reversed_,
    "ParseExampleV2": _Writer.parser,
    "ResizeList": _Writer.resize_list,
    "SparseCross": _Writer.sparse_cross,
    "SumToShapeOf": _Writer.sum_to_shape_of,
    "While": _Writer.while_,
}


def _refs(definition: FunctionDef) -> list[str]:
    """For each argument of a function "Ref" if it is a reference to a variable."""
    kinds = {node.name: node.op for node in definition.node}
    return ["Ref" if kinds[_name(s)] == "RefArgument" else "" for s in definition.inputs]


def _name(source: str) -> str:
    return source.removeprefix("^").partition(":")[0]

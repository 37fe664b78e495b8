"""`TensorArray`s as TensorFlow 2 writes them: as `TensorList`s, which flow along edges as ours do.

TensorListReserve ──> TensorListSetItem ──> ... ──> TensorListStack
TensorArrayV3     ──> TensorArrayWriteV3 ─> ... ──> TensorArrayGatherV3
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph_def import NodeDef, output_name
from minitf.core.graph.op_def import get_op_def
from minitf.core.graph.shapes import TensorShape
from minitf.library.formats.graph_message import FunctionName
from minitf.library.saving.tensorflow_ops import their_op

#: What the operations of a `TensorArray` are there, and what those take: inputs by their places
#: here, and what is no input here.
LISTS: dict[str, tuple[str, tuple[int | str, ...]]] = {
    "TensorArrayConcatV3": ("TensorListConcatV2", (0, "element_shape", "leading_dims")),
    "TensorArrayGatherV3": ("TensorListGather", (0, 1, "element_shape")),
    "TensorArrayReadV3": ("TensorListGetItem", (0, 1, "element_shape")),
    "TensorArrayScatterV3": ("TensorListScatterIntoExistingList", (0, 2, 1)),
    "TensorArraySizeV3": ("TensorListLength", (0,)),
    "TensorArraySplitV3": ("TensorListSplit", (1, "element_shape", 2)),
    "TensorArrayV3": ("TensorListReserve", ("element_shape", 0)),
    "TensorArrayWriteV3": ("TensorListSetItem", (0, 1, 2)),
}
_HERE = {there: (here, places) for here, (there, places) in LISTS.items()}
#: all that are read
OF_LISTS = frozenset(
    [
        *_HERE,
        *("EmptyTensorList", "TensorListFromTensor", "TensorListResize", "TensorListStack"),
    ]
)


def as_tensor_array(
    node: NodeDef, shape_of: Callable[[NodeDef, int], TensorShape | None]
) -> list[NodeDef]:
    """An operation of a `TensorList` as one or several of a `TensorArray`.

    Args:
      node: the operation.
      shape_of: the shape that an input of it tells; None when it is computed while the graph runs.
    """
    dtype, sources, controls = (
        node.attrs.get("element_dtype"),
        node.data_inputs,
        node.control_inputs,
    )
    made: list[NodeDef] = []

    def add(part: str, kind: str, *inputs: str, **attr: Any) -> str:
        name = f"{node.name}/{part}" if part else node.name
        made.append(NodeDef(name, kind, [*inputs, *controls], node.device, attr))
        return name

    def number(part: str, value: int) -> str:
        return add(part, "Const", dtype=dtypes.int32, value=np.array(value, np.int32))

    def up_to(count: str) -> str:
        return add("range", "Range", number("start", 0), count, number("delta", 1))

    def new(part: str, size: str) -> str:
        return add(part, "TensorArrayV3", size, dtype=dtype, dynamic_size=True)

    if node.op == "EmptyTensorList":
        new("", number("size", 0))
    elif node.op == "TensorListReserve":
        new("", sources[1])
    elif node.op == "TensorListResize":
        add("", "ResizeList", *sources)
    elif node.op == "TensorListFromTensor":
        sizes = add("Shape", "Shape", sources[0], out_type=dtypes.int32)
        count = add("size", "GatherV2", sizes, number("first", 0), axis=0)
        add("", "TensorArrayScatterV3", new("TensorArray", count), up_to(count), sources[0])
    elif node.op == "TensorListStack":
        places = up_to(add("size", "TensorArraySizeV3", sources[0]))
        shape = shape_of(node, 1)
        told = {"dtype": dtype, "element_shape": shape, "like_others": True}
        add("", "TensorArrayGatherV3", sources[0], places, **told)
    else:
        kind, order = _HERE[node.op]
        given: dict[int | str, str] = dict(zip(order, sources, strict=True))
        if kind == "TensorArraySplitV3":
            given[0] = new("TensorArray", number("size", 0))
        attr: dict[str, Any] = {"dtype": dtype, "again": True, "like_others": True}  # as there
        if "element_shape" in order:
            at = order.index("element_shape")
            attr["element_shape"] = shape_of(node, at)
            if attr["element_shape"] is None and kind in (
                "TensorArrayReadV3",
                "TensorArrayGatherV3",
            ):
                add("", "ListItems", sources[0], sources[1], sources[at], dtype=dtype)
                return made
        known = get_op_def(kind).attr_names
        inputs = [given[place] for place in range(len(given)) if place in given]
        add("", kind, *inputs, **{key: attr[key] for key in known if key in attr})
    return made


class ElementTypes:
    """The types of what lists hold, in a graph that is written: TensorFlow's empty lists have one.

    Lists that flow into each other hold the same; who writes to one or reads it tells what.
    """

    def __init__(self) -> None:
        self._same: dict[Any, Any] = {}
        self._known: dict[Any, DType] = {}
        self._empty: list[tuple[Any, NodeDef]] = []
        self._functions: dict[str, tuple[list[Any], list[Any]]] = {}

    def _find(self, value: Any) -> Any:
        while (above := self._same.setdefault(value, value)) != value:
            value = above
        return value

    def _join(self, values: Iterable[Any]) -> None:
        first, *others = map(self._find, values)
        for other in others:
            self._same[other] = first

    def add_function(
        self, name: str, graph: object, inputs: Iterable[str], outputs: Iterable[str]
    ) -> None:
        """A function, which operations may run from now on."""
        ends = ([(graph, each.removesuffix(":0")) for each in e] for e in (inputs, outputs))
        self._functions[name] = (next(ends), next(ends))

    def add(self, graph: object, node: NodeDef, types: Sequence[DType]) -> None:
        """A node of TensorFlow's with the types of its outputs, in a graph or in a function."""
        of_lists = "TensorList" in node.op
        if not (of_lists or dtypes.variant in types or node.op in ("If", "While")):
            return
        their = their_op(node.op)
        assert their is not None
        sources = node.data_inputs
        given = [(graph, source.removesuffix(":0")) for source in sources]
        made = [(graph, output_name(node.name, i)) for i in range(len(types))]
        if node.op in ("If", "While"):
            called = [v for v in node.attrs.values() if isinstance(v, FunctionName)]
            for inputs, outputs in (self._functions[each.name] for each in called):
                for pair in zip(given[node.op == "If" :], inputs, strict=True):
                    self._join(pair)
                for pair in zip(made, outputs, strict=False):  # a condition has one of its own
                    if len(outputs) == len(made):
                        self._join(pair)
            for pair in zip(given, made, strict=True) if node.op == "While" else ():
                self._join(pair)
        elif of_lists:
            ends = zip(their.inputs, given, strict=True), zip(their.outputs, made, strict=True)
            lists = [value for side in ends for end, value in side if end.type == dtypes.variant]
            self._join(lists)
            if node.op == "EmptyTensorList":
                self._empty.append((lists[0], node))
            elif "element_dtype" in node.attrs:
                self._known[lists[0]] = node.attrs["element_dtype"]
        else:
            self._join([*(given[:1] if node.op.endswith("Switch") else given), *made])

    def tell(self) -> None:
        """Tells all empty lists what they are for; what nobody tells nobody reads."""
        known = {self._find(value): dtype for value, dtype in self._known.items()}
        for value, node in self._empty:
            node.attrs["element_dtype"] = known.get(self._find(value), dtypes.float32)


# ---- gradients of TensorArrays, as 1.x writes them ---------------------------------------

#: those that give a list, and those that take one, as the last input
_WRITES = ("TensorArrayScatterV3", "TensorArraySplitV3", "TensorArrayWriteV3")
_READS = ("TensorArrayConcatV3", "TensorArrayGatherV3", "TensorArrayReadV3")
_TAKES = (*_WRITES, *_READS, "TensorArrayGradV3", "TensorArraySizeV3")
_SUMS = ("Add", "AddN", "AddV2")
_PASS = ("Enter", "Exit", "Identity", "Merge", "NextIteration", "Switch")
_ZEROS = ("Const", "Fill", "ZerosLike")


class GradientLists:
    """The lists in a graph with gradients of `TensorArray`s.

    There a gradient is a second array beside the first, and the number that flows only keeps an
    order, so that zeros and sums of such numbers are zeros and sums of lists here.

    Args:
      nodes: the nodes of the graph, TensorFlow's.
    """

    def __init__(self, nodes: Iterable[NodeDef]) -> None:
        self._nodes = {node.name: node for node in nodes}
        self._same: dict[str, str] = {}
        self._any = any(node.op == "TensorArrayGradV3" for node in self._nodes.values())
        if self._any:
            for node in self._nodes.values():
                self._look_at(node)

    def _look_at(self, node: NodeDef) -> None:
        given = node.data_inputs
        known = "a list"
        if node.op in _TAKES:
            self._join(given[-1], known)
        if node.op in _WRITES:
            self._join(node.name, known)
        if node.op in ("TensorArrayGradV3", "TensorArrayV3"):
            self._join(f"{node.name}:1", known)
        if node.op == "StackPushV2":
            self._join(given[1], f"^{self._origin(given[0])}")
        if node.op == "StackPopV2":
            self._join(node.name, f"^{self._origin(given[0])}")
        if node.op in (*_PASS, *_SUMS, "ZerosLike"):
            for source in given[:1] if node.op == "Switch" else given:
                self._join(source, node.name)
        if node.op == "Switch":
            self._join(f"{node.name}:1", node.name)

    def _find(self, source: str) -> str:
        source = source.removesuffix(":0")
        while (above := self._same.setdefault(source, source)) != source:
            self._same[source] = self._same[above]
            source = above
        return source

    def _join(self, one: str, other: str) -> None:
        self._same[self._find(one)] = self._find(other)

    def _origin(self, source: str) -> str:
        """The node that a handle comes from."""
        name = source.partition(":")[0]
        while (node := self._nodes.get(name)) is not None and node.op in _PASS:
            name = node.input[0].partition(":")[0]
        return name

    def read(self, node: NodeDef) -> list[NodeDef] | None:
        """What a node is that has to do with gradients of lists; None for all others."""
        if not self._any:
            return None
        given = node.data_inputs
        controls = node.control_inputs
        made: list[NodeDef] = []

        def add(part: str, kind: str, inputs: Sequence[str], **attr: Any) -> str:
            name = f"{node.name}/{part}" if part else node.name
            made.append(NodeDef(name, kind, [*inputs], node.device, attr))
            return name

        if node.op == "TensorArrayGradV3":
            add("", "NoOp", ())
        elif node.op in (*_WRITES, *_READS) and self._is_gradient(given[0]):
            if node.op in _WRITES:
                places = [f"{node.name}/zero", *given[1:3], *controls]
                add("zero", "EmptyList", (), size=0)
                add("", node.op, places)
            else:
                attr = {"dtype": node.attrs["dtype"]}
                if node.op != "TensorArrayConcatV3":
                    attr["like_others"] = True
                add("", node.op, [*reversed(given[1:]), *controls], **attr)
        elif self._find(node.name) != self._find("a list"):
            return None
        elif node.op in _ZEROS:
            add("", "EmptyList", controls, size=0)
        elif node.op in _SUMS:
            add("", "AddLists", [*given, *controls])
        elif node.op == "StackPopV2":
            made.append(
                NodeDef(node.name, node.op, node.input, attrs={"elem_type": dtypes.variant})
            )
        else:
            return None
        return made

    def _is_gradient(self, handle: str) -> bool:
        found = self._nodes.get(self._origin(handle))
        if found is not None and found.op == "StackPopV2":
            stack = self._origin(found.input[0])
            pushes = (node for node in self._nodes.values() if node.op == "StackPushV2")
            return any(
                self._origin(node.input[0]) == stack and self._is_gradient(node.input[1])
                for node in pushes
            )
        return found is not None and found.op == "TensorArrayGradV3"

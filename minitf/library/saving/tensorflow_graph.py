"""Graphs of TensorFlow's own files, as ours and back.

    frozen.pb ──graph_message.decode──> nodes of TensorFlow ──read_graph──> GraphDef, as ever

Nearly every node means here what it means there: the operations have TensorFlow's names, inputs and
attributes. They differ where decision 4 makes an attribute of what TensorFlow takes as a constant
input (`AS_ATTRIBUTES`), in the attributes that say types, which are inferred here, and in a few old
names of operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_def import FunctionDef, GraphDef, NodeDef, readers
from minitf.core.graph.importer import import_graph_def, in_order
from minitf.core.graph.op_def import OpDef, get_op_def
from minitf.core.runtime.session.session import Session
from minitf.library.formats import graph_message
from minitf.library.formats.graph_message import FunctionName, GraphMessage
from minitf.library.saving.switch_and_merge import PRIMITIVES, structured


def _number(value: np.ndarray) -> Any:
    return int(value)


def _numbers(value: np.ndarray) -> Any:
    return tuple(int(each) for each in np.reshape(value, -1))


#: For each operation the inputs of TensorFlow that are attributes here: where the input stands
#: (from the end when negative), what TensorFlow calls it, the attribute, and what that holds.
AS_ATTRIBUTES: dict[str, tuple[tuple[int, str, str, Callable[[np.ndarray], Any]], ...]] = {
    **dict.fromkeys(
        ("All", "Any", "Max", "Mean", "Min", "Prod", "ReduceJoin", "Sum"),
        ((1, "reduction_indices", "axis", _numbers),),
    ),
    **dict.fromkeys(("ArgMax", "ArgMin"), ((1, "dimension", "dimension", _number),)),
    **dict.fromkeys(("Cumprod", "Cumsum", "CumulativeLogsumexp"), ((1, "axis", "axis", _number),)),
    **dict.fromkeys(
        ("IRFFT", "IRFFT2D", "IRFFT3D", "RFFT", "RFFT2D", "RFFT3D"),
        ((1, "fft_length", "fft_length", _numbers),),
    ),
    **dict.fromkeys(
        ("SparseReduceMax", "SparseReduceSum"), ((3, "reduction_axes", "axis", _numbers),)
    ),
    "ConcatV2": ((-1, "axis", "axis", _number),),
    "ExpandDims": ((1, "dim", "axis", _number),),
    "GatherV2": ((2, "axis", "axis", _number),),
    "MatrixBandPart": (
        (1, "num_lower", "num_lower", _number),
        (2, "num_upper", "num_upper", _number),
    ),
    "ReverseV2": ((1, "axis", "axis", _numbers),),
    "Split": ((0, "split_dim", "axis", _number),),
    "SplitV": ((2, "split_dim", "axis", _number),),
    "Transpose": ((1, "perm", "perm", _numbers),),
}

#: Operations with another name here, and the attributes that they then have: older ones, and those
#: of resource variables, which are variables like any other here.
_RENAMED: dict[str, tuple[str, dict[str, Any]]] = {
    "AssignAddVariableOp": ("AssignAdd", {}),
    "AssignSubVariableOp": ("AssignSub", {}),
    "AssignVariableOp": ("Assign", {"validate_shape": False}),
    "BatchMatMul": ("BatchMatMulV2", {}),
    "Gather": ("GatherV2", {"axis": 0}),
    "ReadVariableOp": ("Identity", {}),
    "ResourceGather": ("GatherV2", {"axis": 0}),
    "TensorArrayV3": ("TensorArrayV3", {"_output_shapes": ()}),  # theirs has a handle, too
    "VarHandleOp": ("VariableV2", {"_output_shapes": ()}),  # theirs are those of the handle
    "VarIsInitializedOp": ("IsVariableInitialized", {}),
    "Variable": ("VariableV2", {}),
}


def _renamed(kind: str) -> tuple[str, dict[str, Any]]:
    if kind in _RENAMED or not kind.startswith("Resource"):
        return _RENAMED.get(kind, (kind, {}))
    plain = kind.removeprefix("Resource")  # ResourceApplyAdam, ResourceScatterAdd, ...
    return (plain, {}) if _op_def(plain) is not None else (kind, {})


def _op_def(kind: str) -> OpDef | None:
    try:
        return get_op_def(kind)
    except KeyError:
        return None


#: Which inputs the operations of a `TensorArray` take here, by their places there: the handle comes
#: first and is nothing here, where the list flows along an edge.
_LISTS = {
    "TensorArrayConcatV3": (1,),
    "TensorArrayGatherV3": (2, 1),
    "TensorArrayReadV3": (2, 1),
    "TensorArrayScatterV3": (3, 1, 2),
    "TensorArraySizeV3": (1,),
    "TensorArraySplitV3": (3, 1, 2),
    "TensorArrayWriteV3": (3, 1, 2),
}

#: What says the type of such an input, where TensorFlow assumes none, or another than int32.
_TYPES = {"GatherV2": {"Taxis": dtypes.int32}, "MatrixBandPart": {"Tindex": dtypes.int32}}

#: What is run while a graph is read, to know an axis: nothing that makes more than it is given.
_FOLDED = frozenset(
    "AddV2 Add Cast ConcatV2 Const ExpandDims FloorMod Identity InvertPermutation Mul Neg Pack "
    "Rank Reshape Size Squeeze Sub".split()
)
_LARGEST_FOLDED = 50  # nodes
_OURS = ("_class", "_output_shapes")  # of the attributes that no operation declares


def read_graph(data: bytes) -> GraphDef:
    """The graph in the bytes of TensorFlow's GraphDef.

    Raises:
      ValueError: when it is none, or a node cannot be had here.
    """
    return from_message(graph_message.decode(data))


readers.append(read_graph)


def from_message(message: GraphMessage) -> GraphDef:
    """A graph as TensorFlow writes it, as ours.

    Raises:
      ValueError: when it does not hold together, or a node computes while it runs what must be
        known here.
    """
    try:
        return _Reader(message).graph_def()
    except (LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"Not a GraphDef: {type(error).__name__}: {error}") from None


class _Reader:
    """Makes nodes of ours of TensorFlow's."""

    def __init__(self, message: GraphMessage) -> None:
        self._theirs = {node.name: node for node in message.node}
        self._order = list(message.node)

    def graph_def(self) -> GraphDef:
        """All nodes."""
        return GraphDef(structured([n for node in self._order for n in self._translated(node)]))

    def _translated(self, node: NodeDef) -> list[NodeDef]:
        kind, more = _renamed(node.op)
        sources = [source for source in node.input if not source.startswith("^")]
        controls = node.input[len(sources) :]
        attr = {**node.attr, **more}
        if kind in PRIMITIVES:
            attr = {key: _plain(value, node) for key, value in attr.items()}
            return [NodeDef(node.name, kind, [*map(self._flow, node.input)], node.device, attr)]
        if kind in _LISTS:
            sources = [sources[place] for place in _LISTS[kind]]
        sources = [self._flow(source) for source in sources]
        if kind == "Concat":  # the axis came first once
            kind, sources = "ConcatV2", [*sources[1:], *sources[:1]]
        if kind == "Sum" and (summed := self._sum_of_broadcast(node, sources, controls)):
            return summed
        taken = set()
        for place, name, key, read in AS_ATTRIBUTES.get(kind, ()):
            if key not in more and sources:
                at = place % len(sources)
                attr[key] = read(self._constant(node, name, sources[at]))
                taken.add(at)
        kept = [source for i, source in enumerate(sources) if i not in taken]
        op_def = _op_def(kind)  # where there is none, whoever imports the graph says so
        known = tuple(attr) if op_def is None else op_def.attr_names
        attr = {key: _plain(v, node) for key, v in attr.items() if key in known or key in _OURS}
        return [NodeDef(node.name, kind, [*kept, *controls], node.device, attr)]

    def _flow(self, source: str) -> str:
        """A source; of a `TensorArray` the flow, which is all that there is of it here."""
        name, colon, _ = source.partition(":")
        maker = self._theirs.get(name)
        return name if colon and maker is not None and maker.op == "TensorArrayV3" else source

    def _sum_of_broadcast(
        self, node: NodeDef, sources: list[str], controls: list[str]
    ) -> list[NodeDef] | None:
        """The sum that undoes a broadcast in a gradient, whose axes TensorFlow computes."""
        name, _, index = sources[1].partition(":")
        args = self._theirs.get(name)
        if args is None or args.op != "BroadcastGradientArgs":
            return None
        shape = args.input[int(index or 0)]
        maker = self._theirs.get(shape.partition(":")[0])
        added = []
        if maker is not None and maker.op == "Shape":
            like = maker.input[0]
        else:  # nothing of this shape is there: zeros have it
            dtype = node.attr.get("T", dtypes.float32)
            zero = NodeDef(f"{node.name}/zero", "Const", [], node.device)
            zero.attr = {"dtype": dtype, "value": np.zeros((), dtype.as_numpy_dtype)}
            like = f"{node.name}/like"
            added = [zero, NodeDef(like, "Fill", [shape, zero.name], node.device)]
        return [
            *added,
            NodeDef(node.name, "SumToShapeOf", [sources[0], like, *controls], node.device),
        ]

    def _constant(self, node: NodeDef, name: str, source: str) -> np.ndarray:
        """The value of an input that must be constant here."""
        found = self._theirs.get(source.removesuffix(":0"))
        if found is not None and found.op == "Const":
            value: np.ndarray = found.attr["value"]
            return value
        needed: dict[str, NodeDef] = {}
        if self._gather(source, needed):
            nodes = [each for one in needed.values() for each in self._translated(one)]
            with Graph().as_default() as graph, Session(graph=graph) as session:
                tensor = source if ":" in source else f"{source}:0"
                import_graph_def(GraphDef(nodes), name="")
                return np.asarray(session.run(tensor))
        raise ValueError(
            f"Node '{node.name}' ({node.op}) computes its '{name}' while it runs, from '{source}'; "
            "here it must be constant."
        )

    def _gather(self, source: str, needed: dict[str, NodeDef]) -> bool:
        """Whether a tensor is computed from constants alone; the nodes for it."""
        name = source.removeprefix("^").partition(":")[0]
        if name in needed:
            return True
        node = self._theirs.get(name)
        if node is None or len(needed) > _LARGEST_FOLDED:
            return False
        if node.op not in _FOLDED and not self._is_short_range(node):
            return False
        needed[name] = node
        sources = (each for each in node.input if node.op != "Const" or not each.startswith("^"))
        return all(self._gather(each, needed) for each in sources)

    def _is_short_range(self, node: NodeDef) -> bool:
        if node.op != "Range":
            return False
        ends = [self._theirs.get(source.removesuffix(":0"), node) for source in node.input]
        if any(end.op != "Const" for end in ends):
            return False
        start, limit, delta = (float(end.attr["value"]) for end in ends)
        return delta != 0 and abs(limit - start) / abs(delta) < _LARGEST_FOLDED


def _plain(value: Any, node: NodeDef) -> Any:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, tuple):
        return tuple(_plain(each, node) for each in value)
    if isinstance(value, FunctionName):
        raise ValueError(
            f"Node '{node.name}' ({node.op}) calls the function '{value.name}' of the graph's "
            "library; functions of TensorFlow's files are not read here."
        )
    return value


# ---- writing -----------------------------------------------------------------------------


def write_graph(graph_def: GraphDef) -> bytes:
    """The bytes of a graph as TensorFlow reads them.

    Raises:
      ValueError: when a node has no equal there: what branches, loops or calls a function.
    """
    writer = _Writer(graph_def)
    for node in in_order(graph_def.node):
        writer.add(node)
    return graph_message.encode(writer.message)


class _Writer:
    """Makes nodes of TensorFlow of ours, sources first."""

    def __init__(self, graph_def: GraphDef) -> None:
        self.message = GraphMessage()
        self._ours = {node.name: node for node in graph_def.node}
        self._added: set[str] = set()
        self._types: dict[str, list[DType]] = {}  # of the outputs of each node

    def add(self, node: NodeDef) -> None:
        """Adds a node, with the constants that it takes there; once."""
        if node.name in self._types:
            return
        op_def = get_op_def(node.op)
        sources = [source for source in node.input if not source.startswith("^")]
        controls = node.input[len(sources) :]
        given = [self._type(source) for source in sources]
        attr = {k: v for k, v in node.attr.items() if v is not None and k != "_output_types"}
        if any(isinstance(value, FunctionDef) for value in attr.values()):
            raise ValueError(
                f"Node '{node.name}' ({node.op}) runs a function, for which there is no place in "
                "the files that are written here."
            )
        bound = _bound(op_def, given)
        self._types[node.name] = _output_types(op_def, bound, attr)
        attr.update({key: value for key, value in bound.items() if key not in attr})
        for place, name, key, _ in AS_ATTRIBUTES.get(node.op, ()):
            constant = self._constant(f"{node.name}/{name}", attr.pop(key), node.device)
            attr.update(_TYPES.get(node.op, {}))
            sources.insert(place if place >= 0 else len(sources) + 1 + place, constant)
        self.message.node.append(
            NodeDef(node.name, node.op, [*sources, *controls], node.device, attr)
        )

    def _type(self, source: str) -> DType:
        name, _, index = source.partition(":")
        return self._types[name][int(index or 0)]

    def _constant(self, name: str, value: Any, device: str) -> str:
        """The name of a constant; one that TensorFlow had made serves again."""
        array = np.array(() if value is None else value, np.int32)
        wanted, number = name, 0
        while name in self._ours or name in self._added:
            known = self._ours.get(name)
            if known is not None and known.op == "Const":
                held = known.attr["value"]
                if held.dtype.kind == "i" and np.array_equal(held, array):
                    self.add(known)
                    return name
            number += 1
            name = f"{wanted}_{number}"
        self._added.add(name)
        attr = {"dtype": dtypes.int32, "value": array}
        self.message.node.append(NodeDef(name, "Const", [], device, attr))
        return name


def _bound(op_def: OpDef, given: list[DType]) -> dict[str, Any]:
    """The attributes that inputs tell: types by the letters of the signature, lengths of lists."""
    bound: dict[str, Any] = {}
    lists = sum(arg.is_list for arg in op_def.inputs)
    long = (len(given) - (len(op_def.inputs) - lists)) // lists if lists else 0
    at = 0
    for arg in op_def.inputs:
        of_arg = given[at : at + (long if arg.is_list else 1)]
        at += len(of_arg)
        if arg.is_list:
            bound["N"] = long
        if of_arg and arg.type[:1].isupper():
            bound.setdefault(arg.type, of_arg[0].base_dtype)
    return bound


def _output_types(op_def: OpDef, bound: dict[str, Any], attr: dict[str, Any]) -> list[DType]:
    found: list[DType] = []
    for arg in op_def.outputs:
        kind = bound.get(arg.type, attr.get(arg.type))
        if kind is None:
            kind = dtypes.as_dtype(arg.type)
        if isinstance(kind, (list, tuple)):
            found += kind
        else:
            found += [kind] * (attr.get("num", attr.get("num_split", 1)) if arg.is_list else 1)
    return found

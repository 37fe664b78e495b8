"""Graphs of TensorFlow's own files, as ours and back.

    frozen.pb ──graph_message.decode──> nodes of TensorFlow ──read_graph──> GraphDef, as ever

Nearly every node means here what it means there: the operations have TensorFlow's names, inputs and
attributes. They differ where decision 4 makes an attribute of what TensorFlow takes as a constant
input (`AS_ATTRIBUTES`), in the attributes that say types, which are inferred here, and in a few old
names of operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, constant_value
from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_def import FunctionDef, GraphDef, NodeDef, free_name
from minitf.core.graph.importer import import_graph_def, in_order
from minitf.core.graph.logging import warning
from minitf.core.graph.op_def import OpDef, call, get_op_def
from minitf.core.graph.shapes import TensorShape, check_few
from minitf.core.graph.untrusted import TYPES
from minitf.library.formats import graph_message
from minitf.library.formats.graph_message import FunctionName, GraphMessage
from minitf.library.formats.messages import is_text
from minitf.library.formats.protobuf_messages import from_text
from minitf.library.saving.switch_and_merge import OF_STACKS, PRIMITIVES, structured
from minitf.library.saving.tensorflow_composed import ALONG, COMPOSED, DIAGONALS
from minitf.library.saving.tensorflow_examples import PARSERS, read_parser
from minitf.library.saving.tensorflow_functions import MOST_NODES, Body, function_of, without_calls
from minitf.library.saving.tensorflow_lists import OF_LISTS, GradientLists, as_tensor_array
from minitf.library.saving.tensorflow_ops import CALLED_THERE, OURS, their_op


def _number(value: np.ndarray) -> Any:
    return int(value.item())  # ExpandDims takes [1], too


def _numbers(value: np.ndarray) -> Any:
    return tuple(int(each) for each in np.reshape(_few(value), -1))


def _few(value: np.ndarray) -> np.ndarray:
    check_few(value.size, "What an operation takes as an attribute")
    return value


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
        ("IRFFT", "IRFFT2D", "RFFT", "RFFT2D"),
        ((1, "fft_length", "fft_length", _numbers),),
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
RENAMED: dict[str, tuple[str, dict[str, Any]]] = {
    "AssignAddVariableOp": ("AssignAdd", {}),
    "AssignSubVariableOp": ("AssignSub", {}),
    "AssignVariableOp": ("Assign", {"validate_shape": False}),
    **{
        f"Batch{kind}": (kind, {})
        for kind in (
            "Cholesky FFT FFT2D IFFT IFFT2D MatrixBandPart MatrixDeterminant "
            "MatrixDiag MatrixDiagPart MatrixInverse MatrixSetDiag MatrixSolve "
            "MatrixTriangularSolve SelfAdjointEigV2 Svd"
        ).split()
    },
    "BatchMatMul": ("BatchMatMulV2", {}),
    "BiasAddV1": ("BiasAdd", {}),
    "ConjugateTranspose": ("Transpose", {"conjugate": True}),
    "ControlTrigger": ("NoOp", {}),
    **dict.fromkeys(
        ("Copy", "CopyHost", "DebugGradientIdentity", "GuaranteeConst", "RefIdentity"),
        ("Identity", {}),
    ),
    "DeepCopy": ("ReadVariableOp", {}),  # the value at this point, whatever becomes of a variable
    "DisableCopyOnRead": ("NoOp", {}),
    "Gather": ("GatherV2", {"axis": 0}),
    **dict.fromkeys(("InitializeTable", "InitializeTableV2"), ("LookupTableImportV2", {})),
    "Inv": ("Reciprocal", {}),
    "InvGrad": ("ReciprocalGrad", {}),
    "IteratorGetNextSync": ("IteratorGetNext", {}),
    "Mod": ("TruncateMod", {}),
    **dict.fromkeys(
        ("MutableHashTableOfTensors", "MutableHashTableOfTensorsV2"), ("MutableHashTableV2", {})
    ),
    "PlaceholderV2": ("Placeholder", {}),
    "ResourceGather": ("GatherV2", {"axis": 0}),
    "ScatterNdNonAliasingAdd": ("TensorScatterAdd", {}),
    "SparseMatMul": ("MatMul", {}),
    "TensorArrayV3": ("TensorArrayV3", {"_output_shapes": ()}),  # theirs has a handle, too
    "VarHandleOp": ("VariableV2", {"_output_shapes": ()}),  # theirs are those of the handle
    "VarIsInitializedOp": ("IsVariableInitialized", {}),
    "Variable": ("VariableV2", {}),
    "VariableShape": ("Shape", {}),
    # queues, readers and tables, whose handles were texts once
    **{
        kind: (f"{kind}V2", {})
        for kind in (
            "FIFOQueue FixedLengthRecordReader HashTable "
            "InitializeTableFromTextFile LookupTableExport LookupTableFind LookupTableImport "
            "LookupTableInsert LookupTableSize MutableHashTable "
            "PaddingFIFOQueue QueueClose QueueDequeue "
            "QueueDequeueMany QueueDequeueUpTo QueueEnqueue QueueEnqueueMany QueueIsClosed "
            "QueueSize RandomShuffleQueue ReaderNumRecordsProduced "
            "ReaderRead ReaderReadUpTo "
            "TFRecordReader TextLineReader WholeFileReader"
        ).split()
    },
}


def renamed(kind: str) -> tuple[str, dict[str, Any]]:
    """What an operation of TensorFlow is here, and the attributes that it then has."""
    if kind in RENAMED or not kind.startswith("Resource"):
        return RENAMED.get(kind, (kind, {}))
    plain = kind.removeprefix("Resource")  # ResourceApplyAdam, ResourceScatterAdd, ...
    return (plain, {}) if _op_def(plain) is not None else (kind, {})


def _op_def(kind: str) -> OpDef | None:
    try:
        return get_op_def(kind)
    except KeyError:
        return None


#: Which inputs some operations take here, by their places there. The handle of a `TensorArray`
#: comes first and is nothing here, where the list flows along an edge.
_ORDERS: dict[str, tuple[int, ...]] = {
    "NoOp": (),
    "TensorArrayConcatV3": (1,),
    "TensorArrayGatherV3": (2, 1),
    "TensorArrayReadV3": (2, 1),
    "TensorArrayScatterV3": (3, 1, 2),
    "TensorArraySizeV3": (1,),
    "TensorArraySplitV3": (3, 1, 2),
    "TensorArrayWriteV3": (3, 1, 2),
}

#: What is run while a graph is read, to know an axis: nothing that makes more than it is given.
_FOLDED = frozenset(
    "AddV2 Add Cast ConcatV2 Const ExpandDims FloorMod Identity InvertPermutation Mul Neg Pack "
    "Rank Reshape Size Squeeze Sub".split()
)
_LARGEST_FOLDED = 50  # nodes
_NO_NUMBERS = (dtypes.resource, dtypes.variant)  # what these hold here is of a type
_PASS_FLOWS_ON = ("AddN", "Identity", *PRIMITIVES)  # what flows between lists is a number there
_OURS = ("_class", "_output_shapes")  # of the attributes that no operation declares


def read_graph(data: bytes) -> GraphDef:
    """The graph in TensorFlow's GraphDef: its bytes, or its text.

    Raises:
      ValueError: when it is none, or a node cannot be had here.
    """
    if is_text(data):
        data = from_text(data.decode(), "GraphDef")
    graph_def = from_message(graph_message.decode(data))
    warn_of_absent(graph_def, "The graph")
    return graph_def


def warn_of_absent(graph_def: GraphDef, source: str) -> None:
    """Says which operations of a graph cannot be run here, and how many others need them.

    Args:
      graph_def: the graph.
      source: where it comes from.
    """
    absent = [node for node in graph_def.node if TYPES in node.attrs and _op_def(node.op) is None]
    if not absent:
        return
    needing = {node.name for node in absent}
    for node in in_order(graph_def.node):
        if any(each.removeprefix("^").partition(":")[0] in needing for each in node.input):
            needing.add(node.name)
    first = {node.op: node.name for node in reversed(absent)}
    listed = ", ".join(f"{kind} ('{name}')" for kind, name in sorted(first.items()))
    warning(
        "%s has operations of types that do not exist here: %s. They and the %d that depend on "
        "them are there to be looked at; the others run, and these do, too, if values are fed.",
        source,
        listed,
        len(needing) - len(absent),
    )


def is_theirs(node: NodeDef) -> bool:
    """Whether a node is one as TensorFlow has it, and not ours: it gives a constant for an axis."""
    wanted = [key for _, _, key, _ in AS_ATTRIBUTES.get(node.op, ())]
    ours = node.op == "Exit" or (node.op == "Merge" and len(node.input) == 1)
    other = renamed(node.op)[0] != node.op or (node.op in PRIMITIVES and not ours)
    return other or any(key not in node.attrs for key in wanted)


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
    """Makes nodes of ours of TensorFlow's: of a graph, or of a function of its library.

    Args:
      message: the graph, with its library.
      nodes: the nodes, and among them the arguments of a function.
      taken: all names that nodes have, in functions, too.
      inside: the functions that this one stands in.
    """

    def __init__(
        self,
        message: GraphMessage,
        nodes: Sequence[NodeDef] | None = None,
        taken: set[str] | None = None,
        inside: tuple[str, ...] = (),
    ) -> None:
        self._message, self._inside = message, inside
        self._order = without_calls(message, message.node if nodes is None else nodes)
        self._theirs = {node.name: node for node in self._order}
        #: types are told once loops are found, for which that of a list is another one there
        self._has_loops = bool(message.library) or any(n.op in PRIMITIVES for n in self._order)
        self._gradient_lists = GradientLists(self._order)
        self._taken = set(self._theirs) if taken is None else taken

    def graph_def(self) -> GraphDef:
        """All nodes."""
        nodes = structured([n for node in self._order for n in self._translated(node)])
        if self._has_loops:
            for node in nodes:
                self._tell_types(node)
        return GraphDef(nodes)

    def _tell_types(self, node: NodeDef) -> None:
        """Adds the types of a node's inputs that TensorFlow wrote, unless lists may come there."""
        their, op_def = self._theirs.get(node.name), _op_def(node.op)
        if their is None or op_def is None or renamed(their.op)[0] != node.op:
            return
        for key in op_def.type_names & their.attrs.keys():
            value = their.attrs[key]
            is_flow = value == dtypes.float32 and node.op in _PASS_FLOWS_ON
            if value not in _NO_NUMBERS and not is_flow:
                node.attrs.setdefault(key, value)

    def _translated(self, node: NodeDef) -> list[NodeDef]:
        """A node of theirs as one or several of ours: by its rule, and then as most are."""
        node = replace(node, input=[*map(self._flow, node.input)])
        made = self._gradient_lists.read(node)
        if made is not None:
            return made
        kind, more = renamed(node.op)
        new = NodeDef(node.name, kind, node.input, node.device, {**node.attrs, **more})
        if new.attrs.get("T") == dtypes.resource:  # of a variable they tell the shape of its handle
            new.attrs.pop("_output_shapes", None)
        rule = _RULES.get(kind)
        return (rule and rule(self, new)) or self._with_attributes(new) or self._plain(new, node)

    def _with_attributes(self, node: NodeDef) -> list[NodeDef] | None:
        """Makes attributes of inputs; what does the same where one is computed while it runs."""
        sources, taken = node.data_inputs, set()
        for place, name, key, read in AS_ATTRIBUTES.get(node.op, ()):
            if key not in node.attrs and sources:
                at = place % len(sources)
                try:
                    value = self._constant(node, name, sources[at])
                except ValueError:
                    if node.op not in ALONG or "conjugate" in node.attrs:
                        raise
                    return _along(node)
                node.attrs[key] = read(value)
                taken.add(at)
        _take(node, [source for i, source in enumerate(sources) if i not in taken])
        return None

    def _plain(self, node: NodeDef, theirs: NodeDef) -> list[NodeDef]:
        """A node with the attributes that it has here, by their names here."""
        attr, op_def = node.attrs, _op_def(node.op)
        for key, value in attr.items():
            if isinstance(value, FunctionName) and op_def is None:
                attr[key] = value.name
            elif isinstance(value, FunctionName):
                attr[key] = self._function_on_captures(theirs, key)
        if op_def is None and node.op not in OF_STACKS:  # it stands there, and is not run
            attr["_output_types"] = self._wanted_types(theirs)
        known = tuple(attr) if op_def is None else op_def.attr_names
        for key in known:  # what TensorFlow has no place for, or another name
            for name in (f"{OURS}{key}", CALLED_THERE.get(key, "")):
                if key not in attr and name in attr:
                    attr[key] = attr[name]
        told = () if op_def is None or self._has_loops else op_def.type_names
        node.attrs = {
            key: _readable(value)
            for key, value in attr.items()
            if key in known or key in _OURS or (key in told and value not in _NO_NUMBERS)
        }
        return [node]

    def _wanted_types(self, node: NodeDef) -> tuple[DType, ...]:
        """The types of the outputs of a node that nobody here knows, by what reads them."""
        told = [v for v in node.attrs.values() if isinstance(v, DType)]
        types: dict[int, DType] = {0: told[0] if told else dtypes.float32}
        for reader in self._order:
            sources = reader.data_inputs
            read = [i for i, source in enumerate(sources) if source.partition(":")[0] == node.name]
            their = their_op(reader.op) if read else None
            wanted: list[Any] = []
            if their is not None:
                for end, given in their.grouped(sources):
                    one = reader.attrs.get(end.type) if isinstance(end.type, str) else end.type
                    wanted += one if isinstance(one, tuple) else [one] * len(given)
            for i in read:
                dtype = wanted[i] if i < len(wanted) else None
                known = dtype if isinstance(dtype, DType) else types[0]
                types[int(sources[i].partition(":")[2] or 0)] = known
        return tuple(types.get(i, types[0]) for i in range(1 + max(types)))

    # ---- functions ---------------------------------------------------------------------------

    def _function(
        self,
        node: NodeDef,
        key: str,
        sources: Sequence[str],
        order: Sequence[int],
        carried: int = 0,
        results: Sequence[int] | None = None,
    ) -> FunctionDef:
        """A function of the library, for the node that runs it.

        Args:
          node: the node.
          key: the attribute that names the function.
          sources: what the node gives it.
          order: the places of its arguments, in the order that they have here.
          carried: how many of them, in that order, change from turn to turn.
          results: the places of its results; all by default.
        """
        function = function_of(self._message.library, node, node.attrs.get(key), self._inside)

        def free(name: str) -> str:
            if name in self._taken:
                name = free_name(f"{node.name}/{key}/{name}", self._taken)
            self._taken.add(name)
            return name

        if len(self._taken) > MOST_NODES:
            raise ValueError(f"The functions become more than {MOST_NODES} operations.")
        names = [free(f"{node.name}/{key}_{place}") for place in range(len(function.inputs))]
        body = Body(function, free, names)
        arguments = []
        for place, (name, dtype) in enumerate(zip(names, function.inputs.values(), strict=True)):
            outer = self._theirs.get(sources[place].removesuffix(":0"))
            variable = dtype == dtypes.resource and self._variable(sources[place])
            if variable:
                attr = {"dtype": variable, "shape": TensorShape(None)}
                arguments.append(NodeDef(name, "RefArgument", attrs=attr))
            elif order.index(place) >= carried and outer is not None and _is_small(outer):
                arguments.append(NodeDef(f"{name}/value", "Const", attrs=outer.attrs))
                _read_instead(body, name, f"{name}/value")
            if not variable:
                attr = {"dtype": dtype, "shape": TensorShape(None)}
                arguments.append(NodeDef(name, "Argument", attrs=attr))
        inside = (*self._inside, function.name)
        reader = _Reader(self._message, [*arguments, *body.nodes], self._taken, inside)
        returns = body.returns if results is None else [body.returns[i] for i in results]
        return FunctionDef(
            key.partition("_")[0],
            reader.graph_def().node,
            tuple(f"{names[place]}:0" for place in order),
            tuple(each if ":" in each else f"{each}:0" for each in map(reader._flow, returns)),
            len(order) - carried,
        )

    def _function_on_captures(self, node: NodeDef, key: str) -> FunctionDef:
        """A function that is given more than a node's inputs, as that of a pipeline's `map`."""
        function = function_of(self._message.library, node, node.attrs.get(key))
        their = their_op(node.op)
        groups = () if their is None else their.grouped(node.data_inputs)
        lists = [given for end, given in groups if end.length == "*"]
        captured = [*lists[0]] if lists else []
        count = len(function.inputs)
        own = count - len(captured)
        return self._function(node, key, [*[""] * own, *captured], range(count), own)

    def _variable(self, source: str) -> DType | None:
        """The type of the variable that a handle is for; None when it is for something else."""
        node = self._theirs.get(source.partition(":")[0])
        while node is not None and node.op in ("Identity", "IdentityN"):
            index = int(source.partition(":")[2] or 0)
            source = node.input[index]
            node = self._theirs.get(source.partition(":")[0])
        known = node is not None and node.op in ("VarHandleOp", "RefArgument")
        return node.attrs["dtype"] if node is not None and known else None

    def _if(self, node: NodeDef) -> list[NodeDef]:
        types, controls = tuple(node.attrs.get("Tout", ())), node.control_inputs
        reads, sources = self._with_reads(node)
        given = [self._flow(source) for source in sources]
        attr = {
            "types": types,
            "shapes": _shapes(node, len(types)),
            **{
                key: self._function(node, key, sources[1:], range(len(sources) - 1))
                for key in ("then_branch", "else_branch")
            },
        }
        return [*reads, NodeDef(node.name, "If", [*given, *controls], node.device, attr)]

    def _with_reads(self, node: NodeDef) -> tuple[list[NodeDef], list[str]]:
        """The inputs of a node that runs functions, with values in the place of variables."""
        reads, given = [], node.data_inputs
        for place, source in enumerate(node.data_inputs):
            maker = self._theirs.get(source.removesuffix(":0"))
            if maker is not None and maker.op in ("Variable", "VariableV2"):
                given[place] = name = f"{node.name}/read_{place}"
                reads.append(NodeDef(name, "Identity", [source], maker.device))
        return reads, given

    def _while(self, node: NodeDef) -> list[NodeDef]:
        """A loop; what a turn hands on as it is is no variable of it here."""
        body = function_of(self._message.library, node, node.attrs.get("body"))
        returns = [body.returns.get(key, key) for key in body.outputs]
        reads, sources = self._with_reads(node)
        if len(returns) != len(body.inputs) or len(returns) != len(sources):
            raise ValueError(f"Node '{node.name}' (While) does not give what it takes.")
        same = [given == result for given, result in zip(body.inputs, returns, strict=True)]
        order = sorted(range(len(same)), key=lambda place: same[place])
        carried = same.count(False)
        if not carried:
            raise ValueError(f"Node '{node.name}' (While) has no variable.")
        given, controls = [self._flow(source) for source in sources], node.control_inputs
        types, shapes = tuple(body.inputs.values()), _shapes(node, len(same))
        name = free_name(f"{node.name}/While", self._taken)
        self._taken.add(name)
        loop = NodeDef(name, "While", [*(given[i] for i in order), *controls], node.device)
        loop.attrs = {
            "cond": self._function(node, "cond", sources, order, carried),
            "body": self._function(node, "body", sources, order, carried, order[:carried]),
            "carried": carried,
            "types": (*(types[i] for i in order[:carried]), dtypes.int32),
            "shapes": (*(shapes[i] for i in order[:carried]), TensorShape(())),
        }
        results = {place: f"{name}:{i}" for i, place in enumerate(order[:carried])}
        ends = [results.get(place, given[place]) for place in range(len(same))]
        return [*reads, loop, NodeDef(node.name, "IdentityN", ends, node.device)]

    # ---- other rules -------------------------------------------------------------------------

    def _of_list(self, node: NodeDef) -> list[NodeDef]:
        return as_tensor_array(node, self._element_shape)

    def _parser(self, node: NodeDef) -> list[NodeDef]:
        node.attrs = _all_readable(node)
        return read_parser(node, lambda key: _few(self._constant(node, "keys", key)))

    def _sparse_cross(self, node: NodeDef) -> None:
        count = node.attrs["sparse"] = node.attrs.get("N", 0)
        order = [k * count + i for i in range(count) for k in range(3)]  # here tensor by tensor
        node.input[: 3 * count] = [node.input[place] for place in order]

    def _image_summary(self, node: NodeDef) -> None:
        if isinstance(node.attrs.get("bad_color"), np.ndarray):
            node.attrs["bad_color"] = _numbers(node.attrs["bad_color"])

    def _primitive(self, node: NodeDef) -> list[NodeDef]:
        node.attrs = _all_readable(node)
        return [node]

    def _reordered(self, node: NodeDef) -> None:
        sources = node.data_inputs
        _take(node, [sources[place] for place in _ORDERS[node.op]])

    def _of_variants(self, node: NodeDef) -> None:
        if node.attrs.get("T") == dtypes.variant and node.op == "AddN":
            node.op = "AddLists"
        elif node.attrs.get("T") == dtypes.variant:
            node.op = "EmptyList"
            _take(node, [])

    def _composed(self, node: NodeDef) -> list[NodeDef] | None:
        makers = [self._theirs.get(each.removesuffix(":0"), node) for each in node.data_inputs]
        small = {i: m.attrs["value"] for i, m in enumerate(makers) if _is_small(m)}
        try:
            return _along(replace(node, attrs=_all_readable(node)), small)
        except (LookupError, TypeError, ValueError):
            return None  # made of shapes that only a run knows: it stands there, and is not run

    def _concat(self, node: NodeDef) -> None:
        first, *values = node.data_inputs  # the axis came first once
        node.op = "ConcatV2"
        _take(node, [*values, first])

    def _element_shape(self, node: NodeDef, place: int) -> TensorShape | None:
        """The shape that an input tells; None when it is computed while the graph runs."""
        try:
            sizes = self._constant(node, "element_shape", node.input[place])
        except ValueError:
            return None
        if sizes.ndim == 0:
            return TensorShape(None)
        return TensorShape([None if size < 0 else size for size in _numbers(sizes)])

    # ---- what is known before it runs --------------------------------------------------------

    def _flow(self, source: str) -> str:
        """A source; of a `TensorArray` the flow, which is all that there is of it here."""
        name, colon, _ = source.partition(":")
        maker = self._theirs.get(name)
        return name if colon and maker is not None and maker.op == "TensorArrayV3" else source

    def _sum_of_broadcast(self, node: NodeDef) -> list[NodeDef] | None:
        """The sum that undoes a broadcast in a gradient, whose axes TensorFlow computes."""
        name, _, index = node.input[1].partition(":")
        args = self._theirs.get(name)
        if args is None or args.op != "BroadcastGradientArgs":
            return None
        shape = args.input[int(index or 0)]
        maker = self._theirs.get(shape.partition(":")[0])
        added = []
        if maker is not None and maker.op == "Shape":
            like = maker.input[0]
        else:  # nothing of this shape is there: zeros have it
            dtype = node.attrs.get("T", dtypes.float32)
            zero = NodeDef(f"{node.name}/zero", "Const", [], node.device)
            zero.attrs = {"dtype": dtype, "value": np.zeros((), dtype.as_numpy_dtype)}
            like = f"{node.name}/like"
            added = [zero, NodeDef(like, "Fill", [shape, zero.name], node.device)]
        sources = [node.input[0], like, *node.control_inputs]
        return [*added, NodeDef(node.name, "SumToShapeOf", sources, node.device)]

    def _main_diagonal(self, node: NodeDef) -> None:
        """An operation on diagonals, by a simpler one where they are the main ones."""
        (plain, wanted), sources = DIAGONALS[node.op], node.data_inputs
        given = sources[-len(wanted) :] if node.op.startswith("MatrixSet") else sources[1:]
        try:
            usual = all(
                set(_numbers(self._constant(node, name, source))) == {number}
                for (name, number), source in zip(wanted.items(), given, strict=False)
            )
        except ValueError:  # the numbers of the diagonals are computed while it runs
            usual = False
        node.attrs.setdefault("align", "LEFT_LEFT")  # that of version 2
        node.op = plain if usual else f"{plain}V3"
        _take(node, sources[: -len(given)] if usual else sources)

    def _constant(self, node: NodeDef, name: str, source: str) -> np.ndarray:
        """The value of an input that must be constant here."""
        found = self._theirs.get(source.removesuffix(":0"))
        if found is not None and found.op == "Const":
            value: np.ndarray = found.attrs["value"]
            return value
        needed: dict[str, NodeDef] = {}
        if self._gather(source, needed):
            nodes = [each for one in needed.values() for each in self._translated(one)]
            for each in nodes:  # who waits for whom is nothing to their values
                each.input = each.data_inputs
            with Graph().as_default() as graph:
                import_graph_def(GraphDef(nodes), name="")
                tensor = graph.get_tensor_by_name(source if ":" in source else f"{source}:0")
                if (folded := constant_value(tensor)) is not None:
                    return folded
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
        sources = node.data_inputs
        return all(self._gather(each, needed) for each in sources)

    def _is_short_range(self, node: NodeDef) -> bool:
        if node.op != "Range":
            return False
        ends = [self._theirs.get(source.removesuffix(":0"), node) for source in node.input]
        if any(end.op != "Const" for end in ends):
            return False
        start, limit, delta = (float(end.attrs["value"]) for end in ends)
        return delta != 0 and abs(limit - start) / abs(delta) < _LARGEST_FOLDED


def _take(node: NodeDef, sources: Sequence[str]) -> None:
    """Gives a node other inputs that are tensors."""
    node.input = [*sources, *node.control_inputs]


def _readable(value: Any) -> Any:
    """The value of an attribute, with texts where bytes are."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return tuple(map(_readable, value)) if isinstance(value, tuple) else value


def _all_readable(node: NodeDef) -> dict[str, Any]:
    return {key: _readable(value) for key, value in node.attrs.items()}


def _along(node: NodeDef, known: Mapping[int, np.ndarray] = {}) -> list[NodeDef]:
    """What does the same along axes that are computed while the graph runs, or as several nodes.

    Args:
      node: the node, by its name here.
      known: the values of some of its inputs, by their places.
    """
    sources = node.data_inputs
    their = their_op(node.op)
    assert their is not None
    types = [
        t for end, _ in their.grouped(sources) for t in end.types({**their.types, **node.attrs})
    ]
    with Graph().as_default() as graph:
        given = [
            constant(known[i], t, name=f"given_{i}")
            if i in known
            else call("Placeholder", dtype=t, shape=None, name=f"given_{i}")
            for i, t in enumerate(types)
        ]
        made = {**ALONG, **COMPOSED}[node.op](node, *given)
        results = made if isinstance(made, list) else [made]
        nodes = graph.as_graph_def().node[len(given) :]
    inside = {each.name: f"{node.name}/{each.name}" for each in nodes}
    instead = {f"given_{i}": source for i, source in enumerate(sources)}

    def renamed(source: str) -> str:
        name, colon, index = source.removeprefix("^").partition(":")
        wait = "^" * source.startswith("^")
        return instead.get(name) or f"{wait}{inside[name]}{colon}{index}"

    for each in nodes:
        each.name, each.input = inside[each.name], [*map(renamed, each.input)]
    controls = node.control_inputs
    ends = [renamed(t.name.removesuffix(":0")) for t in results]
    kind = "Identity" if len(ends) == 1 else "IdentityN"
    return [*nodes, NodeDef(node.name, kind, [*ends, *controls], node.device)]


def _shapes(node: NodeDef, count: int) -> tuple[TensorShape, ...]:
    told = tuple(node.attrs.get("output_shapes") or ())
    return told if len(told) == count else (TensorShape(None),) * count


def _is_small(node: NodeDef) -> bool:
    """Whether a constant may be copied into functions, which may need it to know an axis."""
    value = node.attrs.get("value")
    return (
        node.op == "Const"
        and isinstance(value, np.ndarray)
        and value.dtype.kind in "ib"
        and value.size <= 64
    )


def _read_instead(body: Body, name: str, other: str) -> None:
    for node in body.nodes:
        node.input = [other if source == name else source for source in node.input]


#: what becomes of an operation, by its name here: its nodes, or it is changed and goes on
_RULES: dict[str, Callable[[_Reader, NodeDef], list[NodeDef] | None]] = {
    **dict.fromkeys(("If", "StatelessIf"), _Reader._if),
    **dict.fromkeys(("StatelessWhile", "While"), _Reader._while),
    **dict.fromkeys(OF_LISTS, _Reader._of_list),
    **dict.fromkeys(PARSERS, _Reader._parser),
    **dict.fromkeys(PRIMITIVES, _Reader._primitive),
    **dict.fromkeys(_ORDERS, _Reader._reordered),
    **dict.fromkeys(COMPOSED, _Reader._composed),
    **dict.fromkeys(DIAGONALS, _Reader._main_diagonal),
    **dict.fromkeys(("AddN", "ZerosLike"), _Reader._of_variants),
    "Concat": _Reader._concat,
    "ImageSummary": _Reader._image_summary,
    "SparseCross": _Reader._sparse_cross,
    "Sum": _Reader._sum_of_broadcast,
}

"""Functions of a saved model of TensorFlow 2, as ours and back.

    library["__inference_f_7"](x, handle of v)  ──read_function──>  FuncGraph: x, and v captured
                                                <──FunctionWriter──

A variable is a resource there: its handle is one more argument, and operations that read it or
write to it take the handle. Here they take a reference, as they do in any graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import DType
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.graph_def import NodeDef
from minitf.core.graph.importer import import_graph_def, in_order
from minitf.core.graph.op_def import get_op_def
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import zeros
from minitf.library.eager.type_specs import TensorSpec
from minitf.library.formats.graph_message import Function, FunctionName, GraphMessage
from minitf.library.saving.tensorflow_graph import from_message
from minitf.library.saving.tensorflow_lists import ElementTypes
from minitf.library.saving.tensorflow_ops import their_op
from minitf.library.saving.tensorflow_writing import _name, _Writer

# ---- reading -----------------------------------------------------------------------------


def read_function(
    message: GraphMessage,
    name: str,
    own: Sequence[TensorSpec],
    captured: Sequence[Tensor],
    outer: Any,
) -> FuncGraph:
    """The function of that name in a graph's library, as a graph.

    Args:
      message: the graph.
      name: the function.
      own: what is known of the arguments that a caller gives.
      captured: tensors and references to variables of the graph around, which are the others.
      outer: the graph around.
    Raises:
      ValueError: when the function is not there, or takes something else.
    """
    function = message.library.get(name)
    if function is None or len(function.inputs) != len(own) + len(captured):
        raise ValueError(f"The saved model has no function '{name}' of these arguments.")
    given = [f"given_{place}" for place in range(len(function.inputs))]
    nodes = []
    for place, (argument, dtype) in enumerate(zip(given, function.inputs.values(), strict=True)):
        outside = captured[place - len(own)] if place >= len(own) else None
        if outside is not None and outside.dtype._is_ref_dtype:
            attr = {"dtype": outside.dtype.base_dtype, "shape": outside.shape}
            nodes.append(NodeDef(argument, "VarHandleOp", attrs=attr))
        else:
            attr = {"dtype": dtype, "shape": TensorShape(None)}
            nodes.append(NodeDef(argument, "Placeholder", attrs=attr))
    attr = {
        "f": FunctionName(name),
        "Tin": tuple(function.inputs.values()),
        "Tout": tuple(function.outputs.values()),
    }
    nodes.append(NodeDef("call", "StatefulPartitionedCall", list(given), attrs=attr))
    graph_def = from_message(GraphMessage(nodes, dict(message.library)))
    graph_def.node[:] = [node for node in graph_def.node if node.name not in given]
    graph = FuncGraph(name, outer)
    graph._names_in_use, graph._collections = {}, {}
    with graph.as_default():
        values = [
            graph.add_input(spec.dtype, spec.shape, spec.name or argument)
            for spec, argument in zip(own, function.inputs, strict=False)
        ]
        values += [graph.capture(outside) for outside in captured]
        used = {_name(source) for node in graph_def.node for source in node.input}
        elements = [f"call:{place}" for place in range(len(function.outputs))] or ["call"]
        instead = {g: value for g, value in zip(given, values, strict=True) if g in used}
        found = import_graph_def(graph_def, instead, elements, "") or []
        graph.outputs = list(found)
        if not function.outputs:  # it has effects, and no result
            with graph.control_dependencies(found):
                graph.outputs = [identity(zeros([], dtypes.int32))]
    graph.sealed = True
    return graph


# ---- writing -----------------------------------------------------------------------------

#: What becomes of an operation that takes a reference to a variable: the operation on its handle,
#: and whether the value is asked for afterwards.
_ON_HANDLES = {
    "Assign": "AssignVariableOp",
    "AssignAdd": "AssignAddVariableOp",
    "AssignSub": "AssignSubVariableOp",
}
_READ = ("Identity", "ReadVariableOp")


class FunctionWriter(_Writer):
    """Writes a function whose captured variables are arguments with handles.

    Args:
      graph: the function.
      message: its library gets this function, and those inside.
    """

    def __init__(self, graph: FuncGraph, message: GraphMessage) -> None:
        self._definition = graph.to_function_def()
        super().__init__(self._definition.node, message, None, ElementTypes())
        self._handles: dict[str, tuple[str, DType]] = {}  # by what gives a reference
        self._reads: dict[str, str] = {}  # of values that an operation takes once

    def written(self, name: str, words: Sequence[str], count: int) -> Function:
        """Adds the function to the library.

        Args:
          name: what it is called.
          words: the names of its arguments, as many as are not captured; the others get numbers.
          count: how many results it has; what else the graph gives is only run.
        Raises:
          ValueError: when it has an operation that has no equal there.
        """
        types = []
        for place, source in enumerate(self._definition.inputs):
            argument = _name(source)
            node = self.ours[argument]
            dtype = node.attrs["dtype"]
            self._arguments[argument] = words[place] if place < len(words) else f"captured_{place}"
            if node.op == "RefArgument":
                self._handles[argument] = argument, dtype
                dtype = dtypes.resource
            self._types[argument] = [dtype]
            types.append(dtype)
        self.read |= set(self._definition.outputs)
        for node in in_order(self._definition.node):
            self.add(node)
        self.lists.tell()
        outputs = [self._instead.get(s.removesuffix(":0"), s) for s in self._definition.outputs]
        results = {f"output_{place}": source for place, source in enumerate(outputs[:count])}
        function = Function(
            name,
            dict(zip(self._arguments.values(), types, strict=True)),
            {key: self.type(source) for key, source in results.items()},
            [self._in_function(node) for node in self.nodes.values()],
            {key: self._source_in_function(source) for key, source in results.items()},
            [_name(source) for source in outputs[count:] if _name(source) in self.nodes],
        )
        self.message.library[name] = function
        return function

    def add(self, node: NodeDef) -> None:
        """Adds a node; one that takes a reference as one that takes a handle."""
        taken = [place for place, s in enumerate(node.input) if _plain(s) in self._handles]
        if node.name in self._types or not taken:
            return super().add(node)
        waits = node.control_inputs
        sources = node.data_inputs
        handle, dtype = self._handles[_plain(sources[taken[0]])]
        before = [f"^{_plain(sources[p])}" for p in taken if _plain(sources[p]) != handle]
        waits = list(dict.fromkeys([*waits, *before]))
        if node.op in _READ:
            self._emitted(node, "ReadVariableOp", [handle, *waits], dtype)
            return None
        refs = get_op_def(node.op).ref_inputs
        kind = _ON_HANDLES.get(node.op, f"Resource{node.op}")
        if not refs or not set(taken) <= set(refs) or their_op(kind) is None:
            if node.op == "IsVariableInitialized":
                self.emit(node.name, "VarIsInitializedOp", [handle, *waits], {}, node.device)
                return None
            return super().add(self._on_values(node, taken))
        given = [self._handles[_plain(s)][0] if p in taken else s for p, s in enumerate(sources)]
        attr = {k: v for k, v in node.attrs.items() if k not in ("T", "_class", "_output_shapes")}
        for key in ("use_locking", "validate_shape"):
            if key not in their_op(kind).attrs:  # type: ignore[union-attr]
                attr.pop(key, None)
        if node.op in _ON_HANDLES:
            attr["dtype"] = dtype
        changed = f"{node.name}/change"
        self.emit(changed, kind, [*given, *waits], attr, node.device)
        self._emitted(node, "ReadVariableOp", [handle, f"^{changed}"], dtype)
        self._handles[node.name] = handle, dtype
        return None

    def _emitted(self, node: NodeDef, kind: str, inputs: Sequence[str], dtype: DType) -> None:
        self.emit(node.name, kind, inputs, {"dtype": dtype}, node.device)

    def _on_values(self, node: NodeDef, taken: Sequence[int]) -> NodeDef:
        """A node that takes what variables hold, read after all that it waits for."""
        inputs = list(node.input)
        waits = [s for s in inputs if s.startswith("^")]
        for place in taken:
            handle, dtype = self._handles[_plain(inputs[place])]
            name = f"{node.name}/read_{place}"
            self.emit(name, "ReadVariableOp", [handle, *waits], {"dtype": dtype}, node.device)
            inputs[place] = name
        return replace(node, input=inputs)


def _plain(source: str) -> str:
    return source.removesuffix(":0")

"""Functions of a saved model of TensorFlow 2, as ours and back.

    library["__inference_f_7"](x, handle of v)  ──read_function──>  FuncGraph: x, and v captured
                                                <──FunctionWriter──

A variable is a resource there: its handle is one more argument, and operations that read it or
write to it take the handle. Here they take a reference, as they do in any graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.graph_def import NodeDef
from minitf.core.graph.importer import import_graph_def
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import zeros
from minitf.library.eager.type_specs import TensorSpec
from minitf.library.formats.graph_message import FunctionName, GraphMessage
from minitf.library.saving.tensorflow_graph import from_message
from minitf.library.saving.tensorflow_writing import _name

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

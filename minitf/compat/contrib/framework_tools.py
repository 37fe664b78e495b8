"""Small functions of `tf.contrib.framework` about graphs, shapes and tensors."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_def import GraphDef, NodeDef
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.comparisons import equal
from minitf.core.ops.logging_ops import Assert
from minitf.core.ops.math import add_n
from minitf.core.ops.reductions import reduce_all, reduce_sum
from minitf.library.checks.assertions import assert_scalar, ensure_shape
from minitf.library.graph_tools.graph_util import extract_sub_graph


def get_graph_from_inputs(op_input_list: Sequence[Any], graph: Any = None) -> Any:
    """The graph of some tensors: the given one, theirs, or the default one.

    Raises:
      ValueError: when they are of several graphs, or of another than the given one.
    """
    found, first = graph, None
    for each in op_input_list:
        own = getattr(each, "graph", None)
        if own is None:
            continue
        if found is None:
            found, first = own, each
        elif own is not found and graph is not None:
            raise ValueError(f"{each} is not from the passed-in graph.")
        elif own is not found:
            raise ValueError(f"{each} must be from the same graph as {first}.")
    return found or stacks.get_default_graph()


def get_placeholders(graph: Graph) -> list[Tensor]:
    """The placeholders of a graph."""
    ops = graph.get_operations()
    return [op.outputs[0] for op in ops if op.type.startswith("Placeholder")]


def fuse_op(
    graph_def: GraphDef, input_nodes: Sequence[str], output_nodes: Sequence[str],
    output_dtypes: Sequence[Any], output_quantized: bool, op_name: str, op_type: str,
) -> GraphDef:  # fmt: skip
    """A graph in which one operation stands for all nodes between some inputs and outputs.

    Args:
      graph_def: the graph, which stays as it is.
      input_nodes: the nodes that the operation takes.
      output_nodes: nodes of one input, which take what the operation gives, in this order.
      output_dtypes: the types of what it gives.
      output_quantized: whether that is quantized.
      op_name, op_type: its name and type.
    Raises:
      TypeError: when arguments are of another kind, or a node between needs another input.
      AssertionError: when the graph has no node of a name.
    """
    if not isinstance(graph_def, GraphDef):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    for kind, nodes in (("input", input_nodes), ("output", output_nodes)):
        if isinstance(nodes, str):
            raise TypeError(f"{kind}_nodes must be a list.")
    before = {node.name for node in extract_sub_graph(graph_def, input_nodes).node}
    needed = extract_sub_graph(graph_def, output_nodes).node
    for node in needed:
        if node.name in before or node.name in output_nodes:
            continue
        for source in (name.removeprefix("^").partition(":")[0] for name in node.input):
            if source in before and source not in input_nodes:
                raise TypeError(f"Node {node.name} uses input {source} not in input_nodes.")
    types = [dtypes.as_dtype(each) for each in output_dtypes]
    attrs = {"_output_types": types, "_output_quantized": output_quantized}
    by_name = {node.name: copy.deepcopy(node) for node in graph_def.node}
    outputs = [by_name[name] for name in output_nodes]
    for i, node in enumerate(outputs):
        assert len(node.input) == 1
        node.input[0] = f"{op_name}:{i}" if i else op_name
    dropped = {node.name for node in needed} | before
    return GraphDef(
        [
            *(node for name, node in by_name.items() if name in before),
            NodeDef(op_name, op_type, input_nodes, attrs=attrs),
            *outputs,
            *(node for name, node in by_name.items() if name not in dropped),
        ],
        copy.copy(graph_def.versions),
    )


def assert_scalar_int(tensor: Any, name: str | None = None) -> Tensor:
    """The tensor, which is an integer scalar.

    Raises:
      ValueError: when it is not.
    """
    with stacks.name_scope(name, "assert_scalar_int", [tensor]) as scope:
        tensor = convert_to_tensor(tensor)
        if not tensor.dtype.is_integer:
            raise ValueError(
                f"Expected integer type for {tensor.name}, received type: {tensor.dtype}."
            )
        return assert_scalar(tensor, name=scope)


def with_shape(expected_shape: Any, tensor: Tensor) -> Tensor:
    """The tensor, checked to have a shape: now if that is known, else while the graph runs.

    Args:
      expected_shape: sizes, or a vector of them that the graph computes.
      tensor: the tensor.

    Raises:
      ValueError: when it is known to have another.
    """
    if isinstance(expected_shape, Tensor):
        sizes = expected_shape, shape_of(tensor)
        right = Assert(reduce_all(equal(*sizes)), ["Wrong shape for tensor.", *sizes])
        with stacks.control_dependencies([right]):
            return identity(tensor)
    if not tensor.shape.is_fully_defined():
        return ensure_shape(tensor, expected_shape)
    if not tensor.shape.is_compatible_with(expected_shape):
        raise ValueError(
            f"Invalid shape for tensor {tensor.name}, expected {expected_shape}, got "
            f"{tensor.shape}."
        )
    return tensor


def with_same_shape(expected_tensor: Any, tensor: Any) -> Tensor:
    """The second tensor, checked to have the shape of the first one."""
    with stacks.name_scope(f"{tensor.op.name}/", values=[expected_tensor, tensor]):
        expected_tensor.shape.assert_is_compatible_with(tensor.shape)
        return with_shape(shape_of(expected_tensor), tensor)


def reduce_sum_n(tensors: Sequence[Any], name: str | None = None) -> Tensor:
    """The sum of all elements of all tensors."""
    if not tensors:
        raise ValueError("No tensors provided.")
    with stacks.name_scope(name, "reduce_sum_n", list(tensors)) as scope:
        sums = [reduce_sum(each) for each in tensors]
        return add_n(sums, name=scope)

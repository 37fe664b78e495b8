"""Makes nodes of a plan from data of another process, and checks them.

    NodeDefs ──names, attributes──> in order ──inputs: there, of the right types──> Nodes

`to_node_defs` in `subgraph.py` is the inverse. Only tasks of a cluster use this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minitf.core.graph import errors, untrusted
from minitf.core.graph.build import check_input_count, check_types
from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph_def import FunctionDef, NodeDef
from minitf.core.graph.importer import from_function_def, in_order
from minitf.core.graph.op_def import get_op_def
from minitf.core.runtime.plan.subgraph import Node


def from_node_defs(node_defs: Sequence[NodeDef], inner: Sequence[str] = ()) -> list[Node]:
    """Returns the nodes of a partition that came from another process.

    No shapes are inferred. The types of inputs and outputs must agree with the declarations of the
    operations.

    Args:
      node_defs: the nodes, in any order.
      inner: the types of the runtime's own nodes that are allowed.
    Raises:
      InvalidArgumentError: when a name, device or attribute is malformed, an input is missing or
        does not fit, or there is a cycle.
      NotFoundError: when an operation's type is unknown.
    """
    made: dict[str, Node] = {}
    try:
        untrusted.check_nodes(node_defs, inner)
        ordered = in_order(node_defs)
    except ValueError as error:
        raise errors.InvalidArgumentError.of(str(error)) from None
    for each in ordered:
        try:
            made[each.name] = _from_node_def(each, made)
        except errors.OpError:
            raise
        except Exception as error:  # a hostile attribute may make any function fail in any way
            raise errors.InvalidArgumentError(
                each, None, f"Node '{each.name}' ({each.op}) cannot be used: {error}"
            ) from None
    return list(made.values())


class _Edge(NamedTuple):
    """An input of a node, with the attribute `dtype` that `OpDef.output_dtypes` reads."""

    dtype: DType


def _from_node_def(definition: NodeDef, made: dict[str, Node]) -> Node:
    op_def = get_op_def(definition.op)
    attrs = {
        k: from_function_def(v) if isinstance(v, FunctionDef) else v
        for k, v in definition.attrs.items()
        if k not in ("_output_types", "_output_shapes")
    }
    node = Node(
        definition.name,
        op_def,
        op_def.complete_attrs(attrs),
        device=untrusted.device_name(definition.device, definition.name),
        dtypes=list(definition.attrs.get("_output_types", ())),
        shapes=list(definition.attrs.get("_output_shapes", ())),
    )
    for source in definition.input:
        name, _, index = source.removeprefix("^").partition(":")
        if source.startswith("^"):
            node.controls.append(made[name])
        elif int(index or 0) >= len(made[name].dtypes):
            raise ValueError(f"its input '{source}' is not among the outputs of that node")
        else:
            node.inputs.append((made[name], int(index or 0)))
    edges = [_Edge(source.dtypes[index]) for source, index in node.inputs]
    check_input_count(op_def, node.name, [edge.dtype for edge in edges])
    if edges:  # a `_Send` of a control dependency has none
        check_types(op_def, op_def.group(edges), node.attrs)
    if node.dtypes != op_def.output_dtypes(edges, node.attrs):  # type: ignore[arg-type]
        raise ValueError(f"its outputs cannot be of the types {node.dtypes}")
    if len(node.shapes) != len(node.dtypes):
        raise ValueError("the numbers of its types and shapes differ")
    return node

"""The part of a graph that one run needs, as nodes that placing and partitioning may rewrite.

Operations are never changed by a run. `prune` copies those that the fetches need into `Node`s, puts
`_Arg` where something is fed and `_Retval` where something is fetched, and orders them so that every
node stands after all it waits for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from minitf.framework import errors
from minitf.framework.dtypes import DType
from minitf.framework.graph_def import NodeDef
from minitf.framework.registry import OpDef, get_op_def
from minitf.framework.shapes import TensorShape


@dataclass(eq=False, slots=True)
class Node:
    """One operation of a plan.

    Args:
      name, op_def, attrs: as the operation has them.
      inputs: where each input comes from: (node, which of its outputs).
      controls: nodes that must run first.
      device: the device asked for; after placing the full name of the one that it runs on.
      dtypes, shapes: of the outputs, as inferred.
      op: the operation of the client's graph, when that is in this process.
    """

    name: str
    op_def: OpDef
    attrs: dict[str, Any]
    inputs: list[tuple[Node, int]] = field(default_factory=list)
    controls: list[Node] = field(default_factory=list)
    device: str = ""
    dtypes: list[DType] = field(default_factory=list)
    shapes: list[TensorShape] = field(default_factory=list)
    op: Any = None

    @property
    def type(self) -> str:
        """The type of the operation."""
        return self.op_def.type

    def __repr__(self) -> str:
        return f"<Node {self.name!r} {self.type} on {self.device!r}>"


def edge_name(source: Node, index: int) -> str:
    """The name of the tensor on an edge, as 'W/read:0'; of a fed one the name it has in the graph."""
    if source.type == "_Arg":
        return source.attrs["tensor_name"]
    return f"{source.name}:{index}"


def prune(
    fetches: Sequence[Any], targets: Iterable[Any], feeds: Sequence[Any]
) -> list[Node]:
    """Returns the nodes that a run needs, in an order that they can run in.

    Args:
      fetches: tensors to return; each gets a `_Retval` node with its index.
      targets: operations to run.
      feeds: tensors given by the caller; each that is needed gets an `_Arg` node with its index.
    Raises:
      InvalidArgumentError: when the graph has a cycle.
    """
    fed = {tensor: index for index, tensor in enumerate(feeds)}
    made: dict[Any, Node] = {}
    order: list[Node] = []
    roots = [t if t in fed else t.op for t in fetches] + list(targets)
    for root in roots:
        _visit(root, fed, made, order)
    for index, tensor in enumerate(fetches):
        source = (made[tensor], 0) if tensor in fed else (made[tensor.op], tensor.value_index)
        node = Node(f"_retval_{tensor.op.name}_{tensor.value_index}_{index}",
                    get_op_def("_Retval"), {"index": index}, [source])
        order.append(node)
    return order


def _requirements(item: Any, fed: dict) -> list[Any]:
    """What must stand before an operation: its control inputs, then operations or feeds."""
    if item in fed:
        return []
    return [*item.control_inputs, *(t if t in fed else t.op for t in item.inputs)]


def _visit(root: Any, fed: dict, made: dict[Any, Node], order: list[Node]) -> None:
    """Depth first, with an explicit stack: graphs are deeper than Python's recursion limit."""
    stack = [(root, False)]
    open_items: set[Any] = set()
    while stack:
        item, ready = stack.pop()
        if item in made:
            continue
        if ready:
            open_items.discard(item)
            made[item] = _make_node(item, fed, made)
            order.append(made[item])
            continue
        if item in open_items:
            raise errors.InvalidArgumentError(None, None, f"The graph has a cycle through '{item.name}'.")
        open_items.add(item)
        stack.append((item, True))
        stack += [(need, False) for need in reversed(_requirements(item, fed)) if need not in made]


def _make_node(item: Any, fed: dict, made: dict[Any, Node]) -> Node:
    if item in fed:
        op = item.op
        return Node(f"_arg_{op.name}_{item.value_index}", get_op_def("_Arg"),
                    {"index": fed[item], "dtype": item.dtype.base_dtype,
                     "tensor_name": item.name}, device=op.device,
                    dtypes=[item.dtype.base_dtype], shapes=[item.shape], op=op)
    inputs = [
        (made[t], 0) if t in fed else (made[t.op], t.value_index) for t in item.inputs
    ]
    return Node(item.name, item.op_def, item.attrs, inputs, [made[c] for c in item.control_inputs],
                item.device, [t.dtype for t in item.outputs], [t.shape for t in item.outputs], item)


# ---- to and from NodeDefs, for other processes -------------------------------------------


def to_node_defs(nodes: Iterable[Node]) -> list[NodeDef]:
    """The nodes as data that can travel, with dtypes and shapes, so that nothing is inferred again."""
    result = []
    for node in nodes:
        inputs = [s.name if i == 0 else f"{s.name}:{i}" for s, i in node.inputs]
        inputs += ["^" + c.name for c in node.controls]
        attr = {**node.attrs, "_output_types": tuple(node.dtypes), "_output_shapes": tuple(node.shapes)}
        result.append(NodeDef(node.name, node.type, inputs, node.device, attr))
    return result


def from_node_defs(node_defs: Iterable[NodeDef]) -> list[Node]:
    """The nodes of a partition that came from another process.

    Raises:
      InvalidArgumentError: when an op type is unknown or an input is missing.
    """
    made: dict[str, Node] = {}
    for each in node_defs:
        try:
            op_def = get_op_def(each.op)
            attrs = {k: v for k, v in each.attr.items() if k not in ("_output_types", "_output_shapes")}
            node = Node(each.name, op_def, op_def.complete_attrs(attrs), device=each.device,
                        dtypes=list(each.attr.get("_output_types", ())),
                        shapes=list(each.attr.get("_output_shapes", ())))
            for source in each.input:
                if source.startswith("^"):
                    node.controls.append(made[source[1:]])
                else:
                    name, _, index = source.partition(":")
                    node.inputs.append((made[name], int(index or 0)))
        except (KeyError, TypeError, ValueError) as error:
            raise errors.InvalidArgumentError(
                each, None, f"Node '{each.name}' ({each.op}) cannot be used: {error}"
            ) from None
        made[node.name] = node
    return list(made.values())

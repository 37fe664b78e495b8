"""Tools for passes: the readers of values, and the replacement of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minitf.core.graph.dtypes import DType
from minitf.core.graph.op_def import get_op_def
from minitf.core.graph.shapes import TensorShape
from minitf.core.runtime.plan.subgraph import Node

Value = tuple[Node, int]


class Readers:
    """The readers of each value of a partition, and the nodes that wait for each node.

    Args:
      nodes: the partition.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._reading: dict[Value, list[Node]] = {}
        self._waiting: dict[Node, list[Node]] = {}
        for node in nodes:
            for value in node.inputs:
                self._reading.setdefault(value, []).append(node)
            for before in node.controls:
                self._waiting.setdefault(before, []).append(node)

    def of(self, value: Value) -> list[Node]:
        """Returns the nodes that read a value, once for each input."""
        return self._reading.get(value, [])

    def waiting(self, node: Node) -> list[Node]:
        """Returns the nodes that wait for a node without reading from it."""
        return self._waiting.get(node, [])

    def only(self, value: Value) -> Node | None:
        """Returns the only reader of a value, if it reads once and no node waits; else None."""
        found = self.of(value)
        return found[0] if len(found) == 1 and not self.waiting(value[0]) else None


def touches_variable(node: Node) -> bool:
    """Whether a node reads or changes a variable, so that its time matters."""
    return any(source.dtypes[index]._is_ref_dtype for source, index in node.inputs)


def new_node(
    op_type: str,
    like: Node,
    inputs: Sequence[Value],
    attrs: Mapping[str, Any],
    dtypes: Sequence[DType] | None = None,
    shapes: Sequence[TensorShape] | None = None,
) -> Node:
    """Returns a node to replace another, with its name, its operation and its controls.

    Args:
      op_type: the type of the new node.
      like: the node that it replaces.
      inputs: its inputs.
      attrs: its attributes; defaults are filled in.
      dtypes, shapes: of its outputs; those of `like` when None.
    """
    op_def = get_op_def(op_type)
    return Node(
        like.name,
        op_def,
        op_def.complete_attrs(dict(attrs)),
        list(inputs),
        list(like.controls),
        like.device,
        list(like.dtypes if dtypes is None else dtypes),
        list(like.shapes if shapes is None else shapes),
        like.op,
    )


def constant_node(like: Node, value: Any) -> Node:
    """Returns a constant of a node's dtype, to replace the node or as its input.

    Args:
      like: the node.
      value: a number or an array; an array of that dtype is not copied, and becomes read-only.
    """
    dtype = like.dtypes[0]
    array = np.asarray(value, dtype.numpy_dtype)
    array.flags.writeable = False
    attrs, shape = {"value": array, "dtype": dtype}, TensorShape(array.shape)
    const = get_op_def("Const")
    return Node(like.name, const, attrs, [], [], like.device, [dtype], [shape], like.op)


def replace(
    nodes: Sequence[Node], new: Mapping[Value, Value], instead: Mapping[Node, Node]
) -> list[Node]:
    """Returns the partition after a rewrite, in order, without nodes that are not needed any more.

    Args:
      nodes: the nodes before, each after its dependencies.
      new: maps old values to the values that replace them.
      instead: maps old nodes to the nodes that replace them; their inputs must come before them.
    """
    if not new and not instead:
        return list(nodes)
    read = {source for node in nodes for source, _ in node.inputs}
    order = [instead.get(node, node) for node in nodes]
    for node in order:
        node.inputs = [new.get(value, value) for value in node.inputs]
        node.controls = list(dict.fromkeys(instead.get(c, c) for c in node.controls))
    return without_orphans(order, read)


def without_orphans(nodes: Sequence[Node], candidates: set[Node]) -> list[Node]:
    """Removes the pure nodes among the candidates that have no readers any more.

    Nodes that waited for one of them wait for its inputs and controls instead.
    """
    wanted: set[Node] = set()
    kept: list[Node] = []
    dropped = False
    for node in reversed(nodes):
        if node in wanted or node not in candidates or node.op_def.stateful:
            kept.append(node)
            wanted.update(source for source, _ in node.inputs)
            wanted.update(c for c in node.controls if c not in candidates)
        else:
            dropped = True
    kept.reverse()
    if dropped:
        _hand_on_waits(nodes, set(kept))
    return kept


def _hand_on_waits(nodes: Sequence[Node], kept: set[Node]) -> None:
    behind: dict[Node, list[Node]] = {}
    for node in nodes:
        waits = [w for before in node.controls for w in behind.get(before, (before,))]
        node.controls = list(dict.fromkeys(waits))
        if node not in kept:
            reads = (source for source, _ in node.inputs)
            before = [w for each in reads for w in behind.get(each, (each,))]
            behind[node] = list(dict.fromkeys([*node.controls, *before]))

"""What rewrites share: who reads what, and how nodes take the place of others."""

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
    """Who reads each value of a partition, and who only waits for a node.

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
        """The nodes that read a value, once for each time they do."""
        return self._reading.get(value, [])

    def waiting(self, node: Node) -> list[Node]:
        """The nodes that wait for a node without reading from it."""
        return self._waiting.get(node, [])

    def only(self, value: Value) -> Node | None:
        """The one node that has anything to do with a value, and reads it once; None otherwise."""
        found = self.of(value)
        return found[0] if len(found) == 1 and not self.waiting(value[0]) else None


def touches_variable(node: Node) -> bool:
    """Whether a node reads or changes a variable, so that it matters when it runs."""
    return any(source.dtypes[index]._is_ref_dtype for source, index in node.inputs)


def new_node(
    op_type: str,
    like: Node,
    inputs: Sequence[Value],
    attrs: Mapping[str, Any],
    dtypes: Sequence[DType] | None = None,
    shapes: Sequence[TensorShape] | None = None,
) -> Node:
    """A node in place of another, with its name, its place in the user's program, and its waits.

    Args:
      op_type: of the new one.
      like: the one whose result it gives.
      inputs: what it reads.
      attrs: of its operation; defaults are filled in.
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
    """A constant in place of a node, or for its use, of the node's dtype. It waits for nothing.

    Args:
      like: the node.
      value: a number or an array; an array of that dtype is not copied, and nobody may write to it.
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
    """The partition after a rewrite, in order, without what nobody needs any more.

    Args:
      nodes: as they were, each after all it needs.
      new: by old value, the value that readers take from now on.
      instead: by old node, the one that stands in its place; its inputs must come before it.
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
    """Leaves out the pure nodes among the candidates that have lost all their readers.

    Who only waited for one of them waits for what it read and waited for.
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

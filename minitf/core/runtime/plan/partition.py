"""Cuts placed nodes into partitions, with a Send/Recv pair on every edge that is cut.

    W (ps) ─────▶ MatMul (worker)     becomes     W ─▶ _Send   ┊   _Recv ─▶ MatMul

The same function cuts by task (in the master) and by device (in each task): only the key differs. A
tensor goes to a partition once, however many nodes read it there. A variable is read on its own
device, for each reader anew, after everything that this reader waits for; the value travels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import get_op_def
from minitf.core.graph.shapes import TensorShape
from minitf.core.runtime.plan.schedule import side_by_side
from minitf.core.runtime.plan.subgraph import Node, edge_name, reading


def partition(nodes: Iterable[Node], key: Callable[[str], str]) -> dict[str, list[Node]]:
    """Groups nodes by `key(node.device)`.

    Args:
      nodes: placed nodes, each after all it waits for. They are changed: inputs from another
        partition become `_Recv` nodes.
      key: from a full device name to the partition it belongs to.
    Returns: for each partition its nodes, in an order that they can run in.
    """
    parts: dict[str, list[Node]] = {}
    received: dict[tuple[Node, int | None, str], Node] = {}
    reads: dict[tuple[Node, int, frozenset[Node]], Node] = {}

    def brought(source: Node, index: int | None, reader: Node) -> Node:
        """The node of the reader's partition that gives what `source` gives."""
        here = key(reader.device)
        if key(source.device) == here:
            return source
        return _transfer(source, index, reader, here, key, parts, received)

    def add(node: Node) -> None:
        node.controls = [brought(source, None, node) for source in node.controls]
        parts.setdefault(key(node.device), []).append(node)

    for node in side_by_side(list(nodes)):
        inputs = []
        for source, index in node.inputs:
            if key(source.device) == key(node.device):
                inputs.append((source, index))
                continue
            if source.dtypes[index]._is_ref_dtype and node.controls:
                which = (source, index, frozenset(node.controls))
                if which not in reads:
                    name = f"{source.name}/read_for_{node.name}"
                    reads[which] = reading((source, index), name, node.controls, source.op)
                    add(reads[which])
                source, index = reads[which], 0
            inputs.append((brought(source, index, node), 0))
        node.inputs = inputs
        add(node)
    return parts


def _transfer(
    source: Node,
    index: int | None,
    reader: Node,
    here: str,
    key: Callable[[str], str],
    parts: dict[str, list[Node]],
    received: dict[tuple[Node, int | None, str], Node],
) -> Node:
    """Returns the `_Recv` that brings an edge to this partition; index None is a control edge."""
    if (source, index, here) in received:
        return received[source, index, here]
    name = f"^{source.name}" if index is None else edge_name(source, index)
    attrs = {"tensor_name": name, "send_device": source.device, "recv_device": reader.device}
    suffix = f"{name.replace('^', 'control_').replace(':', '_')}_to_{len(received)}"
    send = Node(f"_send_{suffix}", get_op_def("_Send"), dict(attrs), op=source.op)
    recv = Node(f"_recv_{suffix}", get_op_def("_Recv"), attrs, op=source.op)
    send.device, recv.device = source.device, reader.device
    if index is None:
        send.controls = [source]
        recv.dtypes, recv.shapes = [dtypes.bool], [TensorShape(())]
    else:
        send.inputs = [(source, index)]
        recv.dtypes, recv.shapes = [source.dtypes[index].base_dtype], [source.shapes[index]]
    recv.attrs = {**attrs, "dtype": recv.dtypes[0]}
    parts[key(source.device)].append(send)
    parts.setdefault(here, []).append(recv)
    received[source, index, here] = recv
    return recv

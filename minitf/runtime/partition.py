"""Cuts placed nodes into partitions, with a Send/Recv pair on every edge that is cut.

    W (ps) ─────▶ MatMul (worker)     becomes     W ─▶ _Send   ┊   _Recv ─▶ MatMul

The same function cuts by task (in the master) and by device (in each task): only the key differs. A
tensor goes to a partition once, however many nodes read it there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from minitf.framework import dtypes
from minitf.framework.registry import get_op_def
from minitf.framework.shapes import TensorShape
from minitf.runtime.subgraph import Node, edge_name


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
    for node in nodes:
        here = key(node.device)
        part = parts.setdefault(here, [])
        node.inputs = [
            (source, index)
            if key(source.device) == here
            else (_transfer(source, index, node, here, key, parts, received), 0)
            for source, index in node.inputs
        ]
        node.controls = [
            source
            if key(source.device) == here
            else _transfer(source, None, node, here, key, parts, received)
            for source in node.controls
        ]
        part.append(node)
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
    send = Node(
        f"_send_{suffix}",
        get_op_def("_Send"),
        dict(attrs),
        [] if index is None else [(source, index)],
        [source] if index is None else [],
        source.device,
        op=source.op,
    )
    parts[key(source.device)].append(send)
    if index is None:
        dtype, shape = dtypes.bool, TensorShape(())
    else:
        dtype, shape = source.dtypes[index].base_dtype, source.shapes[index]
    recv = Node(
        f"_recv_{suffix}",
        get_op_def("_Recv"),
        {**attrs, "dtype": dtype},
        [],
        [],
        reader.device,
        [dtype],
        [shape],
        source.op,
    )
    parts[here].append(recv)
    received[source, index, here] = recv
    return recv

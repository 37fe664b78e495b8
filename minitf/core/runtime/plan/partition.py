"""Cuts placed nodes into partitions, and orders the nodes of each.

    W (ps) ─────▶ MatMul (worker)     becomes     W ─▶ _Send   ┊   _Recv ─▶ MatMul

`partition` puts a Send/Recv pair on every edge that is cut. It cuts by task (in the master) and by
device (in each task): only the key differs. A tensor goes to a partition once, however many nodes
read it there. A variable is read on its own device, for each reader anew, after everything that
this reader waits for; the value travels.

`schedule` finds a better order for a partition that talks to others: what others wait for is sent
as soon as it is there, and what this one waits for is received as late as possible and many tensors
at a time, since one message for ten tensors costs hardly more than one for one. A node that meets
others (`OpDef.meets`) waits for them, and they may wait for whatever is sent before the meeting: it
runs after all that stands before it for others.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from minitf.core.graph import dtypes, errors
from minitf.core.graph.op_def import get_op_def
from minitf.core.graph.shapes import TensorShape
from minitf.core.runtime.plan.subgraph import Node, edge_name, reading


def partition(nodes: Iterable[Node], key: Callable[[str], str]) -> dict[str, list[Node]]:
    """Groups nodes by `key(node.device)`.

    Args:
      nodes: placed nodes, each after its dependencies. They are changed: inputs from another
        partition become `_Recv` nodes.
      key: maps a full device name to its partition.
    Returns: the nodes of each partition, in an order in which they can run.
    """
    parts: dict[str, list[Node]] = {}
    received: dict[tuple[Node, int | None, str], Node] = {}
    reads: dict[tuple[Node, int, frozenset[Node]], Node] = {}

    def brought(source: Node, index: int | None, reader: Node) -> Node:
        """Returns the node of the reader's partition with the value of `source`."""
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
    """Returns the `_Recv` of an edge in this partition; index None is a control edge."""
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


# ---- meetings ----------------------------------------------------------------------------
#
# Nodes that wait for each other, such as those of an all-reduce, are placed side by side.
#
#   device 0:  a ─ reduce ─ b           waits for b of device 1?  the order of all devices says no:
#   device 1:  c ─ d ─ reduce           a, c, d, reduce, reduce, b
#
# Each device runs its nodes one after the other. There is no deadlock when all devices follow one
# common order, in which the nodes of one meeting are neighbours and follow all dependencies of any
# of them. Independent meetings are sorted by their keys, so that tasks which share only the
# meetings reach them in the same order.

#: The attribute that lists the nodes of one meeting in this graph: the device of each, and the size
#: of its group, 'device group_size;...'.
DEVICES = "_meeting"


def side_by_side(nodes: list[Node]) -> list[Node]:
    """Orders nodes so that those of one meeting are neighbours.

    Args:
      nodes: placed nodes, each after its dependencies.
    Returns: the same nodes, each after its dependencies; the attribute `DEVICES` of those that
      meet names each other's devices.
    Raises:
      InvalidArgumentError: when nodes that meet also wait for each other in another way.
    """
    meetings: dict[tuple[Any, ...], list[Node]] = {}
    for node in nodes:
        if node.op_def.meets:
            key = tuple(node.attrs[name] for name in node.op_def.meets)
            meetings.setdefault(key, []).append(node)
    if not meetings or any(DEVICES in node.attrs for group in meetings.values() for node in group):
        return nodes  # a part of a graph, in the order of the whole
    together = {node: group for group in meetings.values() for node in group}
    for group in meetings.values():
        sizes = [node.attrs.get("group_size", 0) for node in group]
        devices = ";".join(f"{n.device} {s}" for n, s in zip(group, sizes, strict=True))
        for node in group:
            node.attrs = {**node.attrs, DEVICES: devices}
    first = [group[0] for _, group in sorted(meetings.items())]
    return _ordered([*first, *nodes], together)


def _ordered(roots: Sequence[Node], together: dict[Node, list[Node]]) -> list[Node]:
    """Returns `roots` and their dependencies in order; nodes that meet are neighbours."""
    order: list[Node] = []
    done: set[Node] = set()
    entered: set[Node] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            node, ready = stack.pop()
            group = together.get(node, [node])
            if group[0] in done:
                continue
            if ready:
                order += group
                done.update(group)
                continue
            if group[0] in entered:
                raise errors.InvalidArgumentError.of(
                    f"{', '.join(each.name for each in group)}: they meet, and cannot, since one "
                    "of them waits for what comes after another"
                )
            entered.add(group[0])
            stack.append((node, True))
            for each in reversed(group):
                needs = [*each.controls, *(source for source, _ in reversed(each.inputs))]
                stack += [(need, False) for need in needs if need not in done]
    return order


# ---- the order of one partition --------------------------------------------------------------

_SEND, _COMPUTE, _RECV = 0, 1, 2


def _urgency(node: Node) -> int:
    return {"_Send": _SEND, "_Recv": _RECV}.get(node.type, _COMPUTE)


def schedule(nodes: Sequence[Node]) -> list[list[Node]]:
    """Orders nodes, and groups receives.

    Args:
      nodes: in an order in which they can run, the same in all partitions of a step.
    Returns: groups in running order: one node each, or several `_Recv` of one wait.
    """
    if not any(node.type == "_Recv" for node in nodes):
        return [[node] for node in nodes]
    position = {node: i for i, node in enumerate(nodes)}
    waits: dict[Node, int] = {}
    readers: dict[Node, list[Node]] = {}
    for_others: set[Node] = set()  # sends, and the last meeting
    for node in nodes:
        needs = {source for source, _ in node.inputs} | set(node.controls)
        if node.op_def.meets:
            needs |= for_others
            for_others = {node}
        elif node.type == "_Send":
            for_others.add(node)
        waits[node] = len(needs)
        for source in needs:
            readers.setdefault(source, []).append(node)
    ready = [(_urgency(n), position[n]) for n in nodes if waits[n] == 0]
    heapq.heapify(ready)
    # sends and meetings not yet run, the first ones first
    sends = [position[n] for n in nodes if n.type == "_Send" or n.op_def.meets]
    groups: list[list[Node]] = []
    while ready:
        urgency, place = heapq.heappop(ready)
        group = [nodes[place]]
        if urgency == _SEND or nodes[place].op_def.meets:
            sends.remove(place)
        elif urgency == _RECV:
            # A tensor that comes after one of our sends, or after a meeting, in the common order
            # may depend on it, so that waiting for both together could wait forever.
            limit = sends[0] if sends else len(nodes)
            while ready and ready[0][1] < limit:
                group.append(nodes[heapq.heappop(ready)[1]])
        groups.append(group)
        for node in group:
            for reader in readers.get(node, ()):
                waits[reader] -= 1
                if waits[reader] == 0:
                    heapq.heappush(ready, (_urgency(reader), position[reader]))
    return groups

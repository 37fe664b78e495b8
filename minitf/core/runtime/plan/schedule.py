"""The order in which one partition's nodes run.

The order that comes in is right already; this one is better for a partition that talks to others:
what others wait for is sent as soon as it is there, and what this one waits for is received as late
as possible and many tensors at a time, since one message for ten tensors costs hardly more than one
for one. A node that meets others (`OpDef.meets`) waits for them, and they may wait for whatever is
sent before the meeting: it runs after all that stands before it for others.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from minitf.core.runtime.plan.subgraph import Node

_SEND, _COMPUTE, _RECV = 0, 1, 2


def _urgency(node: Node) -> int:
    return {"_Send": _SEND, "_Recv": _RECV}.get(node.type, _COMPUTE)


def schedule(nodes: Sequence[Node]) -> list[list[Node]]:
    """Orders nodes, and gathers receives.

    Args:
      nodes: in an order that they could run in, the same in all partitions of a step.
    Returns: groups in running order: one node each, or several `_Recv` that are waited for
    together.
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

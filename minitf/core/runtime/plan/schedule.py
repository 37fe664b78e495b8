"""The order in which one partition's nodes run.

The order that comes in is right already; this one is better for a partition that talks to others:
what others wait for is sent as soon as it is there, and what this one waits for is received as late
as possible and many tensors at a time, since one message for ten tensors costs hardly more than one
for one. A node that meets others (`OpDef.meets`) waits for them, and they may wait for whatever is
sent before the meeting: it runs after all that stands before it for others.

    x = dequeue ──> 2 * x          what needs nothing of x runs first, so that a step that cannot
    check_numerics(y)              succeed fails, in place of waiting for an element

What waits for other steps, as a queue's operations do, is late too. Nodes of one variable or one
handle keep their order behind it.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from minitf.core.graph.dtypes import resource
from minitf.core.runtime.plan.subgraph import Node, waits

_SEND, _COMPUTE, _WAIT = 0, 1, 2


def _urgency(node: Node) -> int:
    if node.type == "_Send":
        return _SEND
    return _WAIT if node.type == "_Recv" or waits(node) else _COMPUTE


def _state(node: Node) -> list[tuple[Node, int]]:
    """The variables and handles that a node reads."""
    of_inputs = [(value, value[0].dtypes[value[1]]) for value in node.inputs]
    return [value for value, kind in of_inputs if kind._is_ref_dtype or kind == resource]


def schedule(nodes: Sequence[Node]) -> list[list[Node]]:
    """Orders nodes, and gathers receives.

    Args:
      nodes: in an order that they could run in, the same in all partitions of a step.
    Returns: groups in running order: one node each, or several `_Recv` that are waited for
    together.
    """
    urgency = {node: _urgency(node) for node in nodes}
    if _WAIT not in urgency.values():
        return [[node] for node in nodes]
    position = {node: i for i, node in enumerate(nodes)}
    missing: dict[Node, int] = {}
    readers: dict[Node, list[Node]] = {}
    for_others: set[Node] = set()  # sends, and the last meeting
    late: set[Node] = set()  # what waits for other steps, and what comes after it
    users: dict[tuple[Node, int], Node] = {}  # the last one of these, of a variable or a handle
    for node in nodes:
        needs = {source for source, _ in node.inputs} | set(node.controls)
        state = _state(node)
        needs |= {users[value] for value in state if value in users}
        waiting = urgency[node] == _WAIT and node.type != "_Recv"
        if waiting or not late.isdisjoint(needs):
            late.add(node)
            users.update(dict.fromkeys(state, node))
        if node.op_def.meets:
            needs |= for_others
            for_others = {node}
        elif node.type == "_Send":
            for_others.add(node)
        missing[node] = len(needs)
        for source in needs:
            readers.setdefault(source, []).append(node)
    ready = [(urgency[n], position[n]) for n in nodes if missing[n] == 0]
    heapq.heapify(ready)
    # sends and meetings not yet run, the first ones first
    sends = [position[n] for n in nodes if n.type == "_Send" or n.op_def.meets]
    groups: list[list[Node]] = []
    while ready:
        _, place = heapq.heappop(ready)
        node = nodes[place]
        group = [node]
        if node.type == "_Send" or node.op_def.meets:
            sends.remove(place)
        elif node.type == "_Recv":
            # A tensor that comes after one of our sends, or after a meeting, in the common order
            # may depend on it, so that waiting for both together could wait forever.
            limit = sends[0] if sends else len(nodes)
            places = sorted(p for _, p in ready if p < limit and nodes[p].type == "_Recv")
            group += [nodes[p] for p in places]
            ready = sorted(each for each in ready if nodes[each[1]] not in group)
        groups.append(group)
        for node in group:
            for reader in readers.get(node, ()):
                missing[reader] -= 1
                if missing[reader] == 0:
                    heapq.heappush(ready, (urgency[reader], position[reader]))
    return groups

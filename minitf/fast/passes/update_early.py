"""Updates each variable as soon as its gradient is there.

    dW2 ──> dh ──> dW1 ──> W1 -= dW1 ──> W2 -= dW2         two gradients at once
    dh ──> dW2 ──> W2 -= dW2 ──> dW1 ──> W1 -= dW1         one, still in the cache

An optimizer lists its updates after all gradients, so that every gradient of a network lives at the
same time. Here each update moves forward to where its last input is made, behind the last reader of
the variable's old value: then it can write over it, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from minitf.core.runtime.plan.subgraph import Node


def update_early(nodes: Sequence[Node]) -> list[Node]:
    """Updates each variable as soon as its gradient is there."""
    if any(node.type == "_Recv" for node in nodes):
        return list(nodes)  # the scheduler has reasons of its own
    # Behind which node, and which in line; variables and constants are there from the start.
    place = {
        node: (-1, i) if node.type in ("VariableV2", "Const") else (i, -1)
        for i, node in enumerate(nodes)
    }
    touching: dict[Node, list[Node]] = {}  # by variable: who has read its memory, or changed it
    shares: dict[Node, set[Node]] = {}  # by node: the variables whose memory its outputs may be
    for index, node in enumerate(nodes):
        variables = {node} if node.type == "VariableV2" else set()
        for source, _ in node.inputs:
            variables |= shares.get(source, set())
        if node.type.startswith("Apply") and node.op_def.ref_inputs:
            before = {*(source for source, _ in node.inputs), *node.controls}
            changed = (node.inputs[i][0] for i in node.op_def.ref_inputs)
            before.update(*(touching[v] for each in changed for v in shares[each]))
            place[node] = (max(place[each][0] for each in before), index)
        elif node.type == "Identity" and not variables and not node.controls:
            place[node] = (place[node.inputs[0][0]][0], index)  # gradients come through such
        for variable in variables:
            touching.setdefault(variable, []).append(node)
        shares[node] = variables if _may_share(node) else set()
    return sorted(nodes, key=place.__getitem__)


def _may_share(node: Node) -> bool:
    """Whether an output may be memory of an input, as that of a read or a view is."""
    return node.op_def.alias or any(dtype._is_ref_dtype for dtype in node.dtypes)

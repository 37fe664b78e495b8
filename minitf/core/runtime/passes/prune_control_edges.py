"""Takes out waits that change nothing."""

from __future__ import annotations

from collections.abc import Sequence

from minitf.core.runtime.passes.rewriting import touches_variable
from minitf.core.runtime.plan.subgraph import Node


def prune_control_edges(nodes: Sequence[Node]) -> list[Node]:
    """Takes out waits that change nothing.

    A `NoOp` or a constant computes nothing: who waits for it waits for what it waits for. And where
    nothing comes from another device, the nodes run in the order they stand in: then only what has
    effects needs to wait. What waits for nothing can be folded, merged and fused. A wait for a
    branch or a loop stays: it asks for all effects there, not only those behind what is read.
    """
    alone = not any(node.type == "_Recv" for node in nodes)
    behind: dict[Node, list[Node]] = {}  # of what does nothing: what a wait for it comes to
    for node in nodes:
        waits = [w for before in node.controls for w in behind.get(before, (before,))]
        if node.type in ("NoOp", "Const"):
            behind[node] = waits
        if alone and not node.op_def.stateful and node.dtypes and not touches_variable(node):
            waits = [w for w in waits if w.type in ("If", "While", "Scan")]
        node.controls = list(dict.fromkeys(waits))
    return [node for node in nodes if node.type != "NoOp"]

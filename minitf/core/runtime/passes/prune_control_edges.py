"""Takes out waits that change nothing."""

from __future__ import annotations

from collections.abc import Sequence

from minitf.core.runtime.passes.rewriting import touches_variable
from minitf.core.runtime.plan.subgraph import Node, waits


def prune_control_edges(nodes: Sequence[Node]) -> list[Node]:
    """Takes out waits that change nothing.

    A `NoOp` or a constant computes nothing: who waits for it waits for what it waits for. And where
    nothing comes from another device, the nodes run in the order they stand in: then only what has
    effects needs to wait, but for what waits for other steps, which runs late. What waits for
    nothing can be folded, merged and fused.
    """
    alone = not any(node.type == "_Recv" for node in nodes)
    behind: dict[Node, list[Node]] = {}  # of what does nothing: what a wait for it comes to
    late = {node for node in nodes if waits(node)}  # and, further down, what comes after these
    for node in nodes:
        free = alone and not node.op_def.stateful and node.dtypes and not touches_variable(node)
        if free and not late:
            node.controls = []
            continue
        controls = [w for each in node.controls for w in behind.get(each, (each,))]
        if late and not late.isdisjoint([*(source for source, _ in node.inputs), *controls]):
            late.add(node)
        if free:
            controls = [each for each in controls if each in late]
        node.controls = list(dict.fromkeys(controls))
        if node.type in ("NoOp", "Const"):
            behind[node] = node.controls
    return [node for node in nodes if node.type != "NoOp"]

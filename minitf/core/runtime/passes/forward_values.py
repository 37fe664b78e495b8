"""Leaves out what only hands a value on, so that readers are seen to read from who made it."""

from __future__ import annotations

from collections.abc import Sequence

from minitf.core.runtime.passes.rewriting import Value, replace
from minitf.core.runtime.plan.subgraph import Node


def forward_values(nodes: Sequence[Node]) -> list[Node]:
    """Leaves out what only hands a value on.

    Left alone: what reads a variable, which is a read at that time, and what waits for something.
    """
    new: dict[Value, Value] = {}
    for node in nodes:
        if node.op_def.forwards and not node.controls:
            source, index = node.inputs[0]
            if not source.dtypes[index]._is_ref_dtype:
                new[node, 0] = new.get((source, index), (source, index))
    return replace(nodes, new, {})

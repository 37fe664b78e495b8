"""Computes once and for all what depends on constants alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.runtime.passes.rewriting import constant_node
from minitf.core.runtime.plan.subgraph import Node

LARGEST = 65_536  # elements; what is larger is made anew in each run rather than kept


def fold_constants(nodes: Sequence[Node]) -> list[Node]:
    """Computes once and for all what depends on constants alone.

    Left alone: what has effects or state, what waits for something, what is large, and what a
    kernel refuses (so that its error comes when the step runs, with its place).
    """
    replaced: dict[Node, Node] = {}
    kept: list[Node] = []
    for node in nodes:
        node.inputs = [(replaced.get(source, source), index) for source, index in node.inputs]
        node.controls = [replaced.get(c, c) for c in node.controls]
        folded = _fold(node)
        if folded is not None:
            replaced[node] = folded
        kept.append(folded or node)
    read = {source for node in kept for source, _ in node.inputs}
    waited = {source for node in kept for source in node.controls}
    return [n for n in kept if n.type != "Const" or n in read or n in waited]


def _fold(node: Node) -> Node | None:
    op_def = node.op_def
    if op_def.stateful or node.type == "Const" or node.controls or len(node.dtypes) != 1:
        return None
    # A constant that waits for something hands its readers that wait on.
    if not node.inputs or any(s.type != "Const" or s.controls for s, _ in node.inputs):
        return None
    size = node.shapes[0].num_elements()
    if op_def.outputs[0].is_list or size is None or size > LARGEST:
        return None
    if node.dtypes[0] in (dtypes.variant, dtypes.bfloat16):  # lists of each run; what is rounded
        return None
    values = [source.attrs["value"] for source, _ in node.inputs]
    values = [v[()] if v.ndim == 0 else v for v in values]
    attrs = {name: node.attrs[name] for name in op_def.attr_names}
    try:
        with np.errstate(all="ignore"):
            value = np.array(op_def.kernel(np, *op_def.group(values), **attrs))
    except Exception:  # the same error comes from the step, which can say where
        return None
    if value.dtype != node.dtypes[0].numpy_dtype:
        return None
    return constant_node(node, value)

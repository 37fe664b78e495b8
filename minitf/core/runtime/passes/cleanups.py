"""The textbook passes: each removes nodes, or computes them before the run.

prune_control_edges      removes waits that change nothing
forward_values           removes nodes that return their input
fold_constants           computes nodes that depend on constants alone
common_subexpressions    merges nodes that compute the same
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.runtime.passes.rewriting import Value, constant_node, replace, touches_variable
from minitf.core.runtime.plan.subgraph import Node


def prune_control_edges(nodes: Sequence[Node]) -> list[Node]:
    """Takes out waits that change nothing.

    A `NoOp` or a constant computes nothing: its readers wait for its own dependencies instead. In a
    partition without receives the nodes run in the order of the list, so that only nodes with
    effects need to wait; the others can then be folded, merged and fused. A wait for a branch or a
    loop stays: it asks for all effects there, not only for those that are read.
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


def forward_values(nodes: Sequence[Node]) -> list[Node]:
    """Leaves out what only hands a value on.

    Reads of variables stay, since the time of the read matters, and so do nodes that wait.
    """
    new: dict[Value, Value] = {}
    for node in nodes:
        if node.op_def.forwards and not node.controls:
            source, index = node.inputs[0]
            if not source.dtypes[index]._is_ref_dtype:
                new[node, 0] = new.get((source, index), (source, index))
    return replace(nodes, new, {})


LARGEST = 65_536  # elements; what is larger is made anew in each run rather than kept


def fold_constants(nodes: Sequence[Node]) -> list[Node]:
    """Computes once and for all what depends on constants alone.

    Nodes with effects or state, nodes that wait and large results stay. A node whose kernel fails
    stays, too: its error is raised when the step runs, with its place.
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


def common_subexpressions(nodes: Sequence[Node]) -> list[Node]:
    """Computes once what several operations compute alike.

    They are alike when type, inputs and attributes are the same. Nodes with effects or state, reads
    of variables (the value may change between two reads), feeds, fetches and sends stay. Gradients
    repeat computations of the forward pass.
    """
    replaced: dict[Node, Node] = {}
    seen: dict[Hashable, Node] = {}
    kept: list[Node] = []
    for node in nodes:
        node.inputs = [(replaced.get(source, source), index) for source, index in node.inputs]
        node.controls = list(dict.fromkeys(replaced.get(c, c) for c in node.controls))
        key = _identity(node)
        twin = node if key is None else seen.setdefault(key, node)
        if twin is node:
            kept.append(node)
        else:
            replaced[node] = twin
    return kept


def _identity(node: Node) -> Hashable | None:
    """Returns a key that is equal for equal nodes; None for a node that must not be merged."""
    if node.op_def.stateful or node.type.startswith("_") or node.type == "VariableV2":
        return None
    if dtypes.variant in node.dtypes:  # a list: each is written to on its own
        return None
    if any(source.dtypes[index]._is_ref_dtype for source, index in node.inputs):
        return None
    attrs = tuple((name, _frozen(node.attrs[name])) for name in node.op_def.attr_names)
    key = (node.type, tuple(node.inputs), frozenset(node.controls), attrs, tuple(node.dtypes))
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _frozen(value: Any) -> Any:
    """Returns an attribute as part of a key: an array by its bytes, a large one by its id."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "O" or value.size > LARGEST:
            return id(value)
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    return type(value), value

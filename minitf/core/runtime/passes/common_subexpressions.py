"""Common subexpression elimination: computes once what several operations compute alike."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.runtime.passes.fold_constants import LARGEST
from minitf.core.runtime.plan.subgraph import Node


def common_subexpressions(nodes: Sequence[Node]) -> list[Node]:
    """Computes once what several operations compute alike.

    They are alike when type, inputs and attributes are the same. Left alone: what has effects or
    state, what reads a variable (its value may change between two reads), and what is fetched, fed
    or sent. Gradients repeat what the forward pass computed, and programs repeat themselves.
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
    """A key that is equal for twins; None for a node that must not be merged."""
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
    """An attribute as part of a key: an array by its bytes, or by identity when it is large."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "O" or value.size > LARGEST:
            return id(value)
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    return type(value), value

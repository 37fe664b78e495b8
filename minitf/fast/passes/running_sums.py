"""Adds the terms of a large sum as they come, so that none of them waits in memory for the others.

    p1 = x1.T @ g1              p1 = x1.T @ g1
    p2 = x2.T @ g2              p2 = x2.T @ g2
    p3 = x3.T @ g3              sum = add(p1, p2, out=p1)
    total = AddN(p1, p2, p3)    p3 = x3.T @ g3
                                total = add(sum, p3, out=sum)

The gradient of a variable that is used in every time step is such a sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.runtime.passes.rewriting import Value, new_node, replace, touches_variable
from minitf.core.runtime.plan.subgraph import Node

_LARGE = 4096  # elements; below, one call for all terms is cheaper than one for each


@op(
    "_AddTerm",
    "total: T, term: T -> sum: T",
    T=dtypes.NUMBERS,
    elementwise=True,
    ufunc="add",
    no_samples="Only plans have it; tests/fast/passes/test_running_sums.py runs it.",
    differentiable=False,
)
def _add_term_op(xp: Any, total: Any, term: Any) -> Any:
    """A sum with one more term."""
    return total + term


_add_term_op.shape(unchanged_shape)


def running_sums(nodes: Sequence[Node]) -> list[Node]:
    """Adds the terms of a large sum as they come."""
    position = {node: place for place, node in enumerate(nodes)}
    behind: dict[Node, list[Node]] = {}  # what is to stand behind a node
    new: dict[Value, Value] = {}
    for node in nodes:
        if node.type != "AddN" or len(node.inputs) < 3 or not _is_large(node):
            continue
        if node.controls or touches_variable(node):
            continue
        total, *terms = sorted(node.inputs, key=lambda value: position[value[0]])
        for count, term in enumerate(terms, start=2):
            both = new_node("_AddTerm", node, [total, term], {})
            if count < len(node.inputs):
                both.name = f"{node.name}/first_{count}"
            behind.setdefault(term[0], []).append(both)
            total = both, 0
        new[node, 0] = total
    order = [each for node in nodes for each in (node, *behind.get(node, ()))]
    return replace(order, new, {})


def _is_large(node: Node) -> bool:
    """Whether a sum has many elements, and surely no term of another shape."""
    shape = node.shapes[0]
    return (shape.num_elements() or 0) >= _LARGE and all(
        source.shapes[index] == shape for source, index in node.inputs
    )

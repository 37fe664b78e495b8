"""Takes the gradient of a matrix off the variable while it is computed.

    gradient = x.T @ dy
    W -= rate * gradient        ──>        W -= rate * x.T @ dy

BLAS adds a product to what is there as fast as it writes one. The gradient, as large as the
variable, is then never made: that saves the memory and three passes over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op
from minitf.core.graph.state import VariableState
from minitf.core.kernels.dense import subtract_product
from minitf.core.ops.elementwise import invalid, shown
from minitf.core.runtime.passes.rewriting import Readers, new_node, replace, touches_variable
from minitf.core.runtime.plan.subgraph import Node


@op(
    "_SubtractProduct",
    "var: T&, alpha: T, a: T, b: T -> out: T&",
    T=dtypes.FLOATS,
    no_samples="Only plans have it; tests/fast/passes/test_update_into_product.py runs it.",
    differentiable=False,
)
def _update_op(
    ctx: Any,
    var: VariableState,
    alpha: Any,
    a: Any,
    b: Any,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> VariableState:
    """var -= alpha * a @ b."""
    a, b = a.T if transpose_a else a, b.T if transpose_b else b
    with var.lock:
        target = var.value
        if a.shape[1] != b.shape[0]:
            raise invalid(f"Matrix size-incompatible: In[0]: {shown(a)}, In[1]: {shown(b)}")
        if target.shape != (a.shape[0], b.shape[1]):
            change = ctx.xp.broadcast_to(alpha, (a.shape[0], b.shape[1]))
            raise invalid(
                f"var and delta do not have the same shape{shown(target)} {shown(change)}"
            )
        if not ctx.may_overwrite(var):
            target = ctx.xp.array(target)
        subtract_product(ctx.xp, target, a, b, alpha)
        var.value = target
    return var


def update_into_product(nodes: Sequence[Node]) -> list[Node]:
    """Takes the gradient of a matrix off the variable while it is computed."""
    readers = Readers(nodes)
    instead: dict[Node, Node] = {}
    for node in nodes:
        if node.type != "ApplyGradientDescent":
            continue
        gradient = node.inputs[2]
        product = gradient[0]
        # Later, a node that reads a variable would see another value.
        if product.type == "MatMul" and readers.only(gradient) and not touches_variable(product):
            attrs = {name: product.attrs[name] for name in ("transpose_a", "transpose_b")}
            inputs = [*node.inputs[:2], *product.inputs]
            instead[node] = new = new_node("_SubtractProduct", node, inputs, attrs)
            new.controls = list(dict.fromkeys([*new.controls, *product.controls]))
    return replace(nodes, {(old, 0): (new, 0) for old, new in instead.items()}, instead)

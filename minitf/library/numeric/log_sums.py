"""Sums in logarithms, where they neither overflow nor vanish: log_sigmoid and running sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softplus
from minitf.core.ops.array import static_int
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.comparisons import greater, where_v2
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.math import exp, log, negative, subtract


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(1 / (1 + exp(-x))), elementwise, without overflow."""
    with name_scope(name, "LogSigmoid", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return negative(softplus(negative(x)), name=scope)


@op(
    "CumulativeLogsumexp",
    "x: T -> out: T",
    batch="axis",
    host_only=True,
    T=dtypes.FLOATS,
    samples=[
        lambda rng: (rng.normal(size=(4,)), {}),
        lambda rng: (rng.normal(size=(2, 3)), {"axis": 1, "reverse": True}),
    ],
)
def cumulative_logsumexp_op(
    xp: Any, x: Any, *, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> Any:
    """Computes log(sum(exp(x))) of all elements up to each along an axis, without overflow."""
    if not -x.ndim <= axis < x.ndim:
        raise invalid(f"axis must be in the range [{-x.ndim}, {x.ndim}), but is {axis}")
    y = xp.flip(x, axis) if reverse else x
    y = np.logaddexp.accumulate(y, axis) if y.size else y
    if exclusive and y.shape[axis]:
        first = xp.full_like(xp.take(y, [0], axis), np.finfo(x.dtype).min)
        y = xp.concatenate([first, xp.take(y, range(y.shape[axis] - 1), axis)], axis)
    return xp.array(xp.flip(y, axis) if reverse else y)


cumulative_logsumexp_op.shape(unchanged_shape)


@cumulative_logsumexp_op.gradient
def _cumulative_grad(op: Any, dy: Tensor) -> list:
    """dx_i = exp(x_i) sum of dy_j / exp(out_j): in logarithms, positive and negative dy apart."""
    x, out = op.inputs[0], op.outputs[0]
    attrs = {n: op.attrs[n] for n in ("axis", "exclusive", "reverse")}
    attrs["reverse"] = not attrs["reverse"]
    lowest = zeros_like(dy) + dy.dtype.base_dtype.min

    def part(signed: Tensor) -> Tensor:
        some = greater(signed, zeros_like(signed))
        logs = where_v2(some, log(where_v2(some, signed, zeros_like(signed) + 1)), lowest)
        return exp(cumulative_logsumexp_op(subtract(logs, out), **attrs) + x)

    return [part(dy) - part(negative(dy))]


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """log(sum(exp(x))) of all elements up to each one; the arguments are those of `cumsum`."""
    with name_scope(name, "CumulativeLogsumexp", [x]) as scope:
        x, place = convert_to_tensor(x, name="x"), static_int(axis, "axis")
        return cumulative_logsumexp_op(
            x, axis=place, exclusive=exclusive, reverse=reverse, name=scope
        )

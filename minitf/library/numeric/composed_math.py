"""Functions made of others, and running sums in logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_n_to_tensor, convert_to_tensor
from minitf.core.graph.op_def import call, op
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softplus
from minitf.core.ops.array import identity, static_int
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, not_equal, where_v2
from minitf.core.ops.elementwise import binary, invalid
from minitf.core.ops.math import exp, log, negative, sqrt, subtract
from minitf.core.ops.reductions import reduce_mean, reduce_sum


def polyval(coeffs: Sequence[Any], x: Any, name: str | None = None) -> Tensor:
    """The value of a polynomial at `x`; coefficients from the highest degree down."""
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type found {type(coeffs)}.")
    with name_scope(name, "polyval", [*coeffs, x]):
        x = convert_to_tensor(x, name="x")
        if not coeffs:
            return zeros_like(x)
        parts = convert_n_to_tensor(coeffs, x.dtype.base_dtype, "coeffs")
        total = parts[0]
        for part in parts[1:]:
            total = part + total * x
        return total


def _no_nan(xp: Any, x: Any, y: Any) -> Any:
    return xp.where(y == 0, x.dtype.type(0), x * xp.where(y == 0, y.dtype.type(1), y))[()]


multiply_no_nan = binary(
    "MulNoNan", _no_nan, "Computes x y, and 0 where y is 0 even if x is infinite, elementwise.",
    dtypes.FLOATS,
    lambda x, y, z, dz: (multiply_no_nan(dz, y), multiply_no_nan(x, dz)),
    domain=((0.5, 2.0), (0.5, 2.0)), public="multiply_no_nan",
)  # fmt: skip


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(1 / (1 + exp(-x))), elementwise, without overflow."""
    with name_scope(name, "LogSigmoid", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return negative(softplus(negative(x)), name=scope)


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The part of the elements of `value` that are zero, as float32."""
    with name_scope(name, "zero_fraction", [value]):
        value = convert_to_tensor(value, name="value")
        zeros = cast(equal(value, zeros_like(value)), dtypes.float32)
        return identity(reduce_mean(zeros), name="fraction")


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The root of the sum of squares over axes; the arguments are those of `reduce_sum`."""
    with name_scope(name, "EuclideanNorm", [input_tensor]):
        x = convert_to_tensor(input_tensor)
        total = reduce_sum(x * x, axis, keepdims)
        some = not_equal(total, zeros_like(total))  # the root of 0 has no gradient
        safe = where_v2(some, total, zeros_like(total) + 1)
        return where_v2(some, sqrt(safe), zeros_like(total))


# ---- CumulativeLogsumexp -----------------------------------------------------------------


@op(
    "CumulativeLogsumexp",
    "x: T -> out: T",
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


cumulative_logsumexp_op.shape(lambda x, **attrs: x.shape)


@cumulative_logsumexp_op.gradient
def _cumulative_grad(op: Any, dy: Tensor) -> list:
    """dx_i = exp(x_i) sum of dy_j / exp(out_j): in logarithms, positive and negative dy apart."""
    x, out = op.inputs[0], op.outputs[0]
    attrs = {n: op.get_attr(n) for n in ("axis", "exclusive", "reverse")}
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


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0, elementwise."""
    with name_scope(name, "reciprocal_no_nan", [x]):
        x = convert_to_tensor(x, name="x")
        one = convert_to_tensor(1, x.dtype.base_dtype, name="one")
        return call("DivNoNan", one, x)

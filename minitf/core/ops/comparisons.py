"""Comparisons, Boolean logic, and the choice between two tensors that they lead to."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import (
    TensorShape,
    broadcast_shapes,
    check_same_dimensions,
    unknown_shape,
)
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels.rows import choose_rows
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.batching import stack_all
from minitf.core.ops.elementwise import binary, invalid, shown, snake_case, unary, unbroadcast
from minitf.core.ops.string_values import with_shape

# ---- comparisons -------------------------------------------------------------------------------


def _comparison(op_type: str, sign: str) -> Callable[..., Tensor]:
    doc = f"Tells where x {sign} y."
    ufunc = snake_case(op_type)
    return binary(op_type, f"{{0}} {sign} {{1}}", doc, dtypes.REALS, result="bool", ufunc=ufunc)


less = _comparison("Less", "<")
less_equal = _comparison("LessEqual", "<=")
greater = _comparison("Greater", ">")
greater_equal = _comparison("GreaterEqual", ">=")


def _equality(op_type: str, sign: str, compare: Callable[[Any, Any], Any]) -> Callable[..., Tensor]:
    def kernel(xp: Any, x: Any, y: Any) -> Any:
        found = compare(x, y)
        return found if hasattr(found, "dtype") else xp.bool_(found)  # two strings give a bool

    return binary(
        op_type,
        kernel,
        f"Tells where x {sign} y; also of strings.",
        dtypes.ALL,
        result="bool",
        arithmetic=f"{{0}} {sign} {{1}}",
    )


equal = _equality("Equal", "==", operator.eq)
not_equal = _equality("NotEqual", "!=", operator.ne)

# ---- Boolean logic -----------------------------------------------------------------------------


def _truths(*shapes: tuple[int, ...]) -> Any:
    return lambda rng: (*[rng.random(shape) < 0.5 for shape in shapes], {})


def _logical(declare: Any, op_type: str, operands: str, doc: str, *shapes: tuple) -> Any:
    """Declares an op of truth values, to be tested with operands of these shapes, and scalars."""
    samples = [_truths(*shapes), _truths(*[()] * len(shapes))]
    formula = f"xp.{snake_case(op_type)}{operands}"
    return declare(op_type, formula, doc, [dtypes.bool], result="bool", samples=samples)


logical_and = _logical(
    binary, "LogicalAnd", "({0}, {1})", "Tells where both x and y are true.", (2, 3), (3,)
)
logical_or = _logical(
    binary, "LogicalOr", "({0}, {1})", "Tells where x or y is true, or both are.", (2, 3), (3,)
)
logical_not = _logical(unary, "LogicalNot", "({0})", "Tells where x is false.", (2, 3))


def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Tensor:
    """Tells where just one of x and y is true: (x or y) and not (x and y)."""
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name=name)


# ---- Select ------------------------------------------------------------------------------------


def _where(rng: Any, *shapes: tuple) -> tuple:
    condition, t, e = shapes
    return rng.random(condition) < 0.5, rng.normal(size=t), rng.normal(size=e), {}


@op(
    "Select",
    "condition: bool, t: T, e: T -> output: T",
    arithmetic="where({0}, {1}, {2})",
    samples=[
        lambda rng: _where(rng, (2, 3), (2, 3), (2, 3)),
        lambda rng: _where(rng, (2,), (2, 3), (2, 3)),
        lambda rng: _where(rng, (), (2, 3), (2, 3)),
        lambda rng: _where(rng, (), (), ()),
    ],
)
def select_op(xp: Any, condition: Any, t: Any, e: Any) -> Any:
    """Takes `t` where `condition` is true and `e` elsewhere; a vector chooses rows."""
    same = "Inputs to operation of type Select must have the same size and shape.  "
    t, e = with_shape(t), with_shape(e)
    if t.shape != e.shape:
        raise invalid(
            f"'then' and 'else' must have the same size.  but received: {shown(t)} vs. {shown(e)}"
        )
    if condition.ndim == 0:
        return xp.where(condition, t, e)[()]
    if condition.shape != t.shape:
        if condition.ndim != 1:
            raise invalid(f"{same}Input 0: {shown(condition)} != input 1: {shown(t)}")
        if condition.shape != t.shape[:1]:
            raise invalid(
                "Number of batches of 'then' must match size of 'cond', but saw: "
                f"{t.shape[0] if t.ndim else 0} vs. {condition.shape[0]}"
            )
        return choose_rows(xp, condition, t, e)
    return xp.where(condition, t, e)


@select_op.shape
def _select_shape(condition: Any, t: Any, e: Any) -> TensorShape:
    check_same_dimensions(t.shape, e.shape)
    result, chosen = t.shape.merge_with(e.shape), condition.shape
    if chosen.ndims is None or result.ndims is None or chosen.ndims == 0:
        return result
    if chosen.ndims == 1 and result.ndims > 1:
        check_same_dimensions(chosen, result[:1])
        return result
    check_same_dimensions(result, chosen)
    return result.merge_with(chosen)


@select_op.gradient
def _select_grad(op: Any, dy: Tensor) -> list:
    condition, zeros = op.inputs[0], zeros_like(op.inputs[1])
    return [None, select_op(condition, dy, zeros), select_op(condition, zeros, dy)]


@select_op.batch
def _select_batch(op: Any, inputs: list, stacked: list) -> Any:
    condition, t, e = stack_all(op, inputs, stacked)
    if op.inputs[0].shape.ndims != 1:
        return select_op(condition, t, e)
    for _ in range((t.shape.ndims or 2) - 2):  # one condition a row
        condition = call("ExpandDims", condition, axis=-1)
    return select_v2_op(condition, t, e)


@op(
    "SelectV2",
    "condition: bool, t: T, e: T -> output: T",
    broadcasts=True,
    batch="broadcast",
    arithmetic="where({0}, {1}, {2})",
    samples=[
        lambda rng: _where(rng, (2, 3), (2, 3), (2, 3)),
        lambda rng: _where(rng, (2, 1), (3,), ()),
        lambda rng: _where(rng, (), (), (2,)),
    ],
)
def select_v2_op(xp: Any, condition: Any, t: Any, e: Any) -> Any:
    """Takes `t` where `condition` is true and `e` elsewhere; all three broadcast."""
    return xp.where(condition, with_shape(t), with_shape(e))[()]


@select_v2_op.shape
def _select_v2_shape(condition: Any, t: Any, e: Any) -> TensorShape:
    return broadcast_shapes(condition.shape, broadcast_shapes(t.shape, e.shape))


@select_v2_op.gradient
def _select_v2_grad(op: Any, dy: Tensor) -> list:
    condition, t, e = op.inputs
    zeros = zeros_like(dy)
    return [
        None,
        unbroadcast(select_v2_op(condition, dy, zeros), t),
        unbroadcast(select_v2_op(condition, zeros, dy), e),
    ]


# ---- Where -------------------------------------------------------------------------------------


@op(
    "Where",
    "input: T -> index: int64",
    sized_by_values=True,
    samples=[
        lambda rng: (rng.random((2, 3)) < 0.5, {}),
        lambda rng: (rng.integers(0, 2, (4,)), {}),
    ],
)
def where_op(xp: Any, x: Any) -> Any:
    """Lists the coordinates of the elements that are true (or not zero), one row an element."""
    if not np.ndim(x):
        raise invalid("WhereOp : Unhandled input dimensions: 0")
    return xp.stack(xp.nonzero(x), axis=1).astype("int64", copy=False)


@where_op.shape
def _where_shape(x: Any) -> TensorShape:
    return unknown_shape(2) if x.shape.ndims is None else TensorShape([None, x.shape.ndims])


def where(
    condition: TensorLike, x: TensorLike = None, y: TensorLike = None, name: str | None = None
) -> Tensor:
    """Chooses between `x` and `y`; with neither of them, lists where `condition` is true.

    Args:
      condition: a Boolean tensor, of the shape of `x`, a scalar, or a vector that chooses rows.
      x: what to take where it is true.
      y: what to take where it is not, of the shape and dtype of `x`.
      name: the operation's name.
    Returns: a tensor like `x`; or, without `x` and `y`, coordinates: int64 [count, rank].
    Raises:
      ValueError: when just one of `x` and `y` is given, or the shapes do not fit.
    Example:
      >>> sess.run(tf.where([True, False], [1, 2], [10, 20]))
      array([ 1, 20], dtype=int32)
    """
    if x is None and y is None:
        with name_scope(name, "Where") as scope:
            condition = convert_to_tensor(condition, preferred_dtype=dtypes.bool, name="condition")
            return where_op(condition, name=scope)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return select_op(condition, x, y, name=name)


def where_v2(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """As `where`, with `condition`, `x` and `y` broadcast to one shape."""
    if x is None or y is None:
        return where(condition, x, y, name)
    return select_v2_op(condition, x, y, name=name)

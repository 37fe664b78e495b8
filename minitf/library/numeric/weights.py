"""Weights of losses and metrics: whether they fit the values that they weigh.

Weights fit when they are a scalar, or have the rank of the values and on each axis the same size or
1. This is stricter than broadcasting: a vector never weighs the columns of a matrix by accident.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.stacks import control_dependencies, name_scope
from minitf.core.graph.tensor import Operation, Tensor
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.control import no_op
from minitf.core.ops.elementwise import invalid, shown
from minitf.core.ops.math import multiply

_MISFIT = "weights can not be broadcast to values."


def _plain(sizes: list[int | None]) -> str:
    return "[" + " ".join("?" if size is None else str(size) for size in sizes) + "]"


def _fits(weights: Any, values: Any) -> bool:
    """Compares two lists of sizes; an unknown size fits."""
    if not weights:
        return True
    return len(weights) == len(values) and all(
        w in (1, v) or None in (w, v) for w, v in zip(weights, values, strict=True)
    )


@op(
    "AssertBroadcastable",
    "weights: T, values: S ->",
    stateful=True,
    program=lambda folder: [(assert_broadcastable_op(np.ones((2, 1)), np.ones((2, 3))), None)],
)
def assert_broadcastable_op(xp: Any, weights: Any, values: Any) -> None:
    """Fails unless `weights` fit `values`."""
    if not _fits(xp.shape(weights), xp.shape(values)):
        raise invalid(
            f"{_MISFIT} values.shape={shown(xp.asarray(values))} "
            f"weights.shape={shown(xp.asarray(weights))}"
        )


def assert_broadcastable(weights: Any, values: Any) -> Operation:
    """An operation that fails unless `weights` fit `values`; nothing to do when shapes are known.

    Args:
      weights: a scalar, or of the rank of `values`, with on each axis the same size or 1.
      values: what they are to weigh.
    Raises:
      ValueError: when it is known now that they do not fit.
    """
    with name_scope(None, "assert_broadcastable", [weights, values]):
        weights = convert_to_tensor(weights, name="weights")
        values = convert_to_tensor(values, name="values")
        if weights.shape.ndims == 0:
            return no_op(name="static_scalar_check_success")
        if weights.shape.ndims is None or values.shape.ndims is None:
            return assert_broadcastable_op(weights, values, name="is_valid_shape")
        w, v = weights.shape.as_list(), values.shape.as_list()
        if len(w) != len(v):
            raise ValueError(
                f"{_MISFIT} values.rank={len(v)}. weights.rank={len(w)}. "
                f"values.shape={values.shape}. weights.shape={weights.shape}."
            )
        for axis, (one, other) in enumerate(zip(w, v, strict=True)):
            if not _fits([one], [other]):
                raise ValueError(
                    f"{_MISFIT} Mismatch at dim {axis}. values.shape={_plain(v)} "
                    f"weights.shape={_plain(w)}."
                )
        if None not in w and None not in v:
            return no_op(name="static_dims_check_success")
        return assert_broadcastable_op(weights, values, name="is_valid_shape")


def broadcast_weights(weights: Any, values: Any) -> Tensor:
    """`weights`, in the shape of `values`.

    Raises:
      ValueError: when it is known now that they do not fit.
      InvalidArgumentError: when it runs and they do not fit.
    """
    with name_scope(None, "broadcast_weights", [weights, values]) as scope:
        values = convert_to_tensor(values, name="values")
        weights = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name="weights")
        if weights.shape.is_fully_defined() and weights.shape.is_compatible_with(values.shape):
            if values.shape.is_fully_defined():
                return weights
        with control_dependencies([assert_broadcastable(weights, values)]):
            return multiply(weights, ones_like(values), name=scope)

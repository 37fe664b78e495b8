"""Regularizers: functions from a variable to a loss that keeps it small."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

from minitf.core.graph import logging, stacks
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.losses import l2_loss
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import add_n, multiply
from minitf.core.ops.reductions import reduce_sum

Regularizer = Callable[[Any], Tensor | None]


def _checked(scale: Any, name: str = "scale") -> None:
    if isinstance(scale, Integral):
        raise ValueError(f"{name} cannot be an integer: {scale}")
    if isinstance(scale, Real) and scale < 0.0:
        raise ValueError(f"Setting a {name} less than 0 on a regularizer: {scale:g}.")


def _scaled(scale: Any, norm: Callable[[Any], Tensor], name: str, scope: str | None) -> Regularizer:
    _checked(scale)
    if isinstance(scale, Real) and scale == 0.0:
        logging.info("Scale of 0 disables regularizer.")
        return lambda _: None

    def regularizer(weights: Any) -> Tensor:
        with name_scope(scope, name, [weights]) as full_name:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return multiply(factor, norm(weights), name=full_name)

    return regularizer


def l1_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """Makes a regularizer: scale * sum |w|, which brings weights to 0.

    Args:
      scale: a float; 0 adds nothing.
      scope: the name of the scope.
    Raises:
      ValueError: when `scale` is negative or an integer.
    """
    return _scaled(scale, lambda w: reduce_sum(absolute(w)), "l1_regularizer", scope)


def l2_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """Makes a regularizer: scale * sum w**2 / 2, which keeps weights small.

    Args:
      scale: a float; 0 adds nothing.
      scope: the name of the scope.
    Raises:
      ValueError: when `scale` is negative or an integer.
    Example:
      >>> W = tf.get_variable("W", [3], regularizer=tf.contrib.layers.l2_regularizer(0.01))
    """
    return _scaled(scale, l2_loss, "l2_regularizer", scope)


def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> Tensor:
    """The sum of a regularizer's losses of several variables.

    Args:
      regularizer: the regularizer.
      weights_list: the variables; by default those in `GraphKeys.WEIGHTS`.

    Returns: a scalar, which is also listed in `GraphKeys.REGULARIZATION_LOSSES`.
    Raises:
      ValueError: when there are no variables, or a loss is no scalar.
    """
    weights_list = weights_list or stacks.get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("No weights to regularize.")
    with name_scope("get_regularization_penalty", values=weights_list) as scope:
        losses = [regularizer(weights) for weights in weights_list]
        tensors = [constant(0.0) if loss is None else loss for loss in losses]
        for loss in tensors:
            if loss.shape.ndims != 0:
                raise ValueError(
                    "regularizer must return a scalar Tensor instead of a Tensor with rank "
                    f"{loss.shape.ndims}."
                )
        total = add_n(tensors, name=scope)
        stacks.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
        return total

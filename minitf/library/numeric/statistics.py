"""Means and variances in steps or with weights, norms, and the share of zeros."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import math
from minitf.core.ops.array import identity, one_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_shaping import squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal
from minitf.core.ops.reductions import reduce_mean, reduce_sum


def weighted_moments(
    x: Any,
    axes: Sequence[int],
    frequency_weights: Any,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance of `x` over `axes`, where some elements count more than others.

    Args:
      x: a tensor.
      axes: what to reduce over.
      frequency_weights: how often each element counts; broadcasts to `x`.
      name: the name of the scope.
      keep_dims: whether the axes stay, with size 1. `keepdims` is its later name.
    """
    keep = bool(one_of("keepdims", keepdims, "keep_dims", keep_dims))
    with name_scope(name, "weighted_moments", [x, frequency_weights, axes]):
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(frequency_weights, name="frequency_weights")
        precise = x.dtype == dtypes.float16
        if precise:
            x = cast(x, dtypes.float32)
        if weights.dtype != x.dtype:
            weights = cast(weights, x.dtype)
        total = reduce_sum(weights * x, axes, keepdims=True, name="weighted_input_sum")
        everywhere = weights + zeros_like(x)
        count = reduce_sum(everywhere, axes, keepdims=True, name="sum_of_weights")
        mean = math.div_no_nan(total, count)
        squares = math.multiply(weights, math.squared_difference(x, mean))
        spread = reduce_sum(squares, axes, keepdims=True, name="weighted_distsq")
        variance = math.div_no_nan(spread, count)
        if not keep:
            mean, variance = squeeze(mean, axes), squeeze(variance, axes)
        if precise:
            return cast(mean, dtypes.float16), cast(variance, dtypes.float16)
        return mean, variance


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The part of the elements of `value` that are zero, as float32."""
    with name_scope(name, "zero_fraction", [value]):
        value = convert_to_tensor(value, name="value")
        zeros = cast(equal(value, zeros_like(value)), dtypes.float32)
        return identity(reduce_mean(zeros), name="fraction")

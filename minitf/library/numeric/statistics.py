"""Means and variances in steps, or with weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import constant, one_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_shaping import squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.math import (
    add,
    div_no_nan,
    multiply,
    reciprocal,
    square,
    squared_difference,
    subtract,
)
from minitf.core.ops.reductions import reduce_prod, reduce_sum


def sufficient_statistics(
    x: Any,
    axes: Sequence[int],
    shift: Any = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """What mean and variance can be computed from later, perhaps summed over several batches.

    Args:
      x: a tensor.
      axes: what to reduce over.
      shift: subtracted first: a number near the mean makes the result more precise.
      keep_dims: whether the axes stay, with size 1. `keepdims` is its later name.
      name: the name of the scope.
    Returns: how many elements each sum has, their sum, the sum of their squares, and `shift`.
    """
    axes = list(dict.fromkeys(axes))
    keep = bool(one_of("keepdims", keepdims, "keep_dims", keep_dims))
    with name_scope(name, "sufficient_statistics", [x, shift]):
        x = convert_to_tensor(x, name="x")
        sizes = x.shape.as_list() if x.shape.ndims is not None else None
        if sizes is not None and all(sizes[a] is not None for a in axes):
            counts = constant(float(np.prod([sizes[a] for a in axes])), x.dtype.base_dtype)
        else:
            counts = reduce_prod(cast(gather(shape_of(x), axes), x.dtype), name="count")
        if shift is not None:
            shift = convert_to_tensor(shift, name="shift")
            values, squares = subtract(x, shift), squared_difference(x, shift)
        else:
            values, squares = x, square(x)
        total = reduce_sum(values, axes, keepdims=keep, name="mean_ss")
        return counts, total, reduce_sum(squares, axes, keepdims=keep, name="var_ss"), shift


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance from what `sufficient_statistics` gives."""
    with name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = reciprocal(counts, name="divisor")
        if shift is not None:
            shifted = multiply(mean_ss, divisor, name="shifted_mean")
            mean = add(shifted, shift, name="mean")
        else:
            shifted = mean = multiply(mean_ss, divisor, name="mean")
        variance = subtract(multiply(variance_ss, divisor), square(shifted), name="variance")
        return mean, variance


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
        mean = div_no_nan(total, count)
        squares = multiply(weights, squared_difference(x, mean))
        spread = reduce_sum(squares, axes, keepdims=True, name="weighted_distsq")
        variance = div_no_nan(spread, count)
        if not keep:
            mean, variance = squeeze(mean, axes), squeeze(variance, axes)
        if precise:
            return cast(mean, dtypes.float16), cast(variance, dtypes.float16)
        return mean, variance

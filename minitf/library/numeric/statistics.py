"""Means and variances in steps or with weights, norms, and the share of zeros."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import math
from minitf.core.ops.array import constant, identity, one_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_shaping import squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, not_equal, where_v2
from minitf.core.ops.reductions import reduce_mean, reduce_prod, reduce_sum


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
            values, squares = math.subtract(x, shift), math.squared_difference(x, shift)
        else:
            values, squares = x, math.square(x)
        total = reduce_sum(values, axes, keepdims=keep, name="mean_ss")
        return counts, total, reduce_sum(squares, axes, keepdims=keep, name="var_ss"), shift


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance from what `sufficient_statistics` gives."""
    with name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = math.reciprocal(counts, name="divisor")
        if shift is not None:
            shifted = math.multiply(mean_ss, divisor, name="shifted_mean")
            mean = math.add(shifted, shift, name="mean")
        else:
            shifted = mean = math.multiply(mean_ss, divisor, name="mean")
        variance = math.subtract(
            math.multiply(variance_ss, divisor), math.square(shifted), name="variance"
        )
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


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The root of the sum of squares over axes; the arguments are those of `reduce_sum`."""
    with name_scope(name, "EuclideanNorm", [input_tensor]):
        x = convert_to_tensor(input_tensor)
        total = reduce_sum(x * x, axis, keepdims)
        if x.dtype.is_integer:
            return cast(math.sqrt(cast(total, dtypes.float64)), x.dtype)
        some = not_equal(total, zeros_like(total))  # the root of 0 has no gradient
        safe = where_v2(some, total, zeros_like(total) + 1)
        return where_v2(some, math.sqrt(safe), zeros_like(total))

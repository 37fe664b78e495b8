"""Variances, deviations and logarithms of sums over axes."""

from __future__ import annotations

from typing import Any

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import math
from minitf.core.ops.array import one_of, shape, stop_gradient
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.comparisons import select_op
from minitf.core.ops.reductions import reduce_max, reduce_mean, reduce_sum
from minitf.library.numeric.elementwise import is_finite


def reduce_logsumexp(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Computes log(sum(exp(x))) over axes without overflow: the largest element is taken out first.

    The arguments are those of `reduce_sum`.
    """
    axis = one_of("axis", axis, "reduction_indices", reduction_indices)
    keep = bool(one_of("keepdims", keepdims, "keep_dims", keep_dims))
    x = convert_to_tensor(input_tensor)
    with name_scope(name, "ReduceLogSumExp"):
        largest = reduce_max(x, axis=axis, keepdims=True)
        finite = select_op(is_finite(largest), largest, zeros_like(largest))
        largest = stop_gradient(finite)
        result = math.log(reduce_sum(math.exp(math.subtract(x, largest)), axis, keepdims=keep))
        if not keep:
            largest = reshape(largest, shape(result))
        return math.add(result, largest)


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Averages the squared distance from the mean over axes."""
    with name_scope(name, "reduce_variance"):
        mean = reduce_mean(input_tensor, axis=axis, keepdims=True)
        squares = math.square(math.subtract(input_tensor, mean))
        return reduce_mean(squares, axis=axis, keepdims=keepdims)


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the standard deviation over axes: the root of the variance."""
    with name_scope(name, "reduce_std"):
        return math.sqrt(reduce_variance(input_tensor, axis=axis, keepdims=keepdims))

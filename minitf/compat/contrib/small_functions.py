"""Functions of `tf.contrib` that had a namespace each, or nearly.

sparsemax, sparsemax_loss        probabilities of which many are 0 (tf.contrib.sparsemax)
    resampler                        images between their pixels (tf.contrib.resampler)
alpha_dropout, scaled_softplus   for networks that normalize themselves (tf.contrib.nn)
percentile                       of the numbers along axes (tf.contrib.distributions)
moving_mean_variance ...         statistics in variables (tf.contrib.distributions)
BytesInUse, MaxBytesInUse        the memory of this process (tf.contrib.memory_stats)
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softplus
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like, zeros_like
from minitf.core.ops.array_filling import range as number_range
from minitf.core.ops.array_gathering import gather, gather_nd
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import expand_dims, reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, logical_and, where
from minitf.core.ops.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from minitf.core.ops.math import (
    ceil,
    floor,
    is_inf,
    is_nan,
    log,
    log1p,
    maximum,
    minimum,
    rint,
    square,
)
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import cumsum, reduce_logsumexp, reduce_sum
from minitf.core.ops.state import assign_add, assign_sub
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.eager.script_ops import py_func
from minitf.library.numeric.sorting import sort, top_k


def sparsemax(logits: Any, name: str | None = None) -> Tensor:
    """The nearest point of the simplex: like a softmax, but what is small becomes 0.

    Martins and Astudillo, "From Softmax to Sparsemax" (2016).

    Args:
      logits: [batch, classes].
      name: of the scope.
    Example:
      >>> sess.run(tf.contrib.sparsemax.sparsemax([[0.5, 0.3, -1.0]]))
      array([[0.6, 0.4, 0. ]], dtype=float32)
    """
    with stacks.name_scope(name, "sparsemax", [logits]):
        z = convert_to_tensor(logits)
        rows, classes = shape_of(z)[0], shape_of(z)[1]
        ordered, _ = top_k(z, classes)
        sums = cumsum(ordered, axis=1)
        places = cast(number_range(1, classes + 1), z.dtype)
        support = reduce_sum(cast(1 + places * ordered > sums, dtypes.int32), 1)
        last = stack([number_range(rows), maximum(support, 1) - 1], axis=1)
        limit = (gather_nd(sums, last) - 1) / cast(support, z.dtype)
        return maximum(z - expand_dims(limit, 1), 0)


def sparsemax_loss(logits: Any, sparsemax: Any, labels: Any, name: str | None = None) -> Tensor:
    """The loss whose gradient is `sparsemax(logits) - labels`: [batch]."""
    with stacks.name_scope(name, "sparsemax_loss", [logits, sparsemax, labels]):
        z, p, q = (convert_to_tensor(each) for each in (logits, sparsemax, labels))
        inside = where(greater(p, 0), p * (z - 0.5 * p), where(is_nan(p), p, zeros_like(p)))
        wanted = q * (0.5 * q - z)
        wanted = where(logical_and(equal(q, 0), is_inf(z)), zeros_like(z), wanted)
        return reduce_sum(inside + wanted, 1)


def resampler(data: Any, warp: Any, name: str = "resampler") -> Tensor:
    """Looks images up at places between pixels; outside they are 0.

    Args:
      data: [batch, height, width, channels].
      warp: [batch, ..., 2], x and y in pixels.
      name: of the scope.
    Returns: [batch, ..., channels].
    """
    with stacks.name_scope(name, "resampler", [data, warp]):
        data, warp = convert_to_tensor(data), convert_to_tensor(warp)
        sizes = shape_of(data)
        flat = reshape(data, [-1, data.shape[3].value])
        rank = warp.shape.ndims
        images = reshape(number_range(sizes[0]), [-1] + [1] * (rank - 2))
        x, y = warp[..., 0], warp[..., 1]
        total: Any = 0.0
        for right in (0, 1):
            for down in (0, 1):
                column, row = floor(x) + right, floor(y) + down
                weight = (1 - abs(x - column)) * (1 - abs(y - row))
                inside = logical_and(
                    logical_and(column >= 0, column < cast(sizes[2], x.dtype)),
                    logical_and(row >= 0, row < cast(sizes[1], x.dtype)),
                )
                i, j = (
                    minimum(maximum(cast(each, dtypes.int32), 0), limit - 1)
                    for each, limit in ((row, sizes[1]), (column, sizes[2]))
                )
                pixels = gather(flat, (images * sizes[1] + i) * sizes[2] + j)
                weight = where(inside, weight, zeros_like(weight))
                total += expand_dims(weight, -1) * pixels
        return total


def _flipped(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A cross entropy that takes the logits first, as all did before TensorFlow 1.0."""

    def flipped(logits: Any, labels: Any, name: str | None = None) -> Tensor:
        return function(labels=labels, logits=logits, name=name)

    return flipped


deprecated_flipped_softmax_cross_entropy_with_logits = _flipped(softmax_cross_entropy_with_logits)
deprecated_flipped_sparse_softmax_cross_entropy_with_logits = _flipped(
    sparse_softmax_cross_entropy_with_logits
)
deprecated_flipped_sigmoid_cross_entropy_with_logits = _flipped(sigmoid_cross_entropy_with_logits)


def alpha_dropout(
    x: Any, keep_prob: Any, noise_shape: Any = None, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Dropout that keeps mean and variance, after `selu`: what is dropped becomes its least value.

    Klambauer et al., "Self-Normalizing Neural Networks" (2017). The arguments are those of
    `tf.nn.dropout`.
    """
    with stacks.name_scope(name, "alpha_dropout", [x]):
        x = convert_to_tensor(x)
        if isinstance(keep_prob, float) and not 0 < keep_prob <= 1.0:
            raise ValueError(
                "keep_prob must be a scalar tensor or a float in the range (0, 1], got "
                f"{keep_prob:g}"
            )
        keep = convert_to_tensor(keep_prob, dtype=x.dtype)
        if constant_value(keep) == 1:
            return x
        least = -1.7580993408473766
        drawn = random_uniform(noise_shape or shape_of(x), seed=seed, dtype=x.dtype)
        kept = cast(drawn >= 1 - keep, x.dtype)
        scale = (keep + keep * (1 - keep) * least**2) ** -0.5
        return scale * (x * kept + least * (1 - kept)) - scale * least * (1 - keep)


def scaled_softplus(x: Any, alpha: Any, clip: Any = None, name: str | None = None) -> Tensor:
    """alpha * softplus(x / alpha), with an upper limit if there is one."""
    with stacks.name_scope(name, "scaled_softplus", [x, alpha]):
        x = convert_to_tensor(x)
        y = alpha * softplus(x / alpha)
        return y if clip is None else minimum(y, clip)


#: where between two ordered numbers a percentile is, from the place on a scale of 0 to n - 1
_BETWEEN = {
    "lower": floor,
    "higher": ceil,
    "nearest": rint,
    "midpoint": lambda place: (floor(place) + ceil(place)) / 2.0,
    "linear": lambda place: place,
}


def percentile(
    x: Any, q: Any, axis: Any = None, interpolation: str | None = None, keep_dims: bool = False,
    validate_args: bool = False, preserve_gradients: bool = True, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The number that q % of others do not exceed, along axes.

    Args:
      x: numbers of a known rank.
      q: 0 to 100; 50 for the median.
      axis: one or several; all of them by default.
      interpolation: what is taken between two numbers: "nearest" by default, or "lower", "higher",
        "midpoint" or "linear".
      keep_dims: whether the axes stay, with size 1.
      validate_args, preserve_gradients: accepted.
    Raises:
      ValueError: for another interpolation.
    """
    between = _BETWEEN.get(interpolation or "nearest")
    if between is None:
        raise ValueError(
            f"Argument 'interpolation' must be in {sorted(_BETWEEN)}.  Found {interpolation}"
        )
    with stacks.name_scope(name, "percentile", [x, q]):
        x = convert_to_tensor(x)
        rank = x.shape.ndims or 0
        axes = sorted(
            {int(each) % rank for each in np.ravel(range(rank) if axis is None else axis)}
        )
        others = [each for each in range(rank) if each not in axes]
        sizes = shape_of(x)
        moved = transpose(x, [*axes, *others])
        ordered = sort(reshape(moved, concat([[-1], gather(sizes, others)], 0)), 0)
        last = cast(shape_of(ordered)[0] - 1, dtypes.float64)
        place = between(last * (cast(q, dtypes.float64) / 100.0))
        low, high = (cast(end(place), dtypes.int32) for end in (floor, ceil))
        share = cast(place - floor(place), x.dtype)
        first = gather(ordered, low)
        found = first + share * (gather(ordered, high) - first) if x.dtype.is_floating else first
        found.set_shape(place.shape.concatenate([x.shape[each] for each in others]))
        for each in axes if keep_dims else ():
            found = expand_dims(found, each)
        return found


def BytesInUse() -> Tensor:  # noqa: N802
    """How many bytes of memory this process has."""
    return py_func(lambda: np.int64(_resident()), [], dtypes.int64)


def MaxBytesInUse() -> Tensor:  # noqa: N802
    """How many bytes of memory this process has had at most."""
    usage = resource.getrusage
    return py_func(lambda: np.int64(usage(resource.RUSAGE_SELF).ru_maxrss * 1024), [], dtypes.int64)


def BytesLimit() -> Tensor:  # noqa: N802
    """How many bytes of memory the machine has."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return convert_to_tensor(pages, dtypes.int64)


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# ---- moving statistics (tf.contrib.distributions) ------------------------------------------------


def _base_type(name: str, of: Any) -> Any:
    if not of.dtype.is_floating:
        text = f"{name}.base_dtype({of.dtype.base_dtype.name}) does not have float type `dtype`."
        raise TypeError(text)
    return of.dtype.base_dtype


def assign_moving_mean_variance(
    mean_var: Any, variance_var: Any, value: Any, decay: Any, name: str | None = None
) -> tuple[Any, Any]:
    """Moves a mean and a variance towards those of a value; `decay` of them stays."""
    with stacks.name_scope(name, "assign_moving_mean_variance", [value, decay]):
        kind, other = _base_type("mean_var", mean_var), variance_var.dtype.base_dtype
        if kind != other:
            raise TypeError(
                f"mean_var.base_dtype({kind.name}) != variance_var.base_dtype({other.name})"
            )
        decay = convert_to_tensor(decay, kind, name="decay")
        change = convert_to_tensor(value, kind, name="value") - mean_var
        with stacks.control_dependencies([change]):  # of the mean as it was
            less = (1.0 - decay) * (variance_var - decay * square(change))
            return assign_add(mean_var, (1.0 - decay) * change), assign_sub(variance_var, less)


def moving_mean_variance(
    value: Any, decay: Any, collections: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """The moving mean and variance of a value, in two variables that it makes; they start at 0."""
    value, zero = convert_to_tensor(value, name="value"), zeros_initializer()
    _base_type("value", value)
    given = (value.shape, value.dtype.base_dtype, zero, None, False, collections)
    with variable_scope(name, "moving_mean_variance", [value]):
        variance, mean = (get_variable(f"moving_{what}", *given) for what in ("variance", "mean"))
        return assign_moving_mean_variance(mean, variance, value, decay)


def assign_log_moving_mean_exp(
    log_mean_exp_var: Any, log_value: Any, decay: Any, name: str | None = None
) -> Any:
    """Moves log(mean) towards the logarithm of a value, without the numbers themselves."""
    with stacks.name_scope(name, "assign_log_moving_mean_exp", [log_value, decay]):
        kind = _base_type("log_mean_exp_var", log_mean_exp_var)
        decay = convert_to_tensor(decay, kind, name="decay")
        change = convert_to_tensor(log_value, kind, name="log_value") - log_mean_exp_var
        both = [log(decay) * ones_like(change), change + log1p(-decay)]
        return assign_add(log_mean_exp_var, reduce_logsumexp(stack(both), 0))

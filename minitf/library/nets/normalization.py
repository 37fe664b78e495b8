"""Batch normalization: each channel gets mean 0 and variance 1, then a scale and an offset.

    y = (x - mean) / sqrt(variance + epsilon) * scale + offset

`batch_normalization` is that formula in ops. `fused_batch_norm` computes the statistics as well
and is one op, FusedBatchNormV3, with a gradient in one op. The gradient of the gradient is
written out in ops: with n the normalized x, and P(v) = v - mean(v) - n mean(n v),

    dx = scale * r * P(dy), with r = 1 / sqrt(variance + epsilon); not training: scale * r * dy

Where the statistics are those of x, what comes back through them goes on through the first op.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.likes import TensorLike
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import constant, one_of
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import check_rank, invalid
from minitf.core.ops.math import rsqrt
from minitf.core.ops.reductions import reduce_mean, reduce_sum
from minitf.library.nets.kernels.batch_norm import gradient_sums, mixed, moments, normalized
from minitf.library.nets.layouts import is_channels_first, same_attrs, sizes_of

_STATISTICS = (dtypes.float32, dtypes.float64)


def _others(rank: int, data_format: str) -> tuple[int, ...]:
    """All axes but the channels."""
    channels = 1 if is_channels_first(data_format) else rank - 1
    return tuple(i for i in range(rank) if i != channels)


def _by_channel(x: Any, data_format: str) -> Any:
    """Images as [outer, channels, inner]."""
    if is_channels_first(data_format):
        return x.reshape(*x.shape[:2], math.prod(x.shape[2:]))
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1], 1)


def _sample(sizes: tuple, **attrs: Any) -> Any:
    def draw(rng: np.random.Generator) -> tuple:
        channels = sizes[1 if attrs.get("data_format") == "NCHW" else -1]
        given = 0 if attrs["is_training"] else channels
        mean, variance = rng.normal(size=given), rng.uniform(0.5, 2.0, size=given)
        vectors = rng.normal(size=channels), rng.normal(size=channels)
        return (rng.normal(size=sizes), *vectors, mean, variance, attrs)

    return draw


# ---- FusedBatchNormV3 --------------------------------------------------------------------


@dataclass(frozen=True)
class _BatchNorm:
    """The attributes that FusedBatchNormV3 and its gradient share."""

    epsilon: float = 1e-4
    data_format: str = "NHWC"
    is_training: bool = True


@dataclass(frozen=True)
class _Averaging(_BatchNorm):
    """Those of FusedBatchNormV3: how far the given statistics move to those of the batch, too."""

    exponential_avg_factor: float = 1.0


@op(
    "FusedBatchNormV3",
    "x: T, scale: U, offset: U, mean: U, variance: U -> y: T, batch_mean: U, batch_variance: U, "
    "reserve_space_1: U, reserve_space_2: U, reserve_space_3: U",
    attrs=_Averaging,
    T=dtypes.FLOATS,
    U=_STATISTICS,
    samples=[
        _sample((2, 2, 3, 2), is_training=True, epsilon=0.01),
        _sample((2, 2, 2, 1), is_training=True, data_format="NCHW"),
        _sample((2, 2, 2, 2), is_training=False, epsilon=0.01),
        _sample((1, 2, 2, 2), is_training=False, data_format="NCHW"),
    ],
)
def fused_batch_norm_op(
    xp: Any, x: Any, scale: Any, offset: Any, mean: Any, variance: Any, **attrs: Any
) -> tuple:
    """Normalizes each channel by the statistics of the batch, or by those that are given.

    The variance of the batch is given out as the estimate for its population, n / (n - 1) times
    the one used here.
    """
    given, layout = _Averaging(**attrs), attrs["data_format"]
    check_rank(x, len(layout))
    channels = x.shape[1 if is_channels_first(layout) else -1]
    for name, vector in (("scale", scale), ("offset", offset)):
        if vector.shape != (channels,):
            raise invalid(
                f"{name} must have the same number of elements as the channels of x, got "
                f"{vector.size} and {channels}"
            )
    rows = _by_channel(x.astype(scale.dtype, copy=False), layout)
    old_mean, old_variance = mean, variance
    if given.is_training:
        mean, variance = moments(xp, rows)
    factor = scale / xp.sqrt(variance + given.epsilon)
    y = normalized(xp, rows, mean, factor, offset).reshape(x.shape)
    new_mean, new_variance = mean.copy(), variance.copy()
    if given.is_training:
        count, share = x.size // max(1, mean.size), given.exponential_avg_factor
        new_variance *= count / max(1, count - 1)
        if share != 1:
            new_mean = old_mean + (mean - old_mean) * share
            new_variance = old_variance + (new_variance - old_variance) * share
    reserved = mean.copy(), variance.copy(), xp.zeros(0, scale.dtype)
    return y.astype(x.dtype, copy=False), new_mean, new_variance, *reserved


@fused_batch_norm_op.shape
def _fused_batch_norm_shape(x: Any, scale: Any, *rest: Any, **attrs: Any) -> list:
    sizes = sizes_of(x.shape, len(attrs["data_format"]))
    place = 1 if is_channels_first(attrs["data_format"]) else -1
    vector = scale.shape.with_rank(1).merge_with([sizes[place]])
    sizes[place] = vector.as_list()[0]
    return [TensorShape(sizes), vector, vector, vector, vector, TensorShape([0])]


@fused_batch_norm_op.gradient
def _fused_batch_norm_grad(op: Any, dy: Any, *others: Any) -> list:
    x, scale, _, mean, variance = op.inputs
    attrs = same_attrs(fused_batch_norm_grad_op, op)
    training = attrs["is_training"]
    saved = op.outputs[3:5] if training else [mean, variance]
    by = [None] * 5
    if dy is not None:
        reserved = op.outputs[5]
        by = list(fused_batch_norm_grad_op(dy, x, scale, *saved, reserved, **attrs))
        by[3:] = [None, None]
        if not training:
            r = rsqrt(variance + attrs["epsilon"])
            by[3:] = [-scale * r * by[2], scale * r * r * by[1] * -0.5]
    if any(each is not None for each in others[:4]):
        by = [_sum(a, b) for a, b in zip(by, _by_statistics(op, *others[:4]), strict=True)]
    return by


def _sum(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a + b


def _by_statistics(op: Any, *dy: Any) -> list:
    """The gradient through the four outputs that are means and variances."""
    x, scale, *old = op.inputs
    if not op.attrs["is_training"]:
        return [None, None, None, _sum(dy[0], dy[2]), _sum(dy[1], dy[3])]
    layout, factor = op.attrs["data_format"], op.attrs["exponential_avg_factor"]
    axes = list(_others(len(layout), layout))
    count = reduce_sum(cast(x, scale.dtype) * 0.0 + 1.0, axes)
    dmean, dvariance, saved_mean, saved_variance = (0.0 if each is None else each for each in dy)
    by_mean = dmean * factor + saved_mean + scale * 0.0
    by_variance = dvariance * (factor * count / (count - 1.0)) + saved_variance
    mean, by_mean, by_variance = (
        _lifted_tensor(each, layout)
        for each in (op.outputs[3], by_mean / count, by_variance * 2.0 / count)
    )
    dx = cast(by_mean + by_variance * (cast(x, scale.dtype) - mean), x.dtype)
    left = [None, None] if factor == 1 else [dmean * (1 - factor), dvariance * (1 - factor)]
    return [dx, None, None, *left]


def _lifted_tensor(vector: Tensor, data_format: str) -> Tensor:
    if not is_channels_first(data_format):
        return vector
    return reshape(vector, [-1, *[1] * (len(data_format) - 2)])


def _grad_sample(sizes: tuple, **attrs: Any) -> Any:
    """Any statistics will do: the op takes them as they come."""

    def draw(rng: np.random.Generator) -> tuple:
        scale, mean, variance = rng.normal(size=2), rng.normal(size=2), rng.uniform(0.5, 2.0, 2)
        dy, x = rng.normal(size=sizes), rng.normal(size=sizes)
        return (dy, x, scale, mean, variance, np.zeros(0), attrs)

    return draw


@op(
    "FusedBatchNormGradV3",
    "y_backprop: T, x: T, scale: U, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U -> "
    "x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U, reserve_space_5: U",
    attrs=_BatchNorm,
    T=dtypes.FLOATS,
    U=_STATISTICS,
    samples=[
        _grad_sample((2, 2, 3, 2), is_training=True, epsilon=0.01),
        _grad_sample((2, 2, 2, 2), is_training=False, data_format="NCHW"),
    ],
)
def fused_batch_norm_grad_op(
    xp: Any, dy: Any, x: Any, scale: Any, mean: Any, variance: Any, reserved: Any, **attrs: Any
) -> tuple:
    """Gives the gradients of FusedBatchNormV3 by x, scale and offset."""
    layout = attrs["data_format"]
    dy, rows = (_by_channel(v.astype(scale.dtype, copy=False), layout) for v in (dy, x))
    r = 1 / xp.sqrt(variance + attrs["epsilon"])
    doffset, product = gradient_sums(xp, dy, rows, mean)
    factor, dscale = scale * r, product * r
    if attrs["is_training"]:
        count = max(1, x.size // max(1, scale.size))
        by_x, rest = factor * r * dscale / -count, factor * doffset / -count
        dx = mixed(xp, dy, rows, mean, factor, by_x, rest)
    else:
        zeros = xp.zeros_like(factor)
        dx = normalized(xp, dy, zeros, factor, zeros)
    dx = dx.reshape(x.shape)
    nothing = xp.zeros(0, scale.dtype)
    return dx.astype(x.dtype, copy=False), dscale, doffset, nothing, nothing.copy()


@fused_batch_norm_grad_op.shape
def _fused_batch_norm_grad_shape(dy: Any, x: Any, scale: Any, *rest: Any, **attrs: Any) -> list:
    vector = scale.shape.with_rank(1)
    return [x.shape.merge_with(dy.shape), vector, vector, TensorShape([0]), TensorShape([0])]


@fused_batch_norm_grad_op.gradient
def _fused_batch_norm_grad_grad(op: Any, gx: Any, gscale: Any, goffset: Any, *others: Any) -> list:
    """See the module's docstring; `gx`, `gscale`, `goffset` are gradients of the op's outputs."""
    dy, x, scale, mean, variance, _ = op.inputs
    layout, training = op.attrs["data_format"], op.attrs["is_training"]
    kind, axes = scale.dtype, list(_others(len(layout), layout))

    def lift(vector: Tensor) -> Tensor:
        return _lifted_tensor(vector, layout)

    def total(values: Tensor) -> Tensor:
        return reduce_sum(values, axes)

    def average(values: Tensor) -> Tensor:
        return lift(reduce_mean(values, axes))

    original = x.dtype
    dy, x = cast(dy, kind), cast(x, kind)
    zero = constant(0.0, kind)
    gx = zero * dy if gx is None else cast(gx, kind)
    gscale = zero * scale if gscale is None else gscale
    goffset = zero * scale if goffset is None else goffset
    r = rsqrt(variance + op.attrs["epsilon"])
    normal = (x - lift(mean)) * lift(r)

    def project(values: Tensor) -> Tensor:
        return values - average(values) - normal * average(values * normal) if training else values

    projected = project(dy)
    product = total(gx * projected)  # by channel: what dx and gx have in common
    by_dy = lift(scale * r) * project(gx) + lift(gscale) * normal + lift(goffset)
    by_normal = lift(gscale) * dy
    if training:
        crossed = gx * average(dy * normal) + dy * average(gx * normal)
        by_normal -= lift(scale * r) * crossed
    by_x = lift(r) * by_normal
    by_mean = -r * total(by_normal)
    by_variance = -0.5 * r * r * (total(by_normal * normal) + scale * r * product)
    return [cast(by_dy, original), cast(by_x, original), r * product, by_mean, by_variance, None]


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch normalization of images in one op.

    Args:
      x: [batch, height, width, channels], or channels second for NCHW.
      scale, offset: [channels].
      mean, variance: [channels]; what to normalize by when not training.
      epsilon: added to the variance; at least 1.001e-5, and 1e-4 for None.
      data_format: "NHWC" or "NCHW".
      is_training: whether to normalize by the statistics of this batch.
      name: the name.
      exponential_avg_factor: how far the given mean and variance move to those of the batch.
    Returns: the result, and the mean and the variance of the batch.
    Raises:
      ValueError: when not training and the mean or the variance is missing.
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
            f"`exponential_avg_factor` != 1.0. Received: `mean` {mean!r} and `variance` "
            f"{variance!r}"
        )
    x = convert_to_tensor(x, name="input")
    scale = convert_to_tensor(scale, name="scale")
    offset = convert_to_tensor(offset, name="offset")
    mean = constant([], scale.dtype.base_dtype) if mean is None else mean
    variance = constant([], scale.dtype.base_dtype) if variance is None else variance
    tensors = (x, scale, offset, mean, variance)
    attrs = {
        "epsilon": None if epsilon is None else max(epsilon, 1.001e-5),
        "data_format": data_format,
        "is_training": is_training,
        "exponential_avg_factor": exponential_avg_factor,
    }
    y, batch_mean, batch_variance, *_ = fused_batch_norm_op(*tensors, name=name, **attrs)
    return y, batch_mean, batch_variance


# ---- in ops ------------------------------------------------------------------------------


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: float,
    name: str | None = None,
) -> Tensor:
    """(x - mean) / sqrt(variance + variance_epsilon) * scale + offset.

    Args:
      x: a tensor.
      mean, variance: tensors that broadcast to `x`, as `moments` gives them.
      offset, scale: the same, or None for 0 and 1.
      variance_epsilon: keeps the divisor from zero.
      name: the name of the scope.
    """
    with name_scope(name, "batchnorm", [x, mean, variance, scale, offset]):
        x = convert_to_tensor(x, name="x")
        factor = rsqrt(convert_to_tensor(variance) + variance_epsilon)
        if scale is not None:
            factor *= scale
        return x * cast(factor, x.dtype) + cast(
            offset - mean * factor if offset is not None else -mean * factor, x.dtype
        )


def batch_norm_with_global_normalization(
    t: TensorLike = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Any = None,
    name: str | None = None,
    input: TensorLike = None,
    mean: TensorLike = None,
    variance: Any = None,
) -> Tensor:
    """`batch_normalization` under an old name.

    Args:
      t: [batch, height, width, channels]. Also `input`.
      m, v: mean and variance by channel. Also `mean` and `variance`.
      beta: the offset.
      gamma: the scale; used if `scale_after_normalization`.
      variance_epsilon: keeps the divisor from zero.
      scale_after_normalization: whether to scale.
      name: the name of the scope.
    """
    t, m = one_of("input", input, "t", t), one_of("mean", mean, "m", m)
    v = one_of("variance", variance, "v", v)
    scale = gamma if scale_after_normalization else None
    return batch_normalization(t, m, v, beta, scale, variance_epsilon, name)

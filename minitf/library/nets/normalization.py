"""Batch normalization: each channel gets mean 0 and variance 1, then a scale and an offset.

    y = (x - mean) / sqrt(variance + epsilon) * scale + offset

`batch_normalization` is that formula in ops. `fused_batch_norm` computes the statistics as well
and is one op, FusedBatchNormV3, with a gradient in one op. The gradient of the gradient is
written out in ops: with n the normalized x, and P(v) = v - mean(v) - n mean(n v),

    dx = scale * r * P(dy), with r = 1 / sqrt(variance + epsilon); not training: scale * r * dy

Where the statistics are those of x, what comes back through them goes on through the first op. The
kernels look at images as [outer, channels, inner]: inner is 1 when the channels are last, and the
size of an image when they come second.

Local response normalization divides each channel by the strength of its neighbours:

    y = x / n ** beta,    n[i] = bias + alpha * (sum of x[j] ** 2 for |j - i| <= depth_radius)

The sum over neighbours is a product with a band of ones, so BLAS does it, and its gradient is
another product with the same band.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels.table import kernel
from minitf.core.ops.array import constant, one_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import check_rank, invalid, sample
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import pow, rsqrt, square
from minitf.core.ops.reductions import reduce_mean, reduce_sum
from minitf.library.nets.windows import is_channels_first, same_attrs, sizes_of

# ---- kernels -------------------------------------------------------------------------------------


def _lifted(vector: Any) -> Any:
    return vector[:, None]


def channel_sums(xp: Any, x: Any) -> Any:
    """The sum of each channel of [outer, channels, inner]; of rows, by BLAS."""
    if x.shape[2] != 1 or x.dtype.kind not in "fc" or x.itemsize < 4:
        return x.sum(axis=(0, 2), dtype=x.dtype)
    return xp.ones(len(x), x.dtype) @ x[:, :, 0]


def _fit(x: Any, *vectors: Any) -> bool:
    """Whether vectors have a number for each channel of [outer, channels, inner]."""
    return x.ndim == 3 and all(v.shape == x.shape[1:2] for v in vectors)


@kernel(compiled="batch_norm", takes=_fit)
def moments(xp: Any, x: Any) -> tuple[Any, Any]:
    """Mean and variance of each channel of [outer, channels, inner]."""
    count = x.dtype.type(max(1, x.shape[0] * x.shape[2]))
    mean = channel_sums(xp, x) / count
    centred = x - _lifted(mean)
    centred *= centred
    return mean, channel_sums(xp, centred) / count


@kernel(compiled="batch_norm", takes=_fit)
def normalized(xp: Any, x: Any, mean: Any, factor: Any, offset: Any) -> Any:
    """(x - mean) * factor + offset, for [outer, channels, inner] and a vector by channel each."""
    y = x - _lifted(mean)
    y *= _lifted(factor)
    y += _lifted(offset)
    return y


@kernel(
    compiled="batch_norm",
    takes=lambda dy, x, *vectors: dy.shape == x.shape and _fit(x, *vectors),
)
def gradient_sums(xp: Any, dy: Any, x: Any, mean: Any) -> tuple[Any, Any]:
    """For each channel the sum of dy, and that of dy * (x - mean)."""
    product = x - _lifted(mean)
    product *= dy
    return channel_sums(xp, dy), channel_sums(xp, product)


@kernel(
    compiled="batch_norm",
    takes=lambda dy, x, *vectors: dy.shape == x.shape and _fit(x, *vectors),
)
def mixed(xp: Any, dy: Any, x: Any, mean: Any, a: Any, b: Any, c: Any) -> Any:
    """dy * a + (x - mean) * b + c, with a vector by channel each: the gradient by x."""
    dx = x - _lifted(mean)
    dx *= _lifted(b)
    dx += _lifted(c)
    dx += dy * _lifted(a)
    return dx


# ---- what the ops share --------------------------------------------------------------------------


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


# ---- local response normalization ----------------------------------------------------------------


_FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)
_SMALL = {"depth_radius": 1, "bias": 2.0, "alpha": 0.5, "beta": 0.75}


def _neighbours(xp: Any, x: Any, depth_radius: int) -> Any:
    """The sum over the neighbours of each channel."""
    places = np.arange(x.shape[-1])
    band = (abs(places[:, None] - places) <= depth_radius).astype(x.dtype)
    return xp.matmul(x.reshape(-1, x.shape[-1]), xp.asarray(band)).reshape(x.shape)


@dataclass(frozen=True)
class _Response:
    """The attributes of both ops; see the formula above."""

    depth_radius: int = 5
    bias: float = 1.0
    alpha: float = 1.0
    beta: float = 0.5


@op(
    "LRN",
    "input: T -> output: T",
    batch="fold",
    attrs=_Response,
    T=_FLOATS,
    samples=[sample((1, 2, 2, 4), **_SMALL), sample((2, 1, 1, 3))],
)
def lrn_op(xp: Any, x: Any, *, depth_radius: int, bias: float, alpha: float, beta: float) -> Any:
    """Divides each channel by the strength of its neighbours."""
    if x.ndim != 4:
        raise invalid("in must be 4-dimensional")
    return x * (_neighbours(xp, x * x, depth_radius) * alpha + bias) ** -beta


lrn_op.shape(lambda x, **attrs: x.shape.with_rank(4))


@lrn_op.gradient
def _lrn_grad(op: Any, dy: Tensor) -> list:
    return [lrn_grad_op(dy, op.inputs[0], op.outputs[0], **same_attrs(lrn_op, op))]


@op(
    "LRNGrad",
    "input_grads: T, input_image: T, output_image: T -> output: T",
    attrs=_Response,
    T=_FLOATS,
    samples=[sample(*[(1, 2, 2, 4)] * 3, **_SMALL), sample(*[(2, 1, 1, 3)] * 3)],
)
def lrn_grad_op(
    xp: Any, dy: Any, x: Any, y: Any, *, depth_radius: int, bias: float, alpha: float, beta: float
) -> Any:
    """Gives the gradient of LRN by its input."""
    strength = _neighbours(xp, x * x, depth_radius) * alpha + bias
    through = _neighbours(xp, dy * y / strength, depth_radius)
    return dy * strength**-beta - x * through * (2 * alpha * beta)


lrn_grad_op.shape(lambda dy, x, y, **attrs: x.shape.merge_with(dy.shape))


@lrn_grad_op.gradient
def _lrn_grad_grad(op: Any, g: Tensor) -> list:
    """With n the strength and N the sum over neighbours, the op is dy / n**b - 2ab x N(dy y / n).

    N is symmetric: what comes back through it is N of what came.
    """
    dy, x, y = op.inputs
    radius, bias, alpha, beta = same_attrs(lrn_op, op).values()
    channels = shape_of(x)[-1]
    places = call("Range", np.int32(0), channels, np.int32(1))
    band = cast(abs(expand_dims(places, 0) - expand_dims(places, 1)) <= radius, x.dtype)

    def around(z: Tensor) -> Tensor:
        return reshape(matmul(reshape(z, [-1, channels]), band), shape_of(x))

    strength = around(square(x)) * alpha + bias
    power, ratio = pow(strength, -beta), y / strength
    back = around(g * x) * (2 * alpha * beta)
    by_strength = back * dy * ratio / strength - beta * g * dy * power / strength
    by_x = 2 * alpha * x * around(by_strength) - 2 * alpha * beta * g * around(dy * ratio)
    return [g * power - back * ratio, by_x, -back * dy / strength]


def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Each channel of images, divided by the strength of its neighbours (Krizhevsky 2012).

    Args:
      input: [batch, height, width, channels] float.
      depth_radius: how many channels on each side are neighbours.
      bias: keeps the divisor from zero.
      alpha: the weight of the squares.
      beta: the exponent of the divisor.
      name: the name.
    """
    attrs = _Response(depth_radius, bias, alpha, beta)
    return lrn_op(input, name=name, **vars(attrs))


lrn = local_response_normalization

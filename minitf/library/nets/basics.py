"""What neural networks are made of besides convolutions: biases, normalization, dropout, tables."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, dimension_value
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import ShapeLike, Tensor, TensorLike
from minitf.core.kernels.dense import reduced
from minitf.core.ops.array import identity, one_of, stop_gradient
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_shaping import squeeze
from minitf.core.ops.batching import again, folded
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater_equal
from minitf.core.ops.elementwise import invalid, shown, sum_of_rows
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import maximum, multiply, rsqrt, square
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_mean, reduce_sum
from minitf.library.nets.activations import relu
from minitf.library.nets.windows import is_channels_first, sizes_of
from minitf.library.numeric.elementwise import squared_difference

# ---- BiasAdd -----------------------------------------------------------------------------


def _along_channels(xp: Any, bias: Any, rank: int, data_format: str) -> Any:
    return bias.reshape(-1, *[1] * (rank - 2)) if is_channels_first(data_format) else bias


@op(
    "BiasAdd",
    "value: T, bias: T -> output: T",
    broadcasts=True,
    T=dtypes.NUMBERS,
    elementwise=True,
    arithmetic="{0} + {1}",
    samples=[
        lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=(3,)), {}),
        lambda rng: (rng.normal(size=(2, 3, 2, 2)), rng.normal(size=(3,)), {"data_format": "NCHW"}),
    ],
)
def bias_add_op(
    xp: Any, value: Any, bias: Any, *, data_format: str = "NHWC", out: Any = None
) -> Any:
    """Adds a vector along the channels of `value`."""
    if value.ndim < 2:
        raise invalid(f"Input tensor must be at least 2D: {shown(value)}")
    if bias.ndim != 1:
        raise invalid(f"Biases must be 1D: {shown(bias)}")
    if bias.shape != (value.shape[1:2] if is_channels_first(data_format) else value.shape[-1:]):
        raise invalid(
            "Must provide as many biases as the last dimension of the input tensor: "
            f"{shown(bias)} vs. {shown(value)}"
        )
    return xp.add(value, _along_channels(xp, bias, value.ndim, data_format), out=out)


@bias_add_op.batch
def _bias_add_batch(op: Any, inputs: list, stacked: list) -> Any:
    if stacked[1]:
        return None
    return (
        folded(op, inputs, stacked)
        if is_channels_first(op.attrs["data_format"])
        else again(op, inputs)
    )


@bias_add_op.shape
def _bias_add_shape(value: Any, bias: Any, *, data_format: str) -> Any:
    sizes = value.shape.with_rank_at_least(2)
    (given,) = sizes_of(bias.shape, 1)
    if sizes.ndims is None:
        return None
    place = 1 if is_channels_first(data_format) else sizes.ndims - 1
    channels = sizes.as_list()[place]
    if None not in (channels, given) and channels != given:
        raise ValueError(f"Dimensions must be equal, but are {channels} and {given}")
    known = sizes.as_list()
    known[place] = given if channels is None else channels
    return TensorShape(known)


@bias_add_op.gradient
def _bias_add_grad(op: Any, dy: Tensor) -> list:
    return [dy, bias_add_grad_op(dy, data_format=op.attrs["data_format"])]


@op(
    "BiasAddGrad",
    "out_backprop: T -> output: T",
    T=dtypes.NUMBERS,
    samples=[
        lambda rng: (rng.normal(size=(2, 3)), {}),
        lambda rng: (rng.normal(size=(2, 3, 2, 2)), {"data_format": "NCHW"}),
    ],
)
def bias_add_grad_op(xp: Any, out_backprop: Any, *, data_format: str = "NHWC") -> Any:
    """Sums over all axes but the channels: the gradient of BiasAdd by its bias."""
    rank = out_backprop.ndim
    if rank == 2:
        return sum_of_rows(xp, out_backprop)
    axes = (0, *range(2, rank)) if is_channels_first(data_format) else tuple(range(rank - 1))
    return reduced(xp, "sum", out_backprop, axes, False)


@bias_add_grad_op.shape
def _bias_add_grad_shape(out_backprop: Any, *, data_format: str) -> Any:
    sizes = out_backprop.shape
    if sizes.ndims is None:
        return TensorShape([None])
    return TensorShape([sizes.as_list()[1 if is_channels_first(data_format) else -1]])


@bias_add_grad_op.gradient
def _bias_add_grad_grad(op: Any, dy: Tensor) -> list:
    data_format, x = op.attrs["data_format"], op.inputs[0]
    return [bias_add_op(zeros_like(x), dy, data_format=data_format)]


def bias_add(
    value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """`value` with the vector `bias` added along its channels.

    Args:
      value: [batch, ..., channels], or [batch, channels, ...] with a `data_format` of "NC...".
      bias: [channels], of the same type.
      data_format: "N...C" (the default) or "NC...".
      name: the name.
    Raises:
      ValueError: when the sizes differ.
    Example:
      >>> sess.run(tf.nn.bias_add([[1., 2.], [3., 4.]], [10., 20.]))
      array([[11., 22.],
             [13., 24.]], dtype=float32)
    """
    if data_format is not None and not (
        data_format.startswith("NC") or (data_format.startswith("N") and data_format.endswith("C"))
    ):
        raise ValueError("data_format must be of the form `N...C` or `NC...`")
    layout = "NCHW" if (data_format or "").startswith("NC") else "NHWC"
    with name_scope(name, "BiasAdd", [value, bias]) as scope:
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, value.dtype.base_dtype, name="bias")
        return bias_add_op(value, bias, data_format=layout, name=scope)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """matmul(x, weights) + biases."""
    with name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        return bias_add(matmul(x, weights), biases, name=scope)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """relu(matmul(x, weights) + biases)."""
    with name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        return relu(bias_add(matmul(x, weights), biases), name=scope)


# ---- normalization -----------------------------------------------------------------------


def l2_normalize(
    x: TensorLike,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Tensor:
    """`x` divided by its Euclidean norm along `axis`: x / sqrt(max(sum(x**2), epsilon))."""
    with name_scope(name, "l2_normalize", [x]) as scope:
        axis = one_of("axis", axis, "dim", dim)
        x = convert_to_tensor(x, name="x")
        total = reduce_sum(square(x), axis, keepdims=True)
        return multiply(x, rsqrt(maximum(total, epsilon)), name=scope)


def moments(
    x: TensorLike,
    axes: Sequence[int],
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of `x` over `axes`.

    Args:
      x: a tensor.
      axes: what to reduce over; [0] for the moments of each feature in a batch.
      shift: accepted and not used, as in TensorFlow.
      name: the name of the scope.
      keep_dims: whether the axes stay, with size 1. `keepdims` is its later name.
    """
    keep = bool(one_of("keepdims", keepdims, "keep_dims", keep_dims))
    with name_scope(name, "moments", [x, axes]):
        x = convert_to_tensor(x, name="x")
        precise = cast(x, dtypes.float32) if x.dtype == dtypes.float16 else x
        mean = reduce_mean(precise, axes, keepdims=True, name="mean")
        variance = reduce_mean(
            squared_difference(precise, stop_gradient(mean)), axes, keepdims=True, name="variance"
        )
        if not keep:
            mean, variance = squeeze(mean, axes), squeeze(variance, axes)
        if x.dtype == dtypes.float16:
            return cast(mean, dtypes.float16), cast(variance, dtypes.float16)
        return mean, variance


# ---- dropout -----------------------------------------------------------------------------


def dropout(
    x: TensorLike,
    keep_prob: TensorLike = None,
    noise_shape: ShapeLike = None,
    seed: int | None = None,
    name: str | None = None,
    rate: TensorLike = None,
) -> Tensor:
    """`x` with each element set to 0 with probability `rate`, the others scaled by 1 / (1 - rate).

    Args:
      x: a float tensor.
      keep_prob: 1 - rate; the old way to say it.
      noise_shape: the shape in which is decided what to drop; it broadcasts to that of `x`. A size
        of None is that of `x`.
      seed: makes the choice repeatable.
      name: the name.
      rate: a number in [0, 1) or a scalar tensor.
    Raises:
      ValueError: when `x` is not float, or neither or both of `rate` and `keep_prob` are given.
    Example:
      >>> x = sess.run(tf.nn.dropout(tf.ones([1000]), rate=0.5))
      >>> sorted(set(x.tolist()))
      [0.0, 2.0]
    """
    try:
        dropped = None if keep_prob is None else 1.0 - keep_prob
    except TypeError:
        raise ValueError(
            f"keep_prob must be a floating point number or Tensor (got {keep_prob!r})"
        ) from None
    rate = one_of("rate", rate, "keep_prob", dropped)
    if rate is None:
        raise ValueError("You must provide a rate to dropout.")
    with name_scope(name, "dropout", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                "x has to be a floating point tensor since it's going to be scaled. Got a "
                f"{x.dtype} tensor instead."
            )
        if isinstance(rate, Real):
            if not 0 <= rate < 1:
                raise ValueError(
                    f"rate must be a scalar tensor or a float in the range [0, 1), got {rate:g}"
                )
            if rate == 0:
                return x
        rate = convert_to_tensor(rate, x.dtype.base_dtype, name="rate")
        rate.shape.assert_has_rank(0)
        if constant_value(rate) == 0:
            return x
        uniform = random_uniform(_noise_shape(x, noise_shape), seed=seed, dtype=x.dtype.base_dtype)
        scale = 1 / (1 - rate)
        keep = greater_equal(uniform, rate)
        result = x * scale * cast(keep, x.dtype.base_dtype)
        result.set_shape(x.shape)
        return result


def _noise_shape(x: Tensor, noise_shape: Any) -> Any:
    if noise_shape is None:
        return shape_of(x)
    if isinstance(noise_shape, Tensor):
        return noise_shape
    sizes = [dimension_value(s) for s in noise_shape]
    if x.shape.ndims == len(sizes):
        return [own if s is None else s for s, own in zip(sizes, x.shape.as_list(), strict=True)]
    return sizes


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The part of the elements of `value` that are zero, as float32."""
    with name_scope(name, "zero_fraction", [value]):
        value = convert_to_tensor(value, name="value")
        zeros = cast(equal(value, zeros_like(value)), dtypes.float32)
        return identity(reduce_mean(zeros), name="fraction")

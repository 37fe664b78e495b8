"""What neural networks are made of, convolutions apart: biases, losses, dropout, normalization.

The two cross entropies give the loss and, from the same pass, its gradient by the logits:

    logits ──┬─> loss
    labels ──┴─> backprop = softmax(logits) - labels
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from minitf.framework import dtypes, errors
from minitf.framework.convert import constant_value, convert_to_tensor
from minitf.framework.registry import op
from minitf.framework.shapes import TensorShape, broadcast_shapes, dimension_value
from minitf.framework.stacks import colocate_with, name_scope
from minitf.framework.tensor import Tensor
from minitf.ops.array import check_same_dimensions, identity, one_of, static_int, stop_gradient
from minitf.ops.array import shape as shape_of
from minitf.ops.array_filling import zeros_like
from minitf.ops.array_gathering import gather
from minitf.ops.array_shaping import expand_dims, reshape, squeeze, transpose
from minitf.ops.cast import cast
from minitf.ops.clip import clip_by_norm
from minitf.ops.comparisons import greater_equal, where
from minitf.ops.linalg import matmul
from minitf.ops.math import (
    add_v2,
    exp,
    log1p,
    maximum,
    multiply,
    negative,
    rsqrt,
    square,
    squared_difference,
    subtract,
)
from minitf.ops.nn_activations import log_softmax, relu, shifted_columns, softmax
from minitf.ops.random import random_uniform
from minitf.ops.reductions import reduce_mean, reduce_sum

# ---- BiasAdd -----------------------------------------------------------------------------


def _channels_first(data_format: str | None) -> bool:
    return data_format is not None and data_format.startswith("NC")


def _along_channels(xp: Any, bias: Any, rank: int, data_format: str) -> Any:
    return bias.reshape(-1, *[1] * (rank - 2)) if _channels_first(data_format) else bias


@op(
    "BiasAdd",
    "value: T, bias: T -> output: T",
    T=dtypes.NUMBERS,
    elementwise=True,
    samples=[
        lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=(3,)), {}),
        lambda rng: (
            rng.normal(size=(2, 3, 2, 2)), rng.normal(size=(3,)), {"data_format": "NCHW"}
        ),
    ],
)
def bias_add_op(
    xp: Any, value: Any, bias: Any, *, data_format: str = "NHWC", out: Any = None
) -> Any:
    """Adds a vector along the channels of `value`."""
    return xp.add(value, _along_channels(xp, bias, value.ndim, data_format), out=out)


@bias_add_op.shape
def _bias_add_shape(value: Any, bias: Any, *, data_format: str) -> Any:
    sizes = value.shape.with_rank_at_least(2)
    bias.shape.with_rank(1)
    if sizes.ndims is None:
        return None
    place = 1 if _channels_first(data_format) else sizes.ndims - 1
    channels = sizes.as_list()[place]
    given = bias.shape.as_list()[0] if bias.shape.ndims == 1 else None
    if None not in (channels, given) and channels != given:
        raise ValueError(f"Dimensions must be equal, but are {channels} and {given}")
    known = sizes.as_list()
    known[place] = given if channels is None else channels
    return TensorShape(known)


@bias_add_op.gradient
def _bias_add_grad(op: Any, dy: Tensor) -> list:
    return [dy, bias_add_grad_op(dy, data_format=op.get_attr("data_format"))]


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
    axes = (0, *range(2, rank)) if _channels_first(data_format) else tuple(range(rank - 1))
    return out_backprop.sum(axis=axes, dtype=out_backprop.dtype)


@bias_add_grad_op.shape
def _bias_add_grad_shape(out_backprop: Any, *, data_format: str) -> Any:
    sizes = out_backprop.shape
    if sizes.ndims is None:
        return TensorShape([None])
    return TensorShape([sizes.as_list()[1 if _channels_first(data_format) else -1]])


@bias_add_grad_op.gradient
def _bias_add_grad_grad(op: Any, dy: Tensor) -> list:
    data_format, x = op.get_attr("data_format"), op.inputs[0]
    return [bias_add_op(zeros_like(x), dy, data_format=data_format)]


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    """`value` with the vector `bias` added along its channels.

    Args:
      value: [batch, ..., channels], or [batch, channels, ...] with a `data_format` of "NC...".
      bias: [channels], of the same type.
      data_format: "N...C" (the default) or "NC...".
      name: the name.
    Raises:
      ValueError: when the sizes differ.
    """
    if data_format is not None and not (
        data_format.startswith("NC") or (data_format.startswith("N") and data_format.endswith("C"))
    ):
        raise ValueError("data_format must be of the form `N...C` or `NC...`")
    layout = "NCHW" if _channels_first(data_format) else "NHWC"
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


# ---- SoftmaxCrossEntropyWithLogits -------------------------------------------------------


def _distribution(rng: np.random.Generator, shape: tuple) -> np.ndarray:
    p = rng.uniform(0.1, 1.0, size=shape)
    return p / p.sum(axis=-1, keepdims=True)


@op(
    "SoftmaxCrossEntropyWithLogits",
    "features: T, labels: T -> loss: T, backprop: T",
    T=dtypes.FLOATS,
    samples=[
        lambda rng: (rng.normal(size=(4, 3)), _distribution(rng, (4, 3)), {}),
        lambda rng: (rng.normal(size=(4, 3)), _distribution(rng, (1, 3)), {}),
        lambda rng: (rng.normal(size=(2, 100)), _distribution(rng, (2, 100)), {}),
    ],
)
def softmax_cross_entropy_op(xp: Any, features: Any, labels: Any) -> tuple:
    """Gives for each row the cross entropy of `labels` and the softmax of `features`, and its gradient.

    Narrow rows are worked on as columns: a sum along ten numbers costs NumPy more than ten sums of
    columns.
    """
    labels_t = labels.T
    shifted = shifted_columns(xp, features)
    if labels_t.shape != shifted.shape:  # rows that broadcast
        sizes = np.broadcast_shapes(labels_t.shape, shifted.shape)
        shifted, labels_t = xp.broadcast_to(shifted, sizes).copy(), xp.broadcast_to(labels_t, sizes)
    softmax_t = xp.exp(shifted)
    total = softmax_t.sum(axis=0)
    softmax_t /= total
    backprop = xp.empty(softmax_t.shape[::-1], softmax_t.dtype)
    xp.subtract(softmax_t, labels_t, out=backprop.T)
    xp.subtract(xp.log(total), shifted, out=shifted)
    shifted *= labels_t
    return shifted.sum(axis=0), backprop


@softmax_cross_entropy_op.shape
def _softmax_cross_entropy_shape(features: Any, labels: Any) -> list:
    both = broadcast_shapes(features.shape, labels.shape).with_rank(2)
    return [both[:1], both]


@softmax_cross_entropy_op.gradient
def _softmax_cross_entropy_grad(
    op: Any, dloss: Tensor | None, dbackprop: Tensor | None
) -> list:
    logits = op.inputs[0]
    dlogits = _through_backprop(op, dloss, dbackprop)
    if dloss is None:
        return [dlogits, None if dbackprop is None else negative(dbackprop)]
    dlabels = multiply(expand_dims(dloss, -1), negative(log_softmax(logits)))
    if dbackprop is not None:
        dlabels = subtract(dlabels, dbackprop)
    return [dlogits, dlabels]


def _through_backprop(op: Any, dloss: Tensor | None, dbackprop: Tensor | None) -> Tensor | None:
    """The gradient by the logits, from those of the loss and of the op's second output."""
    result = None if dloss is None else multiply(expand_dims(dloss, -1), op.outputs[1])
    if dbackprop is None:
        return result
    p = softmax(op.inputs[0])
    mean = reduce_sum(multiply(dbackprop, p), -1, keepdims=True)
    second = multiply(subtract(dbackprop, mean), p)
    return second if result is None else add_v2(result, second, name="add")


def _ensure_both(labels: Any, logits: Any, function: str) -> None:
    if labels is None or logits is None:
        raise ValueError(f"Both labels and logits must be provided to {function}.")


def _flat_rows(x: Tensor) -> Tensor:
    """`x` as a matrix: all axes but the last become one."""
    classes = None if x.shape.ndims is None else x.shape.as_list()[-1]
    return reshape(x, [-1, classes or shape_of(x)[-1]])


def softmax_cross_entropy_with_logits_v2(
    labels: Any,
    logits: Any,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """The cross entropy of `labels` and the softmax of `logits`, one number an example.

    Gradients flow to both; stop those to the labels with `stop_gradient` where they are not wanted.

    Args:
      labels: [..., classes]; each row a probability distribution.
      logits: [..., classes] float; unscaled log-probabilities.
      axis: the classes' axis, the last by default. `dim` is its old name.
      name: the name.
    Returns: a tensor of the shape of `logits` without the classes' axis.
    """
    axis = one_of("axis", axis, "dim", dim)
    return _softmax_cross_entropy(
        labels, logits, -1 if axis is None else axis, name, "softmax_cross_entropy_with_logits"
    )


def _softmax_cross_entropy(
    labels: Any, logits: Any, axis: int, name: str | None, default_name: str
) -> Tensor:
    _ensure_both(labels, logits, "softmax_cross_entropy_with_logits")
    with name_scope(name, default_name, [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        precise = cast(logits, dtypes.float32) if logits.dtype == dtypes.float16 else logits
        labels = cast(labels, precise.dtype)
        if axis != -1:
            precise, labels = _axis_last(precise, axis), _axis_last(labels, axis)
        loss, _ = softmax_cross_entropy_op(_flat_rows(precise), _flat_rows(labels), name=scope)
        result = _unflattened(loss, precise)
        return cast(result, dtypes.float16) if logits.dtype == dtypes.float16 else result


def _axis_last(x: Tensor, axis: int) -> Tensor:
    if x.shape.ndims is None:
        raise ValueError(f"The rank of {x!r} must be known to work along axis {axis}.")
    order = list(range(x.shape.ndims))
    order.append(order.pop(axis))
    return transpose(x, order)


def _unflattened(loss: Tensor, rows: Tensor) -> Tensor:
    """`loss`, one number a row, in the shape of `rows` without its last axis."""
    leading = rows.shape[:-1]
    if leading.ndims is not None and leading.as_list().count(None) <= 1 and 0 not in leading.as_list():
        sizes: Any = [-1 if s is None else s for s in leading.as_list()]
    else:
        sizes = shape_of(rows)[:-1]
    result = reshape(loss, sizes)
    result.set_shape(leading)
    return result


def softmax_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """As `softmax_cross_entropy_with_logits_v2`, but no gradient flows to the labels."""
    _ensure_both(labels, logits, "softmax_cross_entropy_with_logits")
    with name_scope(name, "softmax_cross_entropy_with_logits_sg", [logits, labels]) as scope:
        fixed = stop_gradient(labels, name="labels_stop_gradient")
        return _softmax_cross_entropy(fixed, logits, dim if axis is None else axis, scope, scope)


# ---- SparseSoftmaxCrossEntropyWithLogits -------------------------------------------------


@op(
    "SparseSoftmaxCrossEntropyWithLogits",
    "features: T, labels: Tlabels -> loss: T, backprop: T",
    T=dtypes.FLOATS,
    Tlabels=dtypes.INDICES,
    samples=[
        lambda rng: (rng.normal(size=(4, 3)), np.array([0, 2, 1, 2], np.int32), {}),
        lambda rng: (rng.normal(size=(2, 100)), np.array([0, 99], np.int64), {}),
    ],
)
def sparse_softmax_cross_entropy_op(xp: Any, features: Any, labels: Any) -> tuple:
    """Gives for each row the negative log-probability of its class, and the gradient."""
    classes = features.shape[1]
    if xp is np and labels.size and (labels.min() < 0 or labels.max() >= classes):
        wrong = labels[(labels < 0) | (labels >= classes)]
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Received a label value of {wrong[0]} which is outside the valid range of "
            f"[0, {classes}).  Label values: {' '.join(str(v) for v in labels)}",
        )
    shifted = shifted_columns(xp, features)
    rows = xp.arange(features.shape[0])
    chosen = shifted[labels, rows]
    softmax_t = xp.exp(shifted, out=shifted)
    total = softmax_t.sum(axis=0)
    softmax_t /= total
    softmax_t[labels, rows] -= 1
    return xp.log(total) - chosen, softmax_t.T.copy()


@sparse_softmax_cross_entropy_op.shape
def _sparse_softmax_cross_entropy_shape(features: Any, labels: Any) -> list:
    matrix = features.shape.with_rank(2)
    vector = labels.shape.with_rank(1)
    check_same_dimensions(matrix[:1], vector)
    rows = matrix[:1].merge_with(vector)
    return [rows, rows.concatenate(matrix[1:])]


@sparse_softmax_cross_entropy_op.gradient
def _sparse_softmax_cross_entropy_grad(
    op: Any, dloss: Tensor | None, dbackprop: Tensor | None
) -> list:
    return [_through_backprop(op, dloss, dbackprop), None]


def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """The negative log-probability of each example's class under the softmax of `logits`.

    Args:
      labels: [...] int32 or int64, in [0, classes).
      logits: [..., classes] float; unscaled log-probabilities.
      name: the name.
    Returns: a tensor like `labels`, of the type of `logits`.
    Raises:
      ValueError: when the shapes do not fit.
    """
    _ensure_both(labels, logits, "sparse_softmax_cross_entropy_with_logits")
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]):
        labels = convert_to_tensor(labels)
        logits = convert_to_tensor(logits)
        given, expected = labels.shape, logits.shape[:-1]
        if logits.shape.ndims == 0:
            raise ValueError(f"Logits cannot be scalars - received shape {logits.shape}.")
        if logits.shape.ndims is not None and given.ndims not in (None, logits.shape.ndims - 1):
            raise ValueError(
                f"Rank mismatch: Rank of labels (received {given.ndims}) should equal rank of logits "
                f"minus 1 (received {logits.shape.ndims})."
            )
        if not given.is_compatible_with(expected):
            raise ValueError(
                f"Shape mismatch: The shape of labels (received {given}) should equal the shape of "
                f"logits except for the last dimension (received {logits.shape})."
            )
        precise = cast(logits, dtypes.float32) if logits.dtype == dtypes.float16 else logits
        flat = precise.shape.ndims in (None, 2)
        rows = precise if flat else _flat_rows(precise)
        vector = labels if flat else reshape(labels, [-1])
        loss, _ = sparse_softmax_cross_entropy_op(rows, vector)
        if not flat:
            loss = _unflattened(loss, precise)
        return cast(loss, dtypes.float16) if logits.dtype == dtypes.float16 else loss


# ---- losses made of other ops ------------------------------------------------------------


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """The cross entropy of independent yes-or-no classes: max(x, 0) - x z + log(1 + exp(-|x|)).

    Args:
      labels: z, of the shape and type of `logits`.
      logits: x, float.
      name: the name.
    """
    _ensure_both(labels, logits, "sigmoid_cross_entropy_with_logits")
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        if not labels.shape.is_compatible_with(logits.shape):
            raise ValueError(
                f"logits and labels must have the same shape ({logits.shape} vs {labels.shape})"
            )
        zeros = zeros_like(logits)
        positive = greater_equal(logits, zeros)
        relu_logits = where(positive, logits, zeros)
        neg_abs_logits = where(positive, negative(logits), logits)
        return add_v2(
            subtract(relu_logits, multiply(logits, labels, name="mul"), name="sub"),
            log1p(exp(neg_abs_logits)),
            name=scope,
        )


def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: Any = None,
) -> Tensor:
    """As `sigmoid_cross_entropy_with_logits`, with positive examples counted `pos_weight` times.

    `targets` is an old name of `labels`.
    """
    labels = one_of("labels", labels, "targets", targets)
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="targets")
        if not labels.shape.is_compatible_with(logits.shape):
            raise ValueError(
                f"logits and targets must have the same shape ({logits.shape} vs {labels.shape})"
            )
        weight = 1 + (pos_weight - 1) * labels
        tail = log1p(exp(negative(abs(logits)))) + relu(negative(logits))
        return add_v2((1 - labels) * logits, weight * tail, name=scope)


@op(
    "L2Loss",
    "t: T -> output: T",
    T=dtypes.FLOATS,
    samples=[lambda rng: (rng.normal(size=(2, 3)), {}), lambda rng: (rng.normal(), {})],
)
def l2_loss_op(xp: Any, t: Any) -> Any:
    """Gives half the sum of the squares."""
    flat = t.ravel()
    return t.dtype.type(0.5) * xp.dot(flat, flat)


@l2_loss_op.shape
def _l2_loss_shape(t: Any) -> Any:
    return TensorShape(())


@l2_loss_op.gradient
def _l2_loss_grad(op: Any, dy: Tensor) -> list:
    return [multiply(op.inputs[0], dy)]


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half the sum of the squares of `t`."""
    return l2_loss_op(t, name=name)


# ---- InTopKV2, TopKV2 --------------------------------------------------------------------


@op(
    "InTopKV2",
    "predictions: float32, targets: T, k: T -> precision: bool",
    T=dtypes.INDICES,
    differentiable=False,
    samples=[
        lambda rng: (
            rng.normal(size=(4, 3)).astype(np.float32), np.array([0, 2, 1, 7], np.int32),
            np.int32(2), {},
        )
    ],
)
def in_top_k_op(xp: Any, predictions: Any, targets: Any, k: Any) -> Any:
    """Tells for each row whether fewer than k of its values exceed that of the target class."""
    classes = predictions.shape[1]
    valid = (targets >= 0) & (targets < classes)
    chosen = predictions[xp.arange(targets.size), xp.where(valid, targets, 0)]
    larger = (predictions > chosen[:, None]).sum(axis=1)
    return valid & xp.isfinite(predictions).all(axis=1) & (larger < k)


@in_top_k_op.shape
def _in_top_k_shape(predictions: Any, targets: Any, k: Any) -> Any:
    rows, vector = predictions.shape.with_rank(2)[:1], targets.shape.with_rank(1)
    check_same_dimensions(rows, vector)
    return rows.merge_with(vector)


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether each target class is among the `k` largest predictions of its row; ties count.

    Args:
      predictions: [batch, classes] float32.
      targets: [batch] int32 or int64.
      k: how many to look at.
    """
    with name_scope(name, "in_top_k"):
        return in_top_k_op(predictions, targets, k)


# ---- normalization -----------------------------------------------------------------------


def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None
) -> Tensor:
    """`x` divided by its Euclidean norm along `axis`: x / sqrt(max(sum(x**2), epsilon))."""
    with name_scope(name, "l2_normalize", [x]) as scope:
        axis = one_of("axis", axis, "dim", dim)
        x = convert_to_tensor(x, name="x")
        total = reduce_sum(square(x), axis, keepdims=True)
        return multiply(x, rsqrt(maximum(total, epsilon)), name=scope)


def moments(
    x: Any,
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
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """`x` with each element set to 0 with probability `rate`, and the others scaled by 1 / (1 - rate).

    Args:
      x: a float tensor.
      keep_prob: 1 - rate; the old way to say it.
      noise_shape: the shape in which is decided what to drop; it broadcasts to that of `x`. A size of
        None is that of `x`.
      seed: makes the choice repeatable.
      name: the name.
      rate: a number in [0, 1) or a scalar tensor.
    Raises:
      ValueError: when `x` is not float, or neither or both of `rate` and `keep_prob` are given.
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
    with name_scope(name, "dropout", [x]) as scope:
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
        result = multiply(x * scale, cast(keep, x.dtype.base_dtype), name=f"{scope}mul_1")
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


# ---- embeddings --------------------------------------------------------------------------


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """The rows of the table `params` that `ids` names.

    Args:
      params: [rows, ...], a tensor or variable, or a list of one.
      ids: int32 or int64, of any shape.
      partition_strategy: how rows lie on several tables; with one table it says nothing.
      name: the name.
      validate_indices: accepted; indices are always checked on the CPU.
      max_norm: when given, rows longer than this are scaled to it.
    Raises:
      ValueError: when there is no table, or more than one.
    """
    tables = list(params) if isinstance(params, (list, tuple)) else [params]
    if params is None or not tables:
        raise ValueError("Need at least one param")
    if len(tables) > 1:
        raise ValueError(
            f"embedding_lookup takes one table, got {len(tables)}: concatenate them, or gather from each."
        )
    with name_scope(name, "embedding_lookup", [ids]) as scope:
        ids = convert_to_tensor(ids, name="ids")
        table = convert_to_tensor(tables[0], name="params_0")
        with colocate_with(table.op):
            rows = gather(table, ids, name=scope)
            if max_norm is not None:
                rank = ids.shape.ndims
                axes = list(range(static_int(rank, "ids"), table.shape.ndims - 1 + rank))
                rows = clip_by_norm(rows, max_norm, axes=axes)
        return identity(rows)

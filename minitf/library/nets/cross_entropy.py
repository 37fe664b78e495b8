"""The cross entropies of softmax and of sigmoid, L2Loss, and the top-k test beside them.

The two cross entropies of softmax give the loss and, from the same pass, its gradient by the
logits:

    logits ──┬─> loss
    labels ──┴─> backprop = softmax(logits) - labels
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.shapes import broadcast_shapes
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels import dense
from minitf.core.kernels.host import on_cpu
from minitf.core.ops.array import check_same_dimensions, one_of, stop_gradient
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_shaping import expand_dims, reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal, where
from minitf.core.ops.elementwise import invalid, sample, shown, unbroadcast
from minitf.core.ops.math import add_v2, div_no_nan, exp, multiply, negative, subtract
from minitf.core.ops.reductions import reduce_sum
from minitf.library.nets.activations import log_softmax, relu, softmax
from minitf.library.numeric.elementwise import log1p

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
    """Gives each row's cross entropy of `labels` and softmax of `features`, and its gradient."""
    if features.shape != labels.shape:  # rows that broadcast
        try:
            sizes = np.broadcast_shapes(labels.shape, features.shape)
        except ValueError:
            raise invalid(
                f"logits and labels must be broadcastable: logits_size={shown(features)} "
                f"labels_size={shown(labels)}"
            ) from None
        features, labels = xp.broadcast_to(features, sizes), xp.broadcast_to(labels, sizes)
    return dense.softmax_cross_entropy(xp, features, labels)


@softmax_cross_entropy_op.shape
def _softmax_cross_entropy_shape(features: Any, labels: Any) -> list:
    both = broadcast_shapes(features.shape, labels.shape).with_rank(2)
    return [both[:1], both]


@softmax_cross_entropy_op.gradient
def _softmax_cross_entropy_grad(op: Any, dloss: Tensor | None, dbackprop: Tensor | None) -> list:
    logits, labels = op.inputs
    dlogits = _through_backprop(op, dloss, dbackprop)
    dlabels = None if dbackprop is None else negative(dbackprop)
    if dloss is not None:
        by_loss = multiply(expand_dims(dloss, -1), negative(log_softmax(logits)))
        dlabels = by_loss if dlabels is None else add_v2(by_loss, dlabels, name="add")
    return [unbroadcast(d, x) for d, x in ((dlogits, logits), (dlabels, labels))]


def _through_backprop(op: Any, dloss: Tensor | None, dbackprop: Tensor | None) -> Tensor | None:
    """The gradient by the logits, from those of the loss and of the op's second output."""
    result = None if dloss is None else multiply(expand_dims(dloss, -1), op.outputs[1])
    if dbackprop is None:
        return result
    p = softmax(op.inputs[0])
    mean = reduce_sum(multiply(dbackprop, p), -1, keepdims=True)
    second = multiply(subtract(dbackprop, mean), p)
    return second if result is None else add_v2(result, second, name="add")


def _ensure_both(sentinel: Any, labels: Any, logits: Any, function: str) -> None:
    if sentinel is not None:
        raise ValueError(
            f"Only call `{function}` with named arguments (labels=..., logits=..., ...)"
        )
    if labels is None or logits is None:
        raise ValueError(f"Both labels and logits must be provided to {function}.")


def _flat_rows(x: Tensor) -> Tensor:
    """`x` as a matrix: all axes but the last become one."""
    classes = None if x.shape.ndims is None else x.shape.as_list()[-1]
    return reshape(x, [-1, classes or shape_of(x)[-1]])


def softmax_cross_entropy_with_logits_v2(
    labels: TensorLike,
    logits: TensorLike,
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
    Example:
      >>> labels, logits = [[0., 1.]], [[1., 1.]]
      >>> loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
      >>> sess.run(loss).round(4)
      array([0.6931], dtype=float32)
    """
    axis = one_of("axis", axis, "dim", dim)
    return _softmax_cross_entropy(
        labels, logits, -1 if axis is None else axis, name, "softmax_cross_entropy_with_logits"
    )


def _softmax_cross_entropy(
    labels: Any, logits: Any, axis: int, name: str | None, default_name: str
) -> Tensor:
    _ensure_both(None, labels, logits, "softmax_cross_entropy_with_logits")
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
    if (
        leading.ndims is not None
        and leading.as_list().count(None) <= 1
        and 0 not in leading.as_list()
    ):
        sizes: Any = [-1 if s is None else s for s in leading.as_list()]
    else:
        sizes = shape_of(rows)[:-1]
    result = reshape(loss, sizes)
    result.set_shape(leading)
    return result


def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: TensorLike = None,
    logits: TensorLike = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """As `softmax_cross_entropy_with_logits_v2`, but no gradient flows to the labels.

    Args:
      _sentinel: nothing; the rest is given by name.
      labels: the probabilities of each class, [batch, classes]; each row sums to 1.
      logits: the scores before a softmax, of the same shape.
      dim: the axis of the classes.
      name: the operation's name.
      axis: the newer name of `dim`.
    Example:
      >>> labels, logits = [[0., 1.]], [[1., 1.]]
      >>> loss = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
      >>> sess.run(loss).round(4)
      array([0.6931], dtype=float32)
    """
    _ensure_both(_sentinel, labels, logits, "softmax_cross_entropy_with_logits")
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
        sample((4, 3), np.array([0, 2, 1, 2], np.int32)),
        sample((2, 100), np.array([0, 99], np.int64)),
    ],
)
def sparse_softmax_cross_entropy_op(xp: Any, features: Any, labels: Any) -> tuple:
    """Gives for each row the negative log-probability of its class, and the gradient."""
    classes = features.shape[1]
    if np.ndim(labels) != 1:
        raise invalid(f"labels must be 1-D, but got shape {list(np.shape(labels))}")
    if len(features) != len(labels):
        raise invalid(
            "logits and labels must have the same first dimension, got logits shape "
            f"[{len(features)},{classes}] and labels shape [{len(labels)}]"
        )
    if on_cpu(xp):
        _check_labels(labels, classes)
        return dense.sparse_softmax_cross_entropy(xp, features, labels)
    loss, backprop = dense.sparse_softmax_cross_entropy(xp, features, labels)
    wrong = (labels < 0) | (labels >= classes)  # a GPU does not stop for them: NaN says it
    nan = features.dtype.type(np.nan)
    return xp.where(wrong, nan, loss), xp.where(wrong[:, None], nan, backprop)


def _check_labels(labels: Any, classes: int) -> None:
    """Refuses labels that are no class.

    Raises:
      InvalidArgumentError: "Received a label value of 7 which is outside the valid range ...".
    """
    if labels.size and (labels.min() < 0 or labels.max() >= classes):
        wrong = labels.min() if labels.min() < 0 else labels.max()
        raise invalid(
            f"Received a label value of {wrong} which is outside the valid range of "
            f"[0, {classes}).  Label values: {' '.join(str(v) for v in labels)}"
        )


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
    _sentinel: Any = None,
    labels: TensorLike = None,
    logits: TensorLike = None,
    name: str | None = None,
) -> Tensor:
    """The negative log-probability of each example's class under the softmax of `logits`.

    Args:
      labels: [...] int32 or int64, in [0, classes).
      logits: [..., classes] float; unscaled log-probabilities.
      name: the name.
    Returns: a tensor like `labels`, of the type of `logits`.
    Raises:
      ValueError: when the shapes do not fit.
    Example:
      >>> logits = [[1., 1.], [1., 1.]]
      >>> loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 0], logits=logits)
      >>> sess.run(loss).round(4)
      array([0.6931, 0.6931], dtype=float32)
    """
    _ensure_both(_sentinel, labels, logits, "sparse_softmax_cross_entropy_with_logits")
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]):
        labels = convert_to_tensor(labels)
        logits = convert_to_tensor(logits)
        given, expected = labels.shape, logits.shape[:-1]
        if logits.shape.ndims == 0:
            raise ValueError(f"Logits cannot be scalars - received shape {logits.shape}.")
        if logits.shape.ndims is not None and given.ndims not in (None, logits.shape.ndims - 1):
            raise ValueError(
                f"Rank mismatch: Rank of labels (received {given.ndims}) should equal rank of "
                "logits "
                f"minus 1 (received {logits.shape.ndims})."
            )
        if not given.is_compatible_with(expected):
            raise ValueError(
                f"Shape mismatch: The shape of labels (received {given}) should equal the shape of "
                f"logits except for the last dimension (received {logits.shape})."
            )
        precise = cast(logits, dtypes.float32) if logits.dtype == dtypes.float16 else logits
        flat = precise.shape.ndims == 2
        rows = precise if flat else _flat_rows(precise)
        vector = labels if flat else reshape(labels, [-1])
        loss, _ = sparse_softmax_cross_entropy_op(rows, vector, name=name)
        if not flat:
            loss = _unflattened(loss, precise)
        return cast(loss, dtypes.float16) if logits.dtype == dtypes.float16 else loss


# ---- losses made of other ops ------------------------------------------------------------


def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: TensorLike = None,
    logits: TensorLike = None,
    name: str | None = None,
) -> Tensor:
    """The cross entropy of independent yes-or-no classes: max(x, 0) - x z + log(1 + exp(-|x|)).

    Args:
      labels: z, of the shape and type of `logits`.
      logits: x, float.
      name: the name.
    Example:
      >>> loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=[1., 0.], logits=[0., 0.])
      >>> sess.run(loss).round(4)
      array([0.6931, 0.6931], dtype=float32)
    """
    _ensure_both(_sentinel, labels, logits, "sigmoid_cross_entropy_with_logits")
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
    labels: TensorLike = None,
    logits: TensorLike = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: TensorLike = None,
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


def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Tensor:
    """The sum of the examples' losses, divided by the size of the batch.

    Args:
      per_example_loss: [batch] losses.
      sample_weight: what each counts.
      global_batch_size: the number to divide by, where the batch is spread over several tasks.
    """
    loss = convert_to_tensor(per_example_loss)
    kind = loss.dtype
    if sample_weight is not None:
        loss = loss * cast(convert_to_tensor(sample_weight), kind)
    if global_batch_size is None:
        size = shape_of(loss)[0] * _replicas("compute_average_loss")
    else:
        size = convert_to_tensor(global_batch_size)
    return div_no_nan(reduce_sum(loss), cast(size, kind))


def _replicas(function: str) -> int:
    """How many replicas share a batch; to be asked in one of them.

    Raises:
      RuntimeError: when this is between the replicas of a strategy.
    """
    place = stacks.strategies.top()
    if place is None:
        return 1
    if place.replica_context is None:
        raise RuntimeError(
            f"You are calling `{function}` in cross replica context, while it was expected to be "
            "called in replica context."
        )
    return place.strategy.num_replicas_in_sync


@op(
    "L2Loss",
    "t: T -> output: T",
    T=dtypes.FLOATS,
    samples=[sample((2, 3)), sample(())],
)
def l2_loss_op(xp: Any, t: Any) -> Any:
    """Gives half the sum of the squares."""
    flat = t.ravel()
    return t.dtype.type(0.5) * xp.dot(flat, flat)


l2_loss_op.shape(scalar_shape)


@l2_loss_op.gradient
def _l2_loss_grad(op: Any, dy: Tensor) -> list:
    return [multiply(op.inputs[0], dy)]


def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of the squares of `t`.

    Args:
      t: a tensor of floats.
      name: the operation's name.
    Example:
      >>> sess.run(tf.nn.l2_loss([3., 4.]))
      12.5
    """
    return l2_loss_op(t, name=name)


# ---- InTopKV2, TopKV2 --------------------------------------------------------------------


@op(
    "InTopKV2",
    "predictions: float32, targets: T, k: T -> precision: bool",
    host=("k",),
    T=dtypes.INDICES,
    samples=[
        lambda rng: (
            rng.normal(size=(4, 3)).astype(np.float32),
            np.array([0, 2, 1, 7], np.int32),
            np.int32(2),
            {},
        )
    ],
)
def in_top_k_op(xp: Any, predictions: Any, targets: Any, k: Any) -> Any:
    """Tells for each row whether fewer than k of its values exceed that of the target class."""
    if np.ndim(k):
        raise invalid(f"k must be 0-D, got shape [{','.join(str(n) for n in np.shape(k))}]")
    if len(predictions) != len(targets):
        raise invalid(
            f"First dimension of predictions {len(predictions)} must match length of targets "
            f"{len(targets)}"
        )
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


def in_top_k(
    predictions: TensorLike, targets: TensorLike, k: Any, name: str | None = None
) -> Tensor:
    """Whether each target class is among the `k` largest predictions of its row; ties count.

    Args:
      predictions: [batch, classes] float32.
      targets: [batch] int32 or int64.
      k: how many to look at.
    Example:
      >>> sess.run(tf.nn.in_top_k([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]], [2, 1], 1))
      array([False, False])
    """
    with name_scope(name, "in_top_k"):
        return in_top_k_op(predictions, targets, k)

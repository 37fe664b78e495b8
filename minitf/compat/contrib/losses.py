"""`tf.contrib.losses`: the losses before `tf.losses`, predictions first.

Their weights are others, too. A weight for each example counts for all that the example holds, and
the loss is the mean over the elements whose weight is not zero:

    losses [batch, d1, ...]    weights [], [batch] or [batch, d1, ...]
    value = (sum of weights * losses) / (number of losses with a weight other than 0)
"""

from __future__ import annotations

from typing import Any

from minitf.compat.contrib.arg_scope import add_arg_scope
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import size
from minitf.core.ops.array_filling import ones, ones_like, zeros_like
from minitf.core.ops.array_shaping import reshape, squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, not_equal, where
from minitf.core.ops.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from minitf.core.ops.math import abs, div_no_nan, log, multiply, square, subtract
from minitf.core.ops.reductions import reduce_prod, reduce_sum
from minitf.library.losses import util


@add_arg_scope
def add_loss(loss: Tensor, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Lists a loss for `get_total_loss`; `None` lists it nowhere."""
    util.add_loss(loss, loss_collection)


def _rank(tensor: Tensor, name: str) -> int:
    if tensor.shape.ndims is None:
        raise ValueError(f"{name}.get_shape().ndims cannot be None")
    return tensor.shape.ndims


def _scaled(losses: Tensor, weights: Tensor) -> Tensor:
    """The sum of all losses, each times the weight that it shares with its neighbours."""
    shared = list(range(_rank(weights, "weight"), _rank(losses, "losses")))
    return reduce_sum(multiply(reduce_sum(losses, shared), weights))


def _present(losses: Tensor, weights: Tensor) -> Tensor:
    """[batch]: how many losses of each example count."""
    rank = _rank(weights, "weights")
    if rank > _rank(losses, "losses"):
        raise ValueError(f"Weights of rank {rank} for losses of rank {losses.shape.ndims}.")
    if not rank:
        batch = shape_of(losses)[0]
        each = cast(size(losses), dtypes.float32) / cast(batch, dtypes.float32)
        return where(equal(weights, 0), zeros_like(each), each) * ones([batch])
    counted = reduce_sum(cast(not_equal(weights, 0), dtypes.float32), list(range(1, rank)))
    return counted * cast(reduce_prod(shape_of(losses)[rank:]), dtypes.float32)


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """The mean of losses with weights; it is listed in `GraphKeys.LOSSES`.

    Args:
      losses: [batch, d1, ...].
      weights: [], [batch] or [batch, d1, ...]; a last axis of size 1 is left out.
      scope: the name of the scope.
    Raises:
      ValueError: when the rank of either is not known.
    """
    with name_scope(scope, "weighted_loss", [losses, weights]):
        losses = convert_to_tensor(losses)
        result = losses.dtype
        losses = cast(losses, dtypes.float32)
        weights = cast(convert_to_tensor(weights), dtypes.float32)
        _rank(losses, "losses")
        if _rank(weights, "weight") > 1 and weights.shape[-1].is_compatible_with(1):
            weights = squeeze(weights, [-1])
        total = reduce_sum(_present(losses, weights))
        mean = cast(div_no_nan(_scaled(losses, weights), total, name="value"), result)
        add_loss(mean)
        return mean


def _compared(predictions: Any, labels: Any) -> tuple[Tensor, Tensor]:
    predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return cast(predictions, dtypes.float32), cast(labels, dtypes.float32)


def absolute_difference(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The mean of |predictions - labels|."""
    with name_scope(scope, "absolute_difference", [predictions, labels]) as inside:
        predictions, labels = _compared(predictions, labels)
        return compute_weighted_loss(abs(subtract(predictions, labels)), weights, inside)


def mean_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The mean of (predictions - labels)^2."""
    with name_scope(scope, "mean_squared_error", [predictions, labels]) as inside:
        predictions, labels = _compared(predictions, labels)
        return compute_weighted_loss(square(subtract(predictions, labels)), weights, inside)


def log_loss(
    predictions: Any, labels: Any = None, weights: Any = 1.0, epsilon: float = 1e-7,
    scope: str | None = None,
) -> Tensor:  # fmt: skip
    """The mean of -labels log(predictions) - (1 - labels) log(1 - predictions)."""
    with name_scope(scope, "log_loss", [predictions, labels]) as inside:
        predictions, labels = _compared(predictions, labels)
        right = multiply(labels, log(predictions + epsilon))
        wrong = multiply(1 - labels, log(1 - predictions + epsilon))
        return compute_weighted_loss(-right - wrong, weights, inside)


def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Tensor:
    """max(0, 1 - logits * labels) with labels of -1 and 1 for 0 and 1, element by element.

    It is neither weighted nor listed: `compute_weighted_loss` does that.
    """
    with name_scope(scope, "hinge_loss", [logits, labels]):
        logits, labels = _compared(logits, labels)
        one = ones_like(labels)
        return relu(one - (2 * labels - one) * logits)


def cosine_distance(
    predictions: Any, labels: Any = None, axis: int | None = None, weights: Any = 1.0,
    scope: str | None = None, dim: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean of 1 - the products of predictions and labels, both of length 1 along `axis`."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with name_scope(scope, "cosine_distance_loss", [predictions, labels]) as inside:
        predictions, labels = _compared(predictions, labels)
        losses = 1 - reduce_sum(multiply(predictions, labels), [axis])
        return compute_weighted_loss(losses, weights, inside)


def mean_pairwise_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """How far differences between the elements of an example are from those of its labels."""
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels]):
        predictions, labels = _compared(predictions, labels)
        weights = cast(convert_to_tensor(weights), dtypes.float32)
        gaps = subtract(predictions, labels)
        inner = list(range(1, _rank(gaps, "diffs")))
        counts = _present(gaps, weights)
        squares = 2.0 * div_no_nan(reduce_sum(square(gaps), inner), counts)
        sums = 2.0 * div_no_nan(square(reduce_sum(gaps, inner)), square(counts))
        loss = _scaled(squares - sums, weights)
        mean = where(greater(reduce_sum(counts), 0), loss, zeros_like(loss), name="value")
        add_loss(mean)
        return mean


def sigmoid_cross_entropy(
    logits: Any, multi_class_labels: Any, weights: Any = 1.0, label_smoothing: float = 0,
    scope: str | None = None,
) -> Tensor:  # fmt: skip
    """The mean of -log of what a sigmoid gives each label; smoothing brings labels to one half."""
    with name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels]) as inside:
        logits = convert_to_tensor(logits)
        labels = cast(multi_class_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, inside)


def softmax_cross_entropy(
    logits: Any, onehot_labels: Any, weights: Any = 1.0, label_smoothing: float = 0,
    scope: str | None = None,
) -> Tensor:  # fmt: skip
    """The mean of -log of what a softmax gives labels [batch, classes], smoothed or not."""
    with name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels]) as inside:
        logits = convert_to_tensor(logits)
        labels = cast(onehot_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            classes = cast(shape_of(labels)[1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        losses = softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, inside)


def sparse_softmax_cross_entropy(
    logits: Any, labels: Any, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The mean of -log of what a softmax gives the classes `labels`, [batch] or [batch, 1]."""
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels]) as inside:
        labels = convert_to_tensor(labels)
        labels = reshape(labels, [shape_of(labels)[0]])
        losses = sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, inside)

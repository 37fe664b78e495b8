"""`tf.contrib.losses`: the losses of `tf.losses` as they were before, predictions first."""

from __future__ import annotations

from typing import Any

from minitf.library.losses import losses


def absolute_difference(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """`tf.losses.absolute_difference`, with the predictions first."""
    return losses.absolute_difference(labels, predictions, weights, scope)


def mean_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """`tf.losses.mean_squared_error`, with the predictions first."""
    return losses.mean_squared_error(labels, predictions, weights, scope)


def log_loss(
    predictions: Any,
    labels: Any = None,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
) -> Any:
    """`tf.losses.log_loss`, with the predictions first."""
    return losses.log_loss(labels, predictions, weights, epsilon, scope)


def hinge_loss(
    logits: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """`tf.losses.hinge_loss`, with the logits first."""
    return losses.hinge_loss(labels, logits, weights, scope)


def cosine_distance(
    predictions: Any,
    labels: Any = None,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    dim: int | None = None,
) -> Any:
    """`tf.losses.cosine_distance`, with the predictions first."""
    axis = dim if axis is None else axis
    return losses.cosine_distance(labels, predictions, axis=axis, weights=weights, scope=scope)


def sigmoid_cross_entropy(
    logits: Any,
    multi_class_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Any:
    """`tf.losses.sigmoid_cross_entropy`, with the logits first."""
    return losses.sigmoid_cross_entropy(multi_class_labels, logits, weights, label_smoothing, scope)


def softmax_cross_entropy(
    logits: Any,
    onehot_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Any:
    """`tf.losses.softmax_cross_entropy`, with the logits first."""
    return losses.softmax_cross_entropy(onehot_labels, logits, weights, label_smoothing, scope)


def sparse_softmax_cross_entropy(
    logits: Any, labels: Any, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """`tf.losses.sparse_softmax_cross_entropy`, with the logits first."""
    return losses.sparse_softmax_cross_entropy(labels, logits, weights, scope)

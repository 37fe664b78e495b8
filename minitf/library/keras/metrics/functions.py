"""What each example scores: 1 where the prediction is right, 0 where it is not."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_shaping import reshape, squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal
from minitf.core.ops.losses import in_top_k
from minitf.core.ops.reductions import argmax, reduce_mean
from minitf.library.keras.backend.config import floatx


def accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """Where predictions equal labels."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    y_true.shape.assert_is_compatible_with(y_pred.shape)
    return cast(equal(y_true, cast(y_pred, y_true.dtype)), floatx())


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Tensor:
    """The part, over the last axis, of answers that are right.

    Args:
      y_true: 0 or 1.
      y_pred: probabilities.
      threshold: above which a prediction says 1.
    """
    y_pred = convert_to_tensor(y_pred)
    answers = cast(y_pred > cast(threshold, y_pred.dtype), y_pred.dtype)
    return reduce_mean(cast(equal(cast(y_true, y_pred.dtype), answers), floatx()), axis=-1)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """Where the largest score is that of the right class; labels are [..., classes].

    Args:
      y_true: labels [..., classes], 1 at the right class.
      y_pred: scores of that shape.
    Example:
      >>> labels, scores = [[0, 1], [1, 0]], [[0.2, 0.8], [0.4, 0.6]]
      >>> sess.run(tf.keras.metrics.categorical_accuracy(labels, scores))
      array([1., 0.], dtype=float32)
    """
    return cast(equal(argmax(y_true, axis=-1), argmax(y_pred, axis=-1)), floatx())


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """Where the largest score is that of the right class; labels are numbers of classes."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    ranks = y_true.shape.ndims, y_pred.shape.ndims
    if None not in ranks and ranks[0] == ranks[1]:
        y_true = squeeze(y_true, [-1])
    return cast(equal(y_true, cast(argmax(y_pred, axis=-1), y_true.dtype)), floatx())


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Tensor:
    """Where the right class is among the k best; labels are [..., classes]."""
    return sparse_top_k_categorical_accuracy(argmax(y_true, axis=-1), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Tensor:
    """Where the right class is among the k best; labels are numbers of classes."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    if y_pred.shape.ndims is not None and y_pred.shape.ndims > 2:
        y_pred = reshape(y_pred, [-1, y_pred.shape[-1].value])
    if y_true.shape.ndims is not None and y_true.shape.ndims > 1:
        y_true = reshape(y_true, [-1])
    return cast(in_top_k(y_pred, cast(y_true, dtypes.int32), k), floatx())

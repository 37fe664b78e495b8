"""Metrics that count: right and wrong answers to yes-or-no questions, and classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, size
from minitf.core.ops.array_filling import ones_like, zeros_like
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, logical_and, not_equal, where
from minitf.core.ops.examples import named
from minitf.core.ops.math import add, div_no_nan, divide, maximum, multiply, subtract
from minitf.core.ops.reductions import reduce_sum
from minitf.core.ops.scatter import scatter_add
from minitf.core.ops.state import assign_add
from minitf.core.variables.variables import Variable
from minitf.library.metrics.base import Metric, align, collect, metric_scope, metric_variable
from minitf.library.numeric.confusion_matrix import confusion_matrix
from minitf.library.numeric.diagonals import diag_part
from minitf.library.numeric.weights import broadcast_weights


def _of_answers(
    function_name: str, sentence: str, compute: Callable[[Tensor, Tensor, Any], Metric]
) -> Callable[..., Metric]:
    """Makes the public function of a metric of answers that are True or False.

    Args:
      compute: a function from labels, predictions and weights to the value and the update.
    """

    def function(
        labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
        updates_collections: Any = None, name: str | None = None,
    ) -> Metric:  # fmt: skip
        with metric_scope(function_name, name, [predictions, labels, weights]):
            guess, truth = cast(predictions, dtypes.bool), cast(labels, dtypes.bool)
            guess, truth, weights = align(guess, truth, weights)
            both = compute(truth, guess, weights)
            return collect(*both, metrics_collections, updates_collections)

    doc = f"""{sentence}

    Args:
      labels: the truth; what is not 0 counts as True.
      predictions: of the same shape, likewise.
      weights, metrics_collections, updates_collections, name: see `mean`.

    Returns: (value, update), both float32 scalars.
    """
    return named(function, function_name, doc)


def _counter(function_name: str, label: bool, prediction: bool) -> Callable[..., Metric]:
    """Makes the public function that counts the pairs of this label and this prediction."""

    def count(truth: Tensor, guess: Tensor, weights: Any) -> Metric:
        found = logical_and(equal(truth, label), equal(guess, prediction))
        total = metric_variable([], dtypes.float32, name="count")
        values = cast(found, dtypes.float32)
        if weights is not None:
            values = multiply(values, cast(weights, dtypes.float32))
        return identity(total), assign_add(total, reduce_sum(values))

    sentence = f"How often the prediction was {prediction} where the label was {label}."
    return _of_answers(function_name, sentence, count)


true_positives = _counter("true_positives", True, True)
false_positives = _counter("false_positives", False, True)
true_negatives = _counter("true_negatives", False, False)
false_negatives = _counter("false_negatives", True, False)


def _share(
    wrong: Callable[..., Metric], counted: Callable[..., Metric] = true_positives
) -> Callable[[Tensor, Tensor, Any], Metric]:
    """What `counted` counts (TP) as a part of it and what `wrong` counts; 0 of nothing."""

    def share(right: Tensor, others: Tensor, name: str) -> Tensor:
        both = add(right, others)
        return where(greater(both, 0), divide(right, both), zeros_like(both), name)

    def compute(truth: Tensor, guess: Tensor, weights: Any) -> Metric:
        right, new_right = counted(truth, guess, weights)
        others, new_others = wrong(truth, guess, weights)
        return share(right, others, "value"), share(new_right, new_others, "update_op")

    return compute


precision = _of_answers(
    "precision",
    "Of what was predicted True, the part that is: TP / (TP + FP), or 0.",
    _share(false_positives),
)
recall = _of_answers(
    "recall",
    "Of what is True, the part that was predicted so: TP / (TP + FN), or 0.",
    _share(false_negatives),
)
false_positive_rate = _of_answers(
    "false_positive_rate",
    "Of what is False, the part that was predicted True: FP / (FP + TN), or 0.",
    _share(true_negatives, false_positives),
)
false_negative_rate = _of_answers(
    "false_negative_rate",
    "Of what is True, the part that was predicted False: FN / (FN + TP), or 0.",
    _share(true_positives, false_negatives),
)

# ---- classes -----------------------------------------------------------------------------------


def _flat(tensor: Any) -> Tensor:
    return tensor if tensor.shape.ndims == 1 else reshape(tensor, [-1])


def streaming_confusion_matrix(
    labels: Any, predictions: Any, num_classes: int, weights: Any = None
) -> tuple[Variable, Tensor]:
    """How often each class was taken for each other: (so far, its update), float64."""
    predictions, labels, weights = align(predictions, labels, weights)
    shape = [num_classes, num_classes]
    total = metric_variable(shape, dtypes.float64, name="total_confusion_matrix")
    counts = confusion_matrix(
        _flat(cast(labels, dtypes.int64)),
        _flat(cast(predictions, dtypes.int64)),
        num_classes,
        dtype=dtypes.float64,
        weights=None if weights is None else _flat(weights),
    )
    return total, assign_add(total, counts)


def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean over the classes of intersection / union: TP / (TP + FP + FN).

    Args:
      labels: class numbers, of any shape.
      predictions: of the same shape.
      num_classes: how many classes there are.

    The other arguments are those of `mean`.
    Returns: (value, update): a float32 scalar, and the confusion matrix so far.
    """
    with metric_scope("mean_iou", name, [predictions, labels, weights]):
        total, update = streaming_confusion_matrix(labels, predictions, num_classes, weights)
        matrix = cast(total, dtypes.float32)
        rows, columns = reduce_sum(matrix, 1), reduce_sum(matrix, 0)
        both = cast(diag_part(matrix), dtypes.float32)
        union = subtract(add(rows, columns), both)
        # Only classes count that were seen.
        seen = reduce_sum(cast(not_equal(union, 0), dtypes.float32))
        union = where(greater(union, 0), union, ones_like(union))
        shares = reduce_sum(divide(both, union), name="mean_iou")
        value = where(greater(seen, 0), divide(shares, seen), zeros_like(shares))
        return collect(value, update, metrics_collections, updates_collections)


def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean over the classes of the accuracy within each; see `mean_iou` for the arguments.

    Returns: (value, update): float32, a scalar and [num_classes].
    """
    values = [predictions, labels, weights]
    with metric_scope("mean_per_class_accuracy", name, values, "mean_accuracy"):
        labels = cast(labels, dtypes.int64)
        predictions, labels, weights = align(predictions, labels, weights)
        labels, predictions = _flat(labels), _flat(cast(predictions, dtypes.int64))
        total = metric_variable([num_classes], dtypes.float32, name="total")
        count = metric_variable([num_classes], dtypes.float32, name="count")
        ones = ones_like(labels, dtype=dtypes.float32)
        right = cast(equal(predictions, labels), dtypes.float32)
        if weights is not None:
            weights = broadcast_weights(cast(_flat(weights), dtypes.float32), right)
            right, ones = multiply(right, weights), multiply(ones, weights)
        new_total = scatter_add(total, labels, ones)
        new_count = scatter_add(count, labels, right)
        update = div_no_nan(new_count, maximum(new_total, 0), name="update_op")
        each = div_no_nan(count, maximum(total, 0))
        value = divide(reduce_sum(each), cast(size(each), dtypes.float32), name="mean_accuracy")
        return collect(value, update, metrics_collections, updates_collections)

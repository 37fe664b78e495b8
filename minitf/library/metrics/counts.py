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
from minitf.core.ops.math import add, div_no_nan, divide, maximum, multiply, subtract
from minitf.core.ops.reductions import reduce_sum
from minitf.core.ops.scatter import scatter_add
from minitf.core.ops.state import assign_add
from minitf.core.variables.variable_scope import variable_scope
from minitf.library.metrics.base import Metric, align, collect, metric_variable, refuse_eager
from minitf.library.numeric.confusion_matrix import confusion_matrix
from minitf.library.numeric.diagonals import diag_part
from minitf.library.numeric.weights import broadcast_weights


def _counter(name: str, label: bool, prediction: bool) -> Callable[..., Metric]:
    """Makes the public function that counts the pairs of this label and this prediction."""
    function_name = name

    def function(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        refuse_eager(function_name)
        with variable_scope(name, function_name, [predictions, labels, weights]):
            predictions, labels, weights = align(
                cast(predictions, dtypes.bool), cast(labels, dtypes.bool), weights
            )
            found = logical_and(equal(labels, label), equal(predictions, prediction))
            return _count(found, weights, metrics_collections, updates_collections)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""How often the prediction was {prediction} where the label was {label}.

    Args:
      labels: the truth; what is not 0 counts as True.
      predictions: of the same shape, likewise.
      weights, metrics_collections, updates_collections, name: see `mean`.

    Returns: (value, update), both float32 scalars.
    """
    return function


def _count(
    found: Tensor, weights: Any, metrics_collections: Any, updates_collections: Any
) -> Metric:
    count = metric_variable([], dtypes.float32, name="count")
    values = cast(found, dtypes.float32)
    if weights is not None:
        values = multiply(values, cast(weights, dtypes.float32))
    value, update = identity(count), assign_add(count, reduce_sum(values))
    return collect(value, update, metrics_collections, updates_collections)


true_positives = _counter("true_positives", True, True)
false_positives = _counter("false_positives", False, True)
true_negatives = _counter("true_negatives", False, False)
false_negatives = _counter("false_negatives", True, False)


def _share(name: str, wrong: Callable[..., Metric], sentence: str) -> Callable[..., Metric]:
    """Makes the public function of TP / (TP + what `wrong` counts)."""
    function_name = name

    def share(right: Tensor, others: Tensor, name: str) -> Tensor:
        both = add(right, others)
        return where(greater(both, 0), divide(right, both), zeros_like(both), name)

    def function(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        refuse_eager(function_name)
        with variable_scope(name, function_name, [predictions, labels, weights]):
            predictions, labels, weights = align(
                cast(predictions, dtypes.bool), cast(labels, dtypes.bool), weights
            )
            right, new_right = true_positives(labels, predictions, weights)
            others, new_others = wrong(labels, predictions, weights)
            value = share(right, others, "value")
            update = share(new_right, new_others, "update_op")
            return collect(value, update, metrics_collections, updates_collections)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{sentence}

    Args:
      labels: the truth; what is not 0 counts as True.
      predictions: of the same shape, likewise.
      weights, metrics_collections, updates_collections, name: see `mean`.

    Returns: (value, update), both float32 scalars; 0 where nothing was counted.
    """
    return function


precision = _share(
    "precision", false_positives, "Of what was predicted True, the part that is: TP / (TP + FP)."
)
recall = _share(
    "recall", false_negatives, "Of what is True, the part that was predicted so: TP / (TP + FN)."
)

# ---- classes -----------------------------------------------------------------------------------


def _flat(tensor: Any) -> Tensor:
    return tensor if tensor.shape.ndims == 1 else reshape(tensor, [-1])


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
    refuse_eager("mean_iou")
    with variable_scope(name, "mean_iou", [predictions, labels, weights]):
        predictions, labels, weights = align(predictions, labels, weights)
        shape = [num_classes, num_classes]
        total = metric_variable(shape, dtypes.float64, name="total_confusion_matrix")
        if weights is not None:
            weights = _flat(weights)
        counts = confusion_matrix(
            _flat(cast(labels, dtypes.int64)),
            _flat(cast(predictions, dtypes.int64)),
            num_classes,
            dtype=dtypes.float64,
            weights=weights,
        )
        update = assign_add(total, counts)
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
    refuse_eager("mean_per_class_accuracy")
    with variable_scope(name, "mean_accuracy", [predictions, labels, weights]):
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

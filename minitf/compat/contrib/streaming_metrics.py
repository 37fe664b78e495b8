"""`tf.contrib.metrics`: the metrics of `tf.metrics` as they were before, predictions first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal
from minitf.core.ops.reductions import reduce_mean, reduce_sum
from minitf.library.metrics import base, counts, errors, thresholds


def _streaming(metric: Callable) -> Callable:
    def streaming(
        predictions: Any,
        labels: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> tuple:
        return metric(
            labels=labels,
            predictions=predictions,
            weights=weights,
            metrics_collections=metrics_collections,
            updates_collections=updates_collections,
            name=name,
            **options,
        )

    streaming.__name__ = streaming.__qualname__ = f"streaming_{metric.__name__}"
    streaming.__doc__ = f"""`tf.metrics.{metric.__name__}`, with the predictions first.

    Args:
      predictions, labels, weights, metrics_collections, updates_collections, name, options: its.
    Returns: the value, and the operation that takes a batch into account.
    """
    return streaming


streaming_accuracy = _streaming(errors.accuracy)
streaming_auc = _streaming(thresholds.auc)
streaming_false_negatives = _streaming(counts.false_negatives)
streaming_false_positives = _streaming(counts.false_positives)
streaming_mean_absolute_error = _streaming(errors.mean_absolute_error)
streaming_mean_squared_error = _streaming(errors.mean_squared_error)
streaming_precision = _streaming(counts.precision)
streaming_recall = _streaming(counts.recall)
streaming_root_mean_squared_error = _streaming(errors.root_mean_squared_error)
streaming_true_negatives = _streaming(counts.true_negatives)
streaming_true_positives = _streaming(counts.true_positives)


def aggregate_metrics(*value_update_tuples: Any) -> tuple[list, list]:
    """The values and the updates of several metrics, as two lists.

    Raises:
      ValueError: when there are none.
    """
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples: dict[str, Any]) -> tuple[dict, dict]:
    """The values and the updates of several metrics, as two dicts by their names."""
    values, updates = aggregate_metrics(*names_to_tuples.values())
    return (
        dict(zip(names_to_tuples, values, strict=True)),
        dict(zip(names_to_tuples, updates, strict=True)),
    )


def streaming_mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple:
    """`tf.metrics.mean`.

    Args:
      values, weights, metrics_collections, updates_collections, name: its.
    """
    return base.mean(values, weights, metrics_collections, updates_collections, name)


def accuracy(predictions: Any, labels: Any, weights: Any = None, name: str | None = None) -> Any:
    """The share of predictions in this batch that equal their labels.

    Args:
      predictions, labels: of one shape and type, integers, Booleans or texts.
      weights: of the predictions.
      name: of the operations.
    """
    with name_scope(name, "accuracy", [predictions, labels]):
        right = cast(equal(predictions, labels), dtypes.float32)
        if weights is None:
            return reduce_mean(right)
        weights = cast(weights, dtypes.float32)
        return reduce_sum(right * weights) / reduce_sum(weights)

"""`tf.contrib.metrics`: the metrics of `tf.metrics` as they were before, predictions first."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal
from minitf.core.ops.examples import named
from minitf.core.ops.losses import in_top_k
from minitf.core.ops.reductions import reduce_mean, reduce_sum
from minitf.library.metrics import base, counts, errors, thresholds, top_k
from minitf.library.metrics.thresholds import KINDS, from_counts


def _streaming(metric: Callable, name: str = "") -> Callable:
    """A metric of `tf.metrics` with its first two arguments, labels and predictions, exchanged."""
    labels, predictions, *others = inspect.signature(metric).parameters.values()
    signature = inspect.Signature([predictions, labels, *others])

    def streaming(*args: Any, **kwargs: Any) -> tuple:
        return metric(**signature.bind(*args, **kwargs).arguments)

    streaming.__signature__ = signature  # type: ignore[attr-defined]
    streaming.__name__ = streaming.__qualname__ = f"streaming_{name or metric.__name__}"
    streaming.__doc__ = f"""`tf.metrics.{metric.__name__}`, with the predictions first.

    Args:
      {", ".join(signature.parameters)}: its.
    Returns: the value, and the operation that takes a batch into account.
    """
    return streaming


def _counts(kind: str) -> Callable[..., tuple]:
    """The metric of one count at each threshold, whose variable stands in no scope of its own."""

    def streaming(predictions: Any, labels: Any, thresholds: Any, weights: Any = None) -> tuple:
        return from_counts(
            lambda name, **counts: counts[kind], [kind], thresholds, labels, predictions, weights
        )

    words = KINDS[kind].replace("_", " ")
    doc = f"""{words.capitalize()} for each threshold, so far and with the batch.

    Args:
      predictions: probabilities.
      labels: the truth, True or False, of the same shape.
      thresholds: numbers from 0 to 1.
      weights: None, or what each counts.
    Returns: (value, update), both [thresholds] float32.
    """
    return named(streaming, f"streaming_{KINDS[kind]}_at_thresholds", doc)


streaming_accuracy = _streaming(errors.accuracy)
streaming_auc = _streaming(thresholds.auc)
streaming_false_negative_rate = _streaming(counts.false_negative_rate)
streaming_false_negative_rate_at_thresholds = _streaming(
    thresholds.false_negative_rate_at_thresholds
)
streaming_false_negatives = _streaming(counts.false_negatives)
streaming_false_negatives_at_thresholds = _counts("fn")
streaming_false_positive_rate = _streaming(counts.false_positive_rate)
streaming_false_positive_rate_at_thresholds = _streaming(
    thresholds.false_positive_rate_at_thresholds
)
streaming_false_positives = _streaming(counts.false_positives)
streaming_false_positives_at_thresholds = _counts("fp")
streaming_mean_absolute_error = _streaming(errors.mean_absolute_error)
streaming_mean_cosine_distance = _streaming(errors.mean_cosine_distance)
streaming_mean_iou = _streaming(counts.mean_iou)
streaming_mean_relative_error = _streaming(errors.mean_relative_error)
streaming_mean_squared_error = _streaming(errors.mean_squared_error)
streaming_precision = _streaming(counts.precision)
streaming_precision_at_thresholds = _streaming(thresholds.precision_at_thresholds)
streaming_recall = _streaming(counts.recall)
streaming_recall_at_thresholds = _streaming(thresholds.recall_at_thresholds)
streaming_root_mean_squared_error = _streaming(errors.root_mean_squared_error)
streaming_sensitivity_at_specificity = _streaming(thresholds.sensitivity_at_specificity)
streaming_sparse_average_precision_at_k = _streaming(
    top_k.average_precision_at_k, "sparse_average_precision_at_k"
)
streaming_sparse_precision_at_k = _streaming(top_k.precision_at_k, "sparse_precision_at_k")
streaming_sparse_recall_at_k = _streaming(top_k.recall_at_k, "sparse_recall_at_k")
streaming_specificity_at_sensitivity = _streaming(thresholds.specificity_at_sensitivity)
streaming_true_negatives = _streaming(counts.true_negatives)
streaming_true_negatives_at_thresholds = _counts("tn")
streaming_true_positives = _streaming(counts.true_positives)
streaming_true_positives_at_thresholds = _counts("tp")


def streaming_recall_at_k(
    predictions: Any, labels: Any, k: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple:  # fmt: skip
    """The share of examples whose class is among the `k` with the largest predictions.

    Args:
      predictions: [batch, classes].
      labels: [batch] integers.
      k: how many count.
      weights, metrics_collections, updates_collections, name: as for `tf.metrics.mean`.
    """
    found = cast(in_top_k(predictions, labels, k), dtypes.float32)
    name = name or f"recall_at_{k}"
    return base.mean(found, weights, metrics_collections, updates_collections, name)


def streaming_sparse_precision_at_top_k(
    top_k_predictions: Any, labels: Any, class_id: int | None = None, weights: Any = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> tuple:  # fmt: skip
    """`tf.metrics.precision_at_top_k`, with the predictions first."""
    rest = (class_id, weights, metrics_collections, updates_collections, name)
    return top_k.precision_at_top_k(labels, top_k_predictions, None, *rest)


def sparse_recall_at_top_k(
    labels: Any, top_k_predictions: Any, class_id: int | None = None, weights: Any = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> tuple:  # fmt: skip
    """`tf.metrics.recall_at_top_k`, without its k."""
    rest = (class_id, weights, metrics_collections, updates_collections, name)
    return top_k.recall_at_top_k(labels, top_k_predictions, None, *rest)


def streaming_sparse_average_precision_at_top_k(
    top_k_predictions: Any, labels: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple:  # fmt: skip
    """The mean precision at the ranks of the right classes; see `tf.metrics`."""
    rest = (weights, metrics_collections, updates_collections, name)
    return top_k.average_precision_at_top_k(labels, top_k_predictions, *rest)


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


def accuracy(predictions: Any, labels: Any, weights: Any = None, name: str | None = None) -> Any:
    """The share of predictions in this batch that equal their labels.

    Args:
      predictions, labels: of one shape and type, integers, Booleans or texts.
      weights: of the predictions.
      name: of the operations.
    Raises:
      ValueError: when the types are others.
    """
    predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
    if not (labels.dtype.is_integer or labels.dtype in (dtypes.bool, dtypes.string)):
        raise ValueError(f"Labels should have bool, integer, or string dtype, not {labels.dtype!r}")
    if labels.dtype.base_dtype != predictions.dtype.base_dtype:
        raise ValueError(
            f"Dtypes of predictions and labels should match. Given: predictions "
            f"({predictions.dtype!r}) and labels ({labels.dtype!r})"
        )
    with name_scope(name, "accuracy", [predictions, labels]):
        right = cast(equal(predictions, labels), dtypes.float32)
        if weights is None:
            return reduce_mean(right)
        weights = cast(weights, dtypes.float32)
        return reduce_sum(right * weights) / reduce_sum(weights)

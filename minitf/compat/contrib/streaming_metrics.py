"""`tf.contrib.metrics`: the metrics of `tf.metrics` as they were before, predictions first."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from minitf.library.metrics import metrics, top_k


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


streaming_accuracy = _streaming(metrics.accuracy)
streaming_mean_absolute_error = _streaming(metrics.mean_absolute_error)
streaming_precision = _streaming(metrics.precision)
streaming_recall = _streaming(metrics.recall)
streaming_root_mean_squared_error = _streaming(metrics.root_mean_squared_error)
streaming_sparse_average_precision_at_k = _streaming(
    top_k.average_precision_at_k, "sparse_average_precision_at_k"
)
streaming_sparse_precision_at_k = _streaming(top_k.precision_at_k, "sparse_precision_at_k")
streaming_sparse_recall_at_k = _streaming(top_k.recall_at_k, "sparse_recall_at_k")


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

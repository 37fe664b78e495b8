"""Metrics that are means of a distance between labels and predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal
from minitf.core.ops.examples import named
from minitf.core.ops.math import sqrt
from minitf.library.losses.elementwise import absolute_error, squared_error
from minitf.library.metrics.base import Metric, align, collect, mean, refuse_eager


def _mean_of(
    function_name: str, sentence: str, distance: Callable[[Tensor, Tensor], Tensor]
) -> Callable[..., Metric]:
    """Makes the public function of a metric that is a mean over the elements."""

    def function(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        refuse_eager(function_name)
        predictions, labels, weights = align(predictions, labels, weights)
        values = distance(labels, predictions)
        lists = (metrics_collections, updates_collections)
        return mean(values, weights, *lists, name or function_name)

    doc = f"""{sentence}

    Args:
      labels: the truth, of any shape.
      predictions: of the same shape.
      weights, metrics_collections, updates_collections, name: see `mean`.

    Returns: (value, update), both float32 scalars.
    Raises:
      ValueError: when the shapes differ.
      RuntimeError: while executing eagerly.
    """
    return named(function, function_name, doc)


def _same(labels: Tensor, predictions: Tensor) -> Tensor:
    if labels.dtype != predictions.dtype:
        predictions = cast(predictions, labels.dtype)
    return cast(equal(predictions, labels), dtypes.float32)


accuracy = _mean_of("accuracy", "The part of the predictions that equal their labels.", _same)
mean_squared_error = _mean_of(
    "mean_squared_error", "The mean of (label - prediction)**2.", squared_error
)
mean_absolute_error = _mean_of(
    "mean_absolute_error", "The mean of |label - prediction|.", absolute_error
)


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The root of the mean of (label - prediction)**2; see `mean_squared_error`."""
    refuse_eager("root_mean_squared_error")
    square, update = mean_squared_error(
        labels, predictions, weights, None, None, name or "root_mean_squared_error"
    )
    return collect(sqrt(square), sqrt(update), metrics_collections, updates_collections)

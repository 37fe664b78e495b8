"""Metrics that are means of a distance between labels and predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, less, where
from minitf.core.ops.examples import named
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import divide, multiply, sqrt, subtract
from minitf.core.ops.reductions import reduce_sum
from minitf.library.losses.elementwise import absolute_error, squared_error
from minitf.library.metrics.base import Metric, align, collect, mean, refuse_eager
from minitf.library.numeric.confusion_matrix import remove_squeezable_dimensions


def _mean_of(
    function_name: str, sentence: str, distance: Callable[[Tensor, Tensor], Tensor]
) -> Callable[..., Metric]:
    """Makes the public function of a metric that is a mean over the elements."""

    def function(
        labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
        updates_collections: Any = None, name: str | None = None,
    ) -> Metric:  # fmt: skip
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


def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean of |label - prediction| / normalizer; 0 where the normalizer is 0.

    Args:
      normalizer: of the shape of the labels.

    The other arguments are those of `mean_squared_error`.
    """
    refuse_eager("mean_relative_error")
    predictions, labels, weights = align(predictions, labels, weights)
    predictions, normalizer = remove_squeezable_dimensions(predictions, normalizer)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    errors = where(
        equal(normalizer, 0.0),
        zeros_like(labels),
        divide(absolute(subtract(labels, predictions)), normalizer),
    )
    lists = (metrics_collections, updates_collections)
    return mean(errors, weights, *lists, name or "mean_relative_error")


def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """1 - the mean cosine of the angle between labels and predictions, which have length 1.

    Args:
      dim: the axis of the vectors.

    The other arguments are those of `mean_squared_error`.
    """
    refuse_eager("mean_cosine_distance")
    predictions, labels, weights = align(predictions, labels, weights)
    similarity = reduce_sum(multiply(predictions, labels), axis=[dim], keepdims=True)
    value, update = mean(similarity, weights, None, None, name or "mean_cosine_distance")
    value, update = subtract(1.0, value), subtract(1.0, update)
    return collect(value, update, metrics_collections, updates_collections)


def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The part of the values that are below a threshold.

    Args:
      values: numbers of any shape.
      threshold: a number.

    The other arguments are those of `mean`.
    """
    refuse_eager("percentage_below")
    below = cast(less(convert_to_tensor(values), threshold), dtypes.float32)
    lists = (metrics_collections, updates_collections)
    return mean(below, weights, *lists, name or "percentage_below_threshold")

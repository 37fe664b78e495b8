"""Metrics that count: right and wrong answers to yes-or-no questions, and classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, logical_and, where
from minitf.core.ops.examples import named
from minitf.core.ops.math import add, divide, multiply
from minitf.core.ops.reductions import reduce_sum
from minitf.core.ops.state import assign_add
from minitf.library.metrics.base import Metric, align, collect, metric_scope, metric_variable


def _of_answers(
    function_name: str, sentence: str, compute: Callable[[Tensor, Tensor, Any], Metric]
) -> Callable[..., Metric]:
    """Makes the public function of a metric of answers that are True or False.

    Args:
      compute: a function from labels, predictions and weights to the value and the update.
    """

    def function(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
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

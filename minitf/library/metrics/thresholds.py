"""Metrics of probabilities: what answers would be right if one said yes above a threshold.

probabilities, labels --> TP, FP, TN, FN for each threshold --> curves, and the area under them
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.stacks import control_dependencies
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import (
    greater,
    greater_equal,
    less_equal,
    logical_and,
    logical_not,
    where,
)
from minitf.core.ops.math import add, div_no_nan, divide, log, maximum, minimum, multiply, subtract
from minitf.core.ops.reductions import reduce_all, reduce_sum
from minitf.core.ops.state import assign_add
from minitf.library.checks.logging_ops import Assert
from minitf.library.metrics.metrics import Metric, align, collect, metric_scope, metric_variable
from minitf.library.numeric.weights import broadcast_weights

_EPSILON = 1e-7  # division by 0
KINDS = {
    "tp": "true_positives",
    "fn": "false_negatives",
    "tn": "true_negatives",
    "fp": "false_positives",
}


def even_thresholds(number: int) -> list[float]:
    """`number` thresholds from just below 0 to just above 1."""
    inner = [(i + 1) * 1.0 / (number - 1) for i in range(number - 2)]
    return [0.0 - _EPSILON, *inner, 1.0 + _EPSILON]


def counted(
    kinds: Iterable[str],
    thresholds: Sequence[float],
    labels: Tensor,
    predictions: Tensor,
    weights: Any,
) -> dict[str, Tensor]:
    """How many answers of each of the kinds there are, [thresholds] each.

    Args:
      kinds: keys of `KINDS`.
      thresholds: above which a prediction counts as yes.
      labels: bool.
      predictions: float32, of the same shape.
      weights: None, or what each counts; broadcast to the predictions.
    """
    limits = expand_dims(constant(list(thresholds), dtypes.float32), 1)
    positive = greater(reshape(predictions, [1, -1]), limits)  # [thresholds, examples]
    truth = logical_and(reshape(labels, [1, -1]), ones_like(positive))
    spread = None
    if weights is not None:
        spread = broadcast_weights(cast(weights, dtypes.float32), predictions)
        spread = reshape(spread, [1, -1])
    counts = {}
    for kind in kinds:
        answered = positive if kind[1] == "p" else logical_not(positive)
        # A true answer agrees with the label, a false one does not.
        meant = truth if kind in ("tp", "fn") else logical_not(truth)
        found = cast(logical_and(meant, answered), dtypes.float32)
        if spread is not None:
            found = multiply(found, spread)
        counts[kind] = reduce_sum(found, 1)
    return counts


def from_counts(
    compute: Callable[..., Tensor],
    kinds: Iterable[str],
    thresholds: Sequence[float],
    labels: Any,
    predictions: Any,
    weights: Any,
) -> Metric:
    """What `compute` makes of the counts of these kinds, [thresholds] each, so far and updated."""
    predictions = cast(convert_to_tensor(predictions), dtypes.float32)
    inside = [
        Assert(reduce_all(in_range), ["predictions must be in [0, 1]", predictions])
        for in_range in (greater_equal(predictions, 0.0), less_equal(predictions, 1.0))
    ]
    with control_dependencies(inside):
        predictions, labels, weights = align(
            cast(predictions, dtypes.float32), cast(labels, dtypes.bool), weights
        )
    values, updates = {}, {}
    for kind, number in counted(kinds, thresholds, labels, predictions, weights).items():
        total = metric_variable([len(thresholds)], dtypes.float32, name=KINDS[kind])
        values[kind], updates[kind] = identity(total), assign_add(total, number)
    return compute(**values, name="value"), compute(**updates, name="update_op")


# ---- the area under a curve --------------------------------------------------------------------


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Metric:
    """The area under a curve of right against wrong answers; 1 is perfect.

    Args:
      labels: the truth, True or False.
      predictions: probabilities, of the same shape.
      num_thresholds: at how many thresholds the curve is computed.
      curve: "ROC" (recall against false alarms) or "PR" (precision against recall).
      summation_method: "trapezoidal", "minoring", "majoring", or, for PR, "careful_interpolation".
      thresholds: the thresholds between 0 and 1, in place of even ones.

    The other arguments are those of `mean`.
    Raises:
      ValueError: when there is no such curve or method.
      InvalidArgumentError: when it runs and a prediction is no probability.
    """
    with metric_scope("auc", name, [labels, predictions, weights]):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
        if thresholds is None:
            limits = even_thresholds(num_thresholds)
        else:
            limits = [0.0 - _EPSILON, *sorted(thresholds), 1.0 + _EPSILON]

        epsilon = 1.0e-6

        def area(tp: Tensor, fn: Tensor, tn: Tensor, fp: Tensor, name: str) -> Tensor:
            if curve == "PR" and summation_method == "careful_interpolation":
                return careful_pr_area(tp, fp, fn)
            recall = divide(add(tp, epsilon), add(add(tp, fn), epsilon))
            if curve == "ROC":
                false_alarms = divide(fp, add(add(fp, tn), epsilon))
                return area_below(false_alarms, recall, summation_method, name)
            precision = divide(add(tp, epsilon), add(add(tp, fp), epsilon))
            return area_below(recall, precision, summation_method, name)

        both = from_counts(area, KINDS, limits, labels, predictions, weights)
        return collect(*both, metrics_collections, updates_collections)


def area_below(x: Tensor, y: Tensor, method: str, name: str | None) -> Tensor:
    """The area below a curve, of which x falls from point to point."""
    widths, first, second = subtract(x[:-1], x[1:]), y[:-1], y[1:]
    if method in ("trapezoidal", "careful_interpolation"):
        heights = divide(add(first, second), 2.0)
    elif method == "minoring":
        heights = minimum(first, second)
    elif method == "majoring":
        heights = maximum(first, second)
    else:
        raise ValueError(f"Invalid summation_method: {method}")
    return reduce_sum(multiply(widths, heights), name=name)


def careful_pr_area(tp: Tensor, fp: Tensor, fn: Tensor) -> Tensor:
    """The area below precision and recall, with true positives linear between two thresholds.

    After Davis and Goadrich, "The relationship between Precision-Recall and ROC curves" (2006).
    """
    gained = subtract(tp[:-1], tp[1:])
    positives = add(tp, fp)
    slope = div_no_nan(gained, maximum(subtract(positives[:-1], positives[1:]), 0))
    intercept = subtract(tp[1:], multiply(slope, positives[1:]))
    ratio = where(
        logical_and(greater(positives[:-1], 0), greater(positives[1:], 0)),
        div_no_nan(positives[:-1], maximum(positives[1:], 0)),
        ones_like(positives[1:]),
    )
    gains = multiply(slope, add(gained, multiply(intercept, log(ratio))))
    total = maximum(add(tp[1:], fn[1:]), 0)
    return reduce_sum(div_no_nan(gains, total), name="interpolate_pr_auc")

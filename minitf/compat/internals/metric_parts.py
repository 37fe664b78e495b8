"""Parts of metrics that code outside TensorFlow took from `tensorflow.python.ops.metrics_impl`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.math import div_no_nan
from minitf.library.metrics.thresholds import KINDS, running_counts


def _confusion_matrix_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None,
    includes: Sequence[str] | None = None,
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:  # fmt: skip
    """Counts of right and wrong answers at each threshold, so far and with the batch.

    Args:
      labels: the truth, True or False.
      predictions: probabilities, of the same shape.
      thresholds: numbers from 0 to 1.
      weights: None, or what each counts.
      includes: some of "tp", "fp", "tn", "fn"; all when None.
    Returns: two dicts from these to [thresholds] float32.
    Raises:
      ValueError: when there is no such count.
    """
    for each in includes or ():
        if each not in KINDS:
            raise ValueError(f"Invalid key: {each}.")
    return running_counts(includes or tuple(KINDS), thresholds, labels, predictions, weights)


def _safe_scalar_div(numerator: Any, denominator: Any, name: str) -> Tensor:
    """The quotient of two numbers, 0 where the second is 0."""
    return div_no_nan(numerator, denominator, name=name)


def _aggregate_variable(v: Any, collections: Any) -> Any:
    """A metric's value, listed in collections; on several replicas it is the sum already."""
    if collections:
        stacks.add_to_collections(collections, v)
    return v

"""Metrics of rankings: are the right answers among the k classes with the highest scores?

    scores --top_k--> the k best classes of each example --+--> found, and not found, of the labels
    labels: the right classes of each example -------------+

An example may have several labels, and a class counts once, however often it is named.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import get_default_graph
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, logical_and, logical_not, not_equal
from minitf.core.ops.examples import named
from minitf.core.ops.math import add, div_no_nan, divide, minimum, multiply
from minitf.core.ops.reductions import cumsum, reduce_any, reduce_sum
from minitf.core.ops.state import assign_add
from minitf.library.metrics.metrics import Metric, collect, metric_scope, metric_variable
from minitf.library.numeric.diagonals import matrix_band_part
from minitf.library.numeric.sorting import top_k
from minitf.library.numeric.weights import broadcast_weights
from minitf.library.sparse.sparse import sparse_tensor_to_dense

_NOTHING = -(2**62)  # where an example has fewer labels than others


def _dense_labels(labels: Any, predictions: Tensor) -> Tensor:
    """[..., labels of an example] int64; one label an example may come without the last axis."""
    if hasattr(labels, "dense_shape"):
        return sparse_tensor_to_dense(labels, default_value=_NOTHING, validate_indices=False)
    labels = cast(convert_to_tensor(labels), dtypes.int64)
    rank = predictions.shape.ndims
    if rank is not None and labels.shape.ndims == rank - 1:
        labels = expand_dims(labels, -1)
    return labels


def _first_of_each(classes: Tensor) -> Tensor:
    """Where a class stands for the first time in its row."""
    same = equal(expand_dims(classes, -1), expand_dims(classes, -2))
    so_far = matrix_band_part(cast(same, dtypes.int32), -1, 0)  # with itself
    return equal(reduce_sum(so_far, axis=-1), 1)


def _among(classes: Tensor, others: Tensor) -> Tensor:
    """Where a class of a row of `classes` is in the same row of `others`."""
    return reduce_any(equal(expand_dims(classes, -1), expand_dims(others, -2)), axis=-1)


def _chosen(classes: Tensor, class_id: int | None) -> Tensor:
    """The classes that count: each once, and of one number if that is asked for."""
    counted = _first_of_each(classes)
    if class_id is None:
        return logical_and(counted, not_equal(classes, _NOTHING))
    return logical_and(counted, equal(classes, cast(class_id, dtypes.int64)))


def _streaming_count(found: Tensor, weights: Any, name: str) -> tuple[Any, Tensor]:
    """A variable for how many were found, and what adds those of a batch."""
    rows = reduce_sum(cast(found, dtypes.float64), axis=-1)
    if weights is not None:
        rows = multiply(rows, broadcast_weights(cast(weights, dtypes.float64), rows))
    total = metric_variable([], dtypes.float64, name=name)
    return total, assign_add(total, reduce_sum(rows), name=f"{name}_update")


def _suffix(k: int | None, class_id: int | None) -> str:
    return f"at_{'k' if k is None else k}" + ("" if class_id is None else f"_class{class_id}")


def _share_at_top_k(
    kind: str, labels: Any, predictions_idx: Any, k: Any, class_id: Any, weights: Any, name: Any
) -> Metric:
    """The "recall" or the "precision" of the best classes."""
    suffix, values = _suffix(k, class_id), [predictions_idx, labels, weights]
    with metric_scope(f"{kind}_at_top_k", name, values, f"{kind}_{suffix}") as scope:
        best = cast(convert_to_tensor(predictions_idx), dtypes.int64)
        best.shape.with_rank_at_least(2)
        truth = _dense_labels(labels, best)
        answered = _chosen(best, class_id)
        right = logical_and(answered, _among(best, truth))
        if kind == "recall":
            wrong = logical_and(_chosen(truth, class_id), logical_not(_among(truth, best)))
            wrong_name = "false_negative"
        else:
            wrong, wrong_name = logical_and(answered, logical_not(right)), "false_positive"
        tp, new_tp = _streaming_count(right, weights, f"true_positive_{suffix}")
        others, new_others = _streaming_count(wrong, weights, f"{wrong_name}_{suffix}")
        value = divide(tp, add(tp, others), name=scope.original_name_scope)
        return value, divide(new_tp, add(new_tp, new_others), name="update")


_ARGUMENTS = """
      class_id: counts one class only.
      weights: for each example, or one for all.
      metrics_collections, updates_collections, name: see `mean`.

    Returns: (value, update), both float64 scalars.
    """


def _at_k(kind: str, sentence: str) -> Callable[..., Metric]:
    def function(
        labels: Any,
        predictions: Any,
        k: int,
        class_id: int | None = None,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        default, values = f"{kind}_{_suffix(k, class_id)}", [predictions, labels, weights]
        with metric_scope(f"{kind}_at_k", name, values, default) as scope:
            _, best = top_k(predictions, k)
            inner = scope.original_name_scope
            shares = _share_at_top_k(kind, labels, best, k, class_id, weights, inner)
            return collect(*shares, metrics_collections, updates_collections)

    doc = f"""{sentence}

    Args:
      labels: [..., labels] int64, or a `SparseTensor`: the right classes of each example.
      predictions: [..., classes] scores.
      k: how many of the best classes are looked at.{_ARGUMENTS}"""
    return named(function, f"{kind}_at_k", doc)


_PRECISION = "The part of the k best classes that are right."
_RECALL = "The part of the right classes that are among the k best."
precision_at_k = _at_k("precision", _PRECISION)
recall_at_k = _at_k("recall", _RECALL)


def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean precision at the ranks of the right classes: it also says how high they rank.

    Args:
      labels: [..., labels] int64, or a `SparseTensor`: the right classes of each example.
      predictions: [..., classes] scores.
      k: how many of the best classes are looked at.
      weights: for each example, or one for all.
      metrics_collections, updates_collections, name: see `mean`.

    Returns: (value, update), both float64 scalars.
    """
    default, given = f"average_precision_{_suffix(k, None)}", [predictions, labels, weights]
    with metric_scope("average_precision_at_k", name, given, default) as scope:
        if k < 1:
            raise ValueError(f"Invalid k={k}.")
        _, best = top_k(predictions, k)
        both = _average_precision(labels, best, weights, scope)
        return collect(*both, metrics_collections, updates_collections)


def _average_precision(labels: Any, best: Any, weights: Any, scope: Any) -> Metric:
    best = cast(convert_to_tensor(best), dtypes.int64)
    k = best.shape.with_rank_at_least(2)[-1].value if best.shape.ndims else None
    if k is None:
        raise ValueError(f"How many the best classes are must be known: {best.shape}")
    truth = _dense_labels(labels, best)
    right = cast(_among(best, truth), dtypes.float64)
    ranks = cumsum(ones_like(right), axis=-1)
    precisions = multiply(divide(cumsum(right, axis=-1), ranks), right)
    there = cast(not_equal(truth, _NOTHING), dtypes.float64)
    possible = minimum(reduce_sum(there, axis=-1), float(k))
    values = div_no_nan(reduce_sum(precisions, axis=-1), possible)
    spread = ones_like(values)
    if weights is not None:
        spread = broadcast_weights(cast(weights, dtypes.float64), values)
        values = multiply(values, spread)
    get_default_graph().unique_name("max")  # taken by a scope in TensorFlow
    count = metric_variable([], dtypes.float64, name="max")
    total = metric_variable([], dtypes.float64, name="total")
    new_count = assign_add(count, reduce_sum(spread))
    new_total = assign_add(total, reduce_sum(values))
    value = div_no_nan(identity(total), count, name="mean")
    return value, div_no_nan(new_total, new_count, name=scope.original_name_scope)

"""What all metrics are: variables that add up over the batches, and two tensors.

    value, update = tf.metrics.mean(x)
    update   run once a batch: adds to `total` and `count`, and gives the mean so far
    value    the mean so far, without adding

The variables are local: they are not saved, and `tf.local_variables_initializer()` sets them to 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import control_dependencies
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, rank, size
from minitf.core.ops.array_filling import ones_like, zeros
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal
from minitf.core.ops.math import div_no_nan, maximum, multiply
from minitf.core.ops.reductions import reduce_sum
from minitf.core.ops.state import assign_add
from minitf.core.variables.variable_def import VariableAggregation, VariableSynchronization
from minitf.core.variables.variable_scope import variable_scope
from minitf.core.variables.variables import Variable
from minitf.library.numeric.confusion_matrix import remove_squeezable_dimensions
from minitf.library.numeric.weights import broadcast_weights

Metric = tuple[Tensor, Tensor]  # the value, and the update


def metric_variable(
    shape: Any, dtype: Any, validate_shape: bool = True, name: str | None = None
) -> Variable:
    """A variable that starts at 0, listed with the local and the metric variables."""
    made = Variable(
        lambda: zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape,
        name=name,
        synchronization=VariableSynchronization.ON_READ,
        aggregation=VariableAggregation.SUM,
    )
    if getattr(made, "has_copies", False):  # each replica adds for itself, and reads the sum
        made.sums_in_replicas = True  # type: ignore[attr-defined]
    return made


def refuse_eager(name: str) -> None:
    """Raises RuntimeError while operations run at once: these metrics are made of a graph."""
    if stacks.executing_eagerly():
        raise RuntimeError(f"tf.metrics.{name} is not supported when eager execution is enabled.")


@contextmanager
def metric_scope(
    function_name: str, name: str | None, values: list, default: str | None = None
) -> Iterator[Any]:
    """The scope of a metric: `name`, or `default`, which is the function's name if not given.

    Raises:
      RuntimeError: while operations run at once.
    """
    refuse_eager(function_name)
    with variable_scope(name, default or function_name, values) as scope:
        yield scope


def collect(
    value: Tensor, update: Tensor, metrics_collections: Any, updates_collections: Any
) -> Metric:
    """Lists both tensors of a metric in the collections that were asked for."""
    if metrics_collections:
        stacks.add_to_collections(metrics_collections, value)
    if updates_collections:
        stacks.add_to_collections(updates_collections, update)
    return value, update


def align(predictions: Any, labels: Any, weights: Any) -> tuple[Tensor, Any, Any]:
    """Takes off, or adds, a last axis of size 1, so that the three fit each other.

    Raises:
      ValueError: when predictions and labels still have different shapes.
    """
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = convert_to_tensor(weights)
    ranks = weights.shape.ndims, predictions.shape.ndims
    if weights.shape.ndims and None not in ranks:
        if ranks[0] - ranks[1] == 1:
            weights = squeeze(weights, [-1])
        elif ranks[1] - ranks[0] == 1:
            weights = expand_dims(weights, -1)
    elif weights.shape.ndims is None:  # known when it runs
        given, more = weights, rank(weights) - rank(predictions)
        weights = cond(
            equal(more, 1),
            lambda: squeeze(given, [-1]),
            lambda: cond(equal(more, -1), lambda: expand_dims(given, -1), lambda: identity(given)),
        )
    return predictions, labels, weights


def weigh(values: Tensor, weights: Any) -> tuple[Tensor, Tensor | None]:
    """The values times their weights, and the weights in the shape of the values."""
    if weights is None:
        return values, None
    values, _, weights = align(values, None, weights)
    weights = broadcast_weights(cast(weights, dtypes.float32), values)
    return multiply(values, weights), weights


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The weighted mean of all values of all batches.

    Args:
      values: numbers of any shape.
      weights: a scalar, or of the rank of `values`, with on each axis the same size or 1; 0 leaves
        out.
      metrics_collections: where to list the value.
      updates_collections: where to list the update.
      name: the name of the scope.

    Returns: (value, update), both float32 scalars.
    Raises:
      RuntimeError: while executing eagerly.
    """
    means = _streaming_mean("mean", False, values, weights, name)
    return collect(*means, metrics_collections, updates_collections)


def _streaming_mean(
    function_name: str, of_each: bool, values: Any, weights: Any, name: str | None
) -> Metric:
    """The mean of all values, or of each element."""
    with metric_scope(function_name, name, [values, weights], "mean"):
        values = cast(values, dtypes.float32)
        shape, suffix = (values.shape, "_tensor") if of_each else ([], "")
        total = metric_variable(shape, dtypes.float32, name=f"total{suffix}")
        count = metric_variable(shape, dtypes.float32, name=f"count{suffix}")
        values, spread = weigh(values, weights)
        if of_each:
            added, number = values, ones_like(values) if spread is None else spread
        else:
            number = cast(size(values), dtypes.float32) if spread is None else reduce_sum(spread)
            added = reduce_sum(values)
        new_total = assign_add(total, added)
        with control_dependencies([values]):
            new_count = assign_add(count, number)
        value = div_no_nan(total, maximum(count, 0), name="value")
        return value, div_no_nan(new_total, maximum(new_count, 0), name="update_op")

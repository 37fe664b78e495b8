"""What all metrics are: variables that add up over the batches, and two tensors.

    value, update = tf.metrics.mean(x)
    update   run once a batch: adds to `total` and `count`, and gives the mean so far
    value    the mean so far, without adding

The variables are local: they are not saved, and `tf.local_variables_initializer()` sets them to 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import GraphKeys, control_dependencies
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, rank, size
from minitf.core.ops.array_filling import zeros, zeros_like
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, logical_and, where
from minitf.core.ops.examples import named
from minitf.core.ops.math import add, div_no_nan, divide, maximum, multiply, sqrt
from minitf.core.ops.reductions import reduce_sum
from minitf.core.ops.state import assign_add
from minitf.core.variables.variable_def import VariableAggregation, VariableSynchronization
from minitf.core.variables.variable_scope import variable_scope
from minitf.core.variables.variables import Variable
from minitf.library.losses import absolute_error, fit_weights, squared_error
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
    if weights.shape.ndims is not None:
        return predictions, labels, fit_weights(weights, predictions)
    given, more = weights, rank(weights) - rank(predictions)  # known when it runs
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
    with metric_scope("mean", name, [values, weights]):
        values = cast(values, dtypes.float32)
        total = metric_variable([], dtypes.float32, name="total")
        count = metric_variable([], dtypes.float32, name="count")
        values, spread = weigh(values, weights)
        number = cast(size(values), dtypes.float32) if spread is None else reduce_sum(spread)
        new_total = assign_add(total, reduce_sum(values))
        with control_dependencies([values]):
            new_count = assign_add(count, number)
        value = div_no_nan(total, maximum(count, 0), name="value")
        update = div_no_nan(new_total, maximum(new_count, 0), name="update_op")
        return collect(value, update, metrics_collections, updates_collections)


# ---- means of a distance -------------------------------------------------------------------------


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


# ---- counts of right and wrong answers -----------------------------------------------------------


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

"""What all metrics are: variables that add up over the batches, and two tensors.

    value, update = tf.metrics.mean(x)
    update   run once a batch: adds to `total` and `count`, and gives the mean so far
    value    the mean so far, without adding

The variables are local: they are not saved, and `tf.local_variables_initializer()` sets them to 0.

Metrics of probabilities: what answers would be right if one said yes above a threshold.

probabilities, labels --> TP, FP, TN, FN for each threshold --> curves, and the area under them

Metrics of rankings: are the right answers among the k classes with the highest scores?

    scores --top_k--> the k best classes of each example --+--> found, and not found, of the labels
    labels: the right classes of each example -------------+

An example may have several labels, and a class counts once, however often it is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.stacks import GraphKeys, control_dependencies, get_default_graph
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, size
from minitf.core.ops.array_filling import ones_like, zeros, zeros_like
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import (
    equal,
    greater,
    greater_equal,
    less_equal,
    logical_and,
    logical_not,
    not_equal,
    where,
)
from minitf.core.ops.examples import named
from minitf.core.ops.math import (
    add,
    div_no_nan,
    divide,
    log,
    maximum,
    minimum,
    multiply,
    sqrt,
    subtract,
)
from minitf.core.ops.reductions import cumsum, reduce_all, reduce_any, reduce_sum
from minitf.core.ops.state import assign_add
from minitf.core.variables.variable_def import VariableAggregation, VariableSynchronization
from minitf.core.variables.variable_scope import variable_scope
from minitf.core.variables.variables import Variable
from minitf.library.checks.logging_ops import Assert
from minitf.library.losses import absolute_error, fit_weights, squared_error
from minitf.library.numeric.confusion_matrix import remove_squeezable_dimensions
from minitf.library.numeric.diagonals import matrix_band_part
from minitf.library.numeric.sorting import top_k
from minitf.library.numeric.weights import broadcast_weights
from minitf.library.sparse.sparse import sparse_tensor_to_dense

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
    return predictions, labels, fit_weights(convert_to_tensor(weights), predictions)


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
    function_name: str,
    sentence: str,
    distance: Callable[[Tensor, Tensor], Tensor],
    finish: Callable[[Tensor], Tensor] = lambda so_far: so_far,
) -> Callable[..., Metric]:
    """Makes the public function of a metric that is a mean over the elements.

    Args:
      distance: a function from labels and predictions to what the mean is of.
      finish: what is made of the mean.
    """

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
        value, update = mean(values, weights, name=name or function_name)
        return collect(finish(value), finish(update), metrics_collections, updates_collections)

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


root_mean_squared_error = _mean_of(
    "root_mean_squared_error", "The root of `mean_squared_error`.", squared_error, sqrt
)


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


# ---- thresholds ----------------------------------------------------------------------------------


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


# ---- the best k classes --------------------------------------------------------------------------


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

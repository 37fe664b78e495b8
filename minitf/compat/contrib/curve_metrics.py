"""Metrics of `tf.contrib.metrics` that `tf.metrics` never had: exact curves, correlation.

counts for each threshold ──> points of a curve, the best F1, one point of it
all examples, kept        ──> the exact area under the curve, and how far it can be trusted
moments                   ──> covariance, correlation
"""

from __future__ import annotations

from typing import Any, NamedTuple

from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, size
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import linspace, ones_like, zeros_like
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import reshape, reverse, squeeze, transpose
from minitf.core.ops.array_slicing import boolean_mask
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    where,
)
from minitf.core.ops.control import group, no_op
from minitf.core.ops.logging_ops import Assert
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import div_no_nan, exp, floor, log, maximum, minimum, sqrt, square
from minitf.core.ops.reductions import (
    argmax,
    argmin,
    cumsum,
    reduce_all,
    reduce_max,
    reduce_min,
    reduce_sum,
)
from minitf.core.ops.scatter import scatter_add
from minitf.core.ops.segments import segment_sum
from minitf.core.ops.state import assign, assign_add
from minitf.core.variables.initializers import Zeros
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.checks.assertions import assert_type
from minitf.library.distributions.continuous import Normal
from minitf.library.metrics.base import Metric, align, collect, metric_scope, metric_variable
from minitf.library.metrics.thresholds import (
    KINDS,
    at_point,
    curve_of,
    even_thresholds,
    from_counts,
    part_of,
)
from minitf.library.numeric.confusion_matrix import confusion_matrix, remove_squeezable_dimensions
from minitf.library.numeric.diagonals import diag_part
from minitf.library.numeric.sorting import top_k
from minitf.library.numeric.uniqueness import histogram_fixed_width, unique, unique_with_counts
from minitf.library.numeric.weights import broadcast_weights

_EPSILON = 1e-7

# ---- of counts for each threshold ----------------------------------------------------------------


def streaming_curve_points(
    labels: Any = None, predictions: Any = None, weights: Any = None, num_thresholds: int = 200,
    metrics_collections: Any = None, updates_collections: Any = None, curve: str = "ROC",
    name: str | None = None,
) -> Metric:  # fmt: skip
    """The points of a curve, [thresholds, 2]; see `tf.metrics.auc` for the arguments."""
    with metric_scope("curve_points", name, [labels, predictions, weights]):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be either ROC or PR, {curve} unknown")

        def points(name: str, **counts: Tensor) -> Tensor:
            return stack(curve_of(curve, **counts), axis=1)

        limits = even_thresholds(num_thresholds)
        both = from_counts(points, KINDS, limits, labels, predictions, weights)
        return collect(*both, metrics_collections, updates_collections)


def f1_score(
    labels: Any, predictions: Any, weights: Any = None, num_thresholds: int = 200,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """The largest F1, the harmonic mean of precision and recall, that a threshold gives."""

    def best(tp: Tensor, fp: Tensor, fn: Tensor, name: str) -> Tensor:
        precision, recall = (tp / (_EPSILON + tp + wrong) for wrong in (fp, fn))
        return reduce_max(2.0 * precision * recall / (precision + recall + _EPSILON))

    with metric_scope("f1_score", name, [labels, predictions, weights], "f1"):
        limits = even_thresholds(num_thresholds)
        both = from_counts(best, ("tp", "fp", "fn"), limits, labels, predictions, weights)
        return collect(*both, metrics_collections, updates_collections)


def recall_at_precision(
    labels: Any, predictions: Any, precision: float, weights: Any = None,
    num_thresholds: int = 200, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None, strict_mode: bool = False,
) -> Metric:  # fmt: skip
    """The recall at the threshold whose precision is nearest to the one that is wanted.

    Args:
      precision: from 0 to 1.
      strict_mode: whether a lower precision counts as none: the recall is 0 then.

    The other arguments are those of `tf.metrics.auc`.
    """

    def recall(tp: Tensor, fn: Tensor, tn: Tensor, fp: Tensor, name: str) -> Tensor:
        reached = part_of(tp, fp)
        if not strict_mode:
            best = argmin(absolute(reached - precision), 0)
            return part_of(gather(tp, best), gather(fn, best), name)
        best = argmax(1.0 / (reached - precision + _EPSILON), 0)
        found = part_of(gather(tp, best), gather(fn, best))
        return where(gather(reached, best) >= precision, found, zeros_like(found), name)

    rest = (num_thresholds, labels, predictions, weights)
    both = at_point("recall_at_precision", name, recall, precision, *rest)
    return collect(*both, metrics_collections, updates_collections)


def precision_at_recall(
    labels: Any, predictions: Any, target_recall: float, weights: Any = None,
    num_thresholds: int = 200, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> Metric:  # fmt: skip
    """The precision at the highest threshold whose recall is at least the one that is wanted."""

    def precision(tp: Tensor, fn: Tensor, tn: Tensor, fp: Tensor, name: str) -> Tensor:
        enough = cast(greater_equal(part_of(tp, fn), target_recall), dtypes.int64)
        best = reduce_sum(enough) - 1
        right = gather(tp, best) + _EPSILON
        return right / (right + gather(fp, best))

    rest = (num_thresholds, labels, predictions, weights)
    both = at_point(
        "precision_at_recall", name, precision, target_recall, *rest, wanted_name="target_recall"
    )
    return collect(*both, metrics_collections, updates_collections)


class PrecisionRecallData(NamedTuple):
    """Counts for each threshold, and what follows from them."""

    tp: Any
    fp: Any
    tn: Any
    fn: Any
    precision: Any
    recall: Any
    thresholds: Any


def precision_recall_at_equal_thresholds(
    labels: Any, predictions: Any, weights: Any = None, num_thresholds: int | None = None,
    use_locking: bool | None = None, name: str | None = None,
) -> tuple[PrecisionRecallData, Any]:  # fmt: skip
    """Counts at thresholds from 0 to 1 at even distances, in one pass over the examples.

    Args:
      labels: bool.
      predictions: probabilities, of the same shape.
      weights: of the examples.
      num_thresholds: how many thresholds; 201 by default.
      use_locking: accepted.
      name: of the scope.
    """
    assert_type(labels, dtypes.bool)
    count = 201 if num_thresholds is None else num_thresholds
    with variable_scope(
        name, "precision_recall_at_equal_thresholds", [labels, predictions, weights]
    ):
        predictions, labels, weights = align(
            predictions, labels, 1.0 if weights is None else weights
        )
        inside = logical_and(greater_equal(predictions, 0.0), less_equal(predictions, 1.0))
        checked = Assert(reduce_all(inside), ["predictions must be in [0, 1]", predictions])
        with stacks.control_dependencies([checked]):
            kind, weights = predictions.dtype, cast(weights, dtypes.float64)
            true = cast(labels, dtypes.float64)
            place = cast(floor(reshape(predictions, [-1]) * (count - 1)), dtypes.int32)
        parts = {"tp": true * weights, "fp": (1.0 - true) * weights}
        with stacks.name_scope("variables"):
            buckets = {
                part: metric_variable([count], dtypes.float64, name=f"{part}_buckets")
                for part in parts
            }
        updates = [scatter_add(buckets[p], place, reshape(v, [-1])) for p, v in parts.items()]
        tp, fp = (cumsum(each, reverse=True, name=part) for part, each in buckets.items())
        tn, fn = fp[0] - fp, tp[0] - tp
        precision, recall = (tp / maximum(_EPSILON, tp + other) for other in (fp, fn))
        results = (tp, fp, tn, fn, precision, recall, linspace(0.0, 1.0, count))
        return PrecisionRecallData(*(cast(each, kind) for each in results)), group(*updates)


def auc_using_histogram(
    boolean_labels: Any, scores: Any, score_range: Any, nbins: int = 100, collections: Any = None,
    check_shape: bool = True, name: str | None = None,
) -> Metric:  # fmt: skip
    """The area under the ROC curve, of two histograms of scores: fast, and not exact.

    Args:
      boolean_labels: [n] bool.
      scores: [n] numbers.
      score_range: the least and the largest score.
      nbins: how many bins.
      collections: where to list the variables; with the local ones by default.
      check_shape: whether a rank other than 1 is an error when it runs.
      name: of the scope.
    """
    with variable_scope(name, "auc_using_histogram", [boolean_labels, scores, score_range]):
        labels, scores = remove_squeezable_dimensions(boolean_labels, scores)
        if labels.dtype != dtypes.bool:
            raise ValueError(
                f"Argument boolean_labels should have dtype bool.  Found: {labels.dtype}"
            )
        checks = []
        for word, each in ("boolean_labels", labels), ("scores", scores):
            if check_shape:
                text = f"Argument {word} should have rank 1.  Found: "
                checks.append(Assert(equal(size(shape_of(each)), 1), [text, shape_of(each)]))
        totals, updates = {}, []
        with stacks.control_dependencies(checks):
            for word, chosen in ("true", labels), ("false", logical_not(labels)):
                picked = boolean_mask(scores, chosen)
                counts = histogram_fixed_width(picked, score_range, nbins, dtypes.int64)
                total = get_variable(
                    f"hist_{word}_acc", [nbins], dtypes.int64, trainable=False,
                    initializer=Zeros(),
                    collections=collections or [GraphKeys.LOCAL_VARIABLES],
                )  # fmt: skip
                totals[word] = reverse(total / reduce_sum(total), [0])
                updates.append(assign_add(total, counts))
        steps, widths = (cast(totals[word], dtypes.float32) for word in ("true", "false"))
        heights = pad(cumsum(steps), [[1, 0]])
        area = reduce_sum(widths * (heights[1:] + heights[:-1]) / 2.0, name="auc")
        return area, group(*updates, name="update_op")  # type: ignore[return-value]


# ---- of all examples -----------------------------------------------------------------------------


def streaming_concat(
    values: Any, axis: int = 0, max_size: int | None = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """All values of all batches, along an axis.

    Args:
      values: a tensor of known rank, and of known sizes on the other axes.
      axis: along which they are put together.
      max_size: how many are kept at most.
      metrics_collections, updates_collections, name: as for `tf.metrics.mean`.
    Returns: the values so far, and the update, which is their number.
    Raises:
      ValueError: when rank or sizes are not known, or there is no such axis.
    """
    with metric_scope("concat", name, [values], "streaming_concat"):
        values = convert_to_tensor(values)
        rank = values.shape.ndims
        if rank is None:
            raise ValueError("`values` must have known statically known rank")
        place = axis + rank if axis < 0 else axis
        if not 0 <= place < rank:
            raise ValueError(f"axis = {axis} not in [0, {rank})")
        order = [place, *(n for n in range(rank) if n != place)]
        rows = transpose(values, order)
        sizes = rows.shape.as_list()[1:]
        if None in sizes:
            raise ValueError(
                "all dimensions of `values` other than the dimension to concatenate along must "
                "have statically known size"
            )
        array = metric_variable([0, *sizes], values.dtype, validate_shape=False, name="array")
        kept = identity(array)
        kept.set_shape([None, *sizes])
        value = transpose(kept, [order.index(n) for n in range(rank)], name="concat")
        if max_size is not None:
            rows = rows[: minimum(shape_of(rows)[0], max_size - shape_of(kept)[0])]
        grown = assign(array, concat([kept, rows], 0), validate_shape=False)
        return collect(value, shape_of(grown)[0], metrics_collections, updates_collections)


def _kept(labels: Any, predictions: Any, weights: Any) -> tuple[list[Tensor], list[Tensor]]:
    """All labels, predictions and weights so far, and their updates; labels must be 0 or 1."""
    labels = reshape(cast(labels, dtypes.int64), [-1])
    given = {"preds": reshape(cast(predictions, dtypes.float64), [-1]), "labels": labels}
    if weights is not None:
        given["weights"] = reshape(weights, [-1])
    checks = [
        Assert(reduce_all(right), [f"labels must be 0 or 1, at least one is {word}", labels])
        for right, word in ((greater_equal(labels, 0), "<0"), (less_equal(labels, 1), ">1"))
    ]
    with stacks.control_dependencies(checks):
        both = [
            streaming_concat(identity(value), name=f"concat_{word}")
            for word, value in given.items()
        ]
    return [value for value, _ in both], [update for _, update in both]


def streaming_dynamic_auc(
    labels: Any, predictions: Any, curve: str = "ROC", metrics_collections: Any = (),
    updates_collections: Any = (), name: str | None = None, weights: Any = None,
) -> Metric:  # fmt: skip
    """The exact area under a curve, with a threshold at each prediction; keeps all examples.

    Args:
      labels: 0 or 1.
      predictions: numbers, of the same shape.
      curve: "ROC" or "PR".
      weights: of the examples.

    The other arguments are those of `tf.metrics.auc`.
    """
    if curve not in ("PR", "ROC"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    with variable_scope(name, "dynamic_auc"):
        labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
        labels.shape.assert_is_compatible_with(predictions.shape)
        given = None if weights is None else cast(weights, dtypes.float64)
        (guesses, truth, *spread), updates = _kept(labels, predictions, given)
        weigh = spread[0] if spread else ones_like(truth, dtypes.float64)
        right = where(greater(truth, 0), weigh, zeros_like(weigh))
        total, positive = reduce_sum(weigh), reduce_sum(right)

        def area() -> Tensor:
            ordered, order = top_k(guesses, size(guesses))
            counts = unique_with_counts(ordered)[2]
            ends = pad(cumsum(counts), [[1, 0]])  # after the examples of one prediction

            def passed(parts: Tensor) -> Tensor:
                return gather(pad(cumsum(gather(parts, order)), [[1, 0]]), ends)

            reached = passed(right)
            recall = reached / positive
            if curve == "ROC":
                x, y = passed(weigh - right) / (total - positive), recall
            else:
                precision = where(greater(ends, 0), reached / passed(weigh), ones_like(reached))
                x, y = recall, precision
            return reduce_sum((y[1:] + y[:-1]) / 2.0 * absolute(x[1:] - x[:-1]))

        trivial = logical_or(equal(positive, 0), equal(positive, total))
        value = cond(trivial, lambda: constant(0, dtypes.float64), area)
        done: Any = group(*updates)
        return collect(value, done, metrics_collections, updates_collections)


class AucData(NamedTuple):
    """An area, and the interval in which it lies."""

    auc: Any
    lower: Any
    upper: Any


def auc_with_confidence_intervals(
    labels: Any, predictions: Any, weights: Any = None, alpha: float = 0.95,
    logit_transformation: bool = True, metrics_collections: Any = (),
    updates_collections: Any = (), name: str | None = None,
) -> tuple[AucData, Any]:  # fmt: skip
    """The area under the ROC curve, and between which values it lies.

    Qin and Hotilovac, "Comparison of non-parametric confidence intervals for the area under the
    ROC curve" (2008): of the part of the other class that each example is placed above.

    Args:
      labels: 0 or 1.
      predictions: numbers, of the same shape.
      weights: of the examples.
      alpha: how sure the interval is, between 0 and 1.
      logit_transformation: whether it is computed on a scale of logits, so that it stays inside.

    The other arguments are those of `tf.metrics.auc`.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1; currently {alpha:.02f}")
    weights = ones_like(predictions) if weights is None else weights
    with variable_scope(name, "auc_with_confidence_intervals", [labels, predictions, weights]):
        predictions, labels, weights = align(predictions, labels, weights)
        enough = greater_equal(reduce_sum(weights), 1.0)
        both = logical_and(equal(reduce_min(labels), 0), equal(reduce_max(labels), 1))
        (guesses, truth, spread), updates = _kept(labels, predictions, weights)
        update = cond(enough, lambda: group(*updates), no_op)
        spread = cast(spread, dtypes.float32)
        found = _placed_area(truth, guesses, spread, alpha, logit_transformation)
        valid = logical_and(both, enough)
        data = AucData(*(where(valid, each, zeros_like(each)) for each in found))
        collect(data, update, metrics_collections, updates_collections)  # type: ignore[arg-type]
        return data, update


def _placed_area(
    labels: Tensor, predictions: Tensor, weights: Tensor, alpha: float, by_logits: bool
) -> list[Tensor]:
    """The area, and the ends of its interval."""
    ordered, order = top_k(-predictions, size(predictions))
    _, group_of = unique(ordered)
    truth = cast(gather(labels, order), dtypes.float32)
    spread = gather(weights, order)
    classes = {1: spread * truth, 0: spread * (1.0 - truth)}
    totals = {label: reduce_sum(each) for label, each in classes.items()}
    areas, variances = {}, {}
    for label, own in classes.items():
        others = segment_sum(classes[1 - label], group_of)
        below = cumsum(others, exclusive=True) + others / 2.0
        placed = gather(below / (reduce_sum(others) + _EPSILON), group_of)
        placed = placed if label else 1.0 - placed
        areas[label] = reduce_sum(own * placed) / (totals[label] + _EPSILON)
        spreads = reduce_sum(own * square(placed - areas[label]))
        variances[label] = spreads / (totals[label] - 1.0 + _EPSILON) / (totals[label] + _EPSILON)
    area = where(less(totals[0], totals[1]), areas[1], areas[0])
    error = sqrt(variances[0] + variances[1])
    middle: Any = area
    if by_logits:
        middle = log(area / (1.0 - area + _EPSILON))
        error = error / (area * (1.0 - area + _EPSILON))
    reach = Normal(0.0, 1.0).quantile((1.0 - alpha) / 2.0) * error
    ends = [middle + reach, middle - reach]
    if by_logits:
        ends = [1.0 / (1.0 + exp(-end) + _EPSILON) for end in ends]
    certain = logical_or(equal(area, 1.0), equal(area, 0.0))
    return [area, *(where(certain, area, end) for end in ends)]


# ---- agreement and moments -----------------------------------------------------------------------


def count(
    values: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """How many values there were, or the sum of their weights; see `tf.metrics.mean`."""
    with metric_scope("count", name, [values, weights]):
        total = metric_variable([], dtypes.float32, name="count")
        values = convert_to_tensor(values)
        number = cast(size(values), dtypes.float32)
        if weights is not None:
            values, _, weights = align(values, None, weights)
            number = reduce_sum(broadcast_weights(cast(weights, dtypes.float32), values))
        with stacks.control_dependencies([values]):
            update = assign_add(total, number)
        return collect(identity(total), update, metrics_collections, updates_collections)


def cohen_kappa(
    labels: Any, predictions_idx: Any, num_classes: int, weights: Any = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """How far two judges agree beyond chance: 1 always, 0 no more than by chance. Cohen (1960).

    Args:
      labels, predictions_idx: [batch] class numbers.
      num_classes: how many classes, at least 2.
      weights: of the examples.

    The other arguments are those of `tf.metrics.mean`.
    """
    if num_classes < 2:
        raise ValueError(f"`num_classes` must be >= 2.Found: {num_classes}")
    with metric_scope("cohen_kappa", name, [labels, predictions_idx, weights]):
        labels = convert_to_tensor(labels)
        labels.shape.with_rank_at_most(2)
        if labels.shape.ndims == 2:
            labels = squeeze(labels, [-1])
        guesses, labels, weights = align(predictions_idx, labels, weights)
        whole = weights is None or weights.dtype.is_integer
        kind = dtypes.int64 if whole else dtypes.float32
        table = confusion_matrix(labels, guesses, num_classes, kind, weights=weights)
        sums = {"po": diag_part(table), "pe_row": reduce_sum(table, 0)}
        sums["pe_col"] = reduce_sum(table, 1)
        kept = {word: metric_variable([num_classes], kind, name=word) for word in sums}
        grown = [assign_add(kept[word], value) for word, value in sums.items()]

        def kappa(name: str, agreed: Any, rows: Any, columns: Any) -> Tensor:
            real = dtypes.float64
            total = cast(reduce_sum(rows), real)
            chance = reduce_sum(div_no_nan(cast(rows * columns, real), total))
            return div_no_nan(cast(reduce_sum(agreed), real) - chance, total - chance, name=name)

        both = kappa("value", *kept.values()), kappa("update_op", *grown)
        return collect(*both, metrics_collections, updates_collections)


def streaming_covariance(
    predictions: Any, labels: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """The covariance of predictions and labels, unbiased; see `tf.metrics.mean`.

    Each batch has means and a comoment of its own, which are merged with those before. Chan, Golub
    and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances" (1982).
    """
    with metric_scope("covariance", name, [predictions, labels, weights]):
        guesses, labels, weights = align(predictions, labels, weights)
        names = ("count", "mean_prediction", "mean_label", "comoment")
        total: Any
        comoment: Any
        total, mean_guess, mean_label, comoment = (
            metric_variable([], dtypes.float32, name=each) for each in names
        )
        spread = ones_like(labels)
        if weights is not None:
            spread = broadcast_weights(cast(weights, dtypes.float32), labels)
        number = reduce_sum(spread)
        new_total = assign_add(total, number)

        def merged(mean: Any, values: Tensor) -> tuple[Tensor, Tensor]:
            """The mean of the batch, and the one before it."""
            own = div_no_nan(reduce_sum(values * spread), number)
            step = div_no_nan((own - mean) * number, new_total)
            return own, assign_add(mean, step) - step

        own_guess, old_guess = merged(mean_guess, guesses)
        own_label, old_label = merged(mean_label, labels)
        apart = reduce_sum((guesses - own_guess) * (labels - own_label) * spread)
        between = (old_guess - own_guess) * (old_label - own_label)
        apart += between * ((new_total - number) * number / new_total)
        new_comoment = assign_add(comoment, apart)

        def covariance(name: str) -> Tensor:
            nothing = float("nan") * ones_like(comoment)
            return where(less_equal(total, 1.0), nothing, comoment / (total - 1), name)

        value = covariance("covariance")
        with stacks.control_dependencies([new_comoment]):
            update = covariance("update_op")
        return collect(value, update, metrics_collections, updates_collections)


def streaming_pearson_correlation(
    predictions: Any, labels: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """The correlation of predictions and labels, from -1 to 1; see `tf.metrics.mean`."""
    with metric_scope("pearson_correlation", name, [predictions, labels, weights], "pearson_r"):
        guesses, labels, weights = align(predictions, labels, weights)
        moments = [
            streaming_covariance(one, other, weights, name=word)
            for one, other, word in (
                (guesses, labels, "covariance"),
                (guesses, guesses, "variance_predictions"),
                (labels, labels, "variance_labels"),
            )
        ]

        def correlation(parts: Any) -> Tensor:
            together, *own = parts
            return together / (sqrt(own[0]) * sqrt(own[1]))

        both: list[Tensor] = [correlation(parts) for parts in zip(*moments, strict=True)]
        return collect(both[0], both[1], metrics_collections, updates_collections)

"""Metrics of Keras: means of functions of labels and predictions, and what is made of counts.

    y_true, y_pred --function--> 1 where the prediction is right, 0 where it is not --> mean
    y_true, y_pred --thresholds--> counts of the kinds that it keeps --> precision, recall, ...

`compile(metrics=["mae"])` finds them by their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import control_dependencies
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_shaping import reshape, squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, not_equal
from minitf.core.ops.control import group
from minitf.core.ops.math import div_no_nan, sqrt
from minitf.core.ops.reductions import argmax, reduce_mean
from minitf.library.checks.assertions import assert_greater_equal, assert_less_equal
from minitf.library.keras import losses
from minitf.library.keras.backend.session import floatx
from minitf.library.keras.losses import fit_ranks
from minitf.library.keras.metrics import base
from minitf.library.keras.metrics.base import MeanMetricWrapper, Metric
from minitf.library.keras.objects import Family, constructor, defaults
from minitf.library.losses import fit_weights, squared_error
from minitf.library.metrics.metrics import (
    KINDS,
    area_below,
    careful_pr_area,
    counted,
    even_thresholds,
)
from minitf.library.nets.cross_entropy import in_top_k

# ---- what each example scores --------------------------------------------------------------------


def accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """Where predictions equal labels."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    y_true.shape.assert_is_compatible_with(y_pred.shape)
    return cast(equal(y_true, cast(y_pred, y_true.dtype)), floatx())


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Tensor:
    """The part, over the last axis, of answers that are right.

    Args:
      y_true: 0 or 1.
      y_pred: probabilities.
      threshold: above which a prediction says 1.
    """
    y_pred = convert_to_tensor(y_pred)
    answers = cast(y_pred > cast(threshold, y_pred.dtype), y_pred.dtype)
    return reduce_mean(cast(equal(cast(y_true, y_pred.dtype), answers), floatx()), axis=-1)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """Where the largest score is that of the right class; labels are [..., classes].

    Args:
      y_true: labels [..., classes], 1 at the right class.
      y_pred: scores of that shape.
    Example:
      >>> labels, scores = [[0, 1], [1, 0]], [[0.2, 0.8], [0.4, 0.6]]
      >>> sess.run(tf.keras.metrics.categorical_accuracy(labels, scores))
      array([1., 0.], dtype=float32)
    """
    return cast(equal(argmax(y_true, axis=-1), argmax(y_pred, axis=-1)), floatx())


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """Where the largest score is that of the right class; labels are numbers of classes."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    ranks = y_true.shape.ndims, y_pred.shape.ndims
    if None not in ranks and ranks[0] == ranks[1]:
        y_true = squeeze(y_true, [-1])
    return cast(equal(y_true, cast(argmax(y_pred, axis=-1), y_true.dtype)), floatx())


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Tensor:
    """Where the right class is among the k best; labels are [..., classes]."""
    return sparse_top_k_categorical_accuracy(argmax(y_true, axis=-1), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Tensor:
    """Where the right class is among the k best; labels are numbers of classes."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    if y_pred.shape.ndims is not None and y_pred.shape.ndims > 2:
        y_pred = reshape(y_pred, [-1, y_pred.shape[-1].value])
    if y_true.shape.ndims is not None and y_true.shape.ndims > 1:
        y_true = reshape(y_true, [-1])
    return cast(in_top_k(y_pred, cast(y_true, dtypes.int32), k), floatx())


# ---- means of functions --------------------------------------------------------------------------


class _OfFunction(MeanMetricWrapper):
    """A class of metrics that names its function, and what its constructor takes."""

    def __init_subclass__(cls, function: Any = None, **takes: Any) -> None:
        super().__init_subclass__()
        if function is not None:
            takes = {**takes, "name": takes.get("name") or function.__name__}
            takes.setdefault("dtype", None)
            start = partial(MeanMetricWrapper.__init__, fn=function)
            cls.__init__ = constructor(defaults(**takes), start)  # type: ignore


class Accuracy(_OfFunction, function=accuracy):
    """How often predictions equal labels.

    Example:
      >>> tf.enable_eager_execution()
      >>> tf.keras.metrics.Accuracy()([1, 2, 3, 4], [0, 2, 3, 4]).numpy()
      0.75
    """


class CategoricalAccuracy(_OfFunction, function=categorical_accuracy):
    """How often the largest score is that of the right class; labels are [..., classes]."""


class SparseCategoricalAccuracy(_OfFunction, function=sparse_categorical_accuracy):
    """How often the largest score is that of the right class; labels are numbers of classes."""


class MeanSquaredError(_OfFunction, function=losses.mean_squared_error):
    """The mean of (y_pred - y_true)^2."""


class RootMeanSquaredError(_OfFunction, function=squared_error, name="root_mean_squared_error"):
    """The root of the mean of (y_pred - y_true)^2."""

    def result(self) -> Any:
        """The root so far."""
        return sqrt(div_no_nan(self.total, self.count))


class MeanAbsoluteError(_OfFunction, function=losses.mean_absolute_error):
    """The mean of |y_pred - y_true|."""


class MeanAbsolutePercentageError(_OfFunction, function=losses.mean_absolute_percentage_error):
    """The mean of 100 |y_true - y_pred| / |y_true|."""


class MeanSquaredLogarithmicError(_OfFunction, function=losses.mean_squared_logarithmic_error):
    """The mean of (log(1 + y_pred) - log(1 + y_true))^2."""


class Hinge(_OfFunction, function=losses.hinge):
    """The mean of max(0, 1 - y_true * y_pred)."""


class SquaredHinge(_OfFunction, function=losses.squared_hinge):
    """The mean of max(0, 1 - y_true * y_pred)^2."""


class CategoricalHinge(_OfFunction, function=losses.categorical_hinge):
    """The mean of max(0, 1 + the largest wrong score - the right one)."""


class LogCoshError(_OfFunction, function=losses.logcosh):
    """The mean of log(cosh(y_pred - y_true))."""


class Poisson(_OfFunction, function=losses.poisson):
    """The mean of y_pred - y_true * log(y_pred)."""


class KLDivergence(_OfFunction, function=losses.kullback_leibler_divergence):
    """The mean over the examples of the sum of y_true * log(y_true / y_pred)."""


class BinaryAccuracy(_OfFunction, function=binary_accuracy, name=None, dtype=None, threshold=0.5):
    """How often yes-or-no answers are right; `threshold` is above which a prediction says yes."""


class TopKCategoricalAccuracy(_OfFunction, function=top_k_categorical_accuracy, k=5):
    """How often the right class is among the `k` best; labels are [..., classes]."""


class SparseTopKCategoricalAccuracy(_OfFunction, function=sparse_top_k_categorical_accuracy, k=5):
    """How often the right class is among the `k` best; labels are numbers of classes."""


class CosineSimilarity(
    _OfFunction, function=losses.cosine, name="cosine_similarity", dtype=None, axis=-1
):
    """The mean cosine of the angle between labels and predictions, along `axis`."""


_CROSSENTROPY = {"name": None, "dtype": None, "from_logits": False}


class BinaryCrossentropy(
    _OfFunction, function=losses.binary_crossentropy, **_CROSSENTROPY, label_smoothing=0
):
    """The mean cross entropy of yes-or-no answers; see `losses.binary_crossentropy`."""


class CategoricalCrossentropy(
    _OfFunction, function=losses.categorical_crossentropy, **_CROSSENTROPY, label_smoothing=0
):
    """The mean cross entropy of labels that are distributions over the classes."""


class SparseCategoricalCrossentropy(
    _OfFunction, function=losses.sparse_categorical_crossentropy, **_CROSSENTROPY, axis=-1
):
    """The mean cross entropy of labels that are numbers of classes."""


# ---- counts --------------------------------------------------------------------------------------


_ALL_KINDS = ("tp", "tn", "fp", "fn")


def _as_list(thresholds: Any, default: float) -> list[float]:
    """Thresholds as a list.

    Raises:
      ValueError: when one is not from 0 to 1.
    """
    if thresholds is None:
        return [default]
    values = list(thresholds) if isinstance(thresholds, (list, tuple)) else [thresholds]
    wrong = [t for t in values if t is None or t < 0 or t > 1]
    if wrong:
        raise ValueError(f"Threshold values must be in [0, 1]. Invalid values: {wrong}")
    return values


class _Counts(Metric):
    """What counts answers of some kinds at some thresholds.

    Args:
      kinds: keys of `KINDS`; the attribute `true_positives` and so on is the variable of one.
      thresholds: above which a prediction says yes.
    """

    def __init__(self, name: Any, dtype: Any, kinds: Sequence[str], thresholds: Any) -> None:
        super().__init__(name=name, dtype=dtype)
        self.thresholds = list(thresholds)
        self._kinds = {kind: self._count_name(kind) for kind in kinds}
        for variable in self._kinds.values():
            made = self.add_weight(variable, [len(self.thresholds)], initializer="zeros")
            setattr(self, variable, made)

    def _count_name(self, kind: str) -> str:
        return KINDS[kind]

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Adds a batch.

        Args:
          y_true: the truth; what is not 0 counts as yes.
          y_pred: probabilities.
          sample_weight: what each counts.
        """
        y_true, y_pred = cast(y_true, self._dtype), cast(y_pred, self._dtype)
        inside = [
            assert_greater_equal(y_pred, 0.0, message="predictions must be >= 0"),
            assert_less_equal(y_pred, 1.0, message="predictions must be <= 1"),
        ]
        with control_dependencies([check for check in inside if check is not None]):
            y_pred, y_true = fit_ranks(y_pred, y_true)
        if sample_weight is not None:
            sample_weight = fit_weights(cast(sample_weight, self._dtype), y_pred)
        y_pred.shape.assert_is_compatible_with(y_true.shape)
        truth = not_equal(y_true, 0)
        found = counted(self._kinds, self.thresholds, truth, y_pred, sample_weight)
        return group(*(getattr(self, self._kinds[k]).assign_add(n) for k, n in found.items()))

    def _part(self, of: str, beside: str) -> Tensor:
        """of / (of + beside), 0 where there is nothing."""
        first, second = (getattr(self, self._kinds[kind]) for kind in (of, beside))
        return div_no_nan(first, first + second)

    def _one_or_all(self, values: Any) -> Any:
        return values[0] if len(self.thresholds) == 1 else values


class _AtThresholds(_Counts):
    """What is told the thresholds; by itself, TP / (TP + another count).

    Args:
      thresholds: above which a prediction says yes; 0.5 by default.
      name, dtype: see `Metric`.
    """

    _counted: tuple[str, ...]

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name, dtype, self._counted, _as_list(thresholds, 0.5))
        self.init_thresholds = thresholds
        self._config = {"thresholds": thresholds}

    def result(self) -> Any:
        """The part, or one for each threshold."""
        return self._one_or_all(self._part(*self._counted))


class _CountOfKind(_AtThresholds):
    def _count_name(self, kind: str) -> str:
        return "accumulator"

    def result(self) -> Any:
        """The count, or one for each threshold."""
        return self._one_or_all(convert_to_tensor(self.accumulator))  # type: ignore[attr-defined]


class TruePositives(_CountOfKind):
    """How many predictions say yes, rightly, for each threshold."""

    _counted = ("tp",)


class FalsePositives(_CountOfKind):
    """How many predictions say yes, wrongly, for each threshold."""

    _counted = ("fp",)


class TrueNegatives(_CountOfKind):
    """How many predictions say no, rightly, for each threshold."""

    _counted = ("tn",)


class FalseNegatives(_CountOfKind):
    """How many predictions say no, wrongly, for each threshold."""

    _counted = ("fn",)


class Precision(_AtThresholds):
    """Of what was predicted, the part that is right: TP / (TP + FP).

    Example:
      >>> tf.enable_eager_execution()
      >>> tf.keras.metrics.Precision()([0, 1, 1, 1], [1, 0, 1, 1]).numpy()
      0.6666667
    """

    _counted = ("tp", "fp")


class Recall(_AtThresholds):
    """Of what is true, the part that was predicted: TP / (TP + FN)."""

    _counted = ("tp", "fn")


class AUC(_Counts):
    """The area under a curve of right against wrong answers; 1 is perfect.

    Args:
      num_thresholds: at how many thresholds the curve is computed.
      curve: "ROC" (recall against false alarms) or "PR" (precision against recall).
      name, dtype: see `Metric`.
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        if str(curve).upper() not in ("ROC", "PR"):
            raise ValueError(f'Invalid AUC curve value "{curve}".')
        if num_thresholds <= 1:
            raise ValueError("`num_thresholds` must be > 1.")
        super().__init__(name, dtype, _ALL_KINDS, even_thresholds(num_thresholds))
        self.num_thresholds, self.curve = num_thresholds, curve.upper()
        self._config = {"num_thresholds": num_thresholds, "curve": self.curve}

    def result(self) -> Any:
        """The area."""
        tp, _, fp, fn = (convert_to_tensor(getattr(self, name)) for name in self._kinds.values())
        if self.curve == "PR":
            return careful_pr_area(tp, fp, fn)
        return area_below(self._part("fp", "tn"), self._part("tp", "fn"), "trapezoidal", None)


# ---- by name -------------------------------------------------------------------------------------


#: The functions of losses are metrics, too; where a class has the name of a loss, it is the metric.
_KNOWN: dict[str, Any] = {
    name: value
    for space in (vars(losses), vars(base), globals())
    for name, value in list(space.items())
    if not name.startswith("_") and getattr(value, "__module__", "") == space["__name__"]
} | {"cosine": losses.cosine, "cosine_proximity": losses.cosine, "acc": accuracy}

_METRICS = Family("metric function", _KNOWN)
get, serialize, deserialize = _METRICS.get, _METRICS.serialize, _METRICS.deserialize

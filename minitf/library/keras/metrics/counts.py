"""Metrics made of counts: true and false positives and negatives, and pairs of classes.

y_true, y_pred --thresholds--> counts of the kinds that a metric keeps --> precision, recall, ...
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import control_dependencies
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import one_hot
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, not_equal
from minitf.core.ops.control import group
from minitf.core.ops.math import div_no_nan
from minitf.core.ops.reductions import reduce_sum
from minitf.library.checks.assertions import assert_greater_equal, assert_less_equal
from minitf.library.keras.losses import fit_ranks, fit_weights
from minitf.library.keras.metrics.base import Metric
from minitf.library.metrics.thresholds import (
    KINDS,
    area_below,
    careful_pr_area,
    counted,
    even_thresholds,
)
from minitf.library.numeric.confusion_matrix import confusion_matrix
from minitf.library.numeric.diagonals import diag_part
from minitf.library.numeric.sorting import top_k as best_of

_ALL_KINDS = ("tp", "tn", "fp", "fn")
_NOTHING = -1e10  # the score of a class that is not among the k best


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

    def __init__(
        self,
        name: str | None,
        dtype: Any,
        kinds: Sequence[str],
        thresholds: Sequence[float],
        top_k: int | None = None,
        class_id: int | None = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.thresholds = list(thresholds)
        self.top_k, self.class_id = top_k, class_id
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
        if self.top_k is not None:
            _, best = best_of(y_pred, self.top_k, sorted=False)
            chosen = reduce_sum(one_hot(best, shape_of(y_pred)[-1]), axis=-2)
            y_pred = y_pred * chosen + _NOTHING * (1 - chosen)
        if self.class_id is not None:
            y_true, y_pred = y_true[..., self.class_id], y_pred[..., self.class_id]
        truth = not_equal(y_true, 0)
        found = counted(self._kinds, self.thresholds, truth, y_pred, sample_weight)
        return group(*(getattr(self, self._kinds[k]).assign_add(n) for k, n in found.items()))

    def _part(self, of: str, beside: str) -> Tensor:
        """of / (of + beside), 0 where there is nothing."""
        first, second = (getattr(self, self._kinds[kind]) for kind in (of, beside))
        return div_no_nan(first, first + second)

    def _one_or_all(self, values: Any) -> Any:
        return values[0] if len(self.thresholds) == 1 else values


class _CountOfKind(_Counts):
    _kind: str

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name, dtype, [self._kind], _as_list(thresholds, 0.5))
        self.init_thresholds = thresholds
        self._config = {"thresholds": thresholds}

    def _count_name(self, kind: str) -> str:
        return "accumulator"

    def result(self) -> Any:
        """The count, or one for each threshold."""
        return self._one_or_all(convert_to_tensor(self.accumulator))  # type: ignore[attr-defined]


class TruePositives(_CountOfKind):
    """How many predictions say yes, rightly, for each threshold."""

    _kind = "tp"


class FalsePositives(_CountOfKind):
    """How many predictions say yes, wrongly, for each threshold."""

    _kind = "fp"


class TrueNegatives(_CountOfKind):
    """How many predictions say no, rightly, for each threshold."""

    _kind = "tn"


class FalseNegatives(_CountOfKind):
    """How many predictions say no, wrongly, for each threshold."""

    _kind = "fn"


class _Share(_Counts):
    """TP / (TP + what `_others` counts).

    Args:
      thresholds: above which a prediction says yes; by default 0.5, or with `top_k` none.
      top_k: only so many of the highest predictions of each example say yes.
      class_id: the only class that counts.
      name, dtype: see `Metric`.
    """

    _others: str

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        limits = _as_list(thresholds, 0.5 if top_k is None else _NOTHING)
        super().__init__(name, dtype, ["tp", self._others], limits, top_k, class_id)
        self.init_thresholds = thresholds
        self._config = {"thresholds": thresholds, "top_k": top_k, "class_id": class_id}

    def result(self) -> Any:
        """The part, or one for each threshold."""
        return self._one_or_all(self._part("tp", self._others))


class Precision(_Share):
    """Of what was predicted, the part that is right: TP / (TP + FP).

    Example:
      >>> tf.enable_eager_execution()
      >>> tf.keras.metrics.Precision()([0, 1, 1, 1], [1, 0, 1, 1]).numpy()
      0.6666667
    """

    _others = "fp"


class Recall(_Share):
    """Of what is true, the part that was predicted: TP / (TP + FN)."""

    _others = "fn"


class AUC(_Counts):
    """The area under a curve of right against wrong answers; 1 is perfect.

    Args:
      num_thresholds: at how many thresholds the curve is computed.
      curve: "ROC" (recall against false alarms) or "PR" (precision against recall).
      summation_method: "interpolation", "minoring" or "majoring".
      name, dtype: see `Metric`.
      thresholds: the thresholds between 0 and 1, in place of even ones.
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = None,
        dtype: Any = None,
        thresholds: Sequence[float] | None = None,
    ) -> None:
        if str(curve).upper() not in ("ROC", "PR"):
            raise ValueError(f'Invalid AUC curve value "{curve}".')
        if summation_method.lower() not in ("interpolation", "minoring", "majoring"):
            raise ValueError(f'Invalid AUC summation method value "{summation_method}".')
        if thresholds is None and num_thresholds <= 1:
            raise ValueError("`num_thresholds` must be > 1.")
        limits = even_thresholds(num_thresholds)
        if thresholds is not None:
            limits = [limits[0], *sorted(_as_list(thresholds, 0.5)), limits[-1]]
        super().__init__(name, dtype, _ALL_KINDS, limits)
        self.num_thresholds, self.init_thresholds = len(limits), thresholds
        self.curve, self.summation_method = curve.upper(), summation_method.lower()
        chosen = {"curve": self.curve, "summation_method": self.summation_method}
        given = {} if thresholds is None else {"thresholds": limits[1:-1]}
        self._config = {"num_thresholds": len(limits), **chosen, **given}

    def result(self) -> Any:
        """The area."""
        tp, _, fp, fn = (convert_to_tensor(getattr(self, name)) for name in self._kinds.values())
        interpolates = self.summation_method == "interpolation"
        if self.curve == "PR" and interpolates:
            return careful_pr_area(tp, fp, fn)
        recall = self._part("tp", "fn")
        curves = {"ROC": (self._part("fp", "tn"), recall), "PR": (recall, self._part("tp", "fp"))}
        method = "trapezoidal" if interpolates else self.summation_method
        return area_below(*curves[self.curve], method, None)


class MeanIoU(Metric):
    """The mean over the classes of intersection / union: TP / (TP + FP + FN).

    Args:
      num_classes: how many classes there are.
      name, dtype: see `Metric`.
    """

    def __init__(self, num_classes: int, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.num_classes = num_classes
        self._config = {"num_classes": num_classes}
        self.total_cm = self.add_weight(
            "total_confusion_matrix", [num_classes, num_classes], initializer="zeros"
        )

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Adds a batch.

        Args:
          y_true, y_pred: numbers of classes.
          sample_weight: what each counts.
        """
        labels, guesses = (reshape(cast(y, dtypes.int64), [-1]) for y in (y_true, y_pred))
        if sample_weight is not None:
            sample_weight = reshape(cast(sample_weight, self._dtype), [-1])
        number, dtype = self.num_classes, self._dtype
        counts = confusion_matrix(labels, guesses, number, dtype=dtype, weights=sample_weight)
        return self.total_cm.assign_add(counts)

    def result(self) -> Any:
        """The mean over the classes that were seen."""
        matrix = convert_to_tensor(self.total_cm)
        both = diag_part(matrix)
        union = reduce_sum(matrix, 0) + reduce_sum(matrix, 1) - both
        seen = reduce_sum(cast(greater(union, 0), self._dtype))
        return div_no_nan(reduce_sum(div_no_nan(both, union)), seen)

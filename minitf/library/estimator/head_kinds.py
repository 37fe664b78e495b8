"""The kinds of heads: classes, numbers, and several heads at once.

                logits of an example    loss                    a prediction
BinaryClassHead         1               sigmoid cross entropy   one of two classes
MultiClassHead          n_classes       softmax cross entropy   one of the classes
MultiLabelHead          n_classes       sigmoid cross entropy   any of the classes
RegressionHead          label_dimension squared error           numbers
PoissonRegressionHead                   of Poisson              counts
LogisticRegressionHead                  sigmoid cross entropy   probabilities
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array_filling
from minitf.core.ops.activations import softmax
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, squeeze, tile
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal
from minitf.core.ops.losses import sigmoid_cross_entropy_with_logits
from minitf.core.ops.math import div_no_nan, maximum, sigmoid
from minitf.core.ops.reductions import argmax
from minitf.library.estimator.export_outputs import ClassificationOutput, RegressionOutput
from minitf.library.estimator.heads import Head, MetricRow, Metrics, OneHead, dense_labels, in_range
from minitf.library.keras.metrics.base import Mean
from minitf.library.keras.metrics.counts import AUC, Precision, Recall
from minitf.library.keras.metrics.means import Accuracy, BinaryAccuracy
from minitf.library.losses.losses import Reduction, mean_squared_error, sparse_softmax_cross_entropy
from minitf.library.metrics.base import mean
from minitf.library.metrics.counts import precision, recall
from minitf.library.metrics.errors import accuracy
from minitf.library.metrics.thresholds import auc, precision_at_thresholds, recall_at_thresholds
from minitf.library.saving.saved_model_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from minitf.library.text.lookup import (
    index_table_from_tensor,
    index_to_string_table_from_tensor,
)
from minitf.library.text.strings import as_string

# ---- classes -----------------------------------------------------------------------------


class _ClassesHead(OneHead):
    """What heads of classes share: the names of the classes, and metrics at thresholds."""

    def __init__(
        self, n_classes: int, label_vocabulary: Sequence[str] | None, thresholds: Any, *args: Any
    ) -> None:
        super().__init__(*args)
        self._n_classes = n_classes
        self._label_vocabulary = label_vocabulary
        self._thresholds = tuple(thresholds or ())
        for threshold in self._thresholds:
            if not 0.0 < threshold < 1.0:
                raise ValueError(f"thresholds not in (0, 1): {(self._thresholds,)}.")

    def _ids(self, labels: Tensor) -> Tensor:
        """The numbers of labels that are words."""
        table = index_table_from_tensor(tuple(self._label_vocabulary or ()), name="class_id_lookup")
        return table.lookup(labels)

    def _for_each(self, logits: Tensor, row: Any) -> Tensor:
        """[batch, n_classes] the same row for each example."""
        return tile(expand_dims(row, 0), [shape_of(logits)[0], 1])

    def _class_names(self, logits: Tensor) -> Tensor:
        numbers = array_filling.range(self._n_classes)
        return self._for_each(logits, self._label_vocabulary or as_string(numbers))

    def _classes(self, logits: Tensor) -> dict[Any, Tensor]:
        """The predictions of the class with the highest of [batch, n_classes] logits."""
        ids = expand_dims(argmax(logits, axis=-1, name="class_ids"), -1)
        if self._label_vocabulary:
            names = list(self._label_vocabulary)
            table = index_to_string_table_from_tensor(names, name="class_string_lookup")
            classes = table.lookup(ids)
        else:
            classes = as_string(ids, name="str_classes")
        return {
            "probabilities": softmax(logits, name="probabilities"),
            "class_ids": ids,
            "classes": classes,
            "all_class_ids": self._for_each(logits, array_filling.range(self._n_classes)),
            "all_classes": self._class_names(logits),
        }

    def _served(self, predictions: Mapping[Any, Tensor]) -> dict[str, Any]:
        scores = predictions["probabilities"]
        output = ClassificationOutput(scores, self._class_names(scores))
        return {DEFAULT_SERVING_SIGNATURE_DEF_KEY: output, "classification": output}

    def _at_thresholds(self, labels: Tensor, scores: Tensor, weights: Any) -> Metrics:
        metrics = {}
        for t in self._thresholds:
            positive = cast(greater_equal(scores, t), dtypes.float32)
            metrics[f"accuracy/positive_threshold_{t:g}"] = accuracy(labels, positive, weights)
            for name, at in (
                ("precision", precision_at_thresholds),
                ("recall", recall_at_thresholds),
            ):
                value, update = at(labels, scores, (t,), weights)
                metrics[f"{name}/positive_threshold_{t:g}"] = squeeze(value), squeeze(update)
        return metrics

    def _rows_at_thresholds(self, labels: Any, scores: Any) -> list[MetricRow]:
        return [
            MetricRow(f"{name}/positive_threshold_{t:g}", make, (labels, scores), True)
            for t in self._thresholds
            for name, make in (
                ("accuracy", partial(BinaryAccuracy, threshold=t)),
                ("precision", partial(Precision, thresholds=t)),
                ("recall", partial(Recall, thresholds=t)),
            )
        ]


class _Baseline(Mean):
    """The accuracy of who always names the more frequent one of two classes."""

    def result(self) -> Tensor:
        return div_no_nan(maximum(self.total, self.count - self.total), self.count)


_AUC_PR = partial(AUC, curve="PR")


def _check_vocabulary(vocabulary: Any, error: type[Exception], words: str) -> None:
    if vocabulary is not None and not isinstance(vocabulary, (list, tuple)):
        raise error(f"label_vocabulary {words}. Given type: {type(vocabulary)}")


class MultiClassHead(_ClassesHead):
    """One of more than two classes, by softmax.

    Args:
      n_classes: how many classes.
      weight_column: the feature that weighs the examples.
      label_vocabulary: the labels, when they are words.
      loss_reduction: how the losses of a batch become one.
      loss_fn: the losses in place of softmax cross entropy.
      name: comes behind the names of the metrics.
    Raises:
      ValueError: when there are two classes or less.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Callable | None = None,
        name: str | None = None,
    ) -> None:
        _check_vocabulary(label_vocabulary, ValueError, "should be a list or a tuple")
        if n_classes is None:
            raise ValueError("n_classes cannot be None")
        if n_classes <= 2:
            raise ValueError(f"n_classes must be > 2: {n_classes}.")
        others = weight_column, loss_reduction, loss_fn, name
        super().__init__(n_classes, label_vocabulary, None, *others)

    @property
    def logits_dimension(self) -> int:
        return self._n_classes

    def _predictions(self, logits: Any) -> dict[Any, Tensor]:
        return {"logits": logits, **self._classes(logits)}

    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        labels = dense_labels(labels, logits, 1)
        if self._label_vocabulary is None:
            if not labels.dtype.is_integer:
                raise ValueError(f"Labels dtype should be integer. Instead got {labels.dtype}.")
            return in_range(labels, self._n_classes)
        if labels.dtype != dtypes.string:
            raise ValueError(
                "Labels dtype should be string if there is a vocabulary. Instead got "
                f"{labels.dtype}"
            )
        return in_range(self._ids(labels), self._n_classes)

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        losses = sparse_softmax_cross_entropy(labels, logits, reduction=Reduction.NONE)
        return expand_dims(losses, -1)

    def _metrics(self, labels: Tensor, predictions: Mapping[Any, Tensor], weights: Any) -> Metrics:
        return {"accuracy": accuracy(labels, predictions["class_ids"], weights)}

    def _rows(self, labels: Any, predictions: Mapping[Any, Any]) -> list[MetricRow]:
        return [MetricRow("accuracy", Accuracy, (labels, predictions["class_ids"]))]


class BinaryClassHead(_ClassesHead):
    """One of two classes, by one logit and the logistic function.

    Args:
      weight_column: the feature that weighs the examples.
      thresholds: metrics are also given for these probabilities of the second class.
      label_vocabulary: the labels, when they are words.
      loss_reduction: how the losses of a batch become one.
      loss_fn: the losses in place of sigmoid cross entropy.
      name: comes behind the names of the metrics.
    """

    sdca_loss = "logistic_loss"

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Callable | None = None,
        name: str | None = None,
    ) -> None:
        _check_vocabulary(label_vocabulary, TypeError, "should be a list or tuple")
        others = weight_column, loss_reduction, loss_fn, name
        super().__init__(2, label_vocabulary, thresholds, *others)

    @property
    def logits_dimension(self) -> int:
        return 1

    def _predictions(self, logits: Any) -> dict[Any, Tensor]:
        both = concat([zeros_like(logits), logits], -1, name="two_class_logits")
        logistic = sigmoid(logits, name="logistic")
        return {"logits": logits, "logistic": logistic, **self._classes(both)}

    def _served(self, predictions: Mapping[Any, Tensor]) -> dict[str, Any]:
        served = super()._served(predictions)
        return {**served, "regression": RegressionOutput(predictions["logistic"])}

    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        labels = dense_labels(labels, logits, 1)
        if self._label_vocabulary is not None:
            labels = self._ids(labels)
        return in_range(cast(labels, dtypes.float32), 2)

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def _metrics(self, labels: Tensor, predictions: Mapping[Any, Tensor], weights: Any) -> Metrics:
        ids, scores = predictions["class_ids"], predictions["logistic"]
        share = mean(labels, weights)
        return {
            "accuracy": accuracy(labels, ids, weights),
            "precision": precision(labels, ids, weights),
            "recall": recall(labels, ids, weights),
            "prediction/mean": mean(scores, weights),
            "label/mean": share,
            "accuracy_baseline": (
                maximum(share[0], 1.0 - share[0]),
                maximum(share[1], 1 - share[1]),
            ),
            "auc": auc(labels, scores, weights),
            "auc_precision_recall": auc(labels, scores, weights, curve="PR"),
            **self._at_thresholds(labels, scores, weights),
        }

    def _rows(self, labels: Any, predictions: Mapping[Any, Any]) -> list[MetricRow]:
        ids, scores = predictions["class_ids"], predictions["logistic"]
        return [
            MetricRow("accuracy", Accuracy, (labels, ids)),
            MetricRow("precision", Precision, (labels, ids)),
            MetricRow("recall", Recall, (labels, ids)),
            MetricRow("prediction/mean", Mean, (scores,)),
            MetricRow("label/mean", Mean, (labels,)),
            MetricRow("accuracy_baseline", _Baseline, (labels,)),
            MetricRow("auc", AUC, (labels, scores)),
            MetricRow("auc_precision_recall", _AUC_PR, (labels, scores)),
            *self._rows_at_thresholds(labels, scores),
        ]


def binary_or_multi_class_head(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str
) -> Head:
    """Returns the head of a classifier of `n_classes`."""
    rest = (weight_column, label_vocabulary, loss_reduction)
    if n_classes == 2:
        return BinaryClassHead(weight_column, None, *rest[1:])
    return MultiClassHead(n_classes, *rest)


# ---- numbers -----------------------------------------------------------------------------


class RegressionHead(OneHead):
    """Numbers, by the squared error.

    Args:
      label_dimension: how many numbers an example has.
      weight_column: the feature that weighs the examples.
      loss_reduction: how the losses of a batch become one.
      loss_fn: the losses in place of the squared error.
      inverse_link_fn: from logits to predictions.
      name: comes behind the names of the metrics.
    Raises:
      ValueError: when there are no numbers.
    """

    _weight_per_logit = True

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Callable | None = None,
        inverse_link_fn: Callable | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        self._dimension = label_dimension
        self._inverse_link = inverse_link_fn

    @property
    def logits_dimension(self) -> int:
        return self._dimension

    def _predictions(self, logits: Any) -> dict[Any, Tensor]:
        if self._inverse_link is None:
            return {"predictions": logits}
        return {"predictions": self._inverse_link(logits), "logits": logits}

    def _served(self, predictions: Mapping[Any, Tensor]) -> dict[str, Any]:
        output = RegressionOutput(predictions["predictions"])
        return {DEFAULT_SERVING_SIGNATURE_DEF_KEY: output, "regression": output}

    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        return cast(dense_labels(labels, logits, self._dimension), dtypes.float32)

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return mean_squared_error(labels, logits, reduction=Reduction.NONE)

    def _metrics(self, labels: Tensor, predictions: Mapping[Any, Tensor], weights: Any) -> Metrics:
        values = predictions["predictions"]
        return {"prediction/mean": mean(values, weights), "label/mean": mean(labels, weights)}

    def _rows(self, labels: Any, predictions: Mapping[Any, Any]) -> list[MetricRow]:
        return [
            MetricRow("prediction/mean", Mean, (predictions["predictions"],)),
            MetricRow("label/mean", Mean, (labels,)),
        ]

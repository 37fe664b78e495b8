"""The heads of `tf.contrib.learn` that tell classes; `learn_heads.py` makes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minitf.compat.contrib.learn_head_base import (
    Losses,
    Metrics,
    SingleHead,
    areas,
    column,
    flat,
    mean_of,
    share_of,
    weighted,
)
from minitf.compat.contrib.learn_keys import (
    MetricKey,
    PredictionKey,
    ProblemType,
)
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array_filling
from minitf.core.ops.activations import softmax
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, squeeze, tile
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, greater_equal
from minitf.core.ops.losses import (
    sigmoid_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from minitf.core.ops.math import sigmoid
from minitf.core.ops.reductions import argmax
from minitf.library.losses.losses import Reduction, hinge_loss
from minitf.library.metrics.errors import accuracy
from minitf.library.metrics.thresholds import precision_at_thresholds, recall_at_thresholds
from minitf.library.sparse.sparse import sparse_to_indicator
from minitf.library.text.lookup.tables import (
    index_table_from_tensor,
    index_to_string_table_from_tensor,
)
from minitf.library.text.strings import as_string

# ---- classes -----------------------------------------------------------------------------


class _ClassesHead(SingleHead):
    """What heads of classes share.

    Args:
      n_classes: how many classes.
      thresholds: metrics are given for these probabilities.
      metric_class_ids: classes with metrics of their own.
      label_keys: the labels, when they are words.
      args: those of `SingleHead`.
    """

    _problem_type = ProblemType.CLASSIFICATION

    def __init__(
        self, n_classes: int, thresholds: Any, metric_class_ids: Any, label_keys: Any, *args: Any
    ) -> None:
        super().__init__(*args)
        self._thresholds = tuple(thresholds or (0.5,))
        self._chosen = tuple(() if metric_class_ids is None else metric_class_ids)
        for each in self._chosen:
            if not 0 <= each < n_classes:
                raise ValueError(f"Class ID {each} not in [0, {n_classes}).")
        if label_keys and len(label_keys) != n_classes:
            raise ValueError("Length of label_keys must equal n_classes.")
        self._label_keys = label_keys and list(label_keys)

    def _served(self, predictions: dict[str, Tensor]) -> dict[str, Tensor]:
        """The probabilities, and beside each of them the name of its class."""
        scores = predictions[PredictionKey.PROBABILITIES]
        size = shape_of(scores)
        names = self._label_keys or as_string(array_filling.range(size[1]))
        classes = tile(expand_dims(names, 0), [size[0], 1], name="classes_tensor")
        return {PredictionKey.PROBABILITIES: scores, PredictionKey.CLASSES: classes}


def _two_classes(logits: Tensor) -> Tensor:
    """[batch, 2] logits of both classes, from those of the second."""
    return concat([array_filling.zeros_like(logits), logits], 1)


class BinaryLogisticHead(_ClassesHead):
    """One of two classes, by the logistic function of one logit."""

    _problem_type, _scope = ProblemType.LOGISTIC_REGRESSION, "binary_logistic_head"
    sdca_loss = "logistic_loss"

    def losses(self, labels: Any, logits: Tensor, weights: Any = None) -> Losses:
        labels = column(cast(labels, dtypes.float32))
        return weighted(sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), weights)

    def predictions(self, logits: Tensor) -> dict[str, Tensor]:
        both = _two_classes(logits)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.LOGISTIC: sigmoid(logits, name=PredictionKey.LOGISTIC),
            PredictionKey.PROBABILITIES: softmax(both, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: argmax(both, 1, name=PredictionKey.CLASSES),
        }

    def _metrics(
        self, labels: Tensor, numbers: Tensor, predictions: Mapping[str, Tensor], weights: Any
    ) -> Metrics:
        scores = predictions[PredictionKey.LOGISTIC]
        both = areas(labels, scores, weights)
        metrics = {
            MetricKey.ACCURACY: accuracy(labels, predictions[PredictionKey.CLASSES], weights),
            MetricKey.PREDICTION_MEAN: mean_of(scores, weights),
            MetricKey.LABEL_MEAN: mean_of(labels, weights),
            MetricKey.ACCURACY_BASELINE: mean_of(labels, weights),
            MetricKey.AUC: both[0],
            MetricKey.AUC_PR: both[1],
        }
        for t in self._thresholds:
            positive = cast(greater_equal(scores, t), dtypes.float32)
            metrics[MetricKey.ACCURACY_MEAN % t] = accuracy(labels, positive, weights)
            for key, at in (
                (MetricKey.PRECISION_MEAN, precision_at_thresholds),
                (MetricKey.RECALL_MEAN, recall_at_thresholds),
            ):
                value, update = at(labels, scores, (t,), weights)
                metrics[key % t] = squeeze(value), squeeze(update)
        return metrics


class BinarySvmHead(_ClassesHead):
    """One of two classes, by the hinge loss."""

    _problem_type, _scope = ProblemType.LOGISTIC_REGRESSION, "binary_svm_head"
    sdca_loss = "hinge_loss"

    def losses(self, labels: Any, logits: Tensor, weights: Any = None) -> Losses:
        losses = hinge_loss(flat(labels), logits, reduction=Reduction.NONE)
        return weighted(losses, weights)

    def predictions(self, logits: Tensor) -> dict[str, Tensor]:
        classes = argmax(_two_classes(logits), 1, name=PredictionKey.CLASSES)
        return {PredictionKey.LOGITS: logits, PredictionKey.CLASSES: classes}

    def _served(self, predictions: dict[str, Tensor]) -> dict[str, Tensor]:
        return predictions  # there are no probabilities

    def _metrics(
        self, labels: Tensor, numbers: Tensor, predictions: Mapping[str, Tensor], weights: Any
    ) -> Metrics:
        return {MetricKey.ACCURACY: accuracy(labels, predictions[PredictionKey.CLASSES], weights)}


class MultiClassHead(_ClassesHead):
    """One of more than two classes, by softmax."""

    _scope = "multi_class_head"

    def _numbers(self, labels: Any) -> Tensor:
        labels = super()._numbers(labels)
        if not self._label_keys:
            return labels
        return index_table_from_tensor(self._label_keys, name="label_id_lookup").lookup(labels)

    def losses(self, labels: Any, logits: Tensor, weights: Any = None) -> Losses:
        labels = convert_to_tensor(labels)
        if not labels.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer Instead got {labels.dtype}.")
        wide = labels.shape.ndims == 2
        if wide:
            labels = squeeze(labels, [1])
        losses = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        return weighted(expand_dims(losses, 1) if wide else losses, weights)

    def predictions(self, logits: Tensor) -> dict[str, Tensor]:
        classes = argmax(logits, 1, name=PredictionKey.CLASSES)
        if self._label_keys:
            words = index_to_string_table_from_tensor(self._label_keys, name="class_string_lookup")
            classes = words.lookup(classes)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: softmax(logits, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: classes,
        }

    def _metrics(
        self, labels: Tensor, numbers: Tensor, predictions: Mapping[str, Tensor], weights: Any
    ) -> Metrics:
        classes = predictions[PredictionKey.CLASSES]
        scores, logits = (
            predictions[key] for key in (PredictionKey.PROBABILITIES, PredictionKey.LOGITS)
        )
        metrics = {MetricKey.ACCURACY: accuracy(labels, classes, weights)}
        for i in () if self._label_keys else self._chosen:
            metrics |= {
                MetricKey.CLASS_PREDICTION_MEAN % i: share_of(classes, weights, i),
                MetricKey.CLASS_LABEL_MEAN % i: share_of(numbers, weights, i),
                MetricKey.CLASS_PROBABILITY_MEAN % i: mean_of(scores, weights, i),
                MetricKey.CLASS_LOGITS_MEAN % i: mean_of(logits, weights, i),
            }
        return metrics


class MultiLabelHead(_ClassesHead):
    """Any number of classes at once, each by a logistic function of its own."""

    _scope = "multi_label_head"

    def _labels(self, labels: Any) -> Any:
        labels = super()._labels(labels)
        if isinstance(labels, SparseTensor):  # of the numbers of classes
            labels = cast(sparse_to_indicator(labels, self.logits_dimension), dtypes.int64)
        return labels

    def losses(self, labels: Any, logits: Tensor, weights: Any = None) -> Losses:
        labels = cast(labels, dtypes.float32)
        return weighted(sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), weights)

    def predictions(self, logits: Tensor) -> dict[str, Tensor]:
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: sigmoid(logits, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: cast(
                greater(logits, 0), dtypes.int64, name=PredictionKey.CLASSES
            ),
        }

    def _metrics(
        self, labels: Tensor, numbers: Tensor, predictions: Mapping[str, Tensor], weights: Any
    ) -> Metrics:
        classes = predictions[PredictionKey.CLASSES]
        scores, logits = (
            predictions[key] for key in (PredictionKey.PROBABILITIES, PredictionKey.LOGITS)
        )
        both = areas(labels, scores, weights)
        metrics = {
            MetricKey.ACCURACY: accuracy(labels, classes, weights),
            MetricKey.AUC: both[0],
            MetricKey.AUC_PR: both[1],
        }
        for i in self._chosen:
            both = areas(labels, scores, weights, i)
            metrics |= {
                MetricKey.CLASS_PREDICTION_MEAN % i: mean_of(classes, weights, i),
                MetricKey.CLASS_LABEL_MEAN % i: mean_of(labels, weights, i),
                MetricKey.CLASS_PROBABILITY_MEAN % i: mean_of(scores, weights, i),
                MetricKey.CLASS_LOGITS_MEAN % i: mean_of(logits, weights, i),
                MetricKey.CLASS_AUC % i: both[0],
                MetricKey.CLASS_AUC_PR % i: both[1],
            }
        return metrics

"""Heads: from logits and labels to an `EstimatorSpec`.

                 logits of an example    loss                    a prediction
BinaryClassHead         1                sigmoid cross entropy   one of two classes
MultiClassHead          n_classes        softmax cross entropy   one of the classes
RegressionHead          label_dimension  squared error           numbers

logits ──predictions──> probabilities, classes ...        each kind of head says how;
labels ──checked──> losses ── times weights ── reduced    the order of it all is one function,
loss ──> train_op;   labels, predictions ──> metrics      `Head.create_estimator_spec`
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import SparseTensor, convert_to_tensor_or_sparse_tensor
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import GraphKeys, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array_filling
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, tile
from minitf.core.ops.cast import cast
from minitf.core.ops.control import group
from minitf.core.ops.math import maximum, sigmoid
from minitf.core.ops.reductions import argmax, reduce_sum
from minitf.library import losses
from minitf.library.checks import assertions
from minitf.library.estimator.export import (
    ClassificationOutput,
    PredictOutput,
    RegressionOutput,
)
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys
from minitf.library.feature_columns.base import DenseColumn, FeatureCache
from minitf.library.feature_columns.dense import numeric_column
from minitf.library.losses import Reduction
from minitf.library.metrics.metrics import accuracy, auc, mean, precision, recall
from minitf.library.nets.activations import softmax
from minitf.library.nets.cross_entropy import sigmoid_cross_entropy_with_logits
from minitf.library.saving.saved_model_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary
from minitf.library.text import lookup
from minitf.library.text.strings import as_string

_NO_LABELS = (
    "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that "
    "your data contain your label feature. Check that your input_fn properly parses and returns "
    "labels."
)
_SPARSE_LABELS = (
    "SparseTensor labels are not supported. labels must be a Tensor of shape [D0, D1, ..., DN, "
    "{0}], e.g. [batch_size, {0}]. Suggested Fix (1): Check the label feature in your data. Each "
    "example must contain {0} value(s). If not, your choice of label was probably incorrect. "
    "Suggested Fix (2): In your input_fn, use tf.sparse_tensor_to_dense() to turn labels into a "
    "Tensor."
)
_WRONG_DIMENSION = (
    "Mismatched label shape. Expected labels dimension={}.  Received {}. Suggested Fix:If your "
    "classifier expects one-hot encoding label,check your n_classes argument to the estimator "
    "and/or the shape of your label. Otherwise, check the shape of your label."
)
_LABELS_SHAPE = (
    "labels shape must be [D0, D1, ... DN, {}]. Suggested Fix: check your n_classes argument to "
    "the estimator and/or the shape of your label."
)
_WEIGHTS_SHAPE = "weights shape must be [D0, D1, ... DN] or [D0, D1, ... DN, 1]"

Metrics = dict[str, tuple[Any, Any]]


class Head(ABC):
    """Turns logits and labels into an `EstimatorSpec`; a subclass says what the logits mean.

    Args:
      logits_dimension: how many logits an example has.
      weight_column: the feature that weighs the examples, a name or a numeric column.
      loss_reduction: how the losses of a batch become one; see `tf.losses.Reduction`.
    """

    _weight_per_logit = False  # whether each logit may have a weight of its own
    sdca_loss: str | None = None  # what `LinearSDCA` minimizes under this head

    def __init__(self, logits_dimension: int, weight_column: Any, loss_reduction: str) -> None:
        if loss_reduction not in Reduction.all() or loss_reduction == Reduction.NONE:
            raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
        self.logits_dimension = logits_dimension
        self._weight_column = weight_column
        self._loss_reduction = loss_reduction

    @abstractmethod
    def _predictions(self, logits: Any) -> dict[Any, Tensor]:
        """All predictions by name."""

    @abstractmethod
    def _served(self, predictions: Mapping[Any, Tensor]) -> dict[str, Any]:
        """The outputs of the exported model, the default one first."""

    @abstractmethod
    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        """The labels as checked numbers, from what the data has."""

    @abstractmethod
    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        """[batch, 1 or n] the losses of the examples."""

    @abstractmethod
    def _metrics(self, labels: Tensor, predictions: Mapping[Any, Tensor], weights: Any) -> Metrics:
        """The metrics beside that of the loss."""

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any,
        train_op_fn: Callable[[Tensor], Any] | None = None,
    ) -> EstimatorSpec:
        """Returns what a model_fn returns.

        Args:
          features: from names to tensors.
          mode: a `ModeKeys`.
          logits: [batch, logits_dimension] float32.
          labels: [batch] or [batch, n]; not needed to predict.
          train_op_fn: `train_op_fn(loss)` returns the training operation; needed to train.
        """
        with name_scope("head"):
            logits = cast(convert_to_tensor(logits), dtypes.float32)
            with name_scope("predictions"):
                predictions = self._predictions(logits)
            if mode == ModeKeys.PREDICT:
                outputs = {**self._served(predictions), "predict": PredictOutput(predictions)}
                return EstimatorSpec(mode, predictions, export_outputs=outputs)
            labels = self._numbers(labels, logits)
            each = self._losses(labels, logits)
            weights = weights_of(features, self._weight_column, logits, self._weight_per_logit)
            loss = losses.compute_weighted_loss(each, weights, reduction=self._loss_reduction)
            if mode == ModeKeys.EVAL:
                metrics = {"average_loss": mean(each, weights)}
                metrics |= self._metrics(labels, predictions, weights)
                return EstimatorSpec(mode, predictions, loss, eval_metric_ops=metrics)
            assert train_op_fn is not None
            train_op = train_op_fn(loss)
            if updates := stacks.get_collection(GraphKeys.UPDATE_OPS):
                train_op = group(train_op, *updates)
            shown = {"loss": loss}
            if self._loss_reduction == Reduction.SUM:
                count = reduce_sum(weights * array_filling.ones_like(each))
                shown["average_loss"] = loss / count
        with name_scope(""):
            for key, value in shown.items():
                summary.scalar(key, value)
        return EstimatorSpec(mode, predictions, loss, train_op)

    def for_sdca(self, features: Any, labels: Any, logits: Tensor) -> tuple[Tensor, Any]:
        """The labels as numbers, and the weights of the examples, for `LinearSDCA`."""
        weights = weights_of(features, self._weight_column, logits, False)
        return self._numbers(labels, logits), weights


def minimizer(optimizer: Any) -> Callable[[Tensor], Any]:
    """The `train_op_fn` that minimizes the loss, and counts the steps."""
    return lambda loss: optimizer.minimize(loss, global_step=get_global_step())


# ---- classes -----------------------------------------------------------------------------


class _ClassesHead(Head):
    """What heads of classes share: the names of the classes."""

    def __init__(
        self,
        logits_dimension: int,
        n_classes: int,
        weight_column: Any,
        label_vocabulary: Sequence[str] | None,
        loss_reduction: str,
    ) -> None:
        super().__init__(logits_dimension, weight_column, loss_reduction)
        self._n_classes = n_classes
        self._label_vocabulary = label_vocabulary

    def _ids(self, labels: Tensor) -> Tensor:
        """The numbers of labels that are words."""
        words = tuple(self._label_vocabulary or ())
        return lookup.index_table_from_tensor(words, name="class_id_lookup").lookup(labels)

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
            table = lookup.index_to_string_table_from_tensor(names, name="class_string_lookup")
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


class MultiClassHead(_ClassesHead):
    """One of more than two classes, by softmax.

    Args:
      n_classes: how many classes.
      weight_column: the feature that weighs the examples.
      label_vocabulary: the labels, when they are words.
      loss_reduction: how the losses of a batch become one.
    Raises:
      ValueError: when there are two classes or less.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: Any,
        label_vocabulary: Sequence[str] | None,
        loss_reduction: str,
    ) -> None:
        if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
            raise ValueError(
                "label_vocabulary should be a list or a tuple. "
                f"Given type: {type(label_vocabulary)}"
            )
        if n_classes is None:
            raise ValueError("n_classes cannot be None")
        if n_classes <= 2:
            raise ValueError(f"n_classes must be > 2: {n_classes}.")
        super().__init__(n_classes, n_classes, weight_column, label_vocabulary, loss_reduction)

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
        each = losses.sparse_softmax_cross_entropy(labels, logits, reduction=Reduction.NONE)
        return expand_dims(each, -1)

    def _metrics(self, labels: Tensor, predictions: Mapping[Any, Tensor], weights: Any) -> Metrics:
        return {"accuracy": accuracy(labels, predictions["class_ids"], weights)}


class BinaryClassHead(_ClassesHead):
    """One of two classes, by one logit and the logistic function.

    Args:
      weight_column: the feature that weighs the examples.
      label_vocabulary: the labels, when they are words.
      loss_reduction: how the losses of a batch become one.
    """

    sdca_loss = "logistic_loss"

    def __init__(
        self, weight_column: Any, label_vocabulary: Sequence[str] | None, loss_reduction: str
    ) -> None:
        if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
            raise TypeError(
                f"label_vocabulary should be a list or tuple. Given type: {type(label_vocabulary)}"
            )
        super().__init__(1, 2, weight_column, label_vocabulary, loss_reduction)

    def _predictions(self, logits: Any) -> dict[Any, Tensor]:
        zeros = array_filling.zeros_like(logits)
        both = concat([zeros, logits], -1, name="two_class_logits")
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
        }


def binary_or_multi_class_head(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str
) -> Head:
    """Returns the head of a classifier of `n_classes`."""
    rest = (weight_column, label_vocabulary, loss_reduction)
    return BinaryClassHead(*rest) if n_classes == 2 else MultiClassHead(n_classes, *rest)


# ---- numbers -----------------------------------------------------------------------------


class RegressionHead(Head):
    """Numbers, by the squared error.

    Args:
      label_dimension: how many numbers an example has.
      weight_column: the feature that weighs the examples.
      loss_reduction: how the losses of a batch become one.
    Raises:
      ValueError: when there are no numbers.
    """

    _weight_per_logit = True
    sdca_loss = "squared_loss"

    def __init__(self, label_dimension: int, weight_column: Any, loss_reduction: str) -> None:
        super().__init__(label_dimension, weight_column, loss_reduction)
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")

    def _predictions(self, logits: Any) -> dict[Any, Tensor]:
        return {"predictions": logits}

    def _served(self, predictions: Mapping[Any, Tensor]) -> dict[str, Any]:
        output = RegressionOutput(predictions["predictions"])
        return {DEFAULT_SERVING_SIGNATURE_DEF_KEY: output, "regression": output}

    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        return cast(dense_labels(labels, logits, self.logits_dimension), dtypes.float32)

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return losses.mean_squared_error(labels, logits, reduction=Reduction.NONE)

    def _metrics(self, labels: Tensor, predictions: Mapping[Any, Tensor], weights: Any) -> Metrics:
        values = predictions["predictions"]
        return {"prediction/mean": mean(values, weights), "label/mean": mean(labels, weights)}


# ---- checks ------------------------------------------------------------------------------


def dense_labels(labels: Any, logits: Tensor, size: int) -> Tensor:
    """The labels in the shape of the logits, but for the last size."""
    if labels is None:
        raise ValueError(_NO_LABELS)
    labels = convert_to_tensor_or_sparse_tensor(labels)
    if isinstance(labels, SparseTensor):
        raise ValueError(_SPARSE_LABELS.format(size))
    ranks = labels.shape.ndims, logits.shape.ndims
    if None not in ranks and ranks[0] == (ranks[1] or 0) - 1:
        labels = expand_dims(labels, -1)
    text = _LABELS_SHAPE.format(size)
    ranked = assertions.assert_rank_at_least(labels, 2, message=text)
    last = labels.shape.dims and labels.shape[-1].value
    if last is not None and last != size:
        raise ValueError(_WRONG_DIMENSION.format(size, last))
    with stacks.control_dependencies([ranked]):
        wanted = concat([shape_of(logits)[:-1], [size]], 0)
        data = ["expected_labels_shape: ", wanted, "labels_shape: ", shape_of(labels)]
        same = assertions.assert_equal(wanted, shape_of(labels), message=text, data=data)
        with stacks.control_dependencies([same]):
            return identity(labels)


def in_range(labels: Tensor, n_classes: int) -> Tensor:
    """The labels, checked while the graph runs to be from 0 to below `n_classes`."""
    highest = convert_to_tensor(n_classes - 1, labels.dtype.base_dtype)
    checks = [
        assertions.assert_less_equal(labels, highest, message="Labels must <= n_classes - 1"),
        assertions.assert_non_negative(labels, message="Labels must >= 0"),
    ]
    with stacks.control_dependencies(checks):
        return identity(labels)


def weights_of(features: Any, column: Any, logits: Tensor, per_logit: bool) -> Any:
    """The weights of the examples, as [batch, 1] for logits of [batch, n]; 1.0 without a column."""
    if column is None:
        return 1.0
    if isinstance(column, str):
        column = numeric_column(column)
    if not isinstance(column, DenseColumn):
        raise TypeError(
            f"Weight column must be either a string or _DenseColumn. Given type: {type(column)}."
        )
    weights = column.get_dense_tensor(FeatureCache(features))
    weights = cast(weights, dtypes.float32)
    if weights.shape.ndims == (logits.shape.ndims or 0) - 1:
        weights = expand_dims(weights, -1)
    if per_logit and weights.shape[-1].value != 1:
        return weights
    wanted = concat([shape_of(logits)[:-1], [1]], 0)
    data = ["logits_shape: ", shape_of(logits), "weights_shape: ", shape_of(weights)]
    fits = assertions.assert_equal(wanted, shape_of(weights), message=_WEIGHTS_SHAPE, data=data)
    with stacks.control_dependencies([fits]):
        return identity(weights)

"""Heads: from logits and labels to an `EstimatorSpec`.

logits ──predictions──> probabilities, classes ...        each kind of head says how;
labels ──checked──> losses ── times weights ── reduced    the order of it all is one function,
loss ──> train_op;   labels, predictions ──> metrics      `Head.create_estimator_spec`
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array_filling
from minitf.core.ops.activations import softmax
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like, zeros_like
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.array_shaping import expand_dims, squeeze, tile
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal
from minitf.core.ops.control import group
from minitf.core.ops.losses import log_poisson_loss, sigmoid_cross_entropy_with_logits
from minitf.core.ops.math import add_n, exp, maximum, sigmoid
from minitf.core.ops.reductions import argmax, reduce_mean, reduce_sum
from minitf.library.checks.assertions import (
    assert_equal,
    assert_less_equal,
    assert_non_negative,
    assert_rank_at_least,
)
from minitf.library.estimator.export_outputs import (
    ClassificationOutput,
    PredictOutput,
    RegressionOutput,
)
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys, argument_names, call_with_known
from minitf.library.feature_columns.base import DenseColumn, FeatureCache
from minitf.library.feature_columns.numeric import numeric_column
from minitf.library.losses.losses import (
    Reduction,
    compute_weighted_loss,
    mean_squared_error,
    sparse_softmax_cross_entropy,
)
from minitf.library.metrics.base import mean
from minitf.library.metrics.counts import precision, recall
from minitf.library.metrics.errors import accuracy
from minitf.library.metrics.thresholds import (
    auc,
    precision_at_thresholds,
    recall_at_thresholds,
)
from minitf.library.saving.saved_model_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from minitf.library.sessions.training_util import get_global_step
from minitf.library.sparse.sparse import sparse_to_indicator
from minitf.library.summary import summary
from minitf.library.text.lookup.tables import (
    index_table_from_tensor,
    index_to_string_table_from_tensor,
)
from minitf.library.text.strings import as_string

#: The names of TensorFlow 2 for a loss's reduction, as the heads with public names have them.
_REDUCTIONS = {"sum_over_batch_size": Reduction.SUM_OVER_BATCH_SIZE, "sum": Reduction.SUM}
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


class LossSpec(NamedTuple):
    """What `Head.create_loss` returns.

    Args:
      training_loss: the scalar to minimize.
      unreduced_loss: [batch, 1 or n], of each example.
      weights: of the examples; 1.0 without any.
      processed_labels: the labels as numbers in the shape of the logits.
    """

    training_loss: Any
    unreduced_loss: Any
    weights: Any
    processed_labels: Any


class Head(ABC):
    """Turns logits and labels into an `EstimatorSpec`."""

    @property
    @abstractmethod
    def name(self) -> str | None:
        """Comes behind the names of the metrics."""

    @property
    @abstractmethod
    def logits_dimension(self) -> int:
        """How many logits an example has."""

    @abstractmethod
    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        """Returns the loss of a batch, and what it was made of.

        Args:
          features: from names to tensors.
          mode: a `ModeKeys`.
          logits: [batch, logits_dimension] float32.
          labels: [batch] or [batch, n].
        """

    @abstractmethod
    def predictions(self, logits: Any) -> dict[Any, Tensor]:
        """Returns the predictions by name."""

    @abstractmethod
    def create_estimator_spec(
        self, features: Any, mode: str, logits: Any, labels: Any = None, optimizer: Any = None,
        trainable_variables: Any = None, train_op_fn: Callable | None = None,
        update_ops: Any = None, regularization_losses: Any = None,
    ) -> EstimatorSpec:  # fmt: skip
        """Returns what a model_fn returns.

        Args:
          features: from names to tensors.
          mode: a `ModeKeys`.
          logits: [batch, logits_dimension] float32.
          labels: [batch] or [batch, n]; not needed to predict.
          optimizer: minimizes the loss.
          trainable_variables: what it trains; all trainable variables by default.
          train_op_fn: `train_op_fn(loss)` returns the training operation, in place of an optimizer.
          update_ops: more operations of a step; those of `GraphKeys.UPDATE_OPS` by default.
          regularization_losses: scalars to add to the loss.
        Raises:
          ValueError: when neither an optimizer nor a function is given to train with, or both.
        """

    def loss(
        self, labels: Any, logits: Any, features: Any = None, mode: Any = None,
        regularization_losses: Any = None,
    ) -> Tensor:  # fmt: skip
        """Returns the loss of a batch, with the regularization losses."""
        loss = self.create_loss(features, mode, logits, labels).training_loss
        return add_n([loss, *regularization_losses]) if regularization_losses else loss


class _OneHead(Head):
    """The order of it all; a subclass says what the logits mean.

    Args:
      weight_column: the feature that weighs the examples, a name or a numeric column.
      loss_reduction: how the losses of a batch become one; see `tf.losses.Reduction`.
      loss_fn: `loss_fn(labels, logits, features)`, the losses in place of the head's own.
      name: comes behind the names of the metrics.
    """

    _weight_per_logit = False  # whether each logit may have a weight of its own

    def __init__(
        self, weight_column: Any, loss_reduction: str, loss_fn: Callable | None, name: str | None
    ) -> None:
        loss_reduction = _REDUCTIONS.get(loss_reduction, loss_reduction)
        if loss_reduction not in Reduction.all() or loss_reduction == Reduction.NONE:
            raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
        if loss_fn is not None:
            _check_loss_fn(loss_fn)
        self._weight_column = weight_column
        self._loss_reduction = loss_reduction
        self._loss_fn = loss_fn
        self._name = name

    @property
    def name(self) -> str | None:
        """Comes behind the names of the metrics."""
        return self._name

    @property
    def loss_reduction(self) -> str:
        """How the losses of a batch become one."""
        return self._loss_reduction

    @abstractmethod
    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        """The labels as checked numbers, from what the data has."""

    @abstractmethod
    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        """[batch, 1 or n] the losses of the examples."""

    @abstractmethod
    def _metrics(self, labels: Tensor, predictions: Mapping[Any, Tensor], weights: Any) -> Metrics:
        """The metrics beside those of the loss."""

    @abstractmethod
    def _served(self, predictions: Mapping[Any, Tensor]) -> dict[str, Any]:
        """The outputs of the exported model, the default one first."""

    def _key(self, name: str) -> str:
        return f"{name}/{self._name}" if self._name else name

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        logits = convert_to_tensor(logits)
        labels = self._numbers(labels, logits)
        if self._loss_fn is None:
            losses = self._losses(labels, logits)
        else:
            given = {"labels": labels, "logits": logits}
            losses = call_with_known(self._loss_fn, {"features": features}, **given)
        weights = _weights(features, self._weight_column, logits, self._weight_per_logit)
        loss = compute_weighted_loss(losses, weights=weights, reduction=self._loss_reduction)
        return LossSpec(loss, losses, weights, labels)

    def create_estimator_spec(
        self, features: Any, mode: str, logits: Any, labels: Any = None, optimizer: Any = None,
        trainable_variables: Any = None, train_op_fn: Callable | None = None,
        update_ops: Any = None, regularization_losses: Any = None,
    ) -> EstimatorSpec:  # fmt: skip
        with name_scope(self._name, "head"):
            logits = self._checked_logits(logits)
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                outputs = self._served(predictions)
                outputs["predict"] = PredictOutput(predictions)
                return EstimatorSpec(mode, predictions, export_outputs=outputs)
            spec = self.create_loss(features, mode, logits, labels)
            loss, extra = spec.training_loss, None
            if regularization_losses:
                extra = add_n(regularization_losses)
                loss = add_n([loss, extra])
            if mode == ModeKeys.EVAL:
                metrics = self._all_metrics(spec, predictions, extra)
                return EstimatorSpec(mode, predictions, loss, eval_metric_ops=metrics)
            train_op = _train_op(loss, optimizer, train_op_fn, trainable_variables, update_ops)
            shown = self._shown(spec, loss, extra)
        with name_scope(""):
            for key, value in shown.items():
                summary.scalar(self._key(key), value)
        return EstimatorSpec(mode, predictions, loss, train_op)

    def _checked_logits(self, logits: Any) -> Any:
        logits = cast(convert_to_tensor(logits), dtypes.float32)
        size = logits.shape.dims and logits.shape[-1].value
        if size is not None and size != self.logits_dimension:
            raise ValueError(
                "logits shape must be [D0, D1, ... DN, logits_dimension="
                f"{self.logits_dimension}], got {logits.shape}."
            )
        return logits

    def _all_metrics(self, spec: LossSpec, predictions: Any, extra: Any) -> Metrics:
        metrics = {"average_loss": mean(spec.unreduced_loss, spec.weights)}
        metrics |= self._metrics(spec.processed_labels, predictions, spec.weights)
        if extra is not None:
            metrics["regularization_loss"] = mean(extra)
        return {self._key(key): pair for key, pair in metrics.items()}

    def _shown(self, spec: LossSpec, loss: Tensor, extra: Any) -> dict[str, Tensor]:
        """The summaries of training by name."""
        shown = {"loss": loss}
        if self._loss_reduction == Reduction.SUM:
            count = reduce_sum(spec.weights * ones_like(spec.unreduced_loss))
            shown["average_loss"] = spec.training_loss / count
        if extra is not None:
            shown["regularization_loss"] = extra
        return shown


# ---- checks ------------------------------------------------------------------------------


def _check_loss_fn(loss_fn: Callable) -> None:
    names = argument_names(loss_fn)
    for name in ("labels", "logits"):
        if name not in names:
            raise ValueError(f"loss_fn must contain argument: {name}. Given arguments: {names}")
    if others := [name for name in names if name not in ("labels", "logits", "features")]:
        raise ValueError(f"loss_fn has unexpected args: {others}")


def _dense_labels(labels: Any, logits: Tensor, size: int) -> Tensor:
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
    ranked = assert_rank_at_least(labels, 2, message=text)
    last = labels.shape.dims and labels.shape[-1].value
    if last is not None and last != size:
        raise ValueError(_WRONG_DIMENSION.format(size, last))
    with stacks.control_dependencies([ranked]):
        wanted = concat([shape_of(logits)[:-1], [size]], 0)
        data = ["expected_labels_shape: ", wanted, "labels_shape: ", shape_of(labels)]
        same = assert_equal(wanted, shape_of(labels), message=text, data=data)
        with stacks.control_dependencies([same]):
            return identity(labels)


def _in_range(labels: Tensor, n_classes: int, message: str | None = None) -> Tensor:
    highest = convert_to_tensor(n_classes - 1, labels.dtype.base_dtype)
    texts = (message or "Labels must <= n_classes - 1", message or "Labels must >= 0")
    checks = [
        assert_less_equal(labels, highest, message=texts[0]),
        assert_non_negative(labels, message=texts[1]),
    ]
    with stacks.control_dependencies(checks):
        return identity(labels)


def _weights(features: Any, column: Any, logits: Tensor, per_logit: bool) -> Any:
    """The weights of the examples, as [batch, 1] for logits of [batch, n]; 1.0 without a column."""
    if column is None:
        return 1.0
    if isinstance(column, str):
        column = numeric_column(column)
    if not isinstance(column, DenseColumn):
        raise TypeError(
            f"Weight column must be either a string or _DenseColumn. Given type: {type(column)}."
        )
    weights = column.get_dense_tensor(FeatureCache(features), None)
    if not (weights.dtype.is_floating or weights.dtype.is_integer):
        raise ValueError(f"Weight column should be castable to float. Given dtype: {weights.dtype}")
    weights = cast(weights, dtypes.float32)
    if weights.shape.ndims == (logits.shape.ndims or 0) - 1:
        weights = expand_dims(weights, -1)
    if per_logit and weights.shape[-1].value != 1:
        return weights
    wanted = concat([shape_of(logits)[:-1], [1]], 0)
    data = ["logits_shape: ", shape_of(logits), "weights_shape: ", shape_of(weights)]
    fits = assert_equal(wanted, shape_of(weights), message=_WEIGHTS_SHAPE, data=data)
    with stacks.control_dependencies([fits]):
        return identity(weights)


def _train_op(loss: Tensor, optimizer: Any, function: Any, variables: Any, updates: Any) -> Any:
    if optimizer is not None and function is not None:
        raise ValueError("train_op_fn and optimizer cannot both be set.")
    if function is not None:
        train_op = function(loss)
    elif optimizer is not None:
        train_op = optimizer.minimize(loss, global_step=get_global_step(), var_list=variables)
    else:
        raise ValueError("train_op_fn and optimizer cannot both be None.")
    updates = stacks.get_collection(GraphKeys.UPDATE_OPS) if updates is None else updates
    return group(train_op, *updates) if updates else train_op


# ---- classes -----------------------------------------------------------------------------


class _ClassesHead(_OneHead):
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
        self, n_classes: int, weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE, loss_fn: Callable | None = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
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

    def predictions(self, logits: Any) -> dict[Any, Tensor]:
        return {"logits": logits, **self._classes(logits)}

    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        labels = _dense_labels(labels, logits, 1)
        if self._label_vocabulary is None:
            if not labels.dtype.is_integer:
                raise ValueError(f"Labels dtype should be integer. Instead got {labels.dtype}.")
            return _in_range(labels, self._n_classes)
        if labels.dtype != dtypes.string:
            raise ValueError(
                "Labels dtype should be string if there is a vocabulary. Instead got "
                f"{labels.dtype}"
            )
        return _in_range(self._ids(labels), self._n_classes)

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        losses = sparse_softmax_cross_entropy(labels, logits, reduction=Reduction.NONE)
        return expand_dims(losses, -1)

    def _metrics(self, labels: Tensor, predictions: Mapping[Any, Tensor], weights: Any) -> Metrics:
        return {"accuracy": accuracy(labels, predictions["class_ids"], weights)}


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

    def __init__(
        self, weight_column: Any = None, thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE, loss_fn: Callable | None = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        _check_vocabulary(label_vocabulary, TypeError, "should be a list or tuple")
        others = weight_column, loss_reduction, loss_fn, name
        super().__init__(2, label_vocabulary, thresholds, *others)

    @property
    def logits_dimension(self) -> int:
        return 1

    def predictions(self, logits: Any) -> dict[Any, Tensor]:
        both = concat([zeros_like(logits), logits], -1, name="two_class_logits")
        logistic = sigmoid(logits, name="logistic")
        return {"logits": logits, "logistic": logistic, **self._classes(both)}

    def _served(self, predictions: Mapping[Any, Tensor]) -> dict[str, Any]:
        served = super()._served(predictions)
        return {**served, "regression": RegressionOutput(predictions["logistic"])}

    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        labels = _dense_labels(labels, logits, 1)
        if self._label_vocabulary is not None:
            labels = self._ids(labels)
        return _in_range(cast(labels, dtypes.float32), 2)

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


class MultiLabelHead(_ClassesHead):
    """Any number of classes at once, each by a logistic function of its own.

    Args:
      n_classes: how many classes.
      weight_column: the feature that weighs the examples.
      thresholds: metrics are also given for these probabilities.
      label_vocabulary: the labels, when they are words.
      loss_reduction: how the losses of a batch become one.
      loss_fn: the losses in place of sigmoid cross entropy.
      classes_for_class_based_metrics: classes, numbers or words, with metrics of their own.
      name: comes behind the names of the metrics.
    Raises:
      ValueError: when there are less than two classes, or one that is named is not there.
    """

    def __init__(
        self, n_classes: int, weight_column: Any = None, thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE, loss_fn: Callable | None = None,
        classes_for_class_based_metrics: Sequence[Any] | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        if n_classes is None or n_classes < 2:
            raise ValueError(
                f"n_classes must be > 1 for multi-label classification. Given: {n_classes}"
            )
        _check_vocabulary(label_vocabulary, ValueError, "must be a list or tuple")
        if label_vocabulary is not None and len(label_vocabulary) != n_classes:
            raise ValueError(
                f"Length of label_vocabulary must be n_classes ({n_classes}). Given: "
                f"{len(label_vocabulary)}"
            )
        chosen = list(classes_for_class_based_metrics or ())
        if chosen and isinstance(chosen[0], str):
            if not label_vocabulary:
                raise ValueError(
                    "label_vocabulary must be provided when classes_for_class_based_metrics are "
                    "strings."
                )
            chosen = [label_vocabulary.index(word) for word in chosen]
        for i in chosen:
            if not 0 <= i < n_classes:
                raise ValueError(
                    f"All classes_for_class_based_metrics must be in range [0, {n_classes - 1}]. "
                    f"Given: {i}"
                )
        self._chosen = chosen
        others = weight_column, loss_reduction, loss_fn, name
        super().__init__(n_classes, label_vocabulary, thresholds, *others)

    @property
    def logits_dimension(self) -> int:
        return self._n_classes

    def predictions(self, logits: Any) -> dict[Any, Tensor]:
        scores = sigmoid(logits, name="probabilities")
        return {"logits": logits, "probabilities": scores, "classes": self._class_names(logits)}

    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        if labels is None:
            raise ValueError(_NO_LABELS)
        if isinstance(labels, SparseTensor):
            values = labels.values
            if values.dtype == dtypes.string:
                values = self._ids(values)
            elif not values.dtype.is_integer:
                raise ValueError(f"Labels dtype should be integer. Instead got {values.dtype}.")
            else:
                text = (
                    f"labels must be an integer SparseTensor with values in [0, {self._n_classes})"
                )
                values = _in_range(values, self._n_classes, text)
            ids = SparseTensor(labels.indices, values, labels.dense_shape)
            labels = cast(sparse_to_indicator(ids, self._n_classes), dtypes.int64)
        else:
            text = "labels must be an integer indicator Tensor with values in [0, 1]"
            labels = _in_range(convert_to_tensor(labels), 2, text)
        return _dense_labels(labels, logits, self._n_classes)

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        labels = cast(labels, dtypes.float32)
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        return reduce_mean(losses, axis=-1, keepdims=True)

    def _metrics(self, labels: Tensor, predictions: Mapping[Any, Tensor], weights: Any) -> Metrics:
        scores = predictions["probabilities"]
        metrics = {
            "auc": auc(labels, scores, weights),
            "auc_precision_recall": auc(labels, scores, weights, curve="PR"),
            **self._at_thresholds(labels, scores, weights),
        }
        for i in self._chosen:
            name = self._label_vocabulary[i] if self._label_vocabulary else f"class{i}"
            own, score = labels[:, i : i + 1], scores[:, i : i + 1]
            metrics[f"probability_mean/{name}"] = mean(score, weights)
            metrics[f"auc/{name}"] = auc(own, score, weights)
            metrics[f"auc_precision_recall/{name}"] = auc(own, score, weights, curve="PR")
        return metrics


def binary_or_multi_class_head(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str
) -> Head:
    """Returns the head of a classifier of `n_classes`."""
    rest = (weight_column, label_vocabulary, loss_reduction)
    if n_classes == 2:
        return BinaryClassHead(weight_column, None, *rest[1:])
    return MultiClassHead(n_classes, *rest)


# ---- numbers -----------------------------------------------------------------------------


class RegressionHead(_OneHead):
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
        self, label_dimension: int = 1, weight_column: Any = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE, loss_fn: Callable | None = None,
        inverse_link_fn: Callable | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        self._dimension = label_dimension
        self._inverse_link = inverse_link_fn

    @property
    def logits_dimension(self) -> int:
        return self._dimension

    def predictions(self, logits: Any) -> dict[Any, Tensor]:
        if self._inverse_link is None:
            return {"predictions": logits}
        return {"predictions": self._inverse_link(logits), "logits": logits}

    def _served(self, predictions: Mapping[Any, Tensor]) -> dict[str, Any]:
        output = RegressionOutput(predictions["predictions"])
        return {DEFAULT_SERVING_SIGNATURE_DEF_KEY: output, "regression": output}

    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        return cast(_dense_labels(labels, logits, self._dimension), dtypes.float32)

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return mean_squared_error(labels, logits, reduction=Reduction.NONE)

    def _metrics(self, labels: Tensor, predictions: Mapping[Any, Tensor], weights: Any) -> Metrics:
        values = predictions["predictions"]
        return {"prediction/mean": mean(values, weights), "label/mean": mean(labels, weights)}


class PoissonRegressionHead(RegressionHead):
    """Counts, by the logarithm of their mean.

    Args:
      label_dimension, weight_column, loss_reduction, name: as of `RegressionHead`.
      compute_full_loss: with the part of the loss that does not depend on the logits.
    """

    def __init__(
        self, label_dimension: int = 1, weight_column: Any = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE, compute_full_loss: bool = True,
        name: str | None = None,
    ) -> None:  # fmt: skip
        def loss_fn(labels: Any, logits: Any) -> Tensor:
            return log_poisson_loss(labels, logits, compute_full_loss=compute_full_loss)

        super().__init__(label_dimension, weight_column, loss_reduction, loss_fn, exp, name)


class LogisticRegressionHead(RegressionHead):
    """Probabilities, from labels between 0 and 1.

    Args:
      weight_column, loss_reduction, name: as of `RegressionHead`.
    """

    def __init__(
        self, weight_column: Any = None, loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        name: str | None = None,
    ) -> None:  # fmt: skip
        def loss_fn(labels: Any, logits: Any) -> Tensor:
            return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

        super().__init__(1, weight_column, loss_reduction, loss_fn, sigmoid, name)


# ---- several heads -----------------------------------------------------------------------


class MultiHead(Head):
    """Several heads on one model, each with a part of the logits and labels of its own.

    Args:
      heads: the heads, each with a name.
      head_weights: how much each one's loss counts.
    Raises:
      ValueError: when there are none, one has no name, or the weights are of another number.
    """

    def __init__(self, heads: Sequence[Head], head_weights: Sequence[float] | None = None) -> None:
        if not heads:
            raise ValueError(f"Must specify heads. Given: {heads}")
        if head_weights and len(head_weights) != len(heads):
            raise ValueError(
                "heads and head_weights must have the same size. Given len(heads): "
                f"{len(heads)}. Given len(head_weights): {len(head_weights)}."
            )
        for head in heads:
            if head.name is None:
                raise ValueError(f"All given heads must have name specified. Given: {head}")
        self._heads = tuple(heads)
        self._head_weights = tuple(head_weights or ())

    @property
    def name(self) -> str:
        return "_".join(str(head.name) for head in self._heads)

    @property
    def logits_dimension(self) -> int:
        return sum(head.logits_dimension for head in self._heads)

    def _parts(self, logits: Any) -> dict[Any, Any]:
        """The logits of each head."""
        names = [head.name for head in self._heads]
        if isinstance(logits, dict):
            if missing := [name for name in names if name not in logits]:
                raise ValueError(f"logits has missing values for head(s): {missing}")
            return logits
        sizes = [head.logits_dimension for head in self._heads]
        logits = convert_to_tensor(logits)
        last = logits.shape[-1].value
        if last is not None and last != sum(sizes):
            raise ValueError(
                f"Could not split logits of shape {logits.shape.as_list()!r} among the heads with "
                f"individual logits dimensions: {sizes!r}. The last dimension of the logits tensor "
                f"should equal {sum(sizes)} but is {last}."
            )
        return dict(zip(names, split(logits, sizes, -1), strict=True))

    def _check_labels(self, labels: Any) -> None:
        if not isinstance(labels, dict):
            raise ValueError(f"labels must be a dict. Given: {labels}")
        if missing := [head.name for head in self._heads if head.name not in labels]:
            raise ValueError(f"labels has missing values for head(s): {missing}")

    def _merged(self, losses: Sequence[Any], regularization_losses: Any = None) -> Tensor:
        if self._head_weights:
            losses = [x * weight for x, weight in zip(losses, self._head_weights, strict=True)]
        return add_n([*losses, *(regularization_losses or ())])

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        self._check_labels(labels)
        parts = self._parts(logits)
        specs = {
            head.name: head.create_loss(features, mode, parts[head.name], labels[head.name])
            for head in self._heads
        }
        loss = self._merged([spec.training_loss for spec in specs.values()])
        by_head = ({name: spec[i] for name, spec in specs.items()} for i in (1, 2, 3))
        return LossSpec(loss, *by_head)

    def predictions(self, logits: Any) -> dict[Any, Tensor]:
        parts = self._parts(logits)
        return {
            (head.name, key): value
            for head in self._heads
            for key, value in head.predictions(parts[head.name]).items()
        }

    def create_estimator_spec(
        self, features: Any, mode: str, logits: Any, labels: Any = None, optimizer: Any = None,
        trainable_variables: Any = None, train_op_fn: Callable | None = None,
        update_ops: Any = None, regularization_losses: Any = None,
    ) -> EstimatorSpec:  # fmt: skip
        parts = self._parts(logits)
        if mode != ModeKeys.PREDICT:
            self._check_labels(labels)

        def made(head: Head) -> EstimatorSpec:
            own = None if labels is None else labels[head.name]
            return head.create_estimator_spec(
                features, mode, parts[head.name], own, train_op_fn=lambda loss: group()
            )

        specs = {head.name: made(head) for head in self._heads}
        predictions = {
            (name, key): value
            for name, spec in specs.items()
            for key, value in spec.predictions.items()
        }
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions, export_outputs=_merged_outputs(specs))
        loss = self._merged([spec.loss for spec in specs.values()], regularization_losses)
        if mode == ModeKeys.EVAL:
            metrics: Metrics = {}
            for name, spec in specs.items():
                metrics |= {f"loss/{name}": mean(spec.loss), **spec.eval_metric_ops}
            if regularization_losses:
                metrics["regularization_loss"] = mean(add_n(regularization_losses))
            return EstimatorSpec(mode, predictions, loss, eval_metric_ops=metrics)
        train_op = _train_op(loss, optimizer, train_op_fn, trainable_variables, update_ops)
        with name_scope(""):
            summary.scalar("loss", loss)
        return EstimatorSpec(mode, predictions, loss, train_op)


def _merged_outputs(specs: Mapping[Any, EstimatorSpec]) -> dict[str, Any]:
    """The outputs of several heads; the default one is the first head's."""
    default = DEFAULT_SERVING_SIGNATURE_DEF_KEY
    outputs: dict[str, Any] = {}
    predicted: dict[str, Tensor] = {}
    for name, spec in specs.items():
        for key, output in spec.export_outputs.items():
            outputs[name if key == default else f"{name}/{key}"] = output
        own = spec.export_outputs["predict"].outputs
        predicted |= {f"{name}/{key}": value for key, value in own.items()}
    first = next(iter(specs.values())).export_outputs[default]
    return {default: first, **outputs, "predict": PredictOutput(predicted)}

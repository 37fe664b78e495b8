"""Heads: from logits and labels to an `EstimatorSpec`.

logits ──predictions──> probabilities, classes ...        each kind of head says how;
labels ──checked──> losses ── times weights ── reduced    the order of it all is one function,
loss ──> train_op;   labels, predictions ──> metrics      `Head.create_estimator_spec`

Metrics of an estimator are pairs of a value and an update. A loop of a program's own has objects of
Keras for the same, which `metrics` makes and `update_metrics` gives a batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import SparseTensor, convert_to_tensor_or_sparse_tensor
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.cast import cast
from minitf.core.ops.control import group
from minitf.core.ops.math import add_n
from minitf.core.ops.reductions import reduce_sum
from minitf.library.checks.assertions import (
    assert_equal,
    assert_less_equal,
    assert_non_negative,
    assert_rank_at_least,
)
from minitf.library.estimator.export_outputs import PredictOutput
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys, argument_names, call_with_known
from minitf.library.feature_columns.base import DenseColumn, FeatureCache
from minitf.library.feature_columns.numeric import numeric_column
from minitf.library.keras.metrics.base import Mean, Metric
from minitf.library.losses.losses import Reduction, compute_weighted_loss
from minitf.library.metrics.base import mean
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary

#: The names of TensorFlow 2 for a loss's reduction, as the heads with public names have them.
_REDUCTIONS = {"sum_over_batch_size": Reduction.SUM_OVER_BATCH_SIZE, "sum": Reduction.SUM}
NO_LABELS = (
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


class MetricRow(NamedTuple):
    """One of the metrics that `Head.metrics` returns.

    Args:
      key: its name, without that of the head.
      make: makes the object.
      given: what the object is given of a batch.
      of_head: whether the object's own name has that of the head, too.
    """

    key: str
    make: Callable[..., Metric]
    given: tuple
    of_head: bool = False


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
    def _predictions(self, logits: Any) -> dict[Any, Tensor]:
        """All predictions by name."""

    def predictions(self, logits: Any, keys: Sequence | None = None) -> dict[Any, Tensor]:
        """Returns the predictions by name.

        Args:
          logits: [batch, logits_dimension] float32.
          keys: the names of those that are wanted; all by default.
        Raises:
          ValueError: when there is no such prediction.
        """
        with name_scope("predictions"):
            made = self._predictions(logits)
        for key in keys or ():
            if key not in made:
                raise ValueError(
                    f"Prediction key must be in PredictionKeys, given: {key}.Valid prediction "
                    f"keys include {list(made)}."
                )
        return {key: made[key] for key in keys} if keys else made

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Any = None,
        train_op_fn: Callable | None = None,
        update_ops: Any = None,
        regularization_losses: Any = None,
    ) -> EstimatorSpec:
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
        with name_scope(self.name, "head"):
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

    @abstractmethod
    def metrics(self, regularization_losses: Sequence | None = None) -> dict[str, Metric]:
        """Returns objects that add up the metrics over batches, by name.

        Args:
          regularization_losses: unless it is None, their sum is one of the metrics.
        """

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: Any = None,
        regularization_losses: Any = None,
    ) -> Tensor:
        """Returns the loss of a batch, with the regularization losses."""
        loss = self.create_loss(features, mode, logits, labels).training_loss
        return add_n([loss, *regularization_losses]) if regularization_losses else loss

    @abstractmethod
    def _served(self, predictions: Mapping[Any, Tensor]) -> dict[str, Any]:
        """The outputs of the exported model, the default one first."""

    @abstractmethod
    def _all_metrics(self, spec: LossSpec, predictions: Any, extra: Any) -> Metrics:
        """The metrics by name; `extra` is the sum of the regularization losses, or None."""

    def _shown(self, spec: LossSpec, loss: Tensor, extra: Any) -> dict[str, Tensor]:
        """The summaries of training by name."""
        return {"loss": loss}

    def _checked_logits(self, logits: Any) -> Any:
        return logits

    def _key(self, name: str) -> str:
        """The name of a metric of this head."""
        return name


class OneHead(Head):
    """The order of it all; a subclass says what the logits mean.

    Args:
      weight_column: the feature that weighs the examples, a name or a numeric column.
      loss_reduction: how the losses of a batch become one; see `tf.losses.Reduction`.
      loss_fn: `loss_fn(labels, logits, features)`, the losses in place of the head's own.
      name: comes behind the names of the metrics.
    """

    _weight_per_logit = False  # whether each logit may have a weight of its own
    sdca_loss = "squared_loss"  # what `LinearSDCA` minimizes under this head

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
    def _rows(self, labels: Any, predictions: Mapping[Any, Any]) -> list[MetricRow]:
        """The objects for the metrics beside those of the loss."""

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
        weights = weights_of(features, self._weight_column, logits, self._weight_per_logit)
        loss = compute_weighted_loss(losses, weights=weights, reduction=self._loss_reduction)
        return LossSpec(loss, losses, weights, labels)

    def for_sdca(self, features: Any, labels: Any, logits: Tensor) -> tuple[Tensor, Any]:
        """The labels as numbers, and the weights of the examples, for `LinearSDCA`."""
        weights = weights_of(features, self._weight_column, logits, False)
        return self._numbers(labels, logits), weights

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

    def metrics(self, regularization_losses: Sequence | None = None) -> dict[str, Metric]:
        rows = [MetricRow("average_loss", Mean, ()), *self._rows(None, defaultdict(lambda: None))]
        if regularization_losses is not None:
            rows.append(MetricRow("regularization_loss", Mean, ()))
        with name_scope(None, "metrics"):
            return {
                self._key(row.key): row.make(name=self._key(row.key) if row.of_head else row.key)
                for row in rows
            }

    def _shown(self, spec: LossSpec, loss: Tensor, extra: Any) -> dict[str, Tensor]:
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
            raise ValueError(
                f"loss_fn must contain argument: {name}. Given arguments: {tuple(names)}"
            )
    if others := [name for name in names if name not in ("labels", "logits", "features")]:
        raise ValueError(f"loss_fn has unexpected args: {others}")


def dense_labels(labels: Any, logits: Tensor, size: int) -> Tensor:
    """The labels in the shape of the logits, but for the last size."""
    if labels is None:
        raise ValueError(NO_LABELS)
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


def in_range(labels: Tensor, n_classes: int, message: str | None = None) -> Tensor:
    """The labels, checked while the graph runs to be from 0 to below `n_classes`."""
    highest = convert_to_tensor(n_classes - 1, labels.dtype.base_dtype)
    texts = (message or "Labels must <= n_classes - 1", message or "Labels must >= 0")
    checks = [
        assert_less_equal(labels, highest, message=texts[0]),
        assert_non_negative(labels, message=texts[1]),
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

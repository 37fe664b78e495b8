"""What the heads of `tf.contrib.learn` share: the order of it all, losses and metrics.

There are two losses of a batch: the gradient is of the mean of weight times loss; what is reported
is divided by the sum of the weights.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from minitf.compat.contrib.learn_keys import (
    MetricKey,
    ModeKeys,
    ModelFnOps,
)
from minitf.compat.slim.layers import linear
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from minitf.core.graph.stacks import control_dependencies, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array_filling
from minitf.core.ops.array import identity
from minitf.core.ops.array import rank as rank_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_shaping import expand_dims, reshape, tile
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, less_equal
from minitf.core.ops.control import group
from minitf.core.ops.logging_ops import Assert
from minitf.core.ops.reductions import reduce_mean, reduce_sum
from minitf.core.variables.variable_scope import variable_scope
from minitf.core.variables.variables import Variable
from minitf.library.estimator.spec import argument_names
from minitf.library.metrics.base import mean
from minitf.library.metrics.thresholds import auc
from minitf.library.nets.basics import bias_add
from minitf.library.numeric.weights import broadcast_weights
from minitf.library.optimizers.adagrad import AdagradOptimizer
from minitf.library.summary import summary

Losses = tuple[Any, Any]  # the one to minimize, the one to report
LossFn = Callable[..., Losses]  # of labels, logits, weights
Metrics = dict[str, tuple[Any, Any]]


class Given(NamedTuple):
    """The arguments of `Head.create_model_fn_ops`."""

    features: Mapping[str, Any]
    mode: str
    labels: Any
    train_op_fn: Callable | None
    logits: Any
    logits_input: Any
    scope: Any


class Head(ABC):
    """Turns logits and labels into `ModelFnOps`."""

    head_name: str | None = None

    @property
    @abstractmethod
    def logits_dimension(self) -> int:
        """How many logits an example has."""

    def create_model_fn_ops(
        self, features: Mapping[str, Any], mode: str, labels: Any = None,
        train_op_fn: Callable | None = None, logits: Any = None, logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:  # fmt: skip
        """Returns what a model_fn returns.

        Args:
          features: from names to tensors.
          mode: a `ModeKeys`.
          labels: [batch] or [batch, n], or a dict of them; not needed to predict.
          train_op_fn: `train_op_fn(loss)` returns the operation of a step; needed to train.
          logits: [batch, logits_dimension] float32.
          logits_input: [batch, n] in place of logits, from which a linear layer makes them.
          scope: the variable scope; by default that of the head's name.
        Raises:
          ValueError: when the mode is not known, when both or neither of `logits` and
            `logits_input` are given, or nothing to train with.
        """
        _check_mode(mode)
        return self._ops(Given(features, mode, labels, train_op_fn, logits, logits_input, scope))

    @abstractmethod
    def _ops(self, given: Given) -> ModelFnOps:
        """The `ModelFnOps` of this kind of head."""


class SingleHead(Head):
    """The order of it all; a subclass says what the logits mean.

    Args:
      logits_dimension: how many logits an example has.
      label_name: the name of the label in a dict of labels.
      weight_column_name: the feature that weighs the examples.
      enable_centered_bias: whether a bias of its own is added to the logits, which learns what
        would be predicted without any feature.
      head_name: comes behind the names of metrics and summaries.
      loss_fn: `loss_fn(labels, logits, weights)`, the losses in place of the head's own.
    """

    _problem_type: int
    _scope: str
    sdca_loss: str | None = None  # what `SDCAOptimizer` minimizes under this head, if it can

    def __init__(
        self, logits_dimension: int, label_name: str | None, weight_column_name: str | None,
        enable_centered_bias: bool, head_name: str | None, loss_fn: LossFn | None = None,
    ) -> None:  # fmt: skip
        if logits_dimension is None or logits_dimension < 1:
            raise ValueError(f"Invalid logits_dimension {logits_dimension}.")
        self._logits_dimension = logits_dimension
        self.label_name = label_name
        self.weight_column_name = weight_column_name
        self._enable_centered_bias = enable_centered_bias
        self.head_name = head_name
        self._loss_fn = loss_fn or self.losses

    @property
    def logits_dimension(self) -> int:
        return self._logits_dimension

    def _ops(self, given: Given) -> ModelFnOps:
        values = tuple(given.features.values())
        with variable_scope(given.scope, self.head_name or self._scope, values=values):
            numbers: Any = None
            labels = bias = loss = train_op = metrics = None
            if given.mode != ModeKeys.INFER and given.labels is not None:
                labels = self._labels(given.labels)
                numbers = self._numbers(labels)
            logits = self._logits(given.logits, given.logits_input)
            if self._enable_centered_bias:
                bias = self._centered_bias()
                logits = bias_add(logits, bias)
            with name_scope(None, "predictions", [logits]):
                predictions = self.predictions(logits)
            if labels is not None:
                weights = self._weights(given.features)
                loss, shown = self._loss_fn(numbers, logits, weights)
                show(self._key(MetricKey.LOSS), shown)
                if given.mode == ModeKeys.TRAIN:
                    bias_loss = self._bias_loss(bias, numbers, logits, weights)
                    train_op = train_step(loss, given.train_op_fn, bias, bias_loss)
                with name_scope("metrics"):
                    metrics = {MetricKey.LOSS: mean(shown)}
                    metrics |= self._metrics(labels, numbers, predictions, weights)
                metrics = {self._key(name): pair for name, pair in metrics.items()}
            served = {self.head_name: (self._problem_type, self._served(predictions))}
            return ModelFnOps(given.mode, predictions, loss, train_op, metrics, served)

    def for_sdca(self, features: Any, labels: Any, logits: Tensor) -> tuple[Tensor, Any]:
        """The labels as numbers, and the weights of the examples, for `SDCAOptimizer`."""
        weights = self._weights(features)
        return self._numbers(self._labels(labels)), 1.0 if weights is None else weights

    # ---- what a kind of head says ----

    @abstractmethod
    def losses(self, labels: Any, logits: Tensor, weights: Any = None) -> Losses:
        """The losses of a batch; the labels are numbers."""

    @abstractmethod
    def predictions(self, logits: Tensor) -> dict[str, Tensor]:
        """The predictions by `PredictionKey`."""

    def _metrics(
        self, labels: Tensor, numbers: Tensor, predictions: Mapping[str, Tensor], weights: Any
    ) -> Metrics:
        """The metrics beside the loss."""
        return {}

    def _numbers(self, labels: Any) -> Tensor:
        """The labels as numbers."""
        if isinstance(labels, SparseTensor):
            raise ValueError("SparseTensor is not supported.")
        return labels

    def _served(self, predictions: dict[str, Tensor]) -> dict[str, Tensor]:
        """What a server gives."""
        return predictions

    # ---- the steps on the way ----

    def _key(self, name: str) -> str:
        return f"{name}/{self.head_name}" if self.head_name else name

    def _labels(self, labels: Any) -> Any:
        labels = labels[self.label_name] if isinstance(labels, dict) else labels
        return convert_to_tensor_or_sparse_tensor(labels)

    def _logits(self, logits: Any, logits_input: Any) -> Tensor:
        if logits is None:
            if logits_input is None:
                raise ValueError("Neither logits nor logits_input supplied.")
            return linear(convert_to_tensor(logits_input), self.logits_dimension, scope="logits")
        if logits_input is not None:
            raise ValueError("Both logits and logits_input supplied.")
        logits = convert_to_tensor(logits, name="logits")
        if logits.shape.dims is not None:
            logits.shape.dims[-1].assert_is_compatible_with(self.logits_dimension)
        return logits

    def _weights(self, features: Mapping[str, Any]) -> Any:
        """The weights of the examples, as a scalar or [batch, 1]; None without a column."""
        name = self.weight_column_name
        if not name:
            return None
        if name not in features:
            raise ValueError(f"Weights {name} missing from features.")
        with name_scope(None, "weight_tensor"):
            weights = cast(features[name], dtypes.float32)
            return reshape(weights, [-1, 1]) if weights.shape.ndims == 1 else weights

    def _centered_bias(self) -> Variable:
        zeros = array_filling.zeros([self.logits_dimension])
        bias = Variable(zeros, trainable=True, name="centered_bias_weight")
        for place in range(self.logits_dimension):
            summary.scalar(self._key(f"centered_bias/bias_{place}"), bias[place])
        return bias

    def _bias_loss(self, bias: Any, numbers: Tensor, logits: Tensor, weights: Any) -> Any:
        """The loss if the bias alone were the logits of each example; None without a bias."""
        if bias is None:
            return None
        with name_scope(None, "centered_bias", [numbers, logits]):
            same = reshape(tile(bias, shape_of(logits)[:1]), [-1, self.logits_dimension])
            # both losses count here, as in TensorFlow
            return reduce_mean(stack(self._loss_fn(numbers, same, weights)), name="training_loss")


def train_step(
    loss: Tensor, train_op_fn: Callable | None, bias: Any = None, bias_loss: Any = None
) -> Any:
    """The operation of a step; a centered bias is trained by a step of its own beside it."""
    if train_op_fn is None:
        raise ValueError("train_op_fn can not be None in TRAIN mode")
    step = None
    if bias is not None:
        step = AdagradOptimizer(0.1).minimize(bias_loss, var_list=[bias], name="centered_bias_step")
    with name_scope(None, "train_op", [loss]):
        train_op = train_op_fn(loss)
        return train_op if step is None else group(train_op, step)


def _check_mode(mode: str) -> None:
    if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.INFER):
        raise ValueError(f"mode={mode} unrecognized.")


def show(tag: str, loss: Tensor) -> None:
    """A summary whose tag has no scope in front."""
    with name_scope(""):
        summary.scalar(tag, identity(loss))


# ---- losses ------------------------------------------------------------------------------


def weighted(losses: Tensor, weights: Any) -> Losses:
    """The two losses of a batch, from those of its examples."""
    with name_scope("loss", values=[losses]) as name:
        if weights is None:
            loss = reduce_mean(losses, name=name)
            return loss, loss
        weights = broadcast_weights(weights, losses)
        total = losses * weights
        return reduce_mean(total, name=name), reduce_sum(total) / reduce_sum(weights)


def column(values: Any) -> Tensor:
    """[batch, n] of what is that or [batch]."""
    values = convert_to_tensor(values)
    return expand_dims(values, 1) if values.shape.ndims == 1 else values


def flat(labels: Any) -> Tensor:
    """[batch, 1] of labels that are that or [batch]."""
    text = "labels shape should be either [batch_size, 1] or [batch_size]"
    with control_dependencies([Assert(less_equal(rank_of(labels), 2), [text])]):
        return reshape(labels, [-1, 1])


def of_columns(losses_of: Callable[[Tensor, Tensor], Tensor]) -> LossFn:
    """A loss function of labels and logits of the same shape, one loss a logit."""

    def loss_fn(labels: Any, logits: Any, weights: Any = None) -> Losses:
        labels, logits = column(labels), column(logits)
        logits.shape.assert_is_compatible_with(labels.shape)
        return weighted(losses_of(labels, logits), weights)

    return loss_fn


def own_loss(loss_fn: Callable[..., Any] | None) -> LossFn | None:
    """The program's own loss function, of which one loss is both."""
    if loss_fn is None:
        return None
    names = argument_names(getattr(loss_fn, "__wrapped__", loss_fn))
    for name in ("labels", "logits", "weights"):
        if name not in names:
            raise ValueError(f"Argument {name} not found in loss_fn.")

    def both(labels: Any, logits: Any, weights: Any = None) -> Losses:
        given = (labels, logits) if weights is None else (labels, logits, weights)
        loss = loss_fn(*given)
        return loss, loss

    return both


# ---- metrics -----------------------------------------------------------------------------


def _taken(values: Tensor, weights: Any, class_id: int | None) -> tuple[Tensor, Any]:
    """The values of a class, or all, with their weights."""
    if weights is not None:
        weights = broadcast_weights(cast(weights, dtypes.float32), values)
    if class_id is None:
        return values, weights
    return values[:, class_id], None if weights is None else weights[:, class_id]


def mean_of(values: Any, weights: Any, class_id: int | None = None) -> tuple[Any, Any]:
    """The mean of values, or of those of a class."""
    return mean(*_taken(cast(values, dtypes.float32), weights, class_id))


def share_of(classes: Tensor, weights: Any, class_id: int) -> tuple[Any, Any]:
    """How often a class is among classes."""
    return mean(cast(equal(cast(classes, dtypes.int32), class_id), dtypes.float32), weights)


def areas(
    labels: Tensor, scores: Tensor, weights: Any, class_id: int | None = None
) -> list[tuple[Any, Any]]:
    """The areas below the two curves, ROC and precision over recall."""
    scores, weights = _taken(cast(scores, dtypes.float32), weights, class_id)
    labels = cast(labels if class_id is None else labels[:, class_id], dtypes.bool)
    return [auc(labels, scores, weights, curve=curve) for curve in ("ROC", "PR")]

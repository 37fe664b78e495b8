"""The heads of `tf.contrib.learn`: from logits and labels to the `ModelFnOps` of a model_fn.

                        logits of an example    loss                    a prediction
    regression_head         label_dimension     squared error           numbers
    poisson_regression_head label_dimension     of Poisson              counts
    multi_class_head        1 for two classes   cross entropy           one of the classes
    binary_svm_head         1                   hinge                   one of two classes
    multi_label_head        n_classes           sigmoid cross entropy   any of the classes
    loss_only_head          0                   what a function says    none
    multi_head              those of its heads  their weighted sum      those of its heads

The order of it all is one function in `learn_head_base.py`; a kind says what its logits mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.compat.contrib.learn_class_heads import (
    BinaryLogisticHead,
    BinarySvmHead,
    MultiClassHead,
    MultiLabelHead,
)
from minitf.compat.contrib.learn_head_base import (
    Given,
    Head,
    Losses,
    SingleHead,
    of_columns,
    own_loss,
    show,
    train_step,
    weighted,
)
from minitf.compat.contrib.learn_keys import (
    MetricKey,
    ModeKeys,
    ModelFnOps,
    PredictionKey,
    ProblemType,
)
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Operation
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape, squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.control import group, no_op
from minitf.core.ops.losses import log_poisson_loss
from minitf.core.ops.math import add_n, exp, square
from minitf.core.variables.variable_scope import variable_scope

# ---- numbers -----------------------------------------------------------------------------


_squared = of_columns(lambda labels, logits: square(logits - cast(labels, dtypes.float32)))
_poisson = of_columns(lambda labels, logits: log_poisson_loss(labels, logits, True))


class RegressionHead(SingleHead):
    """Numbers, by any loss function and function from logits to predictions.

    Args:
      link_fn: makes predictions of logits.
      args: those of `SingleHead`, with the loss function.
    """

    _problem_type, _scope = ProblemType.LINEAR_REGRESSION, "regression_head"
    sdca_loss: str | None = "squared_loss"

    def __init__(self, link_fn: Callable[[Tensor], Tensor], *args: Any) -> None:
        super().__init__(*args)
        self._link_fn = link_fn

    losses = staticmethod(_squared)

    def predictions(self, logits: Tensor) -> dict[str, Tensor]:
        key = PredictionKey.SCORES
        if self.logits_dimension == 1:
            logits = squeeze(logits, [1], name=key)
        return {key: self._link_fn(logits)}


def regression_head(
    label_name: str | None = None, weight_column_name: str | None = None, label_dimension: int = 1,
    enable_centered_bias: bool = False, head_name: str | None = None,
    link_fn: Callable[[Tensor], Tensor] | None = None,
) -> Head:  # fmt: skip
    """A head of numbers, by their squared error.

    Args:
      label_name: the name of the label in a dict of labels.
      weight_column_name: the feature that weighs the examples.
      label_dimension: how many numbers an example has.
      enable_centered_bias: whether a bias learns what would be predicted without any feature.
      head_name: comes behind the names of metrics and summaries; the default scope.
      link_fn: makes predictions of logits; they are the same by default.
    """
    return RegressionHead(
        link_fn or identity, label_dimension, label_name, weight_column_name, enable_centered_bias,
        head_name,
    )  # fmt: skip


def poisson_regression_head(
    label_name: str | None = None, weight_column_name: str | None = None, label_dimension: int = 1,
    enable_centered_bias: bool = False, head_name: str | None = None,
) -> Head:  # fmt: skip
    """A head of counts, whose logits are logarithms of what is expected; see `regression_head`."""
    return RegressionHead(
        exp, label_dimension, label_name, weight_column_name, enable_centered_bias, head_name,
        _poisson,
    )  # fmt: skip


class DistributionRegressionHead(RegressionHead):
    """Numbers of a distribution, whose parameters are the logits.

    Args:
      make_distribution_fn: makes the distribution of logits.
      args: those of `SingleHead`.
    """

    sdca_loss = None

    def __init__(self, make_distribution_fn: Callable[[Tensor], Any], *args: Any) -> None:
        if not callable(make_distribution_fn):
            raise TypeError("`make_distribution_fn` must be a callable function.")
        super().__init__(lambda logits: self.distribution(logits).mean(), *args, self._likelihood)
        self._make_distribution_fn = make_distribution_fn
        self._distributions: dict[Any, Any] = {}

    @property
    def distributions(self) -> dict[Any, Any]:
        """All distributions by their logits."""
        return self._distributions

    def distribution(self, logits: Any, name: str | None = None) -> Any:
        """The distribution of logits; the same ones have one."""
        with name_scope(name, "distribution", [logits]):
            if logits not in self._distributions:
                self._distributions[logits] = self._make_distribution_fn(logits)
            return self._distributions[logits]

    def _likelihood(self, labels: Tensor, logits: Tensor, weights: Any = None) -> Losses:
        """The losses are the logarithms of the labels' likelihood, negative."""
        made = self.distribution(logits)
        batch = labels.shape.with_rank_at_least(1)[:-1]
        events = concat([shape_of(labels)[:-1], made.event_shape_tensor()], 0)
        labels = reshape(labels, events)
        labels.set_shape(batch.concatenate(made.event_shape))
        return weighted(-made.log_prob(labels), weights)


def estimator_head_distribution_regression(
    make_distribution_fn: Callable[[Tensor], Any], label_dimension: int = 1,
    logits_dimension: int | None = None, label_name: str | None = None,
    weight_column_name: str | None = None, enable_centered_bias: bool = False,
    head_name: str | None = None,
) -> Head:  # fmt: skip
    """A head of numbers of any distribution, by their likelihood; predictions are its mean.

    Args:
      make_distribution_fn: makes the distribution of [batch, logits_dimension] logits.
      logits_dimension: how many logits an example has; `label_dimension` by default.
      others: those of `regression_head`.
    Raises:
      TypeError: when `make_distribution_fn` cannot be called.
    """
    return DistributionRegressionHead(
        make_distribution_fn, label_dimension if logits_dimension is None else logits_dimension,
        label_name, weight_column_name, enable_centered_bias, head_name,
    )  # fmt: skip


def multi_class_head(
    n_classes: int, label_name: str | None = None, weight_column_name: str | None = None,
    enable_centered_bias: bool = False, head_name: str | None = None,
    thresholds: Sequence[float] | None = None, metric_class_ids: Sequence[int] | None = None,
    loss_fn: Callable[..., Tensor] | None = None, label_keys: Sequence[str] | None = None,
) -> Head:  # fmt: skip
    """A head of one of the classes, by cross entropy: sigmoid for two classes, softmax for more.

    Args:
      n_classes: how many classes; labels are numbers below it.
      label_name, weight_column_name, enable_centered_bias, head_name: see `regression_head`.
      thresholds: of two classes; metrics are given for these probabilities; [0.5] by default.
      metric_class_ids: classes with metrics of their own, of more than two.
      loss_fn: `loss_fn(labels, logits, weights)` returns a scalar, in place of cross entropy.
      label_keys: the labels, when they are words; for more than two classes.
    Raises:
      ValueError: when there are less than two classes, or something does not go with them.
    """
    if n_classes is None or n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    own = own_loss(loss_fn)
    if n_classes == 2:
        if metric_class_ids:
            raise ValueError("metric_class_ids invalid for n_classes==2.")
        if label_keys:
            raise ValueError("label_keys is not supported for n_classes=2.")
    kind, size = (BinaryLogisticHead, 1) if n_classes == 2 else (MultiClassHead, n_classes)
    return kind(
        n_classes, thresholds, metric_class_ids, label_keys, size, label_name, weight_column_name,
        enable_centered_bias, head_name, own,
    )  # fmt: skip


def binary_svm_head(
    label_name: str | None = None, weight_column_name: str | None = None,
    enable_centered_bias: bool = False, head_name: str | None = None,
    thresholds: Sequence[float] | None = None,
) -> Head:  # fmt: skip
    """A head of one of two classes, by the hinge loss; see `multi_class_head`."""
    return BinarySvmHead(
        2, thresholds, None, None, 1, label_name, weight_column_name, enable_centered_bias,
        head_name,
    )  # fmt: skip


def multi_label_head(
    n_classes: int, label_name: str | None = None, weight_column_name: str | None = None,
    enable_centered_bias: bool = False, head_name: str | None = None,
    thresholds: Sequence[float] | None = None, metric_class_ids: Sequence[int] | None = None,
    loss_fn: Callable[..., Tensor] | None = None,
) -> Head:  # fmt: skip
    """A head of any number of classes at once, by sigmoid cross entropy; see `multi_class_head`.

    Labels are [batch, n_classes] of 0 and 1, or a sparse tensor of the numbers of classes.

    Raises:
      ValueError: when there are less than two classes, or one that is named is not there.
    """
    if n_classes < 2:
        raise ValueError("n_classes must be > 1 for classification.")
    return MultiLabelHead(
        n_classes, thresholds, metric_class_ids, None, n_classes, label_name, weight_column_name,
        enable_centered_bias, head_name, own_loss(loss_fn),
    )  # fmt: skip


# ---- several heads -----------------------------------------------------------------------


class LossOnlyHead(Head):
    """A further loss, as of a regularization, beside other heads; it predicts nothing."""

    def __init__(self, loss_fn: Callable[[], Any], head_name: str | None) -> None:
        self._loss_fn = loss_fn
        self.head_name: str = head_name or "loss_only_head"

    @property
    def logits_dimension(self) -> int:
        return 0

    def _ops(self, given: Given) -> ModelFnOps:
        loss = train_op = None
        if given.mode != ModeKeys.INFER:
            with variable_scope(given.scope, self.head_name):
                loss = self._loss_fn()
                loss = add_n(loss) if isinstance(loss, list) else loss
                show(f"{MetricKey.LOSS}/{self.head_name}", loss)
                if given.mode == ModeKeys.TRAIN:
                    train_op = train_step(loss, given.train_op_fn)
        return ModelFnOps(given.mode, {}, loss, train_op, {})


class MultiHead(Head):
    """Several heads on the same logits, or on the same layer below them.

    The logits are [batch, logits_dimension], or a dict of those of each head by its name. The names
    of the predictions are pairs of a head's name and a `PredictionKey`.
    """

    def __init__(self, heads: Sequence[Head], loss_weights: Sequence[float] | None) -> None:
        if any(not head.head_name for head in heads):
            raise ValueError("Members of MultiHead must have names.")
        if loss_weights and len(loss_weights) != len(heads):
            raise ValueError("heads and loss_weights must have same size")
        self._heads = list(heads)
        self._loss_weights = loss_weights or ()

    @property
    def logits_dimension(self) -> int:
        return sum(head.logits_dimension for head in self._heads)

    def _parts(self, logits: Any) -> list[Any]:
        """The logits of each head, of those side by side or by the names of the heads."""
        if isinstance(logits, dict):
            return [
                None if isinstance(head, LossOnlyHead) else logits[head.head_name]
                for head in self._heads
            ]
        parts, begin = [], 0
        for head in self._heads:
            end = begin + head.logits_dimension
            parts.append(None if logits is None else convert_to_tensor(logits)[:, begin:end])
            begin = end
        return parts

    def _ops(self, given: Given) -> ModelFnOps:
        mode = given.mode
        below = given.logits_input if given.logits is None else None
        given_each = given._replace(train_op_fn=no_op_train_fn, logits_input=below)
        found = [
            head.create_model_fn_ops(*given_each._replace(logits=part))
            for head, part in zip(self._heads, self._parts(given.logits))
        ]
        predictions: dict[Any, Any] = {}
        metrics: dict[str, Any] = {}
        served: dict[Any, Any] = {}
        for head, ops in zip(self._heads, found):
            predictions |= {(head.head_name, key): t for key, t in ops.predictions.items()}
            metrics |= ops.eval_metric_ops or {}
            served |= ops.output_alternatives or {}
        if mode == ModeKeys.INFER:
            return ModelFnOps(mode, predictions, output_alternatives=served)
        losses = [ops.loss for ops in found]
        if self._loss_weights:
            losses = [loss * weight for loss, weight in zip(losses, self._loss_weights)]
        loss = add_n(losses)
        if mode == ModeKeys.EVAL:
            return ModelFnOps(mode, predictions, loss, eval_metric_ops=metrics)
        if given.train_op_fn is None:
            raise ValueError("train_op_fn can not be None in TRAIN mode.")
        train_op = group(given.train_op_fn(loss), *(ops.train_op for ops in found))
        return ModelFnOps(mode, None, loss, train_op, metrics)


def loss_only_head(loss_fn: Callable[[], Any], head_name: str | None = None) -> Head:
    """A head of a loss alone.

    Args:
      loss_fn: returns a scalar, or a list of them.
      head_name: comes behind the name of the summary.
    """
    return LossOnlyHead(loss_fn, head_name)


def multi_head(heads: Sequence[Head], loss_weights: Sequence[float] | None = None) -> Head:
    """A head of several heads.

    Args:
      heads: heads with names.
      loss_weights: what the loss of each is multiplied by in their sum.
    Raises:
      ValueError: when a head has no name, or there are more or fewer weights than heads.
    """
    return MultiHead(heads, loss_weights)


def no_op_train_fn(loss: Tensor) -> Operation:
    """A `train_op_fn` that does nothing, for a model_fn that trains by other means."""
    return no_op()


_Head = Head
_regression_head = regression_head
_poisson_regression_head = poisson_regression_head
_multi_class_head = multi_class_head
_binary_svm_head = binary_svm_head
_multi_label_head = multi_label_head
_multi_head = multi_head
_RegressionHead, _BinaryLogisticHead, _MultiClassHead = (
    RegressionHead, BinaryLogisticHead, MultiClassHead,
)  # fmt: skip

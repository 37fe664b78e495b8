"""Losses: how far predictions are from labels, as one number to make small.

    labels, predictions --> one loss an element --x weights--> sum --/ count--> GraphKeys.LOSSES

Weights of 0 leave elements out: by default the sum is divided by the number of the others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import Parameter
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.stacks import GraphKeys, control_dependencies, get_default_graph, name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.ops import math
from minitf.core.ops.array import one_of, rank, size, stop_gradient
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like, zeros_like
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, where
from minitf.core.ops.examples import named
from minitf.core.ops.reductions import reduce_sum
from minitf.library.nets.activations import relu
from minitf.library.nets.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from minitf.library.numeric.confusion_matrix import remove_squeezable_dimensions, squeezed_if
from minitf.library.numeric.elementwise import squared_difference
from minitf.library.numeric.weights import assert_broadcastable, broadcast_weights

# ---- how far one number is from another: what Keras reduces, too ---------------------------------


def absolute_error(truth: Tensor, guess: Tensor) -> Tensor:
    """|guess - truth|."""
    return math.abs(math.subtract(guess, truth))


def squared_error(truth: Tensor, guess: Tensor) -> Tensor:
    """(guess - truth)^2."""
    return squared_difference(guess, truth)


def huber(truth: Tensor, guess: Tensor, delta: Any) -> Tensor:
    """Half the square up to a distance of `delta`, a line beyond."""
    distance = absolute_error(truth, guess)
    quadratic = math.minimum(distance, delta)
    linear = math.subtract(distance, quadratic)
    return math.add(
        math.multiply(0.5, math.multiply(quadratic, quadratic)), math.multiply(delta, linear)
    )


def smooth(labels: Tensor, amount: Any, classes: Any) -> Tensor:
    """Labels pulled by `amount` towards the even distribution over the classes."""
    return labels * (1.0 - amount) + amount / classes


def fit_weights(weights: Tensor, values: Tensor) -> Tensor:
    """The weights with as many axes as the values, where they differ by a last axis of size 1."""
    own, wanted = weights.shape.ndims, values.shape.ndims
    if own and wanted is not None:
        if own - wanted == 1:
            return squeeze(weights, [-1])
        if wanted - own == 1:
            return expand_dims(weights, -1)
    return weights


def safe_mean(losses: Tensor, count: Tensor) -> Tensor:
    """The total, divided by the count; 0 when there is none."""
    return math.div_no_nan(reduce_sum(losses), count, name="value")


# ---- the collections in which a graph keeps its losses -------------------------------------------


def add_loss(loss: Tensor, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Lists a loss of one's own, so that `get_total_loss` finds it.

    Args:
      loss: a tensor.
      loss_collection: where to list it; None: nowhere.
    """
    if loss_collection and not stacks.executing_eagerly():
        stacks.add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Tensor]:
    """The losses of a collection, in their order.

    Args:
      scope: takes only those whose names begin so.
      loss_collection: the collection.
    """
    return stacks.get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Tensor]:
    """The losses that regularizers made; see `get_losses`."""
    return stacks.get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Tensor:
    """The sum of the losses that regularizers made; 0 when there are none."""
    losses = get_regularization_losses(scope)
    return math.add_n(losses, name=name) if losses else constant(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """The sum of all losses of the graph.

    Args:
      add_regularization_losses: whether those of regularizers count.
      name: the name.
      scope: takes only losses whose names begin so.
    Raises:
      ValueError: when there are none.
    """
    losses: list[Any] = get_losses(scope)
    if add_regularization_losses:
        losses = losses + get_regularization_losses(scope)
    return math.add_n(losses, name=name)


# ---- weights -------------------------------------------------------------------------------------


class Reduction:
    """How the losses of the elements become one number.

    NONE: they do not. SUM: their weighted sum. SUM_OVER_BATCH_SIZE: that, divided by the number of
    elements. SUM_BY_NONZERO_WEIGHTS: divided by the number of weights that are not 0. MEAN: divided
    by the sum of the weights. AUTO: for the losses of Keras alone.
    """

    AUTO = "auto"
    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All reductions."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError when there is no such reduction."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


_BY_NONZERO = Reduction.SUM_BY_NONZERO_WEIGHTS


def num_elements(losses: Tensor) -> Tensor:
    """How many losses there are, in their own type."""
    with name_scope(None, "num_elements", [losses]) as scope:
        return cast(size(losses, name=scope), losses.dtype)


def _num_present(losses: Tensor, weights: Any) -> Tensor:
    """How many elements have a weight other than 0."""
    if isinstance(weights, float) and weights != 0.0:
        return num_elements(losses)
    with name_scope(None, "num_present", [losses, weights]) as scope:
        weights = cast(weights, dtypes.float32)
        present = where(equal(weights, 0.0), zeros_like(weights), ones_like(weights))
        present = broadcast_weights(present, losses)
        return reduce_sum(present, name=scope)


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:
    """Weighs losses and reduces them to one number.

    Args:
      losses: of any shape.
      weights: a scalar, or of the rank of `losses`, with on each axis the same size or 1.
      scope: the name of the scope.
      loss_collection: where to list the result; None: nowhere.
      reduction: one of `Reduction`.
    Raises:
      ValueError: when the weights do not fit or there is no such reduction.
    """
    Reduction.validate(reduction)
    graph: Any = get_default_graph()
    graph._last_loss_reduction = reduction  # a strategy asks, for an estimator
    with name_scope(scope, "weighted_loss", [losses, weights]):
        with control_dependencies([assert_broadcastable(weights, losses)]):
            losses = convert_to_tensor(losses)
            input_dtype = losses.dtype.base_dtype
            losses = cast(losses, dtypes.float32)
            weights = cast(weights, dtypes.float32)
            losses = math.multiply(losses, weights)
            loss = losses if reduction == Reduction.NONE else reduce_sum(losses)
            if reduction == Reduction.MEAN:
                loss = safe_mean(loss, reduce_sum(math.multiply(ones_like(losses), weights)))
            elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
                loss = safe_mean(loss, _num_present(losses, weights))
            elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                loss = safe_mean(loss, num_elements(losses))
            loss = cast(loss, input_dtype)
            add_loss(loss, loss_collection)
            return loss


def _required(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"{name} must not be None.")


# ---- losses of numbers -------------------------------------------------------------------------


def _loss(scope_name: str, dtype: Any = dtypes.float32) -> Callable[..., Callable[..., Tensor]]:
    """Makes the public function of a loss from its formula, which gives one number an element.

    Its arguments are the formula's two, `weights`, the formula's options, and those that say how
    the numbers become one.

    Args:
      scope_name: the name of the scope by default.
      dtype: the type in which it is computed; None takes that of the second argument.
    """

    def decorate(formula: Callable[..., Tensor]) -> Callable[..., Tensor]:
        first, second, *options = inspect.signature(formula).parameters.values()
        how = {"scope": None, "loss_collection": GraphKeys.LOSSES, "reduction": _BY_NONZERO}
        behind = [option.replace(kind=_KIND) for option in options]
        behind += [Parameter(key, _KIND, default=default) for key, default in how.items()]
        weighs = Parameter("weights", _KIND, default=1.0)
        signature = inspect.Signature([first, second, weighs, *behind])

        def function(*args: Any, **kwargs: Any) -> Tensor:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{formula.__name__}() {error}") from None
            bound.apply_defaults()
            given = bound.arguments
            pair = {each.name: given.pop(each.name) for each in (first, second)}
            weights, scope = given.pop("weights"), given.pop("scope")
            listed, reduction = given.pop("loss_collection"), given.pop("reduction")
            with _compared(scope, scope_name, weights, dtype, **pair) as (name, truth, guess):
                losses = formula(truth, guess, **given)
                return compute_weighted_loss(losses, weights, name, listed, reduction)

        function.__signature__ = signature  # type: ignore[attr-defined]
        doc = f"{inspect.cleandoc(formula.__doc__ or '')}\n\n{_THE_OTHERS}"
        return named(function, formula.__name__, doc)

    return decorate


_THE_OTHERS = """\
The other arguments are those of `compute_weighted_loss`.
Raises:
  ValueError: when the shapes differ, or the weights do not fit.
"""
_KIND = Parameter.POSITIONAL_OR_KEYWORD


@contextmanager
def _compared(
    scope: str | None, default: str, weights: Any, dtype: Any = dtypes.float32, **pair: Any
) -> Iterator[tuple[str, Tensor, Tensor]]:
    """Opens the scope of a loss, and gives its name and the pair as tensors of one type and shape.

    Args:
      dtype: the type; None takes that of the second.
      pair: the labels, and the predictions or logits, by the names of their arguments.
    Raises:
      ValueError: when one of the pair is missing, or the shapes differ.
    """
    _required(**pair)
    labels, predictions = pair.values()
    with name_scope(scope, default, [predictions, labels, weights]) as name:
        predictions = convert_to_tensor(predictions) if dtype is None else cast(predictions, dtype)
        labels = cast(labels, predictions.dtype)
        predictions.shape.assert_is_compatible_with(labels.shape)
        yield name, labels, predictions


@_loss("absolute_difference")
def absolute_difference(labels: Any, predictions: Any) -> Tensor:
    """The mean distance |prediction - label|.

    Args:
      labels: the truth, numbers of any shape.
      predictions: of the same shape.
    """
    return absolute_error(labels, predictions)


@_loss("mean_squared_error")
def mean_squared_error(labels: Any, predictions: Any) -> Tensor:
    """The mean squared distance (prediction - label)**2.

    Args:
      labels: the truth, numbers of any shape.
      predictions: of the same shape.
    """
    return squared_error(labels, predictions)


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
    dim: int | None = None,
) -> Tensor:
    """1 - the cosine of the angle between label and prediction, which must have length 1.

    Args:
      labels, predictions: unit vectors along `axis`, of the same shape.
      axis: the axis of the vectors; `dim` is its older name.

    The other arguments are those of `compute_weighted_loss`.
    Raises:
      ValueError: when `axis` is missing or the shapes differ.
    """
    axis = one_of("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    pair = {"labels": labels, "predictions": predictions}
    with _compared(scope, "cosine_distance_loss", weights, **pair) as (name, truth, guess):
        similarity = reduce_sum(math.multiply(guess, truth), axis=(axis,), keepdims=True)
        losses = math.subtract(1, similarity, name="sub")
        return compute_weighted_loss(losses, weights, name, loss_collection, reduction)


@_loss("huber_loss")
def huber_loss(labels: Any, predictions: Any, *, delta: float = 1.0) -> Tensor:
    """Half the squared distance up to `delta`, and linear beyond, so that outliers pull less.

    Args:
      labels, predictions: see `mean_squared_error`.
      delta: where the parabola goes over into a line.
    """
    return huber(labels, predictions, delta)


@_loss("log_loss")
def log_loss(labels: Any, predictions: Any, *, epsilon: float = 1e-7) -> Tensor:
    """The cross entropy of probabilities: -label log(p) - (1 - label) log(1 - p).

    Args:
      labels: 0, 1 or a probability.
      predictions: probabilities.
      epsilon: added before taking the logarithm.
    """
    positive = -math.multiply(labels, math.log(predictions + epsilon))
    return positive - math.multiply((1 - labels), math.log(1 - predictions + epsilon))


# ---- losses of classes -------------------------------------------------------------------------


@_loss("hinge_loss")
def hinge_loss(labels: Any, logits: Any) -> Tensor:
    """max(0, 1 - logit) for the label 1, max(0, 1 + logit) for 0.

    Args:
      labels: 0 or 1.
      logits: unbounded scores, of the same shape.
    """
    ones = ones_like(labels)
    return relu(math.subtract(ones, math.multiply(math.subtract(2 * labels, ones), logits)))


@_loss("sigmoid_cross_entropy_loss", dtype=None)
def sigmoid_cross_entropy(
    multi_class_labels: Any, logits: Any, *, label_smoothing: float = 0
) -> Tensor:
    """The cross entropy of classes that do not exclude each other.

    Args:
      multi_class_labels: [batch, classes] of 0 or 1.
      logits: [batch, classes], before the sigmoid.
      label_smoothing: how much to pull labels towards 1/2.
    """
    labels = multi_class_labels
    if label_smoothing > 0:
        labels = smooth(labels, label_smoothing, 2)
    return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")


@_loss("softmax_cross_entropy_loss", dtype=None)
def softmax_cross_entropy(onehot_labels: Any, logits: Any, *, label_smoothing: float = 0) -> Tensor:
    """The cross entropy of classes that exclude each other, labels being distributions.

    Args:
      onehot_labels: [..., classes].
      logits: [..., classes], before the softmax.
      label_smoothing: how much to pull labels towards 1 / classes.
    Example:
      >>> sess.run(tf.losses.softmax_cross_entropy([[1., 0.]], [[2., 2.]])).round(4)
      0.6931
    """
    labels = onehot_labels
    if label_smoothing > 0:
        labels = smooth(labels, label_smoothing, cast(shape_of(labels)[-1], logits.dtype))
    labels = stop_gradient(labels, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="xentropy")


def sparse_softmax_cross_entropy(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:
    """The cross entropy of classes that exclude each other, labels being class numbers.

    Args:
      labels: [...] int32 or int64, or [..., 1].
      logits: [..., classes], before the softmax.

    The other arguments are those of `compute_weighted_loss`.
    Example:
      >>> sess.run(tf.losses.sparse_softmax_cross_entropy([0], [[2., 2.]])).round(4)
      0.6931
    """
    _required(labels=labels, logits=logits)
    values = [logits, labels, weights]
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", values) as scope:
        labels, logits = remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
        if not isinstance(weights, (int, float)):
            weights = convert_to_tensor(weights)
            known = weights.shape.ndims
            if None not in (labels.shape.ndims, known):
                if known == labels.shape.ndims + 1:
                    weights = squeeze(weights, [-1])
            elif known is None or (known and weights.shape[-1].value in (1, None)):
                weights = squeezed_if(rank(weights) - rank(labels), 1, weights)
        losses = sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)

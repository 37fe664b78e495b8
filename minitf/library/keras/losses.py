"""Losses of Keras: functions that give one number an example, and classes that reduce them.

    y_true, y_pred --function--> [batch, ...] --x sample_weight, reduction--> what is minimized

A model turns what `compile(loss=...)` was given into an object of `Loss`; see `loss_object`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, logical_or, where
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import log, maximum, multiply, square
from minitf.core.ops.reductions import reduce_all, reduce_max, reduce_mean, reduce_sum
from minitf.library import losses as elementwise
from minitf.library.keras.backend import functions as K
from minitf.library.keras.backend.session import epsilon, floatx
from minitf.library.keras.objects import Family, FromConfig, constructor, defaults
from minitf.library.losses import fit_weights, num_elements
from minitf.library.nets.activations import softplus
from minitf.library.nets.basics import l2_normalize
from minitf.library.numeric.clip import clip_by_value
from minitf.library.numeric.confusion_matrix import remove_squeezable_dimensions


class Reduction:
    """How the losses of the examples become one number.

    AUTO: as SUM_OVER_BATCH_SIZE. NONE: they do not. SUM: their sum. SUM_OVER_BATCH_SIZE: their sum
    divided by their number.
    """

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All reductions."""
        return cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError when there is no such reduction."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


# ---- weights -----------------------------------------------------------------------------------


def fit_ranks(y_pred: Tensor, y_true: Tensor) -> tuple[Tensor, Tensor]:
    """Takes off a last axis of size 1, where labels or predictions have one more than the other."""
    first, second = y_pred.shape.ndims, y_true.shape.ndims
    one_more = first is not None and second is not None and first - second == 1
    if not one_more or y_pred.shape[-1].value == 1:
        y_true, y_pred = remove_squeezable_dimensions(y_true, y_pred)
    return y_pred, y_true


def masked_weights(weights: Any, mask: Any, dtype: Any) -> Any:
    """The weights of the examples that a mask leaves; either may be None."""
    if mask is None:
        return weights
    mask = cast(mask, dtype)
    return mask if weights is None else fit_weights(cast(weights, dtype), mask) * mask


def compute_weighted_loss(
    losses: Any, sample_weight: Any = None, reduction: str = Reduction.SUM_OVER_BATCH_SIZE
) -> Tensor:
    """Weighs the losses of the examples and reduces them.

    Args:
      losses: [batch, ...].
      sample_weight: a number, [batch], or of the shape of the losses.
      reduction: one of `Reduction`.
    """
    Reduction.validate(reduction)
    with stacks.name_scope("weighted_loss"):
        losses = convert_to_tensor(losses)
        given = losses.dtype
        if not given.is_floating:
            losses = cast(losses, floatx())
        if sample_weight is not None:
            weights = cast(convert_to_tensor(sample_weight), losses.dtype)
            losses = multiply(losses, fit_weights(weights, losses))
        if reduction == Reduction.NONE:
            loss = losses
        elif reduction == Reduction.SUM:
            loss = reduce_sum(losses)
        else:
            loss = elementwise.safe_mean(losses, num_elements(losses))
        return loss if given.is_floating else cast(loss, given)


# ---- functions ---------------------------------------------------------------------------------


def _pair(y_true: Any, y_pred: Any) -> tuple[Tensor, Tensor]:
    """Both as tensors of the type of the predictions."""
    y_pred = convert_to_tensor(y_pred)
    return cast(y_true, y_pred.dtype), y_pred


def _mean(values: Tensor) -> Tensor:
    return reduce_mean(values, axis=-1)


def mean_squared_error(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of (y_pred - y_true)^2 over the last axis."""
    return _mean(elementwise.squared_error(*_pair(y_true, y_pred)))


def mean_absolute_error(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of |y_pred - y_true| over the last axis."""
    return _mean(elementwise.absolute_error(*_pair(y_true, y_pred)))


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of 100 |y_true - y_pred| / |y_true| over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return 100.0 * _mean(absolute((y_true - y_pred) / maximum(absolute(y_true), epsilon())))


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of (log(1 + y_pred) - log(1 + y_true))^2 over the last axis."""
    logs = [log(maximum(y, epsilon()) + 1.0) for y in _pair(y_true, y_pred)]
    return _mean(elementwise.squared_error(*logs))


def _signs(y_true: Tensor) -> Tensor:
    """Labels of -1 and 1; those of 0 and 1 are changed into them."""
    binary = reduce_all(logical_or(equal(y_true, 0), equal(y_true, 1)))
    return where(binary, 2.0 * y_true - 1.0, y_true)


def hinge(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of max(0, 1 - y_true * y_pred) over the last axis; labels -1 and 1, or 0 and 1."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _mean(maximum(1.0 - _signs(y_true) * y_pred, 0.0))


def squared_hinge(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of max(0, 1 - y_true * y_pred)^2 over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _mean(square(maximum(1.0 - _signs(y_true) * y_pred, 0.0)))


def categorical_hinge(y_true: Any, y_pred: Any) -> Tensor:
    """max(0, 1 + the largest score of a wrong class - the score of the right one)."""
    y_true, y_pred = _pair(y_true, y_pred)
    right = reduce_sum(y_true * y_pred, axis=-1)
    wrong = reduce_max((1.0 - y_true) * y_pred, axis=-1)
    return maximum(wrong - right + 1.0, 0.0)


def huber_loss(y_true: Any, y_pred: Any, delta: float = 1.0) -> Tensor:
    """The mean over the last axis of half the square up to a distance of `delta`, a line beyond."""
    return _mean(elementwise.huber(cast(y_true, floatx()), cast(y_pred, floatx()), delta))


def logcosh(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of log(cosh(y_pred - y_true)) over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    x = y_pred - y_true
    return _mean(x + softplus(-2.0 * x) - float(np.log(2.0)))


def categorical_crossentropy(
    y_true: TensorLike, y_pred: TensorLike, from_logits: bool = False, label_smoothing: float = 0
) -> Tensor:
    """-log of the probability that the predictions give to the label.

    Args:
      y_true: [..., classes], a distribution over the classes.
      y_pred: [..., classes], probabilities, or logits.
      from_logits: whether they are logits.
      label_smoothing: how much to pull labels towards 1 / classes.
    Example:
      >>> sess.run(tf.keras.losses.categorical_crossentropy([[0., 1.]], [[0.5, 0.5]])).round(4)
      array([0.6931], dtype=float32)
    """
    y_true, y_pred = _pair(y_true, y_pred)
    if label_smoothing:
        classes = cast(shape_of(y_true)[1], y_pred.dtype)
        y_true = elementwise.smooth(y_true, label_smoothing, classes)
    return K.categorical_crossentropy(y_true, y_pred, from_logits=from_logits)


def sparse_categorical_crossentropy(
    y_true: TensorLike, y_pred: TensorLike, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """As `categorical_crossentropy`, for labels that are numbers of classes, [...] or [..., 1].

    Args:
      y_true: numbers of classes.
      y_pred: what was predicted, [..., classes].
      from_logits: whether that is scores before a softmax, not probabilities.
      axis: the axis of the classes.
    Example:
      >>> sess.run(tf.keras.losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]])).round(4)
      array([0.6931], dtype=float32)
    """
    return K.sparse_categorical_crossentropy(y_true, y_pred, from_logits=from_logits, axis=axis)


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0
) -> Tensor:
    """The mean over the last axis of the cross entropy of yes-or-no answers.

    Args:
      y_true: 0 or 1.
      y_pred: of the same shape, probabilities, or logits.
      from_logits: whether they are logits.
      label_smoothing: how much to pull labels towards 1/2.
    """
    y_true, y_pred = _pair(y_true, y_pred)
    if label_smoothing:
        y_true = elementwise.smooth(y_true, label_smoothing, 2)
    return _mean(K.binary_crossentropy(y_true, y_pred, from_logits=from_logits))


def kullback_leibler_divergence(y_true: Any, y_pred: Any) -> Tensor:
    """sum(y_true * log(y_true / y_pred)) over the last axis."""
    y_true, y_pred = (clip_by_value(y, epsilon(), 1.0) for y in _pair(y_true, y_pred))
    return reduce_sum(y_true * log(y_true / y_pred), axis=-1)


def poisson(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of y_pred - y_true * log(y_pred) over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _mean(y_pred - y_true * log(y_pred + epsilon()))


def cosine(y_true: Any, y_pred: Any, axis: int = -1) -> Tensor:
    """The cosine of the angle between label and prediction; as a metric."""
    unit = [l2_normalize(y, axis=axis) for y in _pair(y_true, y_pred)]
    return reduce_sum(unit[0] * unit[1], axis=axis)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Tensor:
    """-cosine of the angle between label and prediction: -1 where they point the same way."""
    return -cosine(y_true, y_pred, axis)


cosine_proximity = cosine_similarity
mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
kld = KLD = kl_divergence = kullback_leibler_divergence
log_cosh, huber, bce, BCE = logcosh, huber_loss, binary_crossentropy, binary_crossentropy

# ---- classes -----------------------------------------------------------------------------------


_GLOBAL_BATCH = """\
Please use `tf.keras.losses.Reduction.SUM` or `tf.keras.losses.Reduction.NONE` for loss reduction \
when losses are used with `tf.distribute.Strategy` outside of the built-in training loops. You can \
implement `tf.keras.losses.Reduction.SUM_OVER_BATCH_SIZE` using global batch size like:
```
with strategy.scope():
    loss_obj = tf.keras.losses.CategoricalCrossentropy(reduction=tf.keras.losses.Reduction.NONE)
....
    loss = tf.reduce_sum(loss_obj(labels, predictions)) * (1. / global_batch_size)
```
Please see https://www.tensorflow.org/tutorials/distribute/custom_training for more details."""


class Loss(FromConfig):
    """A loss with its reduction; a subclass says in `call` what one example costs.

    Args:
      reduction: one of `Reduction`.
      name: the name.

    Example:
      >>> class Difference(tf.keras.losses.Loss):
      ...     def call(self, y_true, y_pred):
      ...         return tf.reduce_mean(y_pred - y_true, axis=-1)
      >>> sess.run(Difference()(tf.constant([[1.0], [2.0]]), tf.constant([[3.0], [3.0]])))
      1.5
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = None) -> None:
        Reduction.validate(reduction)
        self.reduction = reduction
        self.name = name

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Tensor:
        """The reduced loss.

        Args:
          y_true, y_pred: labels and predictions.
          sample_weight: what each example counts.
        Raises:
          ValueError: under a strategy, when it divides by the size of a replica's batch.
        """
        divides = self.reduction in (Reduction.AUTO, Reduction.SUM_OVER_BATCH_SIZE)
        if divides and stacks.strategies.top() is not None:
            raise ValueError(_GLOBAL_BATCH)
        name = "lambda" if self.name == "<lambda>" else (self.name or type(self).__name__)
        with stacks.name_scope(name.strip("_")):
            losses = self.call(y_true, y_pred)
            return compute_weighted_loss(losses, sample_weight, self.reduction)

    def call(self, y_true: Any, y_pred: Any) -> Tensor:
        """The loss of each example, [batch, ...]."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs."""
        return {"reduction": self.reduction, "name": self.name}


class LossFunctionWrapper(Loss):
    """A function from `y_true` and `y_pred` as a `Loss`; further arguments go to the function."""

    def __init__(
        self,
        fn: Callable[..., Any],
        reduction: str = Reduction.AUTO,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reduction, name)
        self.fn = fn
        self._fn_kwargs = kwargs

    def call(self, y_true: Any, y_pred: Any) -> Tensor:
        """What the function gives."""
        if isinstance(y_true, Tensor) and isinstance(y_pred, Tensor):
            y_pred, y_true = fit_ranks(y_pred, y_true)
        return self.fn(y_true, y_pred, **self._fn_kwargs)

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs."""
        return {**super().get_config(), **self._fn_kwargs}


class _OfFunction(LossFunctionWrapper):
    """A class of losses that names its function, and the options of it that it takes first."""

    def __init_subclass__(cls, function: Any = None, **options: Any) -> None:
        if function is not None:
            names = {"reduction": Reduction.AUTO, "name": function.__name__}
            start = partial(LossFunctionWrapper.__init__, fn=function)
            cls.__init__ = constructor(defaults(**options, **names), start)  # type: ignore


class MeanSquaredError(_OfFunction, function=mean_squared_error):
    """The mean of (y_pred - y_true)^2.

    Example:
      >>> loss = tf.keras.losses.MeanSquaredError()
      >>> sess.run(loss(tf.constant([[0.0, 1.0]]), tf.constant([[1.0, 3.0]])))
      2.5
    """


class MeanAbsoluteError(_OfFunction, function=mean_absolute_error):
    """The mean of |y_pred - y_true|."""


class MeanAbsolutePercentageError(_OfFunction, function=mean_absolute_percentage_error):
    """The mean of 100 |y_true - y_pred| / |y_true|."""


class MeanSquaredLogarithmicError(_OfFunction, function=mean_squared_logarithmic_error):
    """The mean of (log(1 + y_pred) - log(1 + y_true))^2."""


class Hinge(_OfFunction, function=hinge):
    """The mean of max(0, 1 - y_true * y_pred)."""


class SquaredHinge(_OfFunction, function=squared_hinge):
    """The mean of max(0, 1 - y_true * y_pred)^2."""


class CategoricalHinge(_OfFunction, function=categorical_hinge):
    """The mean of max(0, 1 + the largest wrong score - the right one)."""


class Poisson(_OfFunction, function=poisson):
    """The mean of y_pred - y_true * log(y_pred)."""


class LogCosh(_OfFunction, function=logcosh):
    """The mean of log(cosh(y_pred - y_true))."""


class KLDivergence(_OfFunction, function=kullback_leibler_divergence):
    """The sum of y_true * log(y_true / y_pred) over the classes."""


class BinaryCrossentropy(
    _OfFunction, function=binary_crossentropy, from_logits=False, label_smoothing=0
):
    """The cross entropy of yes-or-no answers; see `binary_crossentropy`."""


class CategoricalCrossentropy(
    _OfFunction, function=categorical_crossentropy, from_logits=False, label_smoothing=0
):
    """The cross entropy of labels that are distributions; see `categorical_crossentropy`."""


class SparseCategoricalCrossentropy(
    _OfFunction, function=sparse_categorical_crossentropy, from_logits=False
):
    """The cross entropy of labels that are numbers of classes."""


class CosineSimilarity(_OfFunction, function=cosine_similarity, axis=-1):
    """-cosine of the angle between label and prediction."""


class Huber(_OfFunction, function=huber_loss, delta=1.0):
    """Half the square up to a distance of `delta`, a line beyond."""


# ---- by name -----------------------------------------------------------------------------------

_OWN = {k: v for k, v in globals().items() if getattr(v, "__module__", "") == __name__}
_LOSSES = Family("loss function", _OWN)
get, serialize, deserialize = _LOSSES.get, _LOSSES.serialize, _LOSSES.deserialize


def loss_object(loss: Any) -> Loss | None:
    """What a program gave as the loss of one output, as an object that can be called.

    Raises:
      ValueError: when it is a class of losses, not an object of it.
    """
    if loss is None or isinstance(loss, Loss):
        return loss
    if isinstance(loss, type) and issubclass(loss, Loss):
        raise ValueError(
            f"Received uninstantiated Loss class: {loss}\nPlease call loss classes before "
            "passing them to Model.compile."
        )
    if isinstance(loss, Mapping):
        loss = get(loss)
    if callable(loss) and not hasattr(loss, "__name__"):
        return loss
    function = get(loss)
    return LossFunctionWrapper(function, Reduction.SUM_OVER_BATCH_SIZE, function.__name__)


def computes(loss: Any, *functions: Callable[..., Any]) -> bool:
    """Whether a loss is one of these functions, as an object or by itself."""
    return getattr(loss, "fn", loss) in functions

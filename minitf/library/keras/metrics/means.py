"""Metrics that are the mean of a function of labels and predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.library.keras import losses
from minitf.library.keras.metrics import functions
from minitf.library.keras.metrics.base import MeanMetricWrapper


class _OfFunction(MeanMetricWrapper):
    """A class of metrics that only names its function."""

    _function: Callable[..., Tensor]

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        function = type(self)._function
        super().__init__(function, name or function.__name__, dtype)


class Accuracy(_OfFunction):
    """How often predictions equal labels.

    Example:
      >>> tf.enable_eager_execution()
      >>> tf.keras.metrics.Accuracy()([1, 2, 3, 4], [0, 2, 3, 4]).numpy()
      0.75
    """

    _function = staticmethod(functions.accuracy)


class CategoricalAccuracy(_OfFunction):
    """How often the largest score is that of the right class; labels are [..., classes]."""

    _function = staticmethod(functions.categorical_accuracy)


class SparseCategoricalAccuracy(_OfFunction):
    """How often the largest score is that of the right class; labels are numbers of classes."""

    _function = staticmethod(functions.sparse_categorical_accuracy)


class MeanSquaredError(_OfFunction):
    """The mean of (y_pred - y_true)^2."""

    _function = staticmethod(losses.mean_squared_error)


class MeanAbsoluteError(_OfFunction):
    """The mean of |y_pred - y_true|."""

    _function = staticmethod(losses.mean_absolute_error)


class MeanAbsolutePercentageError(_OfFunction):
    """The mean of 100 |y_true - y_pred| / |y_true|."""

    _function = staticmethod(losses.mean_absolute_percentage_error)


class MeanSquaredLogarithmicError(_OfFunction):
    """The mean of (log(1 + y_pred) - log(1 + y_true))^2."""

    _function = staticmethod(losses.mean_squared_logarithmic_error)


class Hinge(_OfFunction):
    """The mean of max(0, 1 - y_true * y_pred)."""

    _function = staticmethod(losses.hinge)


class SquaredHinge(_OfFunction):
    """The mean of max(0, 1 - y_true * y_pred)^2."""

    _function = staticmethod(losses.squared_hinge)


class CategoricalHinge(_OfFunction):
    """The mean of max(0, 1 + the largest wrong score - the right one)."""

    _function = staticmethod(losses.categorical_hinge)


class LogCoshError(_OfFunction):
    """The mean of log(cosh(y_pred - y_true))."""

    _function = staticmethod(losses.logcosh)


class Poisson(_OfFunction):
    """The mean of y_pred - y_true * log(y_pred)."""

    _function = staticmethod(losses.poisson)


class KLDivergence(_OfFunction):
    """The mean over the examples of the sum of y_true * log(y_true / y_pred)."""

    _function = staticmethod(losses.kullback_leibler_divergence)


class BinaryAccuracy(MeanMetricWrapper):
    """How often yes-or-no answers are right; `threshold` is above which a prediction says yes."""

    def __init__(
        self, name: str | None = "binary_accuracy", dtype: Any = None, threshold: float = 0.5
    ) -> None:
        super().__init__(functions.binary_accuracy, name, dtype, threshold=threshold)


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the right class is among the `k` best; labels are [..., classes]."""

    def __init__(
        self, k: int = 5, name: str | None = "top_k_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(functions.top_k_categorical_accuracy, name, dtype, k=k)


class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the right class is among the `k` best; labels are numbers of classes."""

    def __init__(
        self, k: int = 5, name: str | None = "sparse_top_k_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(functions.sparse_top_k_categorical_accuracy, name, dtype, k=k)


class CosineSimilarity(MeanMetricWrapper):
    """The mean cosine of the angle between labels and predictions, along `axis`."""

    def __init__(
        self, name: str | None = "cosine_similarity", dtype: Any = None, axis: int = -1
    ) -> None:
        super().__init__(losses.cosine, name, dtype, axis=axis)


class BinaryCrossentropy(MeanMetricWrapper):
    """The mean cross entropy of yes-or-no answers; see `losses.binary_crossentropy`."""

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        options = {"from_logits": from_logits, "label_smoothing": label_smoothing}
        super().__init__(losses.binary_crossentropy, name, dtype, **options)


class CategoricalCrossentropy(MeanMetricWrapper):
    """The mean cross entropy of labels that are distributions over the classes."""

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        options = {"from_logits": from_logits, "label_smoothing": label_smoothing}
        super().__init__(losses.categorical_crossentropy, name, dtype, **options)


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The mean cross entropy of labels that are numbers of classes."""

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        axis: int = -1,
    ) -> None:
        options = {"from_logits": from_logits, "axis": axis}
        super().__init__(losses.sparse_categorical_crossentropy, name, dtype, **options)

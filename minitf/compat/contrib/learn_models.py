"""`tf.contrib.learn.models`: the end of a model_fn in one call, predictions with their loss.

prediction, loss = tf.contrib.learn.models.linear_regression(features, labels)
"""

from __future__ import annotations

from typing import Any

from minitf.compat.contrib.losses import mean_squared_error, softmax_cross_entropy
from minitf.core.graph.stacks import get_default_graph, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softmax
from minitf.core.ops.array_shaping import squeeze
from minitf.core.ops.math import multiply
from minitf.core.variables.initializers import random_normal_initializer
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.library.nets.basics import xw_plus_b
from minitf.library.summary.summary import histogram


def _layer(x: Tensor, y: Tensor, width: Any, mean: float | None, stddev: float) -> tuple:
    """Weights and bias from `x` to `width` numbers, summaries of all beside them."""
    normal = None if mean is None else random_normal_initializer(mean, stddev, dtype=x.dtype)
    weights = get_variable("weights", [x.shape[1], width], x.dtype, normal)
    bias = get_variable("bias", [width], x.dtype, normal)
    scope = get_variable_scope().name
    for name, value in (("x", x), ("y", y), ("weights", weights), ("bias", bias)):
        histogram(f"{scope}.{name}", value)
    return weights, bias


def linear_regression(
    x: Tensor, y: Tensor, init_mean: float | None = None, init_stddev: float = 1.0
) -> tuple[Tensor, Tensor]:
    """A linear function of the features, and its mean squared error.

    Args:
      x: [batch, features] float.
      y: [batch] or [batch, n], what is to be predicted.
      init_mean, init_stddev: of the normal numbers that weights and bias begin as; without a mean
        they begin as variables do.
    Returns: the predictions, of the shape of `y`, and the loss, a scalar.
    """
    with variable_scope("linear_regression"):
        width = 1 if y.shape.ndims == 1 else y.shape[1]
        weights, bias = _layer(x, y, width, init_mean, init_stddev)
        with name_scope("mean_squared_error_regressor"):
            predictions = xw_plus_b(x, weights, bias)
            if y.shape.ndims == 1:
                predictions = squeeze(predictions, axis=[1])
            return predictions, mean_squared_error(predictions, y)


def logistic_regression(
    x: Tensor,
    y: Tensor,
    class_weight: Any = None,
    init_mean: float | None = None,
    init_stddev: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """The probabilities of classes by a linear function of the features, and their cross entropy.

    Args:
      x: [batch, features] float.
      y: [batch, classes], one-hot.
      class_weight: [classes], what each logit is multiplied by; otherwise the graph's tensor
        "class_weight:0", if it has one.
      init_mean, init_stddev: see `linear_regression`.
    Returns: the probabilities, [batch, classes], and the loss, a scalar.
    """
    with variable_scope("logistic_regression"):
        weights, bias = _layer(x, y, y.shape[-1], init_mean, init_stddev)
        if class_weight is None:
            try:
                class_weight = get_default_graph().get_tensor_by_name("class_weight:0")
            except KeyError:
                pass
        with name_scope("softmax_classifier"):
            logits = xw_plus_b(x, weights, bias)
            if class_weight is not None:
                logits = multiply(logits, class_weight)
            return softmax(logits), softmax_cross_entropy(logits, y)


def linear_regression_zero_init(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """A `linear_regression` that begins with zeros."""
    return linear_regression(x, y, init_mean=0.0, init_stddev=0.0)


def logistic_regression_zero_init(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """A `logistic_regression` that begins with zeros."""
    return logistic_regression(x, y, init_mean=0.0, init_stddev=0.0)

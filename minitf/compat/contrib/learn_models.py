"""`tf.contrib.learn.models`: the end of a model_fn in one call, predictions with their loss.

prediction, loss = tf.contrib.learn.models.linear_regression(features, labels)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minitf.compat.contrib.learn_ops import dnn, mean_squared_error_regressor, softmax_classifier
from minitf.core.graph import dtypes
from minitf.core.graph.stacks import get_default_graph
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import concat
from minitf.core.variables.initializers import random_normal_initializer
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.library.layers.rnn.bidirectional import static_bidirectional_rnn
from minitf.library.layers.rnn.cells import BasicLSTMCell, BasicRNNCell, GRUCell
from minitf.library.layers.rnn.loops import static_rnn
from minitf.library.layers.rnn.wrappers import MultiRNNCell
from minitf.library.summary.summary import histogram

_Model = Callable[[Any, Any], tuple[Tensor, Tensor]]


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
        return mean_squared_error_regressor(x, y, weights, bias)


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
        return softmax_classifier(x, y, weights, bias, class_weight)


def linear_regression_zero_init(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """A `linear_regression` that begins with zeros."""
    return linear_regression(x, y, init_mean=0.0, init_stddev=0.0)


def logistic_regression_zero_init(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """A `logistic_regression` that begins with zeros."""
    return logistic_regression(x, y, init_mean=0.0, init_stddev=0.0)


# ---- whole models, which end in one of the above --------------------------------------------


def get_dnn_model(hidden_units: Any, target_predictor_fn: _Model, dropout: Any = None) -> _Model:
    """A model function of fully connected layers; see `tf.contrib.learn.ops.dnn`."""
    return lambda x, y: target_predictor_fn(dnn(x, hidden_units, dropout=dropout), y)


def get_rnn_model(
    rnn_size: int, cell_type: str, num_layers: int, input_op_fn: Callable[[Any], Any],
    bidirectional: bool, target_predictor_fn: _Model, sequence_length: Any, initial_state: Any,
) -> _Model:  # fmt: skip
    """A model function of cells over a sequence, the last state of which goes on.

    Args:
      rnn_size: the size of the cells.
      cell_type: "rnn", "gru" or "lstm".
      num_layers: how many are on top of each other.
      input_op_fn: from the features to a list of [batch, n] tensors, one a step.
      bidirectional: whether others run backwards.
      target_predictor_fn: from state and labels to predictions and loss.
      sequence_length: [batch] integers, or None.
      initial_state: [batch, state_size], or None for zeros.
    Raises:
      ValueError: later, when the type of the cell is another.
    """
    lstm = functools.partial(BasicLSTMCell, state_is_tuple=False)
    kinds: dict[str, Callable] = {"rnn": BasicRNNCell, "gru": GRUCell, "lstm": lstm}

    def layers() -> Any:
        if cell_type not in kinds:
            raise ValueError(f"cell_type {cell_type} is not supported. ")
        cells = [kinds[cell_type](rnn_size) for _ in range(num_layers)]
        return MultiRNNCell(cells, state_is_tuple=False)

    def model(x: Any, y: Any) -> tuple[Tensor, Tensor]:
        steps, kind = input_op_fn(x), dtypes.float32
        if bidirectional:
            _, *states = static_bidirectional_rnn(
                layers(), layers(), steps, initial_state, initial_state, kind, sequence_length
            )
            state = concat(states, 1)
        else:
            _, state = static_rnn(layers(), steps, initial_state, kind, sequence_length)
        return target_predictor_fn(state, y)

    return model

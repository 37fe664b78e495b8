"""`tf.contrib.learn.ops`, at first `skflow.ops`: layers and losses of model functions of 2016.

def model(x, y):                              for TensorFlowEstimator, see skflow.py
    return learn.models.logistic_regression(learn.ops.dnn(x, [10, 20], dropout=0.5), y)

The estimator says in the collection IS_TRAINING what a graph is for: dropout acts while training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.compat.contrib import losses
from minitf.compat.slim.image_layers import legacy_fully_connected
from minitf.compat.slim.normalization import batch_norm
from minitf.core.graph import dtypes
from minitf.core.graph.stacks import get_collection, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu, softmax
from minitf.core.ops.array_filling import one_hot
from minitf.core.ops.array_joining import split
from minitf.core.ops.array_shaping import squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.math import multiply
from minitf.core.variables.initializers import random_normal_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.nets import basics, convolution
from minitf.library.nets.embeddings import embedding_lookup

IS_TRAINING = "IS_TRAINING"


def _is_training() -> bool:
    """What the estimator has said of the graph; a graph without one trains."""
    return all(get_collection(IS_TRAINING))


# ---- arrays ------------------------------------------------------------------------------


def split_squeeze(dim: int, num_split: int, tensor_in: Any) -> list[Tensor]:
    """The slices along an axis, each without it."""
    return [squeeze(part, [dim]) for part in split(tensor_in, num_split, dim)]


def one_hot_matrix(
    tensor_in: Any, num_classes: int, on_value: Any = 1.0, off_value: Any = 0.0
) -> Tensor:
    """[..., num_classes] floats with `on_value` at the number of each class."""
    return one_hot(cast(tensor_in, dtypes.int64), num_classes, on_value, off_value)


def categorical_variable(tensor_in: Any, n_classes: int, embedding_size: int, name: str) -> Tensor:
    """A learned vector for each class: [..., embedding_size] for [...] numbers."""
    with variable_scope(name):
        table = get_variable(f"{name}_embeddings", [n_classes, embedding_size])
        return embedding_lookup(table, tensor_in)


# ---- layers ------------------------------------------------------------------------------


def dropout(tensor_in: Any, prob: Any, name: str | None = None) -> Tensor:
    """Keeps each element with probability `prob` while training."""
    return basics.dropout(tensor_in, prob, name=name) if _is_training() else tensor_in


def dnn(
    tensor_in: Any, hidden_units: Sequence[int], activation: Callable | None = relu,
    dropout: float | None = None, keep_prob: Any = None,
) -> Tensor:  # fmt: skip
    """Fully connected layers.

    Args:
      tensor_in: [batch, n] floats.
      hidden_units: the sizes of the layers.
      activation: after each layer, or None.
      dropout: the part of each layer's outputs to set to 0 while training.
      keep_prob: the part to keep, as before TensorFlow 0.8.
    """
    kept = keep_prob if dropout is None else 1.0 - dropout
    with variable_scope("dnn"):
        for index, size in enumerate(hidden_units):
            with variable_scope(f"layer{index}"):
                tensor_in = legacy_fully_connected(
                    tensor_in, size, activation, None,
                    weight_collections=["dnn_weights"], bias_collections=["dnn_biases"],
                )  # fmt: skip
                if kept is not None and _is_training():
                    tensor_in = basics.dropout(tensor_in, kept)
    return tensor_in


def conv2d(
    tensor_in: Any, n_filters: int, filter_shape: Sequence[int],
    strides: Sequence[int] | None = None, padding: str = "SAME", bias: bool = True,
    activation: Callable | None = None, batch_norm: bool = False,
) -> Tensor:  # fmt: skip
    """A convolution with variables of its own.

    Args:
      tensor_in: [batch, height, width, channels].
      n_filters: how many channels the result has.
      filter_shape: height and width of the filters.
      strides, padding: see `tf.nn.conv2d`; strides of 1 by default.
      bias: whether a bias is added.
      activation: what follows, or None.
      batch_norm: whether the result is normalized before that.
    """
    with variable_scope("convolution"):
        shape = [*filter_shape, tensor_in.shape[3].value, n_filters]
        filters = get_variable("filters", shape, dtypes.float32)
        output: Any = convolution.conv2d(tensor_in, filters, strides or [1, 1, 1, 1], padding)
        if bias:
            output = output + get_variable("bias", [1, 1, 1, n_filters], dtypes.float32)
        if batch_norm:
            output = batch_normalize(output)
        return activation(output) if activation else output


def batch_normalize(
    tensor_in: Any, epsilon: float = 1e-5, convnet: bool = True, decay: float = 0.9,
    scale_after_normalization: bool = True,
) -> Tensor:  # fmt: skip
    """Normalizes each channel over all other axes, with or without `convnet`."""
    return batch_norm(
        tensor_in, decay, True, scale_after_normalization, epsilon, updates_collections=None,
        param_initializers={"gamma": random_normal_initializer(1.0, 0.02)},
        is_training=_is_training(), scope="batch_norm",
    )  # fmt: skip


# ---- losses ------------------------------------------------------------------------------


def mean_squared_error_regressor(
    tensor_in: Any, labels: Any, weights: Any, biases: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """A linear function of the features, of the labels' rank, and its mean squared error."""
    with name_scope(name, "mean_squared_error_regressor", [tensor_in, labels]):
        predictions = basics.xw_plus_b(tensor_in, weights, biases)
        if labels.shape.ndims == 1:
            predictions = squeeze(predictions, axis=[1])
        return predictions, losses.mean_squared_error(predictions, labels)


def softmax_classifier(
    tensor_in: Any, labels: Any, weights: Any, biases: Any, class_weight: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The probabilities of the classes by a linear function, and the cross entropy.

    Args:
      tensor_in: [batch, n] floats.
      labels: [batch, classes], one-hot.
      weights, biases: [n, classes] and [classes].
      class_weight: [classes], what each logit is multiplied by.
      name: a name.
    """
    with name_scope(name, "softmax_classifier", [tensor_in, labels]):
        logits = basics.xw_plus_b(tensor_in, weights, biases)
        if class_weight is not None:
            logits = multiply(logits, class_weight)
        return softmax(logits), losses.softmax_cross_entropy(logits, labels)

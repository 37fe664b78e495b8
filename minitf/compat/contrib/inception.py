"""`tf.contrib.slim.nets.inception_v3`, and `slim.model_analyzer`, which says how large a model is.

A line of a plan is an end point: its name, then its layers in the words of `nets`, with branches
between `|`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from minitf.compat.contrib.framework import arg_scope
from minitf.compat.contrib.layers import (
    avg_pool2d,
    conv2d,
    dropout,
    fully_connected,
    l2_regularizer,
    max_pool2d,
    softmax,
    variance_scaling_initializer,
)
from minitf.compat.contrib.normalization import batch_norm
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import squeeze
from minitf.core.variables.initializers import truncated_normal_initializer
from minitf.core.variables.variable_scope import variable_scope
from minitf.library.nets.activations import relu

_V3 = """
Conv2d_1a_3x3 :32/2v
Conv2d_2a_3x3 :32/1v
Conv2d_2b_3x3 :64
MaxPool_3a_3x3 /2v
Conv2d_3b_1x1 :80/1v
Conv2d_4a_3x3 :192/1v
MaxPool_5a_3x3 /2v
Mixed_5b {Conv2d_0a_1x1 Conv2d_0b_5x5 32}
Mixed_5c {Conv2d_0b_1x1 Conv_1_0c_5x5 64}
Mixed_5d {Conv2d_0a_1x1 Conv2d_0b_5x5 64}
Mixed_6a Conv2d_1a_1x1:384:3x3/2v | Conv2d_0a_1x1:64 Conv2d_0b_3x3:96 Conv2d_1a_1x1:96:3x3/2v | MaxPool_1a_3x3/2v
Mixed_6b {128}
Mixed_6c {160}
Mixed_6d {160}
Mixed_6e {192}
Mixed_7a Conv2d_0a_1x1:192 Conv2d_1a_3x3:320/2v | Conv2d_0a_1x1:192 Conv2d_0b_1x7:192 Conv2d_0c_7x1:192 Conv2d_1a_3x3:192/2v | MaxPool_1a_3x3/2v
Mixed_7b {b x}
Mixed_7c {c x}
"""  # noqa: E501  (a line is a layer)
_V3_BLOCKS = {
    "5": "Conv2d_0a_1x1:64 | {0}:48 {1}:64 | Conv2d_0a_1x1:64 Conv2d_0b_3x3:96 Conv2d_0c_3x3:96 | "
    "AvgPool_0a_3x3 Conv2d_0b_1x1:{2}",
    "6": "Conv2d_0a_1x1:192 | Conv2d_0a_1x1:{0} Conv2d_0b_1x7:{0} Conv2d_0c_7x1:192 | "
    "Conv2d_0a_1x1:{0} Conv2d_0b_7x1:{0} Conv2d_0c_1x7:{0} Conv2d_0d_7x1:{0} Conv2d_0e_1x7:192 | "
    "AvgPool_0a_3x3 Conv2d_0b_1x1:192",
    "7": "Conv2d_0a_1x1:320 | Conv2d_0a_1x1:384 ( Conv2d_0b_1x3:384 Conv2d_0{0}_3x1:384 ) | "
    "Conv2d_0a_1x1:448 Conv2d_0b_3x3:384 ( Conv2d_0c_1x3:384 Conv2d_0d_3x1:384 ) | "
    "AvgPool_0a_3x3 Conv2d_0b_1x1:192",
}

_WORD = re.compile(r"(\w+_(\d)x(\d))(?::(\d+))?(?::(\d)x(\d))?(?:/(\d)(v?))?")


def _layer(net: Tensor, word: str) -> Tensor:
    """Builds the layer that a word of a plan describes."""
    found = _WORD.fullmatch(word)
    scope, high, wide, filters, higher, wider, stride, valid = found.groups()  # type: ignore[union-attr]
    window = [int(higher or high), int(wider or wide)]
    more: dict[str, Any] = {"stride": int(stride or 1), "scope": scope}
    if valid:
        more["padding"] = "VALID"
    if filters is None:
        return (max_pool2d if scope.startswith("Max") else avg_pool2d)(net, window, **more)
    return conv2d(net, int(filters), window, **more)


def _chain(net: Tensor, words: list[str]) -> Tensor:
    """Builds layers one on another; those in parentheses side by side."""
    while words:
        word = words.pop(0)
        if word == "(":
            end = words.index(")")
            net = concat([_layer(net, each) for each in words[:end]], 3)
            words = words[end + 1 :]
        else:
            net = _layer(net, word)
    return net


def _lines() -> list[tuple[str, str]]:
    """The end points, with their layers written out."""
    result = []
    for line in _V3.strip().splitlines():
        name, plan = line.split(" ", 1)
        if plan.startswith("{"):
            plan = _V3_BLOCKS[name[6]].format(*plan.strip("{}").split())
        result.append((name, plan))
    return result


def _end_point(net: Tensor, name: str, plan: str) -> Tensor:
    if not name.startswith("Mixed"):
        return _layer(net, name + plan)
    with variable_scope(name):
        branches = []
        for number, branch in enumerate(plan.split("|")):
            with variable_scope(f"Branch_{number}"):
                branches.append(_chain(net, branch.split()))
        return concat(branches, 3)


def _window(net: Tensor, size: int) -> list[int]:
    """A window of this size, or of the whole image where that is smaller."""
    return [size if axis.value is None else min(axis.value, size) for axis in net.shape[1:3]]


def inception_v3(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    reuse: Any = None,
    scope: Any = "InceptionV3",
) -> tuple[Tensor, dict]:
    """Inception 3 for images of 299x299, with logits in its middle."""
    end_points: dict[str, Tensor] = {}
    net = inputs
    with (
        variable_scope(scope, "InceptionV3", [inputs, num_classes], reuse=reuse),
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        with arg_scope([conv2d, max_pool2d, avg_pool2d], stride=1, padding="SAME"):
            for name, plan in _lines():
                net = end_points[name] = _end_point(net, name, plan)
            aux = end_points["Mixed_6e"]
            with variable_scope("AuxLogits"):
                aux = avg_pool2d(aux, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
                aux = conv2d(aux, 128, [1, 1], scope="Conv2d_1b_1x1")
                high, wide = _window(aux, 5)
                aux = conv2d(
                    aux,
                    768,
                    [high, wide],
                    weights_initializer=truncated_normal_initializer(0.0, 0.01),
                    padding="VALID",
                    scope=f"Conv2d_2a_{high}x{wide}",
                )
                aux = conv2d(
                    aux,
                    num_classes,
                    [1, 1],
                    activation_fn=None,
                    normalizer_fn=None,
                    weights_initializer=truncated_normal_initializer(0.0, 0.001),
                    scope="Conv2d_2b_1x1",
                )
                end_points["AuxLogits"] = squeeze(aux, [1, 2], name="SpatialSqueeze")
        with variable_scope("Logits"):
            high, wide = _window(net, 8)
            pool = f"AvgPool_1a_{high}x{wide}"
            net = avg_pool2d(net, [high, wide], padding="VALID", scope=pool)
            net = dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_1b")
            end_points["PreLogits"] = net
            logits = conv2d(
                net,
                num_classes,
                [1, 1],
                activation_fn=None,
                normalizer_fn=None,
                scope="Conv2d_1c_1x1",
            )
            logits = squeeze(logits, [1, 2], name="SpatialSqueeze")
        end_points["Logits"] = logits
        end_points["Predictions"] = softmax(logits, scope="Predictions")
        return logits, end_points


inception_v3.default_image_size = 299  # type: ignore[attr-defined]


def inception_v3_arg_scope(
    weight_decay: float = 0.00004,
    batch_norm_var_collection: str = "moving_vars",
    use_fused_batchnorm: bool = True,
) -> dict:
    """The defaults of the layers.

    Args:
      weight_decay: of the weights' squares.
      batch_norm_var_collection: where the moving means and variances are listed.
      use_fused_batchnorm: accepted.
    """
    moving = [batch_norm_var_collection]
    settings = {
        "decay": 0.9997,
        "epsilon": 0.001,
        "updates_collections": GraphKeys.UPDATE_OPS,
        "variables_collections": {"moving_mean": moving, "moving_variance": moving},
    }
    with (
        arg_scope([conv2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)),
        arg_scope(
            [conv2d],
            weights_initializer=variance_scaling_initializer(),
            activation_fn=relu,
            normalizer_fn=batch_norm,
            normalizer_params=settings,
        ) as scope,
    ):
        return scope


# ---- how large a model is ----------------------------------------------------------------------


def tensor_description(var: Any) -> str:
    """A type and sizes, as "(float32_ref 5x5x3x64)".

    Args:
      var: a variable, or a tensor whose shape has a known rank.
    """
    sizes = "x".join(str(size) for size in var.get_shape())
    return f"({var.dtype.name} {sizes})"


def analyze_vars(variables: Iterable[Any], print_info: bool = False) -> tuple[int, int]:
    """How many elements and bytes variables have.

    Args:
      variables: the variables.
      print_info: whether to print a line for each of them.

    Returns: (elements, bytes).
    """
    rows = [(var, var.get_shape().num_elements() or 0) for var in variables]
    elements = sum(count for _, count in rows)
    size = sum(count * var.dtype.size for var, count in rows)
    if print_info:
        print("---------", "Variables: name (type shape) [size]", "---------", sep="\n")
        for var, count in rows:
            length = count * var.dtype.size
            print(var.name, tensor_description(var), f"[{count}, bytes: {length}]")
        print(f"Total size of variables: {elements}")
        print(f"Total bytes of variables: {size}")
    return elements, size

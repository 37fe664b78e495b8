"""Inception, versions 1 to 3, as `tf.contrib.slim.nets.inception` has it.

A line of a plan is an end point: its name, then its layers in the words of `nets`, with
branches between `|`. `~0.09` is the deviation of a layer's first weights.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from minitf.compat.contrib.arg_scope import arg_scope
from minitf.compat.contrib.regularizers import l2_regularizer
from minitf.compat.slim.initializers import variance_scaling_initializer
from minitf.compat.slim.layers import (
    avg_pool2d,
    conv2d,
    dropout,
    fully_connected,
    max_pool2d,
    separable_conv2d,
    softmax,
)
from minitf.compat.slim.normalization import batch_norm
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import squeeze
from minitf.core.variables.initializers import truncated_normal_initializer
from minitf.core.variables.variable_scope import variable_scope

_V1 = """
Conv2d_1a_7x7 :64/2
MaxPool_2a_3x3 /2
Conv2d_2b_1x1 :64
Conv2d_2c_3x3 :192
MaxPool_3a_3x3 /2
Mixed_3b {64 96 128 16 32 32}
Mixed_3c {128 128 192 32 96 64}
MaxPool_4a_3x3 /2
Mixed_4b {192 96 208 16 48 64}
Mixed_4c {160 112 224 24 64 64}
Mixed_4d {128 128 256 24 64 64}
Mixed_4e {112 144 288 32 64 64}
Mixed_4f {256 160 320 32 128 128}
MaxPool_5a_2x2 /2
Mixed_5b {256 160 320 32 a128 128}
Mixed_5c {384 192 384 48 128 128}
"""
_V1_BLOCK = (
    "Conv2d_0a_1x1:{0} | Conv2d_0a_1x1:{1} Conv2d_0b_3x3:{2} | Conv2d_0a_1x1:{3} "
    "Conv2d_0{5}_3x3:{4} | MaxPool_0a_3x3 Conv2d_0b_1x1:{6}"
)
_V2 = """
Conv2d_1a_7x7 :64/2~1.0
MaxPool_2a_3x3 /2
Conv2d_2b_1x1 :64~0.1
Conv2d_2c_3x3 :192
MaxPool_3a_3x3 /2
Mixed_3b {64 64 64 64 96 Avg 32}
Mixed_3c {64 64 96 64 96 Avg 64}
Mixed_4a {128 160 64 96}
Mixed_4b {224 64 96 96 128 Avg 128}
Mixed_4c {192 96 128 96 128 Avg 128}
Mixed_4d {160 128 160 128 160 Avg 96}
Mixed_4e {96 128 192 160 192 Avg 96}
Mixed_5a {128 192 192 256}
Mixed_5b {352 192 320 160 224 Avg 128}
Mixed_5c {352 192 320 192 224 Max 128}
"""
_V2_BLOCK = (
    "Conv2d_0a_1x1:{0} | Conv2d_0a_1x1:{1}~0.09 Conv2d_0b_3x3:{2} | Conv2d_0a_1x1:{3}~0.09 "
    "Conv2d_0b_3x3:{4} Conv2d_0c_3x3:{4} | {5}Pool_0a_3x3 Conv2d_0b_1x1:{6}~0.1"
)
_V2_SMALLER = (
    "Conv2d_0a_1x1:{0}~0.09 Conv2d_1a_3x3:{1}/2 | Conv2d_0a_1x1:{2}~0.09 Conv2d_0b_3x3:{3} "
    "Conv2d_1a_3x3:{3}/2 | MaxPool_1a_3x3/2"
)
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

Depth = Callable[[int], int]
_WORD = re.compile(r"(\w+_(\d)x(\d))(?::(\d+))?(?::(\d)x(\d))?(?:/(\d)(v?))?(?:~([\d.]+))?")


def _layer(net: Tensor, word: str, depth: Depth) -> Tensor:
    """Builds the layer that a word of a plan describes."""
    scope, high, wide, filters, higher, wider, stride, valid, deviation = _WORD.fullmatch(
        word
    ).groups()  # type: ignore[union-attr]
    window = [int(higher or high), int(wider or wide)]
    more: dict[str, Any] = {"stride": int(stride or 1), "scope": scope}
    if valid:
        more["padding"] = "VALID"
    if deviation:
        more["weights_initializer"] = _normal(float(deviation))
    if filters is None:
        return (max_pool2d if scope.startswith("Max") else avg_pool2d)(net, window, **more)
    return conv2d(net, depth(int(filters)), window, **more)


def _normal(deviation: float) -> Any:
    return truncated_normal_initializer(0.0, deviation)


def _chain(net: Tensor, words: list[str], depth: Depth) -> Tensor:
    """Builds layers one on another; those in parentheses side by side."""
    while words:
        word = words.pop(0)
        if word == "(":
            end = words.index(")")
            net = concat([_layer(net, each, depth) for each in words[:end]], 3)
            words = words[end + 1 :]
        else:
            net = _layer(net, word, depth)
    return net


def _lines(version: int) -> list[tuple[str, str]]:
    """The end points of a version, with their layers written out."""
    result = []
    for line in (_V1, _V2, _V3)[version - 1].strip().splitlines():
        name, plan = line.split(" ", 1)
        if plan.startswith("{"):
            fields: list[str] = plan.strip("{}").split()
            if version == 1:
                fields[4:5] = [fields[4].lstrip("a"), "a" if fields[4][0] == "a" else "b"]
                form = _V1_BLOCK
            elif version == 2:
                form = _V2_BLOCK if len(fields) > 4 else _V2_SMALLER
            else:
                form = _V3_BLOCKS[name[6]]
            plan = form.format(*fields)
        result.append((name, plan))
    return result


def _build(
    version: int, inputs: Any, final_endpoint: str, depth: Depth, scope: Any
) -> tuple[Tensor, dict[str, Tensor]]:
    net, end_points = inputs, {}
    with (
        variable_scope(scope, f"InceptionV{version}", [inputs]),
        arg_scope([conv2d, max_pool2d, avg_pool2d], stride=1, padding="SAME"),
    ):
        for name, plan in _lines(version):
            if not name.startswith("Mixed"):
                if version == 2 and name == "Conv2d_1a_7x7":
                    net = separable_conv2d(
                        inputs,
                        depth(64),
                        [7, 7],
                        stride=2,
                        padding="SAME",
                        scope=name,
                        depth_multiplier=min(int(depth(64) / 3), 8),
                        weights_initializer=_normal(1.0),
                    )
                else:
                    net = _layer(net, name + plan, depth)
            else:
                with variable_scope(name):
                    branches = []
                    for number, branch in enumerate(plan.split("|")):
                        with variable_scope(f"Branch_{number}"):
                            branches.append(_chain(net, branch.split(), depth))
                    net = concat(branches, 3)
            end_points[name] = net
            if name == final_endpoint:
                return net, end_points
    raise ValueError(f"Unknown final endpoint {final_endpoint}")


def _scaled(min_depth: int, depth_multiplier: float) -> Depth:
    if depth_multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    return lambda depth: max(int(depth * depth_multiplier), min_depth)


def inception_v3_base(
    inputs: Any,
    final_endpoint: str = "Mixed_7c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: Any = None,
) -> tuple[Tensor, dict]:
    """Inception 3 up to an end point; returns its output, and a dict of all so far."""
    return _build(3, inputs, final_endpoint, _scaled(min_depth, depth_multiplier), scope)


def _window(net: Tensor, size: int) -> list[int]:
    """A window of this size, or of the whole image where that is smaller."""
    return [size if axis.value is None else min(axis.value, size) for axis in net.shape[1:3]]


def _head(
    net: Tensor,
    end_points: dict,
    pool: dict[str, Any],
    step: int,
    keep: float,
    classes: int,
    prediction_fn: Any,
    spatial_squeeze: bool,
) -> tuple[Tensor, dict]:
    """Pools, drops, and makes logits and predictions."""
    with variable_scope("Logits"):
        net = avg_pool2d(net, **pool)
        net = dropout(net, keep_prob=keep, scope=f"Dropout_{step}b")
        end_points["PreLogits"] = net
        logits = conv2d(
            net,
            classes,
            [1, 1],
            activation_fn=None,
            normalizer_fn=None,
            scope=f"Conv2d_{step}c_1x1",
        )
        if spatial_squeeze:
            logits = squeeze(logits, [1, 2], name="SpatialSqueeze")
    end_points["Logits"] = logits
    end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


def _whole(net: Tensor, size: int) -> dict[str, Any]:
    high, wide = _window(net, size)
    scope = f"AvgPool_1a_{high}x{wide}"
    return {"kernel_size": [high, wide], "padding": "VALID", "scope": scope}


def inception_v3(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Tensor] = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV3",
) -> tuple[Tensor, dict]:
    """Inception 3 for images of 299x299, with logits in its middle; see `inception_v2`."""
    depth = _scaled(min_depth, depth_multiplier)
    with (
        variable_scope(scope, "InceptionV3", [inputs, num_classes], reuse=reuse) as sc,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, end_points = inception_v3_base(
            inputs, scope=sc, min_depth=min_depth, depth_multiplier=depth_multiplier
        )
        with arg_scope([conv2d, max_pool2d, avg_pool2d], stride=1, padding="SAME"):
            aux = end_points["Mixed_6e"]
            with variable_scope("AuxLogits"):
                aux = avg_pool2d(aux, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
                aux = conv2d(aux, depth(128), [1, 1], scope="Conv2d_1b_1x1")
                high, wide = _window(aux, 5)
                aux = conv2d(
                    aux,
                    depth(768),
                    [high, wide],
                    weights_initializer=_normal(0.01),
                    padding="VALID",
                    scope=f"Conv2d_2a_{high}x{wide}",
                )
                aux = conv2d(
                    aux,
                    num_classes,
                    [1, 1],
                    activation_fn=None,
                    normalizer_fn=None,
                    weights_initializer=_normal(0.001),
                    scope="Conv2d_2b_1x1",
                )
                if spatial_squeeze:
                    aux = squeeze(aux, [1, 2], name="SpatialSqueeze")
                end_points["AuxLogits"] = aux
        return _head(
            net,
            end_points,
            _whole(net, 8),
            1,
            dropout_keep_prob,
            num_classes,
            prediction_fn,
            spatial_squeeze,
        )


inception_v3.default_image_size = 299  # type: ignore[attr-defined]


def inception_arg_scope(
    weight_decay: float = 0.00004,
    use_batch_norm: bool = True,
    batch_norm_var_collection: str = "moving_vars",
) -> dict:
    """The defaults of Inception's layers.

    Args:
      weight_decay: of the weights' squares.
      use_batch_norm: whether each convolution is normalized.
      batch_norm_var_collection: where the moving means and variances are listed.
    """
    moving = [batch_norm_var_collection]
    settings = {
        "decay": 0.9997,
        "epsilon": 0.001,
        "updates_collections": GraphKeys.UPDATE_OPS,
        "variables_collections": {
            "beta": None,
            "gamma": None,
            "moving_mean": moving,
            "moving_variance": moving,
        },
    }
    with (
        arg_scope([conv2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)),
        arg_scope(
            [conv2d],
            weights_initializer=variance_scaling_initializer(),
            activation_fn=relu,
            normalizer_fn=batch_norm if use_batch_norm else None,
            normalizer_params=settings if use_batch_norm else {},
        ) as scope,
    ):
        return scope


def inception_v3_arg_scope(
    weight_decay: float = 0.00004,
    batch_norm_var_collection: str = "moving_vars",
    use_fused_batchnorm: bool = True,
) -> dict:
    """The defaults of Inception 3; see `inception_v1_arg_scope`."""
    return inception_arg_scope(weight_decay, True, batch_norm_var_collection)

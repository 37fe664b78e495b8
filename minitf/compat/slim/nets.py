"""The networks of `tf.contrib.slim.nets`: plans of layers, and the functions that build them.

    with slim.arg_scope(vgg.vgg_arg_scope()):
        logits, end_points = vgg.vgg_16(images, num_classes=10)

A plan says one layer a word, `scope:depth:kernel/stride`. The kernel is the end of the scope's
name where it is left out ("Conv2d_0b_3x3:64"), and a pooling has no depth. Branches of a block
stand between `|`, and what stands in parentheses gets one input and is put side by side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from minitf.compat.contrib.arg_scope import add_arg_scope, arg_scope
from minitf.compat.contrib.regularizers import l2_regularizer
from minitf.compat.slim.initializers import variance_scaling_initializer
from minitf.compat.slim.layers import collect_named_outputs as collect
from minitf.compat.slim.layers import (
    conv2d,
    convert_collection_to_dict,
    dropout,
    fully_connected,
    max_pool2d,
    repeat,
    softmax,
)
from minitf.compat.slim.normalization import batch_norm
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import squeeze
from minitf.core.ops.reductions import reduce_mean
from minitf.core.variables.initializers import (
    constant_initializer,
    truncated_normal_initializer,
    zeros_initializer,
)
from minitf.core.variables.variable_scope import variable_scope

# ---- chains: VGG, AlexNet, OverFeat --------------------------------------------------------


def _chain_scope(biases: Any, weight_decay: float, pool: str | None = None) -> dict:
    with (
        arg_scope(
            [conv2d, fully_connected],
            activation_fn=relu,
            weights_regularizer=l2_regularizer(weight_decay),
            biases_initializer=biases,
        ),
        arg_scope([conv2d], padding="SAME") as scope,
    ):
        if pool is None:
            return scope
        with arg_scope([max_pool2d], padding=pool) as scope:
            return scope


def vgg_arg_scope(weight_decay: float = 0.0005) -> dict:
    """The defaults of VGG's layers."""
    return _chain_scope(zeros_initializer(), weight_decay)


def alexnet_v2_arg_scope(weight_decay: float = 0.0005) -> dict:
    """The defaults of AlexNet's layers."""
    return _chain_scope(constant_initializer(0.1), weight_decay, "VALID")


def overfeat_arg_scope(weight_decay: float = 0.0005) -> dict:
    """The defaults of OverFeat's layers."""
    return _chain_scope(zeros_initializer(), weight_decay, "VALID")


def _chain(
    name: str, size: int, sentence: str, body: Callable[[Tensor], Tensor], fc6: tuple[int, int],
    small: bool = False,
) -> Callable[..., tuple[Tensor, dict]]:  # fmt: skip
    """A network: convolutions, then three layers as convolutions over what is left of the image.

    Args:
      name: of the function and of its scope.
      size: of the images that it was made for.
      body: the convolutions.
      fc6: the depth and the kernel of the first layer after them.
      small: whether those three begin with small weights, and biases of 0.1.
    """

    def network(
        inputs: Any, num_classes: int = 1000, is_training: Any = True,
        dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True, scope: Any = name,
    ) -> tuple[Tensor, dict]:  # fmt: skip
        with variable_scope(scope, name, [inputs]) as sc:
            listed = sc.original_name_scope + "_end_points"
            with arg_scope([conv2d, fully_connected, max_pool2d], outputs_collections=[listed]):
                net = body(inputs)
                start: dict[str, Any] = {}
                if small:
                    start["weights_initializer"] = truncated_normal_initializer(0.0, 0.005)
                    start["biases_initializer"] = constant_initializer(0.1)
                with arg_scope([conv2d], **start):
                    for number, depth, kernel in (6, *fc6), (7, 4096, 1):
                        padding = {"padding": "VALID"} if number == 6 else {}
                        net = conv2d(net, depth, [kernel] * 2, **padding, scope=f"fc{number}")
                        net = dropout(
                            net,
                            dropout_keep_prob,
                            is_training=is_training,
                            scope=f"dropout{number}",
                        )
                    last = {"biases_initializer": zeros_initializer()} if small else {}
                    net = conv2d(
                        net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                        scope="fc8", **last,
                    )  # fmt: skip
            end_points = convert_collection_to_dict(listed)
            if spatial_squeeze:
                net = squeeze(net, [1, 2], name="fc8/squeezed")
                end_points[sc.name + "/fc8"] = net
            return net, end_points

    return _named(network, name, size, sentence)


def _named(network: Any, name: str, size: int, sentence: str) -> Any:
    network.__name__ = network.__qualname__ = name
    network.__doc__ = f"{sentence}\n\n    Returns: the logits, and a dict of all layers' outputs."
    network.default_image_size = size
    return network


def _vgg(repetitions: Sequence[int]) -> Callable[[Tensor], Tensor]:
    def body(net: Tensor) -> Tensor:
        for block, (times, depth) in enumerate(
            zip(repetitions, (64, 128, 256, 512, 512), strict=True), 1
        ):
            net = repeat(net, times, conv2d, depth, [3, 3], scope=f"conv{block}")
            net = max_pool2d(net, [2, 2], scope=f"pool{block}")
        return net

    return body


def _body(plan: str) -> Callable[[Tensor], Tensor]:
    def body(net: Tensor) -> Tensor:
        for word in plan.split():
            scope, depth, kernel, stride, valid = re.fullmatch(  # type: ignore[union-attr]
                r"(\w+):(\d*):(\d+)/(\d)(v?)", word
            ).groups()
            window, more = [int(kernel)] * 2, {"padding": "VALID"} if valid else {}
            if depth:
                net = conv2d(net, int(depth), window, int(stride), scope=scope, **more)
            else:
                net = max_pool2d(net, window, int(stride), scope=scope)
        return net

    return body


vgg_a = _chain("vgg_a", 224, "VGG with 11 layers.", _vgg([1, 1, 2, 2, 2]), (4096, 7))
vgg_16 = _chain("vgg_16", 224, "VGG with 16 layers.", _vgg([2, 2, 3, 3, 3]), (4096, 7))
vgg_19 = _chain("vgg_19", 224, "VGG with 19 layers.", _vgg([2, 2, 4, 4, 4]), (4096, 7))
vgg_d, vgg_e = vgg_16, vgg_19
alexnet_v2 = _chain(
    "alexnet_v2", 224, "AlexNet as of 2014, without local response normalization.",
    _body("conv1:64:11/4v pool1::3/2 conv2:192:5/1 pool2::3/2 conv3:384:3/1 conv4:384:3/1 "
          "conv5:256:3/1 pool5::3/2"),
    (4096, 5), small=True,
)  # fmt: skip
overfeat = _chain(
    "overfeat", 231, "OverFeat, the fast one.",
    _body("conv1:64:11/4v pool1::2/2 conv2:256:5/1v pool2::2/2 conv3:512:3/1 conv4:1024:3/1 "
          "conv5:1024:3/1 pool5::2/2"),
    (3072, 6), small=True,
)  # fmt: skip

# ---- residual networks ---------------------------------------------------------------------


class Block(NamedTuple):
    """A block of a residual network: `unit_fn` is called once for each dict of arguments."""

    scope: str
    unit_fn: Callable[..., Tensor]
    args: list[Any]


def resnet_arg_scope(
    weight_decay: float = 0.0001,
    batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
    is_training: Any = None,
) -> dict:
    """The defaults of a residual network's layers; `is_training` is an argument of old."""
    settings = {
        **({} if is_training is None else {"is_training": is_training}),
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "scale": batch_norm_scale,
        "updates_collections": GraphKeys.UPDATE_OPS,
    }
    with (
        arg_scope(
            [conv2d],
            weights_regularizer=l2_regularizer(weight_decay),
            weights_initializer=variance_scaling_initializer(),
            activation_fn=relu,
            normalizer_fn=batch_norm,
            normalizer_params=settings,
        ),
        arg_scope([batch_norm], **settings),
        arg_scope([max_pool2d], padding="SAME") as scope,
    ):
        return scope


def subsample(inputs: Any, factor: int, scope: str | None = None) -> Tensor:
    """Keeps one pixel of `factor` along each axis."""
    return inputs if factor == 1 else max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(
    inputs: Any, num_outputs: int, kernel_size: int, stride: int, rate: int = 1, scope: Any = None
) -> Tensor:
    """A convolution with strides whose padding does not depend on the size of the images."""
    if stride == 1:
        return conv2d(
            inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope
        )
    total = (kernel_size - 1) * rate
    around = [total // 2, total - total // 2]
    inputs = pad(inputs, [[0, 0], around, around, [0, 0]])
    return conv2d(
        inputs, num_outputs, kernel_size, stride=stride, rate=rate, padding="VALID", scope=scope
    )


@add_arg_scope
def stack_blocks_dense(
    net: Any, blocks: Sequence[Block], output_stride: float | None = None,
    outputs_collections: Any = None,
) -> Tensor:  # fmt: skip
    """Builds blocks one on another; past `output_stride`, windows widen in place of strides.

    Raises:
      ValueError: when the strides do not come to `output_stride`.
    """
    current, rate = 1, 1
    for block in blocks:
        with variable_scope(block.scope, "block", [net]) as sc:
            for number, unit in enumerate(block.args, 1):
                if output_stride is not None and current > output_stride:
                    raise ValueError("The target output_stride cannot be reached.")
                with variable_scope(f"unit_{number}", values=[net]):
                    if output_stride is not None and current == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**unit, "stride": 1})
                        rate *= unit.get("stride", 1)
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        current *= unit.get("stride", 1)
            net = collect(outputs_collections, sc.name, net)
    if output_stride is not None and current != output_stride:
        raise ValueError("The target output_stride cannot be reached.")
    return net


def _unit(version: int) -> Callable[..., Tensor]:
    def bottleneck(
        inputs: Any, depth: int, depth_bottleneck: int, stride: int, rate: int = 1,
        outputs_collections: Any = None, scope: Any = None,
    ) -> Tensor:  # fmt: skip
        plain: dict[str, Any] = {"activation_fn": None}
        if version == 2:
            plain["normalizer_fn"] = None
        with variable_scope(scope, f"bottleneck_v{version}", [inputs]) as sc:
            start = inputs
            if version == 2:
                start = batch_norm(inputs, activation_fn=relu, scope="preact")
            if depth == inputs.shape[-1].value:
                shortcut = subsample(inputs, stride, "shortcut")
            else:
                shortcut = conv2d(start, depth, [1, 1], stride=stride, **plain, scope="shortcut")
            net = conv2d(start, depth_bottleneck, [1, 1], stride=1, scope="conv1")
            net = conv2d_same(net, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
            net = conv2d(net, depth, [1, 1], stride=1, **plain, scope="conv3")
            output = shortcut + net if version == 2 else relu(shortcut + net)
            return collect(outputs_collections, sc.name, output)

    bottleneck.__doc__ = "A unit: three convolutions beside a shortcut."
    bottleneck.__name__ = bottleneck.__qualname__ = f"bottleneck_v{version}"
    return add_arg_scope(bottleneck)


bottleneck_v1, bottleneck_v2 = _unit(1), _unit(2)


def _resnet(
    version: int, unit: Any, inputs: Any, blocks: Sequence[Block], num_classes: int | None,
    is_training: Any, global_pool: bool, output_stride: float | None, include_root_block: bool,
    reuse: Any, scope: Any,
) -> tuple[Tensor, dict]:  # fmt: skip
    normal = {} if is_training is None else {"is_training": is_training}
    with variable_scope(scope, f"resnet_v{version}", [inputs], reuse=reuse) as sc:
        listed = sc.original_name_scope + "_end_points"
        with (
            arg_scope([conv2d, unit, stack_blocks_dense], outputs_collections=listed),
            arg_scope([batch_norm], **normal),
        ):
            net = inputs
            if include_root_block:
                if output_stride is not None:
                    if output_stride % 4 != 0:
                        raise ValueError("The output_stride needs to be a multiple of 4.")
                    output_stride /= 4
                bare = {"activation_fn": None, "normalizer_fn": None} if version == 2 else {}
                with arg_scope([conv2d], **bare):
                    net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
                net = max_pool2d(net, [3, 3], stride=2, scope="pool1")
            net = stack_blocks_dense(net, blocks, output_stride)
            if version == 2:
                net = batch_norm(net, activation_fn=relu, scope="postnorm")
            if global_pool:
                net = reduce_mean(net, [1, 2], name="pool5", keepdims=True)
            if num_classes is not None:
                net = conv2d(
                    net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                    scope="logits",
                )  # fmt: skip
            end_points = convert_collection_to_dict(listed)
            if num_classes is not None:
                end_points["predictions"] = softmax(net, scope="predictions")
            return net, end_points


def resnet_v1(
    inputs: Any, blocks: Sequence[Block], num_classes: int | None = None, is_training: Any = None,
    global_pool: bool = True, output_stride: float | None = None, include_root_block: bool = True,
    reuse: Any = None, scope: Any = None,
) -> tuple[Tensor, dict]:  # fmt: skip
    """A residual network that normalizes after each convolution.

    Args:
      inputs: [batch, height, width, channels].
      blocks: the `Block`s, see `resnet_v1_block`.
      num_classes: how many logits; None for the features.
      is_training: of batch normalization; None for what the scope says.
      global_pool: whether to take the mean over the images.
      output_stride: how much smaller the output may be than the images; None for what comes.
      include_root_block: whether a convolution and a pooling come first.
      reuse, scope: of the variables.
    Returns: the logits, and a dict of the layers' outputs.
    """
    return _resnet(1, bottleneck_v1, inputs, blocks, num_classes, is_training, global_pool,
                   output_stride, include_root_block, reuse, scope)  # fmt: skip


def resnet_v2(
    inputs: Any, blocks: Sequence[Block], num_classes: int | None = None, is_training: Any = None,
    global_pool: bool = True, output_stride: float | None = None, include_root_block: bool = True,
    reuse: Any = None, scope: Any = None,
) -> tuple[Tensor, dict]:  # fmt: skip
    """A residual network that normalizes before each convolution; see `resnet_v1`."""
    return _resnet(2, bottleneck_v2, inputs, blocks, num_classes, is_training, global_pool,
                   output_stride, include_root_block, reuse, scope)  # fmt: skip


resnet_v1.default_image_size = resnet_v2.default_image_size = 224  # type: ignore[attr-defined]


def _block(unit: Any) -> Callable[..., Block]:
    def block(scope: str, base_depth: int, num_units: int, stride: int) -> Block:
        units = {"depth": base_depth * 4, "depth_bottleneck": base_depth, "stride": 1}
        return Block(scope, unit, [units] * (num_units - 1) + [{**units, "stride": stride}])

    block.__doc__ = "A block of units, the last of which has the stride."
    return block


resnet_v1_block, resnet_v2_block = _block(bottleneck_v1), _block(bottleneck_v2)


def _of_depth(version: int, layers: int, units: Sequence[int]) -> Callable[..., tuple]:
    build, block = (resnet_v1, resnet_v1_block) if version == 1 else (resnet_v2, resnet_v2_block)
    name = f"resnet_v{version}_{layers}"

    def network(
        inputs: Any, num_classes: int | None = None, is_training: Any = None,
        global_pool: bool = True, output_stride: float | None = None, reuse: Any = None,
        scope: Any = name,
    ) -> tuple[Tensor, dict]:  # fmt: skip
        rows = zip((64, 128, 256, 512), units, (2, 2, 2, 1), strict=True)
        blocks = [block(f"block{number}", *row) for number, row in enumerate(rows, 1)]
        return build(inputs, blocks, num_classes, is_training, global_pool, output_stride,
                     include_root_block=True, reuse=reuse, scope=scope)  # fmt: skip

    return _named(
        network, name, 224, f"ResNet-{layers}, version {version}; see `{build.__name__}`."
    )


_UNITS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3), 200: (3, 24, 36, 3)}
resnet_v1_50, resnet_v1_101, resnet_v1_152, resnet_v1_200 = (
    _of_depth(1, layers, units) for layers, units in _UNITS.items()
)
resnet_v2_50, resnet_v2_101, resnet_v2_152, resnet_v2_200 = (
    _of_depth(2, layers, units) for layers, units in _UNITS.items()
)

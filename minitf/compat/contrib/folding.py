"""Batch normalization drawn into the weights before it, as it will be when a network answers.

    conv(x, w) ──> batch norm ──> y            conv(x, w * gamma / sigma) ──> + bias ──> y

While it trains the statistics of a batch jump. So the weights are scaled by the moving `sigma`,
which changes slowly, and the output is set right for this batch (Krishnamoorthi, "Quantizing deep
convolutional networks for efficient inference", 2018, section 3.2.2):

    w * gamma / sigma_moving ──> conv ──> * sigma_moving / sigma_batch ──> + bias_batch

From `freeze_bn_delay` steps on, the moving statistics take the place of the batch's, and stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from minitf.compat.contrib.graph_surgery import reroute_ts
from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.operation import Operation
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import ones_like, zeros_like
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.comparisons import greater_equal
from minitf.core.ops.math import add, multiply, reciprocal, rsqrt, subtract
from minitf.core.ops.state import assign_add
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variable_scope import get_variable
from minitf.library.nets.basics import moments

#: The layers whose weights are scaled, and rounded to few bits.
LAYERS = ("Conv2D", "DepthwiseConv2dNative", "MatMul")
_FUSED = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
_SUMS = ("Add", "AddV2")


@dataclass(frozen=True)
class _Normalized:
    """A layer, the batch normalization behind it, and what that one reads.

    fused: whether it is one operation, which passes no gradient through its statistics.
    mean, variance: its statistics: of the batch, or the moving ones.
    output: what the folded layer takes the place of.
    """

    layer: Operation
    fused: bool
    mean: Tensor
    variance: Tensor
    gamma: Tensor | None
    beta: Tensor
    epsilon: Any
    output: Tensor

    @property
    def moving(self) -> bool:
        """Whether it divides by moving statistics."""
        return is_variable(self.mean)


def is_variable(tensor: Tensor) -> bool:
    """Whether it is the value of a variable, as it is."""
    op = tensor.op
    while op.type in ("Identity", "ReadVariableOp", "Enter"):
        op = op.inputs[0].op
    return op.type in ("VariableV2", "Variable", "VarHandleOp")


def quantization_step() -> Tensor:
    """How often the graph has run so far: the variable `fake_quantization_step`, counted up."""
    graph, name = stacks.get_default_graph(), "fake_quantization_step"
    try:
        return graph.get_tensor_by_name(f"{name}/Identity:0")
    except KeyError:
        with stacks.name_scope(None):
            step = get_variable(
                name, [], dtypes.int64, zeros_initializer(), trainable=False,
                collections=[GraphKeys.GLOBAL_VARIABLES],
            )  # fmt: skip
            with graph.name_scope(f"{name}/"):
                return identity(assign_add(step, 1))


def fold_batch_norms(graph: Graph, is_training: bool, freeze_bn_delay: int | None = None) -> None:
    """Draws every batch normalization behind a layer of `LAYERS` into its weights.

    Args:
      graph: the default graph, which is changed.
      is_training: whether it normalizes by the batch, and keeps moving averages.
      freeze_bn_delay: after how many steps the moving averages are used, and stay.
    Raises:
      ValueError: when a batch normalization that trains keeps no moving averages.
    """
    for found in list(_normalized_layers(graph)):
        scope = found.layer.name.rpartition("/")[0]
        with graph.name_scope(f"{scope}/" if scope else None):
            folded = _folded(found, is_training, freeze_bn_delay)
        reroute_ts([folded], [found.output])


def _folded(found: _Normalized, is_training: bool, freeze_bn_delay: int | None) -> Tensor:
    graph, layer, weights = stacks.get_default_graph(), found.layer, found.layer.inputs[1]
    mean, variance, correction = found.mean, found.variance, None
    with graph.name_scope("BatchNorm_Fold"):
        if found.fused and not found.moving:
            axes = list(range((layer.outputs[0].shape.ndims or 1) - 1))
            mean, variance = moments(layer.outputs[0], axes)
        inverse = rsqrt(variance + found.epsilon)
        multiplier = inverse if found.gamma is None else found.gamma * inverse
        bias = subtract(found.beta, mean * multiplier, name="bias")
        if is_training and not found.moving:
            correction = _Correction(found, mean, inverse, freeze_bn_delay)
        if layer.type == "DepthwiseConv2dNative":  # [rows, columns, in, multiplier]
            last = weights.shape.as_list()[2:]
            multiplier = reshape(multiplier, last, name="scale_reshape")
    if correction is not None:
        scale = correction.scale
        if layer.type == "DepthwiseConv2dNative":
            scale = reshape(scale, last, name="correction_reshape")
        weights = multiply(scale, weights, name="correction_mult")
    weights = multiply(weights, multiplier, name="mul_fold")
    with graph.name_scope(layer.name.rpartition("/")[2] + "_Fold") as name:
        inputs = [layer.inputs[0], weights]
    clone = graph.add_operation(layer.op_def, inputs, dict(layer.attrs), name)
    clone._set_device(layer.device)
    output = clone.outputs[0]
    if correction is not None:
        output = multiply(correction.recip, output, name="post_conv_mul")
        output = add(output, correction.offset, name="correction_add")
    return add(output, bias, name="add_fold")


class _Correction:
    """What sets weights that were scaled by moving statistics right for one batch.

    scale: sigma of the batch by the moving one, for the weights.
    recip: its reciprocal for the output; 1 once the statistics are frozen.
    offset: for the output; 0 until they are.
    """

    def __init__(
        self, found: _Normalized, mean: Tensor, inverse: Tensor, freeze_bn_delay: int | None
    ):
        averages = [_moving_average(found, each) for each in (found.mean, found.variance)]
        (moving_mean, _), (moving_variance, _) = averages
        with stacks.name_scope("batch_norm_correction"):
            moving_inverse = rsqrt(moving_variance + found.epsilon)
            self.scale = identity(moving_inverse / inverse, name="correction_scale")
            self.recip = reciprocal(self.scale, name="reciprocal_compute")
            shift = mean * inverse - moving_mean * moving_inverse
            self.offset = shift if found.gamma is None else found.gamma * shift
            if freeze_bn_delay is None:
                self.offset = zeros_like(self.offset)
                return
            frozen = greater_equal(quantization_step(), freeze_bn_delay, name="use_moving_average")
            self.recip = _one_of(frozen, ones_like(self.recip), self.recip, "correction_recip")
            self.offset = _one_of(frozen, self.offset, zeros_like(self.offset), "correction_offset")
            for (_, change), name in zip(averages, ("mean", "var"), strict=True):
                decay = change.inputs[1]
                kept = _one_of(frozen, zeros_like(decay), decay, f"freeze_moving_{name}")
                change._update_input(1, kept)


def _one_of(condition: Tensor, one: Tensor, other: Tensor, name: str) -> Tensor:
    return cond(condition, lambda: identity(one), lambda: identity(other), name=name)


def _moving_average(found: _Normalized, statistic: Tensor) -> tuple[Tensor, Operation]:
    """The moving average of a statistic, and the product of its change and what decays."""
    for difference in statistic.consumers():
        if difference.type == "Sub" and difference.inputs[1] is statistic:
            for product in difference.outputs[0].consumers():
                if product.type == "Mul":
                    return difference.inputs[0], product
    raise ValueError(
        f"Folding batch norms failed, {found.layer.name} keeps no moving average of "
        f"{statistic.name}; is the graph one for training?"
    )


# ---- finding them --------------------------------------------------------------------------


def _normalized_layers(graph: Graph) -> Iterator[_Normalized]:
    for op in graph.get_operations():
        found = None
        if op.type in _FUSED:
            found = _behind_fused(op)
        elif op.type in _SUMS and "batchnorm" in op.name:
            found = _behind_formula(op)
        if found is not None and found.output.consumers():
            yield found


def _layer_before(tensor: Tensor) -> Operation | None:
    """The layer that gives a tensor, perhaps in another shape."""
    op = tensor.op.inputs[0].op if tensor.op.type == "Reshape" else tensor.op
    return op if op.type in LAYERS else None


def _behind_fused(op: Operation) -> _Normalized | None:
    layer = _layer_before(op.inputs[0])
    if layer is None or op.get_attr("data_format") not in ("NHWC", b"NHWC"):
        return None
    mean, variance = op.outputs[1:3] if op.get_attr("is_training") else op.inputs[3:5]
    output = op.outputs[0]
    if layer is not op.inputs[0].op:  # a matrix, which was reshaped for the operation, and back
        back = [each for each in output.consumers() if each.type == "Reshape"]
        if not back:
            return None
        output = back[0].outputs[0]
    return _Normalized(
        layer, True, mean, variance, op.inputs[1], op.inputs[2], op.get_attr("epsilon"), output
    )


def _behind_formula(op: Operation) -> _Normalized | None:
    """What `tf.nn.batch_normalization` builds: x * inverse + (beta - mean * inverse)."""
    product, rest = (each.op for each in op.inputs)
    if product.type != "Mul" or rest.type != "Sub" or rest.inputs[1].op.type != "Mul":
        return None
    layer, scale = _layer_before(product.inputs[0]), product.inputs[1].op
    mean, gamma = rest.inputs[1].op.inputs[0], None
    if scale.type == "Mul":
        gamma, scale = scale.inputs[1], scale.inputs[0].op
    if layer is None or scale.type != "Rsqrt" or scale.inputs[0].op.type not in _SUMS:
        return None
    variance, epsilon = scale.inputs[0].op.inputs
    beta, output = rest.inputs[0], op.outputs[0]
    return _Normalized(layer, False, mean, variance, gamma, beta, epsilon, output)

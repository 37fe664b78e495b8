"""`tf.contrib.quantize`: a network learns to live with numbers of few bits.

    create_training_graph    before the gradients: batch norms folded, then each layer as below
    create_eval_graph        the same of a graph that answers: reads the ranges that were learned

    weights ──> weights_quant ──┐
    input ──────────────────> layer ──> + bias ──> activation ──> act_quant ──> the next layer
    shortcut ──────────────────────────── + (conv_quant before it, add_quant behind it)

What is inserted rounds to the steps that few bits can count and gives floats again ("fake"), so the
loss knows of the error and gradients go on (Jacob et al., "Quantization and Training of Neural
Networks for Efficient Integer-Arithmetic-Only Inference", 2018). The range of weights is that of
the last step, the range of activations a moving average.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from minitf.compat.contrib.folding import LAYERS, fold_batch_norms, is_variable, quantization_step
from minitf.compat.contrib.graph_surgery import reroute_ts
from minitf.core.gradients.cond import cond
from minitf.core.graph import logging, stacks
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.operation import Operation
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, stop_gradient
from minitf.core.ops.comparisons import greater_equal
from minitf.core.ops.math import maximum, minimum
from minitf.core.ops.reductions import reduce_max, reduce_min
from minitf.core.ops.state import assign
from minitf.core.variables.initializers import constant_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.numeric.quantization import fake_quant_with_min_max_vars
from minitf.library.optimizers.moving_averages import assign_moving_average

_ACTIVATIONS = ("Relu", "Relu6", "Identity")
_SUMS = ("Add", "AddV2")
#: How much of a moving range stays with each step.
_DECAY = 0.999


def create_training_graph(input_graph: Graph | None = None, quant_delay: int = 0) -> None:
    """Has a graph for training round weights and activations to 8 bits; before its gradients.

    Args:
      input_graph: the graph, which is changed; the default one by default.
      quant_delay: after how many steps it begins to round. To train from the start, as many as the
        network takes to converge; 0 suits what has been trained already.
    Raises:
      ValueError: when it has gradients already.
    """
    experimental_create_training_graph(input_graph, quant_delay=quant_delay)


def create_eval_graph(input_graph: Graph | None = None) -> None:
    """Has a graph that answers round to 8 bits, within the ranges of its checkpoint.

    Args:
      input_graph: the graph, which is changed; the default one by default.
    """
    experimental_create_eval_graph(input_graph)


def experimental_create_training_graph(
    input_graph: Graph | None = None, weight_bits: int = 8, activation_bits: int = 8,
    symmetric: bool = False, quant_delay: int | None = 0, freeze_bn_delay: int | None = None,
    scope: str | None = None,
) -> None:  # fmt: skip
    """As `create_training_graph`, with more to choose.

    Args:
      weight_bits, activation_bits: how many, from 2 to 16.
      symmetric: whether the ranges reach as far below 0 as above.
      freeze_bn_delay: after how many steps batch norms use their moving averages, which then stay.
      scope: where layers are rounded; everywhere by default.
    """
    _rewrite(
        input_graph, True, weight_bits, activation_bits, symmetric, quant_delay, freeze_bn_delay,
        scope,
    )  # fmt: skip


def experimental_create_eval_graph(
    input_graph: Graph | None = None, weight_bits: int = 8, activation_bits: int = 8,
    symmetric: bool = False, quant_delay: int | None = None, scope: str | None = None,
) -> None:  # fmt: skip
    """As `create_eval_graph`, with more to choose; see `experimental_create_training_graph`."""
    _rewrite(input_graph, False, weight_bits, activation_bits, symmetric, quant_delay, None, scope)


def _rewrite(
    graph: Graph | None, is_training: bool, weight_bits: int, activation_bits: int,
    symmetric: bool, quant_delay: int | None, freeze_bn_delay: int | None, scope: str | None,
) -> None:  # fmt: skip
    graph = graph or stacks.get_default_graph()
    if is_training:
        trains = {each.type for each in graph.get_operations() if "Apply" in each.type}
        if trains:
            raise ValueError(f"Training op found in graph, exiting {trains}")
    with graph.as_default(), variable_scope("", auxiliary_name_scope=False):
        fold_batch_norms(graph, is_training, freeze_bn_delay)
        rounding = _Rounding(is_training, quant_delay, symmetric, scope)
        for found in list(_layers(graph)):
            rounding.insert(found, weight_bits, activation_bits)


# ---- finding layers ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Layer:
    """A layer and what is behind it, as far as one kernel of few bits computes it."""

    op: Operation
    bias: Operation
    shortcut: Operation | None
    activation: Operation | None
    late_shortcut: Operation | None

    @property
    def context(self) -> str:
        """The scope of the layer."""
        return _scope_of(self.op)


def _scope_of(op: Operation) -> str:
    return op.name.rpartition("/")[0]


def _layers(graph: Graph) -> Iterator[_Layer]:
    for op in graph.get_operations():
        if op.type in LAYERS and not op.name.startswith("gradients/") and _rounded_weights(op):
            found = _behind(op)
            if found is not None:
                yield found


def _rounded_weights(op: Operation) -> bool:
    """Whether its second input is a variable, or one with a batch norm folded into it."""
    weights = op.inputs[1]
    parts = weights.op.inputs[:-1] if weights.op.type == "ConcatV2" else [weights]
    return weights.op.name.endswith("mul_fold") or all(is_variable(each) for each in parts)


def _behind(op: Operation) -> _Layer | None:
    end = op
    if op.name.endswith("_Fold"):
        while not end.name.endswith("add_fold"):
            end = end.outputs[0].consumers()[0]
    else:
        biases = _consumers(op, "BiasAdd", *_SUMS)
        end = biases[0] if biases and is_variable(biases[0].inputs[1]) else op
    if end is op and not _consumers(op, *_ACTIVATIONS, *LAYERS):
        return None  # it ends in something that is not computed together with it
    joined = [] if _consumers(end, *_ACTIVATIONS) else _consumers(end, *_SUMS)
    shortcut = joined[0] if joined else None
    activation = next(iter(_consumers(shortcut or end, *_ACTIVATIONS)), None)
    late = next(iter(_consumers(activation, *_SUMS)), None) if activation else None
    return _Layer(op, end, shortcut, activation, late)


def _consumers(op: Operation, *kinds: str) -> list[Operation]:
    return [each for each in op.outputs[0].consumers() if each.type in kinds]


# ---- inserting -----------------------------------------------------------------------------


class _Rounding:
    """What rounds, put between what gives a tensor and what reads it, once for each tensor."""

    def __init__(
        self, is_training: bool, quant_delay: int | None, symmetric: bool, scope: str | None
    ):
        self._is_training, self._delay = is_training, quant_delay
        self._symmetric, self._scope = symmetric, scope
        self._done: set[Tensor] = set()

    def insert(self, found: _Layer, weight_bits: int, activation_bits: int) -> None:
        """Rounds the weights of a layer, its output, and the sums with what comes by a shortcut."""
        context, outer = found.context, found.context
        weights = found.op.inputs[1]
        self._between(context, "weights_quant", weights, weight_bits, moving=False)
        if found.shortcut is not None:
            outer = context.rpartition("/")[0]
            self._between(context, "conv_quant", found.bias.outputs[0], activation_bits)
            if found.activation is None:
                self._between(outer, "add_quant", found.shortcut.outputs[0], activation_bits)
        end = found.activation or (found.bias if found.shortcut is None else None)
        if end is not None:
            self._between(outer, "act_quant", end.outputs[0], activation_bits, low=0.0)
        late = found.late_shortcut
        if late is not None and not _consumers(late, *_ACTIVATIONS):
            name = "post_activation_bypass_quant"
            self._between(_scope_of(late), name, late.outputs[0], activation_bits)

    def _between(
        self, context: str, name: str, inputs: Tensor, bits: int, moving: bool = True,
        low: float = -6.0,
    ) -> None:  # fmt: skip
        """Puts rounding behind a tensor.

        Args:
          context: the scope; of it and `name` is the scope of the two variables of the range.
          name: what is rounded.
          inputs: the tensor.
          bits: how many.
          moving: whether the range is a moving average, and not that of the last step alone.
          low: where the range begins before the first step; it ends at 6.
        """
        readers = inputs.consumers()
        if self._scope is not None:
            within = self._scope.rstrip("/") + "/"
            whose = [inputs.op] if moving else readers
            if not all(each.name.startswith(within) for each in whose):
                logging.info("%s is not rounded: it is not in %s", inputs.name, self._scope)
                return
        if inputs in self._done:
            return
        self._done.add(inputs)
        prefix = f"{context}/{name}" if context else name
        rounded = self._rounded(inputs, prefix, bits, moving, low)
        self._done.add(rounded)
        if self._delay:
            begun = greater_equal(quantization_step(), self._delay, name=f"{prefix}/activate_quant")
            rounded = cond(
                begun, lambda: identity(rounded), lambda: identity(inputs),
                name=f"{prefix}/delayed_quant",
            )  # fmt: skip
        reroute_ts([rounded], [inputs], can_modify=readers)

    def _rounded(self, inputs: Tensor, prefix: str, bits: int, moving: bool, low: float) -> Tensor:
        narrow = (
            not moving
        )  # weights: as many steps below 0 as above, which kernels multiply faster
        with variable_scope(None, default_name=prefix, values=[inputs]) as scope:
            scope.set_partitioner(None)
            ends = [
                get_variable(
                    each, [], initializer=constant_initializer(start), trainable=False,
                    collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES],
                )
                for each, start in (("min", low), ("max", 6.0))
            ]  # fmt: skip
            given: Sequence[Any] = ends
            if self._is_training:
                seen = self._range_of(stop_gradient(inputs), bits, narrow)
                given = [
                    assign_moving_average(end, each, _DECAY, name=f"Assign{which}Ema")
                    if moving
                    else assign(end, each, name=f"Assign{which}Last")
                    for end, each, which in zip(ends, seen, ("Min", "Max"), strict=True)
                ]
            first, last = (stop_gradient(each) for each in given)
            return fake_quant_with_min_max_vars(inputs, first, last, bits, narrow)

    def _range_of(self, inputs: Tensor, bits: int, narrow: bool) -> tuple[Tensor, Tensor]:
        """The range of a tensor's numbers, in which 0 is."""
        low, high = reduce_min(inputs, name="BatchMin"), reduce_max(inputs, name="BatchMax")
        if not self._symmetric:
            return minimum(low, 0.0), maximum(high, 0.0)
        # Of 2^bits numbers in two's complement one more is below 0 than above.
        ratio = -1.0 if narrow else -(2.0**bits - 2) / 2.0**bits
        return minimum(low, high / ratio), maximum(high, low * ratio)

"""`tf.train.do_quantize_training_on_graphdef`: training with products as if computed in few bits.

What a product or a convolution takes is rounded to as many steps as `num_bits` allow, between the
least and the largest element; of these a moving average is kept, unless the range is known.

    h ─┬───────────────────────────────────────────▶ QuantizeAndDequantizeV2 ──▶ MatMul
       ├─▶ Min ─▶ the first time itself, then averaged ──▶ ┘  │
       └─▶ Max ─▶ the first time itself, then averaged ──▶ ───┘

The pass works on nodes as TensorFlow has them, and makes those that its own makes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.graph_def import GraphDef, NodeDef
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.elementwise import invalid
from minitf.library.saving.tensorflow_graph import from_message
from minitf.library.saving.tensorflow_writing import to_message

_REWRITTEN = ("MatMul", "Conv2D")
_MOST_UNKNOWN = 2  # inputs of the model
_DECAY = 0.999

#: What is known of a value by the operation that makes it: whether it has a sign, and its range.
_SIGNED = True, None
_KNOWN: dict[str, tuple[bool, tuple[float, float] | None]] = {
    **dict.fromkeys(("Const", "Variable", "VariableV2"), _SIGNED),
    "Relu": (False, None),
    "Relu6": (False, (0.0, 6.0)),
    "Sigmoid": (False, (0.0, 1.0)),
    "Tanh": (True, (-1.0, 1.0)),
}
_PASS_ON = ("Identity", "MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D", "Reshape")


class _Rewriter:
    """Nodes by name, to which those that round are added."""

    def __init__(self, nodes: Iterable[NodeDef], num_bits: int) -> None:
        self.nodes = {node.name: replace(node) for node in nodes}
        self._num_bits = num_bits
        self._rounded: dict[str, str] = {}
        self._variables: list[str] = []
        self._numbers = itertools.count()

    def _add(self, name: str, op: str, *inputs: str, **attrs: Any) -> str:
        self.nodes[name] = NodeDef(name, op, inputs, attrs=attrs)
        return name

    def _floats(self, name: str, op: str, *inputs: str, **attrs: Any) -> str:
        return self._add(name, op, *inputs, T=dtypes.float32, **attrs)

    def _constant(self, name: str, value: Any, dtype: dtypes.DType = dtypes.float32) -> str:
        value = np.array(value, dtype.numpy_dtype)
        return self._add(name, "Const", dtype=dtype, value=value)

    def round_all(self) -> None:
        """Rounds what products and convolutions take; those of gradients are left alone."""
        wanted, unknown = [], 0
        for node in self.nodes.values():
            if node.op not in _REWRITTEN or node.name.startswith("gradients"):
                continue
            for place, source in enumerate(node.data_inputs):
                maker = self._maker(source)
                if maker.op not in _KNOWN and maker.op not in _PASS_ON:
                    unknown += 1
                    if unknown > _MOST_UNKNOWN:
                        raise errors.UnimplementedError.of(
                            f"Found an unknown op: {maker.name} with type: {maker.op}; Unknown ops "
                            f"are considered as model input for now and only {_MOST_UNKNOWN} "
                            "inputs are supported currently."
                        )
                wanted.append((node, place))
        for node, place in wanted:
            node.input[place] = self._round(node.input[place])
        self._save_variables()

    def _maker(self, source: str) -> NodeDef:
        return self.nodes[source.partition(":")[0]]

    def _kind(self, source: str) -> tuple[bool, tuple[float, float] | None]:
        maker = self._maker(source)
        while maker.op in _PASS_ON:
            maker = self._maker(maker.input[0])
        return _KNOWN.get(maker.op, _SIGNED)

    def _round(self, source: str) -> str:
        """The rounded value of a source; each is rounded once."""
        if source not in self._rounded:
            prefix = source.replace(":", "_")
            is_signed, limits = self._kind(source)
            if limits is not None:
                low = self._constant(f"{prefix}/InputMin", limits[0])
                high = self._constant(f"{prefix}/InputMax", limits[1])
            else:
                low, high = self._limits(prefix, source)
            self._rounded[source] = self._floats(
                f"{prefix}/QuantizeAndDequantizeV2", "QuantizeAndDequantizeV2", source, low, high,
                signed_input=is_signed, num_bits=self._num_bits, range_given=True,
            )  # fmt: skip
        return self._rounded[source]

    def _limits(self, prefix: str, source: str) -> tuple[str, str]:
        """The moving averages of the least and the largest element."""
        decay = self._constant(f"{prefix}/Decay", _DECAY)
        axes, int32 = f"{prefix}/ReductionAxes", dtypes.int32
        start = self._constant(f"{axes}/RangeStart", 0, int32)
        delta = self._constant(f"{axes}/RangeDelta", 1, int32)
        rank = self._floats(f"{axes}/InputRank", "Rank", source)
        places = self._add(f"{axes}/ReductionAxes", "Range", start, rank, delta, Tidx=int32)
        least, largest = (
            self._floats(f"{prefix}/{op}", op, source, places, Tidx=int32, keep_dims=False)
            for op in ("Min", "Max")
        )
        return self._average(least, decay), self._average(largest, decay)

    def _average(self, name: str, decay: str) -> str:
        """The moving average of a scalar, in a variable that begins with its first value."""
        variable = self._add(
            f"{name}/Variable", "VariableV2", dtype=dtypes.float32, shape=TensorShape([]),
            container=b"", shared_name=b"",
        )  # fmt: skip
        self._variables.append(variable)
        is_there = self._add(
            f"{name}/IsInitialized", "IsVariableInitialized", variable, dtype=dtypes.float32
        )
        first = self._floats(f"{name}/Switch", "Switch", name, is_there)
        one = self._constant(f"{name}/EMA/OneConst", 1.0)
        rest = self._floats(f"{name}/EMA/DecayComplement", "Sub", one, decay)
        far = self._floats(f"{name}/EMA/ValueDiff", "Sub", variable, f"{first}:1")
        step = self._floats(f"{name}/EMA/UpdateValue", "Mul", far, rest)
        moved = self._floats(f"{name}/EMA/EMAValue", "Sub", variable, step)
        merged = self._floats(f"{name}/Merge", "Merge", first, moved, N=2)
        return self._assign(f"{name}/AssignValue", variable, merged)

    def _assign(self, name: str, variable: str, value: str) -> str:
        return self._floats(name, "Assign", variable, value, validate_shape=True, use_locking=True)

    def _save_variables(self) -> None:
        """Lets the graph's saver, when it has one, keep the new variables, too."""
        saves = [node for node in self.nodes.values() if node.op == "SaveV2"]
        if len(saves) > 1:
            raise invalid("Input graph has multiple SaveV2 ops.")
        if not saves:
            return
        save, scope = saves[0], saves[0].name.rpartition("/")[0]
        if f"{scope}/restore_all" not in self.nodes:
            raise invalid("graph has SaveOp, but no restore_all NoOp")
        path, *lists = save.data_inputs[:3]
        assigned = []
        for variable in self._variables:
            restore = f"{scope}/RestoreV2/_{next(self._numbers)}_qt"
            assign = f"{scope}/Assign/_{next(self._numbers)}_qt"
            names = self._constant(f"{restore}/tensor_names", [variable.encode()], dtypes.string)
            slices = self._constant(f"{restore}/shape_and_slices", [b""], dtypes.string)
            self._add(restore, "RestoreV2", path, names, slices, dtypes=(dtypes.float32,))
            assigned.append(f"^{self._assign(assign, variable, restore)}")
        done = self.nodes[f"{scope}/restore_all"]
        done.input = sorted([*done.input, *assigned])
        for source, more in zip(lists, (self._variables, [""] * len(assigned)), strict=True):
            texts = self._maker(source)
            value = [*texts.attrs["value"].tolist(), *(text.encode() for text in more)]
            texts.attrs = {**texts.attrs, "value": np.array(value, object)}
        attrs = {"dtypes": (*save.attrs["dtypes"], *[dtypes.float32] * len(assigned))}
        inputs = [*save.data_inputs, *self._variables, *save.control_inputs]
        del self.nodes[save.name]  # the new one comes last
        self.nodes[save.name] = replace(save, input=inputs, attrs=attrs)


def rounded_nodes(nodes: Iterable[NodeDef], num_bits: int) -> list[NodeDef]:
    """Nodes as TensorFlow has them, with those that round; see below."""
    rewriter = _Rewriter(nodes, num_bits)
    rewriter.round_all()
    return [*rewriter.nodes.values()]


def do_quantize_training_on_graphdef(input_graph: GraphDef, num_bits: int) -> GraphDef:
    """A graph whose products and convolutions take values of few bits, to train with.

    The ranges of values are kept in variables, which need no initializer: the first step sets them.
    A saver of the graph keeps them, too.

    Args:
      input_graph: the graph, which stays as it is.
      num_bits: of the values, 1 to 63.
    Raises:
      OutOfRangeError: for another number of bits.
      UnimplementedError: when more than two products take what no known operation makes.
      InvalidArgumentError: when the graph has several savers, or one that does not restore.
    """
    if not 1 <= num_bits <= 63:
        raise errors.OutOfRangeError.of(f"num_bits should be in range [1, 63] but is: {num_bits}")
    message = to_message(input_graph)
    message.node = rounded_nodes(message.node, num_bits)
    return from_message(message)

"""Finds unknown sizes of a partition that are surely equal.

    x [?, 784]  ──MatMul──>  [?, 128]  ──Relu──>  [?, 128]        the same ? three times

Each unknown size of a feed gets a number of its own, larger than any size of a program. The shape
functions of the operations are then called again with these numbers. Where a number appears in an
output, that size equals the one with the number. A shape function may reject such numbers (3 and an
unknown size can be added, since it may be 3); then its outputs get new numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import DType
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.runtime.plan.subgraph import Node

Value = tuple[Node, int]

_FIRST = 1 << 45  # unknown sizes are numbers above it; sizes that programs write are below
_STEP = 1_000_000_007  # between two of them, apart, so that sums do not meet a third
_FEW = 16  # sizes, in one array


class _Spec(NamedTuple):
    """An input for a shape function: its shape, its dtype, and its value when constant."""

    shape: TensorShape
    dtype: DType
    value: Any
    partial_shape: TensorShape  # the one that this vector of sizes describes


class Sizes:
    """The shapes of values, with numbers for unknown sizes; nodes are added in order."""

    def __init__(self, nodes: Sequence[Node] = ()) -> None:
        self._shapes: dict[Value, TensorShape] = {}  # unknown sizes as large numbers
        self._contents: dict[Value, Any] = {}  # of what holds sizes: an array of such numbers
        self._count = 0
        for node in nodes:
            self.add(node)

    def add(self, node: Node) -> None:
        """Adds a node, whose inputs have been added before."""
        if not node.dtypes:
            return
        static = node.shapes
        if all(shape.is_fully_defined() for shape in static):
            found: Sequence[TensorShape] = static
        else:
            found = self._ask(node) or static
        for index, (shape, guess) in enumerate(zip(static, found, strict=True)):
            self._shapes[node, index] = self._numbered(shape, guess)
        if node.dtypes[0] in dtypes.INDICES:
            contents = self._sizes_in(node)
            if contents is not None:
                self._contents[node, 0] = contents

    def same(self, one: Value, other: Value) -> bool:
        """Whether two values surely have the same shape."""
        if one == other:
            return True
        sizes = self.of(one)
        return sizes is not None and sizes == self.of(other)

    def of(self, value: Value) -> tuple[int, ...] | None:
        """Returns the shape with large numbers for unknown sizes; None when the rank is unknown.

        Equal numbers mean equal sizes.
        """
        shape = self._shapes.get(value)
        if shape is None or shape.ndims is None:
            return None
        return tuple(n or 0 for n in shape.as_list())

    def _ask(self, node: Node) -> Sequence[TensorShape] | None:
        """Calls the shape function with the numbered shapes of the inputs; None if it fails."""
        if node.op_def.shape_function is None or not node.inputs:
            return None
        if any(value not in self._shapes for value in node.inputs):
            return None
        inputs = [self._shapes[value] for value in node.inputs]
        return self._shapes_from(node, inputs) or self._shapes_from(node, self._as_equal(inputs))

    def _shapes_from(self, node: Node, inputs: Sequence[TensorShape]) -> list[TensorShape] | None:
        """Calls the shape function with these input shapes; None if it fails."""
        specs = [
            _Spec(
                shape,
                source.dtypes[index].base_dtype,
                source.attrs["value"] if source.type == "Const" else None,
                self._described_by(source, index),
            )
            for shape, (source, index) in zip(inputs, node.inputs, strict=True)
        ]
        attrs = {name: node.attrs[name] for name in node.op_def.attr_names}
        shape_function: Any = node.op_def.shape_function
        try:
            shapes = shape_function(*node.op_def.group(specs), **attrs)
        except Exception:  # refused, or asked for what is not known here
            return None
        several = len(node.dtypes) > 1 or node.op_def.outputs[0].is_list
        shapes = list(shapes or ()) if several else [shapes]
        if len(shapes) != len(node.dtypes):
            return None
        return [unknown_shape() if s is None else TensorShape(s) for s in shapes]

    def _sizes_in(self, node: Node) -> Any:
        """Returns the sizes in an array of integers; None when they are not known.

        Such arrays have dtype object, since the numbers are large.
        """
        if node.type == "Const":
            value = node.attrs["value"]
            return value.astype(object) if value.ndim < 2 and value.size <= _FEW else None
        if node.type == "Shape":
            shape = self._shapes[node.inputs[0]]
            return None if shape.ndims is None else np.array(shape.as_list(), object)
        if not (node.op_def.moves_elements or node.type == "Cast"):  # it would compute with them
            return None
        if any(value not in self._contents for value in node.inputs):
            return None
        values = [self._contents[value] for value in node.inputs]
        if node.type == "Cast":
            return values[0]
        values = [value[()] for value in values]  # one size alone is a number
        attrs = {name: node.attrs[name] for name in node.op_def.attr_names}
        try:
            found = node.op_def.kernel(np, *node.op_def.group(values), **attrs)
        except Exception:  # the same error comes from the step, which can say where
            return None
        return np.asarray(found, object)

    def _described_by(self, source: Node, index: int) -> TensorShape:
        """Returns the shape that a vector of sizes describes, as far as it is known."""
        if source.type == "ShapeN":
            return self._shapes[source.inputs[index]]
        sizes = self._contents.get((source, index))
        if sizes is None or sizes.ndim != 1:
            return unknown_shape()
        return TensorShape([n if n >= 0 else None for n in sizes.tolist()])

    def _as_equal(self, shapes: Sequence[TensorShape]) -> list[TensorShape]:
        """Returns the shapes with one new number for the unknown sizes of each axis.

        Two unknown sizes that a shape function rejects together, such as logits of one feed and
        labels of another, are equal or broadcast when the operation runs. Either way the outputs
        agree with each other.
        """
        numbers: dict[int, int] = {}
        result = []
        for shape in shapes:
            if shape.ndims is not None:
                sizes = shape.as_list()
                for axis, size in enumerate(sizes):
                    if size is not None and size >= _FIRST:
                        sizes[axis] = numbers.setdefault(axis, self._next_number())
                shape = TensorShape(sizes)
            result.append(shape)
        return result

    def _next_number(self) -> int:
        self._count += 1
        return _FIRST + self._count * _STEP

    def _numbered(self, shape: TensorShape, guess: TensorShape) -> TensorShape:
        """Returns the static shape with numbers for unknown sizes, of `guess` or new ones."""
        if shape.ndims is None or shape.is_fully_defined():
            return shape
        numbers = guess.as_list() if guess.ndims == shape.ndims else [None] * shape.ndims
        sizes = []
        for known, number in zip(shape.as_list(), numbers, strict=True):
            if known is None and (number is None or number < _FIRST):
                number = self._next_number()
            sizes.append(number if known is None else known)
        return TensorShape(sizes)

"""Leaves out arithmetic that changes nothing, and keeps numbers from being spread over arrays.

    x * 1, x + 0, cast to the same type, a sum to the shape that is there        -> x
    spread(c, like=x) * y                                                       -> c * y
    s * (t * x), two numbers, and -(s * x)                                      -> (s * t) * x
    pow(x, 2), pow(x, 3)                                                        -> x * x, x * x * x

Gradients are full of these: they are written for every case, and each program is one case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.shapes import TensorShape
from minitf.core.runtime.passes.rewriting import (
    Readers,
    Value,
    new_node,
    touches_variable,
    without_orphans,
)
from minitf.core.runtime.passes.sizes import Sizes
from minitf.core.runtime.plan.subgraph import Node

_SMALL = 1024  # elements of a constant that are looked at


@op(
    "_ShareOf",
    "dy: T, like: T -> share: T",
    shape_of="like",
    T=dtypes.NUMBERS,
    no_samples="Only plans have it; tests/fast/passes/test_simplify.py runs it.",
    differentiable=False,
)
def _share_of(xp: Any, dy: Any, like: Any) -> Any:
    """What each element of `like` gets of one number: the gradient of a mean over all of it."""
    return dy / like.size if like.dtype.kind in "fc" else dy // like.size


_share_of.shape(scalar_shape)


def simplify(nodes: Sequence[Node]) -> list[Node]:
    """Leaves out arithmetic that changes nothing."""
    return _Simplifier(nodes).run()


class _Simplifier:
    """The state of one walk over a partition."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._position = {node: i for i, node in enumerate(nodes)}
        self._readers = Readers(nodes)
        self._sizes = Sizes()
        self._new: dict[Value, Value] = {}
        self._dropped: dict[Node, list[Node]] = {}  # what a wait for a dropped node comes to
        self._uniform: dict[Value, Callable[[], Value]] = {}  # what an array is filled with
        self._result: list[Node] = []
        #: what goes when nobody reads it in the end: a target that nobody read before stays
        self._may_go = {source for node in nodes for source, _ in node.inputs}

    def run(self) -> list[Node]:
        """The rewritten partition."""
        for node in self._nodes:
            node.inputs = [self._new.get(value, value) for value in node.inputs]
            waits = [w for c in node.controls for w in self._dropped.get(c, (c,))]
            node.controls = list(dict.fromkeys(waits))
            kept = self._simplified(node)
            if isinstance(kept, Node):
                self._put(kept)
                if kept is not node:
                    self._new[node, 0] = kept, 0
                    self._dropped[node] = [kept]
            else:
                self._new[node, 0] = kept
                self._dropped[node] = [*node.controls, kept[0]]
        return without_orphans(self._result, self._may_go)

    def _put(self, node: Node) -> None:
        if node not in self._position:
            self._may_go.add(node)
        self._result.append(node)
        self._sizes.add(node)

    def _simplified(self, node: Node) -> Node | Value:
        """The value that serves as the node's, or a node to stand here."""
        if len(node.dtypes) != 1 or node.op_def.stateful or touches_variable(node):
            return node
        self._look_elsewhere(node)
        self._note_uniform(node)
        if len(node.inputs) == 2 and node.op_def.expr is not None:
            self._take_numbers(node)
        rule = _RULES.get(node.type)
        found = rule(self, node) if rule else None
        return node if found is None else found

    # ---- what is filled with one number ------------------------------------------------------

    def _note_uniform(self, node: Node) -> None:
        """Notes that a node spreads one number over an array."""
        value = (node, 0)
        if node.type == "BroadcastLike" and _is_scalar(node.inputs[0]):
            if node.attrs["mean"]:
                self._uniform[value] = cache(lambda: self._number("_ShareOf", node, node.inputs))
            else:
                self._uniform[value] = lambda: node.inputs[0]
        elif node.type == "Fill" and not node.inputs[1][0].controls:
            self._uniform[value] = lambda: node.inputs[1]
        elif node.type in ("Reshape", "ExpandDims", "Identity") and node.inputs[0] in self._uniform:
            self._uniform[value] = self._uniform[node.inputs[0]]

    def _number(self, op_type: str, node: Node, inputs: Sequence[Value]) -> Value:
        """A number that is computed for the use of `node`."""
        made = new_node(op_type, node, inputs, {}, shapes=[TensorShape([])])
        made.name = f"{node.name}/{'share' if op_type == '_ShareOf' else 'number'}"
        made.controls = []
        self._put(made)
        return made, 0

    def _take_numbers(self, node: Node) -> None:
        """Lets a node take a number where it took an array that is filled with it."""
        one, other = node.inputs
        for index, (filled, full) in enumerate(((one, other), (other, one))):
            if filled in self._uniform and full not in self._uniform:
                if self._gives_shape_of(node, full):
                    node.inputs[index] = self._uniform[filled]()
                    return

    def _gives_shape_of(self, node: Node, value: Value) -> bool:
        """Whether the node's result surely has the shape of `value`."""
        self._sizes.add(node)
        return self._sizes.same((node, 0), value)

    # ---- whose shape is asked for, and nothing else ------------------------------------------

    def _look_elsewhere(self, node: Node) -> None:
        """Takes a shape from an array that is needed anyway, so that this one need not be made."""
        place = node.op_def.shape_input
        if place is None:
            return
        here = self._position[node]
        value = node.inputs[place]
        if all(reader.op_def.shape_input is not None for reader in self._readers.of(value)):
            for other in node.inputs:
                if other != value and self._sizes.same(other, value):
                    node.inputs[place] = other
                    return
        while (parent := self._same_before(value)) is not None:
            value = parent
            if value[0].type in ("_Arg", "Const") or self._is_read_after(value, here):
                node.inputs[place] = value
                return

    def _same_before(self, value: Value) -> Value | None:
        """An input of an elementwise node, with the shape and type of its output."""
        node = value[0]
        if not node.op_def.elementwise or len(node.dtypes) != 1:
            return None
        for each in node.inputs:
            dtype = each[0].dtypes[each[1]]
            if dtype == node.dtypes[0] and self._sizes.same(each, value):
                return each
        return None

    def _is_read_after(self, value: Value, position: int) -> bool:
        return any(
            self._position[reader] > position and reader.op_def.shape_input is None
            for reader in self._readers.of(value)
        )

    # ---- rules -------------------------------------------------------------------------------

    def keep_shape(self, node: Node) -> Value | None:
        """A reshaping of any kind to the shape that is there."""
        if node.attrs.get("mean"):
            return None
        source = node.inputs[0]
        return source if self._gives_shape_of(node, source) else None

    def neutral(self, node: Node) -> Value | None:
        """x * 1, x / 1, x + 0, x - 0."""
        for full, constant in _both_ways(node) if node.type in _COMMUTE else [node.inputs]:
            if _constant(constant) == _NEUTRAL[node.type] and self._gives_shape_of(node, full):
                return full
        return None

    def product(self, node: Node) -> Node | Value | None:
        """s * (t * x), two numbers: s * t first."""
        found = self.neutral(node)
        if found is not None or not node.dtypes[0].is_floating:
            return found
        for one, (product, _) in _both_ways(node):
            if product.type == "Mul" and _is_scalar(one):
                for other, rest in _both_ways(product):
                    both = _is_scalar(other) and not _is_scalar(rest)
                    if both and (_is_tame(one) or _is_tame(other)):
                        number = self._number("Mul", node, [one, other])
                        return new_node("Mul", node, [number, rest], {})
        return None

    def negative(self, node: Node) -> Node | None:
        """-(s * x), with a number s."""
        product = node.inputs[0][0]
        if product.type == "Mul" and node.dtypes[0].is_floating:
            for number, rest in _both_ways(product):
                if _is_scalar(number) and not _is_scalar(rest):
                    minus = self._number("Neg", node, [number])
                    return new_node("Mul", node, [minus, rest], {})
        return None

    def same_type(self, node: Node) -> Value | None:
        """A cast to the type that is there."""
        source, index = node.inputs[0]
        return node.inputs[0] if source.dtypes[index] == node.dtypes[0] else None

    def power(self, node: Node) -> Node | Value | None:
        """x ** 1, x ** 2 and x ** 3: NumPy's power takes 50 times as long for negative numbers."""
        base, exponent = node.inputs[0], _constant(node.inputs[1])
        if exponent not in (1, 2, 3) or not self._gives_shape_of(node, base):
            return None
        if exponent == 1:
            return base
        square = new_node("Square", node, [base], {})
        if exponent == 2:
            return square
        square.name = f"{node.name}/square"
        self._put(square)
        return new_node("Mul", node, [(square, 0), base], {})

    def short_sum(self, node: Node) -> Node | Value | None:
        """The sum of a list of one or two; a plain sum can be written over one of the two."""
        if len(node.inputs) == 1:
            return node.inputs[0]
        if len(node.inputs) == 2 and self._sizes.same(*node.inputs):
            return new_node("AddV2", node, node.inputs, {})
        return None


def _both_ways(node: Node) -> list[list[Value]]:
    return [node.inputs, node.inputs[::-1]]


def _is_scalar(value: Value) -> bool:
    return value[0].shapes[value[1]].ndims == 0


def _is_tame(value: Value) -> bool:
    """Whether this is a constant that makes no product of numbers too large or too small."""
    number = _constant(value)
    return number is not None and 1e-6 <= float(abs(number)) <= 1e6  # 1e6 is no float16


def _constant(value: Value) -> Any:
    """The number that a constant is, or is filled with; None for everything else."""
    node = value[0]
    if node.type != "Const" or node.controls:
        return None
    array = node.attrs["value"]
    if not 0 < array.size <= _SMALL or array.dtype.kind not in "fciu":
        return None
    first = array.reshape(-1)[0]
    return first if array.size == 1 or (array == first).all() else None


_Rule = Callable[[_Simplifier, Node], "Node | Value | None"]
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(("RealDiv", "Add", "AddV2", "Sub"), _Simplifier.neutral),
    **dict.fromkeys(("SumToShapeOf", "BroadcastLike", "BroadcastTo"), _Simplifier.keep_shape),
    "Tile": _Simplifier.keep_shape,
    "Mul": _Simplifier.product,
    "Neg": _Simplifier.negative,
    "Cast": _Simplifier.same_type,
    "Pow": _Simplifier.power,
    "AddN": _Simplifier.short_sum,
}
_NEUTRAL = {"Mul": 1, "RealDiv": 1, "Add": 0, "AddV2": 0, "Sub": 0}
_COMMUTE = ("Mul", "Add", "AddV2")

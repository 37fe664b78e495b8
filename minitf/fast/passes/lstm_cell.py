"""Makes one node of an LSTM cell, and one of its gradient.

    BiasAdd ──> Split ──┬─ Sigmoid ── i ─┐
                        ├─ Tanh ───── g ─┴─ Mul ─┐
                        ├─ + 1 ─ Sigmoid ─ f ────┤           _LSTMCell(product, bias, 1, c)
                        │            c ──────┴─ Mul ─ Add ── new_c          ──> new_c, new_h,
                        └─ Sigmoid ── o ─┐         Tanh ─┘                      i, g, f, o, tanh
                                         └──────── Mul ───── new_h

That is what `LSTMCell` and `BasicLSTMCell` build, and `tf.gradients` from it. A cell with
peepholes, limits or other functions is left as it is, and so is one whose intermediate values are
read by anybody but its gradient. Sums to the shape of an operand, which are there because c might
be stretched over the batch, become one look at the shapes in the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, broadcast_shapes
from minitf.core.ops.elementwise import sum_to_shape_of
from minitf.core.runtime.passes.rewriting import Readers, Value, new_node, replace, touches_variable
from minitf.core.runtime.plan.subgraph import Node
from minitf.fast.kernels.lstm import lstm_cell as cell_kernel
from minitf.fast.kernels.lstm import lstm_cell_grad as cell_grad_kernel

_ONLY_PLANS = "Only plans have it; tests/fast/passes/test_lstm_cell.py runs it."
_ADDITIONS = ("Add", "AddV2")


@op(
    "_LSTMCell",
    "product: T, bias: T, forget_bias: T, c: T"
    " -> new_c: T, new_h: T, i: T, g: T, f: T, o: T, tanh_c: T",
    T=dtypes.FLOATS,
    no_samples=_ONLY_PLANS,
    differentiable=False,
)
def _cell_op(xp: Any, product: Any, bias: Any, forget_bias: Any, c: Any, *, keeps: bool) -> list:
    """One step of an LSTM; what its gradient needs comes out only when it `keeps` that."""
    new_c, new_h, gates, tanh_c = cell_kernel(xp, product, bias, forget_bias, c)
    return [new_c, new_h, *gates, tanh_c] if keeps else [new_c, new_h, *[None] * 5]


@_cell_op.shape
def _cell_shape(product: Any, bias: Any, forget_bias: Any, c: Any, *, keeps: bool) -> list:
    rows, width = product.shape.as_list()
    gate = TensorShape([rows, width // 4])
    whole = broadcast_shapes(gate, c.shape)
    return [whole, whole, gate, gate, gate, gate, whole]


@op(
    "_LSTMCellGrad",
    "dh: T, c: T, i: T, g: T, f: T, o: T, tanh_c: T, forgotten: T, fresh: T, dcs: N*T"
    " -> dproduct: T, dc: T",
    T=dtypes.FLOATS,
    no_samples=_ONLY_PLANS,
    differentiable=False,
)
def _cell_grad_op(
    xp: Any,
    dh: Any,
    c: Any,
    i: Any,
    g: Any,
    f: Any,
    o: Any,
    tanh_c: Any,
    forgotten: Any,
    fresh: Any,
    dcs: Any,
) -> tuple:
    """The gradient of one step; of `forgotten`, f * c, and `fresh`, i * g, it takes the shapes."""
    shape = i.shape
    if all(x.shape == shape for x in (dh, c, g, f, o, tanh_c, forgotten, fresh, *dcs)):
        return cell_grad_kernel(xp, dh, dcs, c, i, g, f, o, tanh_c)

    def summed(dy: Any, like: Any) -> Any:
        return sum_to_shape_of.kernel(xp, dy, like)

    dc = sum(dcs, start=summed(dh * o, tanh_c) * (1 - tanh_c * tanh_c))
    one, other = summed(dc, forgotten), summed(dc, fresh)
    parts = [
        summed(other * g, i) * i * (1 - i),
        summed(other * i, g) * (1 - g * g),
        summed(one * c, f) * f * (1 - f),
        summed(dh * tanh_c, o) * o * (1 - o),
    ]
    return xp.concatenate(parts, 1), summed(one * f, c)


class _Fused(NamedTuple):
    """What is to be replaced.

    Args:
      anchor: the node in whose place the new one comes.
      core: all nodes that it makes superfluous.
      outputs: by old value, which output of the new node serves for it.
      shapes: the same, for values of which only the shape is asked.
      node: the new one.
    """

    anchor: Node
    core: set[Node]
    outputs: dict[Value, int]
    shapes: dict[Value, int]
    node: Node


def lstm_cell(nodes: Sequence[Node]) -> list[Node]:
    """Makes one node of an LSTM cell, and one of its gradient."""
    return _Matcher(nodes).run()


class _Matcher:
    """The state of one walk over a partition."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._position = {node: place for place, node in enumerate(nodes)}
        self._readers = Readers(nodes)

    def run(self) -> list[Node]:
        """The rewritten partition."""
        new: dict[Value, Value] = {}
        instead: dict[Node, Node] = {}
        behind: dict[Node, Node] = {}  # of what must wait for a new node: the last one it waits for
        for node in self._nodes:
            found = None
            if node.type == "Split":
                found = self._cell(node)
            elif node.type == "ConcatV2" and len(node.inputs) == 4:
                found = self._cell_grad(node)
            if found is None or not self._stands_alone(found):
                continue
            late = self._late(found)
            if late is None:
                continue
            both = {**found.outputs, **found.shapes}
            new.update({value: (found.node, index) for value, index in both.items()})
            instead[found.anchor] = found.node
            place = self._position[found.anchor]
            for each in late:
                if each not in behind or self._position[behind[each]] < place:
                    behind[each] = found.anchor
        return replace(self._reordered(behind), new, instead)

    def _stands_alone(self, found: _Fused) -> bool:
        """Whether nobody else needs what will be gone."""
        for node in found.core:
            if node.controls or touches_variable(node):
                return False
            for index in range(len(node.dtypes)):
                value = (node, index)
                for reader in self._readers.of(value):
                    if reader not in found.core and value not in found.outputs:
                        if value not in found.shapes or not _asks_shape_only(reader, value):
                            return False
        return True

    def _late(self, found: _Fused) -> list[Node] | None:
        """The nodes that must stand behind the new one and do not; None when that cannot be.

        These are early readers of what it gives, and who reads from them or waits for them.
        """
        here = self._position[found.anchor]
        first = min(self._position[node] for node in found.core)
        core, needed = found.core, {source for source, _ in found.node.inputs}
        late: dict[Node, None] = {}
        for node in self._nodes[first:here]:
            before = [*(source for source, _ in node.inputs), *node.controls]
            if node in core or not any(each in core or each in late for each in before):
                continue
            if node in needed or node.op_def.stateful or touches_variable(node):
                return None
            late[node] = None
        if any(each in late for node in core for each, _ in node.inputs):
            return None
        return list(late)

    def _reordered(self, behind: dict[Node, Node]) -> list[Node]:
        """The nodes, with some behind others."""
        if not behind:
            return list(self._nodes)
        followers: dict[Node, list[Node]] = {}
        for node in self._nodes:
            if node in behind:
                followers.setdefault(behind[node], []).append(node)
        order: list[Node] = []

        def put(node: Node) -> None:
            order.append(node)
            for each in followers.get(node, ()):
                put(each)

        for node in self._nodes:
            if node not in behind:
                put(node)
        return order

    # ---- forward -------------------------------------------------------------------------

    def _cell(self, split: Node) -> _Fused | None:
        """The cell whose gates this node takes apart."""
        if split.attrs["num_split"] != 4 or split.attrs["axis"] not in (1, -1):
            return None
        added = split.inputs[0][0]
        if added.type != "BiasAdd" or not _has_known_width(added):
            return None
        i = self._one(split, 0, "Sigmoid")
        g = self._one(split, 1, "Tanh")
        biased = self._one(split, 2, *_ADDITIONS)
        o = self._one(split, 3, "Sigmoid")
        if i is None or g is None or biased is None or o is None:
            return None
        f = self._one(biased, 0, "Sigmoid")
        forget_bias = _other(biased, (split, 2))
        fresh = self._product(i, g)
        if f is None or forget_bias is None or fresh is None or not _is_scalar(forget_bias):
            return None
        for total in self._readers.of((fresh, 0)):
            forgotten = _other(total, (fresh, 0)) if total.type in _ADDITIONS else None
            if forgotten is None or forgotten[0].type != "Mul":
                continue
            c = _other(forgotten[0], (f, 0))
            tanh_c = self._any(total, "Tanh")
            new_h = None if tanh_c is None else self._product(o, tanh_c)
            if c is None or tanh_c is None or new_h is None or _rank(c) != 2:
                continue
            outputs = [total, new_h, i, g, f, o, tanh_c]
            core = {added, split, biased, fresh, forgotten[0], *outputs}
            keeps = any(
                reader not in core for each in outputs[2:] for reader in self._readers.of((each, 0))
            )
            node = new_node(
                "_LSTMCell",
                total,
                [*added.inputs, forget_bias, c],
                {"keeps": keeps},
                [each.dtypes[0] for each in outputs],
                [each.shapes[0] for each in outputs],
            )
            known = {(each, 0): index for index, each in enumerate(outputs)}
            return _Fused(total, core, known, {(forgotten[0], 0): 0, (fresh, 0): 2}, node)
        return None

    def _one(self, node: Node, index: int, *types: str) -> Node | None:
        """The only reader of a value, if it is of one of these types."""
        found = self._readers.of((node, index))
        return found[0] if len(found) == 1 and found[0].type in types else None

    def _any(self, node: Node, kind: str) -> Node | None:
        return next((r for r in self._readers.of((node, 0)) if r.type == kind), None)

    def _product(self, one: Node, other: Node) -> Node | None:
        """The node that multiplies two."""
        for reader in self._readers.of((one, 0)):
            if reader.type == "Mul" and _other(reader, (one, 0)) == (other, 0):
                return reader
        return None

    # ---- backward ------------------------------------------------------------------------

    def _cell_grad(self, concat: Node) -> _Fused | None:
        """The gradient of a cell, which ends in that of the `Split`."""
        kinds = [source.type for source, _ in concat.inputs]
        if kinds != ["SigmoidGrad", "TanhGrad", "SigmoidGrad", "SigmoidGrad"]:
            return None
        if concat.attrs["axis"] not in (1, -1) or _rank((concat, 0)) != 2:
            return None
        ends = [source for source, _ in concat.inputs]
        i, g, f, o = (end.inputs[0] for end in ends)
        products, core = [], {concat, *ends}
        for end, gate in zip(ends, (i, g, f, o), strict=True):
            product = _unsummed(end.inputs[1], gate, core)
            if product is None or product.type != "Mul":
                return None
            products.append(product)
        by_i, by_g, by_f, by_o = products
        flow = _other(by_i, g)  # what reaches i * g
        if flow is None or _other(by_g, i) != flow:
            return None
        dc, fresh = _summed(flow, i, core)
        for place in (0, 1):  # what reaches f * c, and c
            one, c = by_f.inputs[place], by_f.inputs[1 - place]
            own: set[Node] = set()
            source, forgotten = _summed(one, None, own)
            if source == dc:
                break
        else:
            return None
        core |= own
        terms = list(dc[0].inputs) if dc[0].type in ("AddN", *_ADDITIONS) else [dc]
        for term in terms:
            if term[0].type != "TanhGrad":
                continue
            tanh_c = term[0].inputs[0]
            dh = _other(by_o, tanh_c)
            inner: set[Node] = {term[0], dc[0]}
            back = _unsummed(term[0].inputs[1], tanh_c, inner)
            if dh is None or back is None or back.type != "Mul" or _other(back, o) != dh:
                continue
            dcs = [each for each in terms if each is not term]
            core |= {*products, back, *inner}
            like = tanh_c if forgotten is None else forgotten
            inputs = [dh, c, i, g, f, o, tanh_c, like, fresh or i, *dcs]
            return self._with_dc(concat, core, inputs, one, f, c)
        return None

    def _with_dc(
        self, concat: Node, core: set[Node], inputs: list[Value], flow: Value, f: Value, c: Value
    ) -> _Fused | None:
        """The gradient with what goes on to the step before, if that is computed."""
        outputs: dict[Value, int] = {(concat, 0): 0}
        product = next(
            (r for r in self._readers.of(flow) if r.type == "Mul" and _other(r, flow) == f), None
        )
        if product is not None:
            core.add(product)
            sums = [r for r in self._readers.of((product, 0)) if r.type == "SumToShapeOf"]
            if not sums:
                outputs[product, 0] = 1
            elif len(sums) == 1 and sums[0].inputs == [(product, 0), c]:
                core.add(sums[0])
                outputs[sums[0], 0] = 1
            else:
                return None
        node = new_node(
            "_LSTMCellGrad",
            concat,
            inputs,
            {},
            [concat.dtypes[0]] * 2,
            [concat.shapes[0], c[0].shapes[c[1]]],
        )
        return _Fused(concat, core, outputs, {}, node)


def _other(node: Node, known: Value) -> Value | None:
    """The second of two inputs, when the first, on either side, is the one that is known."""
    if len(node.inputs) != 2 or known not in node.inputs:
        return None
    return node.inputs[1 - node.inputs.index(known)]


def _summed(value: Value, like: Value | None, core: set[Node]) -> tuple[Value, Value | None]:
    """What is behind a `SumToShapeOf`, and whose shape it has; the value itself without one."""
    node = value[0]
    if node.type != "SumToShapeOf":
        return value, like
    core.add(node)
    return node.inputs[0], node.inputs[1]


def _unsummed(value: Value, like: Value, core: set[Node]) -> Node | None:
    """The node behind a sum to the shape of `like`; None when it is of another."""
    source, shape = _summed(value, like, core)
    return source[0] if shape == like else None


def _asks_shape_only(reader: Node, value: Value) -> bool:
    """Whether a node looks at nothing but the shape of a value."""
    if reader.type == "_Retval":
        return bool(reader.attrs.get("shape_only"))
    place = reader.op_def.shape_input
    places: Iterable[int] = (k for k, each in enumerate(reader.inputs) if each == value)
    return place is not None and all(k == place for k in places)


def _is_scalar(value: Value) -> bool:
    return _rank(value) == 0


def _rank(value: Value) -> int | None:
    return value[0].shapes[value[1]].ndims


def _has_known_width(added: Node) -> bool:
    """Whether a `BiasAdd` surely adds as many biases as there are columns, four for each unit."""
    values, biases = (source.shapes[index] for source, index in added.inputs)
    if values.ndims != 2 or biases.ndims != 1:
        return False
    (columns,) = biases.as_list()
    return columns is not None and columns % 4 == 0 and values.as_list()[1] == columns

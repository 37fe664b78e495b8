"""Multiplies no more than is read of a product that is taken apart.

    MatMul(d, W) ──> SplitV ──> dx, nobody's                    _MatMulPart(d, W) ──> dh
                           └──> dh                        with the columns of W that give dh

Recurrent cells multiply input and state side by side by one matrix, so their gradients come side by
side; that of the input is seldom wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.linalg import matmul_op
from minitf.core.runtime.passes.rewriting import Readers, Value, new_node, replace
from minitf.core.runtime.plan.subgraph import Node


@op(
    "_MatMulPart",
    "a: T, b: T -> part: T",
    T=dtypes.NUMBERS,
    no_samples="Only plans have it; tests/fast/passes/test_split_products.py runs it.",
    differentiable=False,
)
def _part_op(
    xp: Any, a: Any, b: Any, *, transpose_a: bool, transpose_b: bool, start: int, stop: int
) -> Any:
    """The columns from `start` to `stop` of a product."""
    part = b[start:stop] if transpose_b else b[:, start:stop]
    return matmul_op.kernel(xp, a, part, transpose_a=transpose_a, transpose_b=transpose_b)


@_part_op.bind
def _part_bind(xp: Any, attrs: dict[str, Any], shapes: Any) -> Any:
    product = matmul_op.bind_function(xp, attrs, shapes)  # type: ignore[misc]
    rows = slice(attrs["start"], attrs["stop"])
    columns = rows if attrs["transpose_b"] else (slice(None), rows)
    return lambda a, b: product(a, b[columns])


@_part_op.shape
def _part_shape(
    a: Any, b: Any, *, transpose_a: bool, transpose_b: bool, start: int, stop: int
) -> TensorShape:
    return TensorShape([a.shape.as_list()[1 if transpose_a else 0], stop - start])


def split_products(nodes: Sequence[Node]) -> list[Node]:
    """Multiplies no more than is read of a product that is taken apart."""
    splits = [n for n in nodes if n.type in ("Split", "SplitV") and n.inputs[0][0].type == "MatMul"]
    readers = Readers(nodes)
    new: dict[Value, Value] = {}
    instead: dict[Node, Node] = {}
    for split in splits:
        product = split.inputs[0][0]
        read = [index for index in range(len(split.dtypes)) if readers.of((split, index))]
        ends = _ends(split, product)
        if len(read) != 1 or ends is None or len(readers.of((product, 0))) != 1:
            continue
        (index,) = read
        attrs = {
            **{name: product.attrs[name] for name in ("transpose_a", "transpose_b")},
            "start": ends[index],
            "stop": ends[index + 1],
        }
        shape = split.shapes[index]
        part = new_node("_MatMulPart", product, product.inputs, attrs, shapes=[shape])
        instead[product] = part
        new[split, index] = part, 0
    return replace(nodes, new, instead)


def _ends(split: Node, product: Node) -> list[int] | None:
    """Where the parts of a product begin, and the last one ends; None when that is not known.

    Nor when the matrices might not fit: then the whole product says so.
    """
    columns = product.shapes[0].as_list()[1] if product.shapes[0].ndims == 2 else None
    if columns is None or split.attrs["axis"] not in (1, -1):
        return None
    inner = []  # the sizes that must agree
    for (source, index), name, place in zip(
        product.inputs, ("transpose_a", "transpose_b"), (1, 0), strict=True
    ):
        shape = source.shapes[index].as_list() if source.shapes[index].ndims == 2 else [None] * 2
        inner.append(shape[1 - place if product.attrs[name] else place])
    if inner[0] is None or inner[0] != inner[1]:
        return None
    count = len(split.dtypes)
    if split.type == "Split":
        return [columns // count * k for k in range(count + 1)] if columns % count == 0 else None
    source = split.inputs[1][0]
    sizes = source.attrs["value"] if source.type == "Const" else np.array([-1])
    if sizes.min() < 0 or sizes.sum() != columns:
        return None
    return [0, *np.cumsum(sizes).tolist()]

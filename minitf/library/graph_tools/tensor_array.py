"""`tf.TensorArray`: a list of tensors that a loop fills or empties, one place a turn.

    ta = tf.TensorArray(tf.float32, size=3)
    ta = ta.write(0, x).write(1, y)           each write gives a new TensorArray
    ta.stack()                                [3, ...]

The object holds what is known while the graph is built, the type and shape of the elements; the
list itself is a value that flows along the graph's edges (core/ops/lists.py). So a TensorArray
may be a loop variable, and what a chain of writes gives must be used: the old object is the list as
it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import constant, constant_value, convert_to_tensor
from minitf.core.graph.op_def import call, op, scalar_shape, unchanged_gradient
from minitf.core.graph.shapes import TensorShape, as_shape, brackets, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.cast import cast
from minitf.core.ops.control import no_op
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.lists import ListValue, add_lists, empty_list


class TensorArray:
    """A list of tensors of one type, each place written once.

    Args:
      dtype: the type of the elements.
      size: how many places it has; a number or a scalar int32 tensor.
      dynamic_size: whether a write beyond the end makes it longer.
      clear_after_read: accepted; an element may be read any number of times.
      tensor_array_name: accepted; lists have no names at run time.
      handle: accepted in place of `flow`.
      flow: the list of an existing TensorArray.
      infer_shape: whether all elements must have one static shape, which `write` then learns.
      element_shape: the static shape of the elements.
      colocate_with_first_write_call: accepted; a list stays on one device.
      name: a name for the operation.

    Attributes:
      flow: the list that flows along the graph's edges.
      dtype, element_shape: the type of the elements, and what is known of their shape.
      dynamic_size: whether a write beyond the end makes it longer.

    Raises:
      ValueError: when there is neither a size nor a list.
    Example:
      >>> array = tf.TensorArray(tf.float32, size=2).write(0, 1.5).write(1, 2.5)
      >>> sess.run(array.stack())
      array([1.5, 2.5], dtype=float32)
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        given = handle if flow is None else flow
        if given is None and size is None:
            raise ValueError("Argument `size` must be provided if handle is not provided.")
        if given is not None and size is not None:
            raise ValueError("Cannot provide both `handle` and `size` arguments at the same time.")
        self.dtype = dtypes.as_dtype(dtype).base_dtype
        self.dynamic_size = bool(dynamic_size)
        self._infer_shape = infer_shape
        self.element_shape = as_shape(element_shape)
        self._size = None if size is None or dynamic_size else size
        if given is None:
            with name_scope(name, "TensorArray", [size]) as scope:
                given = tensor_array_op(
                    convert_to_tensor(size, dtype=dtypes.int32, name="size"),
                    dtype=self.dtype,
                    dynamic_size=self.dynamic_size,
                    name=scope,
                )
        self.flow = given

    # ---- as a leaf of structures ---------------------------------------------------------

    def _components(self) -> list[Tensor]:
        return [self.flow]

    def _with_components(self, tensors: Sequence[Tensor]) -> TensorArray:
        return self._with_flow(tensors[0])

    def _with_flow(self, flow: Tensor) -> TensorArray:
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.flow = flow
        return copy

    # ---- what it is ----------------------------------------------------------------------

    @property
    def handle(self) -> Tensor:
        """The same as `flow`."""
        return self.flow

    def size(self, name: str | None = None) -> Tensor:
        """How many places it has."""
        if self._size is not None and not hasattr(self._size, "_as_tensor"):
            return constant(self._size, dtypes.int32)
        return size_op(self.flow, name=name or "TensorArraySizeV3")

    def identity(self) -> TensorArray:
        """The same list, as `tf.identity` of a tensor: a place for control dependencies."""
        return self._with_flow(identity(self.flow))

    def close(self, name: str | None = None) -> Any:
        """Does nothing: a list goes when nobody reads it any more."""
        return no_op(name=name)

    # ---- reading and writing -------------------------------------------------------------

    def _learned(self, shape: TensorShape, flow: Tensor) -> TensorArray:
        """The TensorArray after a write of elements of this shape."""
        changed = self._with_flow(flow)
        if self._infer_shape:
            if not self.element_shape.is_compatible_with(shape):
                raise ValueError(
                    f"Inconsistent shapes: saw {shape} but expected {self.element_shape} "
                )
            changed.element_shape = self.element_shape.merge_with(shape)
        return changed

    def _of_elements(self) -> dict[str, Any]:
        """The attributes of an operation that reads elements."""
        return {"dtype": self.dtype, "element_shape": self.element_shape}

    def _value(self, value: Any) -> Tensor:
        tensor = convert_to_tensor(value, name="value", preferred_dtype=self.dtype)
        if tensor.dtype.base_dtype != self.dtype:
            raise ValueError(
                f"Input value {tensor} has dtype {tensor.dtype}, but expected dtype {self.dtype}."
            )
        return tensor

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The TensorArray with `value` at the place `index`.

        Raises:
          ValueError: when type or shape do not fit.
          InvalidArgumentError: in the step, when the place does not exist or was written.
        """
        with name_scope(name, "TensorArrayWrite", [self.flow, index, value]):
            tensor = self._value(value)
            flow = write_op(self.flow, index, tensor, name="TensorArrayWriteV3")
        return self._learned(tensor.shape, flow)

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element at the place `index`."""
        return read_op(self.flow, index, name=name or "TensorArrayReadV3", **self._of_elements())

    def stack(self, name: str | None = None) -> Tensor:
        """All elements along a new first axis."""
        with name_scope(name, "TensorArrayStack", [self.flow]):
            size = self.size()
            return self._gather(range_of(0, size), constant_value(size))

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Some elements along a new first axis."""
        return self._gather(indices, None, name)

    def _gather(self, indices: Any, count: Any, name: str | None = None) -> Tensor:
        value = gather_op(
            self.flow, indices, name=name or "TensorArrayGatherV3", **self._of_elements()
        )
        if self.element_shape.ndims is not None:
            rows = TensorShape([None if count is None else int(count)])
            value.set_shape(rows.concatenate(self.element_shape))
        return value

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The TensorArray that holds the rows of `value`."""
        with name_scope(name, "TensorArrayUnstack", [self.flow, value]):
            tensor = self._value(value)
            return self.scatter(range_of(0, shape_of(tensor)[0]), tensor)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The TensorArray with the rows of `value` at some places."""
        with name_scope(name, "TensorArrayScatter", [self.flow, value, indices]):
            tensor = self._value(value)
            flow = scatter_op(self.flow, indices, tensor, name="TensorArrayScatterV3")
        row = tensor.shape[1:] if tensor.shape.ndims is not None else unknown_shape()
        return self._learned(row, flow)

    def concat(self, name: str | None = None) -> Tensor:
        """All elements joined along their first axis."""
        name = name or "TensorArrayConcatV3"
        return concat_op(self.flow, name=name, **self._of_elements())[0]

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The TensorArray that holds the pieces of `value`, of these lengths."""
        with name_scope(name, "TensorArraySplit", [self.flow, value, lengths]):
            tensor = self._value(value)
            pieces = cast(convert_to_tensor(lengths), dtypes.int64)
            flow = split_op(self.flow, tensor, pieces, name="TensorArraySplitV3")
        changed = self._with_flow(flow)
        known = constant_value(pieces)
        if self._infer_shape and tensor.shape.ndims is not None:
            same = known is not None and known.size > 0 and (known == known[0]).all()
            first = TensorShape([int(known[0]) if same and known is not None else None])
            changed = self._learned(first.concatenate(tensor.shape[1:]), flow)
        return changed


def _program(folder: str) -> list:
    """What every operation on lists does, for three rows."""
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    kind: dict[str, Any] = {"dtype": dtypes.float32}
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
    found = list_items_op(dy, index, shape_of(value), dtype=value.dtype.base_dtype)
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
    return [dy, None, list_items_op(dy, op.inputs[1], rows, dtype=value.dtype.base_dtype)]


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


@op(
    "ListItems",
    "flow: variant, indices: int32, shape: int32 -> value: dtype",
    host=("shape",),
    alias=True,
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

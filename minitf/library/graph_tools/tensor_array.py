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

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, constant_value, convert_to_tensor
from minitf.core.graph.shapes import TensorShape, as_shape, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import lists
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.cast import cast
from minitf.core.ops.control import no_op


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
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = infer_shape
        self._element_shape = as_shape(element_shape)
        self._size = None if size is None or dynamic_size else size
        if given is None:
            with name_scope(name, "TensorArray", [size]) as scope:
                given = lists.tensor_array_op(
                    convert_to_tensor(size, dtype=dtypes.int32, name="size"),
                    dtype=self._dtype,
                    dynamic_size=self._dynamic_size,
                    name=scope,
                )
        self._flow = given

    # ---- as a leaf of structures ---------------------------------------------------------

    def _components(self) -> list[Tensor]:
        return [self._flow]

    def _with_components(self, tensors: Sequence[Tensor]) -> TensorArray:
        return self._with_flow(tensors[0])

    def _with_flow(self, flow: Tensor) -> TensorArray:
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._flow = flow
        return copy

    # ---- what it is ----------------------------------------------------------------------

    @property
    def flow(self) -> Tensor:
        """The list that flows along the graph's edges."""
        return self._flow

    @property
    def handle(self) -> Tensor:
        """The same as `flow`."""
        return self._flow

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._dtype

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of the elements."""
        return self._element_shape

    @property
    def dynamic_size(self) -> bool:
        """Whether a write beyond the end makes it longer."""
        return self._dynamic_size

    def size(self, name: str | None = None) -> Tensor:
        """How many places it has."""
        if self._size is not None and not hasattr(self._size, "_as_tensor"):
            return constant(self._size, dtypes.int32)
        return lists.size_op(self._flow, name=name or "TensorArraySizeV3")

    def identity(self) -> TensorArray:
        """The same list, as `tf.identity` of a tensor: a place for control dependencies."""
        return self._with_flow(identity(self._flow))

    def close(self, name: str | None = None) -> Any:
        """Does nothing: a list goes when nobody reads it any more."""
        return no_op(name=name)

    # ---- reading and writing -------------------------------------------------------------

    def _learned(self, shape: TensorShape, flow: Tensor) -> TensorArray:
        """The TensorArray after a write of elements of this shape."""
        changed = self._with_flow(flow)
        if self._infer_shape:
            if not self._element_shape.is_compatible_with(shape):
                raise ValueError(
                    f"Inconsistent shapes: saw {shape} but expected {self._element_shape} "
                )
            changed._element_shape = self._element_shape.merge_with(shape)
        return changed

    def _of_elements(self) -> dict[str, Any]:
        """The attributes of an operation that reads elements."""
        return {"dtype": self._dtype, "element_shape": self._element_shape}

    def _value(self, value: Any) -> Tensor:
        tensor = convert_to_tensor(value, name="value", preferred_dtype=self._dtype)
        if tensor.dtype.base_dtype != self._dtype:
            raise ValueError(
                f"Input value {tensor} has dtype {tensor.dtype}, but expected dtype {self._dtype}."
            )
        return tensor

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The TensorArray with `value` at the place `index`.

        Raises:
          ValueError: when type or shape do not fit.
          InvalidArgumentError: in the step, when the place does not exist or was written.
        """
        with name_scope(name, "TensorArrayWrite", [self._flow, index, value]):
            tensor = self._value(value)
            flow = lists.write_op(self._flow, index, tensor, name="TensorArrayWriteV3")
        return self._learned(tensor.shape, flow)

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element at the place `index`."""
        return lists.read_op(
            self._flow, index, name=name or "TensorArrayReadV3", **self._of_elements()
        )

    def stack(self, name: str | None = None) -> Tensor:
        """All elements along a new first axis."""
        with name_scope(name, "TensorArrayStack", [self._flow]):
            size = self.size()
            return self._gather(range_of(0, size), constant_value(size))

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Some elements along a new first axis."""
        return self._gather(indices, None, name)

    def _gather(self, indices: Any, count: Any, name: str | None = None) -> Tensor:
        value = lists.gather_op(
            self._flow, indices, name=name or "TensorArrayGatherV3", **self._of_elements()
        )
        if self._element_shape.ndims is not None:
            rows = TensorShape([None if count is None else int(count)])
            value.set_shape(rows.concatenate(self._element_shape))
        return value

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The TensorArray that holds the rows of `value`."""
        with name_scope(name, "TensorArrayUnstack", [self._flow, value]):
            tensor = self._value(value)
            return self.scatter(range_of(0, shape_of(tensor)[0]), tensor)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The TensorArray with the rows of `value` at some places."""
        with name_scope(name, "TensorArrayScatter", [self._flow, value, indices]):
            tensor = self._value(value)
            flow = lists.scatter_op(self._flow, indices, tensor, name="TensorArrayScatterV3")
        row = tensor.shape[1:] if tensor.shape.ndims is not None else unknown_shape()
        return self._learned(row, flow)

    def concat(self, name: str | None = None) -> Tensor:
        """All elements joined along their first axis."""
        name = name or "TensorArrayConcatV3"
        return lists.concat_op(self._flow, name=name, **self._of_elements())[0]

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The TensorArray that holds the pieces of `value`, of these lengths."""
        with name_scope(name, "TensorArraySplit", [self._flow, value, lengths]):
            tensor = self._value(value)
            pieces = cast(convert_to_tensor(lengths), dtypes.int64)
            flow = lists.split_op(self._flow, tensor, pieces, name="TensorArraySplitV3")
        changed = self._with_flow(flow)
        known = constant_value(pieces)
        if self._infer_shape and tensor.shape.ndims is not None:
            same = known is not None and known.size > 0 and (known == known[0]).all()
            first = TensorShape([int(known[0]) if same and known is not None else None])
            changed = self._learned(first.concatenate(tensor.shape[1:]), flow)
        return changed

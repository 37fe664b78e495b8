"""Composites: objects made of several tensors, and structures that hold them.

A `TensorArray` is a list and a dtype, an `IndexedSlices` two or three tensors. Branches and loops
take plain tensors only. `take_apart` turns a structure into these, `put_together` restores it.
A composite has `_components()`, a list of tensors, and `_with_components(tensors)`. A session can
fetch it if it has `_fetched(values)`, which joins the values of its components. A program feeds it
as a tuple of values, or as any value that `_fed(value)` takes apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from minitf.core.graph import dtypes, nest
from minitf.core.graph.convert import constant_value_as_shape, convert_to_tensor
from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph import Graph
from minitf.core.graph.op_def import call
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.graph.stacks import name_scope, session_of
from minitf.core.graph.tensor import Operation, Tensor


class PlacedValues:
    """Values and their places in a larger tensor: an `IndexedSlices`, a `SparseTensor`.

    Attributes:
      values: elements, or whole rows.
      indices: the place of each of the values.
      dense_shape: the shape of the whole, a tensor; None when that is not known.
    """

    values: Tensor
    indices: Tensor
    dense_shape: Any

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole."""
        raise NotImplementedError

    def get_shape(self) -> TensorShape:
        """What is known of the shape of the whole."""
        return self.shape

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self.values.dtype

    @property
    def name(self) -> str:
        """The name of the values."""
        return self.values.name

    @property
    def op(self) -> Operation:
        """The operation that makes the values."""
        return self.values.op

    @property
    def graph(self) -> Graph:
        """The graph it belongs to."""
        return self.values.graph


def is_composite(value: Any) -> bool:
    """Whether `value` is made of several tensors."""
    return hasattr(value, "_components")


def take_apart(structure: Any, convert: Callable[[Any], Any]) -> list[Any]:
    """The tensors of a structure, flat.

    Args:
      structure: nested lists, tuples and dicts.
      convert: makes a tensor of a leaf that is no composite.
    """
    flat: list[Any] = []
    for leaf in nest.flatten(structure):
        flat += leaf._components() if is_composite(leaf) else [convert(leaf)]
    return flat


def put_together(structure: Any, tensors: Sequence[Any]) -> Any:
    """Restores a structure with other tensors.

    Args:
      structure: as `take_apart` got it.
      tensors: as many as it gave.
    """
    rest = list(tensors)
    leaves = []
    for leaf in nest.flatten(structure):
        count = len(leaf._components()) if is_composite(leaf) else 1
        own, rest = rest[:count], rest[count:]
        leaves.append(leaf._with_components(own) if is_composite(leaf) else own[0])
    return nest.pack_sequence_as(structure, leaves)


def is_operation(value: Any) -> bool:
    """Whether a leaf is an operation, which has no value."""
    return isinstance(value, Operation)


# ---- indexed slices ----------------------------------------------------------------------
#
# `IndexedSlices`: some rows of a tensor, with their places.
#
# What a lookup of a few rows of a large table changes is those rows. They need not be written out
# among all the others:
#
#   values  [[.1, .2],       indices [0, 4]       stands for a tensor that has these rows at 0 and 4
#            [.3, .4]]                            and zeros elsewhere; a place named twice gets both


class IndexedSlicesValue(NamedTuple):
    """The value of an `IndexedSlices` in a run: arrays."""

    values: Any
    indices: Any
    dense_shape: Any


class IndexedSlices(PlacedValues):
    """Rows of a tensor and their places. Conversion to a tensor gives the whole.

    Args:
      values: [n, ...] the rows.
      indices: [n] integers, the place of each row along the first axis.
      dense_shape: the shape of the whole, a vector; needed to make the whole of it.

    Example:
      >>> v = tf.Variable(tf.zeros([3, 2]))
      >>> update = v.scatter_add(tf.IndexedSlices(values=tf.constant([[1.0, 1.0]]), indices=[2]))
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self.values = convert_to_tensor(values, name="values")
        self.indices = convert_to_tensor(indices, name="indices")
        self.dense_shape = (
            None if dense_shape is None else convert_to_tensor(dense_shape, name="dense_shape")
        )

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole."""
        if self.dense_shape is None:
            return unknown_shape()
        return constant_value_as_shape(self.dense_shape)

    @property
    def device(self) -> str:
        """The device of the rows."""
        return self.values.device

    def _components(self) -> list[Tensor]:
        parts = [self.values, self.indices]
        return parts if self.dense_shape is None else [*parts, self.dense_shape]

    def _fed(self, value: Any) -> list[Any]:
        return [part for part in value if part is not None]

    def _with_components(self, tensors: Sequence[Tensor]) -> IndexedSlices:
        return IndexedSlices(*tensors)

    def _fetched(self, values: Sequence[Any]) -> IndexedSlicesValue:
        return IndexedSlicesValue(*values, *[None] * (3 - len(values)))

    def _as_tensor(self) -> Tensor:
        if self.dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices without dense_shape: " + str(self)
            )
        with name_scope(None, "IndexedSlices", [self.values]):
            rows = self.dense_shape[0]
            whole = call("UnsortedSegmentSum", self.values, self.indices, rows)
        whole.set_shape(self.shape)
        return whole

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __str__(self) -> str:
        shape = "" if self.dense_shape is None else f", dense_shape={self.dense_shape}"
        return f"IndexedSlices(indices={self.indices}, values={self.values}{shape})"


# ---- sparse tensor -----------------------------------------------------------------------
#
# `SparseTensor`: the elements of a tensor that are not zero, with their places.
#
#   indices      [[0, 1], [2, 3]]     the element at row 0, column 1 is 7.0, that at row 2, column 3
#   values       [7.0, 8.0]           is 8.0, and all others of the 3 x 4 elements are zero
#   dense_shape  [3, 4]
#
# It is three tensors under one name. Nothing turns it into a whole tensor by itself: that could
# be too large; `tf.sparse.to_dense` does.

KEEPS_ZEROS = ("Abs", "Neg", "Sign", "Square", "Sqrt", "Erf", "Tanh", "BesselI0e", "BesselI1e")


class SparseTensorValue(NamedTuple):
    """The value of a `SparseTensor`, fetched or fed: arrays."""

    indices: Any
    values: Any
    dense_shape: Any


class SparseTensor(PlacedValues):
    """Elements of a tensor and their places, in the order of the places.

    Args:
      indices: [n, rank] int64, the place of each element.
      values: [n] the elements.
      dense_shape: [rank] int64, the shape of the whole.

    Raises:
      ValueError: when the static shapes do not fit together.
    Example:
      >>> s = tf.SparseTensor(indices=[[0, 1], [2, 3]], values=[7., 8.], dense_shape=[3, 4])
      >>> sess.run(tf.sparse.to_dense(s))
      array([[0., 7., 0., 0.],
             [0., 0., 0., 0.],
             [0., 0., 0., 8.]], dtype=float32)
    """

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        with name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self.indices = convert_to_tensor(indices, dtypes.int64, name="indices")
            self.values = convert_to_tensor(values, name="values")
            self.dense_shape = convert_to_tensor(dense_shape, dtypes.int64, name="dense_shape")
        places = self.indices.shape.with_rank(2)
        count = self.values.shape.with_rank(1)
        rank = self.dense_shape.shape.with_rank(1)
        self._known_shape: TensorShape | None = None  # what a placeholder was told
        places[0].assert_is_compatible_with(count[0])
        places[1].assert_is_compatible_with(rank[0])

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """Converts a `SparseTensorValue` to a `SparseTensor`; a `SparseTensor` is copied.

        Raises:
          TypeError: when it is neither.
        """
        if not isinstance(sparse_tensor_value, (SparseTensor, SparseTensorValue)):
            raise TypeError(
                "Neither a SparseTensor nor SparseTensorValue: " + str(sparse_tensor_value)
            )
        value = sparse_tensor_value
        return SparseTensor(value.indices, value.values, value.dense_shape)

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole."""
        return self._known_shape or constant_value_as_shape(self.dense_shape)

    def set_shape(self, shape: Any) -> None:
        """Adds knowledge about the shape of the whole, as `Tensor.set_shape` does.

        Raises:
          ValueError: when it contradicts the known shape.
        """
        self._known_shape = self.shape.merge_with(shape)

    def with_values(self, new_values: Any) -> SparseTensor:
        """The same places with other elements."""
        return SparseTensor(self.indices, new_values, self.dense_shape)

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> SparseTensorValue:
        """Computes it: `session.run(self, feed_dict)` in the default session.

        Raises:
          ValueError: when there is no session.
        """
        return session_of("evaluate tensor", "eval", self.graph, session).run(self, feed_dict)

    def _map_elements(self, op_def: Any, inputs: Sequence[Any], attrs: dict, name: Any) -> Any:
        if op_def.type not in KEEPS_ZEROS:
            return convert_to_tensor(self)  # which it refuses
        values = call(op_def, self.values, name=name, **attrs)
        return SparseTensor(self.indices, values, self.dense_shape)

    def _components(self) -> list[Tensor]:
        return [self.indices, self.values, self.dense_shape]

    def _with_components(self, tensors: Sequence[Tensor]) -> SparseTensor:
        return SparseTensor(*tensors)

    def _fetched(self, values: Sequence[Any]) -> SparseTensorValue:
        return SparseTensorValue(*values)

    def _scaled(self, op_type: str, other: Any) -> SparseTensor:
        """Combines the elements with those of a dense tensor or a scalar at their places."""
        parts = self.indices, self.values, self.dense_shape
        with name_scope(None, "mul" if op_type.endswith("Mul") else "truediv") as scope:
            values = call(op_type, *parts, other, name=scope)
        return SparseTensor(self.indices, values, self.dense_shape)

    def __mul__(self, other: Any) -> SparseTensor:
        return self._scaled("SparseDenseCwiseMul", other)

    def __rmul__(self, other: Any) -> SparseTensor:
        return self * other if isinstance(other, Tensor) else NotImplemented

    def __truediv__(self, other: Any) -> SparseTensor:
        return self._scaled("SparseDenseCwiseDiv", other)

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self.indices}, values={self.values}, "
            f"dense_shape={self.dense_shape})"
        )


def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """Converts to a tensor; a `SparseTensor`, or the value of one, to a `SparseTensor`.

    Raises:
      RuntimeError: when a `SparseTensor` has another dtype.
    """
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        return convert_to_tensor(value, dtype, name)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise RuntimeError(
            f"Sparse dtype mismatch. Requested: {dtypes.as_dtype(dtype).name}, "
            f"Actual: {value.dtype.name}"
        )
    return value

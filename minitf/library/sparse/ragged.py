"""`RaggedTensor`: rows of different lengths, in one tensor of values and one of places to cut.

    [[3, 1, 4], [], [5, 9]]    values      [3, 1, 4, 5, 9]
                               row_splits  [0, 3, 3, 5]     row i: values[splits[i]:splits[i + 1]]

The values may be ragged themselves: that makes rows of rows. Elementwise operations take the values
and leave the splits alone; a reduction over the ragged axis is one over segments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import constant, constant_value, convert_to_tensor
from minitf.core.graph.op_def import OpDef, call
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.array_slicing import boolean_mask
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, less, not_equal, where
from minitf.core.ops.control import with_dependencies
from minitf.core.ops.logging_ops import Assert
from minitf.core.ops.math import maximum, minimum, truediv
from minitf.core.ops.reductions import reduce_all, reduce_any, reduce_max
from minitf.core.ops.scatter import tensor_scatter_update
from minitf.core.ops.segments import unsorted_segment_sum
from minitf.library.checks.assertions import assert_equal, assert_non_negative
from minitf.library.sparse.ragged_rules import (
    KEEPS_ROWS,
    RULES,
    axis_of,
    ids_of,
    is_ragged,
    sliced,
    splits_of,
)
from minitf.library.sparse.ragged_shapes import mapped


class RaggedTensorValue:
    """What a run gives for a `RaggedTensor`: arrays; the values may be such a value again."""

    def __init__(self, values: Any, row_splits: Any) -> None:
        self.values = values
        self.row_splits = row_splits

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        inner = self.values
        return inner.flat_values if isinstance(inner, RaggedTensorValue) else inner

    @property
    def ragged_rank(self) -> int:
        """How many axes are ragged."""
        return 1 + getattr(self.values, "ragged_rank", 0)

    @property
    def nested_row_splits(self) -> tuple:
        """The splits of all ragged axes, the outermost first."""
        return (self.row_splits, *getattr(self.values, "nested_row_splits", ()))

    @property
    def dtype(self) -> np.dtype:
        """The type of the elements."""
        return self.values.dtype

    @property
    def shape(self) -> tuple:
        """The sizes; None for the ragged axes."""
        return (len(self.row_splits) - 1, None, *self.values.shape[1:])

    def _as_tensor(self) -> RaggedTensor:
        return reduce(RaggedTensor, reversed(self.nested_row_splits), self.flat_values)

    def _map_elements(self, op_def: OpDef, inputs: Sequence[Any], attrs: dict, name: Any) -> Any:
        return self._as_tensor()._map_elements(op_def, inputs, attrs, name)

    def to_list(self) -> list:
        """Nested lists."""
        inner = self.values.to_list() if hasattr(self.values, "to_list") else self.values.tolist()
        splits = self.row_splits.tolist()
        return [inner[a:b] for a, b in zip(splits, splits[1:], strict=False)]


class RaggedTensor:
    """Rows of different lengths. Made by `tf.ragged.constant` and the `from_...` functions.

    Args:
      values: [n, ...] a tensor or `RaggedTensor`, all rows end to end.
      row_splits: [rows + 1] int64 or int32, where each row begins, and the end of the last.

    Example:
      >>> digits = tf.ragged.constant([[3, 1, 4], [], [5, 9]])
      >>> sess.run(digits.row_lengths())
      array([3, 0, 2])
    """

    def __init__(self, values: Any, row_splits: Any, **known: Tensor) -> None:
        kept = isinstance(values, RaggedTensor)
        self._values = values if kept else convert_to_tensor(values, name="values")
        self._values.shape.with_rank_at_least(1)
        self._row_splits = _partition(row_splits, "row_splits")
        self._known = known  # what it was made of: what gives that again needs no operation

    def _checked(self, maker: str, validate: bool, *others: Any) -> RaggedTensor:
        """The same with splits that fail where they, or `others`, do not rise to the last value."""
        count = _count(self._values, self._row_splits.dtype)
        if not validate:
            return self
        text = f"Arguments to {maker} do not form a valid RaggedTensor"
        zero = 0 * count
        rising = [
            assert_non_negative(each[1:] - each[:-1], message=text)
            for each in (self._row_splits, *others)
        ]
        ends = [
            assert_equal(self._row_splits[place], edge, message=text)
            for place, edge in ((0, zero), (-1, count))
        ]
        with stacks.control_dependencies([each for each in (*rising, *ends) if each is not None]):
            self._row_splits = identity(self._row_splits)
        return self

    # ---- made from other partitions ------------------------------------------------------

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i is `values[row_splits[i]:row_splits[i + 1]]`."""
        with name_scope(name, "RaggedFromRowSplits"):
            rows = cls(values, row_splits)
            if rows._row_splits.shape.num_elements() == 0:
                raise ValueError("row_splits tensor may not be empty.")
            return rows._checked("from_row_splits", validate)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i has the next `row_lengths[i]` values."""
        with name_scope(name, "RaggedFromRowLengths"):
            lengths = _partition(row_lengths, "row_lengths")
            rows = cls(values, splits_of(lengths), row_lengths=lengths)
            return rows._checked("from_row_lengths", validate)

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i begins at `row_starts[i]`."""
        with name_scope(name, "RaggedFromRowStarts"):
            starts = _partition(row_starts, "row_starts")
            end = reshape(_count(values, starts.dtype), [1])
            return cls(values, concat([starts, end], 0))._checked("from_row_starts", validate)

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i ends before `row_limits[i]`."""
        with name_scope(name, "RaggedFromRowLimits"):
            limits = _partition(row_limits, "row_limits")
            splits = concat([zeros([1], limits.dtype.base_dtype), limits], 0)
            return cls(values, splits)._checked("from_row_limits", validate)

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """The value at i belongs to row `value_rowids[i]`; the numbers of rows are sorted."""
        with name_scope(name, "RaggedFromValueRowIds"):
            ids = _partition(value_rowids, "value_rowids")
            dtype = ids.dtype.base_dtype
            if nrows is not None:
                _check_count(nrows, ids)
            one = constant(1, dtype)
            if nrows is None:
                nrows = maximum(reduce_max(concat([ids, constant([-1], dtype)], 0)) + one, 0 * one)
            count = convert_to_tensor(nrows, dtype)
            lengths = unsorted_segment_sum(call("ZerosLike", ids) + one, ids, count)
            rows = cls(values, splits_of(lengths), value_rowids=ids, nrows=count)
            return rows._checked("from_value_rowids", validate, ids)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Several ragged axes at once; the splits of the outermost come first."""
        return _nested(
            cls.from_row_splits, flat_values, validate, nested_row_splits=nested_row_splits
        )

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Several ragged axes at once; the lengths of the outermost come first."""
        made_of = {"nested_row_lengths": nested_row_lengths}
        return _nested(cls.from_row_lengths, flat_values, validate, **made_of)

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = dtypes.int64,
    ) -> RaggedTensor:
        """The rows of a matrix, cut to `lengths`, or where nothing but `padding` follows."""
        if ragged_rank < 1:
            raise ValueError(f"ragged_rank must be greater than 0; got {ragged_rank}")
        with name_scope(name, "RaggedFromTensor"):
            whole, kind = convert_to_tensor(tensor), dtypes.as_dtype(row_splits_dtype)
            if lengths is not None and padding is not None:
                raise ValueError("Specify lengths or padding, but not both")
            if isinstance(lengths, (list, tuple)) and lengths and _is_vector(lengths[0]):
                first, *rest = lengths
                rows = cls.from_tensor(whole, first, row_splits_dtype=kind)
                if not rest:
                    return rows
                return rows.with_values(cls.from_tensor(rows.values, rest, row_splits_dtype=kind))
            sizes = shape_of(whole, out_type=kind)
            if ragged_rank > 1:
                joined = reshape(whole, concat([[-1], sizes[2:]], 0))
                inner = cls.from_tensor(joined, lengths, padding, ragged_rank - 1, None, kind)
                return cls(inner, range_of(sizes[0] + 1) * sizes[1])
            places = range_of(cast(0, kind), sizes[1], cast(1, kind))
            if padding is not None:
                kept = not_equal(whole, convert_to_tensor(padding, whole.dtype.base_dtype))
                if whole.shape.ndims > 2:
                    kept = reduce_any(kept, axis=list(range(2, whole.shape.ndims)))
                lengths = reduce_max(cast(kept, kind) * (places + 1), axis=1)
            if lengths is None:
                return cls(
                    reshape(whole, concat([[-1], sizes[2:]], 0)), range_of(sizes[0] + 1) * sizes[1]
                )
            lengths = minimum(cast(lengths, kind), sizes[1])
            inside = less(reshape(places, [1, -1]), reshape(lengths, [-1, 1]))
            return cls(boolean_mask(whole, inside), splits_of(lengths))

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = dtypes.int64
    ) -> RaggedTensor:
        """The elements of a `SparseTensor` of rank 2, which fill the front of each row."""
        if not isinstance(st_input, SparseTensor):
            raise TypeError(f"Expected SparseTensor, got {type(st_input).__name__}")
        with name_scope(name, "RaggedFromSparse"):
            rows = cast(st_input.indices[:, 0], row_splits_dtype)
            count = cast(st_input.dense_shape[0], row_splits_dtype)
            made = cls.from_value_rowids(st_input.values, rows, count, validate=False)
            columns = cast(st_input.indices[:, 1], row_splits_dtype)
            told = ["SparseTensor is not right-ragged", "SparseTensor.indices =", st_input.indices]
            check = Assert(reduce_all(equal(columns, made._columns())), told)
            return made.with_values(with_dependencies([check], made.values))

    # ---- its parts -----------------------------------------------------------------------

    @property
    def values(self) -> Any:
        """All rows end to end."""
        return self._values

    @property
    def row_splits(self) -> Tensor:
        """Where each row begins, and the end of the last."""
        return self._row_splits

    @property
    def flat_values(self) -> Tensor:
        """The innermost values."""
        inner = self._values
        return inner.flat_values if isinstance(inner, RaggedTensor) else inner

    @property
    def nested_row_splits(self) -> tuple:
        """The splits of all ragged axes, the outermost first."""
        inner = self._values
        return (self._row_splits, *getattr(inner, "nested_row_splits", ()))

    @property
    def ragged_rank(self) -> int:
        """How many axes are ragged."""
        return len(self.nested_row_splits)

    def nested_row_lengths(self, name: str | None = None) -> tuple:
        """The lengths of the rows along all ragged axes, the outermost first."""
        return tuple(splits[1:] - splits[:-1] for splits in self.nested_row_splits)

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape; None for the ragged axes."""
        known = self._row_splits.shape.with_rank(1).as_list()[0]
        rows = None if known is None else known - 1
        inner = self._values.shape
        return TensorShape([rows, None]).concatenate(inner[1:]) if inner.ndims else inner

    def get_shape(self) -> TensorShape:
        """What is known of the shape."""
        return self.shape

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """How many rows there are."""
        count = self._known.get("nrows")
        if count is None:
            count = _count(self._row_splits, self._row_splits.dtype) - 1
        return count if out_type is None else cast(count, out_type)

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """How many values each row has; those of the rows inside with a larger axis."""
        rank = self.shape.ndims
        if rank is not None:
            axis = axis_of(axis, rank)
        if axis == 0:
            return self.nrows()
        if axis == 1 and "row_lengths" in self._known:
            return self._known["row_lengths"]
        if axis == 1:
            return self._row_splits[1:] - self._row_splits[:-1]
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(axis - 1))
        sizes = shape_of(self._values, out_type=self._row_splits.dtype.base_dtype)
        return self.with_values(call("Fill", sizes[: axis - 1], sizes[axis - 1]))

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins."""
        return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends."""
        return self._row_splits[1:]

    def value_rowids(self, name: str | None = None) -> Tensor:
        """For each value the number of its row."""
        known = self._known.get("value_rowids")
        return ids_of(self._row_splits) if known is None else known

    def _columns(self) -> Tensor:
        """For each value its place in its row."""
        return self._places() - gather(self.row_starts(), self.value_rowids())

    def _places(self) -> Tensor:
        """For each value its place among all."""
        dtype = self._row_splits.dtype.base_dtype
        return range_of(cast(0, dtype), _count(self._values, dtype), cast(1, dtype))

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Any:
        """The smallest shape of a whole tensor that holds all rows."""
        dtype = self._row_splits.dtype.base_dtype
        longest = maximum(reduce_max(concat([self.row_lengths(), zeros([1], dtype)], 0)), 0)
        first = stack([self.nrows(), longest])
        if isinstance(self._values, RaggedTensor):
            rest = self._values.bounding_shape()[1:]
        else:
            rest = shape_of(self._values, out_type=dtype)[1:]
        whole = concat([first, rest], 0)
        whole = whole if out_type is None else cast(whole, out_type)
        return whole if axis is None else gather(whole, axis)

    # ---- other forms ---------------------------------------------------------------------

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows with other values.

        Raises:
          ValueError: when they are known to be of another number.
        """
        changed = RaggedTensor(new_values, self._row_splits, **self._known)
        self._values.shape[:1].assert_is_compatible_with(changed._values.shape[:1])
        return changed

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows with other innermost values."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def numpy(self) -> np.ndarray:
        """The rows as an array of arrays; one array, when all have as many values.

        Raises:
          ValueError: unless it is executed eagerly.
        """
        if not stacks.executing_eagerly():
            raise ValueError("RaggedTensor.numpy() is only supported in eager mode.")
        values, splits = self._values.numpy(), self._row_splits.numpy().tolist()
        rows = [values[start:end] for start, end in zip(splits, splits[1:], strict=False)]
        if not rows:
            return np.zeros((0, 0, *values.shape[1:]), values.dtype)
        uneven = len({len(row) for row in rows}) > 1
        return np.array(rows, object if uneven else None)

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Tensor:
        """A whole tensor, with `default_value` (zero, or "") behind the shorter rows."""
        with name_scope(name, "RaggedToTensor"):
            inner: Any = self._values
            if default_value is None:
                default_value = "" if self.dtype.base_dtype == dtypes.string else 0
            if isinstance(inner, RaggedTensor):
                inner = inner.to_tensor(default_value)
            dtype = self._row_splits.dtype.base_dtype
            size = concat([self.bounding_shape()[:2], shape_of(inner, out_type=dtype)[1:]], 0)
            empty = convert_to_tensor(default_value, inner.dtype.base_dtype)
            places = stack([self.value_rowids(), self._columns()], axis=1)
            whole = tensor_scatter_update(call("Fill", size, empty), places, inner)
            whole.set_shape(self.shape[:2].concatenate(inner.shape[1:]))
            return whole

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """A `SparseTensor` of the values at their places."""
        with name_scope(name, "RaggedToSparse"):
            places = where(equal(call("ZerosLike", self), call("ZerosLike", self)))
            return SparseTensor(
                places, reshape(self.flat_values, [-1]), cast(self.bounding_shape(), dtypes.int64)
            )

    def to_list(self) -> list:
        """Nested lists, when the values are known: under eager execution, or of constants.

        Raises:
          ValueError: when they depend on a run.
        """
        known = [constant_value(t) for t in self._components()]
        if any(v is None for v in known):
            raise ValueError(
                "RaggedTensor.to_list() needs eager execution; fetch it and call "
                "to_list() of the value."
            )
        return self._fetched(known).to_list()

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> RaggedTensorValue:
        """Computes it in a session."""
        return (session or stacks.get_default_session()).run(self, feed_dict)

    def _components(self) -> list[Tensor]:
        return [*self.nested_row_splits, self.flat_values]

    def _with_components(self, tensors: Sequence[Tensor]) -> RaggedTensor:
        return reduce(RaggedTensor, reversed(tensors[:-1]), tensors[-1])

    def _fetched(self, values: Sequence[Any]) -> RaggedTensorValue:
        return reduce(RaggedTensorValue, reversed(values[:-1]), values[-1])

    def _fed(self, value: Any) -> list[Any]:
        splits, inner = [], value
        for _ in range(self.ragged_rank):
            splits.append(inner.row_splits)
            inner = inner.values
        return [*splits, inner]

    @property
    def graph(self) -> Any:
        """The graph it belongs to."""
        return self._row_splits.graph

    # ---- parts of it ---------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        with name_scope(None, "RaggedGetItem"):
            return sliced(self, key)

    # ---- operations on it ----------------------------------------------------------------

    def _map_elements(self, op_def: OpDef, inputs: Sequence[Any], attrs: dict, name: Any) -> Any:
        """Runs an operation of which this is an input; see op_def.call."""
        found = [each if isinstance(each, (list, tuple)) else [each] for each in inputs]
        ragged = [i._as_tensor() for each in found for i in each if is_ragged(i)]
        like = max(ragged, key=lambda each: each.ragged_rank)
        kind = like.dtype.base_dtype if op_def.elementwise else None
        inputs = [
            convert_to_tensor(value, preferred_dtype=kind)
            if isinstance(value, list) and not arg.is_list
            else value
            for arg, value in zip(op_def.inputs, inputs)
        ]
        inputs = [_each(lambda i: i._as_tensor() if is_ragged(i) else i, value) for value in inputs]
        if op_def.type in RULES:
            return RULES[op_def.type](like, op_def, inputs, attrs)
        if not op_def.elementwise and op_def.type not in KEEPS_ROWS:
            raise TypeError(f"The op {op_def.type} does not take a RaggedTensor.")
        if len(found) > 1 and any(each.shape.ndims is None for each in ragged):
            raise ValueError("Unable to broadcast: unknown rank")
        return mapped(partial(call, op_def, name=name, **attrs), like, inputs)

    def _as_tensor(self) -> Any:
        return self

    def __iter__(self) -> Iterator[Any]:
        count = self.shape.as_list()[0]
        if count is None:
            raise TypeError("A RaggedTensor can be gone through where its number of rows is known.")
        return (self[row] for row in range(count))

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __repr__(self) -> str:
        if stacks.executing_eagerly():
            return f"<tf.RaggedTensor {self.to_list()}>"
        return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"


def _operator(op_type: str, reflected: bool) -> Callable[..., Any]:
    def method(self: RaggedTensor, other: Any) -> Any:
        if not isinstance(other, (RaggedTensor, Tensor)):
            other = convert_to_tensor(other, preferred_dtype=self.dtype.base_dtype)
        pair = (other, self) if reflected else (self, other)
        if op_type == "RealDiv":
            return truediv(*pair)  # which makes floats of integers
        return call("Add" if self.dtype == dtypes.string and op_type == "AddV2" else op_type, *pair)

    method.__doc__ = f"{op_type}, elementwise."
    return method


_ARITHMETIC = {
    "add": "AddV2",
    "sub": "Sub",
    "mul": "Mul",
    "truediv": "RealDiv",
    "floordiv": "FloorDiv",
    "mod": "FloorMod",
    "pow": "Pow",
    "and": "LogicalAnd",
    "or": "LogicalOr",
    "xor": "NotEqual",
}
_COMPARING = {"lt": "Less", "le": "LessEqual", "gt": "Greater", "ge": "GreaterEqual"}
for _name, _type in {**_ARITHMETIC, **_COMPARING}.items():
    setattr(RaggedTensor, f"__{_name}__", _operator(_type, False))
    if _name in _ARITHMETIC:
        setattr(RaggedTensor, f"__r{_name}__", _operator(_type, True))
for _name, _type in (("neg", "Neg"), ("abs", "Abs"), ("invert", "LogicalNot")):
    setattr(RaggedTensor, f"__{_name}__", lambda self, _type=_type: call(_type, self))


# ---- helpers -----------------------------------------------------------------------------


def _count(values: Any, dtype: Any) -> Tensor:
    """How many rows `values` has."""
    if isinstance(values, RaggedTensor):
        return values.nrows(dtype.base_dtype)
    return shape_of(convert_to_tensor(values), out_type=dtype.base_dtype)[0]


def _partition(value: Any, name: str) -> Tensor:
    """What cuts values into rows, as a vector of int32 or int64."""
    preferred = None if isinstance(value, np.ndarray) else dtypes.int64
    splits = convert_to_tensor(value, name=name, preferred_dtype=preferred)
    if splits.dtype.base_dtype not in dtypes.INDICES:
        raise ValueError("Row partitioning tensors must be int32 or int64.")
    splits.shape.assert_has_rank(1)
    return splits


def _check_count(nrows: Any, ids: Tensor) -> None:
    """Refuses a number of rows that is known to be too small."""
    given = convert_to_tensor(nrows, ids.dtype.base_dtype)
    given.shape.assert_has_rank(0)
    count, known = constant_value(given), constant_value(ids)
    if count is not None and count < 0:
        raise ValueError(f"Expected nrows >= 0; got {count}")
    if count is not None and known is not None and known.size and count <= known[-1]:
        raise ValueError(
            f"Expected nrows >= value_rowids[-1] + 1; got nrows={count}, "
            f"value_rowids[-1]={known[-1]}"
        )


def _nested(make: Callable, values: Any, validate: bool, **made_of: Any) -> RaggedTensor:
    """Rows of rows, made of lists of partitions, which go from the outermost inwards."""
    for name, each in made_of.items():
        if isinstance(each, Tensor):
            raise TypeError(f"{name} must be a list of Tensors")
    if len({len(each) for each in made_of.values()}) > 1:
        first, second = made_of
        raise ValueError(f"{second} must have the same length as {first}")
    for parts in reversed(list(zip(*made_of.values()))):
        values = make(values, *parts, validate=validate)
    return values


def _is_vector(lengths: Any) -> bool:
    """Whether these are the lengths of one ragged axis of several."""
    return isinstance(lengths, (list, tuple, np.ndarray)) or getattr(lengths, "shape", ())


def _each(function: Callable[[Any], Any], value: Any) -> Any:
    """`function` of an input, or of each item of a list of inputs."""
    return [function(v) for v in value] if isinstance(value, (list, tuple)) else function(value)

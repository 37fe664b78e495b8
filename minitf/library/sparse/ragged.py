"""`RaggedTensor`: rows of different lengths, in one tensor of values and one of places to cut.

    [[3, 1, 4], [], [5, 9]]    values      [3, 1, 4, 5, 9]
                               row_splits  [0, 3, 3, 5]     row i: values[splits[i]:splits[i + 1]]

The values may be ragged themselves: that makes rows of rows. Elementwise operations take the values
and leave the splits alone; a reduction over the ragged axis is one over segments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant, constant_value, convert_to_tensor
from minitf.core.graph.op_def import OpDef, call
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like, zeros
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.array_slicing import boolean_mask
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal, less, logical_and, not_equal
from minitf.core.ops.math import maximum, minimum, truediv
from minitf.core.ops.reductions import cumsum, reduce_max, reduce_sum
from minitf.core.ops.scatter import tensor_scatter_update
from minitf.core.ops.segments import (
    unsorted_segment_max,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sum,
)
from minitf.library.numeric.sorting import argsort, searchsorted

_KEEPS_ROWS = frozenset(
    ("Cast", "Substr", "StringLength", "StringLower", "StringUpper", "StringToNumber", "AsString",
     "RegexReplace", "StaticRegexReplace", "StringToHashBucketFast", "Identity", "ZerosLike",
     "StringToHashBucket", "StringToHashBucketStrong", "CheckNumerics")
)  # fmt: skip
_REDUCTIONS: dict[str, Callable[..., Tensor]] = {
    "Sum": unsorted_segment_sum,
    "Mean": lambda data, ids, count: _mean(data, ids, count),
    "Prod": unsorted_segment_prod,
    "Max": unsorted_segment_max,
    "Min": unsorted_segment_min,
}


class RaggedTensorValue(NamedTuple):
    """What a run gives for a `RaggedTensor`: arrays; the values may be such a value again."""

    values: Any
    row_splits: Any

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        inner = self.values
        return inner.flat_values if isinstance(inner, RaggedTensorValue) else inner

    @property
    def ragged_rank(self) -> int:
        """How many axes are ragged."""
        return 1 + getattr(self.values, "ragged_rank", 0)

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
      >>> sess.run(tf.reduce_sum(digits, axis=1))
      array([ 8,  0, 14], dtype=int32)
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        self._values = values if isinstance(values, RaggedTensor) else convert_to_tensor(values)
        splits = convert_to_tensor(row_splits, preferred_dtype=dtypes.int64)
        if splits.dtype.base_dtype not in dtypes.INDICES:
            raise ValueError("Row partitioning tensors must be int32 or int64.")
        splits.shape.assert_has_rank(1)
        self._row_splits = splits

    # ---- made from other partitions ------------------------------------------------------

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i is `values[row_splits[i]:row_splits[i + 1]]`."""
        with name_scope(name, "RaggedFromRowSplits"):
            return cls(values, row_splits)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i has the next `row_lengths[i]` values."""
        with name_scope(name, "RaggedFromRowLengths"):
            lengths = convert_to_tensor(row_lengths, preferred_dtype=dtypes.int64)
            return cls(values, _splits_of(lengths))

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i begins at `row_starts[i]`."""
        with name_scope(name, "RaggedFromRowStarts"):
            starts = convert_to_tensor(row_starts, preferred_dtype=dtypes.int64)
            end = reshape(_count(values, starts.dtype), [1])
            return cls(values, concat([starts, end], 0))

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i ends before `row_limits[i]`."""
        with name_scope(name, "RaggedFromRowLimits"):
            limits = convert_to_tensor(row_limits, preferred_dtype=dtypes.int64)
            return cls(values, concat([zeros([1], limits.dtype.base_dtype), limits], 0))

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
            ids = convert_to_tensor(value_rowids, preferred_dtype=dtypes.int64)
            dtype = ids.dtype.base_dtype
            one = constant(1, dtype)
            if nrows is None:
                nrows = maximum(reduce_max(concat([ids, constant([-1], dtype)], 0)) + one, 0 * one)
            count = convert_to_tensor(nrows, dtype)
            lengths = unsorted_segment_sum(call("ZerosLike", ids) + one, ids, count)
            return cls(values, _splits_of(lengths))

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Several ragged axes at once; the splits of the outermost come first."""
        return reduce(cls.from_row_splits, reversed(nested_row_splits), flat_values)

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Several ragged axes at once; the lengths of the outermost come first."""
        return reduce(cls.from_row_lengths, reversed(nested_row_lengths), flat_values)

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
        if ragged_rank != 1:
            raise NotImplementedError("RaggedTensor.from_tensor takes a ragged_rank of 1.")
        with name_scope(name, "RaggedFromTensor"):
            whole, kind = convert_to_tensor(tensor), dtypes.as_dtype(row_splits_dtype)
            sizes = shape_of(whole, out_type=kind)
            places = range_of(cast(0, kind), sizes[1], cast(1, kind))
            if padding is not None:
                kept = not_equal(whole, convert_to_tensor(padding, whole.dtype.base_dtype))
                lengths = reduce_max(cast(kept, kind) * (places + 1), axis=1)
            if lengths is None:
                lengths = call("Fill", sizes[:1], sizes[1])
            lengths = minimum(cast(lengths, kind), sizes[1])
            inside = less(reshape(places, [1, -1]), reshape(lengths, [-1, 1]))
            return cls.from_row_lengths(boolean_mask(whole, inside), lengths)

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
            return cls.from_value_rowids(st_input.values, rows, count)

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

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape; None for the ragged axes."""
        known = self._row_splits.shape.as_list()[0]
        rows = None if known is None else known - 1
        inner = self._values.shape
        return TensorShape([rows, None]).concatenate(inner[1:]) if inner.ndims else inner

    def get_shape(self) -> TensorShape:
        """What is known of the shape."""
        return self.shape

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """How many rows there are."""
        count = _count(self._row_splits, self._row_splits.dtype) - 1
        return count if out_type is None else cast(count, out_type)

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """How many values each row has."""
        if axis == 1:
            return self._row_splits[1:] - self._row_splits[:-1]
        return self.with_values(self._values.row_lengths(axis - 1))

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins."""
        return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends."""
        return self._row_splits[1:]

    def value_rowids(self, name: str | None = None) -> Tensor:
        """For each value the number of its row."""
        dtype = self._row_splits.dtype.base_dtype
        return searchsorted(self._row_splits[1:], self._places(), side="right", out_type=dtype)

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
        """The same rows with other values."""
        return RaggedTensor(new_values, self._row_splits)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows with other innermost values."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

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
        if isinstance(self._values, RaggedTensor) or self._values.shape.ndims != 1:
            raise NotImplementedError("RaggedTensor.to_sparse takes one ragged axis of scalars.")
        with name_scope(name, "RaggedToSparse"):
            places = stack([self.value_rowids(), self._columns()], axis=1)
            return SparseTensor(cast(places, dtypes.int64), self._values,
                                cast(self.bounding_shape(), dtypes.int64))  # fmt: skip

    def to_list(self) -> list:
        """Nested lists, when the values are known: under eager execution, or of constants.

        Raises:
          ValueError: when they depend on a run.
        """
        known = [constant_value(t) for t in self._components()]
        if any(v is None for v in known):
            raise ValueError("RaggedTensor.to_list() needs eager execution; fetch it and call "
                             "to_list() of the value.")  # fmt: skip
        return self._fetched(known).to_list()

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> RaggedTensorValue:
        """Computes it in a session."""
        return (session or stacks.get_default_session()).run(self, feed_dict)

    def consumers(self) -> list:
        """The operations that take the innermost values."""
        return self.flat_values.consumers()

    def _components(self) -> list[Tensor]:
        return [*self.nested_row_splits, self.flat_values]

    def _with_components(self, tensors: Sequence[Tensor]) -> RaggedTensor:
        return RaggedTensor.from_nested_row_splits(tensors[-1], tensors[:-1])

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
        first, *rest = key if isinstance(key, tuple) else (key,)
        if isinstance(first, slice):
            if first.step not in (None, 1):
                raise NotImplementedError("Rows of a RaggedTensor are taken one by one.")
            starts, limits = self.row_starts()[first], self.row_limits()[first]
            begin = concat([starts, limits[-1:]], 0)[:1]
            splits = concat([begin, limits], 0)
            low = reduce_sum(begin)
            inner = self._values[low : reduce_sum(splits[-1:])]
            part = RaggedTensor(inner, splits - low)
            return part._inside(rest) if rest else part
        begin, end = self._row_splits[:-1][first], self._row_splits[1:][first]
        row = self._values[begin:end]
        return row[tuple(rest)] if rest else row

    def _inside(self, keys: Sequence[Any]) -> RaggedTensor:
        """What `keys` name of each row."""
        first, *rest = keys
        if not isinstance(first, slice):
            raise ValueError("Cannot index into an inner ragged dimension.")
        if first.step not in (None, 1):
            raise NotImplementedError("Values of a row of a RaggedTensor are taken one by one.")
        part = self
        if first.start is not None or first.stop is not None:
            columns, rows = self._columns(), self.value_rowids()
            lengths = gather(self.row_lengths(), rows)
            kept = greater_equal(columns, columns * 0)
            for edge, test in ((first.start, greater_equal), (first.stop, less)):
                if edge is not None:
                    limit = lengths + edge if edge < 0 else lengths * 0 + edge
                    kept = logical_and(kept, test(columns, limit))
            ids, count = boolean_mask(rows, kept), self.nrows()
            part = RaggedTensor.from_value_rowids(boolean_mask(self._values, kept), ids, count)
        return part.with_values(part._values[(slice(None), *rest)]) if rest else part

    # ---- operations on it ----------------------------------------------------------------

    def _map_elements(self, op_def: OpDef, inputs: Sequence[Any], attrs: dict, name: Any) -> Any:
        """Runs an operation of which this is an input; see op_def.call."""
        if op_def.type in _REDUCTIONS:
            return self._reduced(op_def, attrs)
        if op_def.type == "ConcatV2":
            return _joined([_as_ragged(v) for v in inputs[0]], attrs["axis"])
        if not op_def.elementwise and op_def.type not in _KEEPS_ROWS:
            raise TypeError(f"The op {op_def.type} does not take a RaggedTensor.")
        plain = [_spread(v, self) for v in inputs]
        return self.with_flat_values(call(op_def, *plain, name=name, **attrs))

    def _reduced(self, op_def: OpDef, attrs: dict) -> Any:
        axis, keep = attrs.get("axis"), attrs.get("keep_dims", False)
        if axis is None:
            return call(op_def, self.flat_values, axis=None, keep_dims=keep)
        places = sorted(a % self.shape.ndims for a in axis)
        if keep or len(places) > 1:
            raise NotImplementedError("A RaggedTensor is reduced over one axis at a time.")
        combine = _REDUCTIONS[op_def.type]
        if places[0] < 2 and isinstance(self._values, RaggedTensor):
            raise NotImplementedError("Rows of rows are reduced over their innermost axis only.")
        if places[0] == 1:
            return combine(self._values, self.value_rowids(), self.nrows())
        if places[0] == 0:
            return combine(self._values, self._columns(), self.bounding_shape()[1])
        return self.with_values(call(op_def, self._values, axis=(places[0] - 1,), keep_dims=False))

    def __repr__(self) -> str:
        if stacks.executing_eagerly():
            return f"<tf.RaggedTensor {self.to_list()}>"
        return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"


def _operator(op_type: str, reflected: bool) -> Callable[..., Any]:
    def method(self: RaggedTensor, other: Any) -> Any:
        if not isinstance(other, (RaggedTensor, Tensor)):
            other = convert_to_tensor(other, preferred_dtype=self.dtype.base_dtype)
        return call(op_type, *((other, self) if reflected else (self, other)))

    method.__doc__ = f"{op_type}, elementwise."
    return method


_ARITHMETIC = {
    "add": "AddV2", "sub": "Sub", "mul": "Mul", "truediv": "RealDiv", "floordiv": "FloorDiv",
    "mod": "FloorMod", "pow": "Pow", "and": "LogicalAnd", "or": "LogicalOr",
}  # fmt: skip
_COMPARING = {"lt": "Less", "le": "LessEqual", "gt": "Greater", "ge": "GreaterEqual"}
for _name, _type in {**_ARITHMETIC, **_COMPARING}.items():
    setattr(RaggedTensor, f"__{_name}__", _operator(_type, False))
    if _name in _ARITHMETIC:
        setattr(RaggedTensor, f"__r{_name}__", _operator(_type, True))
for _name, _type in (("neg", "Neg"), ("abs", "Abs"), ("invert", "LogicalNot")):
    setattr(RaggedTensor, f"__{_name}__", lambda self, _type=_type: call(_type, self))


def _mean(data: Tensor, ids: Tensor, count: Any) -> Tensor:
    """The averages of segments; of one without values it is no number."""
    ones = unsorted_segment_sum(ones_like(data), ids, count)
    return truediv(unsorted_segment_sum(data, ids, count), ones)


# ---- helpers -----------------------------------------------------------------------------


def _count(values: Any, dtype: Any) -> Tensor:
    """How many rows `values` has."""
    if isinstance(values, RaggedTensor):
        return values.nrows(dtype.base_dtype)
    return shape_of(convert_to_tensor(values), out_type=dtype.base_dtype)[0]


def _splits_of(lengths: Tensor) -> Tensor:
    return concat([zeros([1], lengths.dtype.base_dtype), cumsum(lengths)], 0)


def _as_ragged(value: Any) -> RaggedTensor:
    if isinstance(value, RaggedTensor):
        return value
    tensor = convert_to_tensor(value)
    return RaggedTensor.from_tensor(tensor)


def _spread(value: Any, like: RaggedTensor) -> Any:
    """The innermost values of a ragged input; one number for each row is repeated along it."""
    if isinstance(value, RaggedTensor):
        return value.flat_values
    tensor = convert_to_tensor(value, preferred_dtype=like.dtype.base_dtype)
    if tensor.shape.ndims == 2 and tensor.shape.as_list()[1] == 1 and like.ragged_rank == 1:
        return gather(reshape(tensor, [-1]), like.value_rowids())
    return tensor


def _joined(parts: list[RaggedTensor], axis: int) -> RaggedTensor:
    """Ragged tensors one after the other, or row by row."""
    lengths = concat([p.row_lengths() for p in parts], 0)
    values = concat([p.values for p in parts], 0)
    if axis == 0:
        return RaggedTensor.from_row_lengths(values, lengths)
    if axis != 1 or any(isinstance(p.values, RaggedTensor) for p in parts):
        raise NotImplementedError("Ragged tensors are joined along axis 0 or 1.")
    rows = concat([p.value_rowids() for p in parts], 0)
    order = argsort(rows, stable=True)
    return RaggedTensor.from_value_rowids(
        gather(values, order), gather(rows, order), parts[0].nrows()
    )

"""`RaggedTensor`: rows of different lengths, in one tensor of values and one of places to cut.

    [[3, 1, 4], [], [5, 9]]    values      [3, 1, 4, 5, 9]
                               row_splits  [0, 3, 3, 5]     row i: values[splits[i]:splits[i + 1]]

The values may be ragged themselves: that makes rows of rows. Elementwise operations and those in
`KEEPS_ROWS` take the innermost values and leave the splits alone. What others do is in `RULES`:

    tf.gather(rows, [2, 0]) ──> call("GatherV2", ...) ──> an input is ragged ──> RULES["GatherV2"]

The rules stand on rows that are taken by their places, and on the number of each value's row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import constant, constant_value, convert_to_tensor
from minitf.core.graph.op_def import OpDef, call
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, size
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import fill, ones_like, zeros
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_gathering import gather, unsorted_segment_sum
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import reshape, tile, transpose
from minitf.core.ops.array_slicing import boolean_mask
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, less, not_equal, where
from minitf.core.ops.control import with_dependencies
from minitf.core.ops.math import maximum, minimum
from minitf.core.ops.operators import give_operators
from minitf.core.ops.reductions import cumsum, reduce_all, reduce_any, reduce_max
from minitf.library.checks.assertions import assert_equal, assert_non_negative
from minitf.library.checks.logging_ops import Assert
from minitf.library.numeric.coordinates import tensor_scatter_update

#: Operations that give one value for each, beside those that say they are elementwise.
KEEPS_ROWS = frozenset(
    "AddN AsString Bitcast Cast CheckNumerics EncodeBase64 Identity StopGradient StringJoin "
    "StringLength StringLower StringStrip StringToHashBucketFast "
    "StringToNumber Substr UnicodeScript UnicodeTranscode ZerosLike".split()
)


class _Rows:
    """What a ragged tensor and its value tell of themselves alike."""

    values: Any
    row_splits: Any

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        return getattr(self.values, "flat_values", self.values)

    @property
    def nested_row_splits(self) -> tuple:
        """The splits of all ragged axes, the outermost first."""
        return (self.row_splits, *getattr(self.values, "nested_row_splits", ()))

    @property
    def ragged_rank(self) -> int:
        """How many axes are ragged."""
        return len(self.nested_row_splits)


class RaggedTensorValue(_Rows):
    """What a run gives for a `RaggedTensor`: arrays; the values may be such a value again."""

    def __init__(self, values: Any, row_splits: Any) -> None:
        self.values = values
        self.row_splits = row_splits

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def to_list(self) -> list:
        """Nested lists."""
        inner = self.values.to_list() if hasattr(self.values, "to_list") else self.values.tolist()
        splits = self.row_splits.tolist()
        return [inner[a:b] for a, b in zip(splits, splits[1:], strict=False)]


class RaggedTensor(_Rows):
    """Rows of different lengths. Made by `tf.ragged.constant` and the `from_...` functions.

    Args:
      values: [n, ...] a tensor or `RaggedTensor`, all rows end to end.
      row_splits: [rows + 1] int64 or int32, where each row begins, and the end of the last.

    Example:
      >>> digits = tf.ragged.constant([[3, 1, 4], [], [5, 9]])
      >>> sess.run(digits.row_lengths())
      array([3, 0, 2])
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        kept = isinstance(values, RaggedTensor)
        self.values = values if kept else convert_to_tensor(values, name="values")
        self.values.shape.with_rank_at_least(1)
        self.row_splits = _partition(row_splits, "row_splits")

    def _checked(self, maker: str, validate: bool, *others: Any) -> RaggedTensor:
        """The same with splits that fail where they, or `others`, do not rise to the last value."""
        if not validate:
            return self
        count = _count(self.values, self.row_splits.dtype)
        text = f"Arguments to {maker} do not form a valid RaggedTensor"
        zero = 0 * count
        rising = [
            assert_non_negative(each[1:] - each[:-1], message=text)
            for each in (self.row_splits, *others)
        ]
        ends = [
            assert_equal(self.row_splits[place], edge, message=text)
            for place, edge in ((0, zero), (-1, count))
        ]
        with stacks.control_dependencies([each for each in (*rising, *ends) if each is not None]):
            self.row_splits = identity(self.row_splits)
        return self

    # ---- made from other partitions ------------------------------------------------------

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i is `values[row_splits[i]:row_splits[i + 1]]`."""
        with name_scope(name, "RaggedFromRowSplits"):
            rows = cls(values, row_splits)
            if rows.row_splits.shape.num_elements() == 0:
                raise ValueError("row_splits tensor may not be empty.")
            return rows._checked("from_row_splits", validate)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i has the next `row_lengths[i]` values."""
        with name_scope(name, "RaggedFromRowLengths"):
            lengths = _partition(row_lengths, "row_lengths")
            return cls(values, _splits_of(lengths))._checked("from_row_lengths", validate)

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
            if nrows is None:
                nrows = maximum(reduce_max(concat([ids, constant([-1], dtype)], 0)) + 1, 0)
            else:
                _check_count(nrows, ids)
            count = convert_to_tensor(nrows, dtype)
            lengths = unsorted_segment_sum(ones_like(ids), ids, count)
            return cls(values, _splits_of(lengths))._checked("from_value_rowids", validate, ids)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Several ragged axes at once; the splits of the outermost come first."""
        if isinstance(nested_row_splits, Tensor):
            raise TypeError("nested_row_splits must be a list of Tensors")
        values = flat_values
        for splits in reversed(nested_row_splits):
            values = cls.from_row_splits(values, splits, validate=validate)
        return values

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
        if lengths is not None and padding is not None:
            raise ValueError("Specify lengths or padding, but not both")
        with name_scope(name, "RaggedFromTensor"):
            whole, kind = convert_to_tensor(tensor), dtypes.as_dtype(row_splits_dtype)
            sizes = shape_of(whole, out_type=kind)
            joined = reshape(whole, concat([[-1], sizes[2:]], 0))
            if ragged_rank > 1:
                joined = cls.from_tensor(joined, lengths, padding, ragged_rank - 1, None, kind)
            elif padding is not None:
                kept = not_equal(whole, convert_to_tensor(padding, whole.dtype.base_dtype))
                if whole.shape.ndims > 2:
                    kept = reduce_any(kept, axis=list(range(2, whole.shape.ndims)))
                lengths = reduce_max(cast(kept, kind) * (range_of(sizes[1]) + 1), axis=1)
            if lengths is None or ragged_rank > 1:
                return cls(joined, range_of(sizes[0] + 1) * sizes[1])
            lengths = minimum(cast(lengths, kind), sizes[1])
            inside = less(reshape(range_of(sizes[1]), [1, -1]), reshape(lengths, [-1, 1]))
            return cls(boolean_mask(whole, inside), _splits_of(lengths))

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
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape; None for the ragged axes."""
        known = self.row_splits.shape.with_rank(1).as_list()[0]
        rows = None if known is None else known - 1
        inner = self.values.shape
        return TensorShape([rows, None]).concatenate(inner[1:]) if inner.ndims else inner

    def get_shape(self) -> TensorShape:
        """What is known of the shape."""
        return self.shape

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """How many rows there are."""
        count = _count(self.row_splits, self.row_splits.dtype) - 1
        return count if out_type is None else cast(count, out_type)

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """How many values each row has; those of the rows inside with a larger axis."""
        if axis > 1:
            return self.with_values(self.values.row_lengths(axis - 1))
        return self.row_splits[1:] - self.row_splits[:-1]

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins."""
        return self.row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends."""
        return self.row_splits[1:]

    def value_rowids(self, name: str | None = None) -> Tensor:
        """For each value the number of its row."""
        return _ids_of(self.row_splits)

    def _columns(self) -> Tensor:
        """For each value its place in its row."""
        ids = self.value_rowids()
        return cast(range_of(size(ids)), ids.dtype) - gather(self.row_starts(), ids)

    def bounding_shape(self, axis: Any = None, name: str | None = None) -> Any:
        """The smallest shape of a whole tensor that holds all rows."""
        dtype = self.row_splits.dtype.base_dtype
        longest = maximum(reduce_max(concat([self.row_lengths(), zeros([1], dtype)], 0)), 0)
        if isinstance(self.values, RaggedTensor):
            inner = self.values.bounding_shape()
        else:
            inner = shape_of(self.values, out_type=dtype)
        whole = concat([stack([self.nrows(), longest]), inner[1:]], 0)
        return whole if axis is None else gather(whole, axis)

    # ---- other forms ---------------------------------------------------------------------

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows with other values.

        Raises:
          ValueError: when they are known to be of another number.
        """
        changed = RaggedTensor(new_values, self.row_splits)
        self.values.shape[:1].assert_is_compatible_with(changed.values.shape[:1])
        return changed

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows with other innermost values."""
        if isinstance(self.values, RaggedTensor):
            return self.with_values(self.values.with_flat_values(new_values))
        return self.with_values(new_values)

    def to_tensor(self, default_value: Any = None, name: str | None = None) -> Tensor:
        """A whole tensor, with `default_value` (zero, or "") behind the shorter rows."""
        with name_scope(name, "RaggedToTensor"):
            inner: Any = self.values
            if default_value is None:
                default_value = "" if self.dtype.base_dtype == dtypes.string else 0
            if isinstance(inner, RaggedTensor):
                inner = inner.to_tensor(default_value)
            dtype = self.row_splits.dtype.base_dtype
            sizes = concat([self.bounding_shape()[:2], shape_of(inner, out_type=dtype)[1:]], 0)
            empty = convert_to_tensor(default_value, inner.dtype.base_dtype)
            places = stack([self.value_rowids(), self._columns()], axis=1)
            whole = tensor_scatter_update(call("Fill", sizes, empty), places, inner)
            whole.set_shape(self.shape[:2].concatenate(inner.shape[1:]))
            return whole

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """A `SparseTensor` of the values at their places."""
        with name_scope(name, "RaggedToSparse"):
            flat, outer = self.flat_values, stack(_coordinates(self), axis=1)
            inner = where(fill(shape_of(flat), True))
            places = concat([gather(outer, inner[:, 0]), inner[:, 1:]], 1)
            whole = cast(self.bounding_shape(), dtypes.int64)
            return SparseTensor(places, reshape(flat, [-1]), whole)

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

    def _fed(self, value: RaggedTensorValue) -> list[Any]:
        return [*value.nested_row_splits, value.flat_values]

    @property
    def graph(self) -> Any:
        """The graph it belongs to."""
        return self.row_splits.graph

    # ---- operations on it ----------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        with name_scope(None, "RaggedGetItem"):
            keys = list(key) if isinstance(key, (list, tuple)) else [key]
            if any(each is None for each in keys):
                raise ValueError("A slice of a RaggedTensor has no new axes.")
            place = next((i for i, each in enumerate(keys) if each is Ellipsis), None)
            if place is not None:
                keys[place : place + 1] = [slice(None)] * (self.shape.ndims - len(keys) + 1)
            return _sliced(self, keys)

    def _map_elements(self, op_def: OpDef, inputs: Sequence[Any], attrs: dict, name: Any) -> Any:
        """Runs an operation of which this is an input; see op_def.call."""
        if op_def.type in RULES:
            return RULES[op_def.type](self, inputs, attrs)
        if not op_def.elementwise and op_def.type not in KEEPS_ROWS:
            raise TypeError(f"The op {op_def.type} does not take a RaggedTensor.")
        is_list = op_def.inputs[0].is_list
        operands = inputs[0] if is_list else inputs
        like = max(
            (x for x in operands if isinstance(x, RaggedTensor)), key=lambda each: each.ragged_rank
        )
        if op_def.elementwise:
            operands = [
                convert_to_tensor(x, preferred_dtype=like.dtype.base_dtype) for x in operands
            ]
        flat = [like._flat_of(each) for each in operands]
        values = call(op_def, *([flat] if is_list else flat), name=name, **attrs)
        return like.with_flat_values(values)

    def _flat_of(self, operand: Any) -> Any:
        """An operand as it meets the innermost values.

        Args:
          operand: of the same rows; or for each row one value; or one that is for all of them.
        """
        if not isinstance(operand, RaggedTensor):
            operand = convert_to_tensor(operand)
            if operand.shape.ndims is None:
                raise ValueError("Unable to broadcast: unknown rank")
            if operand.shape.ndims < self.flat_values.shape.ndims:
                return operand
            if self.ragged_rank > 1 or operand.shape.as_list()[1:2] != [1]:
                raise ValueError(f"Unable to broadcast: {operand} to the rows of {self}")
            return gather(operand[:, 0], self.value_rowids())
        if operand.ragged_rank != self.ragged_rank:
            raise ValueError(f"Unable to broadcast: {operand} to the rows of {self}")
        pairs = zip(self.nested_row_splits, operand.nested_row_splits, strict=True)
        other = [pair for pair in pairs if pair[0] is not pair[1]]
        if not other:
            return operand.flat_values
        text = "Unable to broadcast: dimension size mismatch in dimension"
        checks = [
            Assert(reduce_all(equal(size(mine), size(its))) & reduce_all(equal(mine, its)), [text])
            for mine, its in other
        ]
        return with_dependencies(checks, operand.flat_values)

    scalar_like = Tensor.scalar_like

    def _as_tensor(self) -> RaggedTensor:
        return self  # where something is converted to a tensor

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
        return f"tf.RaggedTensor(values={self.values}, row_splits={self.row_splits})"


give_operators(RaggedTensor)


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


def _splits_of(lengths: Tensor) -> Tensor:
    """Where rows of these lengths begin, and the end of the last."""
    return concat([zeros([1], lengths.dtype.base_dtype), cumsum(lengths)], 0)


def _ids_of(splits: Tensor) -> Tensor:
    """For each value of the rows that begin at `splits` the number of its row."""
    dtype = splits.dtype.base_dtype
    places = range_of(cast(0, dtype), splits[-1], cast(1, dtype))
    return call("UpperBound", splits[None, 1:], places[None], out_type=dtype)[0]


def _counting(starts: Tensor, lengths: Tensor, step: int = 1) -> tuple[Tensor, Tensor]:
    """`starts[i], starts[i] + step, ...` for each row, `lengths[i]` of them; and the splits."""
    splits = _splits_of(lengths)
    ids = _ids_of(splits)
    columns = cast(range_of(size(ids)), ids.dtype) - gather(splits, ids)
    return gather(starts, ids) + columns * step, splits


def _coordinates(rows: Any) -> list[Tensor]:
    """For each innermost value its place along the axes up to the last ragged one."""
    outer = [cast(each, dtypes.int64) for each in (rows.value_rowids(), rows._columns())]
    if not isinstance(rows.values, RaggedTensor):
        return outer
    place, *inner = _coordinates(rows.values)
    return [*(gather(each, place) for each in outer), *inner]


# ---- what other operations do: (ragged, inputs, attrs) -> result -------------------------


def _gathered(like: RaggedTensor, inputs: Sequence[Any], attrs: dict) -> Any:
    params, indices = inputs
    if attrs.get("axis", 0) or attrs.get("batch_dims", 0):
        raise ValueError("axis != 0 is not supported for ragged gather yet.")
    if isinstance(indices, RaggedTensor):
        return indices.with_flat_values(gather(params, indices.flat_values))
    indices = convert_to_tensor(indices)
    if indices.shape.ndims == 0:
        return params[indices]
    indices.shape.assert_has_rank(1)
    lengths = gather(params.row_lengths(), indices)
    places, splits = _counting(gather(params.row_starts(), indices), lengths)
    return RaggedTensor(gather(params.values, places), splits)


def _concatenated(like: RaggedTensor, inputs: Sequence[Any], attrs: dict) -> Any:
    parts = [convert_to_tensor(each) for each in inputs[0]]
    ranks = {part.shape.ndims for part in parts}
    if len(ranks) != 1:
        raise ValueError(f"Inputs must have identical ragged_rank: {sorted(ranks)}")
    like = max((p for p in parts if isinstance(p, RaggedTensor)), key=lambda part: part.ragged_rank)
    kind = {"ragged_rank": like.ragged_rank, "row_splits_dtype": like.row_splits.dtype}
    parts = [
        p if isinstance(p, RaggedTensor) else RaggedTensor.from_tensor(p, **kind) for p in parts
    ]
    axis, rank = attrs["axis"], ranks.pop()
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    return _joined(parts, axis % rank)


def _joined(parts: Sequence[Any], axis: int) -> Any:
    """Ragged tensors one after the other along an axis."""
    if axis > 1:
        return parts[0].with_values(concat([part.values for part in parts], axis - 1))
    lengths = concat([part.row_lengths() for part in parts], 0)
    whole = RaggedTensor(concat([part.values for part in parts], 0), _splits_of(lengths))
    if axis == 0:
        return whole
    count = len(parts)
    order = reshape(transpose(reshape(range_of(whole.nrows()), [count, -1])), [-1])
    mixed = gather(whole, order)
    return RaggedTensor(mixed.values, mixed.row_splits[::count])


def _tiled(rows: RaggedTensor, inputs: Sequence[Any], attrs: dict) -> Any:
    multiples = cast(convert_to_tensor(inputs[1]), rows.row_splits.dtype.base_dtype)
    if rows.values.shape.ndims > 1:
        inner = concat([ones_like(multiples[:1]), multiples[2:]], 0)
        rows = rows.with_values(tile(rows.values, inner))
    each = reshape(range_of(rows.nrows()), [-1, 1])
    wide = gather(rows, reshape(tile(each, stack([1, multiples[1]])), [-1]))
    rows = RaggedTensor(wide.values, rows.row_splits * multiples[1])
    return gather(rows, tile(range_of(rows.nrows()), multiples[:1]))


def _size(rows: RaggedTensor, inputs: Sequence[Any], attrs: dict) -> Any:
    return size(rows.flat_values, out_type=attrs.get("out_type", dtypes.int32))


def _summed(rows: RaggedTensor, inputs: Sequence[Any], attrs: dict) -> Any:
    if attrs.get("keep_dims") or attrs["axis"] not in (1, [1], (1,)):
        raise ValueError("A RaggedTensor is summed along the axis 1.")
    return unsorted_segment_sum(rows.values, rows.value_rowids(), rows.nrows())


def _mean(rows: RaggedTensor, inputs: Sequence[Any], attrs: dict) -> Any:
    total = _summed(rows, inputs, attrs)
    counts = reshape(rows.row_lengths(), [-1, *[1] * (total.shape.ndims - 1)])
    return total / cast(counts, total.dtype)


RULES: dict[str, Callable[[RaggedTensor, Sequence[Any], dict], Any]] = {
    "ConcatV2": _concatenated,
    "GatherV2": _gathered,
    "Mean": _mean,
    "Size": _size,
    "Sum": _summed,
    "Tile": _tiled,
}


# ---- slices ------------------------------------------------------------------------------


def _is_whole(key: slice) -> bool:
    return (key.start, key.stop, key.step) == (None, None, None)


def _sliced(rows: Any, keys: list) -> Any:
    """`rows[keys]`: rows, single ones, slices of each row."""
    if not isinstance(rows, RaggedTensor) or not keys:
        return rows[tuple(keys)] if keys else rows
    first, *rest = keys
    if not isinstance(first, slice):
        starts, limits = rows.row_starts(), rows.row_limits()
        return _sliced(rows.values[starts[first] : limits[first]], rest)
    if not _is_whole(first):
        rows = gather(rows, range_of(rows.nrows())[first])
    if not rest:
        return rows
    inside, *below = rest
    if not isinstance(inside, slice):
        raise ValueError("Cannot index into an inner ragged dimension.")
    if not _is_whole(inside):
        places, splits = _counting(*_cut(rows, inside), inside.step or 1)
        rows = RaggedTensor(gather(rows.values, places), splits)
    return rows.with_values(_sliced(rows.values, [slice(None), *below])) if below else rows


def _cut(rows: RaggedTensor, part: slice) -> tuple[Tensor, Tensor]:
    """Where a slice of each row begins, and how many values it has."""
    lengths = rows.row_lengths()
    for what, edges in (("offsets", (part.start, part.stop)), ("strides", (part.step,))):
        types = [np.int32 if e is None else getattr(e, "dtype", type(e)) for e in edges]
        if not all(dtypes.as_dtype(each).is_integer for each in types):
            raise TypeError(f"slice {what} must be integers or None")
    step = 1 if part.step is None else int(part.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    way = 1 if step > 0 else -1
    low, high = (0, 0) if way > 0 else (-1, -1)

    def place(edge: Any, default: Tensor) -> Tensor:
        if edge is None:
            return default
        edge = cast(convert_to_tensor(edge), lengths.dtype.base_dtype)
        edge = edge + lengths * cast(edge < 0, edge.dtype)
        return minimum(maximum(edge, low), lengths + high)

    ends = (0 * lengths, lengths) if way > 0 else (lengths - 1, 0 * lengths - 1)
    start, stop = place(part.start, ends[0]), place(part.stop, ends[1])
    count = (stop - start + step - way) // step
    return rows.row_starts() + start, maximum(count, 0)


# ---- tf.ragged ---------------------------------------------------------------------------


def _depths(nested: Any, depth: int = 0) -> Iterator[tuple[int, bool]]:
    """How deep each number of nested lists stands, and each empty list as if it had one."""
    if not isinstance(nested, (list, tuple, np.ndarray)):
        yield depth, True
    elif len(nested):
        for item in nested:
            yield from _depths(item, depth + 1)
    else:
        yield depth + 1, False


def ragged_constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """A constant `RaggedTensor` of nested lists.

    Args:
      pylist: nested lists; all numbers at one depth.
      dtype: the type of the elements.
      ragged_rank: how many axes are ragged; by default all but the first, less `inner_shape`.
      inner_shape: the shape of one innermost value.
      name: the name of the scope.
      row_splits_dtype: int64 or int32.
    """
    with name_scope(name, "RaggedConstant"):
        depths = {*_depths(pylist)}
        depth = max(each for each, _ in depths)
        if depth == 0:
            if ragged_rank:
                raise ValueError(
                    f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank}"
                )
            return constant(pylist, dtype)
        scalars = {each for each, is_number in depths if is_number}
        if scalars - {depth}:
            raise ValueError("all scalar values must have the same nesting depth")
        if ragged_rank is not None and ragged_rank >= depth and scalars:
            raise ValueError(
                f"pylist has scalar values depth {depth}, but "
                f"ragged_rank={ragged_rank} requires scalar value depth greater than {ragged_rank}"
            )
        if ragged_rank is None:
            ragged_rank = max(0, depth - 1 - (0 if inner_shape is None else len(inner_shape)))
        nested, level = [], list(pylist)
        for _ in range(ragged_rank):
            nested.append([0, *np.cumsum([len(item) for item in level], dtype=int).tolist()])
            level = [item for row in level for item in row]
        kind = dtypes.float32 if dtype is None and not level else dtype
        shape = None if inner_shape is None else [len(level), *inner_shape]
        values = constant(level, kind, shape) if level else zeros(shape or [0], kind)
        splits = [constant(each, dtypes.as_dtype(row_splits_dtype)) for each in nested]
        return RaggedTensor.from_nested_row_splits(values, splits)


def map_flat_values(op: Callable, *args: Any, **kwargs: Any) -> Any:
    """Applies a function to the innermost values of ragged tensors that have the same rows."""
    ragged = [a for a in (*args, *kwargs.values()) if isinstance(a, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    flat = [a.flat_values if isinstance(a, RaggedTensor) else a for a in args]
    named = {k: a.flat_values if isinstance(a, RaggedTensor) else a for k, a in kwargs.items()}
    return ragged[0].with_flat_values(op(*flat, **named))

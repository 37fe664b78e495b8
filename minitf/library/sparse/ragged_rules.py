"""What operations do with a `RaggedTensor`: one table, `RULES`, from an op's type to a function.

    tf.gather(rows, [2, 0]) ──> call("GatherV2", ...) ──> an input is ragged ──> RULES["GatherV2"]

A ragged tensor stands for itself where something is converted to a tensor; so a function that is
written in operations takes one when its operations do. Elementwise operations and those in
`KEEPS_ROWS` work on the innermost values, of which dense inputs are spread copies. The rules stand
on two things: rows that are taken by their places, and the coordinates of the innermost values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.op_def import OpDef, call
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import size
from minitf.core.ops.array_filling import ones_like, zeros
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import expand_dims, reshape, tile, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import where
from minitf.core.ops.math import maximum, minimum
from minitf.core.ops.reductions import cumsum

#: Operations that give one value for each, beside those that say they are elementwise.
KEEPS_ROWS = frozenset(
    (
        "Cast",
        "Substr",
        "StringLength",
        "StringLower",
        "StringToNumber",
        "AsString",
        "StringToHashBucketFast",
        "Identity",
        "ZerosLike",
        "StringToHashBucketStrong",
        "CheckNumerics",
        "StringStrip",
        "StringJoin",
        "EncodeBase64",
        "UnicodeTranscode",
        "UnicodeScript",
        "AddN",
        "Bitcast",
        "StopGradient",
    )
)
RULES: dict[str, Callable[[Any, OpDef, Sequence[Any], dict], Any]] = {}


def is_ragged(value: Any) -> bool:
    """Whether operations are mapped over this value, as over a `RaggedTensor`."""
    return hasattr(value, "_map_elements") and not isinstance(value, SparseTensor)


def splits_of(lengths: Tensor) -> Tensor:
    """Where rows of these lengths begin, and the end of the last."""
    return concat([zeros([1], lengths.dtype.base_dtype), cumsum(lengths)], 0)


def ids_of(splits: Tensor) -> Tensor:
    """For each value of the rows that begin at `splits` the number of its row."""
    dtype = splits.dtype.base_dtype
    places = range_of(cast(0, dtype), splits[-1], cast(1, dtype))
    return call("UpperBound", splits[None, 1:], places[None], out_type=dtype)[0]


def counting(starts: Tensor, lengths: Tensor, steps: Any = None) -> tuple[Tensor, Tensor]:
    """`starts[i], starts[i] + steps[i], ...` for each row, `lengths[i]` of them; and the splits."""
    splits = splits_of(lengths)
    ids = ids_of(splits)
    columns = cast(range_of(size(ids)), splits.dtype.base_dtype) - gather(splits, ids)
    columns = cast(columns, starts.dtype.base_dtype)
    columns = columns if steps is None else columns * gather(steps, ids)
    return gather(starts, ids) + columns, splits


def coordinates(rows: Any) -> list[Tensor]:
    """For each innermost value its place along the axes up to the last ragged one."""
    outer = [cast(each, dtypes.int64) for each in (rows.value_rowids(), rows._columns())]
    if not is_ragged(rows.values):
        return outer
    place, *inner = coordinates(rows.values)
    return [*(gather(each, place) for each in outer), *inner]


def rule(*types: str) -> Callable:
    """Registers what these operations do: `(ragged, op_def, inputs, attrs) -> result`."""

    def register(function: Callable) -> Callable:
        RULES.update(dict.fromkeys(types, function))
        return function

    return register


def _ragged(value: Any, like: Any, rank: int | None = None) -> Any:
    """A dense tensor as a ragged one with all its values."""
    if is_ragged(value):
        return value
    return type(like).from_tensor(
        value, ragged_rank=rank or like.ragged_rank, row_splits_dtype=like.row_splits.dtype
    )


def _rank(value: Any) -> int:
    return value.shape.ndims


# ---- rows by their places ----------------------------------------------------------------


@rule("GatherV2")
def _gathered(like: Any, op_def: OpDef, inputs: Sequence[Any], attrs: dict) -> Any:
    params, indices = inputs
    if attrs.get("axis", 0) or attrs.get("batch_dims", 0):
        raise ValueError("axis != 0 is not supported for ragged gather yet.")
    if is_ragged(indices):
        return indices.with_flat_values(gather(params, indices.flat_values))
    indices = convert_to_tensor(indices)
    if indices.shape.ndims is None:
        raise ValueError("rank(indices) must be known statically")
    if _rank(indices) == 0:
        return params[indices]
    if _rank(indices) > 1:
        rows = _ragged(indices, like, _rank(indices) - 1)
        return rows.with_flat_values(gather(params, rows.flat_values))
    lengths = gather(params.row_lengths(), indices)
    places, splits = counting(gather(params.row_starts(), indices), lengths)
    return type(params)(gather(params.values, places), splits)


def _joined(parts: Sequence[Any], axis: int) -> Any:
    """Ragged tensors one after the other along an axis."""
    if axis > 1:
        return parts[0].with_values(concat([part.values for part in parts], axis - 1))
    lengths = concat([part.row_lengths() for part in parts], 0)
    whole = type(parts[0])(concat([part.values for part in parts], 0), splits_of(lengths))
    if axis == 0:
        return whole
    count = len(parts)
    order = reshape(transpose(reshape(range_of(whole.nrows()), [count, -1])), [-1])
    mixed = gather(whole, order)
    return type(whole)(mixed.values, mixed.row_splits[::count])


def axis_of(axis: int, rank: int) -> int:
    """An axis counted from the front.

    Raises:
      ValueError: when there is none of that number.
    """
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    return axis % rank


@rule("ConcatV2")
def _concatenated(like: Any, op_def: OpDef, inputs: Sequence[Any], attrs: dict) -> Any:
    parts = [each if is_ragged(each) else convert_to_tensor(each) for each in inputs[0]]
    ranks = {_rank(part) for part in parts}
    if len(ranks) != 1:
        raise ValueError(f"Inputs must have identical ragged_rank: {sorted(ranks)}")
    axis = axis_of(attrs["axis"], ranks.pop())
    deepest = max((p for p in parts if is_ragged(p)), key=lambda part: part.ragged_rank)
    return _joined([_ragged(part, deepest) for part in parts], axis)


@rule("Pack")
def _stacked(like: Any, op_def: OpDef, inputs: Sequence[Any], attrs: dict) -> Any:
    axis = axis_of(attrs["axis"], _rank(like) + 1)
    return concat([expand_dims(each, axis) for each in inputs[0]], axis)


@rule("ExpandDims")
def _expanded(rows: Any, op_def: OpDef, inputs: Sequence[Any], attrs: dict) -> Any:
    axis, count = axis_of(attrs["axis"], _rank(rows) + 1), rows.nrows()
    if axis > 1:
        return rows.with_values(expand_dims(rows.values, axis - 1))
    splits = stack([0 * count, count]) if axis == 0 else range_of(count + 1)
    return type(rows)(rows, splits)


@rule("Tile")
def _tiled(rows: Any, op_def: OpDef, inputs: Sequence[Any], attrs: dict) -> Any:
    dtype = rows.row_splits.dtype.base_dtype
    multiples = cast(convert_to_tensor(inputs[1]), dtype)
    if rows.values.shape.ndims > 1:
        inner = concat([ones_like(multiples[:1]), multiples[2:]], 0)
        rows = rows.with_values(tile(rows.values, inner))
    each = reshape(range_of(rows.nrows()), [-1, 1])
    wide = gather(rows, reshape(tile(each, stack([1, multiples[1]])), [-1]))
    rows = type(rows)(wide.values, rows.row_splits * multiples[1])
    return gather(rows, tile(range_of(rows.nrows()), multiples[:1]))


# ---- choices -----------------------------------------------------------------------------


@rule("Where")
def _where_true(rows: Any, op_def: OpDef, inputs: Sequence[Any], attrs: dict) -> Any:
    inner = where(rows.flat_values)
    outer = stack(coordinates(rows), axis=1)
    return concat([gather(outer, inner[:, 0]), inner[:, 1:]], 1)


@rule("Size")
def _size(rows: Any, op_def: OpDef, inputs: Sequence[Any], attrs: dict) -> Any:
    return size(rows.flat_values, out_type=attrs.get("out_type", dtypes.int32))


# ---- slices ------------------------------------------------------------------------------


def sliced(rows: Any, key: Any) -> Any:
    """`rows[key]`: rows, single ones, slices of each row, new axes."""
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    for place, item in enumerate(keys):
        if item is Ellipsis:
            given = sum(k is not None for k in keys) - 1
            if _rank(rows) is None:
                raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
            if given > _rank(rows):
                raise IndexError(f"Too many indices for RaggedTensor of rank {_rank(rows)}")
            keys[place : place + 1] = [slice(None)] * (_rank(rows) - given)
            break
    return _sliced(rows, keys)


def _sliced(rows: Any, keys: list) -> Any:
    if not keys:
        return rows
    if not is_ragged(rows):
        return rows[tuple(keys)]
    first, *rest = keys
    if first is None:
        return expand_dims(_sliced(rows, rest), 0)
    if not isinstance(first, slice):
        starts, limits = rows.row_starts(), rows.row_limits()
        return _sliced(rows.values[starts[first] : limits[first]], rest)
    if (first.start, first.stop, first.step) != (None, None, None):
        rows = gather(rows, range_of(rows.nrows())[first])
    return _inside(rows, rest)


def _inside(rows: Any, keys: list) -> Any:
    """What `keys` name of each row."""
    if not keys:
        return rows
    first, *rest = keys
    if first is None:
        return expand_dims(_inside(rows, rest), 1)
    if not isinstance(first, slice):
        raise ValueError("Cannot index into an inner ragged dimension.")
    if (first.start, first.stop, first.step) != (None, None, None):
        starts, lengths = _cut(rows, first)
        steps = ones_like(lengths) * _step(first, lengths)
        places, splits = counting(starts, lengths, steps)
        rows = type(rows)(gather(rows.values, places), splits)
    if not rest:
        return rows
    inner = rows.values
    if is_ragged(inner):
        return rows.with_values(_inside(inner, rest))
    return rows.with_values(inner[(slice(None), *rest)])


def _cut(rows: Any, part: slice) -> tuple[Tensor, Tensor]:
    """Where a slice of each row begins, and how many values it has."""
    lengths = rows.row_lengths()
    for what, edges in (("offsets", (part.start, part.stop)), ("strides", (part.step,))):
        types = [np.int32 if e is None else getattr(e, "dtype", type(e)) for e in edges]
        if not all(dtypes.as_dtype(each).is_integer for each in types):
            raise TypeError(f"slice {what} must be integers or None")
    step = _step(part, lengths)
    if not isinstance(step, Tensor) and step == 0:
        raise ValueError("slice step cannot be zero")
    if not isinstance(step, Tensor):
        return _cut_towards(1 if step > 0 else -1, rows, part, step)
    ways = zip(*(_cut_towards(way, rows, part, step) for way in (1, -1)), strict=True)
    upwards = ones_like(lengths) * step > 0
    start, count = (where(upwards, up, down) for up, down in ways)
    return start, count


def _step(part: slice, like: Tensor) -> Any:
    """The step of a slice: a number where it is known, else a tensor."""
    if part.step is None:
        return 1
    known = constant_value(convert_to_tensor(part.step))
    return cast(part.step, like.dtype.base_dtype) if known is None else int(known)


def _cut_towards(way: int, rows: Any, part: slice, step: Any) -> tuple[Tensor, Tensor]:
    """As `_cut`, for steps upwards (1) or downwards (-1)."""
    lengths = rows.row_lengths()
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

"""`tf.ragged`: ragged tensors of nested lists and of ranges, functions mapped over their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, constant_value, convert_to_tensor
from minitf.core.graph.graph import Graph
from minitf.core.graph.op_def import call
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.math import floordiv, maximum
from minitf.core.ops.reductions import reduce_sum
from minitf.library.sparse.ragged import RaggedTensor


def _depth(pylist: Any) -> int:
    if not isinstance(pylist, (list, tuple, np.ndarray)):
        return 0
    return 1 + max((_depth(item) for item in pylist), default=0)


def _flattened(pylist: Any, ragged_rank: int) -> tuple[list, list[list[int]]]:
    """The values of nested lists, and the splits of each ragged axis."""
    nested, level = [], list(pylist)
    for _ in range(ragged_rank):
        nested.append([0, *np.cumsum([len(item) for item in level], dtype=int).tolist()])
        level = [item for row in level for item in row]
    return level, nested


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
        depth = _depth(pylist)
        if depth == 0:
            raise ValueError("Invalid pylist: a RaggedTensor has at least one axis.")
        if ragged_rank is None:
            ragged_rank = depth - 1 - (0 if inner_shape is None else len(inner_shape))
        level, nested = _flattened(pylist, max(0, ragged_rank))
        kind = dtypes.float32 if dtype is None and not level else dtype
        shape = None if inner_shape is None else [len(level), *inner_shape]
        values = constant(level, kind, shape) if level else zeros(shape or [0], kind)
        splits_kind = dtypes.as_dtype(row_splits_dtype)
        return RaggedTensor.from_nested_row_splits(
            values, [constant(splits, splits_kind) for splits in nested]
        )


def ragged_placeholder(
    dtype: Any, ragged_rank: int, value_shape: Any = None, name: str | None = None
) -> Any:
    """A `RaggedTensor` that every run feeds, with a `RaggedTensorValue`.

    Args:
      dtype: the type of the elements.
      ragged_rank: how many axes are ragged.
      value_shape: the shape of one innermost value.
      name: the name of the scope.
    """
    with name_scope(name, "RaggedPlaceholder"):
        shape = TensorShape([None]).concatenate(() if value_shape is None else value_shape)
        splits = [
            placeholder(dtypes.int64, [None], name=f"row_splits_{i}") for i in range(ragged_rank)
        ]
        flat = placeholder(dtype, shape, name="flat_values")
        return RaggedTensor.from_nested_row_splits(flat, splits)


def ragged_constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:
    """The `RaggedTensorValue` of nested lists, to be fed; see `ragged_constant`."""
    with Graph().as_default():
        made = ragged_constant(pylist, None, ragged_rank, inner_shape, None, row_splits_dtype)
        value = made._fetched([constant_value(t) for t in made._components()])
        if dtype is None:
            return value
        *splits, flat = made._fed(value)
        return made._fetched([*splits, flat.astype(dtype)])


def map_flat_values(op: Callable, *args: Any, **kwargs: Any) -> Any:
    """Applies a function to the innermost values of ragged tensors that have the same rows."""
    ragged = [a for a in (*args, *kwargs.values()) if isinstance(a, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    flat = [a.flat_values if isinstance(a, RaggedTensor) else a for a in args]
    named = {k: a.flat_values if isinstance(a, RaggedTensor) else a for k, a in kwargs.items()}
    return ragged[0].with_flat_values(op(*flat, **named))


def ragged_range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor:
    """Rows that count from `starts` up to `limits` by `deltas`."""
    with name_scope(name, "RaggedRange"):
        if limits is None:
            starts, limits = 0, starts
        low, high, step = (cast(convert_to_tensor(v), dtype or dtypes.int32)
                           for v in (starts, limits, deltas))  # fmt: skip
        whole = low + (high - high) + (step - step)
        whole = reshape(whole + high * 0, [-1])
        lengths = maximum(floordiv(high - low + step - call("Sign", step), step), whole * 0)
        rows = RaggedTensor.from_row_lengths(
            zeros(reshape(reduce_sum(lengths), [1]), whole.dtype), cast(lengths, row_splits_dtype)
        )
        ids = rows.value_rowids()
        steps = gather(whole * 0 + step, ids)
        return rows.with_values(gather(whole, ids) + cast(rows._columns(), whole.dtype) * steps)


def segment_ids_to_row_splits(segment_ids: Any, num_segments: Any = None) -> Tensor:
    """The splits of sorted segment ids."""
    ids = convert_to_tensor(segment_ids, preferred_dtype=dtypes.int64)
    return RaggedTensor.from_value_rowids(ids, ids, num_segments).row_splits


def row_splits_to_segment_ids(splits: Any, name: str | None = None) -> Tensor:
    """For each value the number of its row."""
    splits = convert_to_tensor(splits, preferred_dtype=dtypes.int64)
    return RaggedTensor(zeros(reshape(splits[-1], [1])), splits).value_rowids()

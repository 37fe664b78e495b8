"""`tf.ragged`: ragged tensors of nested lists and of ranges, functions mapped over their values."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.op_def import call
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import broadcast_to as dense_broadcast_to
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.math import floordiv, maximum
from minitf.library.numeric.sorting import argsort
from minitf.library.sparse.ragged import RaggedTensor, RaggedTensorValue
from minitf.library.sparse.ragged_rules import counting, is_ragged, masked
from minitf.library.sparse.ragged_shapes import RaggedTensorDynamicShape, meet


def _depth(pylist: Any) -> int:
    if not isinstance(pylist, (list, tuple, np.ndarray)):
        return 0
    return 1 + max((_depth(item) for item in pylist), default=0)


def _scalars(pylist: Any) -> bool:
    """Whether there are any."""
    return not isinstance(pylist, (list, tuple, np.ndarray)) or any(map(_scalars, pylist))


def _check_depth(pylist: Any, depth: int) -> None:
    """Raises when scalars stand at another depth than `depth`."""
    if isinstance(pylist, (list, tuple, np.ndarray)):
        for item in pylist:
            _check_depth(item, depth - 1)
    elif depth:
        raise ValueError("all scalar values must have the same nesting depth")


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
            if ragged_rank:
                raise ValueError(f"Invalid pylist={pylist}: incompatible with "
                                 f"ragged_rank={ragged_rank}")  # fmt: skip
            return constant(pylist, dtype)
        _check_depth(pylist, depth)
        if ragged_rank is not None and ragged_rank >= depth and _scalars(pylist):
            raise ValueError(
                f"pylist has scalar values depth {depth}, but "
                f"ragged_rank={ragged_rank} requires scalar value depth greater than {ragged_rank}"
            )
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
    kind = None if dtype is None else dtypes.as_dtype(dtype).as_numpy_dtype
    depth = _depth(pylist)
    if depth == 0:
        return np.array(pylist, kind)
    _check_depth(pylist, depth)
    if ragged_rank is None:
        ragged_rank = depth - 1 - (0 if inner_shape is None else len(inner_shape))
    level, nested = _flattened(pylist, max(0, ragged_rank))
    values = np.array(level, kind)
    if inner_shape is not None:
        values = values.reshape([len(level), *inner_shape])
    splits = [np.array(each, row_splits_dtype) for each in nested]
    return reduce(RaggedTensorValue, reversed(splits), values)


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
        given = [convert_to_tensor(v, dtype) for v in (starts, limits, deltas)]
        counts = {v.shape.num_elements() for v in given if v.shape.ndims == 1} - {None}
        if len(counts) > 1:
            few, many = sorted(counts)[:2]
            raise ValueError(f"Dimensions must be equal, but are {few} and {many}")
        order = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
        kind = max((v.dtype.base_dtype for v in given), key=order.index)
        low, high, step = (cast(v, kind) for v in given)
        whole = reshape(low + high * 0 + step * 0, [-1])
        span, step = (reshape(v + whole * 0, [-1]) for v in (high - low, step))
        lengths = call("Ceil", span / step) if kind.is_floating else -floordiv(-span, step)
        lengths = maximum(cast(lengths, row_splits_dtype), 0)
        return RaggedTensor(*counting(whole, lengths, step))


def ragged_stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Tensors, ragged or not, joined along a new axis; their rows may differ in length.

    Args:
      values: a list of tensors of one rank.
      axis: the place of the new axis.
      name: the name of the scope.
    Example:
      >>> sess.run(tf.ragged.stack([[1, 2], [3]])).to_list()
      [[1, 2], [3]]
    """
    parts = [convert_to_tensor(v) for v in (values if isinstance(values, list) else [values])]
    with name_scope(name, "RaggedConcat", parts):
        ranks = {part.shape.ndims for part in parts}
        if len(ranks) != 1:
            raise ValueError(f"Inputs must have identical ragged_rank: {sorted(ranks)}")
        if ranks == {0}:
            return stack(parts, axis)
        axis %= ranks.pop() + 1
        wide = [expand_dims(part, axis) for part in parts]
        return concat([v if is_ragged(v) else RaggedTensor.from_tensor(v) for v in wide], axis)


def ragged_boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The parts of `data` where `mask` is true, in rows as the mask has them.

    Args:
      data: a tensor or a `RaggedTensor`.
      mask: bool, its shape that of the first axes of `data`.
      name: the name of the scope.
    Example:
      >>> kept = tf.ragged.boolean_mask([[1, 2], [3, 4]], [[False, True], [True, True]])
      >>> sess.run(kept).to_list()
      [[2], [3, 4]]
    """
    with name_scope(name, "RaggedMask", [data, mask]):
        data, mask = convert_to_tensor(data), convert_to_tensor(mask, dtypes.bool)
        if mask.shape.ndims == 0:
            raise ValueError("mask cannot be scalar.")
        if mask.shape.ndims > 1 and not is_ragged(mask):
            mask = RaggedTensor.from_tensor(mask, ragged_rank=mask.shape.ndims - 1)
        return masked(data, mask)


def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> Any:
    """Rows of `data` that belong together: `result[i]` has those whose partition is i, in order.

    Args:
      data: a tensor or a `RaggedTensor`.
      partitions: for each value its partition, of the shape of the first axes of `data`.
      num_partitions: how many partitions there are.
      name: the name of the scope.
    """
    with name_scope(name, "SegmentStack", [data, partitions, num_partitions]):
        data, ids = convert_to_tensor(data), convert_to_tensor(partitions)
        count = convert_to_tensor(num_partitions, ids.dtype.base_dtype)
        while is_ragged(ids):
            data, ids = data.values, ids.values
        if ids.shape.ndims > 1:
            sizes = shape_of(data)[ids.shape.ndims :]
            data, ids = reshape(data, concat([[-1], sizes], 0)), reshape(ids, [-1])
        order = argsort(ids, stable=True)
        return RaggedTensor.from_value_rowids(gather(data, order), gather(ids, order), count)


def convert_to_tensor_or_ragged_tensor(
    value: Any, dtype: Any = None, preferred_dtype: Any = None, name: str | None = None
) -> Any:
    """`value` as a tensor; a `RaggedTensor`, or the value of one, as a `RaggedTensor`.

    Raises:
      ValueError: when it has another type than `dtype`.
    """
    if isinstance(value, RaggedTensorValue) and dtype is not None:
        inner = np.asarray(value.flat_values).astype(dtypes.as_dtype(dtype).as_numpy_dtype)
        return value._as_tensor().with_flat_values(inner)
    return convert_to_tensor(value, dtype, name, preferred_dtype)


def to_tensor(rt_input: Any, default_value: Any = None, name: str | None = None) -> Tensor:
    """A ragged tensor as a whole one; see `RaggedTensor.to_tensor`."""
    return rt_input.to_tensor(default_value, name) if is_ragged(rt_input) else rt_input


def to_sparse(rt_input: Any, name: str | None = None) -> Any:
    """A ragged tensor as a sparse one."""
    return rt_input.to_sparse(name)


from_tensor, from_sparse = RaggedTensor.from_tensor, RaggedTensor.from_sparse


def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Tensor:
    """The splits of sorted segment ids."""
    with name_scope(name, "SegmentIdsToRaggedSplits"):
        ids = convert_to_tensor(segment_ids, preferred_dtype=dtypes.int64)
        splits = RaggedTensor.from_value_rowids(ids, ids, num_segments).row_splits
        return splits if out_type is None else cast(splits, out_type)


def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """For each value the number of its row."""
    with name_scope(name, "RaggedSplitsToSegmentIds"):
        splits = convert_to_tensor(splits, preferred_dtype=dtypes.int64)
        ids = RaggedTensor(zeros(reshape(splits[-1], [1])), splits).value_rowids()
        return ids if out_type is None else cast(ids, out_type)


def broadcast_to(rt_input: Any, shape: Any, broadcast_inner_dimensions: bool = True) -> Any:
    """A tensor, ragged or not, repeated to a `RaggedTensorDynamicShape`.

    Args:
      rt_input: the tensor.
      shape: the shape.
      broadcast_inner_dimensions: whether the axes below the last ragged one are repeated, too.
    Raises:
      TypeError, ValueError: when it is no such shape, or ranks do not fit.
    """
    if not isinstance(shape, RaggedTensorDynamicShape):
        raise TypeError("shape must be a RaggedTensorDynamicShape")
    value = rt_input if is_ragged(rt_input) else convert_to_tensor(rt_input)
    if not shape.num_partitioned_dimensions:
        if is_ragged(value):
            raise ValueError("Incompatible with shape: ragged rank mismatch")
        inner = shape.inner_dim_sizes
        return dense_broadcast_to(value, inner) if broadcast_inner_dimensions else value
    if value.shape.ndims is None or shape.rank is None:
        raise ValueError("Unable to broadcast: unknown rank")
    if value.shape.ndims > shape.rank:
        raise ValueError("Incompatible with shape: rank mismatch")
    if is_ragged(value) and value.ragged_rank >= shape.num_partitioned_dimensions:
        raise ValueError("Incompatible with shape: ragged rank mismatch")
    own = RaggedTensorDynamicShape.from_tensor(value, shape.dim_size_dtype)
    found = meet([shape, own])
    flat = found.values(1, value)
    if broadcast_inner_dimensions:
        rows = shape_of(found.places[1], out_type=shape.dim_size_dtype)
        flat = dense_broadcast_to(flat, concat([rows, shape.inner_dim_sizes], 0))
    return RaggedTensor.from_nested_row_splits(flat, found.splits, validate=False)

"""Sparse tensors moved about: reordered, reshaped, joined, cut, their empty rows filled.

Nearly all of it is arithmetic on places. A place as one number that counts through the whole tensor
makes it simple:

    [[0, 1], [2, 3]] in a shape of [3, 4]  <──>  [1, 11]      sorted numbers: places in order
                                                 [1, 11] in a shape of [2, 6]: [[0, 1], [1, 5]]

Elements are taken along by `gather`, so that gradients flow back to where they came from.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import (
    constant,
    constant_value,
    constant_value_as_shape,
    convert_to_tensor,
)
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, static_int
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.array_slicing import boolean_mask
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal, less, logical_and, where
from minitf.core.ops.control import with_dependencies
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.math import floordiv, maximum, minimum, subtract
from minitf.core.ops.reductions import cumprod, reduce_all, reduce_sum
from minitf.library.checks.assertions import assert_equal
from minitf.library.numeric.sorting import argsort
from minitf.library.sparse.sparse import as_sparse, sparse_sample

# ---- places as numbers -------------------------------------------------------------------


def _numbers(indices: Tensor, sizes: Tensor) -> Tensor:
    """[n] the places as numbers that count through the whole tensor."""
    return reduce_sum(indices * cumprod(sizes, exclusive=True, reverse=True), axis=1)


def _places(numbers: Tensor, sizes: Tensor) -> Tensor:
    """[n, rank] the numbers as places in a tensor of these sizes."""
    strides = cumprod(sizes, exclusive=True, reverse=True)
    return floordiv(expand_dims(numbers, 1), strides) % sizes


def _in_order(sp: SparseTensor) -> SparseTensor:
    order = argsort(_numbers(sp.indices, sp.dense_shape), stable=True)
    return SparseTensor(gather(sp.indices, order), gather(sp.values, order), sp.dense_shape)


def _rank(sp: SparseTensor) -> int:
    rank = sp.dense_shape.shape.as_list()[0]
    if rank is None:
        rank = sp.indices.shape.as_list()[1]
    if rank is None:
        raise ValueError("The rank of the SparseTensor must be known.")
    return rank


def _axis(sp: SparseTensor, axis: Any) -> int:
    place, rank = static_int(axis, "axis"), _rank(sp)
    if not -rank <= place < rank:
        raise ValueError(f"axis {place} is out of range for a SparseTensor of rank {rank}")
    return place % rank


def sparse_reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The same elements in another shape.

    Args:
      sp_input: the `SparseTensor`.
      shape: a vector; one size may be -1, which the others determine.
      name: the name of the scope.
    Raises:
      ValueError: when the shapes are known and do not hold as many elements.
    """
    sp = as_sparse(sp_input)
    with name_scope(name, "SparseReshape"):
        wanted = cast(convert_to_tensor(shape, name="shape"), dtypes.int64)
        known = constant_value_as_shape(wanted)
        total = sp.shape.num_elements()
        told = None if known.ndims is None else known.as_list()
        given = constant_value(wanted)
        if given is not None and (given == -1).sum() > 1:
            raise ValueError(f"At most one dimension can be inferred (-1). Found: {given}")
        if total is not None and told is not None and told.count(None) <= 1:
            rest = int(np.prod([n for n in told if n is not None]))
            fits = rest and total % rest == 0 if None in told else rest == total
            if not fits:
                raise ValueError(
                    f"Cannot reshape a tensor with {total} elements to shape {told} "
                    f"({rest} elements)."
                )
            sizes = constant([total // rest if n is None else n for n in told], dtypes.int64)
        else:
            count = call("Prod", sp.dense_shape, axis=None)
            others = call("Prod", call("Abs", wanted), axis=None)  # a -1 counts as 1
            sizes = _filled(wanted, floordiv(count, others))
            told_wrong = "Input to reshape is a SparseTensor with another number of dense values"
            same = assert_equal(call("Prod", sizes, axis=None), count, message=told_wrong)
            sizes = with_dependencies([same], sizes)
        return SparseTensor(
            _places(_numbers(sp.indices, sp.dense_shape), sizes), identity(sp.values), sizes
        )


def _filled(sizes: Tensor, other: Tensor) -> Tensor:
    """`sizes` with the -1 among them replaced."""
    return call("SelectV2", less(sizes, np.int64(0)), other, sizes)


# ---- joined and cut ----------------------------------------------------------------------


def sparse_concat(
    axis: Any,
    sp_inputs: Sequence[Any],
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """Several `SparseTensor`s, one after the other along an axis.

    Args:
      axis: the axis.
      sp_inputs: the `SparseTensor`s, in order.
      name: the name of the scope.
      expand_nonconcat_dim: whether the other axes grow to the largest.
      concat_dim: the old spelling of `axis`.
      expand_nonconcat_dims: the newer spelling of `expand_nonconcat_dim`.
    """
    place = axis if concat_dim is None else concat_dim
    expand = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    parts = [as_sparse(sp) for sp in sp_inputs]
    if len(parts) == 1:
        return parts[0]
    with name_scope(name, "SparseConcat"):
        at = _axis(parts[0], place)
        if not expand:
            whole = parts[0].shape
            for part in parts[1:]:
                sizes, others = whole.as_list(), part.shape.as_list()
                sizes[at] = others[at] = None
                TensorShape(sizes).assert_is_compatible_with(others)
        unit = np.eye(_rank(parts[0]), dtype=np.int64)[at]
        offset: Any = zeros([], dtypes.int64)
        indices, sizes = [], parts[0].dense_shape
        for i, part in enumerate(parts):
            indices.append(part.indices + offset * unit)
            offset = offset + part.dense_shape[at]
            sizes = sizes if not i else maximum(sizes, part.dense_shape)
        sizes = sizes * (1 - unit) + offset * unit
        values = concat([part.values for part in parts], 0)
        return _in_order(SparseTensor(concat(indices, 0), values, sizes))


def _kept(sp: SparseTensor, mask: Tensor) -> SparseTensor:
    mask.set_shape([None])
    return SparseTensor(
        boolean_mask(sp.indices, mask), boolean_mask(sp.values, mask), sp.dense_shape
    )


def sparse_slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The block of a `SparseTensor` that begins at `start` and is at most of the given size."""
    sp = as_sparse(sp_input)
    with name_scope(name, "SparseSlice"):
        first = convert_to_tensor(start, dtypes.int64, name="start")
        wanted = convert_to_tensor(size, dtypes.int64, name="size")
        sizes = maximum(minimum(wanted, sp.dense_shape - first), np.int64(0))
        moved = sp.indices - first
        inside = reduce_all(
            logical_and(greater_equal(moved, np.int64(0)), less(moved, sizes)), axis=1
        )
        return _kept(SparseTensor(moved, sp.values, sizes), inside)


# ---- chosen elements ---------------------------------------------------------------------


def sparse_retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The elements of a `SparseTensor` for which `to_retain`, [n] bool, is true."""
    sp = as_sparse(sp_input)
    keep = convert_to_tensor(to_retain)
    sp.values.shape.with_rank(1)[0].merge_with(keep.shape.with_rank(1)[0])
    places = reshape(where(keep), [-1])
    return SparseTensor(
        gather(sp.indices, places), gather(sp.values, places), identity(sp.dense_shape)
    )


@op(
    "SparseFillEmptyRows",
    "indices: int64, values: T, dense_shape: int64, default_value: T -> output_indices: int64, "
    "output_values: T, empty_row_indicator: bool, reverse_index_map: int64",
    sized_by_values=True,
    host_only=True,
    samples=[lambda rng: (*sparse_sample(rng), rng.normal(), {})],
)
def sparse_fill_empty_rows_op(
    xp: Any, indices: Any, values: Any, dense_shape: Any, default_value: Any
) -> Any:
    """Gives each row without an element one, at its beginning."""
    rows, count = indices[:, 0], int(dense_shape[0])
    outside = (rows < 0) | (rows >= count)
    if outside.any():
        bad = int(np.argmax(outside))
        raise invalid(f"indices({bad}, 0) is invalid: {rows[bad]} >= {count}")
    empty = xp.ones(count, np.bool_)
    empty[rows] = False
    missing = xp.flatnonzero(empty)
    extra = xp.zeros((missing.size, indices.shape[1]), np.int64)
    extra[:, 0] = missing
    order = xp.argsort(xp.concatenate([rows, missing]), kind="stable")
    places = xp.empty(order.size, np.int64)
    places[order] = xp.arange(order.size)
    fills = xp.full(missing.size, default_value, values.dtype)
    return (
        xp.concatenate([indices, extra])[order],
        xp.concatenate([values, fills])[order],
        empty,
        places[: len(rows)],
    )


@sparse_fill_empty_rows_op.shape
def _fill_empty_rows_shape(indices: Any, values: Any, dense_shape: Any, default_value: Any) -> list:
    rank = dense_shape.shape.as_list()[0] if dense_shape.shape.ndims else None
    sizes = dense_shape.partial_shape
    rows = sizes.as_list()[0] if sizes.ndims else None
    return [TensorShape([None, rank]), TensorShape([None]), TensorShape([rows]), values.shape]


@sparse_fill_empty_rows_op.gradient
def _fill_empty_rows_grad(op: Any, _: Any, dy: Tensor, *rest: Any) -> list:
    if dy is None:
        return [None] * 4
    own = gather(dy, op.outputs[3])
    return [None, own, None, subtract(reduce_sum(dy), reduce_sum(own))]


def sparse_fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """A `SparseTensor` in which each row of a matrix has an element.

    Args:
      sp_input: a `SparseTensor`.
      default_value: what rows without elements get, at their beginning.
      name: the name of the scope.
    Returns: the `SparseTensor`, and for each row whether it had been empty.
    """
    sp = as_sparse(sp_input)
    with name_scope(name, "SparseFillEmptyRows"):
        default = convert_to_tensor(default_value, sp.values.dtype.base_dtype)
        indices, values, empty, _ = sparse_fill_empty_rows_op(
            sp.indices, sp.values, sp.dense_shape, default
        )
        return SparseTensor(indices, values, sp.dense_shape), empty


# ---- several together --------------------------------------------------------------------


def sparse_merge(
    sp_ids: Any, sp_values: Any, vocab_size: Any, name: str | None = None
) -> SparseTensor:
    """Ids and values of the same places as one `SparseTensor`: the ids become the last axis.

    Args:
      sp_ids: a `SparseTensor` of int32 or int64 ids in [0, vocab_size).
      sp_values: a `SparseTensor` of values.
      vocab_size: the size of the last axis.
      name: the name of the scope.
    """
    if not isinstance(vocab_size, (numbers.Integral, Tensor)):
        raise TypeError(f"vocab_size has to be a Tensor or Python int. Found {type(vocab_size)}")
    ids, values = as_sparse(sp_ids), as_sparse(sp_values)
    with name_scope(name, "SparseMerge"):
        column = expand_dims(cast(ids.values, dtypes.int64), 1)
        indices = concat([ids.indices[:, :-1], column], 1)
        last = reshape(cast(convert_to_tensor(vocab_size), dtypes.int64), [1])
        sizes = concat([ids.dense_shape[:-1], last], 0)
        return _in_order(SparseTensor(indices, values.values, sizes))

"""Embeddings: rows of a table looked up by number, from one table or from several.

A large table may lie in parts, each on a device of its own. How the rows lie there is the
partition strategy:

    mod    row 0 -> part 0, row 1 -> part 1, row 2 -> part 0, ...
    div    the first rows in part 0, the next ones in part 1, ...

    ids ──dynamic_partition──> ids of part 0 ──gather──> rows ─┐
                          └──> ids of part 1 ──gather──> rows ─┴─dynamic_stitch──> rows of all
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.op_def import call
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.graph.stacks import colocate_with, name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.ops.array import identity, shape, size
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, greater_equal, less, logical_and, where_v2
from minitf.core.ops.math import add, floordiv, floormod, maximum, square
from minitf.core.ops.reductions import reduce_prod
from minitf.library.input.partitioning import dynamic_partition, parallel_dynamic_stitch
from minitf.library.numeric import segments
from minitf.library.numeric.clip import clip_by_norm
from minitf.library.numeric.sorting import unique
from minitf.library.sparse.sparse_shaping import (
    sparse_fill_empty_rows,
    sparse_reshape,
    sparse_retain,
)

# ---- dense ids ---------------------------------------------------------------------------


def _tables(params: Any) -> list:
    if params is None:
        raise ValueError("params must be specified")
    in_parts = hasattr(params, "_variable_list")  # a partitioned variable
    tables = list(params) if in_parts or isinstance(params, (list, tuple)) else [params]
    if not tables:
        raise ValueError("Need at least one param")
    return tables


def embedding_lookup(
    params: TensorLike,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """The rows of the table `params` that `ids` names.

    Args:
      params: [rows, ...], a tensor or variable; or a list of them, which together are the table.
      ids: int32 or int64, of any shape.
      partition_strategy: how the rows lie on several tables, "mod" or "div".
      name: the name.
      validate_indices: accepted; indices are always checked on the CPU.
      max_norm: when given, rows longer than this are scaled to it.
    Returns: a tensor of shape `ids.shape + params.shape[1:]`.
    Raises:
      ValueError: when there is no table, or the strategy is unknown.
    Example:
      >>> table = tf.constant([[1., 1.], [2., 2.], [3., 3.]])
      >>> sess.run(tf.nn.embedding_lookup(table, [2, 0]))
      array([[3., 3.],
             [1., 1.]], dtype=float32)
    """
    tables = _tables(params)
    with name_scope(name, "embedding_lookup", [ids]) as scope:
        ids = convert_to_tensor(ids, name="ids")
        tables = [convert_to_tensor(t, name=f"params_{i}") for i, t in enumerate(tables)]
        if len(tables) == 1:
            with colocate_with(tables[0]):
                rows = _clipped(gather(tables[0], ids, name=scope), ids, max_norm)
            return identity(rows)
        return _from_parts(tables, ids, partition_strategy, max_norm, scope)


def _clipped(rows: Tensor, ids: Tensor, max_norm: float | None) -> Tensor:
    """Rows no longer than `max_norm`; the axes of `ids` are those of different rows."""
    if max_norm is None:
        return rows
    if ids.shape.ndims is None or rows.shape.ndims is None:
        raise ValueError("max_norm needs the ranks of the ids and of the table.")
    return clip_by_norm(rows, max_norm, axes=list(range(ids.shape.ndims, rows.shape.ndims)))


def _from_parts(
    tables: list, ids: Tensor, strategy: str, max_norm: float | None, scope: str | None
) -> Tensor:
    count = len(tables)
    flat = reshape(ids, [-1])
    places = range_of(size(flat))
    if strategy == "mod":
        parts, inner = floormod(flat, count), floordiv(flat, count)
    elif strategy == "div":
        parts, inner = _divided(tables, flat)
    else:
        raise ValueError(f"Unrecognized partition strategy: {strategy}")
    parts = cast(parts, dtypes.int32)
    inner_ids = dynamic_partition(inner, parts, count)
    where = dynamic_partition(places, parts, count)
    found = []
    for table, part_ids in zip(tables, inner_ids, strict=True):
        with colocate_with(table):
            found.append(_clipped(gather(table, part_ids), part_ids, max_norm))
    whole = parallel_dynamic_stitch(where, found, name=scope)
    rest = tables[0].shape[1:]
    for table in tables[1:]:
        rest = rest.merge_with(table.shape[1:])
    if rest.is_fully_defined() and ids.shape.is_fully_defined():
        return reshape(whole, [*ids.shape.as_list(), *rest.as_list()])
    known = rest.is_fully_defined()
    inner = constant(rest.as_list(), dtypes.int32) if known else shape(tables[0])[1:]
    result = reshape(whole, concat([shape(ids), inner], 0))
    result.set_shape(ids.shape.concatenate(rest))
    return result


def _divided(tables: list, flat: Tensor) -> tuple[Tensor, Tensor]:
    """Part and row in the part of each id: the first parts have one row more than the others."""
    count = len(tables)
    sizes = [t.shape.as_list()[0] if t.shape.ndims else None for t in tables]
    total: Any
    if None in sizes:
        total = cast(call("AddN", [shape(t)[0] for t in tables]), flat.dtype)
    else:
        total = constant(sum(sizes), flat.dtype)
    each, extra = floordiv(total, count), floormod(total, count)
    parts = maximum(floordiv(flat, add(each, 1)), floordiv(flat - extra, each))
    inner = where_v2(less(parts, extra), floormod(flat, add(each, 1)), floormod(flat - extra, each))
    return parts, inner


# ---- sparse ids --------------------------------------------------------------------------


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
) -> Tensor:
    """For each row of ids, of which there may be several, their embeddings combined.

    Args:
      params: see `embedding_lookup`.
      sp_ids: a `SparseTensor` of int64 ids; its places beyond the row say nothing.
      sp_weights: a `SparseTensor` of float weights at the same places, or None: all 1.
      partition_strategy: see `embedding_lookup`.
      name: the name.
      combiner: "mean" (the default), "sum", or "sqrtn": the sum over the root of the squares' sum.
      max_norm: when given, rows longer than this are scaled to it.
    Returns: [rows of sp_ids, ...params.shape[1:]]
    Raises:
      TypeError: when ids or weights are no `SparseTensor`.
      ValueError: for another combiner.
    """
    if combiner is None:
        combiner = "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError("sp_ids must be SparseTensor")
    if sp_weights is not None and not isinstance(sp_weights, SparseTensor):
        raise TypeError("sp_weights must be either None or SparseTensor")
    if sp_weights is not None:
        for part in ("values", "indices", "dense_shape"):
            own, other = getattr(sp_ids, part).shape, getattr(sp_weights, part).shape
            own.assert_is_compatible_with(other)
    with name_scope(name, "embedding_lookup_sparse") as scope:
        rows = cast(sp_ids.indices[:, 0], dtypes.int32)
        ids, places = unique(sp_ids.values)
        if sp_weights is None:
            found = embedding_lookup(params, ids, partition_strategy, max_norm=max_norm)
            combine = {
                "sum": segments.sparse_segment_sum,
                "mean": segments.sparse_segment_mean,
                "sqrtn": segments.sparse_segment_sqrt_n,
            }[combiner]
            return combine(found, places, rows, name=scope)
        found = gather(embedding_lookup(params, ids, partition_strategy, max_norm=max_norm), places)
        weights = cast(sp_weights.values, found.dtype)
        total = segments.segment_sum(
            found * _lifted(weights, found), rows, name=None if combiner != "sum" else scope
        )
        if combiner == "sum":
            return total
        if combiner == "mean":
            divisor = segments.segment_sum(weights, rows)
        else:
            divisor = call("Sqrt", segments.segment_sum(square(weights), rows))
        return call("DivNoNan", total, _lifted(divisor, found), name=scope)


def _lifted(vector: Tensor, like: Tensor) -> Tensor:
    """A number for each row of `like`, in a shape that broadcasts to it."""
    for _ in range(like.shape.ndims - 1):
        vector = expand_dims(vector, -1)
    return vector


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: Any = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
) -> Tensor:
    """As `embedding_lookup_sparse`, but ids below 0 are left out, and rows may be empty.

    Args:
      embedding_weights: see `embedding_lookup`; a list of tables together is one.
      sparse_ids: a `SparseTensor` of int64 ids; the ids along its last axis are combined.
      sparse_weights: their weights, or None; ids of weights that are not positive are left out.
      combiner: "mean", "sqrtn" or "sum".
      default_id: the id of empty rows; without one their embedding is zero.
      name, partition_strategy, max_norm: see `embedding_lookup_sparse`.
    Returns: the combined embeddings, [..., rows of sparse_ids, ...].
    """
    with name_scope(name, "embedding_lookup"):
        sizes, rank = sparse_ids.dense_shape, sparse_ids.shape.ndims
        if rank != 2:  # all but the last axis become rows
            sparse_ids, sparse_weights = (
                None if part is None else sparse_reshape(part, [reduce_prod(sizes[:-1]), sizes[-1]])
                for part in (sparse_ids, sparse_weights)
            )
        kept = greater_equal(sparse_ids.values, cast(0, sparse_ids.dtype))
        if sparse_weights is not None and combiner != "sum":
            positive = greater(sparse_weights.values, cast(0, sparse_weights.dtype))
            kept = logical_and(kept, positive)
        ids = sparse_retain(sparse_ids, kept)
        weights = None if sparse_weights is None else sparse_retain(sparse_weights, kept)
        ids, empty = sparse_fill_empty_rows(ids, cast(default_id or 0, ids.dtype))
        if weights is not None:
            weights, _ = sparse_fill_empty_rows(weights, cast(1.0, weights.dtype))
        found = embedding_lookup_sparse(
            embedding_weights, ids, weights, partition_strategy, None, combiner, max_norm
        )
        if default_id is None:
            found = where_v2(_lifted(empty, found), call("ZerosLike", found), found)
        if rank == 2:
            return found
        rows = unknown_shape() if rank is None else TensorShape([None] * (rank - 1))
        known = rows.concatenate(found.shape[1:])
        found = reshape(found, concat([cast(sizes[:-1], dtypes.int32), shape(found)[1:]], 0))
        found.set_shape(known)
        return found

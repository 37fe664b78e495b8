"""Sparse and ragged tensors as one component of an element: variants that steps hand on.

SparseTensor --SerializeSparse--> [indices, values, dense_shape] --DeserializeSparse--> ...
a batch of them: [n, 3], which is read back as one sparse tensor with one more axis in front

RaggedTensor --RaggedTensorToVariant--> rows --RaggedTensorFromVariant--> RaggedTensor
a batch of them: a vector of variants, which is read back as one with one more ragged axis in front
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.string_values import as_objects
from minitf.library.eager.type_specs import RaggedTensorSpec
from minitf.library.sparse.ragged import RaggedTensor

_variant_op = partial(
    op,
    differentiable=False,
    host_only=True,
    no_samples="variants are no arrays; tests/library/data/test_composites.py runs it",
)

# ---- sparse tensors ----------------------------------------------------------------------

_PARTS = "sparse_indices: int64, sparse_values: T, sparse_shape: int64"


@_variant_op("SerializeSparse", f"{_PARTS} -> serialized_sparse: out_type")
def serialize_sparse_op(
    xp: Any,
    sparse_indices: Any,
    sparse_values: Any,
    sparse_shape: Any,
    *,
    out_type: Any = dtypes.variant,
) -> np.ndarray:
    """Puts the three parts of a sparse tensor into a vector of variants."""
    return _row(sparse_indices.copy(), sparse_values.copy(), np.array(sparse_shape))


def _row(indices: Any, values: Any, shape: Any) -> np.ndarray:
    row = np.empty(3, object)
    row[0], row[1], row[2] = indices, values, shape
    return row


@_variant_op("SerializeManySparse", f"{_PARTS} -> serialized_sparse: out_type")
def serialize_many_sparse_op(
    xp: Any,
    sparse_indices: Any,
    sparse_values: Any,
    sparse_shape: Any,
    *,
    out_type: Any = dtypes.variant,
) -> np.ndarray:
    """Puts each row of a sparse tensor into a vector of variants."""
    if len(sparse_shape) < 2:
        raise invalid("Rank of input SparseTensor should be > 1, but saw rank: 1")
    return _rows(sparse_indices, sparse_values, sparse_shape)


def _rows(indices: Any, values: Any, shape: Any) -> np.ndarray:
    rows = np.empty((int(shape[0]), 3), object)
    ends = np.searchsorted(indices[:, 0], np.arange(len(rows) + 1))
    for i, (start, end) in enumerate(zip(ends, ends[1:])):
        rows[i] = _row(indices[start:end, 1:].copy(), values[start:end], shape[1:].copy())
    return rows


serialize_sparse_op.shape(lambda *inputs, **attrs: TensorShape([3]))
serialize_many_sparse_op.shape(
    lambda indices, values, shape, **attrs: TensorShape(
        [None if shape.value is None else int(shape.value[0]), 3]
    )
)


@_variant_op(
    "DeserializeSparse",
    "serialized_sparse: Tserialized -> indices: int64, values: dtype, shape: int64",
    alias=True,
)
def deserialize_sparse_op(xp: Any, serialized_sparse: Any, *, dtype: Any) -> Any:
    """Takes the parts out again; of a batch, with the number in the batch as first index."""
    if serialized_sparse.ndim == 1:
        return tuple(serialized_sparse)
    places = serialized_sparse.shape[:-1]
    rows = serialized_sparse.reshape(-1, 3)
    sizes = [row[2] for row in rows]
    if any(len(size) != len(sizes[0]) for size in sizes):
        raise invalid("Inconsistent shape across SparseTensors: their ranks differ")
    indices = [
        np.concatenate([np.tile(np.array(place, np.int64), (len(row[0]), 1)), row[0]], axis=1)
        for place, row in zip(np.ndindex(*places), rows)
    ]
    dense = np.max(sizes, axis=0) if sizes else np.zeros(0, np.int64)
    if not len(rows):
        return np.empty((0, 2), np.int64), np.empty(0, dtype.numpy_dtype), np.array([0, 0])
    return (
        np.concatenate(indices),
        np.concatenate([row[1] for row in rows]),
        np.array([*places, *dense], np.int64),
    )


@deserialize_sparse_op.shape
def _deserialize_shape(serialized_sparse: Any, *, dtype: Any) -> list[Any]:
    return [unknown_shape(2), unknown_shape(1), unknown_shape(1)]


def rows_of(component: Any) -> Any:
    """A component as a sequence of its rows: a sparse tensor is a vector of three parts."""
    whole = isinstance(component, np.ndarray) and component.dtype == object
    if whole and component.shape == (3,) and isinstance(component[0], np.ndarray):
        return _rows(*component)
    return component


def pack_sparse(value: SparseTensor) -> Tensor:
    """A sparse tensor as one component."""
    parts = value.indices, value.values, value.dense_shape
    return serialize_sparse_op(*parts, out_type=dtypes.variant)


def pack_rows(value: SparseTensor) -> Tensor:
    """The rows of a sparse tensor as components, along a first axis."""
    parts = value.indices, value.values, value.dense_shape
    return serialize_many_sparse_op(*parts, out_type=dtypes.variant)


def unpack_sparse(component: Tensor, dtype: Any, shape: TensorShape) -> SparseTensor:
    """The sparse tensor, or batch of them, that a component holds."""
    indices, values, dense_shape = deserialize_sparse_op(component, dtype=dtype)
    rank = shape.ndims
    if rank is not None:
        indices.set_shape([None, rank])
        dense_shape.set_shape([rank])
    sparse = SparseTensor(indices, values, dense_shape)
    sparse._known_shape = shape
    return sparse


# ---- ragged tensors ----------------------------------------------------------------------


class _Rows(NamedTuple):
    splits: list[Any]  # the outermost first
    values: Any


class _Held:
    """A ragged value in a variant; no sequence, so that NumPy does not look inside."""

    __slots__ = ("rows",)

    def __init__(self, rows: _Rows) -> None:
        self.rows = rows


def _part(whole: _Rows, place: int) -> _Held:
    """One row, which has one ragged axis less."""
    first, last = whole.splits[0][place : place + 2]
    splits = []
    for deeper in whole.splits[1:]:
        piece = deeper[first : last + 1]
        splits.append(piece - piece[0])
        first, last = piece[0], piece[-1]
    return _Held(_Rows(splits, whole.values[first:last]))


@_variant_op(
    "RaggedTensorToVariant",
    "rt_nested_splits: N*Tsplits, rt_dense_values: Tvalues -> encoded_ragged: variant",
)
def ragged_to_variant_op(
    xp: Any, rt_nested_splits: Any, rt_dense_values: Any, *, batched_input: bool = False
) -> Any:
    """Puts a ragged tensor into a variant, or each of its rows into one."""
    whole = _Rows([each.copy() for each in rt_nested_splits], rt_dense_values.copy())
    if not batched_input:
        return _Held(whole)
    return as_objects([_part(whole, i) for i in range(len(whole.splits[0]) - 1)])


@ragged_to_variant_op.shape
def _encoded_shape(splits: Any, values: Any, *, batched_input: bool = False) -> TensorShape:
    return TensorShape([None] if batched_input else [])


@_variant_op(
    "RaggedTensorFromVariant",
    "encoded_ragged: variant -> output_nested_splits: output_ragged_rank*Tsplits, "
    "output_dense_values: Tvalues",
    alias=True,
)
def ragged_from_variant_op(
    xp: Any,
    encoded_ragged: Any,
    *,
    output_ragged_rank: int,
    Tvalues: Any,
    Tsplits: Any = dtypes.int64,
) -> list[Any]:
    """Takes a ragged tensor out of a variant, or puts those of several together."""
    found = _joined(encoded_ragged, output_ragged_rank, Tvalues.numpy_dtype, Tsplits.numpy_dtype)
    return [*found.splits, found.values]


@ragged_from_variant_op.shape
def _decoded_shape(encoded: Any, *, output_ragged_rank: int, **attrs: Any) -> Any:
    return [*[TensorShape([None])] * output_ragged_rank, None] if output_ragged_rank else None


def _joined(encoded: Any, rank: int, dtype: Any, of_splits: Any) -> _Rows:
    if not isinstance(encoded, np.ndarray):
        return encoded.rows
    parts = [_joined(each, rank - 1, dtype, of_splits) for each in encoded]
    if not parts:
        return _Rows([np.zeros(1, of_splits)] * rank, np.zeros(0, dtype))
    levels = [
        _end_to_end([part.splits[level] for part in parts], of_splits) for level in range(rank - 1)
    ]
    counts = [len(part.splits[0]) - 1 if part.splits else len(part.values) for part in parts]
    outer = np.concatenate([[0], np.cumsum(counts)]).astype(of_splits)
    return _Rows([outer, *levels], np.concatenate([part.values for part in parts]))


def _end_to_end(splits: list[Any], dtype: Any) -> Any:
    """Where the rows of several tensors begin when one follows the other."""
    lengths = np.concatenate([np.diff(each) for each in splits])
    return np.concatenate([[0], np.cumsum(lengths)]).astype(dtype)


def pack_ragged(value: RaggedTensor, rows: bool = False) -> Tensor:
    """A ragged tensor as one component, or as one for each of its rows."""
    splits = list(value.nested_row_splits)
    return ragged_to_variant_op(splits, value.flat_values, batched_input=rows)


def unpack_ragged(component: Tensor, spec: RaggedTensorSpec) -> Any:
    """What a component holds: a ragged tensor, or a row of values."""
    *splits, values = ragged_from_variant_op(
        component,
        output_ragged_rank=spec.ragged_rank,
        Tvalues=spec.dtype,
        Tsplits=spec.row_splits_dtype,
    )
    flat = spec._component_specs[0].shape
    values.set_shape(flat if spec.ragged_rank else spec.shape)
    return RaggedTensor.from_nested_row_splits(values, splits) if splits else values

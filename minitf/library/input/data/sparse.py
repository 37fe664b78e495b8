"""Sparse tensors as one component of an element: a vector of three variants.

SparseTensor --SerializeSparse--> [indices, values, dense_shape] --DeserializeSparse--> ...
a batch of them: [n, 3], which is read back as one sparse tensor with one more axis in front
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid

_variant_op = partial(
    op,
    differentiable=False,
    host_only=True,
    no_samples="variants are no arrays; the conformance case data/sparse runs it",
)

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

"""Sparse tensors as strings, three for each: the places, the values and the shape of the whole.

serialize_sparse(s)        [3]        one SparseTensor
serialize_many_sparse(s)   [n, 3]     one for each row of a batch
deserialize_many_sparse    and back:  a batch of them all, with the largest shape
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.sparse_tensor import SparseTensor, SparseTensorValue
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.string_values import as_objects
from minitf.library.input.data.sparse import (
    deserialize_sparse_op,
    serialize_many_sparse_op,
    serialize_sparse_op,
)
from minitf.library.parsing.parsing import tensor_from_bytes, tensor_to_bytes


def _deserialized(rng: np.random.Generator) -> tuple:
    parts = np.array([[1]]), np.ones(1, np.float32), np.array([4])
    texts = [tensor_to_bytes(part) for part in parts]
    return as_objects(texts * 2, (2, 3)), {"dtype": dtypes.float32}


@op(
    "DeserializeManySparse",
    "serialized: string -> indices: int64, values: dtype, shape: int64",
    differentiable=False,
    sized_by_values=True,
    samples=[_deserialized],
)
def deserialize_many_sparse_op(xp: Any, serialized: Any, *, dtype: Any) -> Any:
    """Reads sparse tensors, and makes a batch of them."""
    places, values, sizes = [], [], []
    for number, row in enumerate(serialized):
        try:
            where, what, shape = map(tensor_from_bytes, row)
        except ValueError:
            raise invalid("Could not parse serialized proto") from None
        found = dtypes.as_dtype(what.dtype)
        if found != dtype:
            raise invalid(
                f"Requested SparseTensor of type {dtypes.c_name(dtype)} but SparseTensor[{number}]."
                f"values.dtype() == {dtypes.c_name(found)}"
            )
        if sizes and len(shape) != len(sizes[0]):
            raise invalid(
                f"Inconsistent rank across SparseTensors: rank prior to SparseTensor[{number}] "
                f"was: {len(sizes[0])} but rank of SparseTensor[{number}] is: {len(shape)}"
            )
        first = np.full((len(where), 1), number)
        places.append(np.hstack([first, where.reshape(len(where), len(shape))]))
        values.append(what)
        sizes.append(shape)
    if not sizes:
        raise invalid("Must have at least 1 serialized SparseTensor")
    largest = np.max(sizes, axis=0)
    return np.concatenate(places), np.concatenate(values), np.array([len(sizes), *largest])


@deserialize_many_sparse_op.shape
def _deserialize_shape(serialized: Any, *, dtype: Any) -> list:
    columns = serialized.shape.with_rank(2)[1].value
    if columns not in (None, 3):
        raise ValueError(f"Dimension must be 3 but is {columns}")
    return [TensorShape([None, None]), TensorShape([None]), TensorShape([None])]


def _parts(sp_input: Any) -> tuple:
    if isinstance(sp_input, SparseTensorValue):
        sp_input = SparseTensor.from_value(sp_input)
    if not isinstance(sp_input, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return sp_input.indices, sp_input.values, sp_input.dense_shape


def serialize_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = dtypes.string
) -> Tensor:
    """A `SparseTensor` as three strings: its indices, values and dense shape."""
    return serialize_sparse_op(*_parts(sp_input), out_type=dtypes.as_dtype(out_type), name=name)


def serialize_many_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = dtypes.string
) -> Tensor:
    """The rows of a `SparseTensor` of rank 2 or more, each as three strings: [rows, 3]."""
    kind = dtypes.as_dtype(out_type)
    return serialize_many_sparse_op(*_parts(sp_input), out_type=kind, name=name)


def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """A batch of the sparse tensors in a [n, 3] matrix of strings; its shape holds them all.

    Args:
      serialized_sparse: what `serialize_many_sparse` gave, or `serialize_sparse` and `tf.stack`.
      dtype: the type of the values.
      rank: of one of them, when it is known.
      name: the name.
    """
    parts = deserialize_many_sparse_op(serialized_sparse, dtype=dtypes.as_dtype(dtype), name=name)
    return _of_rank(rank, *parts)


def deserialize_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """One sparse tensor, or a batch of any rank of them; see `deserialize_many_sparse`."""
    parts = deserialize_sparse_op(serialized_sparse, dtype=dtypes.as_dtype(dtype), name=name)
    return _of_rank(rank, *parts)


def _of_rank(rank: int | None, indices: Tensor, values: Tensor, shape: Tensor) -> SparseTensor:
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)

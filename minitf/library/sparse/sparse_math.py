"""Sparse tensors multiplied by matrices, and summed over axes.

A product with a whole matrix is a sum of its rows: the element at [i, j] adds `b[j]`, times itself,
to row i of the result. No zero is ever multiplied.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.shapes import TensorShape, normalize_axes
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import static_ints
from minitf.core.ops.array_gathering import gather_nd_op, gather_op
from minitf.core.ops.array_shaping import reshape
from minitf.library.sparse.sparse import sparse_sample

# ---- reductions --------------------------------------------------------------------------


def _kept_axes(rank: int, axis: Any) -> list[int]:
    gone = set(range(rank) if axis is None else normalize_axes(static_ints(axis, "axis"), rank))
    return [i for i in range(rank) if i not in gone]


def _reduction(kind: str) -> OpDef:
    ufunc = {"Sum": "add", "Max": "maximum"}[kind]

    def kernel(
        xp: Any,
        input_indices: Any,
        input_values: Any,
        input_shape: Any,
        *,
        axis: Any = None,
        keep_dims: bool = False,
    ) -> Any:
        kept = _kept_axes(len(input_shape), axis)
        sizes = [int(n) if i in kept else 1 for i, n in enumerate(input_shape)]
        columns = enumerate(input_indices.T)
        places = tuple(column if i in kept else 0 * column for i, column in columns)
        total = xp.zeros(sizes, input_values.dtype)
        if kind == "Max":
            total[places] = _lowest(input_values.dtype)
        getattr(xp, ufunc).at(total, places, input_values)
        return total if keep_dims else total.reshape([sizes[i] for i in kept])[()]

    kernel.__doc__ = f"Takes the {kind.lower()} of the elements over axes."
    op_def: OpDef = op(
        f"SparseReduce{kind}",
        "input_indices: int64, input_values: T, input_shape: int64 -> output: T",
        host_only=True,
        T=dtypes.REALS if kind == "Max" else dtypes.NUMBERS,
        differentiable=kind == "Sum" or None,
        samples=[
            lambda rng: (*sparse_sample(rng), {"axis": (1,)}),
            lambda rng: (*sparse_sample(rng), {"keep_dims": True}),
        ],
    )(kernel)

    @op_def.shape
    def _shape(
        input_indices: Any, input_values: Any, input_shape: Any, *, axis: Any, keep_dims: bool
    ) -> Any:
        sizes = input_shape.partial_shape
        if sizes.ndims is None:
            return None
        kept = _kept_axes(sizes.ndims, axis)
        known = [n if i in kept else 1 for i, n in enumerate(sizes.as_list())]
        return TensorShape(known if keep_dims else [known[i] for i in kept])

    return op_def


def _lowest(dtype: Any) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


_sparse_sum_op = _reduction("Sum")
_sparse_max_op = _reduction("Max")


@_sparse_sum_op.gradient
def _sparse_sum_grad(op: Any, dy: Tensor) -> list:
    indices, _, sizes = op.inputs
    rank = sizes.shape.as_list()[0] if sizes.shape.ndims else None
    if rank is None:
        raise ValueError(f"The gradient of '{op.name}' needs the rank of its input.")
    kept = _kept_axes(rank, op.attrs["axis"])
    if op.attrs["keep_dims"]:
        kept_sizes = gather_op(sizes, np.array(kept, np.int32)) if kept else np.zeros(0, np.int64)
        dy = reshape(dy, kept_sizes)
    if not kept:
        count = shape_of(op.inputs[1])
        return [None, call("Fill", count, dy), None]
    return [None, gather_nd_op(dy, gather_op(indices, np.array(kept, np.int32), axis=1)), None]

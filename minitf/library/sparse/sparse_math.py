"""Sparse tensors multiplied by matrices, and summed over axes.

A product with a whole matrix is a sum of its rows: the element at [i, j] adds `b[j]`, times itself,
to row i of the result. No zero is ever multiplied.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.shapes import TensorShape, normalize_axes
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.rows import add_rows, check_coordinates
from minitf.core.ops.array import one_of, static_ints
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_gathering import gather_nd_op, gather_op
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.elementwise import invalid, shown
from minitf.core.ops.math import multiply
from minitf.core.ops.reductions import reduce_sum
from minitf.library.sparse.sparse import as_sparse, from_dense, sparse_sample

# ---- SparseTensorDenseMatMul -------------------------------------------------------------


@op(
    "SparseTensorDenseMatMul",
    "a_indices: Tindices, a_values: T, a_shape: int64, b: T -> product: T",
    host=("a_shape",),
    T=dtypes.NUMBERS,
    Tindices=dtypes.INDICES,
    samples=[
        lambda rng: (*sparse_sample(rng), rng.normal(size=(2, 4)), {}),
        lambda rng: (*sparse_sample(rng), rng.normal(size=(3, 4)), {"adjoint_a": True}),
        lambda rng: (*sparse_sample(rng), rng.normal(size=(4, 2)), {"adjoint_b": True}),
    ],
)
def sparse_dense_matmul_op(
    xp: Any, a_indices: Any, a_values: Any, a_shape: Any, b: Any, *, adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Any:  # fmt: skip
    """Multiplies a sparse matrix by a whole one: each element adds a row to a row."""
    rows, columns = (1, 0) if adjoint_a else (0, 1)
    other = b.conj().T if adjoint_b else b
    if int(a_shape[columns]) != other.shape[0]:
        raise invalid(
            "Cannot multiply A and B because inner dimension does not match: "
            f"{int(a_shape[columns])} vs. {other.shape[0]}.  Did you forget a transpose?  "
            f"Dimensions of A: [{a_shape[0]}, {a_shape[1]}).  Dimensions of B: {shown(b)}"
        )
    check_coordinates(xp, a_indices, tuple(a_shape.tolist()))
    values = a_values.conj() if adjoint_a else a_values
    product = xp.zeros((int(a_shape[rows]), other.shape[1]), b.dtype)
    parts = values[:, None] * other[a_indices[:, columns]]
    add_rows(xp, product, xp.ascontiguousarray(a_indices[:, rows]), parts)
    return product


@sparse_dense_matmul_op.shape
def _sparse_dense_matmul_shape(
    a_indices: Any, a_values: Any, a_shape: Any, b: Any, *, adjoint_a: bool, adjoint_b: bool
) -> Any:
    left, right = a_shape.partial_shape.with_rank(2), b.shape.with_rank(2)
    if left.ndims is None or right.ndims is None:
        return TensorShape([None, None])
    rows, inner = left.as_list()[:: -1 if adjoint_a else 1]
    other, columns = right.as_list()[:: -1 if adjoint_b else 1]
    if None not in (inner, other) and inner != other:
        raise ValueError(f"Dimensions must be equal, but are {inner} and {other}")
    return TensorShape([rows, columns])


@sparse_dense_matmul_op.gradient
def _sparse_dense_matmul_grad(op: Any, dy: Tensor) -> list:
    indices, values, sizes, b = op.inputs
    adjoint_a, adjoint_b = op.attrs["adjoint_a"], op.attrs["adjoint_b"]
    whole = sparse_dense_matmul_op(indices, values, sizes, dy, adjoint_a=not adjoint_a)
    if adjoint_b:
        whole = call("Transpose", whole, perm=(1, 0))
        whole = call("Conj", whole) if whole.dtype.is_complex else whole
    rows, columns = indices[:, 0], indices[:, 1]
    if adjoint_a:
        rows, columns = columns, rows
    other = call("Transpose", b, perm=(1, 0)) if adjoint_b else b
    picked = multiply(gather_op(dy, rows), gather_op(other, columns))
    return [None, reduce_sum(picked, axis=1), None, whole]


def sparse_tensor_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of a sparse matrix and a whole one.

    Args:
      sp_a: a `SparseTensor` of rank 2.
      b: a matrix of the same type.
      adjoint_a: whether to take the conjugate transpose of `sp_a`.
      adjoint_b: whether to take that of `b`.
      name: the name.
    """
    sp = as_sparse(sp_a)
    with name_scope(name, "SparseTensorDenseMatMul"):
        return sparse_dense_matmul_op(
            sp.indices,
            sp.values,
            sp.dense_shape,
            convert_to_tensor(b, name="b"),
            adjoint_a=adjoint_a,
            adjoint_b=adjoint_b,
        )


# ---- reductions --------------------------------------------------------------------------


def _kept_axes(rank: int, axis: Any) -> list[int]:
    gone = set(range(rank) if axis is None else normalize_axes(static_ints(axis, "axis"), rank))
    return [i for i in range(rank) if i not in gone]


def _reduction(kind: str) -> OpDef:
    ufunc = {"Sum": "add", "Max": "maximum"}[kind]

    def kernel(
        xp: Any, input_indices: Any, input_values: Any, input_shape: Any, *, axis: Any = None,
        keep_dims: bool = False,
    ) -> Any:  # fmt: skip
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


def sparse_reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The sums of a `SparseTensor` over axes, as a whole tensor.

    Args:
      sp_input: the `SparseTensor`.
      axis: an axis, or several; all of them when None.
      keepdims: whether the reduced axes stay, with size 1.
      reduction_axes: the old spelling of `axis`.
      keep_dims: the old spelling of `keepdims`.
    """
    return _reduced(_sparse_sum_op, sp_input, axis, keepdims, reduction_axes, keep_dims)


def sparse_reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The largest elements over axes, 0 where there are none; see `sparse_reduce_sum`."""
    return _reduced(_sparse_max_op, sp_input, axis, keepdims, reduction_axes, keep_dims)


def _reduced(
    op_def: OpDef, sp_input: Any, axis: Any, keepdims: Any, reduction_axes: Any, keep_dims: Any
) -> Tensor:
    sp = as_sparse(sp_input)
    axis = one_of("axis", axis, "reduction_axes", reduction_axes)
    keep = bool(one_of("keepdims", keepdims, "keep_dims", keep_dims))
    axes = None if axis is None else static_ints(axis, "axis")
    return op_def(sp.indices, sp.values, sp.dense_shape, axis=axes, keep_dims=keep)


def sparse_reduce_sum_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """As `sparse_reduce_sum`, with a `SparseTensor` as the result."""
    return _sparse(sparse_reduce_sum(sp_input, axis, keepdims, reduction_axes, keep_dims))


def sparse_reduce_max_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """As `sparse_reduce_max`, with a `SparseTensor` as the result."""
    return _sparse(sparse_reduce_max(sp_input, axis, keepdims, reduction_axes, keep_dims))


def _sparse(reduced: Tensor) -> SparseTensor:
    """The elements that are not zero; of a scalar the one there is, whose place has no number."""
    if reduced.shape.ndims != 0:
        return from_dense(reduced)
    return SparseTensor(np.zeros((1, 0), np.int64), reshape(reduced, [1]), np.zeros(0, np.int64))

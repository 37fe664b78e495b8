"""Sparse tensors: made, made whole, added, multiplied, summed.

A `SparseTensor` is places, elements and a shape. What changes only the elements, or brings them
into a whole tensor, is here; what moves them is in sparse_shaping.py. Gradients flow through the
elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.framework import dtypes
from minitf.framework.convert import constant, convert_to_tensor
from minitf.framework.registry import OpDef, call, op
from minitf.framework.shapes import TensorShape, as_shape, normalize_axes
from minitf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from minitf.framework.stacks import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops.array import one_of, placeholder, placeholder_with_default, static_ints
from minitf.ops.array import shape as shape_of
from minitf.ops.array_filling import ones, zeros_like
from minitf.ops.array_gathering import gather_nd_op, gather_op
from minitf.ops.array_joining import stack
from minitf.ops.array_shaping import expand_dims, reshape
from minitf.ops.cast import cast
from minitf.ops.comparisons import not_equal, where
from minitf.ops.elementwise import invalid, shown
from minitf.ops.math import multiply, negative, realdiv, subtract
from minitf.ops.reductions import reduce_sum
from minitf.ops.rows import add_rows, check_coordinates

# ---- made --------------------------------------------------------------------------------


def as_sparse(value: Any) -> SparseTensor:
    """A `SparseTensor` of one, or of a `SparseTensorValue`.

    Raises:
      TypeError: "Input must be a SparseTensor."
    """
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return value


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A `SparseTensor` that every run feeds, with a `SparseTensorValue` or three arrays.

    Args:
      dtype: the type of the elements.
      shape: what is known of the shape.
      name: the first part of the names of its tensors.
    Example:
      >>> s = tf.sparse_placeholder(tf.float32)
      >>> sess.run(tf.sparse_reduce_sum(s), {s: (indices, values, shape)})
    """

    def named(part: str) -> str | None:
        return None if name is None else f"{name}/{part}"

    rank = None
    whole: Any
    if shape is None:
        whole = placeholder(dtypes.int64, [None], name=named("shape"))
    elif isinstance(shape, Tensor):
        whole, rank = shape, shape.shape.as_list()[0]
    else:
        sizes = as_shape(shape).as_list()
        rank = len(sizes)
        known = np.array([-1 if n is None else n for n in sizes], np.int64)
        whole = constant(known, name=named("shape") or "Const")
        if None in sizes:
            whole = placeholder_with_default(whole, [rank])
    values = placeholder(dtype, [None], name=named("values"))
    indices = placeholder(dtypes.int64, [None, rank], name=named("indices"))
    return SparseTensor(indices, values, whole)


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not zero."""
    with name_scope(name, "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        places = where(not_equal(tensor, zeros_like(tensor)))
        values = gather_nd_op(tensor, places)
        return SparseTensor(places, values, shape_of(tensor, out_type=dtypes.int64))


def eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> SparseTensor:
    """A matrix with ones on its diagonal."""
    with name_scope(name, "eye"):
        rows = cast(num_rows, dtypes.int64)
        columns = rows if num_columns is None else cast(num_columns, dtypes.int64)
        size = call("Minimum", rows, columns)
        diagonal = call("Range", np.int64(0), size, np.int64(1))
        places = stack([diagonal, diagonal], axis=1)
        return SparseTensor(places, ones(shape_of(diagonal), dtype), stack([rows, columns]))


# ---- SparseToDense -----------------------------------------------------------------------


def check_order(xp: Any, indices: Any, sizes: Any) -> None:
    """Raises unless places lie in the shape, in order, and no two of them are the same."""
    if xp is not np or not len(indices):
        return
    bad = (indices < 0) | (indices >= sizes)
    whole = f"[{','.join(str(n) for n in sizes)}]"

    def text(i: int) -> str:
        return f"indices[{i}] = [{','.join(str(n) for n in indices[i])}]"

    if bad.any():
        i = int(np.argwhere(bad.any(axis=1))[0][0])
        raise invalid(f"{text(i)} is out of bounds: need 0 <= index < {whole}")
    flat = _linear(indices, sizes)
    steps = np.diff(flat)
    if (steps <= 0).any():
        i = int(np.argmax(steps <= 0)) + 1
        if steps[i - 1] == 0:
            raise invalid(f"{text(i)} is repeated")
        raise invalid(
            f"{text(i)} is out of order. Many sparse ops require sorted indices.\n"
            "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n"
        )


def _linear(indices: Any, sizes: Any) -> Any:
    """Places as numbers that count through the whole tensor."""
    flat = np.zeros(len(indices), np.int64)
    for axis, size in enumerate(sizes):
        flat = flat * int(size) + indices[:, axis]
    return flat


@op(
    "SparseToDense",
    "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T "
    "-> dense: T",
    Tindices=dtypes.INDICES,
    samples=[
        lambda rng: (np.array([[0, 1], [2, 0]]), np.array([3, 2]), rng.normal(size=(2,)),
                     rng.normal(), {}),
        lambda rng: (np.array([1, 3], np.int32), np.array([4], np.int32), rng.normal(), 0.0, {}),
    ],
)  # fmt: skip
def sparse_to_dense_op(
    xp: Any,
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any,
    *,
    validate_indices: bool = True,
) -> Any:
    """Puts elements at their places in a tensor that is `default_value` everywhere else."""
    sizes = tuple(output_shape.tolist())
    places = sparse_indices.reshape(-1, 1) if sparse_indices.ndim < 2 else sparse_indices
    if validate_indices:
        check_order(xp, places, sizes)
    else:
        check_coordinates(xp, places, sizes)
    dense = xp.full(sizes, default_value, sparse_values.dtype)
    dense[tuple(places.T)] = sparse_values
    return dense


@sparse_to_dense_op.shape
def _sparse_to_dense_shape(
    sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any, **attrs: Any
) -> Any:
    return output_shape.partial_shape


@sparse_to_dense_op.gradient
def _sparse_to_dense_grad(op: Any, dy: Tensor) -> list:
    indices, _, values, default = op.inputs
    places = indices if indices.shape.ndims == 2 else reshape(indices, [-1, 1])
    picked = gather_nd_op(dy, places)
    rest = subtract(reduce_sum(dy), reduce_sum(picked))
    if values.shape.ndims == 0:
        picked = reduce_sum(picked)
    return [None, None, picked, rest if default.dtype.is_floating else None]


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A whole tensor from places and elements.

    Args:
      sparse_indices: [n, rank] the places; [n] or a scalar for a vector.
      output_shape: [rank] the shape of the result.
      sparse_values: [n] the elements, or one for all places.
      default_value: what stands everywhere else.
      validate_indices: whether the places must be in order and differ.
      name: the name.
    """
    values = convert_to_tensor(sparse_values, name="sparse_values")
    return sparse_to_dense_op(
        sparse_indices,
        output_shape,
        values,
        convert_to_tensor(default_value, values.dtype.base_dtype),
        validate_indices=validate_indices,
        name=name,
    )


def sparse_tensor_to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """The whole tensor of a `SparseTensor`.

    Args:
      sp_input: the `SparseTensor`.
      default_value: what stands everywhere else; zero, or the empty string.
      validate_indices: whether the places must be in order and differ.
      name: the name.
    Raises:
      InvalidArgumentError: when it runs and the places are out of order.
    """
    sp = as_sparse(sp_input)
    if default_value is None:
        default_value = b"" if sp.dtype.base_dtype == dtypes.string else 0
    return sparse_to_dense(
        sp.indices, sp.dense_shape, sp.values, default_value, validate_indices, name
    )


def sparse_to_indicator(sp_input: Any, vocab_size: int, name: str | None = None) -> Tensor:
    """For each row the set of its ids as Booleans.

    Args:
      sp_input: a `SparseTensor` of int32 or int64 ids; the place in the last axis says nothing.
      vocab_size: the length of the last axis of the result; ids lie in [0, vocab_size).
      name: the name.
    """
    sp = as_sparse(sp_input)
    with name_scope(name, "SparseToIndicator") as scope:
        ids = cast(sp.values, dtypes.int64)
        places = call("ConcatV2", [sp.indices[:, :-1], expand_dims(ids, 1)], axis=1)
        last = constant([vocab_size], dtypes.int64)
        sizes = call("ConcatV2", [sp.dense_shape[:-1], last], axis=0)
        return sparse_to_dense(places, sizes, True, False, validate_indices=False, name=scope)


# ---- elements combined with a whole tensor -----------------------------------------------


def _at_places(xp: Any, indices: Any, sizes: Any, dense: Any) -> Any:
    """The elements of `dense`, broadcast to `sizes`, at the places."""
    if dense.ndim > len(sizes):
        raise invalid(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
            f"[{','.join(str(n) for n in sizes)}] vs. {shown(dense)}"
        )
    try:
        return xp.broadcast_to(dense, tuple(int(n) for n in sizes))[tuple(indices.T)]
    except ValueError:
        raise invalid(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
            f"[{','.join(str(n) for n in sizes)}] vs. {shown(dense)}"
        ) from None


def _cwise(op_type: str, ufunc: str, sentence: str) -> OpDef:
    def kernel(xp: Any, sp_indices: Any, sp_values: Any, sp_shape: Any, dense: Any) -> Any:
        others = _at_places(xp, sp_indices, sp_shape, xp.asarray(dense))
        return getattr(xp, ufunc)(sp_values, others).astype(sp_values.dtype)

    kernel.__doc__ = sentence
    kernel.__name__ = f"{op_type}_op"
    op_def: OpDef = op(
        op_type,
        "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T -> output: T",
        T=dtypes.NUMBERS,
        samples=[
            lambda rng: (
                np.array([[0, 1], [2, 0]]), rng.normal(size=(2,)), np.array([3, 2]),
                rng.uniform(1, 2, size=(3, 2)), {},
            ),
        ],
    )(kernel)  # fmt: skip

    @op_def.shape
    def _shape(sp_indices: Any, sp_values: Any, sp_shape: Any, dense: Any) -> Any:
        return sp_values.shape

    return op_def


_cwise_mul_op = _cwise("SparseDenseCwiseMul", "multiply", "Multiplies elements at their places.")
_cwise_div_op = _cwise("SparseDenseCwiseDiv", "divide", "Divides elements at their places.")


def _dense_at(op: Any) -> tuple[Tensor, Any]:
    """The elements of the whole tensor at the places, and how to spread a gradient back to it."""
    indices, _, _, dense = op.inputs
    if not dense.shape.is_fully_defined():
        raise ValueError(f"The gradient of '{op.name}' needs the shape of {dense}.")
    sizes = dense.shape.as_list()
    if not sizes:
        return dense, reduce_sum
    # an axis of size 1 is broadcast: its place is always 0
    wide = constant([0 if n == 1 else 1 for n in sizes], dtypes.int64)
    places = multiply(indices[:, -len(sizes) :], wide)
    whole = constant(sizes, dtypes.int64)
    return gather_nd_op(dense, places), lambda g: call("ScatterNd", places, g, whole)


@_cwise_mul_op.gradient
def _cwise_mul_grad(op: Any, dy: Tensor) -> list:
    others, back = _dense_at(op)
    return [None, multiply(dy, others), None, back(multiply(dy, op.inputs[1]))]


@_cwise_div_op.gradient
def _cwise_div_grad(op: Any, dy: Tensor) -> list:
    others, back = _dense_at(op)
    share = realdiv(dy, others)
    return [None, share, None, back(negative(multiply(share, op.outputs[0])))]


@op(
    "SparseTensorDenseAdd",
    "a_indices: Tindices, a_values: T, a_shape: Tindices, b: T -> output: T",
    T=dtypes.NUMBERS,
    Tindices=dtypes.INDICES,
    samples=[
        lambda rng: (
            np.array([[0, 1], [2, 0]]), rng.normal(size=(2,)), np.array([3, 2]),
            rng.normal(size=(3, 2)), {},
        ),
    ],
)  # fmt: skip
def sparse_dense_add_op(xp: Any, a_indices: Any, a_values: Any, a_shape: Any, b: Any) -> Any:
    """Adds elements to a whole tensor at their places."""
    if tuple(a_shape.tolist()) != b.shape:
        raise invalid(
            f"Dimensions 0 do not equal (sparse vs. dense): {a_shape.tolist()} vs {shown(b)}"
        )
    check_coordinates(xp, a_indices, b.shape)
    total = xp.array(b)
    xp.add.at(total, tuple(a_indices.T), a_values)
    return total


@sparse_dense_add_op.shape
def _sparse_dense_add_shape(a_indices: Any, a_values: Any, a_shape: Any, b: Any) -> Any:
    return b.shape


@sparse_dense_add_op.gradient
def _sparse_dense_add_grad(op: Any, dy: Tensor) -> list:
    return [None, gather_nd_op(dy, op.inputs[0]), None, dy]


# ---- SparseTensorDenseMatMul -------------------------------------------------------------


def _matmul_samples() -> list:
    def sample(adjoint_a: bool, adjoint_b: bool) -> Any:
        def make(rng: Any) -> tuple:
            inner = 3 if adjoint_a else 2
            b = rng.normal(size=(4, inner) if adjoint_b else (inner, 4))
            attrs = {"adjoint_a": adjoint_a, "adjoint_b": adjoint_b}
            places = np.array([[0, 1], [2, 0], [2, 1]])
            return places, rng.normal(size=(3,)), np.array([3, 2]), b, attrs

        return make

    return [sample(False, False), sample(True, False), sample(False, True)]


@op(
    "SparseTensorDenseMatMul",
    "a_indices: Tindices, a_values: T, a_shape: int64, b: T -> product: T",
    T=dtypes.NUMBERS,
    Tindices=dtypes.INDICES,
    samples=_matmul_samples(),
)
def sparse_dense_matmul_op(
    xp: Any,
    a_indices: Any,
    a_values: Any,
    a_shape: Any,
    b: Any,
    *,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Any:
    """Multiplies a sparse matrix by a whole one: each element adds a row to a row."""
    rows, columns = (1, 0) if adjoint_a else (0, 1)
    other = b.conj().T if adjoint_b else b
    if int(a_shape[columns]) != other.shape[0]:
        raise invalid(
            "Cannot multiply A and B because inner dimension does not match: "
            f"{int(a_shape[columns])} vs. {other.shape[0]}.  Did you forget a transpose?  Dimensions"
            f" of A: [{a_shape[0]}, {a_shape[1]}).  Dimensions of B: {shown(b)}"
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
    adjoint_a, adjoint_b = op.get_attr("adjoint_a"), op.get_attr("adjoint_b")
    whole = sparse_dense_matmul_op(indices, values, sizes, dy, adjoint_a=not adjoint_a)
    if adjoint_b:
        whole = call("Conj", call("Transpose", whole, perm=(1, 0)))
    rows, columns = indices[:, 0], indices[:, 1]
    if adjoint_a:
        rows, columns = columns, rows
    other = call("Transpose", b, perm=(1, 0)) if adjoint_b else b
    picked = multiply(gather_op(dy, rows), gather_op(other, columns))
    return [None, reduce_sum(picked, axis=1), None, whole]


def sparse_tensor_dense_matmul(
    sp_a: Any,
    b: Any,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
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
        xp: Any,
        input_indices: Any,
        input_values: Any,
        input_shape: Any,
        *,
        axis: Any = None,
        keep_dims: bool = False,
    ) -> Any:
        kept = _kept_axes(len(input_shape), axis)
        sizes = [int(input_shape[i]) for i in kept]
        places = np.zeros(len(input_indices), np.int64)
        for i, size in zip(kept, sizes, strict=True):
            places = places * size + input_indices[:, i]
        count = int(np.prod(sizes, dtype=np.int64))
        if kind == "Sum":
            total = xp.zeros(count, input_values.dtype)
        else:
            total = xp.zeros(count, input_values.dtype)
            total[places] = _lowest(input_values.dtype)
        getattr(xp, ufunc).at(total, places, input_values)
        if keep_dims:
            sizes = [int(n) if i in kept else 1 for i, n in enumerate(input_shape)]
        return total.reshape(sizes)[()]

    kernel.__doc__ = f"Takes the {kind.lower()} of the elements over axes."
    kernel.__name__ = f"sparse_reduce_{kind.lower()}_op"
    op_def: OpDef = op(
        f"SparseReduce{kind}",
        "input_indices: int64, input_values: T, input_shape: int64 -> output: T",
        T=dtypes.REALS if kind == "Max" else dtypes.NUMBERS,
        differentiable=kind == "Sum",
        samples=[
            lambda rng: (np.array([[0, 1], [2, 0], [2, 1]]), rng.normal(size=(3,)),
                         np.array([3, 2]), {"axis": (1,)}),
            lambda rng: (np.array([[0, 1], [2, 0], [2, 1]]), rng.normal(size=(3,)),
                         np.array([3, 2]), {"keep_dims": True}),
        ],
    )(kernel)  # fmt: skip

    @op_def.shape
    def _shape(
        input_indices: Any, input_values: Any, input_shape: Any, *, axis: Any, keep_dims: bool
    ) -> Any:
        sizes = input_shape.partial_shape
        if sizes.ndims is None:
            return None
        kept = _kept_axes(sizes.ndims, axis)
        known = sizes.as_list()
        if keep_dims:
            return TensorShape([n if i in kept else 1 for i, n in enumerate(known)])
        return TensorShape([known[i] for i in kept])

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
    kept = _kept_axes(rank, op.get_attr("axis"))
    if op.get_attr("keep_dims"):
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
    return from_dense(sparse_reduce_sum(sp_input, axis, keepdims, reduction_axes, keep_dims))


def sparse_reduce_max_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """As `sparse_reduce_max`, with a `SparseTensor` as the result."""
    return from_dense(sparse_reduce_max(sp_input, axis, keepdims, reduction_axes, keep_dims))

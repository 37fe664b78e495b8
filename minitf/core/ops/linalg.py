"""Products of matrices and tensors, and norms.

`matmul` makes a `MatMul` node of two matrices and a `BatchMatMulV2` node of stacks of them.
Diagonals are in `diagonals.py`, solvers and decompositions in `decompositions.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.likes import TensorLike
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape, broadcast_shapes, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.dense import product as large_product
from minitf.core.ops import run_time_axes
from minitf.core.ops.array import one_of, shape
from minitf.core.ops.array_shaping import expand_dims, reshape, squeeze, transpose
from minitf.core.ops.complex import conj
from minitf.core.ops.elementwise import invalid, normal_sample, shown, unbroadcast
from minitf.core.ops.math import abs as abs_of
from minitf.core.ops.math import multiply, pow, sqrt
from minitf.core.ops.reductions import reduce_max, reduce_prod, reduce_sum

_SMALL = 4096  # multiplications: up to here `dot` takes less time to call than `matmul`
_LARGE = 1_000_000  # from here on, asking the table of kernels costs less than what it saves
_MATRIX_TYPES = (*dtypes.FLOATS, dtypes.int32, dtypes.int64, *dtypes.COMPLEX)


# ---- MatMul ------------------------------------------------------------------------------------


@op(
    "MatMul",
    "a: T, b: T -> product: T",
    T=_MATRIX_TYPES,
    samples=[
        normal_sample((2, 3), (3, 4)),
        normal_sample((3, 2), (3, 4), transpose_a=True),
        normal_sample((2, 3), (4, 3), transpose_b=True),
        normal_sample((3, 2), (4, 3), transpose_a=True, transpose_b=True),
    ],
)
def matmul_op(
    xp: Any, a: Any, b: Any, *, transpose_a: bool = False, transpose_b: bool = False
) -> Any:
    """Multiplies matrix `a` by matrix `b`."""
    return xp.matmul(a.T if transpose_a else a, b.T if transpose_b else b)


@matmul_op.bind
def _matmul_bind(xp: Any, attrs: dict, shapes: Any) -> Any:
    matmul = xp.matmul
    transpose_a, transpose_b = attrs["transpose_a"], attrs["transpose_b"]

    def product(a: Any, b: Any) -> Any:
        a, b = a.T if transpose_a else a, b.T if transpose_b else b
        try:
            size = a.size * b.shape[1]
            if size <= _SMALL:  # only there: for the transpose of a wide batch it takes longer
                return a.dot(b)  # the method: `np.dot` asks first whether somebody overrides it
            return matmul(a, b) if size < _LARGE else large_product(xp, a, b)
        except (ValueError, IndexError):
            raise invalid(
                f"Matrix size-incompatible: In[0]: {shown(a)}, In[1]: {shown(b)}"
            ) from None

    return product


@matmul_op.batch
def _matmul_batch(op: Any, inputs: list, stacked: list) -> Any:
    adjoint = {f"adj_{side}": op.attrs[f"transpose_{a}"] for side, a in zip("xy", "ab")}
    if any(adjoint.values()) and inputs[0].dtype.is_complex:
        return None  # transposed, and not conjugated
    return batch_matmul_op(*inputs, **adjoint)


@matmul_op.shape
def _matmul_shape(a: Any, b: Any, *, transpose_a: bool, transpose_b: bool) -> TensorShape:
    rows, inner_a = a.shape.with_rank(2).as_list()[:: -1 if transpose_a else 1]
    inner_b, columns = b.shape.with_rank(2).as_list()[:: -1 if transpose_b else 1]
    _check_inner(inner_a, inner_b)
    return TensorShape([rows, columns])


def _check_inner(a: int | None, b: int | None) -> None:
    if a is not None and b is not None and a != b:
        raise ValueError(f"Dimensions must be equal, but are {a} and {b}")


@matmul_op.gradient
def _matmul_grad(op: Any, dy: Tensor) -> list:
    transpose_a, transpose_b = op.attrs["transpose_a"], op.attrs["transpose_b"]
    a, b = conj(op.inputs[0]), conj(op.inputs[1])
    if not transpose_a and not transpose_b:
        return [matmul_op(dy, b, transpose_b=True), matmul_op(a, dy, transpose_a=True)]
    if not transpose_a:
        return [matmul_op(dy, b), matmul_op(dy, a, transpose_a=True)]
    if not transpose_b:
        return [matmul_op(b, dy, transpose_b=True), matmul_op(a, dy)]
    both = {"transpose_a": True, "transpose_b": True}
    return [matmul_op(b, dy, **both), matmul_op(dy, a, **both)]


# ---- BatchMatMulV2 -----------------------------------------------------------------------------


def _adjoint(xp: Any, x: Any) -> Any:
    turned = x.swapaxes(-1, -2)
    return xp.conj(turned) if x.dtype.kind == "c" else turned


@op(
    "BatchMatMulV2",
    "x: T, y: T -> output: T",
    batch="broadcast",
    T=_MATRIX_TYPES,
    samples=[
        normal_sample((2, 2, 3), (2, 3, 4)),
        normal_sample((2, 3, 2), (2, 4, 3), adj_x=True, adj_y=True),
        normal_sample((2, 2, 3), (3, 4)),
        normal_sample((2, 1, 2, 3), (4, 2, 3), adj_y=True),
        normal_sample((3, 2), (3, 4), adj_x=True),
    ],
)
def batch_matmul_op(xp: Any, x: Any, y: Any, *, adj_x: bool = False, adj_y: bool = False) -> Any:
    """Multiplies the matrices in the last two axes; the axes before them broadcast."""
    for index, factor in enumerate((x, y)):
        if factor.ndim < 2:
            raise invalid(f"In[{index}] ndims must be >= 2: {factor.ndim}")
    left = _adjoint(xp, x) if adj_x else x
    right = _adjoint(xp, y) if adj_y else y
    if left.shape[-1] != right.shape[-2]:
        raise invalid(f"Matrix size-incompatible: In[0]: {shown(x)}, In[1]: {shown(y)}")
    if y.ndim == 2 < x.ndim and not adj_x:  # one product of a tall matrix is much faster
        rows = xp.dot(left.reshape(-1, left.shape[-1]), right)
        return rows.reshape(*left.shape[:-1], right.shape[-1])
    try:
        return xp.matmul(left, right)
    except ValueError:
        raise invalid(
            f"In[0] and In[1] must have compatible batch dimensions: {shown(x)} vs. {shown(y)}"
        ) from None


@batch_matmul_op.shape
def _batch_matmul_shape(x: Any, y: Any, *, adj_x: bool, adj_y: bool) -> TensorShape:
    first, second = x.shape.with_rank_at_least(2), y.shape.with_rank_at_least(2)
    if first.ndims is None or second.ndims is None:
        return unknown_shape()
    rows, inner_x = first.as_list()[-2:][:: -1 if adj_x else 1]
    inner_y, columns = second.as_list()[-2:][:: -1 if adj_y else 1]
    _check_inner(inner_x, inner_y)
    return broadcast_shapes(first[:-2], second[:-2]).concatenate([rows, columns])


@batch_matmul_op.gradient
def _batch_matmul_grad(op: Any, dz: Tensor) -> list:
    adj_x, adj_y = op.attrs["adj_x"], op.attrs["adj_y"]
    x, y = op.inputs
    if not adj_x:
        dx = batch_matmul_op(dz, y, adj_y=not adj_y)
        dy = batch_matmul_op(dz, x, adj_x=True) if adj_y else batch_matmul_op(x, dz, adj_x=True)
    else:
        dx = batch_matmul_op(y, dz, adj_x=adj_y, adj_y=True)
        dy = batch_matmul_op(dz, x, adj_x=True, adj_y=True) if adj_y else batch_matmul_op(x, dz)
    return [_within_batch(dx, x, y), _within_batch(dy, y, x)]


def _within_batch(dx: Tensor, x: Tensor, other: Tensor) -> Tensor:
    """`dx` summed over the batch axes that broadcasting added to `x` or stretched."""
    ranks = x.shape.ndims, other.shape.ndims
    if ranks == (2, 2) or (
        None not in ranks and x.shape[:-2] == other.shape[:-2] and x.shape[:-2].is_fully_defined()
    ):
        return dx
    return unbroadcast(dx, x)


# ---- matmul, matvec, tensordot -----------------------------------------------------------------


def _is_batch(a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool) -> bool:
    """Whether two tensors are multiplied as stacks of matrices.

    A matrix broadcasts over a stack when their inner sizes fit. When they do not, the answer is no:
    the error is then that of a `MatMul` with an input of the wrong rank, which explains more.
    """
    ranks = a.shape.ndims, b.shape.ndims
    if ranks == (2, 2) or 1 in ranks or 0 in ranks:
        return False
    if 2 not in ranks or None in ranks:
        return True
    inner_a = a.shape.as_list()[-2 if transpose_a else -1]
    inner_b = b.shape.as_list()[-1 if transpose_b else -2]
    return inner_a is None or inner_b is None or inner_a == inner_b


def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies matrices, or stacks of matrices in the last two axes.

    Args:
      a: [..., rows, inner] of a numeric dtype.
      b: [..., inner, columns] of the same dtype.
      transpose_a: whether `a` comes as [..., inner, rows].
      transpose_b: whether `b` comes as [..., columns, inner].
      adjoint_a: as `transpose_a`, and conjugated.
      adjoint_b: as `transpose_b`, and conjugated.
      a_is_sparse: a hint that changes no value; kept for the programs that give it.
      b_is_sparse: as `a_is_sparse`.
      name: the operation's name.
    Returns: [..., rows, columns].
    Raises:
      ValueError: when ranks or inner sizes do not fit, or transpose and adjoint are both asked for.
    Example:
      >>> sess.run(tf.matmul([[1., 2.]], [[3.], [4.]]))
      array([[11.]], dtype=float32)
    """
    with name_scope(name, "MatMul") as scope:
        if transpose_a and adjoint_a:
            raise ValueError("Only one of transpose_a and adjoint_a can be True.")
        if transpose_b and adjoint_b:
            raise ValueError("Only one of transpose_b and adjoint_b can be True.")
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b", preferred_dtype=a.dtype.base_dtype)
        turn_a, turn_b = transpose_a or adjoint_a, transpose_b or adjoint_b
        if _is_batch(a, b, turn_a, turn_b):
            a = conj(a) if transpose_a else a
            b = conj(b) if transpose_b else b
            return batch_matmul_op(a, b, adj_x=turn_a, adj_y=turn_b, name=scope)
        a = conj(a) if adjoint_a else a
        b = conj(b) if adjoint_b else b
        return matmul_op(a, b, transpose_a=turn_a, transpose_b=turn_b, name=scope)


def _contraction_axes(a: Tensor, axes: Any) -> tuple[list[int], list[int]]:
    """The axes of `a` and of `b` that a tensordot sums over."""
    if isinstance(axes, (int, np.integer)) or getattr(axes, "ndim", None) == 0:
        count = int(axes)
        if count < 0:
            raise ValueError("'axes' must be at least 0.")
        rank = a.shape.ndims
        if count > rank:
            raise ValueError(
                f"'axes' must not be larger than the number of dimensions of tensor {a}."
            )
        return list(range(rank - count, rank)), list(range(count))
    if not isinstance(axes, (list, tuple)):
        axes = np.asarray(axes).tolist()
    if len(axes) != 2:
        raise ValueError("'axes' must be an integer or have length 2.")
    first, second = ([x] if isinstance(x, (int, np.integer)) else list(x) for x in axes)
    if len(first) != len(second):
        raise ValueError(
            f"Different number of contraction axes 'a' and 'b', {len(first)} != {len(second)}."
        )
    return [int(i) for i in first], [int(i) for i in second]


def _as_matrix(
    x: Tensor, axes: list[int], axes_first: bool
) -> tuple[Tensor, Any, list[int | None]]:
    """`x` as a matrix of free axes against summed axes; the free sizes, dynamic and static."""
    rank = x.shape.ndims
    axes = [list(range(rank))[i] for i in axes]  # an axis that is not there is an `IndexError`
    free = [i for i in range(rank) if i not in axes]
    sizes = x.shape.as_list()
    free_sizes = [sizes[i] for i in free]
    order = axes + free if axes_first else free + axes
    turned = x if order == list(range(rank)) else transpose(x, order)
    if None in sizes:
        dynamic = shape(x)
        free_shape = call("GatherV2", dynamic, free, axis=0)
        summed = reduce_prod(call("GatherV2", dynamic, axes, axis=0))
        kept = reduce_prod(free_shape)
        matrix_shape: Any = [summed, kept] if axes_first else [kept, summed]
    else:
        free_shape = free_sizes
        kept, summed = math.prod(free_sizes), math.prod(sizes[i] for i in axes)
        matrix_shape = [summed, kept] if axes_first else [kept, summed]
        if turned.shape.as_list() == matrix_shape:
            return turned, free_shape, free_sizes
    return reshape(turned, matrix_shape), free_shape, free_sizes


def tensordot(a: TensorLike, b: TensorLike, axes: Any, name: str | None = None) -> Tensor:
    """Sums products of elements over pairs of axes: a matrix product of tensors of any rank.

    Args:
      a: a numeric tensor.
      b: a tensor of the same dtype.
      axes: how many of the last axes of `a` and first axes of `b` are summed over; or the two lists
        of those axes.
      name: the operation's name.
    Returns: the axes of `a` that are left, followed by those of `b`.
    Raises:
      ValueError: when the axes do not fit.
    Example:
      >>> sess.run(tf.tensordot([[1., 2.], [3., 4.]], [1., 10.], 1))
      array([21., 43.], dtype=float32)
    """
    with name_scope(name, "Tensordot") as scope:
        a, b = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")
        if isinstance(axes, Tensor) and not run_time_axes.varies(axes):
            axes = constant_value(axes)
        if None in (a.shape.ndims, b.shape.ndims) or run_time_axes.varies(axes):
            return run_time_axes.contracted(a, b, axes, scope)
        axes_a, axes_b = _contraction_axes(a, axes)
        left, kept_a, static_a = _as_matrix(a, axes_a, axes_first=False)
        right, kept_b, static_b = _as_matrix(b, axes_b, axes_first=True)
        product = matmul(left, right)
        if isinstance(kept_a, list) and isinstance(kept_b, list):
            if product.shape.as_list() == kept_a + kept_b:
                return product
            return reshape(product, np.array(kept_a + kept_b, np.int32), name=scope)
        whole = call("ConcatV2", [kept_a, kept_b], axis=0, name="concat")
        result = reshape(product, whole, name=scope)
        result.set_shape(static_a + static_b)
        return result


# ---- Cross, norm -------------------------------------------------------------------------------


@op(
    "Cross",
    "a: T, b: T -> product: T",
    batch="each",
    T=dtypes.REALS,
    samples=[normal_sample((3,), (3,)), normal_sample((2, 3), (2, 3))],
)
def cross_op(xp: Any, a: Any, b: Any) -> Any:
    """Computes the cross products of vectors of three in the last axis."""
    if a.shape != b.shape or a.shape[-1:] != (3,):
        raise invalid(
            "Cross-products are only defined for 3-element vectors: "
            f"In[0]: {shown(a)}, In[1]: {shown(b)}"
        )
    return xp.cross(a, b)


@cross_op.shape
def _cross_shape(a: Any, b: Any) -> TensorShape:
    known = a.shape.with_rank_at_least(1).merge_with(b.shape.with_rank_at_least(1))
    if known.ndims is not None and known.as_list()[-1] not in (3, None):
        raise ValueError(f"Dimension must be 3 but is {known.as_list()[-1]}")
    return known


@cross_op.gradient
def _cross_grad(op: Any, dy: Tensor) -> list:
    a, b = op.inputs
    return [cross_op(b, dy), cross_op(dy, a)]


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """Computes the cross products of vectors of three in the last axis."""
    return cross_op(a, b, name=name)


_MATRIX_NORMS = ["euclidean", "fro", 1, 2, np.inf]
_VECTOR_NORMS = ["euclidean", 1, 2, np.inf]


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Computes norms of vectors or matrices.

    Args:
      tensor: a real or complex tensor.
      ord: 'euclidean', 'fro', 1, inf, 2 (of matrices the largest singular value), or any p > 0 of
        vectors: sum(|x|^p)^(1/p).
      axis: None takes the whole tensor as one vector; an int, the axis of vectors; two ints, those
        of matrices.
      keepdims: whether the axes stay, with size 1.
      name: the operation's name.
      keep_dims: the old spelling of `keepdims`.
    Raises:
      ValueError: when `ord` or `axis` is not one of these.
    Example:
      >>> sess.run(tf.norm([3., 4.]))
      5.0
    """
    keepdims = one_of("keepdims", keepdims, "keep_dims", keep_dims)
    of_matrix = isinstance(axis, (tuple, list)) and len(axis) == 2
    if of_matrix:
        if not all(isinstance(a, int) for a in axis) or axis[0] == axis[1]:
            raise ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers")
        if ord not in _MATRIX_NORMS:
            raise ValueError(f"'ord' must be a supported matrix norm in {_MATRIX_NORMS}, got {ord}")
    else:
        if not (isinstance(axis, int) or axis is None):
            raise ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers")
        if ord not in _VECTOR_NORMS and (isinstance(ord, str) or not np.isreal(ord) or ord <= 0):
            raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    axes = axis if of_matrix or axis is None else (axis,)
    with name_scope(name, "norm"):
        tensor = convert_to_tensor(tensor)
        result = _norm(tensor, ord, axes, of_matrix)
        return result if keepdims else squeeze(result, axes)


def _norm(tensor: Tensor, order: Any, axes: Any, of_matrix: bool) -> Tensor:
    """The norm with its axes kept."""
    if order == 2 and of_matrix:
        return _largest_stretch(tensor, axes)
    if order in ("fro", "euclidean", 2):
        return sqrt(reduce_sum(multiply(tensor, conj(tensor)), axes, keepdims=True))
    size = abs_of(tensor)
    if order == 1:
        result = reduce_sum(size, None if axes is None else axes[0], keepdims=True)
        return reduce_max(result, axes[-1], keepdims=True) if of_matrix else result
    if order == np.inf:
        if of_matrix:
            size = reduce_sum(size, axes[1], keepdims=True)
        return reduce_max(size, None if axes is None else axes[0], keepdims=True)
    return pow(reduce_sum(pow(size, order), axes, keepdims=True), 1.0 / order)


def _largest_stretch(tensor: Tensor, axes: Sequence[int]) -> Tensor:
    """The largest singular value of the matrices in two axes, which stay with size 1."""
    rank = tensor.shape.ndims
    if rank is None:
        raise ValueError(f"The norm of order 2 needs the rank of {tensor} to be known.")
    behind = [axis % rank for axis in axes]
    order = [axis for axis in range(rank) if axis not in behind] + behind
    stretches = call("Svd", transpose(tensor, order), compute_uv=False)[0]
    largest = expand_dims(reduce_max(stretches, -1, keepdims=True), -1)
    return transpose(largest, np.argsort(order).tolist())

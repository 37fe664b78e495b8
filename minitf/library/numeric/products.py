"""Products of tensors over some of their axes, cross products, norms, matrices transposed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.ops import run_time_axes
from minitf.core.ops.array import one_of, shape, size
from minitf.core.ops.array_shaping import expand_dims, reshape, squeeze, transpose
from minitf.core.ops.elementwise import invalid, sample, shown
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import abs as abs_of
from minitf.core.ops.math import conj, multiply, pow, sqrt
from minitf.core.ops.reductions import reduce_max, reduce_prod, reduce_sum
from minitf.core.ops.run_time_axes import merge_axes


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
            return _contracted(a, b, axes, scope)
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
    samples=[sample((3,), (3,)), sample((2, 3), (2, 3))],
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


def _contracted(a: Tensor, b: Tensor, axes: Any, name: str) -> Tensor:
    """`tensordot` over axes that are a tensor, or of tensors whose rank is not known."""
    if isinstance(axes, (list, tuple)) or convert_to_tensor(axes).shape.ndims != 0:
        of_a, of_b = (convert_to_tensor(axes[place], dtype=dtypes.int32) for place in (0, 1))
    else:
        rank = size(shape(a))
        of_a, of_b = call("Range", rank - axes, rank, 1), call("Range", 0, axes, 1)
    left, right = merge_axes(a, of_a), merge_axes(b, of_b)
    free_a, free_b = shape(left)[:-1], shape(right)[:-1]
    rows = call("Reshape", left, _two(free_a, shape(left)[-1]))
    columns = call("Reshape", right, _two(free_b, shape(right)[-1]))
    product = call("MatMul", rows, columns, transpose_b=True)
    return call("Reshape", product, call("ConcatV2", [free_a, free_b], axis=0), name=name)


def _two(free: Tensor, last: Tensor) -> list[Tensor]:
    """The sizes of a matrix: all that `free` holds, against `last`."""
    return [call("Prod", free, axis=(0,), keep_dims=False), last]


def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """`a` with its last two axes swapped; a batch of matrices is transposed one by one.

    Raises:
      ValueError: when the rank is less than 2.
    """
    with name_scope(name, values=[a]):
        tensor = convert_to_tensor(a, name="a")
        n = tensor.shape.ndims
        if n is None:  # the last but one goes one place up, the last one down
            count = size(shape(tensor))
            places = call("Range", np.int32(0), count, np.int32(1))
            up, down = (call("Equal", places, count - from_end) for from_end in (2, 1))
            up, down = (call("Cast", each, DstT=dtypes.int32) for each in (up, down))
            return transpose(tensor, places + up - down, conjugate=conjugate)
        if n < 2:
            raise ValueError(
                f"Argument 'a' should be a (batch) matrix, with rank >= 2.  Found: {tensor.shape}"
            )
        return transpose(tensor, [*range(n - 2), n - 1, n - 2], conjugate=conjugate)

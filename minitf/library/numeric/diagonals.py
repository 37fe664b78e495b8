"""Diagonals and bands of tensors and of matrices in the last two axes; identities, traces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.graph.shapes import TensorShape, same_size, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.ops.array import check_same_dimensions, static_int
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones, zeros, zeros_like
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import less, less_equal, logical_and, logical_or
from minitf.core.ops.elementwise import invalid, sample, shown
from minitf.core.ops.math import minimum, multiply
from minitf.core.ops.reductions import reduce_sum
from minitf.core.ops.run_time_axes import varies


def smaller_size(one: int | None, other: int | None) -> int | None:
    """The smaller of two sizes, where both are known."""
    return None if one is None or other is None else min(one, other)


# ---- Diag, DiagPart: of tensors ----------------------------------------------------------------


@op(
    "Diag",
    "diagonal: T -> output: T",
    T=dtypes.NUMBERS,
    samples=[sample((3,)), sample((2, 2))],
)
def diag_op(xp: Any, diagonal: Any) -> Any:
    """Makes a tensor of twice the rank with `diagonal` on its diagonal and zeros elsewhere."""
    flat = xp.zeros((diagonal.size, diagonal.size), diagonal.dtype)
    xp.fill_diagonal(flat, diagonal.ravel())
    return flat.reshape(diagonal.shape * 2)


diag_op.shape(lambda diagonal: diagonal.shape.with_rank_at_least(1).concatenate(diagonal.shape))
diag_op.gradient(lambda op, dy: [diag_part_op(dy)])


def diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Makes a tensor of twice the rank with `diagonal` on its diagonal and zeros elsewhere.

    Args:
      diagonal: a tensor of numbers, of rank 1 to 3.
      name: the operation's name.
    Example:
      >>> sess.run(tf.diag([1, 2]))
      array([[1, 0],
             [0, 2]], dtype=int32)
    """
    return diag_op(diagonal, name=name)


@op(
    "DiagPart",
    "input: T -> diagonal: T",
    T=dtypes.NUMBERS,
    samples=[sample((3, 3)), sample((2, 3, 2, 3))],
)
def diag_part_op(xp: Any, x: Any) -> Any:
    """Takes the diagonal of a tensor whose shape is one shape twice."""
    if not x.ndim or x.ndim % 2:
        raise invalid(f"The rank of the tensor should be even and positive, got shape {shown(x)}")
    half = x.shape[: x.ndim // 2]
    if half != x.shape[x.ndim // 2 :]:
        first = next((i for i, n in enumerate(half) if n != x.shape[len(half) + i]), 0)
        raise invalid(
            f"Invalid shape {shown(x)}: dimensions {first} and {len(half) + first} do not match."
        )
    count = math.prod(half)
    return x.reshape(count, count).diagonal().reshape(half).copy()


@diag_part_op.shape
def _diag_part_shape(x: Any) -> TensorShape:
    rank = x.shape.ndims
    if rank is None:
        return unknown_shape()
    if rank % 2 or rank == 0:
        raise ValueError(f"Input must have even and non-zero rank, input rank is {rank}")
    first, second = x.shape[: rank // 2], x.shape[rank // 2 :]
    pairs = zip(first.as_list(), second.as_list(), strict=True)
    return TensorShape([same_size(a, b) for a, b in pairs])


diag_part_op.gradient(lambda op, dy: [diag_op(dy)])


def diag_part(input: Any, name: str | None = None) -> Tensor:
    """Takes the diagonal of a tensor whose shape is one shape twice: the inverse of `diag`."""
    return diag_part_op(input, name=name)


# ---- MatrixDiag, MatrixDiagPart, MatrixSetDiag, MatrixBandPart ---------------------------------


@op(
    "MatrixDiag",
    "diagonal: T -> output: T",
    batch="each",
    samples=[sample((3,)), sample((2, 3))],
)
def matrix_diag_op(xp: Any, diagonal: Any) -> Any:
    """Makes square matrices with the last axis of `diagonal` on their diagonals."""
    if not np.ndim(diagonal):
        raise invalid("diagonal must be at least 1-dim, received shape: []")
    size = diagonal.shape[-1]
    result = xp.zeros((*diagonal.shape, size), diagonal.dtype)
    places = xp.arange(size)
    result[..., places, places] = diagonal
    return result


@matrix_diag_op.shape
def _matrix_diag_shape(diagonal: Any) -> TensorShape:
    known = diagonal.shape.with_rank_at_least(1)
    return known.concatenate(known[-1:])


matrix_diag_op.gradient(lambda op, dy: [matrix_diag_part_op(dy)])


def matrix_diag(diagonal: Any, name: str = "diag") -> Tensor:
    """Makes square matrices with the last axis of `diagonal` on their diagonals."""
    return matrix_diag_op(diagonal, name=name)


def _check_matrices(x: Any) -> None:
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {shown(x)}")


@op(
    "MatrixDiagPart",
    "input: T -> diagonal: T",
    batch="each",
    samples=[sample((3, 3)), sample((2, 2, 3))],
)
def matrix_diag_part_op(xp: Any, x: Any) -> Any:
    """Takes the diagonals of matrices in the last two axes."""
    _check_matrices(x)
    return x.diagonal(0, -2, -1).copy()


@matrix_diag_part_op.shape
def _matrix_diag_part_shape(x: Any) -> TensorShape:
    known = x.shape.with_rank_at_least(2)
    return known[:-2].concatenate([smaller_size(known[-2].value, known[-1].value)])


matrix_diag_part_op.gradient(lambda op, dy: [matrix_set_diag_op(zeros_like(op.inputs[0]), dy)])


def matrix_diag_part(input: TensorLike, name: str = "diag_part") -> Tensor:
    """Takes the diagonals of matrices in the last two axes.

    Example:
      >>> sess.run(tf.linalg.diag_part([[1, 2], [3, 4]]))
      array([1, 4], dtype=int32)
    """
    return matrix_diag_part_op(input, name=name)


@op(
    "MatrixSetDiag",
    "input: T, diagonal: T -> output: T",
    batch="each",
    samples=[sample((3, 3), (3,)), sample((2, 2, 3), (2, 2))],
)
def matrix_set_diag_op(xp: Any, x: Any, diagonal: Any) -> Any:
    """Copies matrices with other diagonals."""
    if diagonal.shape != (*x.shape[:-2], min(x.shape[-2:])):
        raise invalid(f"A diagonal of shape {shown(diagonal)} does not fit matrices {shown(x)}")
    result = x.copy()
    places = xp.arange(diagonal.shape[-1])
    result[..., places, places] = diagonal
    return result


@matrix_set_diag_op.shape
def _matrix_set_diag_shape(x: Any, diagonal: Any) -> TensorShape:
    places = _matrix_diag_part_shape(x)
    check_same_dimensions(places, diagonal.shape.with_rank_at_least(1))
    return x.shape


@matrix_set_diag_op.gradient
def _matrix_set_diag_grad(op: Any, dy: Tensor) -> list:
    return [matrix_set_diag_op(dy, zeros_like(op.inputs[1])), matrix_diag_part_op(dy)]


def matrix_set_diag(input: Any, diagonal: Any, name: str = "set_diag") -> Tensor:
    """Copies matrices with other diagonals, [..., the smaller of rows and columns]."""
    return matrix_set_diag_op(input, diagonal, name=name)


@op(
    "MatrixBandPart",
    "input: T -> band: T",
    batch="each",
    samples=[
        sample((3, 4), num_lower=1, num_upper=0),
        sample((2, 3, 3), num_lower=-1, num_upper=1),
    ],
)
def matrix_band_part_op(xp: Any, x: Any, *, num_lower: int, num_upper: int) -> Any:
    """Copies a band around the diagonal and sets the rest to zero; -1 keeps a whole triangle."""
    _check_matrices(x)
    named = ("num_lower", num_lower, "rows"), ("num_upper", num_upper, "columns")
    for (name, count, what), most in zip(named, x.shape[-2:], strict=True):
        if count > most:
            raise invalid(
                f"{name} must be negative or less or equal to number of {what} ({most}) "
                f"got: {count}"
            )
    lower = x if num_lower < 0 else xp.triu(x, -num_lower)
    return lower if num_upper < 0 else xp.tril(lower, num_upper)


matrix_band_part_op.shape(unchanged_shape)


@matrix_band_part_op.gradient
def _matrix_band_part_grad(op: Any, dy: Tensor) -> list:
    lower, upper = op.attrs["num_lower"], op.attrs["num_upper"]
    return [matrix_band_part_op(dy, num_lower=lower, num_upper=upper)]


def matrix_band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Copies a band of each matrix and sets the rest to zero.

    Args:
      input: [..., rows, columns].
      num_lower: how many subdiagonals to keep; -1 keeps all.
      num_upper: how many superdiagonals to keep; -1 keeps all.
      name: the operation's name.
    """
    if varies((num_lower, num_upper)):
        x = convert_to_tensor(input)
        return multiply(x, cast(_in_band(x, num_lower, num_upper), x.dtype.base_dtype), name)
    lower, upper = static_int(num_lower, "num_lower"), static_int(num_upper, "num_upper")
    return matrix_band_part_op(input, num_lower=lower, num_upper=upper, name=name)


def _in_band(x: Tensor, num_lower: Any, num_upper: Any) -> Tensor:
    """Which elements of matrices lie in a band whose width the graph does not know."""
    sizes = shape_of(x)
    rows, columns = range_of(sizes[-2])[:, None], range_of(sizes[-1])[None]
    below, above = (cast(convert_to_tensor(n), dtypes.int32) for n in (num_lower, num_upper))
    low = logical_or(less(below, 0), less_equal(rows - columns, below))
    return logical_and(low, logical_or(less(above, 0), less_equal(columns - rows, above)))


# ---- eye, trace ------ -------------------------------------------------------------------


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Makes identity matrices.

    Args:
      num_rows: the number of rows, an int or a scalar tensor.
      num_columns: the number of columns; as many as rows when None.
      batch_shape: the sizes of the axes before the matrices, a list or a tensor.
      dtype: the dtype of the elements.
      name: the operation's name.
    Raises:
      TypeError: when a size is not an integer, or `batch_shape` is not a list or tuple.
    """
    with name_scope(name, "eye"):
        square = num_columns is None
        columns = num_rows if square else num_columns
        batch = [] if batch_shape is None else batch_shape
        if isinstance(batch, np.ndarray):
            batch = batch.tolist()
        if not isinstance(batch, (list, tuple, Tensor)):
            raise TypeError("batch_shape must be a list or tuple.")
        if isinstance(num_rows, Tensor) or isinstance(columns, Tensor):
            size: Any = minimum(num_rows, columns)
        else:
            if not all(isinstance(n, (int, np.integer)) for n in (num_rows, columns)):
                raise TypeError("num_rows and num_columns must be positive integer values.")
            square = num_rows == columns
            size = min(int(num_rows), int(columns))
        diagonal = ones(_behind(batch, size), dtype=dtype)
        if square:
            return matrix_diag(diagonal)
        return matrix_set_diag(zeros(_behind(batch, num_rows, columns), dtype=dtype), diagonal)


def _behind(batch: Any, *sizes: Any) -> Any:
    """A shape: that of the batch, which may be a tensor, and `sizes` behind it."""
    if isinstance(batch, Tensor):
        return concat([cast(batch, dtypes.int32), sizes], 0)
    return [*batch, *sizes]


def trace(x: Any, name: str | None = None) -> Tensor:
    """Sums the diagonals of matrices in the last two axes."""
    with name_scope(name, "Trace") as scope:
        x = convert_to_tensor(x, name="x")
        return reduce_sum(matrix_diag_part(x), [-1], name=scope)

"""Diagonals other than the main one, and bands of several, in matrices of the last two axes.

Diagonal `k` lies `k` places above the main one, or below it when `k` is negative. A band (lower,
upper) is packed into a matrix, a diagonal a row, the upper one first; `align` says at which end the
shorter ones are filled up, those above the main diagonal first:

    [[0, 1, 2, 3],       k = (-1, 1)      [[1, 6, 11],        LEFT_RIGHT:  [[1, 6, 11],
     [4, 5, 6, 7],       RIGHT_LEFT:       [0, 5, 10],                      [0, 5, 10],
     [8, 9, 10, 11]]                       [4, 9,  .]]                      [., 4,  9]]
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid, shown

#: how shorter diagonals of a band may stand in its rows: above the main one, below it
ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


class _Band(NamedTuple):
    """The diagonals from `lower` to `upper` of matrices of [rows, columns]."""

    lower: int
    upper: int
    rows: int
    columns: int

    @property
    def longest(self) -> int:
        """The length of the longest of them."""
        return min(self.rows + min(self.upper, 0), self.columns - max(self.lower, 0))

    def packed(self, batch: Any) -> tuple[int, ...]:
        """The shape of the packed band; a single diagonal has no axis for its number."""
        count = self.upper - self.lower + 1
        return (*batch, *[count] * (count > 1), self.longest)

    def places(self, align: str) -> tuple[np.ndarray, ...]:
        """Of each element its row and place in the packed band, its row and column in a matrix."""
        number = np.arange(self.upper, self.lower - 1, -1)[:, None]
        above, below = np.maximum(number, 0), np.maximum(-number, 0)
        lengths = np.minimum(self.rows - below, self.columns - above)
        over, under = align.split("_")
        left = ((number >= 0) & (over == "LEFT")) | ((number <= 0) & (under == "LEFT"))
        along = np.arange(self.longest)[None] - np.where(left, 0, self.longest - lengths)
        row, place = np.nonzero((along >= 0) & (along < lengths))
        return row, place, (along + below)[row, place], (along + above)[row, place]


def _numbers(k: np.ndarray) -> tuple[int, int]:
    """The lower and the upper number that an input holds: one for both, or two."""
    if k.ndim > 1 or k.size not in (1, 2):
        raise invalid(f"diag_index must have only one or two elements, received {k.size} elements.")
    lower, upper = k.flat[0].item(), k.flat[-1].item()
    if lower > upper:
        raise invalid(
            f"lower_diag_index must not be larger than upper_diag_index: {lower} > {upper}"
        )
    return lower, upper


def _band_of(x: Any, k: np.ndarray) -> _Band:
    """The band `k` of matrices `x`."""
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {shown(x)}")
    rows, columns = x.shape[-2:]
    band = _Band(*_numbers(k), rows, columns)
    for which, number in (("lower", band.lower), ("upper", band.upper)):
        if number and not -rows < number < columns:
            raise invalid(
                f"{which}_diag_index is out of bound: {number}. It must be between "
                f"{-rows} and {columns}"
            )
    return band


# ---- while the graph is built ------------------------------------------------------------------


def _known_numbers(k: Any) -> tuple[int, int] | None:
    """The numbers that `k` is known to hold."""
    if k.value is None:
        return None
    if k.value.ndim > 1 or k.value.size not in (1, 2):
        raise ValueError(
            f"diag_index must be a vector with one or two elements. It has {k.value.size} elements."
        )
    lower, upper = k.value.flat[0].item(), k.value.flat[-1].item()
    if lower > upper:
        raise ValueError("lower_diag_index is greater than upper_diag_index")
    return lower, upper


def _packed_shape(x: Any, k: Any) -> TensorShape:
    """The shape of a band of matrices."""
    numbers, known = _known_numbers(k), x.shape.with_rank_at_least(2)
    if numbers is None or known.ndims is None:
        return unknown_shape()
    rows, columns = known.as_list()[-2:]
    for which, number in zip(("lower", "upper"), numbers, strict=True):
        over = columns is not None and number >= columns
        if number and (over or (rows is not None and number <= -rows)):
            raise ValueError(f"{which}_diag_index is out of bound.")
    if rows is None or columns is None:
        longest, count = None, numbers[1] - numbers[0] + 1
        return known[:-2].concatenate([*[count] * (count > 1), longest])
    return TensorShape(_Band(*numbers, rows, columns).packed(known.as_list()[:-2]))


# ---- MatrixDiagV3, MatrixDiagPartV3, MatrixSetDiagV3 -------------------------------------------


def _matrix_sample(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(2, 3, 4))


def _k(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


@op(
    "MatrixDiagV3",
    "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T -> output: T",
    host=("k", "num_rows", "num_cols"),
    samples=[
        lambda rng: (rng.normal(size=(2, 2)), _k(1)[0], _k(-1)[0], _k(-1)[0], 0.5, {}),
        lambda rng: (rng.normal(size=(2, 3)), _k(-1, 0), _k(3)[0], _k(4)[0], 0.0, {}),
    ],
)
def matrix_diag_op(
    xp: Any,
    diagonal: Any,
    k: Any,
    num_rows: Any,
    num_cols: Any,
    padding_value: Any,
    *,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Makes matrices of bands, `padding_value` beside them."""
    lower, upper = _numbers(k)
    single = lower == upper
    if diagonal.ndim < 2 - single:
        raise invalid(f"diagonal must be at least {2 - single}-dim, received: {shown(diagonal)}")
    if not single and diagonal.shape[-2] != upper - lower + 1:
        raise invalid(
            "The number of diagonals provided in the input does not match the lower_diag_index "
            "and upper_diag_index range."
        )
    least = diagonal.shape[-1] - min(upper, 0), diagonal.shape[-1] + max(lower, 0)
    rows, columns = _sizes(num_rows.item(), num_cols.item(), least)
    for what, size, minimum in zip(("rows", "columns"), (rows, columns), least, strict=True):
        if size < minimum:
            raise invalid(f"The number of {what} is too small.")
    if rows != least[0] and columns != least[1]:
        raise invalid(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, "
            "and diagonal."
        )
    batch = diagonal.shape[: -1 if single else -2]
    result = xp.empty((*batch, rows, columns), diagonal.dtype)
    result[...] = padding_value
    _write(xp, result, diagonal, _Band(lower, upper, rows, columns), align)
    return result


def _sizes(rows: int, columns: int, least: tuple[int, int]) -> tuple[int, int]:
    """The sizes of matrices that hold a band; -1 is as few as it needs, of both a square."""
    if rows == columns == -1:
        return max(least), max(least)
    return (least[0] if rows == -1 else rows), (least[1] if columns == -1 else columns)


def _write(xp: Any, matrices: Any, diagonal: Any, band: _Band, align: str) -> None:
    row, place, *at = map(xp.asarray, band.places(align))
    packed = diagonal[..., None, :] if band.lower == band.upper else diagonal
    matrices[..., at[0], at[1]] = packed[..., row, place]


@matrix_diag_op.shape
def _matrix_diag_shape(
    diagonal: Any, k: Any, num_rows: Any, num_cols: Any, padding_value: Any, *, align: str
) -> TensorShape:
    if padding_value.shape.ndims not in (None, 0):
        raise ValueError(f"Shape must be rank 0 but is rank {padding_value.shape.ndims}")
    numbers, known = _known_numbers(k), diagonal.shape.with_rank_at_least(1)
    if numbers is None or known.ndims is None:
        return unknown_shape()
    (lower, upper), (single, length) = numbers, (numbers[0] == numbers[1], known[-1].value)
    if not single and known.with_rank_at_least(2)[-2].value not in (None, upper - lower + 1):
        raise ValueError(
            "The number of rows of `diagonal` doesn't match the number of diagonals implied from "
            f"`d_lower` and `d_upper`.\nnum_diags = {known[-2].value}, d_lower = {lower}, "
            f"d_upper = {upper}"
        )
    batch = known[: -1 if single else -2]
    if length is None or num_rows.value is None or num_cols.value is None:
        return batch.concatenate([None, None])
    least = length - min(upper, 0), length + max(lower, 0)
    rows, columns = _sizes(num_rows.value.item(), num_cols.value.item(), least)
    if rows < least[0]:
        raise ValueError("num_rows is too small")
    if columns < least[1]:
        raise ValueError("num_cols is too small.")
    if rows != least[0] and columns != least[1]:
        raise ValueError(
            "num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, "
            f"and the length of the given diagonals.\nnum_rows = {rows} != min_num_rows = "
            f"{least[0]}, num_cols = {columns} != min_num_cols = {least[1]}"
        )
    return batch.concatenate([rows, columns])


@matrix_diag_op.gradient
def _matrix_diag_grad(op: Any, dy: Tensor) -> list:
    part = call("MatrixDiagPartV3", dy, op.inputs[1], _zero(dy), align=op.attrs["align"])
    return [part, None, None, None, _sum_beside(dy, part)]


def _sum_beside(dy: Tensor, kept: Tensor) -> Tensor:
    """The gradient of the value that stands where none of the others does."""
    return call("Sub", call("Sum", dy, axis=None), call("Sum", kept, axis=None))


def _zero(like: Tensor) -> Tensor:
    return call("Const", value=np.zeros((), like.dtype.as_numpy_dtype), dtype=like.dtype)


@op(
    "MatrixDiagPartV3",
    "input: T, k: int32, padding_value: T -> diagonal: T",
    host=("k",),
    samples=[
        lambda rng: (_matrix_sample(rng), _k(1)[0], 0.0, {}),
        lambda rng: (_matrix_sample(rng), _k(-1, 2), 0.5, {"align": "LEFT_RIGHT"}),
    ],
)
def matrix_diag_part_op(
    xp: Any, x: Any, k: Any, padding_value: Any, *, align: str = "RIGHT_LEFT"
) -> Any:
    """Takes a band of matrices, filled up with `padding_value`."""
    band = _band_of(x, k)
    count = band.upper - band.lower + 1
    result = xp.empty((*x.shape[:-2], count, band.longest), x.dtype)
    result[...] = padding_value
    row, place, *at = map(xp.asarray, band.places(align))
    result[..., row, place] = x[..., at[0], at[1]]
    return result.reshape(band.packed(x.shape[:-2]))


matrix_diag_part_op.shape(lambda x, k, padding_value, *, align: _packed_shape(x, k))


@matrix_diag_part_op.gradient
def _matrix_diag_part_grad(op: Any, dy: Tensor) -> list:
    zeros = call("ZerosLike", op.inputs[0])
    back = matrix_set_diag_op(zeros, dy, op.inputs[1], align=op.attrs["align"])
    return [back, None, _sum_beside(dy, back)]


@op(
    "MatrixSetDiagV3",
    "input: T, diagonal: T, k: int32 -> output: T",
    host=("k",),
    samples=[
        lambda rng: (_matrix_sample(rng), rng.normal(size=(2, 2)), _k(-1)[0], {}),
        lambda rng: (_matrix_sample(rng), rng.normal(size=(2, 2, 3)), _k(0, 1), {}),
    ],
)
def matrix_set_diag_op(xp: Any, x: Any, diagonal: Any, k: Any, *, align: str = "RIGHT_LEFT") -> Any:
    """Copies matrices with another band."""
    band = _band_of(x, k)
    wanted = band.packed(x.shape[:-2])
    if diagonal.shape != wanted:
        raise invalid(
            "Either first dimensions of diagonal don't match input.shape[:-2], or "
            "diagonal.shape[:-1] is not equal to the longests diagonal in range "
            f"[lower_diag_index:upper_diag_index].\nInput shape: {shown(x)}\nDiagonal shape: "
            f"{shown(diagonal)}\nExpected diagonal shape: [{','.join(map(str, wanted))}]"
        )
    result = x.copy()
    _write(xp, result, diagonal, band, align)
    return result


@matrix_set_diag_op.shape
def _matrix_set_diag_shape(x: Any, diagonal: Any, k: Any, *, align: str) -> TensorShape:
    packed = _packed_shape(x, k)
    rank, given = packed.ndims, diagonal.shape.ndims
    if None not in (rank, given) and rank != given:
        raise ValueError(f"Shape must be rank {rank} but is rank {given}")
    return x.shape


@matrix_set_diag_op.gradient
def _matrix_set_diag_grad(op: Any, dy: Tensor) -> list:
    k, align = op.inputs[2], op.attrs["align"]
    without = matrix_set_diag_op(dy, call("ZerosLike", op.inputs[1]), k, align=align)
    return [without, matrix_diag_part_op(dy, k, _zero(dy), align=align), None]

"""Factors, roots and logarithms of matrices, and systems with three diagonals.

lu ──> L, U and the order of rows      lu_solve, lu_reconstruct, lu_matrix_inverse
matrix_square_root, logm               by eigenvalues; by iteration where these do not suffice
tridiagonal_solve, _matmul             O(n): only three diagonals are kept
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import none_is_default, op
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import expand_dims, matrix_transpose, reshape, squeeze
from minitf.core.ops.complex import conj
from minitf.core.ops.elementwise import invalid, shown
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import negative
from minitf.core.ops.reductions import reduce_sum
from minitf.library.numeric.decompositions import matrix_solve, matrix_triangular_solve
from minitf.library.numeric.diagonals import (
    eye,
    matrix_band_part,
    matrix_diag_part,
    matrix_set_diag,
)
from minitf.library.numeric.sorting import argsort

_TYPES = (dtypes.float64, dtypes.float32, *dtypes.COMPLEX)


def _checked_square(x: Any) -> None:
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise invalid(f"Input matrix must be square, got {shown(x)}")


def _regular(rng: Any, *batch: int) -> Any:
    return rng.normal(size=(*batch, 3, 3)) + 4.0 * np.eye(3)


# ---- LU ----------------------------------------------------------------------------------


class Lu(NamedTuple):
    """What `lu` gives: both factors in one matrix, and the row of the input in each place."""

    lu: Tensor
    p: Tensor


@op(
    "Lu",
    "input: T -> lu: T, p: output_idx_type",
    T=_TYPES,
    batch="each",
    host_only=True,
    differentiable=None,
    samples=[lambda rng: (_regular(rng), {}), lambda rng: (_regular(rng, 2), {})],
)
def lu_op(xp: Any, x: Any, *, output_idx_type: dtypes.DType = dtypes.int32) -> Any:
    """Eliminates with row exchanges: P x = L U, the ones of L's diagonal left out."""
    _checked_square(x)
    size = x.shape[-1]
    found = np.array(x).reshape(-1, size, size)
    order = np.tile(np.arange(size, dtype=output_idx_type.numpy_dtype), (len(found), 1))
    every = np.arange(len(found))
    for k in range(size):
        best = k + np.argmax(np.abs(found[:, k:, k]), axis=1)
        for rows in (found, order):
            rows[every, k], rows[every, best] = rows[every, best].copy(), rows[every, k].copy()
        pivots = found[:, k, k]
        if not np.all(pivots):
            raise invalid("Input is not invertible.")
        found[:, k + 1 :, k] /= pivots[:, None]
        found[:, k + 1 :, k + 1 :] -= found[:, k + 1 :, k, None] * found[:, k, None, k + 1 :]
    return found.reshape(x.shape), order.reshape(x.shape[:-1])


@lu_op.shape
def _lu_shape(x: Any, *, output_idx_type: Any = None) -> list:
    known = x.shape.with_rank_at_least(2)
    return [known, known[:-1]]


@none_is_default
def lu(input: Any, output_idx_type: Any = dtypes.int32, name: str | None = None) -> Lu:
    """Factors square matrices into a lower and an upper triangle, with rows exchanged.

    Args:
      input: [..., n, n].
      output_idx_type: the type of `p`, int32 or int64.
      name: the name.
    Returns: `lu`, in which L stands below the diagonal and U on and above it, and `p`: row `i` of
      L @ U is row `p[i]` of the input.
    Raises:
      InvalidArgumentError: when a matrix has no inverse.
    """
    return Lu(*lu_op(input, output_idx_type=dtypes.as_dtype(output_idx_type), name=name))


def _triangles(lower_upper: Any) -> tuple[Tensor, Tensor]:
    lower = matrix_band_part(lower_upper, -1, 0)
    lower = matrix_set_diag(lower, zeros_like(matrix_diag_part(lower)) + 1)
    return lower, matrix_band_part(lower_upper, 0, -1)


def _factors(lower_upper: Any, perm: Any) -> tuple[Tensor, Tensor]:
    lower_upper = convert_to_tensor(lower_upper, name="lower_upper")
    perm = convert_to_tensor(perm, name="perm")
    rank, of_perm = lower_upper.shape.ndims, perm.shape.ndims
    if rank is not None and rank < 2:
        raise ValueError("Input `lower_upper` must have at least 2 dimensions.")
    if rank is not None and of_perm is not None and rank != of_perm + 1:
        raise ValueError("`rank(lower_upper)` must equal `rank(perm) + 1`")
    if rank is not None and not lower_upper.shape[-1].is_compatible_with(lower_upper.shape[-2]):
        raise ValueError("`lower_upper` must be square.")
    return lower_upper, perm


def _in_order(x: Any, perm: Any) -> Tensor:
    return gather(x, perm, axis=-2, batch_dims=(perm.shape.ndims or 1) - 1)


def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrices that `lu` has taken apart."""
    with name_scope(name, "lu_reconstruct"):
        lower_upper, perm = _factors(lower_upper, perm)
        return _in_order(matmul(*_triangles(lower_upper)), argsort(perm))


def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Solves systems of which `lu` has factored the matrices.

    Args:
      lower_upper, perm: what `lu` gave.
      rhs: [..., n, k].
      validate_args: accepted; shapes are checked where they are known.
      name: the name of the scope.
    """
    with name_scope(name, "lu_solve"):
        lower_upper, perm = _factors(lower_upper, perm)
        rhs = convert_to_tensor(rhs, lower_upper.dtype.base_dtype, "rhs")
        lower, upper = _triangles(lower_upper)
        inner = matrix_triangular_solve(lower, _in_order(rhs, perm))
        return matrix_triangular_solve(upper, inner, lower=False)


def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverses of matrices that `lu` has factored."""
    with name_scope(name, "lu_matrix_inverse"):
        lower_upper, perm = _factors(lower_upper, perm)
        shape = shape_of(lower_upper)
        unit = eye(shape[-1], batch_shape=shape[:-2], dtype=lower_upper.dtype)
        return lu_solve(lower_upper, perm, unit)


# ---- roots and logarithms ----------------------------------------------------------------


def _by_eigenvalues(function: Any, x: Any) -> Any:
    """A function of a matrix by its eigenvalues; None where its eigenvectors are too alike."""
    values, vectors = np.linalg.eig(x.astype(np.complex128))
    if np.linalg.cond(vectors) > 1e7:
        return None
    return (vectors * function(values)) @ np.linalg.inv(vectors)


def _root(x: Any) -> Any:
    found = _by_eigenvalues(np.sqrt, x)
    if found is not None:
        return found
    found, other = x.astype(np.complex128), np.eye(len(x), dtype=np.complex128)
    for _ in range(60):  # Denman and Beavers, "The matrix sign function" (1976)
        found, other = (found + np.linalg.inv(other)) / 2, (other + np.linalg.inv(found)) / 2
    return found


def _logarithm(x: Any) -> Any:
    found = _by_eigenvalues(np.log, x)
    if found is not None:
        return found
    root, halved, unit = x.astype(np.complex128), 0, np.eye(len(x))
    while np.linalg.norm(root - unit) > 0.25 and halved < 60:
        root, halved = _root(root), halved + 1
    power = step = np.linalg.solve(root + unit, root - unit)
    total = 2 * step
    for n in range(3, 60, 2):  # 2 artanh((x - 1) / (x + 1))
        power = power @ step @ step
        total += 2 * power / n
    return total * 2.0**halved


def _of_each(function: Any, x: Any) -> Any:
    _checked_square(x)
    matrices = x.reshape(-1, *x.shape[-2:])
    try:
        found = np.array([function(m) for m in matrices]).reshape(x.shape)
    except np.linalg.LinAlgError:
        raise invalid(
            "Input matrix must be invertible, or have independent eigenvectors."
        ) from None
    return (found if x.dtype.kind == "c" else found.real).astype(x.dtype)


@op(
    "MatrixSquareRoot",
    "input: T -> output: T",
    T=_TYPES,
    batch="each",
    host_only=True,
    samples=[lambda rng: (_regular(rng, 2), {})],
)
def matrix_square_root_op(xp: Any, x: Any) -> Any:
    """Gives the matrices whose squares these are, with eigenvalues right of 0."""
    return _of_each(_root, x)


@op(
    "MatrixLogarithm",
    "input: T -> output: T",
    T=dtypes.COMPLEX,
    batch="each",
    host_only=True,
    differentiable=None,
    samples=[lambda rng: (_regular(rng, 2).astype(np.complex128), {})],
)
def matrix_logarithm_op(xp: Any, x: Any) -> Any:
    """Gives the matrices whose exponentials these are."""
    return _of_each(_logarithm, x)


@matrix_square_root_op.gradient
def _matrix_square_root_grad(op: Any, dy: Tensor) -> Tensor:
    """The root R of x changes by dR where R dR + dR R = dx: so R^H g + g R^H = dy.

    With the rows of g one after the other in a vector, these are n^2 equations in n^2 unknowns.
    """
    root = op.outputs[0]
    sizes, n = shape_of(root), shape_of(root)[-1]
    unit = zeros_like(root) + eye(n, dtype=root.dtype)
    both = _kronecker(matrix_transpose(conj(root)), unit) + _kronecker(unit, conj(root))
    square = reshape(both, concat([sizes[:-2], [n * n, n * n]], 0))
    rows = reshape(dy, concat([sizes[:-2], [n * n, 1]], 0))
    return reshape(matrix_solve(square, rows), sizes)


def _kronecker(a: Tensor, b: Tensor) -> Tensor:
    """Each element of `a` times all of `b`: [..., n, n, n, n], of row and column of both."""
    return a[..., :, None, :, None] * b[..., None, :, None, :]


matrix_square_root_op.shape(lambda x: x.shape.with_rank_at_least(2))
matrix_logarithm_op.shape(lambda x: x.shape.with_rank_at_least(2))


def matrix_square_root(input: Any, name: str | None = None) -> Tensor:
    """The principal square roots of square matrices.

    Args:
      input: [..., n, n], without eigenvalues on the negative half of the real axis.
      name: the name.
    Example:
      >>> sess.run(tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]))
      array([[2., 0.],
             [0., 3.]], dtype=float32)
    """
    return matrix_square_root_op(input, name=name)


def logm(input: Any, name: str | None = None) -> Tensor:
    """The principal logarithms of square matrices of a complex type."""
    return matrix_logarithm_op(input, name=name)


# ---- three diagonals ---------------------------------------------------------------------


@op(
    "TridiagonalSolve",
    "diagonals: T, rhs: T -> output: T",
    T=_TYPES,
    batch="each",
    host_only=True,
    samples=[
        lambda rng: (rng.normal(size=(3, 4)) + [[0], [4], [0]], rng.normal(size=(4, 2)), {}),
        lambda rng: (
            rng.normal(size=(2, 3, 3)) + [[0], [4], [0]], rng.normal(size=(2, 3, 1)),
            {"partial_pivoting": False},
        ),
    ],
)  # fmt: skip
def tridiagonal_solve_op(
    xp: Any, diagonals: Any, rhs: Any, *, partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Any:  # fmt: skip
    """Solves systems of which only three diagonals are not zero, by elimination."""
    if diagonals.ndim < 2 or diagonals.shape[-2] != 3:
        raise invalid(f"Expected diagonals to have 3 rows, got shape {shown(diagonals)}")
    if diagonals.shape[-1] != rhs.shape[-2]:
        raise invalid(
            f"The length of diagonals must be equal to the rows of rhs, got {shown(diagonals)} "
            f"and {shown(rhs)}"
        )
    size, places = rhs.shape[-2], rhs.shape[:-2]
    x = np.array(rhs).reshape(-1, *rhs.shape[-2:])
    above, middle, below = np.array(diagonals).reshape(-1, 3, size).swapaxes(0, 1)
    rows = np.zeros((len(x), size + 1, 3), x.dtype)  # of each row what stands from its place on
    rows[:, :size, 0], rows[:, : size - 1, 1] = middle, above[:, :-1]
    for k in range(1, size):
        under = np.stack([below[:, k], middle[:, k], rows[:, k, 1]], 1)
        if partial_pivoting:
            swaps = np.abs(under[:, 0]) > np.abs(rows[:, k - 1, 0])
            for upper, lower in ((rows[:, k - 1], under), (x[:, k - 1], x[:, k])):
                upper[swaps], lower[swaps] = lower[swaps], upper[swaps].copy()
        factor = under[:, 0] / rows[:, k - 1, 0]
        rows[:, k, :2] = (under - factor[:, None] * rows[:, k - 1])[:, 1:]
        x[:, k] -= factor[:, None] * x[:, k - 1]
    if not rows[:, :size, 0].all() and partial_pivoting:
        raise invalid("The first element of diagonals is zero, or the matrix is singular.")
    for k in reversed(range(size)):
        for step in range(1, min(3, size - k)):
            x[:, k] -= rows[:, k, step, None] * x[:, k + step]
        x[:, k] /= rows[:, k, 0, None]
    return x.reshape(*places, size, rhs.shape[-1])


tridiagonal_solve_op.shape(lambda diagonals, rhs, **attrs: rhs.shape)


def _shifted(x: Tensor, by: int, axis: int) -> Tensor:
    """The rows moved up (1) or down (-1) along an axis counted from the end, 0 coming in."""
    rank = x.shape.ndims or 0
    margins = [[0, 0] for _ in range(rank)]
    margins[axis] = [0, 1] if by == 1 else [1, 0]
    rest = [slice(None)] * rank
    rest[axis] = slice(1, None) if by == 1 else slice(0, -1)
    return pad(x[tuple(rest)], margins)


@tridiagonal_solve_op.gradient
def _tridiagonal_solve_grad(op: Any, dx: Tensor) -> list:
    diagonals, x = op.inputs[0], op.outputs[0]
    above, middle, below = (diagonals[..., row, :] for row in range(3))
    turned = [_shifted(below, 1, -1), middle, _shifted(above, -1, -1)]
    adjoint = conj(stack(turned, axis=-2))
    drhs = tridiagonal_solve_op(adjoint, dx, **{k: op.get_attr(k) for k in op.op_def.attr_names})
    by_row = [
        reduce_sum(drhs * conj(each), -1) for each in (_shifted(x, 1, -2), x, _shifted(x, -1, -2))
    ]  # noqa: E501
    return [negative(stack(by_row, axis=-2)), drhs]


def _lengthened(x: Tensor, size: int | None, at_end: bool) -> Tensor:
    """A diagonal beside the main one with a zero more, if it is one shorter than that."""
    if x.shape[-1].value == size:
        return x
    zero = zeros_like(x[..., :1])
    return concat([x, zero] if at_end else [zero, x], -1)


def diagonals_of(diagonals: Any, layout: str) -> list[Tensor]:
    """The three diagonals, each as long as the main one."""
    if layout == "compact":
        given = convert_to_tensor(diagonals)
        return [given[..., row, :] for row in range(3)]
    if layout == "matrix":
        given = convert_to_tensor(diagonals)
        if not given.shape[-1].is_compatible_with(given.shape[-2]):
            raise ValueError(
                "Expected last two dimensions of diagonals to be same, got "
                f"{given.shape[-1]} and {given.shape[-2]}"
            )
        parts = given[..., :-1, 1:], given, given[..., 1:, :-1]
        diagonals = [matrix_diag_part(each) for each in parts]
    elif layout != "sequence":
        raise ValueError(f"Unrecognized diagonals_format: {layout}")
    if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    above, middle, below = map(convert_to_tensor, diagonals)
    size = middle.shape[-1].value
    for name, each in (("subdiagonal", below), ("superdiagonal", above)):
        own = each.shape[-1].value
        if None not in (own, size) and own not in (size, size - 1):
            raise ValueError(f"Expected {name} to be have length {size} or {size - 1}, got {own}.")
    return [_lengthened(above, size, True), middle, _lengthened(below, size, False)]


def tridiagonal_solve(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", transpose_rhs: bool = False,
    conjugate_rhs: bool = False, name: str | None = None, partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:  # fmt: skip
    """Solves systems of which only three diagonals are not zero.

    Args:
      diagonals: in the "compact" form [..., 3, n]: above, on and below the main diagonal, the last
        element of the first and the first of the last not read; as a "sequence" of the three; or
        as a "matrix" [..., n, n].
      rhs: [..., n] or [..., n, k].
      diagonals_format: which form.
      transpose_rhs, conjugate_rhs: whether `rhs` is turned first.
      name: the name of the scope.
      partial_pivoting: whether rows are exchanged where that is more exact.
      perturb_singular: accepted with `partial_pivoting` alone.
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    with name_scope(name, "tridiagonal_solve"):
        matrix = stack(diagonals_of(diagonals, diagonals_format), axis=-2)
        rhs = convert_to_tensor(rhs, matrix.dtype.base_dtype)
        flat = (rhs.shape.ndims or 0) == (matrix.shape.ndims or 0) - 1
        rhs = expand_dims(rhs, -1) if flat else rhs
        rhs = matrix_transpose(rhs) if transpose_rhs and not flat else rhs
        rhs = conj(rhs) if conjugate_rhs else rhs
        found = tridiagonal_solve_op(matrix, rhs, partial_pivoting=partial_pivoting)
        return squeeze(found, [-1]) if flat else found


def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """Multiplies matrices of which only three diagonals are not zero by [..., n, k]."""
    with name_scope(name, "tridiagonal_matmul"):
        rhs = convert_to_tensor(rhs)
        above, middle, below = (x[..., None] for x in diagonals_of(diagonals, diagonals_format))
        return above * _shifted(rhs, 1, -2) + middle * rhs + below * _shifted(rhs, -1, -2)

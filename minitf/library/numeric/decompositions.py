"""Solving with matrices: inverses, determinants, factors, eigenvalues and singular values.

Each op works on stacks of matrices in the last two axes. The gradients are those of M. Giles, "An
extended collection of matrix derivative results for forward and reverse mode algorithmic
differentiation" (2008), and of I. Murray, "Differentiation of the Cholesky decomposition" (2016).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.shapes import TensorShape, broadcast_shapes, same_size
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like, zeros_like
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.comparisons import greater, where_v2
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.linalg import adjoint_of, matmul
from minitf.core.ops.math import multiply, negative, reciprocal, square, subtract
from minitf.library.numeric.diagonals import (
    eye,
    matrix_band_part,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
    smaller_size,
)
from minitf.library.numeric.products import matrix_transpose

_TYPES = (dtypes.float64, dtypes.float32, *dtypes.COMPLEX)


def _of_matrices(
    op_type: str, signature: str, *samples: Callable, **options: Any
) -> Callable[[Callable], OpDef]:
    """Declares an op on stacks of matrices, of the types that LAPACK knows."""
    return op(op_type, signature, batch="each", T=_TYPES, samples=samples, **options)


def _well_conditioned(rng: Any, *batch: int) -> Any:
    """A square matrix far from singular."""
    return rng.normal(size=(*batch, 3, 3)) + 4.0 * np.eye(3)


def _symmetric(rng: Any, *batch: int) -> Any:
    """A symmetric positive definite matrix with eigenvalues well apart."""
    x = 0.3 * rng.normal(size=(*batch, 3, 3))
    return x @ x.swapaxes(-1, -2) + np.diag([1.0, 2.0, 3.5])


def _square_shape(shape: TensorShape) -> TensorShape:
    """The shape with both matrix sizes merged.

    Raises:
      ValueError: when the matrices are not square.
    """
    known = shape.with_rank_at_least(2)
    size = same_size(known[-2].value, known[-1].value)
    return known[:-2].concatenate([size, size])


def _checked(function: Callable, failure: str, matrix: Any, *rhs: Any) -> Any:
    """What `function` computes, or the error for a matrix that it cannot be computed of."""
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise invalid("Input matrix must be square.")
    try:
        return function(matrix, *rhs)
    except np.linalg.LinAlgError:
        raise invalid(failure) from None


def _eliminated(xp: Any, function: Callable, failure: str, matrix: Any, *rhs: Any) -> Any:
    """As `_checked`, if there is a first pivot: with NaN for one LAPACK makes up results."""
    if xp.isnan(matrix[..., :, :1]).any():
        raise invalid(failure)
    return _checked(function, failure, matrix, *rhs)


# ---- MatrixInverse -----------------------------------------------------------------------------


@_of_matrices(
    "MatrixInverse",
    "input: T -> output: T",
    lambda rng: (_well_conditioned(rng), {}),
    lambda rng: (_well_conditioned(rng, 2), {"adjoint": True}),
)
def matrix_inverse_op(xp: Any, x: Any, *, adjoint: bool = False) -> Any:
    """Inverts square matrices, or their adjoints."""
    turned = adjoint_of(xp, x) if adjoint else x
    return _eliminated(xp, xp.linalg.inv, "Input is not invertible.", turned)


matrix_inverse_op.shape(lambda x, *, adjoint: _square_shape(x.shape))


@matrix_inverse_op.gradient
def _matrix_inverse_grad(op: Any, dy: Tensor) -> list:
    inverse = op.outputs[0]
    if op.attrs["adjoint"]:
        return [negative(matmul(inverse, matmul(dy, inverse, adjoint_a=True)))]
    return [negative(matmul(inverse, matmul(dy, inverse, adjoint_b=True), adjoint_a=True))]


def matrix_inverse(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Inverts square matrices.

    Args:
      input: [..., n, n] of a floating-point or complex dtype.
      adjoint: whether to invert the conjugated transpose instead.
      name: the operation's name.
    Raises:
      InvalidArgumentError: when a matrix has no inverse.
    Example:
      >>> sess.run(tf.matrix_inverse([[2., 0.], [0., 4.]]))
      array([[0.5 , 0.  ],
             [0.  , 0.25]], dtype=float32)
    """
    return matrix_inverse_op(input, adjoint=adjoint, name=name)


# ---- MatrixDeterminant, LogMatrixDeterminant ---------------------------------------------------


def _determinant_shape(x: Any) -> TensorShape:
    known = x.shape.with_rank_at_least(2)
    same_size(known[-1].value, known[-2].value)
    return known[:-2]


def _each_matrix(x: Tensor) -> Tensor:
    """[...] as [..., 1, 1], to scale matrices by."""
    return expand_dims(expand_dims(x, -1), -1)


@_of_matrices(
    "MatrixDeterminant",
    "input: T -> output: T",
    lambda rng: (_well_conditioned(rng), {}),
    lambda rng: (_well_conditioned(rng, 2), {}),
)
def matrix_determinant_op(xp: Any, x: Any) -> Any:
    """Computes the determinants of square matrices."""
    return _checked(xp.linalg.det, "", x)


matrix_determinant_op.shape(_determinant_shape)


@matrix_determinant_op.gradient
def _matrix_determinant_grad(op: Any, dy: Tensor) -> list:
    inverse = matrix_inverse_op(op.inputs[0], adjoint=True)
    return [multiply(_each_matrix(multiply(dy, op.outputs[0])), inverse)]


def matrix_determinant(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the determinants of square matrices in the last two axes.

    Args:
      input: matrices [..., n, n] of floats.
      name: the operation's name.
    Example:
      >>> sess.run(tf.matrix_determinant([[2., 1.], [0., 3.]]))
      6.0
    """
    return matrix_determinant_op(input, name=name)


# ---- MatrixSolve, MatrixTriangularSolve --------------------------------------------------------


def _solve_shape(matrix: Any, rhs: Any, **attrs: Any) -> TensorShape:
    square, right = _square_shape(matrix.shape), rhs.shape.with_rank_at_least(2)
    size = same_size(square[-1].value, right[-2].value)
    return broadcast_shapes(square[:-2], right[:-2]).concatenate([size, right[-1]])


def _solve(xp: Any, matrix: Any, rhs: Any) -> Any:
    if rhs.ndim < 2 or rhs.shape[-2] != matrix.shape[-1]:
        raise invalid("Input matrix and rhs are incompatible.")
    return _eliminated(xp, xp.linalg.solve, "Input matrix is not invertible.", matrix, rhs)


def _solve_grads(solve: Callable[..., Tensor], op: Any, dx: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients of the matrix and of the right-hand side, the matrix taken as full."""
    matrix, x, adjoint = op.inputs[0], op.outputs[0], op.attrs["adjoint"]
    dright = solve(matrix, dx, adjoint=not adjoint)
    left, right = (x, dright) if adjoint else (dright, x)
    return negative(matmul(left, right, adjoint_b=True)), dright


@_of_matrices(
    "MatrixSolve",
    "matrix: T, rhs: T -> output: T",
    lambda rng: (_well_conditioned(rng), rng.normal(size=(3, 2)), {}),
    lambda rng: (_well_conditioned(rng, 2), rng.normal(size=(2, 3, 1)), {"adjoint": True}),
)
def matrix_solve_op(xp: Any, matrix: Any, rhs: Any, *, adjoint: bool = False) -> Any:
    """Solves matrix @ x = rhs, or with the adjoint of `matrix`."""
    return _solve(xp, adjoint_of(xp, matrix) if adjoint else matrix, rhs)


matrix_solve_op.shape(lambda matrix, rhs, *, adjoint: _solve_shape(matrix, rhs))
matrix_solve_op.gradient(lambda op, dx: list(_solve_grads(matrix_solve_op, op, dx)))


def matrix_solve(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves systems of linear equations, matrix @ x = rhs.

    Args:
      matrix: [..., n, n].
      rhs: [..., n, k].
      adjoint: whether to solve with the conjugated transpose of `matrix`.
      name: the operation's name.
    Returns: [..., n, k].
    Raises:
      InvalidArgumentError: when a matrix is singular.
    """
    return matrix_solve_op(matrix, rhs, adjoint=adjoint, name=name)


@_of_matrices(
    "MatrixTriangularSolve",
    "matrix: T, rhs: T -> output: T",
    lambda rng: (_well_conditioned(rng), rng.normal(size=(3, 2)), {}),
    lambda rng: (_well_conditioned(rng), rng.normal(size=(3, 2)), {"adjoint": True}),
    lambda rng: (_well_conditioned(rng, 2), rng.normal(size=(2, 3, 1)), {"lower": False}),
)
def matrix_triangular_solve_op(
    xp: Any, matrix: Any, rhs: Any, *, lower: bool = True, adjoint: bool = False
) -> Any:
    """Solves matrix @ x = rhs, reading one triangle of `matrix` and taking the other as zeros."""
    triangle = xp.tril(matrix) if lower else xp.triu(matrix)
    return _solve(xp, adjoint_of(xp, triangle) if adjoint else triangle, rhs)


matrix_triangular_solve_op.shape(lambda matrix, rhs, *, lower, adjoint: _solve_shape(matrix, rhs))


@matrix_triangular_solve_op.gradient
def _matrix_triangular_solve_grad(op: Any, dx: Tensor) -> list:
    lower = op.attrs["lower"]

    def solve(matrix: Tensor, rhs: Tensor, adjoint: bool) -> Tensor:
        return matrix_triangular_solve_op(matrix, rhs, lower=lower, adjoint=adjoint)

    dmatrix, dright = _solve_grads(solve, op, dx)
    band = (-1, 0) if lower else (0, -1)
    return [matrix_band_part(dmatrix, *band), dright]


def matrix_triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves triangular systems of linear equations, matrix @ x = rhs.

    Args:
      matrix: [..., n, n], of which one triangle is read.
      rhs: [..., n, k].
      lower: whether that is the lower triangle.
      adjoint: whether to solve with the conjugated transpose of the triangle.
      name: the operation's name.
    """
    return matrix_triangular_solve_op(matrix, rhs, lower=lower, adjoint=adjoint, name=name)


# ---- Cholesky ----------------------------------------------------------------------------------


@_of_matrices(
    "Cholesky",
    "input: T -> output: T",
    # 1x1: a test that moves one element at a time would leave the symmetric matrices
    lambda rng: (rng.uniform(1.0, 4.0, size=(2, 1, 1)), {}),
)
def cholesky_op(xp: Any, x: Any) -> Any:
    """Computes the lower triangular L with x = L @ adjoint(L), from the lower triangle of `x`."""
    failure = "Cholesky decomposition was not successful. The input might not be valid."
    return _checked(xp.linalg.cholesky, failure, x)


cholesky_op.shape(lambda x: _square_shape(x.shape))


@cholesky_op.gradient
def _cholesky_grad(op: Any, dl: Tensor) -> list:
    """The gradient for a symmetric input: each pair of mirrored elements shares it equally."""
    factor = op.outputs[0]
    inner = matrix_band_part(matmul(factor, dl, adjoint_a=True), -1, 0)
    inner = subtract(inner, matrix_diag(0.5 * matrix_diag_part(inner)))
    half = matrix_triangular_solve_op(factor, inner, adjoint=True)
    whole = _conjugate_transpose(
        matrix_triangular_solve_op(factor, _conjugate_transpose(half), adjoint=True)
    )
    return [0.5 * (whole + _conjugate_transpose(whole))]


def _conjugate_transpose(x: Tensor) -> Tensor:
    return matrix_transpose(x, conjugate=True)


def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """Factors symmetric positive definite matrices: input = L @ adjoint(L), L lower triangular.

    Raises:
      InvalidArgumentError: when a matrix is not positive definite.
    """
    return cholesky_op(input, name=name)


# ---- SelfAdjointEigV2 --------------------------------------------------------------------------


@_of_matrices(
    "SelfAdjointEigV2",
    "input: T -> e: T, v: T",
    lambda rng: (_symmetric(rng), {}),
    lambda rng: (_symmetric(rng, 2), {}),
)
def self_adjoint_eig_op(xp: Any, x: Any, *, compute_v: bool = True) -> Any:
    """Computes eigenvalues, rising, and eigenvectors from the lower triangles of `x`."""
    failure = "Self-adjoint eigen decomposition was not successful. The input might not be valid."
    if x.ndim > 1 and xp.isnan(xp.tril(x)).any():
        raise invalid(failure)  # LAPACK would make numbers of it
    if not compute_v:
        return _checked(xp.linalg.eigvalsh, failure, x).astype(x.dtype), xp.empty((0,), x.dtype)
    values, vectors = _checked(xp.linalg.eigh, failure, x)
    return values.astype(x.dtype), vectors


@self_adjoint_eig_op.shape
def _self_adjoint_eig_shape(x: Any, *, compute_v: bool) -> list:
    known = _square_shape(x.shape)
    return [known[:-1], known if compute_v else TensorShape([0])]


@self_adjoint_eig_op.gradient
def _self_adjoint_eig_grad(op: Any, dvalues: Tensor | None, dvectors: Tensor | None) -> list:
    values, vectors = op.outputs
    if not op.attrs["compute_v"]:
        values, vectors = self_adjoint_eig_op(op.inputs[0])
        dvectors = None
    inner = matrix_diag(zeros_like(values) if dvalues is None else dvalues)
    if dvectors is not None:
        gaps = subtract(expand_dims(values, -2), expand_dims(values, -1))
        inverse = reciprocal(matrix_set_diag(gaps, ones_like(values)))
        inverse = matrix_set_diag(inverse, zeros_like(values))
        inner = inner + multiply(inverse, matmul(vectors, dvectors, adjoint_a=True))
    full = matmul(vectors, matmul(inner, vectors, adjoint_b=True))
    # the lower triangle alone is read, so the upper one's share is added to it
    lower = matrix_band_part(full + _conjugate_transpose(full), -1, 0)
    return [matrix_set_diag(lower, 0.5 * matrix_diag_part(lower))]


def self_adjoint_eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Computes the eigenvalues, rising, and the eigenvectors (columns) of symmetric matrices."""
    return tuple(self_adjoint_eig_op(tensor, name=name))


def self_adjoint_eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Computes the eigenvalues of symmetric matrices, rising."""
    values, _ = self_adjoint_eig_op(tensor, compute_v=False, name=name)
    return values


# ---- Qr ----------------------------------------------------------------------------------------


@_of_matrices(
    "Qr",
    "input: T -> q: T, r: T",
    lambda rng: (_well_conditioned(rng), {}),
    lambda rng: (rng.normal(size=(2, 4, 3)), {}),
)
def qr_op(xp: Any, x: Any, *, full_matrices: bool = False) -> Any:
    """Factors matrices into one with orthonormal columns and an upper triangular one."""
    return list(xp.linalg.qr(x, mode="complete" if full_matrices else "reduced"))


@qr_op.shape
def _qr_shape(x: Any, *, full_matrices: bool) -> list:
    known = x.shape.with_rank_at_least(2)
    rows, columns = known[-2].value, known[-1].value
    inner = rows if full_matrices else smaller_size(rows, columns)
    return [known[:-2].concatenate([rows, inner]), known[:-2].concatenate([inner, columns])]


@qr_op.gradient
def _qr_grad(op: Any, dq: Tensor | None, dr: Tensor | None) -> list:
    rows, columns = op.inputs[0].shape.as_list()[-2:]
    if op.attrs["full_matrices"] or rows is None or columns is None or rows < columns:
        raise NotImplementedError(
            "QrGrad not implemented when nrows < ncols, or when full_matrices is true."
        )
    q, r = op.outputs
    dq = zeros_like(q) if dq is None else dq
    dr = zeros_like(r) if dr is None else dr
    m = subtract(matmul(r, dr, adjoint_b=True), matmul(dq, q, adjoint_a=True))
    lower = matrix_band_part(m, -1, 0)
    mirrored = _conjugate_transpose(matrix_set_diag(lower, zeros_like(matrix_diag_part(lower))))
    total = dq + matmul(q, lower + mirrored)
    return [_conjugate_transpose(matrix_triangular_solve(r, _conjugate_transpose(total), False))]


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Factors matrices: `input = q @ r`, where `q` has orthonormal columns and `r` is triangular.

    Args:
      input: [..., m, n] of a floating-point or complex dtype.
      full_matrices: whether `q` is completed to [..., m, m].
      name: the operation's name.
    Returns: q, [..., m, min(m, n)], and r, [..., min(m, n), n].
    """
    return qr_op.named(qr_op(input, full_matrices=full_matrices, name=name))


# ---- Svd ---------------------------------------------------------------------------------


@op(
    "Svd",
    "input: T -> s: T, u: T, v: T",
    T=(dtypes.float32, dtypes.float64, *dtypes.COMPLEX),
    samples=[
        lambda rng: (rng.normal(size=(3, 2)), {}),
        lambda rng: (rng.normal(size=(2, 2, 3)), {}),
        lambda rng: (rng.normal(size=(3, 3)), {"full_matrices": True}),
        lambda rng: (rng.normal(size=(3, 2)), {"compute_uv": False}),
    ],
)
def svd_op(xp: Any, input: Any, *, compute_uv: bool = True, full_matrices: bool = False) -> Any:
    """Decomposes matrices into rotations and stretches."""
    if not compute_uv:
        s = _svd(xp, input, compute_uv=False).astype(input.dtype)
        return s, xp.zeros(0, input.dtype), xp.zeros(0, input.dtype)
    u, s, vh = _svd(xp, input, full_matrices=full_matrices)
    v = xp.ascontiguousarray(xp.swapaxes(vh, -1, -2).conj())
    return s.astype(input.dtype), xp.ascontiguousarray(u), v


def _svd(xp: Any, x: Any, **options: bool) -> Any:
    """NumPy's decomposition; a matrix with NaN, which has none, gives NaN and no error."""
    try:
        return xp.linalg.svd(x, **options)
    except np.linalg.LinAlgError:
        without = ~np.isfinite(x).all(axis=(-2, -1))
        parts = np.linalg.svd(np.where(without[..., None, None], 0, x), **options)
        for part in parts if isinstance(parts, tuple) else (parts,):
            part[without] = np.nan
        return parts


@svd_op.shape
def _svd_shape(input: Any, *, compute_uv: bool, full_matrices: bool) -> list:
    shape = input.shape.with_rank_at_least(2)
    batch, m, n = shape[:-2], shape[-2].value, shape[-1].value
    k = smaller_size(m, n)
    if not compute_uv:
        return [batch.concatenate([k]), TensorShape([0]), TensorShape([0])]
    u, v = ([m, m], [n, n]) if full_matrices else ([m, k], [n, k])
    return [batch.concatenate(each) for each in ([k], u, v)]


@svd_op.gradient
def _svd_grad(op: Any, ds: Tensor | None, du: Tensor | None, dv: Tensor | None) -> list:
    """By J. Townsend, "Differentiating the singular value decomposition" (2016)."""
    a = op.inputs[0]
    if a.dtype.is_complex:
        raise NotImplementedError("The gradient of Svd is for real matrices only.")
    m, n = a.shape.as_list()[-2:] if a.shape.ndims else (None, None)
    if op.attrs["full_matrices"] and (m is None or m != n):
        raise NotImplementedError("The gradient of Svd with full_matrices needs square matrices.")
    if op.attrs["compute_uv"]:
        s, u, v = op.outputs
    else:
        s, u, v = svd_op(a)
        du = dv = None
    middle = matrix_diag(ds) if ds is not None else None
    rows = expand_dims(s, -2)
    if du is not None or dv is not None:
        gaps = subtract(square(rows), square(expand_dims(s, -1)))
        unit = eye(shape_of(s)[-1], dtype=a.dtype)
        factor = where_v2(greater(unit, 0.5), zeros_like(gaps), reciprocal(gaps + unit))
        for given, basis, left in ((du, u, True), (dv, v, False)):
            if given is not None:
                turn = matmul(basis, given, transpose_a=True)
                turn = factor * (turn - matrix_transpose(turn))
                part = turn * rows if left else expand_dims(s, -1) * turn
                middle = part if middle is None else middle + part
    if middle is None:
        return [zeros_like(a)]
    whole = matmul(matmul(u, middle), v, transpose_b=True)
    if du is not None:
        rest = du - matmul(u, matmul(u, du, transpose_a=True))
        whole = whole + matmul(rest / rows, v, transpose_b=True)
    if dv is not None:
        rest = dv - matmul(v, matmul(v, dv, transpose_a=True))
        whole = whole + matmul(u, rest / rows, transpose_b=True)
    return [whole]


def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """The singular value decomposition: `tensor = u @ diag(s) @ adjoint(v)`.

    Args:
      tensor: [..., m, n].
      full_matrices: whether `u` is [m, m] and `v` [n, n]; otherwise [m, k] and [n, k].
      compute_uv: whether to compute more than `s`.
      name: the name.
    Returns: `(s, u, v)`, `s` [..., k] with k = min(m, n), falling; or `s` alone.
    """
    s, u, v = svd_op(tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    if s.dtype.is_complex:
        s = call("Real", s)
    return (s, u, v) if compute_uv else s

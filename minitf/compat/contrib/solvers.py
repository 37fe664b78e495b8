"""`tf.contrib.solvers`: linear systems by products with a matrix alone, A x and A' x.

conjugate_gradient   A x = b, of a positive definite A
cgls                 min |A x - b|
lanczos_bidiag       A V = U B with orthonormal columns in U and V, and B bidiagonal
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, reshape, squeeze
from minitf.core.ops.comparisons import greater, less, logical_and
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import sqrt, square
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_sum

# ---- vectors and operators -----------------------------------------------------------------


class Operator(NamedTuple):
    """A linear operator: what it makes of a column, and what its adjoint makes."""

    shape: Any
    dtype: Any
    apply: Callable[[Tensor], Tensor]
    apply_adjoint: Callable[[Tensor], Tensor]


def create_operator(matrix: Any) -> Operator:
    """The operator of a matrix."""
    matrix = convert_to_tensor(matrix)
    shape = matrix.shape if matrix.shape.is_fully_defined() else shape_of(matrix)
    return Operator(
        shape,
        matrix.dtype,
        lambda v: matmul(matrix, v),
        lambda v: matmul(matrix, v, adjoint_a=True),
    )


def identity_operator(matrix: Any) -> Operator:
    """The operator that changes nothing, of the matrix's shape."""
    found = create_operator(matrix)
    return found._replace(apply=lambda v: v, apply_adjoint=lambda v: v)


def dot(x: Tensor, y: Tensor) -> Tensor:
    """The product of two columns."""
    return reduce_sum(x * y)


def l2norm_squared(v: Any) -> Tensor:
    """The sum of squares, [1, 1] for a column."""
    return constant(1, v.dtype) * reduce_sum(square(v))


def l2norm(v: Any) -> Tensor:
    """The root of the sum of squares."""
    return sqrt(l2norm_squared(v))


def l2normalize(v: Tensor) -> tuple[Tensor, Tensor]:
    """The vector divided by its length, and the length."""
    length = l2norm(v)
    return v / length, length


# ---- systems -------------------------------------------------------------------------------


class CGState(NamedTuple):
    """Where an iteration is: the step, the solution, what is left, the direction, r'r."""

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


CGLSState = CGState


def _iterate(step: Callable, start: CGState, limit: int, least: Tensor) -> CGState:
    """Steps until `gamma` is not above `least`, or there were `limit` of them."""
    going = lambda i, x, r, p, gamma: logical_and(less(i, limit), greater(gamma, least))  # noqa: E731
    end = CGState(*while_loop(going, lambda *state: step(CGState(*state)), list(start)))
    return end._replace(**{name: squeeze(getattr(end, name)) for name in ("x", "r", "p")})


def conjugate_gradient(
    operator: Any, rhs: Any, preconditioner: Any = None, x: Any = None, tol: float = 1e-4,
    max_iter: int = 20, name: str = "conjugate_gradient",
) -> CGState:  # fmt: skip
    """Solves A x = b by steps along conjugate directions.

    Args:
      operator: of a symmetric positive definite matrix, [n, n]; see `create_operator`.
      rhs: [n] the right side.
      preconditioner: an operator near the inverse of A.
      x: [n] where to start; 0 by default.
      tol: stops when |b - A x| is not above `tol` |b|.
      max_iter: the most steps.
    Returns: the state, whose `x` is the solution, [n].
    """
    near = (lambda r: r) if preconditioner is None else preconditioner.apply

    def step(state: CGState) -> CGState:
        i, x, r, p, gamma = state
        z = operator.apply(p)
        length = gamma / dot(p, z)
        r = r - length * z
        q = near(r)
        new = dot(r, q)
        return CGState(i + 1, x + length * p, r, q + new / gamma * p, new)

    with name_scope(name):
        r = expand_dims(convert_to_tensor(rhs), -1)
        if x is None:
            start: Any = zeros(shape_of(r), r.dtype)
            start.set_shape(r.shape)
        else:
            start = expand_dims(convert_to_tensor(x), -1)
            r = r - operator.apply(start)
        p = near(r)
        gamma = dot(r, p)
        least = square(tol * l2norm(r)) if preconditioner is None else tol * tol * gamma
        return _iterate(step, CGState(constant(0), start, r, p, gamma), max_iter, least)


def cgls(
    operator: Any, rhs: Any, tol: float = 1e-6, max_iter: int = 20, name: str = "cgls"
) -> CGState:
    """The least squares of A x = b, by conjugate gradients on A'A x = A'b.

    Args:
      operator: of a matrix, [m, n].
      rhs: [m].
      tol: stops when |A'(b - A x)| is not above `tol` |A'b|.
    Returns: the state, whose `x` is the solution, [n].
    """

    def step(state: CGState) -> CGState:
        i, x, r, p, gamma = state
        q = operator.apply(p)
        length = gamma / l2norm_squared(q)
        r = r - length * q
        s = operator.apply_adjoint(r)
        new = l2norm_squared(s)
        return CGState(i + 1, x + length * p, r, s + new / gamma * p, new)

    with name_scope(name):
        r = expand_dims(convert_to_tensor(rhs), -1)
        s = operator.apply_adjoint(r)
        gamma = l2norm_squared(s)
        start = CGState(constant(0), zeros(shape_of(s), s.dtype), r, s, gamma)
        start.x.set_shape(s.shape)
        return _iterate(step, start, max_iter, tol * tol * gamma)


# ---- Lanczos -------------------------------------------------------------------------------


class LanczosBidiagState(NamedTuple):
    """U [m, k + 1], V [n, k], and B's diagonal and the numbers below it, [k] each."""

    u: Any
    v: Any
    alpha: Any
    beta: Any


def lanczos_bidiag(
    operator: Any, k: int, orthogonalize: bool = True, starting_vector: Any = None,
    name: str = "lanczos_bidiag",
) -> LanczosBidiagState:  # fmt: skip
    """A V = U B and A' U[:, :-1] = V B[:-1, :]', from a vector and products alone.

    Args:
      operator: of a matrix A, [m, n]; `shape`, `dtype`, `apply`, `apply_adjoint`.
      k: how many steps.
      orthogonalize: whether each column is made orthogonal to those before it, twice over.
      starting_vector: [m] the first column of U, but for its length; random by default.
    """

    def fresh(column: Tensor, before: list[Tensor]) -> tuple[Tensor, Tensor]:
        if orthogonalize and before:
            basis = concat(before, 1)
            for _ in range(2):  # once leaves what rounding brought in
                column = column - matmul(basis, matmul(basis, column, transpose_a=True))
        return l2normalize(column)

    with name_scope(name):
        if starting_vector is None:
            starting_vector = random_uniform(operator.shape[:1], -1, 1, operator.dtype)
        us = [l2normalize(reshape(convert_to_tensor(starting_vector), [-1, 1]))[0]]
        vs: list[Tensor] = []
        alphas: list[Tensor] = []
        betas: list[Tensor] = []
        for _ in range(k):
            r = operator.apply_adjoint(us[-1])
            if vs:
                r = r - betas[-1] * vs[-1]
            v, alpha = fresh(r, vs)
            u, beta = fresh(operator.apply(v) - alpha * us[-1], us)
            vs, us = [*vs, v], [*us, u]
            alphas, betas = [*alphas, reshape(alpha, [1])], [*betas, reshape(beta, [1])]
        return LanczosBidiagState(concat(us, 1), concat(vs, 1), concat(alphas, 0), concat(betas, 0))


def bidiag_matmul(
    matrix: Any, alpha: Any, beta: Any, adjoint_b: bool = False, name: str = "bidiag_matmul"
) -> Tensor:
    """A B, or A B[:-1, :]', of a lower bidiagonal B that is given by two rows of numbers."""
    with name_scope(name):
        matrix = convert_to_tensor(matrix)
        alpha, beta = expand_dims(alpha, 0), expand_dims(beta, 0)
        if not adjoint_b:
            return matrix[:, :-1] * alpha + matrix[:, 1:] * beta
        shifted = matrix[:, :-1] * beta[:, :-1]
        return matrix * alpha + concat([matrix[:, :1] * 0, shifted], 1)

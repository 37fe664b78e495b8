"""Matrices that are not written out: `tf.linalg.LinearOperator`, what all kinds of them can do.

    operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    operator.matmul(x)          # the diagonal times the rows of x; no matrix is made

A kind says how it multiplies and what its matrix is; it may know quicker ways to solve, and for its
determinant and diagonal. What it does not say is done with its matrix.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.shapes import Dimension, TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import squeeze
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import log, sign
from minitf.core.ops.reductions import reduce_max, reduce_min, reduce_prod, reduce_sum
from minitf.library.checks.assertions import assert_less, assert_near, assert_positive
from minitf.library.numeric.decompositions import (
    cholesky,
    cholesky_solve,
    matrix_determinant,
    matrix_solve,
    self_adjoint_eigvals,
)
from minitf.library.numeric.diagonals import eye, matrix_diag_part
from minitf.library.numeric.svd import adjoint as adjoint_of
from minitf.library.numeric.svd import svd

_HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


class LinearOperator:
    """A matrix, or a batch of them, [..., m, n], that is known by what it does.

    Args:
      dtype: the type of its numbers.
      graph_parents: the tensors that it is made of.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known of it; a
        promise, which is not checked. None for unknown.
      name: the name of its scopes.
      parameters: what it was made with.
    Raises:
      ValueError: when what is known cannot be true.
    """

    def __init__(
        self, dtype: Any, graph_parents: Any = None, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
        is_square: bool | None = None, name: str | None = None, parameters: Any = None,
    ) -> None:  # fmt: skip
        if is_positive_definite and is_self_adjoint is None and self._definite_is_adjoint:
            is_self_adjoint = True
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        if is_non_singular:
            if is_square is False:
                raise ValueError("A non-singular matrix is always square.")
            is_square = True
        if is_self_adjoint:
            if is_square is False:
                raise ValueError("A self-adjoint matrix is always square.")
            is_square = True
        self._square = is_square
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._graph_parents = list(graph_parents or [])
        self._hints = (is_non_singular, is_self_adjoint, is_positive_definite)
        self._name = name or type(self).__name__
        self._parameters = parameters or {}

    _definite_is_adjoint = False

    # ---- what is known of it -------------------------------------------------------------------

    @property
    def dtype(self) -> dtypes.DType:
        """The type of its numbers."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name of its scopes."""
        return self._name

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was made with."""
        return dict(self._parameters)

    @property
    def graph_parents(self) -> list[Any]:
        """The tensors that it is made of."""
        return self._graph_parents

    @property
    def is_non_singular(self) -> bool | None:
        """Whether it has an inverse, as far as it is known."""
        return self._hints[0]

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether it equals its adjoint, as far as it is known."""
        return self._hints[1]

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether x^H A x has a positive real part for every x, as far as it is known."""
        return self._hints[2]

    @property
    def is_square(self) -> bool | None:
        """Whether it has as many rows as columns."""
        last = self.shape
        if last.ndims is not None and None not in (last[-1].value, last[-2].value):
            return last[-1].value == last[-2].value
        return self._square

    def _shape(self) -> TensorShape:
        raise NotImplementedError(f"{type(self).__name__} does not say its shape")

    def _shape_tensor(self) -> Tensor:
        return shape_of(self.to_dense())

    @property
    def shape(self) -> TensorShape:
        """[..., m, n], as far as it is known."""
        return self._shape()

    @property
    def batch_shape(self) -> TensorShape:
        """[...], as far as it is known."""
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """How many axes the matrices have, the batch included."""
        return self.shape.ndims

    @property
    def domain_dimension(self) -> Dimension:
        """How many columns there are."""
        return self.shape[-1]

    @property
    def range_dimension(self) -> Dimension:
        """How many rows there are."""
        return self.shape[-2]

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """[..., m, n], as a vector."""
        with self._scope(name):
            known = self.shape
            if known.is_fully_defined():
                return constant(known.as_list(), dtypes.int32)
            return self._shape_tensor()

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """[...], as a vector."""
        return self.shape_tensor(name)[:-2]

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """How many columns there are, as a scalar."""
        return self.shape_tensor(name)[-1]

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """How many rows there are, as a scalar."""
        return self.shape_tensor(name)[-2]

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """How many axes the matrices have, as a scalar."""
        return shape_of(self.shape_tensor(name))[0]

    def _scope(self, name: str) -> Any:
        return name_scope(f"{self._name}/{name}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name!r} shape={self.shape} dtype={self._dtype.name}>"

    # ---- what it does --------------------------------------------------------------------------

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return matmul(self._to_dense(), x, adjoint_a=adjoint)

    def _to_dense(self) -> Any:
        return self._matmul(self._unit(), False)

    def _unit(self) -> Any:
        shape = self.shape_tensor()
        return eye(shape[-1], batch_shape=shape[:-2], dtype=self._dtype)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        matrix = self._to_dense()
        rhs = rhs + zeros(concat([shape_of(matrix)[:-2], [1, 1]], 0), rhs.dtype)
        matrix = matrix + zeros(concat([shape_of(rhs)[:-2], [1, 1]], 0), rhs.dtype)
        if self.is_positive_definite and self.is_self_adjoint:
            return cholesky_solve(cholesky(matrix), rhs)
        return matrix_solve(matrix, rhs, adjoint=adjoint)

    def _determinant(self) -> Any:
        return matrix_determinant(self._to_dense())

    def _log_abs_determinant(self) -> Any:
        if self.is_positive_definite and self.is_self_adjoint:
            return 2.0 * reduce_sum(log(matrix_diag_part(cholesky(self._to_dense()))), -1)
        return log(absolute(self._determinant()))

    def _diag_part(self) -> Any:
        return matrix_diag_part(self._to_dense())

    def _eigvals(self) -> Any:
        return self_adjoint_eigvals(self._to_dense())

    def _cond(self) -> Any:
        values = svd(self._to_dense(), compute_uv=False)
        return reduce_max(values, -1) / reduce_min(values, -1)

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """The product with a matrix [..., n, k], or with another operator.

        Args:
          x: the matrix, or the operator.
          adjoint: whether the adjoint of this operator multiplies.
          adjoint_arg: whether the adjoint of `x` is multiplied.
          name: the name of the scope.
        Raises:
          ValueError: when the sizes do not fit.
        """
        if isinstance(x, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = x.adjoint() if adjoint_arg else x
            if not left.domain_dimension.is_compatible_with(right.range_dimension):
                raise ValueError(
                    f"Operators are incompatible. Expected `x` to have dimension "
                    f"{left.domain_dimension} but got {right.range_dimension}."
                )
            return self._compose(left, right)
        with self._scope(name):
            x = convert_to_tensor(x, name="x", preferred_dtype=self._dtype)
            own = self.shape[-2] if adjoint else self.shape[-1]
            given = x.shape[-1] if adjoint_arg else x.shape[-2]
            if not own.is_compatible_with(given):
                raise ValueError(f"Dimensions {own} and {given} are not compatible")
            return self._matmul(adjoint_of(x) if adjoint_arg else x, adjoint)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """The product with a vector [..., n]."""
        x = convert_to_tensor(x, name="x", preferred_dtype=self._dtype)
        return squeeze(self.matmul(x[..., None], adjoint, name=name), [-1])

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """The x of `A x = rhs`, for a matrix [..., n, k].

        Args:
          rhs: the right-hand side.
          adjoint: whether the adjoint of this operator stands there.
          adjoint_arg: whether the adjoint of `rhs` does.
          name: the name of the scope.
        Raises:
          NotImplementedError: when it is known that there is no one answer.
        """
        if self.is_non_singular is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to be singular."
            )
        if self.is_square is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to not be square."
            )
        if isinstance(rhs, LinearOperator):
            left = self.adjoint() if adjoint else self
            return self._compose(left.inverse(), rhs.adjoint() if adjoint_arg else rhs)
        with self._scope(name):
            rhs = convert_to_tensor(rhs, name="rhs", preferred_dtype=self._dtype)
            own, given = self.shape[-1], rhs.shape[-1] if adjoint_arg else rhs.shape[-2]
            if not own.is_compatible_with(given):
                raise ValueError(f"Dimensions {own} and {given} are not compatible")
            return self._solve(adjoint_of(rhs) if adjoint_arg else rhs, adjoint)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """The x of `A x = rhs`, for a vector [..., n]."""
        rhs = convert_to_tensor(rhs, name="rhs", preferred_dtype=self._dtype)
        return squeeze(self.solve(rhs[..., None], adjoint, name=name), [-1])

    # ---- other operators made of it; `linear_operators` says of which kind ---------------------

    def _compose(self, left: LinearOperator, right: LinearOperator) -> LinearOperator:
        raise NotImplementedError

    def _inverse(self) -> LinearOperator:
        raise NotImplementedError

    def _adjoint(self) -> LinearOperator:
        raise NotImplementedError

    def _cholesky(self) -> LinearOperator:
        raise NotImplementedError

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The operator with the conjugate transposed matrix."""
        with self._scope(name):
            return self if self.is_self_adjoint else self._adjoint()

    @property
    def H(self) -> LinearOperator:  # noqa: N802  (TensorFlow's name)
        """The adjoint."""
        return self.adjoint()

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The operator with the inverse matrix.

        Raises:
          ValueError: when it is known that there is none.
        """
        if self.is_square is False or self.is_non_singular is False:
            raise ValueError(
                "Cannot take the Inverse: This operator represents a non square or a "
                "singular matrix."
            )
        with self._scope(name):
            return self._inverse()

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The lower triangular operator L with L L^H = A, which is self-adjoint and positive."""
        if not (self.is_self_adjoint and self.is_positive_definite):
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self "
                "adjoint matrix."
            )
        with self._scope(name):
            return self._cholesky()

    # ---- numbers of it -------------------------------------------------------------------------

    def to_dense(self, name: str = "to_dense") -> Any:
        """The matrix."""
        with self._scope(name):
            return self._to_dense()

    def diag_part(self, name: str = "diag_part") -> Any:
        """The diagonal, [..., min(m, n)]."""
        with self._scope(name):
            return self._diag_part()

    def trace(self, name: str = "trace") -> Any:
        """The sum of the diagonal, [...]."""
        with self._scope(name):
            return reduce_sum(self._diag_part(), -1)

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Any:
        """The matrix plus another, [..., m, n]."""
        with self._scope(name):
            return self._to_dense() + convert_to_tensor(x, name="x", preferred_dtype=self._dtype)

    def _of_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                f"{what} not implemented for an operator that is expected to not be square."
            )

    def determinant(self, name: str = "det") -> Any:
        """The determinant, [...]."""
        self._of_square("Determinant")
        with self._scope(name):
            return self._determinant()

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """The logarithm of the size of the determinant, [...]."""
        self._of_square("Determinant")
        with self._scope(name):
            return self._log_abs_determinant()

    def eigvals(self, name: str = "eigvals") -> Any:
        """The eigenvalues of a self-adjoint operator, [..., n]."""
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        with self._scope(name):
            return self._eigvals()

    def cond(self, name: str = "cond") -> Any:
        """The largest singular value over the smallest, [...]."""
        with self._scope(name):
            return self._cond()

    # ---- checks while a step runs --------------------------------------------------------------

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """An operation that fails when the matrix is nearly singular."""
        with self._scope(name):
            limit = constant(1.0 / _epsilon(self._dtype), self._dtype.real_dtype)
            text = "Singular matrix up to precision epsilon."
            return assert_less(self.cond(), limit, message=text)

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """An operation that fails when the matrix is not positive definite."""
        with self._scope(name):
            text = "Operator was not positive definite."
            return assert_positive(matrix_diag_part(cholesky(self._to_dense())), message=text)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """An operation that fails when the matrix is not its adjoint."""
        with self._scope(name):
            matrix = self._to_dense()
            text = "Matrix was not equal to its adjoint."
            return assert_near(matrix, adjoint_of(matrix), message=text)


def _epsilon(dtype: dtypes.DType) -> float:
    return 2.2e-16 if dtype in (dtypes.float64, dtypes.complex128) else 1.2e-7


def hints_of(given: dict[str, Any]) -> dict[str, Any]:
    """What a constructor was told of its operator."""
    return {name: given[name] for name in _HINTS}


def all_are(operators: Iterable[LinearOperator], hint: str) -> bool | None:
    """Whether something is known of all operators."""
    return True if all(getattr(each, hint) for each in operators) else None


def signed_size(diagonal: Any) -> tuple[Any, Any]:
    """The sign and the logarithm of the product of numbers along the last axis."""
    return reduce_prod(sign(diagonal), -1), reduce_sum(log(absolute(diagonal)), -1)

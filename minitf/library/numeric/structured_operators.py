"""`tf.linalg.LinearOperator*` of few numbers: three diagonals, permutations, equal diagonals."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import one_hot
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reverse
from minitf.core.ops.complex import conj
from minitf.library.numeric.factorizations import (
    diagonals_of,
    tridiagonal_matmul,
    tridiagonal_solve,
)
from minitf.library.numeric.linear_operator import hints_of
from minitf.library.numeric.linear_operators import OfVectors, _matrix
from minitf.library.numeric.sorting import argsort


class LinearOperatorToeplitz(OfVectors):
    """A matrix with one number along each diagonal.

    Args:
      col: [..., n], the first column.
      row: [..., n], the first row; its first number is not read.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: see
        `LinearOperator`.
    Example:
      >>> sess.run(tf.linalg.LinearOperatorToeplitz([1., 2.], [1., 3.]).to_dense())
      array([[1., 3.],
             [2., 1.]], dtype=float32)
    """

    def __init__(
        self, col: Any, row: Any, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
        is_square: bool | None = None, name: str = "LinearOperatorToeplitz",
    ) -> None:  # fmt: skip
        given = dict(locals())
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        self._vectors = _matrix(col, "col", 1)
        self._row = _matrix(row, "row", 1)
        given["is_square"] = True
        parents = [self._vectors, self._row]
        super().__init__(self._vectors.dtype, parents, name=name, **hints_of(given))

    @property
    def col(self) -> Any:
        """The first column."""
        return self._vectors

    @property
    def row(self) -> Any:
        """The first row."""
        return self._row

    def _to_dense(self) -> Any:
        size = shape_of(self._vectors)[-1]
        places = range_of(size)
        along = concat([reverse(self._row[..., 1:], [-1]), self._vectors], -1)  # by row - column
        return gather(along, places[:, None] - places[None, :] + size - 1, axis=-1)


class LinearOperatorTridiag(OfVectors):
    """A matrix that is zero but for three diagonals.

    Args:
      diagonals: see `tf.linalg.tridiagonal_solve`.
      diagonals_format: "compact", "sequence" or "matrix".
      is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: see
        `LinearOperator`.
    """

    def __init__(
        self, diagonals: Any, diagonals_format: str = "compact",
        is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:  # fmt: skip
        given = dict(locals())
        if is_square is False:
            raise ValueError("Only square tridiagonal operators currently supported.")
        self._three = diagonals_of(diagonals, diagonals_format)
        self._vectors = self._three[1]
        given["is_square"] = True
        super().__init__(self._three[1].dtype, self._three, name=name, **hints_of(given))

    def _here(self, adjoint: bool) -> list[Any]:
        above, middle, below = self._three
        if not adjoint:
            return self._three
        return [conj(below[..., 1:]), conj(middle), conj(above[..., :-1])]

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return tridiagonal_matmul(self._here(adjoint), x, "sequence")

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return tridiagonal_solve(self._here(adjoint), rhs, "sequence")

    def _diag_part(self) -> Any:
        return self._three[1]


class LinearOperatorPermutation(OfVectors):
    """A matrix that puts rows into another order.

    Args:
      perm: [..., n] of int32 or int64: row i of the product is row perm[i] of what is multiplied.
      dtype: of the operator.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: see
        `LinearOperator`.
    """

    def __init__(
        self, perm: Any, dtype: Any = dtypes.float32, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
        is_square: bool | None = None, name: str = "LinearOperatorPermutation",
    ) -> None:  # fmt: skip
        given = dict(locals())
        if is_non_singular is False:
            raise ValueError("A Permutation operator is always non-singular.")
        if is_square is False:
            raise ValueError("A Permutation operator is always square.")
        with name_scope(name):
            self._vectors = convert_to_tensor(perm, name="perm")
        if not self._vectors.dtype.is_integer:
            raise TypeError(f"Argument `perm` must be integer dtype. Received: {self._vectors!r}")
        if self._vectors.shape.ndims == 0:
            raise ValueError("Argument `perm` must have at least 1 dimension.")
        given.update(is_square=True, is_non_singular=True)
        super().__init__(dtype, [self._vectors], name=name, **hints_of(given))

    @property
    def perm(self) -> Any:
        """The order of the rows."""
        return self._vectors

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        order = argsort(self._vectors) if adjoint else self._vectors
        batch = (self._vectors.shape.ndims or 1) - 1
        return gather(x, order, axis=-2, batch_dims=batch)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._matmul(rhs, not adjoint)

    def _to_dense(self) -> Any:
        return one_hot(self._vectors, shape_of(self._vectors)[-1], dtype=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return 0.0 * self._to_dense()[..., 0, 0]

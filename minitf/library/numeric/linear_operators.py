"""The kinds of `tf.linalg.LinearOperator*`: by their numbers, and made of other operators."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, constant_value_as_shape, convert_to_tensor
from minitf.core.graph.shapes import TensorShape, broadcast_static_shape
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones, ones_like, zeros
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.complex import conj
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import log, pow, sqrt
from minitf.core.ops.reductions import reduce_prod, reduce_sum
from minitf.library.numeric.decompositions import (
    cholesky,
    matrix_determinant,
    matrix_triangular_solve,
)
from minitf.library.numeric.diagonals import (
    eye,
    matrix_band_part,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
)
from minitf.library.numeric.linear_operator import LinearOperator, all_are, hints_of, signed_size
from minitf.library.numeric.rearranging import broadcast_dynamic_shape
from minitf.library.numeric.svd import adjoint as adjoint_of


class _Operator(LinearOperator):
    """An operator whose relatives are of the kinds of this file."""

    def _compose(self, left: LinearOperator, right: LinearOperator) -> LinearOperator:
        return LinearOperatorComposition([left, right])

    def _inverse(self) -> LinearOperator:
        return LinearOperatorInversion(self)

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorAdjoint(self)

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorLowerTriangular(
            cholesky(self._to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True
        )


def _matrix(value: Any, name: str, least: int = 2) -> Any:
    value = convert_to_tensor(value, name=name)
    if not (value.dtype.is_floating or value.dtype.is_complex):
        allowed = [
            f"<dtype: {n!r}>" for n in ("float16", "float32", "float64", "complex64", "complex128")
        ]
        raise TypeError(
            f"Argument `{name}` must have dtype in [{', '.join(allowed)}]. Found: {value.dtype}"
        )
    if value.shape.ndims is not None and value.shape.ndims < least:
        raise ValueError(f"Argument `{name}` must have at least {least} dimensions. Found: {value}")
    return value


# ---- by their numbers --------------------------------------------------------------------------


class LinearOperatorFullMatrix(_Operator):
    """A matrix that is written out.

    Args:
      matrix: [..., m, n].
      is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: see
        `LinearOperator`.
    Example:
      >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
      >>> sess.run(operator.determinant())
      -2.0
    """

    def __init__(
        self, matrix: Any, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
        is_square: bool | None = None, name: str = "LinearOperatorFullMatrix",
    ) -> None:  # fmt: skip
        given = locals()
        self._numbers = _matrix(matrix, "matrix")
        super().__init__(self._numbers.dtype, [self._numbers], name=name, **hints_of(given))

    def _shape(self) -> TensorShape:
        return self._numbers.shape

    def _to_dense(self) -> Any:
        return self._numbers


class LinearOperatorLowerTriangular(LinearOperatorFullMatrix):
    """A lower triangular matrix; what stands above the diagonal of `tril` is left out."""

    def __init__(
        self, tril: Any, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
        is_square: bool | None = None, name: str = "LinearOperatorLowerTriangular",
    ) -> None:  # fmt: skip
        lower = matrix_band_part(_matrix(tril, "tril"), -1, 0)
        super().__init__(
            lower, is_non_singular, is_self_adjoint, is_positive_definite,
            True if is_square is None else is_square, name,
        )  # fmt: skip

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return matrix_triangular_solve(self._numbers, rhs, lower=True, adjoint=adjoint)

    def _determinant(self) -> Any:
        return reduce_prod(matrix_diag_part(self._numbers), -1)

    def _log_abs_determinant(self) -> Any:
        return signed_size(matrix_diag_part(self._numbers))[1]


class OfVectors(_Operator):
    """A square operator of `_vectors`, [..., n]: as many rows and columns as these have numbers."""

    _vectors: Any

    def _shape(self) -> TensorShape:
        own = self._vectors.shape
        return own.concatenate(own[-1:])

    def _shape_tensor(self) -> Any:
        own = shape_of(self._vectors)
        return concat([own, own[-1:]], 0)


class LinearOperatorDiag(OfVectors):
    """A diagonal matrix.

    Args:
      diag: [..., n].
      is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: see
        `LinearOperator`.
    """

    def __init__(
        self, diag: Any, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
        is_square: bool | None = None, name: str = "LinearOperatorDiag",
    ) -> None:  # fmt: skip
        given = dict(locals())
        self._vectors = _matrix(diag, "diag", 1)
        if not self._vectors.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            given["is_self_adjoint"] = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        given["is_square"] = True
        super().__init__(self._vectors.dtype, [self._vectors], name=name, **hints_of(given))

    @property
    def diag(self) -> Any:
        """The diagonal."""
        return self._vectors

    def _here(self, adjoint: bool) -> Any:
        return (conj(self._vectors) if adjoint else self._vectors)[..., None]

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._here(adjoint) * x

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return rhs / self._here(adjoint)

    def _to_dense(self) -> Any:
        return matrix_diag(self._vectors)

    def _diag_part(self) -> Any:
        return self._vectors

    def _determinant(self) -> Any:
        return reduce_prod(self._vectors, -1)

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(log(absolute(self._vectors)), -1)

    def _inverse(self) -> LinearOperator:
        return LinearOperatorDiag(1.0 / self._vectors, **_known(self))

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorDiag(conj(self._vectors), **_known(self))

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorDiag(sqrt(self._vectors), is_positive_definite=True)

    def _compose(self, left: LinearOperator, right: LinearOperator) -> LinearOperator:
        if isinstance(left, LinearOperatorDiag) and isinstance(right, LinearOperatorDiag):
            return LinearOperatorDiag(left.diag * right.diag)
        return super()._compose(left, right)


def _known(operator: LinearOperator) -> dict[str, Any]:
    names = ("is_non_singular", "is_self_adjoint", "is_positive_definite")
    return {**{name: getattr(operator, name) for name in names}, "is_square": True}


class LinearOperatorScaledIdentity(_Operator):
    """The unit matrix times a number.

    Args:
      num_rows: how many rows it has.
      multiplier: [...], the number.
      assert_proper_shapes: accepted; the shapes are checked as they are used.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: see
        `LinearOperator`.
    """

    def __init__(
        self, num_rows: Any, multiplier: Any, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
        is_square: bool | None = True, assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:  # fmt: skip
        given = dict(locals())
        self._multiplier = convert_to_tensor(multiplier, name="multiplier")
        self._num_rows = convert_to_tensor(num_rows, dtypes.int32, name="num_rows")
        if not self._multiplier.dtype.is_complex:
            given["is_self_adjoint"] = True
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        super().__init__(self._multiplier.dtype, [self._multiplier], name=name, **hints_of(given))

    @property
    def multiplier(self) -> Any:
        """The number."""
        return self._multiplier

    def _shape(self) -> TensorShape:
        rows = constant_value(self._num_rows)
        size = None if rows is None else int(rows)
        return self._multiplier.shape.concatenate([size, size])

    def _shape_tensor(self) -> Any:
        return concat([shape_of(self._multiplier), [self._num_rows, self._num_rows]], 0)

    def _here(self, adjoint: bool) -> Any:
        return (conj(self._multiplier) if adjoint else self._multiplier)[..., None, None]

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._here(adjoint) * x

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return rhs / self._here(adjoint)

    def _diag_part(self) -> Any:
        return self._multiplier[..., None] * ones([self._num_rows], self._dtype)

    def _determinant(self) -> Any:
        return pow(self._multiplier, cast(self._num_rows, self._dtype))

    def _log_abs_determinant(self) -> Any:
        return log(absolute(self._multiplier)) * cast(self._num_rows, self._dtype.real_dtype)

    def _inverse(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._num_rows, 1.0 / self._multiplier, **_known(self))

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._num_rows, conj(self._multiplier), **_known(self))

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(
            self._num_rows, sqrt(self._multiplier), is_positive_definite=True
        )


class LinearOperatorIdentity(LinearOperatorScaledIdentity):
    """The unit matrix.

    Args:
      num_rows: how many rows it has.
      batch_shape: [...], how many of them there are; one by default.
      dtype: of its numbers; float32 by default.
      assert_proper_shapes, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name:
        see `LinearOperatorScaledIdentity`.
    """

    def __init__(
        self, num_rows: Any, batch_shape: Any = None, dtype: Any = None,
        is_non_singular: bool | None = True, is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True, is_square: bool | None = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorIdentity",
    ) -> None:  # fmt: skip
        if not (is_self_adjoint and is_square and is_non_singular and is_positive_definite):
            raise ValueError("An identity operator is always self adjoint, square and positive.")
        unit = ones([] if batch_shape is None else batch_shape, dtype or dtypes.float32)
        super().__init__(num_rows, unit, True, True, True, True, name=name)

    def _inverse(self) -> LinearOperator:
        return self

    def _cholesky(self) -> LinearOperator:
        return self

    def _compose(self, left: LinearOperator, right: LinearOperator) -> LinearOperator:
        return right if left is self else left


class LinearOperatorZeros(_Operator):
    """A matrix of zeros; see `LinearOperatorIdentity`.

    Args:
      num_columns: how many columns it has; as many as rows by default.
    """

    def __init__(
        self, num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = None,
        is_non_singular: bool | None = False, is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False, is_square: bool | None = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorZeros",
    ) -> None:  # fmt: skip
        given = locals()
        columns = num_rows if num_columns is None else num_columns
        batch = convert_to_tensor([] if batch_shape is None else batch_shape, dtypes.int32)
        self._sizes = concat([batch, [num_rows, columns]], 0)
        if is_non_singular or is_positive_definite:
            raise ValueError("A zero operator is always singular, and never positive definite.")
        super().__init__(dtype or dtypes.float32, name=name, **hints_of(given))

    def _shape(self) -> TensorShape:
        return constant_value_as_shape(self._sizes)

    def _shape_tensor(self) -> Any:
        return self._sizes

    def _to_dense(self) -> Any:
        return zeros(self._sizes, self._dtype)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return matmul(self._to_dense(), x, adjoint_a=adjoint)

    def _determinant(self) -> Any:
        return zeros(self._sizes[:-2], self._dtype)


class LinearOperatorHouseholder(OfVectors):
    """The reflection `x - 2 v (v^H x) / |v|^2`, along `reflection_axis` v, [..., n]."""

    def __init__(
        self, reflection_axis: Any, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
        is_square: bool | None = None, name: str = "LinearOperatorHouseholder",
    ) -> None:  # fmt: skip
        self._vectors = _matrix(reflection_axis, "reflection_axis", 1)
        parents = [self._vectors]
        super().__init__(self._vectors.dtype, parents, is_non_singular, True, False, True, name)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        v = self._vectors / sqrt(reduce_sum(self._vectors * conj(self._vectors), -1, keepdims=True))
        column = v[..., None]
        return x - 2.0 * column * matmul(column + 0.0 * x[..., :1], x, adjoint_a=True)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._matmul(rhs, adjoint)


# ---- made of other operators -------------------------------------------------------------------


class _Several(_Operator):
    """An operator that is made of several."""

    _joint = ""
    _letter = "_"

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
        is_square: bool | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        given = dict(locals())
        if not operators:
            raise ValueError("Expected a non-empty list of operators. Found: []")
        kinds = {each.dtype for each in operators}
        if len(kinds) > 1:
            named = [(each.name, each.dtype) for each in operators]
            raise TypeError(f"Expected all operators to have the same dtype.  Found {named}")
        self._operators = list(operators)
        for hint in self._inherits:
            if given[hint] is None:
                given[hint] = all_are(operators, hint)
        name = name or self._letter.join(each.name for each in operators)
        parents = [parent for each in operators for parent in each.graph_parents]
        super().__init__(operators[0].dtype, parents, name=name, **hints_of(given))

    _inherits: tuple[str, ...] = ("is_non_singular", "is_self_adjoint", "is_positive_definite")

    @property
    def operators(self) -> list[LinearOperator]:
        """The operators."""
        return self._operators

    def _batches(self) -> TensorShape:
        return functools.reduce(
            broadcast_static_shape, (each.batch_shape for each in self._operators)
        )


class LinearOperatorComposition(_Several):
    """The product of operators: the last one acts first."""

    _letter = "_o_"
    _inherits = ("is_non_singular",)

    def _shape(self) -> TensorShape:
        first, last = self._operators[0], self._operators[-1]
        return self._batches().concatenate([first.range_dimension, last.domain_dimension])

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        for each in self._operators if adjoint else reversed(self._operators):
            x = each.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        for each in reversed(self._operators) if adjoint else self._operators:
            rhs = each.solve(rhs, adjoint=adjoint)
        return rhs

    def _to_dense(self) -> Any:
        result = self._operators[-1].to_dense()
        for each in reversed(self._operators[:-1]):
            result = each.matmul(result)
        return result

    def _determinant(self) -> Any:
        if all(each.is_square for each in self._operators):
            return functools.reduce(_product, (each.determinant() for each in self._operators))
        return matrix_determinant(self._to_dense())

    def _log_abs_determinant(self) -> Any:
        if all(each.is_square for each in self._operators):
            return sum(each.log_abs_determinant() for each in self._operators)
        return super()._log_abs_determinant()


def _product(a: Any, b: Any) -> Any:
    return a * b


class LinearOperatorKronecker(_Several):
    """The Kronecker product: each number of one matrix times the whole of the next."""

    _letter = "_x_"

    def _shape(self) -> TensorShape:
        sizes = [
            functools.reduce(_product, (getattr(each, side) for each in self._operators))
            for side in ("range_dimension", "domain_dimension")
        ]
        return self._batches().concatenate(sizes)

    def _to_dense(self) -> Any:
        result = self._operators[0].to_dense()
        for each in self._operators[1:]:
            other = each.to_dense()
            grid = result[..., :, None, :, None] * other[..., None, :, None, :]
            sizes = [shape_of(result)[axis] * shape_of(other)[axis] for axis in (-2, -1)]
            result = reshape(grid, concat([shape_of(grid)[:-4], sizes], 0))
        result.set_shape(self.shape)
        return result

    def _determinant(self) -> Any:
        size = cast(self.domain_dimension_tensor(), self._dtype)
        powers = (
            pow(each.determinant(), size / cast(each.domain_dimension_tensor(), self._dtype))
            for each in self._operators
        )
        return functools.reduce(_product, powers)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        inverses = [
            each.inverse().adjoint() if adjoint else each.inverse() for each in self._operators
        ]
        return matmul(LinearOperatorKronecker(inverses).to_dense(), rhs)


class LinearOperatorBlockDiag(_Several):
    """Operators along the diagonal, and zeros beside them."""

    _letter = "_ds_"

    def _shape(self) -> TensorShape:
        sizes = [
            sum(
                (getattr(each, side) for each in self._operators[1:]),
                getattr(self._operators[0], side),
            )
            for side in ("range_dimension", "domain_dimension")
        ]
        return self._batches().concatenate(sizes)

    def _shape_tensor(self) -> Any:
        rows = sum(each.range_dimension_tensor() for each in self._operators)
        columns = sum(each.domain_dimension_tensor() for each in self._operators)
        batches = (each.batch_shape_tensor() for each in self._operators)
        return concat([functools.reduce(broadcast_dynamic_shape, batches), [rows, columns]], 0)

    def _parts(self, x: Any, act: Any, side: str) -> Any:
        start, results = 0, []
        for each in self._operators:
            size = getattr(each, side)()
            results.append(act(each, x[..., start : start + size, :]))
            start = start + size
        front = functools.reduce(_largest_shape, (shape_of(part)[:-2] for part in results))
        whole = [part + zeros(concat([front, [1, 1]], 0), part.dtype) for part in results]
        return concat(whole, -2)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        side = "range_dimension_tensor" if adjoint else "domain_dimension_tensor"
        return self._parts(x, lambda each, part: each.matmul(part, adjoint=adjoint), side)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        solve = "domain_dimension_tensor"
        return self._parts(rhs, lambda each, part: each.solve(part, adjoint=adjoint), solve)

    def _to_dense(self) -> Any:
        result = self._matmul(eye(self.domain_dimension_tensor(), dtype=self._dtype), False)
        result.set_shape(self.shape)
        return result

    def _determinant(self) -> Any:
        return functools.reduce(_product, (each.determinant() for each in self._operators))

    def _log_abs_determinant(self) -> Any:
        return sum(each.log_abs_determinant() for each in self._operators)


def _largest_shape(a: Any, b: Any) -> Any:
    return shape_of(zeros(a) + zeros(b))


class _OfOne(_Operator):
    """An operator that is made of another."""

    _suffix = ""

    def __init__(
        self, operator: LinearOperator, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
        is_square: bool | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        given = dict(locals())
        self._operator = operator
        for hint in ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square"):
            if given[hint] is None:
                given[hint] = getattr(operator, hint)
        name = name or operator.name + self._suffix
        super().__init__(operator.dtype, operator.graph_parents, name=name, **hints_of(given))

    @property
    def operator(self) -> LinearOperator:
        """The other operator."""
        return self._operator

    def _shape(self) -> TensorShape:
        own = self._operator.shape
        return own[:-2].concatenate([own[-1], own[-2]])

    def _shape_tensor(self) -> Any:
        own = self._operator.shape_tensor()
        return concat([own[:-2], own[-1:], own[-2:-1]], 0)


class LinearOperatorAdjoint(_OfOne):
    """The adjoint of an operator."""

    _suffix = "_adjoint"

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint)

    def _to_dense(self) -> Any:
        return adjoint_of(self._operator.to_dense())

    def _determinant(self) -> Any:
        return conj(self._operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _adjoint(self) -> LinearOperator:
        return self._operator


class LinearOperatorInversion(_OfOne):
    """The inverse of an operator."""

    _suffix = "_inverse"

    def __init__(
        self, operator: LinearOperator, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
        is_square: bool | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        if operator.is_non_singular is False or is_non_singular is False:
            raise ValueError("operator and supplied hints must have is_non_singular=True")
        super().__init__(operator, True, is_self_adjoint, is_positive_definite, is_square, name)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._operator.solve(x, adjoint=adjoint)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint)

    def _determinant(self) -> Any:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self._operator.log_abs_determinant()

    def _inverse(self) -> LinearOperator:
        return self._operator


class LinearOperatorLowRankUpdate(_Operator):
    """`L + U D V^H`: an operator plus a matrix of low rank, solved by Woodbury's formula.

    Args:
      base_operator: L, [..., m, n].
      u: [..., m, k].
      diag_update: [..., k], the diagonal of D; ones by default.
      v: [..., n, k]; `u` by default.
      is_diag_update_positive: whether all of `diag_update` is positive, as far as it is known.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: see
        `LinearOperator`.
    """

    def __init__(
        self, base_operator: LinearOperator, u: Any, diag_update: Any = None, v: Any = None,
        is_diag_update_positive: bool | None = None, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
        is_square: bool | None = None, name: str = "LinearOperatorLowRankUpdate",
    ) -> None:  # fmt: skip
        given = dict(locals())
        self._base, self._u = base_operator, convert_to_tensor(u, name="u")
        self._v = self._u if v is None else convert_to_tensor(v, name="v")
        like = self._u[..., 0, :]
        given_diag = ones_like(like) if diag_update is None else diag_update
        self._diag_update = convert_to_tensor(given_diag, name="diag_update")
        is_positive = True if diag_update is None else is_diag_update_positive
        if v is None and is_positive and base_operator.is_positive_definite:
            given["is_positive_definite"] = given["is_self_adjoint"] = True
        if v is None and base_operator.is_self_adjoint and given["is_self_adjoint"] is None:
            given["is_self_adjoint"] = (
                None if self._u.dtype.is_complex and diag_update is not None else True
            )
        parents = [*base_operator.graph_parents, self._u, self._diag_update, self._v]
        super().__init__(base_operator.dtype, parents, name=name, **hints_of(given))

    @property
    def base_operator(self) -> LinearOperator:
        """L."""
        return self._base

    @property
    def u(self) -> Any:
        """U."""
        return self._u

    @property
    def v(self) -> Any:
        """V."""
        return self._v

    @property
    def diag_update(self) -> Any:
        """The diagonal of D."""
        return self._diag_update

    def _shape(self) -> TensorShape:
        batches = broadcast_static_shape(self._base.batch_shape, self._u.shape[:-2])
        return batches.concatenate(self._base.shape[-2:])

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        u, v = (self._v, self._u) if adjoint else (self._u, self._v)
        diagonal = conj(self._diag_update) if adjoint else self._diag_update
        within = diagonal[..., None] * matmul(v, x, adjoint_a=True)
        return self._base.matmul(x, adjoint=adjoint) + matmul(u, within)

    def _to_dense(self) -> Any:
        low = matmul(self._u * self._diag_update[..., None, :], self._v, adjoint_b=True)
        return self._base.to_dense() + low

    def _capacitance(self) -> LinearOperator:
        """D^-1 + V^H L^-1 U, a small matrix."""
        within = matmul(self._v, self._base.solve(self._u), adjoint_a=True)
        diagonal = matrix_diag_part(within) + 1.0 / self._diag_update
        return LinearOperatorFullMatrix(matrix_set_diag(within, diagonal))

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        u, v = (self._v, self._u) if adjoint else (self._u, self._v)
        first = self._base.solve(rhs, adjoint=adjoint)
        small = self._capacitance().solve(matmul(v, first, adjoint_a=True), adjoint=adjoint)
        return first - self._base.solve(matmul(u, small), adjoint=adjoint)

    def _determinant(self) -> Any:
        small = self._capacitance().determinant() * reduce_prod(self._diag_update, -1)
        return self._base.determinant() * small

    def _log_abs_determinant(self) -> Any:
        small = self._capacitance().log_abs_determinant()
        diagonal = reduce_sum(log(absolute(self._diag_update)), -1)
        return self._base.log_abs_determinant() + diagonal + small

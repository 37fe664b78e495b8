"""What tests of linear operators stand on: a subclass gives an operator and the matrix that it is.

    class DiagTest(SquareLinearOperatorDerivedClassTest):
        def operator_and_matrix(self, shapes_info, dtype, use_placeholder,
                                ensure_self_adjoint_and_pd=False): ...

    add_tests(DiagTest)        a test for each computation, shape, dtype and way of adjoining

Each test does the same with the operator and with the matrix, and compares.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.compat.internals.linear_operator_util import matrix_solve_with_broadcast
from minitf.compat.testing.test_case import TestCase
from minitf.compat.testing.test_util import run_deprecated_v1
from minitf.core.gradients.tape import GradientTape
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.graph import Graph
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops import math as math_ops
from minitf.core.ops import random as random_ops
from minitf.core.ops import reductions
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_joining import concat
from minitf.core.ops.cast import cast
from minitf.core.ops.complex import complex as complex_of
from minitf.core.ops.linalg import matmul
from minitf.library.numeric import decompositions, diagonals, sorting, svd

_SEED = 87654321  # of every graph, so that a test that fails fails again


class OperatorShapesInfo:
    """The shape of an operator to test, and whatever else its test wants to know of it."""

    def __init__(self, shape: Sequence[int], **kwargs: Any) -> None:
        self.shape = shape
        vars(self).update(kwargs)


class CheckTapeSafeSkipOptions:
    """What `check_tape_safe` can leave out."""

    DETERMINANT = "determinant"
    DIAG_PART = "diag_part"
    LOG_ABS_DETERMINANT = "log_abs_determinant"
    TRACE = "trace"


_TOLERANCE = {
    dtypes.float16: 1e-3,
    **dict.fromkeys((dtypes.float32, dtypes.complex64), 1e-6),
    **dict.fromkeys((dtypes.float64, dtypes.complex128), 1e-12),
}


class LinearOperatorDerivedClassTest(TestCase):
    """The choices that the tests of a class of operators make; a subclass may make others."""

    _atol = _TOLERANCE
    _rtol = _TOLERANCE

    def operator_and_matrix(
        self,
        shapes_info: Any,
        dtype: Any,
        use_placeholder: bool,
        ensure_self_adjoint_and_pd: bool = False,
    ) -> tuple[Any, Any]:
        """An operator and the matrix it stands for.

        Args:
          shapes_info: one of `operator_shapes_infos()`.
          dtype: of both.
          use_placeholder: whether the operator is made of a tensor whose shape nobody knows yet.
          ensure_self_adjoint_and_pd: whether it must be its own adjoint and positive definite.
        """
        raise NotImplementedError("Not implemented yet.")

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """A right-hand side for `operator.solve`."""
        raise NotImplementedError("make_rhs is not defined.")

    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """A matrix of one or two columns for `operator.matmul`, with or without its batch."""
        side = "range_dimension" if adjoint else "domain_dimension"
        if operator.shape.is_fully_defined():
            batch = operator.batch_shape.as_list() if with_batch else []
            return random_normal([*batch, getattr(operator, side).value, 2], dtype=operator.dtype)
        rows = [getattr(operator, f"{side}_tensor")(), 2]
        sizes = concat([operator.batch_shape_tensor(), rows], 0) if with_batch else rows
        return random_normal(sizes, dtype=operator.dtype)

    def assertAC(self, x: Any, y: Any, check_dtype: bool = False) -> None:
        """Asserts that two arrays agree as well as their dtype lets expect."""
        dtype = dtypes.as_dtype(x.dtype)
        self.assertAllClose(x, y, atol=self._atol[dtype], rtol=self._rtol[dtype])
        if check_dtype:
            self.assertDTypeEqual(x, y.dtype)

    def assertRaisesError(self, msg: str) -> Any:
        """A context in which an error with these words must come, in a graph or eagerly."""
        if stacks.executing_eagerly():
            return self.assertRaisesRegex(Exception, msg)
        return self.assertRaisesOpError(msg)

    @staticmethod
    def adjoint_options() -> list[bool]:
        """Whether the operator is adjoined."""
        return [False, True]

    @staticmethod
    def adjoint_arg_options() -> list[bool]:
        """Whether the argument is adjoined."""
        return [False, True]

    @staticmethod
    def dtypes_to_test() -> list[Any]:
        """The dtypes that come by turns."""
        return [dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128]

    @staticmethod
    def use_placeholder_options() -> list[bool]:
        """Whether shapes are unknown while the graph is built."""
        return [False, True]

    @staticmethod
    def use_blockwise_arg() -> bool:
        """Accepted: arguments of several blocks came after TensorFlow 1."""
        return False

    @staticmethod
    def operator_shapes_infos() -> list[OperatorShapesInfo]:
        """The shapes that come by turns."""
        raise NotImplementedError("operator_shapes_infos has not been implemented.")

    @staticmethod
    def skip_these_tests() -> list[str]:
        """What the operator cannot do, by the names in `add_tests`."""
        return []

    @staticmethod
    def optional_tests() -> list[str]:
        """Accepted: products of two operators came after TensorFlow 1."""
        return []

    def check_tape_safe(self, operator: Any, skip_options: Sequence[str] | None = None) -> None:
        """Asserts that whatever the operator computes has gradients by all of its variables."""
        if not operator.variables:
            raise AssertionError("`operator.variables` was empty")
        x = cast(ones(operator.H.shape_tensor()[:-1]), operator.dtype)
        computed: list[Callable[[], Any]] = [
            operator.to_dense,
            lambda: operator.adjoint().to_dense(),
            lambda: operator.matvec(x),
        ]
        if operator.is_square:
            names = ("determinant", "log_abs_determinant", "diag_part", "trace")
            computed += [getattr(operator, n) for n in names if n not in (skip_options or ())]
            if operator.is_non_singular is not False:
                computed += [lambda: operator.inverse().to_dense(), lambda: operator.solvevec(x)]
                if operator.is_self_adjoint and operator.is_positive_definite:
                    computed.append(lambda: operator.cholesky().to_dense())
        for compute in computed:
            with GradientTape() as tape:
                grads = tape.gradient(compute(), operator.variables)
            self.assertNotIn(None, grads)


class SquareLinearOperatorDerivedClassTest(LinearOperatorDerivedClassTest):
    """Tests of operators that are square."""

    @staticmethod
    def operator_shapes_infos() -> list[OperatorShapesInfo]:
        """None at all, one number, and batches of matrices."""
        shapes = [(0, 0), (1, 1), (1, 3, 3), (3, 4, 4), (2, 1, 4, 4)]
        return [OperatorShapesInfo(shape) for shape in shapes]

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """A right-hand side for `operator.solve`: as what is multiplied, from the other side."""
        return self.make_x(operator, not adjoint, with_batch)


class NonSquareLinearOperatorDerivedClassTest(LinearOperatorDerivedClassTest):
    """Tests of operators that have more rows than columns, or fewer."""

    @staticmethod
    def operator_shapes_infos() -> list[OperatorShapesInfo]:
        """High ones, wide ones, and batches."""
        shapes = [(2, 1), (1, 2), (1, 3, 2), (3, 3, 4), (2, 1, 2, 4)]
        return [OperatorShapesInfo(shape) for shape in shapes]

    @staticmethod
    def skip_these_tests() -> list[str]:
        """What only a square matrix has."""
        return "cholesky eigvalsh inverse solve solve_with_broadcast det log_abs_det".split()

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """There is none."""
        raise NotImplementedError("make_rhs not implemented because we don't test solve")


# ---- the tests ---------------------------------------------------------------------------


def _sorted_eigenvalues(values: Any) -> Any:
    return sorting.sort(cast(values, dtypes.float64), axis=-1)


def _condition(matrix: Any) -> Any:
    sizes = math_ops.abs(svd.svd(matrix, compute_uv=False))
    return reductions.reduce_max(sizes, axis=-1) / reductions.reduce_min(sizes, axis=-1)


#: By its name what a test computes, of the operator and of the matrix.
_COMPUTED: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]] = {
    "add_to_tensor": (lambda op, mat: op.add_to_tensor(2 * mat), lambda mat: 3 * mat),
    "adjoint": (lambda op, mat: op.adjoint().to_dense(), svd.adjoint),
    "cholesky": (lambda op, mat: op.cholesky().to_dense(), decompositions.cholesky),
    "cond": (lambda op, mat: op.cond(), _condition),
    "det": (lambda op, mat: op.determinant(), decompositions.matrix_determinant),
    "diag_part": (lambda op, mat: op.diag_part(), diagonals.matrix_diag_part),
    "eigvalsh": (
        lambda op, mat: _sorted_eigenvalues(op.eigvals()),
        lambda mat: _sorted_eigenvalues(decompositions.self_adjoint_eigvals(mat)),
    ),
    "inverse": (lambda op, mat: op.inverse().to_dense(), decompositions.matrix_inverse),
    "log_abs_det": (
        lambda op, mat: op.log_abs_determinant(),
        lambda mat: decompositions.slogdet(mat)[1],
    ),
    "to_dense": (lambda op, mat: op.to_dense(), identity),
    "trace": (lambda op, mat: op.trace(), diagonals.trace),
}
_DEFINITE = ("cholesky", "cond", "eigvalsh")  # they need, or are well-posed for, such a matrix
_LOOSE = {"cond": 1e-3, "eigvalsh": 2e-4}  # what algorithms with turns reach in 32 bits


def _compares(name: str, use_placeholder: bool, info: Any, dtype: Any) -> Callable[[Any], None]:
    ours, theirs = _COMPUTED[name]

    def test(self: Any) -> None:
        if name == "cond" and 0 in info.shape[-2:]:
            return
        with self.session(graph=Graph()) as sess:
            random_ops.set_random_seed(_SEED)
            definite = {"ensure_self_adjoint_and_pd": True} if name in _DEFINITE else {}
            operator, matrix = self.operator_and_matrix(
                info, dtype, use_placeholder=use_placeholder, **definite
            )
            made, wanted = ours(operator, matrix), theirs(matrix)
            if not use_placeholder:
                self.assertAllEqual(made.shape, wanted.shape)
            made, wanted = sess.run([made, wanted])
            if name in _LOOSE:
                near = _LOOSE[name] if dtype.size // (1 + dtype.is_complex) < 8 else 1e-6
                self.assertAllClose(made, wanted, atol=near, rtol=near)
            else:
                self.assertAC(wanted, made, check_dtype=name == "inverse")

    return test


def _applies(
    solves: bool, with_batch: bool, use_placeholder: bool, info: Any, dtype: Any, *adjoints: bool
) -> Callable[[Any], None]:
    """The test of a product or of a solution, with operator and argument adjoined or not."""
    adjoint, adjoint_arg = adjoints

    def test(self: Any) -> None:
        if not with_batch and len(info.shape) <= 2:
            return  # as with a batch
        with self.session(graph=Graph()) as sess:
            random_ops.set_random_seed(_SEED)
            operator, matrix = self.operator_and_matrix(
                info, dtype, use_placeholder=use_placeholder
            )
            make, act = (self.make_rhs, "solve") if solves else (self.make_x, "matmul")
            x = make(operator, adjoint=adjoint, with_batch=with_batch)
            given = svd.adjoint(x) if adjoint_arg else x
            made = getattr(operator, act)(given, adjoint=adjoint, adjoint_arg=adjoint_arg)
            if solves:
                wanted = matrix_solve_with_broadcast(matrix, x, adjoint=adjoint)
            else:
                wanted = matmul(matrix, x, adjoint_a=adjoint)
            if not use_placeholder:
                self.assertAllEqual(made.shape, wanted.shape)
            self.assertAC(*sess.run([made, wanted]))

    return test


_APPLIED = {
    "matmul": (False, True),
    "matmul_with_broadcast": (False, False),
    "solve": (True, True),
    "solve_with_broadcast": (True, False),
}


def add_tests(test_cls: type) -> None:
    """Gives a test class a method for each computation, dtype, shape and way of adjoining.

    Raises:
      RuntimeError: when it has one of that name.
    """
    found: dict[str, Callable[[Any], None]] = {}
    skipped = set(test_cls.skip_these_tests())  # type: ignore[attr-defined]
    choices = itertools.product(
        test_cls.dtypes_to_test(),  # type: ignore[attr-defined]
        test_cls.use_placeholder_options(),  # type: ignore[attr-defined]
        test_cls.operator_shapes_infos(),  # type: ignore[attr-defined]
    )
    for dtype, fed, info in choices:
        of = f"_shape={info.shape},dtype={dtype},use_placeholder={fed}"
        for name in _COMPUTED.keys() - skipped:
            found[f"test_{name}{of}"] = _compares(name, fed, info, dtype)
        for name in _APPLIED.keys() - skipped:
            for adjoints in itertools.product(
                test_cls.adjoint_options(),  # type: ignore[attr-defined]
                test_cls.adjoint_arg_options(),  # type: ignore[attr-defined]
            ):
                ways = ",adjoint={},adjoint_arg={}".format(*adjoints)
                test = _applies(*_APPLIED[name], fed, info, dtype, *adjoints)
                found[f"test_{name}{of}{ways}"] = test
    for method, test in found.items():
        if hasattr(test_cls, method):
            raise RuntimeError(f"Test {method} defined more than once")
        setattr(test_cls, method, run_deprecated_v1(test))


# ---- matrices at random ------------------------------------------------------------------


def _complex(sample: Callable[..., Any], args: tuple, dtype: Any, seed: int | None) -> Any:
    """A sample, or two as the parts of complex numbers; the second has a seed of its own."""
    dtype = dtypes.as_dtype(dtype)
    real = sample(*args, dtype.real_dtype, seed)
    if not dtype.is_complex:
        return real
    other = None if seed is None else seed + 1234
    return complex_of(real, sample(*args, dtype.real_dtype, other))


def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
) -> Any:
    """Normal numbers, or complex ones of two such parts."""
    with stacks.name_scope("random_normal"):
        return _complex(random_ops.random_normal, (shape, mean, stddev), dtype, seed)


def random_uniform(
    shape: Any,
    minval: Any = None,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
) -> Any:
    """Uniform numbers, or complex ones of two such parts."""
    low = 0 if minval is None else minval
    with stacks.name_scope("random_uniform"):
        return _complex(random_ops.random_uniform, (shape, low, maxval), dtype, seed)


def random_sign_uniform(
    shape: Any,
    minval: Any = None,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
) -> Any:
    """Uniform numbers, half of them with the other sign."""
    with stacks.name_scope("random_sign_uniform"):
        sizes = random_uniform(shape, minval, maxval, dtype, seed)
        signs = math_ops.sign(
            random_ops.random_uniform(shape, -1.0, 1.0, seed=None if seed is None else seed + 12)
        )
        return sizes * cast(signs, sizes.dtype)


def random_normal_correlated_columns(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    eps: float = 1e-4,
    seed: int | None = None,
) -> Any:
    """A batch of matrices [..., M, N] whose columns nearly depend on each other, where M >= N.

    Raises:
      ValueError: when there are fewer than two dimensions.
    """
    if len(shape) < 2:
        raise ValueError(f"Argument shape must be at least length 2.  Found: {shape}")
    *batch, m, n = shape
    if n == 1 or m < n:
        return random_normal(shape, mean, stddev, dtype, seed)
    mix = random_normal([*batch, n, n - 1], 0.0, 1 / np.sqrt(n - 1), dtype, seed)
    base = random_normal([*batch, m, n - 1], 0.0, stddev, dtype, seed)
    noise = random_normal(shape, 0.0, eps, dtype, seed)
    return matmul(base, mix, adjoint_b=True) + noise + cast(mean, dtype)


def random_positive_definite_matrix(
    shape: Any, dtype: Any, oversampling_ratio: int = 4, force_well_conditioned: bool = False
) -> Any:
    """A batch of positive definite matrices: covariances of normal samples.

    Args:
      shape: the last two sizes are the same.
      dtype: real or complex.
      oversampling_ratio: how many samples there are for each dimension.
      force_well_conditioned: pulls all eigenvalues halfway to 1.
    """
    sizes = TensorShape(shape)
    sizes[-2:-1].assert_is_compatible_with(sizes[-1:])
    batch, n = sizes.as_list()[:-2], int(sizes[-1])
    count, dtype = oversampling_ratio * n, dtypes.as_dtype(dtype)
    with stacks.name_scope("random_positive_definite_matrix"):
        deviation = cast(1 / np.sqrt(max(count, 1)), dtype.real_dtype)
        samples = random_normal([*batch, n, count], stddev=deviation, dtype=dtype)
        covariance = matmul(samples, samples, adjoint_b=True)
        if force_well_conditioned:
            covariance = (covariance + diagonals.eye(n, dtype=dtype)) / cast(2, dtype)
        return covariance


def random_tril_matrix(
    shape: Any, dtype: Any, force_well_conditioned: bool = False, remove_upper: bool = True
) -> Any:
    """A batch of lower triangular matrices.

    Args:
      shape: the last two sizes are the same.
      dtype: real or complex.
      force_well_conditioned: gives them a diagonal of numbers between 1 and 2 in size.
      remove_upper: whether there are zeros above the diagonal.
    """
    with stacks.name_scope("random_tril_matrix"):
        matrix = random_normal(shape, dtype=dtype)
        if remove_upper:
            matrix = diagonals.matrix_band_part(matrix, -1, 0)
        if force_well_conditioned:
            top = cast(np.sqrt(2.0), dtypes.as_dtype(dtype).real_dtype)
            diagonal = random_sign_uniform(shape[:-1], 1.0, top, dtype)
            matrix = diagonals.matrix_set_diag(matrix, diagonal)
        return matrix

"""The tests that a class of linear operators is given; operators of shapes that nobody knows."""

import unittest
from collections.abc import Callable
from typing import Any

import pytest

import minitf as tf
from minitf.compat.testing import linear_operators as testing


def _failed(build: Callable[[Any, Any], tuple[Any, Any]], shape: tuple[int, ...]) -> set[str]:
    """The names of the computations that differ between an operator and a matrix."""

    class Made(testing.SquareLinearOperatorDerivedClassTest):
        @staticmethod
        def dtypes_to_test() -> list[Any]:
            return [tf.float64]

        @staticmethod
        def operator_shapes_infos() -> list[Any]:
            return [testing.OperatorShapesInfo(shape)]

        def operator_and_matrix(
            self, info: Any, dtype: Any, use_placeholder: bool, ensure_self_adjoint_and_pd: Any = 0
        ) -> Any:
            matrix = testing.random_positive_definite_matrix(
                info.shape, dtype, force_well_conditioned=True
            )
            given = tf.placeholder_with_default(matrix, None) if use_placeholder else matrix
            hints = {"is_self_adjoint": True, "is_positive_definite": True}
            return build(tf.linalg.LinearOperatorFullMatrix(given, **hints), matrix)

    testing.add_tests(Made)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Made).run(result)
    assert result.testsRun > 50
    return {
        test._testMethodName[len("test_") :].partition("_shape")[0]
        for test, _ in result.failures + result.errors
    }


@pytest.mark.parametrize(
    "build",
    [
        lambda op, mat: (op, mat),
        lambda op, mat: (op.inverse(), tf.matrix_inverse(mat)),
        lambda op, mat: (tf.linalg.LinearOperatorBlockDiag([op]), mat),
        lambda op, mat: (op.adjoint(), tf.linalg.adjoint(mat)),
    ],
    ids=["matrix", "inverse", "block", "adjoint"],
)
def test_operators_do_what_their_matrices_do(build: Callable) -> None:
    assert _failed(build, (2, 3, 3)) == set()


def test_another_matrix_is_noticed() -> None:
    differ = _failed(lambda op, mat: (op, 1.001 * mat), (3, 3))
    assert differ >= {"to_dense", "matmul", "solve", "det", "trace", "eigvalsh", "inverse"}
    assert "cond" not in differ


def test_a_method_that_is_there_is_not_replaced() -> None:
    with pytest.raises(RuntimeError, match="defined more than once"):
        testing.add_tests(type("Twice", (_added(),), {}))


def _added() -> type:
    made = type("Once", (testing.SquareLinearOperatorDerivedClassTest,), {})
    testing.add_tests(made)
    return made

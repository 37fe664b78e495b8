"""`tensorflow.python.ops.linalg.linear_operator_util`: solving where shapes of batches differ."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import broadcast_static_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import broadcast_to
from minitf.library.numeric.decompositions import (
    cholesky_solve,
    matrix_solve,
    matrix_triangular_solve,
)
from minitf.library.numeric.rearranging import broadcast_dynamic_shape


def broadcast_matrix_batch_dims(
    batch_matrices: Iterable[Any], name: str | None = None
) -> list[Tensor]:
    """Gives matrices one shape in front of their last two dimensions."""
    matrices = [convert_to_tensor(each) for each in batch_matrices]
    with stacks.name_scope(name or "broadcast_matrix_batch_dims", values=matrices):
        static = functools.reduce(broadcast_static_shape, [each.shape[:-2] for each in matrices])
        if static.is_fully_defined():
            batch: Any = static.as_list()
        else:
            batch = functools.reduce(
                broadcast_dynamic_shape, [shape(each)[:-2] for each in matrices]
            )
        return [
            each
            if static.is_fully_defined() and each.shape[:-2].as_list() == batch
            else broadcast_to(each, concat([batch, shape(each)[-2:]], 0))
            for each in matrices
        ]


def _broadcasting(solve: Callable[..., Tensor], scope: str) -> Callable[..., Tensor]:
    @functools.wraps(solve)
    def with_broadcast(
        matrix: Any, rhs: Any, *options: Any, name: str | None = None, **settings: Any
    ) -> Tensor:
        with stacks.name_scope(name, scope, [matrix, rhs]):
            matrix = convert_to_tensor(matrix, name="matrix")
            rhs = convert_to_tensor(rhs, matrix.dtype.base_dtype, name="rhs")
            return solve(*broadcast_matrix_batch_dims([matrix, rhs]), *options, **settings)

    return with_broadcast


matrix_solve_with_broadcast = _broadcasting(matrix_solve, "MatrixSolveWithBroadcast")
cholesky_solve_with_broadcast = _broadcasting(cholesky_solve, "CholeskySolveWithBroadcast")
matrix_triangular_solve_with_broadcast = _broadcasting(
    matrix_triangular_solve, "MatrixTriangularSolve"
)

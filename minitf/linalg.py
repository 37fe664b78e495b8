"""The namespace `tf.linalg`: names only."""

from minitf.ops.array_shaping import matrix_transpose as transpose
from minitf.ops.decompositions import (
    cholesky,
    cholesky_solve,
    logdet,
    slogdet,
)
from minitf.ops.decompositions import matrix_determinant as det
from minitf.ops.decompositions import matrix_inverse as inv
from minitf.ops.decompositions import matrix_solve as solve
from minitf.ops.decompositions import matrix_solve_ls as lstsq
from minitf.ops.decompositions import matrix_triangular_solve as triangular_solve
from minitf.ops.decompositions import self_adjoint_eig as eigh
from minitf.ops.decompositions import self_adjoint_eigvals as eigvalsh
from minitf.ops.diagonals import eye, trace
from minitf.ops.diagonals import matrix_band_part as band_part
from minitf.ops.diagonals import matrix_diag as diag
from minitf.ops.diagonals import matrix_diag_part as diag_part
from minitf.ops.diagonals import matrix_set_diag as set_diag
from minitf.ops.linalg import cross, matmul, matvec, norm, tensordot

__all__ = [
    "band_part",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eigh",
    "eigvalsh",
    "eye",
    "inv",
    "logdet",
    "lstsq",
    "matmul",
    "matvec",
    "norm",
    "set_diag",
    "slogdet",
    "solve",
    "tensordot",
    "trace",
    "transpose",
    "triangular_solve",
]

"""The namespace `tf.linalg`: names only."""

from minitf.ops.array_shaping import matrix_transpose as transpose
from minitf.ops.clip import global_norm
from minitf.ops.decompositions import (
    cholesky,
    cholesky_solve,
    logdet,
    qr,
    slogdet,
)
from minitf.ops.decompositions import matrix_determinant as det
from minitf.ops.decompositions import matrix_inverse as inv
from minitf.ops.decompositions import matrix_solve as solve
from minitf.ops.decompositions import matrix_solve_ls as lstsq
from minitf.ops.decompositions import matrix_triangular_solve as triangular_solve
from minitf.ops.decompositions import self_adjoint_eig as eigh
from minitf.ops.decompositions import self_adjoint_eigvals as eigvalsh
from minitf.ops.diagonals import diag as tensor_diag
from minitf.ops.diagonals import diag_part as tensor_diag_part
from minitf.ops.diagonals import eye, trace
from minitf.ops.diagonals import matrix_band_part as band_part
from minitf.ops.diagonals import matrix_diag as diag
from minitf.ops.diagonals import matrix_diag_part as diag_part
from minitf.ops.diagonals import matrix_set_diag as set_diag
from minitf.ops.einsum import einsum
from minitf.ops.linalg import cross, matmul, matvec, norm, normalize, tensordot
from minitf.ops.nn import l2_normalize
from minitf.ops.svd import adjoint, expm, matrix_rank, pinv, svd

matrix_transpose = transpose

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

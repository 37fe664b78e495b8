"""The names of `tf.linalg`."""

from minitf.core.ops.linalg import matmul as matmul
from minitf.library.nets.basics import l2_normalize as l2_normalize
from minitf.library.numeric.clip import global_norm as global_norm
from minitf.library.numeric.decompositions import cholesky as cholesky
from minitf.library.numeric.decompositions import matrix_determinant as det
from minitf.library.numeric.decompositions import self_adjoint_eig as eigh
from minitf.library.numeric.decompositions import self_adjoint_eigvals as eigvalsh
from minitf.library.numeric.decompositions import matrix_inverse as inv
from minitf.library.numeric.decompositions import qr as qr
from minitf.library.numeric.decompositions import matrix_solve as solve
from minitf.library.numeric.decompositions import svd as svd
from minitf.library.numeric.decompositions import matrix_triangular_solve as triangular_solve
from minitf.library.numeric.diagonals import matrix_band_part as band_part
from minitf.library.numeric.diagonals import matrix_diag as diag
from minitf.library.numeric.diagonals import matrix_diag_part as diag_part
from minitf.library.numeric.diagonals import eye as eye
from minitf.library.numeric.diagonals import matrix_set_diag as set_diag
from minitf.library.numeric.diagonals import diag as tensor_diag
from minitf.library.numeric.diagonals import diag_part as tensor_diag_part
from minitf.library.numeric.diagonals import trace as trace
from minitf.library.numeric.einsum import einsum as einsum
from minitf.library.numeric.products import cross as cross
from minitf.library.numeric.products import matrix_transpose as matrix_transpose
from minitf.library.numeric.products import norm as norm
from minitf.library.numeric.products import tensordot as tensordot
from minitf.library.numeric.products import matrix_transpose as transpose

__all__ = [
    "band_part", "cholesky", "cross", "det", "diag", "diag_part", "eigh", "eigvalsh", "einsum",
    "eye", "global_norm", "inv", "l2_normalize", "matmul", "matrix_transpose", "norm", "qr",
    "set_diag", "solve", "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace",
    "transpose", "triangular_solve"
]

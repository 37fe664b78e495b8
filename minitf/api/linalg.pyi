"""The names of `tf.linalg`."""

from minitf.core.ops.array_shaping import matrix_transpose as matrix_transpose
from minitf.core.ops.array_shaping import matrix_transpose as transpose
from minitf.core.ops.linalg import cross as cross
from minitf.core.ops.linalg import matmul as matmul
from minitf.core.ops.linalg import matvec as matvec
from minitf.core.ops.linalg import norm as norm
from minitf.core.ops.linalg import normalize as normalize
from minitf.core.ops.linalg import tensordot as tensordot
from minitf.library.nets.basics import l2_normalize as l2_normalize
from minitf.library.numeric.circulant import LinearOperatorCirculant as LinearOperatorCirculant
from minitf.library.numeric.circulant import LinearOperatorCirculant2D as LinearOperatorCirculant2D
from minitf.library.numeric.circulant import LinearOperatorCirculant3D as LinearOperatorCirculant3D
from minitf.library.numeric.clip import global_norm as global_norm
from minitf.library.numeric.decompositions import cholesky as cholesky
from minitf.library.numeric.decompositions import cholesky_solve as cholesky_solve
from minitf.library.numeric.decompositions import matrix_determinant as det
from minitf.library.numeric.decompositions import self_adjoint_eig as eigh
from minitf.library.numeric.decompositions import self_adjoint_eigvals as eigvalsh
from minitf.library.numeric.decompositions import matrix_inverse as inv
from minitf.library.numeric.decompositions import logdet as logdet
from minitf.library.numeric.decompositions import matrix_solve_ls as lstsq
from minitf.library.numeric.decompositions import qr as qr
from minitf.library.numeric.decompositions import slogdet as slogdet
from minitf.library.numeric.decompositions import matrix_solve as solve
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
from minitf.library.numeric.factorizations import logm as logm
from minitf.library.numeric.factorizations import lu as lu
from minitf.library.numeric.factorizations import lu_matrix_inverse as lu_matrix_inverse
from minitf.library.numeric.factorizations import lu_reconstruct as lu_reconstruct
from minitf.library.numeric.factorizations import lu_solve as lu_solve
from minitf.library.numeric.factorizations import matrix_square_root as sqrtm
from minitf.library.numeric.factorizations import tridiagonal_matmul as tridiagonal_matmul
from minitf.library.numeric.factorizations import tridiagonal_solve as tridiagonal_solve
from minitf.library.numeric.linear_operator import LinearOperator as LinearOperator
from minitf.library.numeric.linear_operators import LinearOperatorAdjoint as LinearOperatorAdjoint
from minitf.library.numeric.linear_operators import LinearOperatorBlockDiag as LinearOperatorBlockDiag
from minitf.library.numeric.linear_operators import LinearOperatorComposition as LinearOperatorComposition
from minitf.library.numeric.linear_operators import LinearOperatorDiag as LinearOperatorDiag
from minitf.library.numeric.linear_operators import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from minitf.library.numeric.linear_operators import LinearOperatorHouseholder as LinearOperatorHouseholder
from minitf.library.numeric.linear_operators import LinearOperatorIdentity as LinearOperatorIdentity
from minitf.library.numeric.linear_operators import LinearOperatorInversion as LinearOperatorInversion
from minitf.library.numeric.linear_operators import LinearOperatorKronecker as LinearOperatorKronecker
from minitf.library.numeric.linear_operators import LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate
from minitf.library.numeric.linear_operators import LinearOperatorLowerTriangular as LinearOperatorLowerTriangular
from minitf.library.numeric.linear_operators import LinearOperatorScaledIdentity as LinearOperatorScaledIdentity
from minitf.library.numeric.linear_operators import LinearOperatorZeros as LinearOperatorZeros
from minitf.library.numeric.structured_operators import LinearOperatorPermutation as LinearOperatorPermutation
from minitf.library.numeric.structured_operators import LinearOperatorToeplitz as LinearOperatorToeplitz
from minitf.library.numeric.structured_operators import LinearOperatorTridiag as LinearOperatorTridiag
from minitf.library.numeric.svd import adjoint as adjoint
from minitf.library.numeric.svd import expm as expm
from minitf.library.numeric.svd import matrix_rank as matrix_rank
from minitf.library.numeric.svd import pinv as pinv
from minitf.library.numeric.svd import svd as svd

__all__ = [
    "LinearOperator", "LinearOperatorAdjoint", "LinearOperatorBlockDiag",
    "LinearOperatorCirculant", "LinearOperatorCirculant2D", "LinearOperatorCirculant3D",
    "LinearOperatorComposition", "LinearOperatorDiag", "LinearOperatorFullMatrix",
    "LinearOperatorHouseholder", "LinearOperatorIdentity", "LinearOperatorInversion",
    "LinearOperatorKronecker", "LinearOperatorLowRankUpdate", "LinearOperatorLowerTriangular",
    "LinearOperatorPermutation", "LinearOperatorScaledIdentity", "LinearOperatorToeplitz",
    "LinearOperatorTridiag", "LinearOperatorZeros", "adjoint", "band_part", "cholesky",
    "cholesky_solve", "cross", "det", "diag", "diag_part", "eigh", "eigvalsh", "einsum", "expm",
    "eye", "global_norm", "inv", "l2_normalize", "logdet", "logm", "lstsq", "lu",
    "lu_matrix_inverse", "lu_reconstruct", "lu_solve", "matmul", "matrix_rank",
    "matrix_transpose", "matvec", "norm", "normalize", "pinv", "qr", "set_diag", "slogdet",
    "solve", "sqrtm", "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace",
    "transpose", "triangular_solve", "tridiagonal_matmul", "tridiagonal_solve"
]

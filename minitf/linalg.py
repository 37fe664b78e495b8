"""The namespace `tf.linalg`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.ops.array_shaping: matrix_transpose transpose=matrix_transpose
minitf.ops.clip: global_norm
minitf.ops.decompositions: cholesky cholesky_solve det=matrix_determinant eigh=self_adjoint_eig
    eigvalsh=self_adjoint_eigvals inv=matrix_inverse logdet lstsq=matrix_solve_ls qr slogdet
    solve=matrix_solve triangular_solve=matrix_triangular_solve
minitf.ops.diagonals: band_part=matrix_band_part diag=matrix_diag diag_part=matrix_diag_part eye
    set_diag=matrix_set_diag tensor_diag=diag tensor_diag_part=diag_part trace
minitf.ops.einsum: einsum
minitf.ops.linalg: cross matmul matvec norm normalize tensordot
minitf.ops.nn: l2_normalize
minitf.ops.svd: adjoint expm matrix_rank pinv svd
""",
)

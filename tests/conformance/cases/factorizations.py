"""Factors, roots and logarithms of matrices, systems with three diagonals, operators of these."""

from ..case import programs, table

PRELUDE = """
    L = tf.linalg
    m = tf.constant([[1., 2., .5], [4., 1., -2.], [.3, 2.5, 3.]], tf.float64, name="m")
    two = tf.stack([m, tf.transpose(m) + 1.])
    spd = tf.constant([[4., 1.], [1., 3.]], tf.float64)
    rhs = tf.constant([[1., 2.], [3., -4.], [.5, 6.]], tf.float64, name="rhs")
    d = tf.constant([[1., 2., 9.], [4., -5., 6.], [9., .3, .7]], tf.float64, name="d")
    col = tf.constant([1., 2., 3.]); row = tf.constant([1., -2., .5])
    lu = lambda x: list(L.lu(x))
"""

ROWS = """
lu | tf.concat([L.lu(m).lu, tf.cast(L.lu(m).p[None], tf.float64)], 0)
lu_batch | L.lu(two).lu
lu_order | L.lu(two).p
lu_int64 | L.lu(m, tf.int64).p
lu_complex | L.lu(tf.complex(m, m * .5)).lu
reconstruct | L.lu_reconstruct(*L.lu(m))
reconstruct_batch | L.lu_reconstruct(*L.lu(two))
lu_solve | L.lu_solve(*L.lu(m), rhs=rhs)
lu_solve_batch | L.lu_solve(*L.lu(two), rhs=tf.stack([rhs, rhs * 2.]))
lu_inverse | L.lu_matrix_inverse(*L.lu(two))
sqrtm | L.sqrtm(spd)
sqrtm_general | L.sqrtm(m + 5. * tf.eye(3, dtype=tf.float64))
sqrtm_defective | tf.matrix_square_root(tf.constant([[4., 1.], [0., 4.]], tf.float64))
logm | L.logm(tf.complex(m, .1 * m))
logm_defective | L.logm(tf.constant([[2., 1.], [0., 2.]], tf.complex128))
tri | L.tridiagonal_solve(d, rhs) | d rhs
tri_no_pivot | L.tridiagonal_solve(d, rhs, partial_pivoting=False)
tri_vector | L.tridiagonal_solve(d, rhs[:, 0]) | d rhs
tri_sequence | L.tridiagonal_solve([d[0, :2], d[1], d[2, 1:]], rhs, "sequence")
tri_matrix | L.tridiagonal_solve(tf.linalg.band_part(m, 1, 1), rhs, "matrix")
tri_transposed | L.tridiagonal_solve(d, tf.transpose(rhs), transpose_rhs=True)
tri_pivots | L.tridiagonal_solve(tf.constant([[2., 1., 0.], [0., 0., 3.], [0., 5., 1.]], tf.float64), rhs)
tri_batch | L.tridiagonal_solve(tf.stack([d, d + 1.]), tf.stack([rhs, rhs]))
tri_matmul | L.tridiagonal_matmul(d, rhs) | d rhs
tri_matmul_sequence | L.tridiagonal_matmul([d[0], d[1], d[2]], rhs, "sequence")
tri_matmul_matrix | L.tridiagonal_matmul(m, rhs, "matrix")
toeplitz | L.LinearOperatorToeplitz(col, row).to_dense() | col row
toeplitz_matmul | L.LinearOperatorToeplitz(col, row).matmul(tf.ones([3, 2]))
toeplitz_solve | L.LinearOperatorToeplitz(col, row).solve(tf.ones([3, 1]))
toeplitz_det | L.LinearOperatorToeplitz(col, row).determinant()
toeplitz_trace | L.LinearOperatorToeplitz(col, row).trace()
tridiag | L.LinearOperatorTridiag(d).to_dense()
tridiag_matmul | L.LinearOperatorTridiag(d).matmul(rhs, adjoint=True)
tridiag_solve | L.LinearOperatorTridiag(d).solve(rhs)
tridiag_solve_adjoint | L.LinearOperatorTridiag(d).solve(rhs, adjoint=True)
tridiag_diag | L.LinearOperatorTridiag(d).diag_part()
permutation | L.LinearOperatorPermutation([2, 0, 1]).to_dense()
permutation_matmul | L.LinearOperatorPermutation([2, 0, 1], tf.float64).matmul(rhs)
permutation_adjoint | L.LinearOperatorPermutation([2, 0, 1], tf.float64).matmul(rhs, adjoint=True)
permutation_solve | L.LinearOperatorPermutation([2, 0, 1], tf.float64).solve(rhs)
permutation_det | L.LinearOperatorPermutation([1, 0, 2]).determinant()
permutation_log | L.LinearOperatorPermutation([1, 0, 2]).log_abs_determinant()
permutation_trace | L.LinearOperatorPermutation([1, 0, 2]).trace()
"""

PROGRAMS = {
    "names": """
        x = tf.constant([[1., 2.], [3., 4.]], name="x")
        made = tf.linalg.lu(x)
        show(made.lu, made.p, tf.linalg.sqrtm(x))
        show(type(made).__name__)
    """,
    "singular": """
        fails(lambda: run(tf.linalg.lu([[0., 0.], [0., 1.]]).lu))
        fails(lambda: tf.linalg.lu([1., 2.]))
        fails(lambda: tf.linalg.tridiagonal_solve([[1.]], [[1.]], "other"))
        fails(lambda: tf.linalg.tridiagonal_solve([tf.ones([2]), tf.ones([4]), tf.ones([3])], tf.ones([4, 1]), "sequence"))
        fails(lambda: tf.linalg.lu_solve([1.], [0], [[1.]]))
        fails(lambda: tf.linalg.LinearOperatorPermutation([0.5, 1.]))
    """,
}

CASES = [
    *table("factorizations", PRELUDE, ROWS, word="value", rtol=1e-5),
    *programs("factorizations", PROGRAMS),
]

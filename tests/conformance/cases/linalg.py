"""Matrix products and decompositions."""

from ..case import programs, table

PRELUDE = """
    a = tf.constant([[1., 2., -1.], [.5, 0., 3.]], name="a"); b = tf.constant([[2., 1.], [-1., .5], [0., 4.]], name="b")
    s = tf.constant([[4., 1., .5], [1., 3., -1.], [.5, -1., 5.]], name="s"); r = tf.constant([[1.], [2.], [3.]], name="r")
    t = tf.reshape(tf.range(12.), [2, 2, 3]); w = tf.reshape(tf.range(12.) / 4. - 1., [2, 3, 2])
    v = tf.constant([1., -2., .5], name="v"); i = tf.constant([[1, 2], [3, 4]], name="i")
"""

ROWS = """
matmul | tf.matmul(a, b) | a b
matmul_operator | a @ b | a b
matmul_ta | tf.matmul(a, a, transpose_a=True) | a
matmul_tb | tf.matmul(a, a, transpose_b=True) | a
matmul_ta_b | tf.matmul(a, s[:2], transpose_a=True) | a s
matmul_a_tb | tf.matmul(a, s, transpose_b=True) | a s
matmul_both | tf.matmul(a, b, transpose_a=True, transpose_b=True) | a b
matmul_int | tf.matmul(i, i)
matmul_float64 | tf.matmul(tf.cast(a, tf.float64), tf.cast(b, tf.float64)) | a b
matmul_numpy | tf.matmul(np.eye(2, dtype=np.float32), a) | a
batch_matmul | tf.matmul(t, w) | t w
batch_matmul_ta | tf.matmul(t, t, transpose_a=True) | t
batch_matmul_tb | tf.matmul(t, t, transpose_b=True) | t
batch_matmul_adjoint | tf.matmul(t, w, adjoint_a=True, adjoint_b=True) | t w
transpose | tf.transpose(a) | a
transpose_perm | tf.transpose(t, [1, 2, 0]) | t
matrix_transpose | tf.matrix_transpose(t) | t
tensordot | tf.tensordot(a, b, 1) | a b
tensordot_axes | tf.tensordot(t, w, [[1, 2], [2, 1]]) | t w
inverse | tf.matrix_inverse(s) | s
inverse_adjoint | tf.matrix_inverse(s, adjoint=True) | s
solve | tf.matrix_solve(s, r) | s r
solve_adjoint | tf.matrix_solve(s, r, adjoint=True) | s r
determinant | tf.matrix_determinant(s) | s
cholesky | tf.cholesky(s)
triangular_solve | tf.matrix_triangular_solve(s, r) | r
trace | tf.trace(s) | s
eye | tf.eye(3)
eye_wide | tf.eye(2, 3)
eye_float64 | tf.eye(2, dtype=tf.float64)
diag | tf.diag(v) | v
diag_part | tf.diag_part(s) | s
matrix_diag | tf.matrix_diag(v) | v
matrix_diag_part | tf.matrix_diag_part(s) | s
band_part | tf.matrix_band_part(s, 0, -1) | s
norm_1 | tf.norm(v, ord=1) | v
norm_inf | tf.norm(v, ord=np.inf) | v
l2_normalize | tf.nn.l2_normalize(a, 1) | a
l2_normalize_of_old | tf.nn.l2_normalize(a, dim=0) | a
cross | tf.cross(v, tf.constant([0., 1., 2.])) | v
"""

CASES = [
    *table("linalg", PRELUDE, ROWS, rtol=1e-4),
    *programs(
        "linalg",
        {
            "ridge_regression": """
            rng = np.random.RandomState(0)
            x = tf.constant(rng.randn(20, 3), name="x"); y = tf.constant(rng.randn(20, 1), name="y")
            penalty = tf.constant(.5, tf.float64)
            xt = tf.transpose(x)
            beta = tf.matmul(tf.matmul(tf.matrix_inverse(tf.matmul(xt, x) + penalty * tf.eye(3, dtype=tf.float64)), xt), y)
            check(beta, x, y)
        """,
            "second_order": """
            x = tf.constant([[1., 2.], [3., 4.]])
            y = tf.reduce_sum(tf.matmul(tf.matmul(x, x), x))
            first = tf.gradients(y, x)[0]
            show(run(tf.gradients(first, x)))
        """,
        },
        rtol=1e-4,
    ),
]

"""Linear operators: products, solutions, determinants and relatives of each kind."""

from textwrap import dedent

from ..case import programs, table

PRELUDE = """
    L = tf.linalg
    m = tf.constant([[4., 1., .5], [1., 3., -1.], [.5, -1., 5.]], name="m"); n = tf.constant([[2., -1.], [.5, 1.]], name="n")
    b = tf.constant([[[2., 1.], [0., 3.]], [[1., -1.], [2., 4.]]], name="b"); w = tf.constant([[1., 2., 3.], [4., 5., 6.]])
    d = tf.constant([1., -2., .5], name="d"); e = tf.constant([[1., 2.], [3., 4.]], name="e")
    x3 = tf.constant([[1., 2.], [0., -1.], [3., .5]], name="x3"); x2 = tf.constant([[1., 2., 3.], [-1., 0., 1.]], name="x2")
    full = L.LinearOperatorFullMatrix(m); spd = L.LinearOperatorFullMatrix(m, is_self_adjoint=True, is_positive_definite=True)
    small = L.LinearOperatorFullMatrix(n, is_non_singular=True); batch = L.LinearOperatorFullMatrix(b); wide = L.LinearOperatorFullMatrix(w)
    diag = L.LinearOperatorDiag(d, is_non_singular=True); diags = L.LinearOperatorDiag(e)
    tril = L.LinearOperatorLowerTriangular(m); eye = L.LinearOperatorIdentity(3); eyes = L.LinearOperatorIdentity(2, batch_shape=[2])
    scaled = L.LinearOperatorScaledIdentity(3, tf.constant(2.5)); zero = L.LinearOperatorZeros(3)
    update = L.LinearOperatorLowRankUpdate(diag, x3, diag_update=[1., 3.], v=x3 * .5 + 1.)
    own = L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([1., 2., 3.], is_positive_definite=True), x3)
    chain = L.LinearOperatorComposition([full, diag, tril]); kron = L.LinearOperatorKronecker([small, L.LinearOperatorDiag([1., 2., 3.], is_non_singular=True)])
    blocks = L.LinearOperatorBlockDiag([small, diag]); inverse = L.LinearOperatorInversion(L.LinearOperatorFullMatrix(m, is_non_singular=True))
    turned = L.LinearOperatorAdjoint(batch); mirror = L.LinearOperatorHouseholder(d)
    round = L.LinearOperatorCirculant([6., 2., 3.], input_output_dtype=tf.float32); x5 = tf.reshape(tf.range(10.), [5, 2]); x6 = tf.reshape(tf.range(12.), [6, 2])
"""

OPERATORS = {
    "full": "x3", "spd": "x3", "small": "x2", "batch": "b", "diag": "x3", "diags": "b", "tril": "x3", "eye": "x3", "eyes": "b",
    "scaled": "x3", "update": "x3", "own": "x3", "chain": "x3", "kron": "x6", "blocks": "x5", "inverse": "x3", "turned": "b", "mirror": "x3",
}  # fmt: skip
CALLS = (
    "matmul({x})", "matmul({x}, adjoint=True)", "solve({x})", "solve({x}, adjoint=True)", "to_dense()", "determinant()",
    "log_abs_determinant()", "trace()", "diag_part()", "shape_tensor()", "batch_shape_tensor()", "matvec({x}[..., 0])",
    "solvevec({x}[..., 0])", "add_to_tensor(tf.zeros_like({name}.to_dense()) + 1.)",
)  # fmt: skip


def _all_calls() -> dict[str, str]:
    """For each operator, a program that does everything with it."""
    return {
        name: f"{dedent(PRELUDE)}\n"
        + "\n".join(f"value({name}.{call.format(x=x, name=name)})" for call in CALLS)
        for name, x in OPERATORS.items()
    }


MORE = """
wide_matmul | wide.matmul(x3)
wide_adjoint | wide.matmul(x2, adjoint=True)
wide_arg | wide.matmul(x2, adjoint_arg=True)
zero_matmul | zero.matmul(x3)
zero_add | zero.add_to_tensor(m)
zero_wide | L.LinearOperatorZeros(2, 3, is_square=False, is_self_adjoint=False).to_dense()
circulant | round.to_dense()
circulant_matmul | round.matmul(x3)
circulant_solve | round.solve(x3)
circulant_det | round.determinant()
gradient | full.solve(x3) | m x3
gradient_update | update.log_abs_determinant() | d x3
composed | full.matmul(diag).to_dense()
composed_operator | (small @ L.LinearOperatorDiag([1., 2.])).matmul(x2)
solved_operator | small.solve(L.LinearOperatorDiag([1., 2.])).to_dense()
inverse_of | small.inverse().matmul(x2)
inverse_of_diag | diag.inverse().to_dense()
adjoint_of | small.adjoint().matmul(x2)
h | small.H.to_dense()
cholesky | spd.cholesky().to_dense()
cholesky_diag | L.LinearOperatorDiag([1., 4.], is_positive_definite=True).cholesky().to_dense()
eigvals | spd.eigvals()
cond | spd.cond()
domain | wide.domain_dimension_tensor()
range_of | wide.range_dimension_tensor()
rank | batch.tensor_rank_tensor()
broadcast | small.matmul(b)
broadcast_solve | small.solve(b)
float64 | L.LinearOperatorFullMatrix(tf.cast(m, tf.float64)).solve(tf.cast(x3, tf.float64))
complex | L.LinearOperatorDiag(tf.complex([1., 2.], [3., -1.])).matmul(tf.complex(n, n), adjoint=True)
run_time | L.LinearOperatorFullMatrix(tf.placeholder_with_default(m, None)).to_dense()
"""

CIRCULANT = """
    L = tf.linalg
    r = np.random.RandomState(2); real = lambda *s: tf.constant(r.rand(*s).astype("f") + 0.5)
    wave = lambda *s: tf.complex(real(*s), real(*s)); C = tf.complex64
    s1 = wave(4); s2 = wave(2, 3); s3 = wave(2, 2, 3); p2 = real(2, 3); batch = wave(2, 1, 2, 3)
    one = L.LinearOperatorCirculant(s1, is_non_singular=True); two = L.LinearOperatorCirculant2D(s2); three = L.LinearOperatorCirculant3D(s3)
    plain = L.LinearOperatorCirculant2D(p2, tf.float32, is_positive_definite=True); many = L.LinearOperatorCirculant2D(batch)
    x4 = wave(4, 2); x6 = wave(6, 2); x12 = wave(12, 2); f6 = real(6, 2); many6 = wave(3, 6, 2)
"""

CIRCULANT_CALLS = (
    "matmul({x})", "matmul({x}, adjoint=True)", "solve({x})", "solve({x}, adjoint=True)", "to_dense()", "determinant()",
    "log_abs_determinant()", "trace()", "diag_part()", "shape_tensor()", "matvec({x}[..., 0])", "solvevec({x}[..., 0])",
    "convolution_kernel()", "block_shape_tensor()", "cond()", "adjoint().to_dense()", "inverse().to_dense()",
)  # fmt: skip


def _circulants() -> dict[str, str]:
    operators = {"one": "x4", "two": "x6", "three": "x12", "plain": "f6", "many": "many6"}
    return {
        name: f"{dedent(CIRCULANT)}\nshow({name}.block_depth, {name}.block_shape, {name}.shape, {name}.dtype, {name}.name)\n"
        + "\n".join(f"value({name}.{call.format(x=x)})" for call in CIRCULANT_CALLS)
        for name, x in operators.items()
    }


CIRCULANT_MORE = """
eigvals | plain.eigvals()
composed | two.matmul(L.LinearOperatorCirculant2D(s2 * 2)).to_dense()
composed_of_two_kinds | one.matmul(L.LinearOperatorDiag(s1)).to_dense()
cholesky | plain.cholesky().to_dense()
gradient | tf.real(two.matmul(x6)) | s2 x6
gradient_of_solution | plain.solve(f6) | p2 f6
gradient_of_size | plain.log_abs_determinant() | p2
unknown | L.LinearOperatorCirculant2D(tf.placeholder_with_default(p2, None), tf.float32).matmul(f6)
unknown_sizes | L.LinearOperatorCirculant2D(tf.placeholder_with_default(p2, [None, 3]), tf.float32).to_dense()
unknown_block | L.LinearOperatorCirculant2D(tf.placeholder_with_default(p2, [None, 3]), tf.float32).block_shape_tensor()
double | L.LinearOperatorCirculant3D(tf.cast(real(1, 2, 2), tf.float64), tf.float64).to_dense()
of_kernel | L.LinearOperatorCirculant2D(tf.fft2d(tf.cast(p2, C)), tf.float32).to_dense()
nothing | L.LinearOperatorCirculant2D(p2[:0], tf.float32).to_dense()
no_columns | plain.matmul(f6[:, :0])
"""

CIRCULANT_FAIL = """
rank | L.LinearOperatorCirculant2D(s1)
rank_3d | L.LinearOperatorCirculant3D(s2)
not_adjoint | L.LinearOperatorCirculant(p2, is_self_adjoint=False)
not_square | L.LinearOperatorCirculant2D(s2, is_square=False)
sizes | two.matmul(x4)
eigvals | two.eigvals()
run_positive | run(L.LinearOperatorCirculant2D([[1., -1.]]).assert_positive_definite())
"""

CASES = [
    *programs("linear_operators/circulant", _circulants()),
    *table("linear_operators/circulant_more", CIRCULANT, CIRCULANT_MORE, word="value"),
    *table("linear_operators/circulant_fail", CIRCULANT, CIRCULANT_FAIL, word="fails"),
    *programs(
        "linear_operators/circulant",
        {
            # where TensorFlow's assertions stand has another name
            "checks_fail": dedent(CIRCULANT)
            + "def said(make):\n    try:\n        run(make())\n    except tf.errors.InvalidArgumentError as error:\n        show(error.message[error.message.index('assertion failed'):].split(']')[0])\n"
            + "said(lambda: L.LinearOperatorCirculant2D([[1., 0.]]).assert_non_singular())\nsaid(lambda: two.assert_self_adjoint())\nsaid(lambda: L.LinearOperatorCirculant(s1 * 0).assert_non_singular())\n",
            "checks": dedent(CIRCULANT)
            + "run([plain.assert_non_singular(), plain.assert_positive_definite(), plain.assert_self_adjoint()])\nshow(plain.is_self_adjoint, plain.is_square, one.is_self_adjoint, plain.spectrum.shape, many.batch_shape)\n",
        },
    ),
    *table("linear_operators", PRELUDE, MORE, rtol=2e-3, word="value"),
    *programs("linear_operators", _all_calls(), rtol=2e-3),
    *programs(
        "linear_operators",
        {
            "hints": """
            L = tf.linalg
            for each in (L.LinearOperatorDiag([1., 2.]), L.LinearOperatorFullMatrix([[1., 2.]]), L.LinearOperatorIdentity(2), L.LinearOperatorZeros(2),
                         L.LinearOperatorFullMatrix([[1.]], is_positive_definite=True), L.LinearOperatorLowerTriangular([[1.]]),
                         L.LinearOperatorScaledIdentity(2, 3.), L.LinearOperatorHouseholder([1., 2.])):
                show(each.name, each.is_square, each.is_self_adjoint, each.is_positive_definite, each.is_non_singular)
                show(each.shape.as_list(), each.batch_shape.as_list(), each.tensor_rank, each.dtype)
        """,
            "names": """
            L = tf.linalg
            a = L.LinearOperatorDiag([1., 2.], name="a"); b = L.LinearOperatorFullMatrix([[1., 2.], [3., 4.]], name="b")
            show(L.LinearOperatorComposition([a, b]).name, L.LinearOperatorKronecker([a, b]).name, L.LinearOperatorBlockDiag([a, b]).name)
        """,
        },
        rtol=1e-4,
    ),
]

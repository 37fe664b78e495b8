"""Matrix ops beyond the registry's promises: shapes that do not fit, NumPy's own answers, norms."""

from typing import Any

import numpy as np
import pytest

import minitf as tf


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


def _float(*shape: int | None, name: str = "x") -> tf.Tensor:
    return tf.placeholder(tf.float32, shape, name=name)


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape)


SYMMETRIC = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])

# ---- products ----------------------------------------------------------------------------------


def test_matmul() -> None:
    product = tf.matmul([[1.0, 2.0]], [[3.0], [4.0]])
    assert (product.name, product.op.type) == ("MatMul:0", "MatMul")
    assert [t.name for t in product.op.inputs] == ["MatMul/a:0", "MatMul/b:0"]
    assert run(product).tolist() == [[11.0]]
    assert (tf.constant([[1, 2]]) @ [[3], [4]]).name == "matmul_1:0"
    assert run(tf.matmul([[1, 2]], [[3], [4]])).dtype == np.int32


@pytest.mark.parametrize("turn_a", [False, True])
@pytest.mark.parametrize("turn_b", [False, True])
@pytest.mark.parametrize("batch", [(), (5,), (2, 1)])
def test_transposed_factors(turn_a: bool, turn_b: bool, batch: tuple) -> None:
    a, b = _random(*batch, 2, 3), _random(*batch, 3, 4)
    expected = a @ b
    a = a.swapaxes(-1, -2) if turn_a else a
    b = b.swapaxes(-1, -2) if turn_b else b
    for how in ("transpose", "adjoint"):
        flags = {f"{how}_a": turn_a, f"{how}_b": turn_b}
        np.testing.assert_allclose(run(tf.matmul(a, b, **flags)), expected)


def test_adjoint_conjugates_and_transpose_does_not() -> None:
    a = _random(2, 3) + 1j * _random(3, 2).T
    np.testing.assert_allclose(run(tf.matmul(a, a, transpose_b=True)), a @ a.T)
    np.testing.assert_allclose(run(tf.matmul(a, a, adjoint_b=True)), a @ a.conj().T)
    stack = np.stack([a, 2 * a])
    turned = stack.swapaxes(1, 2)
    np.testing.assert_allclose(run(tf.matmul(stack, stack, adjoint_b=True)), stack @ turned.conj())
    np.testing.assert_allclose(run(tf.matmul(stack, stack, transpose_b=True)), stack @ turned)


@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((5, 1, 2, 3), (6, 3, 4)), ((1, 2, 3), (5, 3, 4))],
)
@pytest.mark.parametrize("known", [True, False])
def test_stacks_broadcast(a_shape: tuple, b_shape: tuple, known: bool) -> None:
    a = tf.placeholder(tf.float64, a_shape if known else None)
    b = tf.placeholder(tf.float64, b_shape if known else None)
    product = tf.matmul(a, b)
    assert product.op.type == "BatchMatMulV2"
    feed = {a: _random(*a_shape), b: _random(*b_shape)}
    value, da, db = run([product, *tf.gradients(product, [a, b])], feed)
    np.testing.assert_allclose(value, feed[a] @ feed[b])
    assert (da.shape, db.shape) == (a_shape, b_shape)
    assert not known or product.shape.as_list() == list(value.shape)


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (
            (10, 512, 1),
            (512, 2),
            "Shape must be rank 2 but is rank 3 for 'MatMul' (op: 'MatMul') with input shapes: "
            "[10,512,1], [512,2].",
        ),
        (
            (2, 3),
            (3,),
            "Shape must be rank 2 but is rank 1 for 'MatMul' (op: 'MatMul') with input shapes: "
            "[2,3], [3].",
        ),
        (
            (None, 3),
            (4, None),
            "Dimensions must be equal, but are 3 and 4 for 'MatMul' (op: 'MatMul') with input "
            "shapes: [?,3], [4,?].",
        ),
        (
            (5, 2, 3),
            (6, 3, 4),
            "Dimensions must be equal, but are 5 and 6 for 'MatMul' (op: 'BatchMatMulV2') with "
            "input shapes: [5,2,3], [6,3,4].",
        ),
    ],
)
def test_shapes_that_do_not_fit(a: tuple, b: tuple, text: str) -> None:
    with pytest.raises(ValueError) as error:
        tf.matmul(_float(*a), _float(*b, name="y"))
    assert str(error.value) == text


def test_both_turns_of_one_factor() -> None:
    x = _float(2, 2)
    with pytest.raises(ValueError, match="Only one of transpose_b and adjoint_b can be True."):
        tf.matmul(x, x, transpose_b=True, adjoint_b=True)


@pytest.mark.parametrize(
    ("a_shape", "b_shape", "axes"),
    [
        ((2, 3), (3, 4), 1),
        ((2, 3), (2, 3), 2),
        ((2, 3), (4,), 0),
        ((2, 3, 4), (4, 3, 5), [[1, 2], [1, 0]]),
        ((2, 3, 4), (5, 3), [1, 1]),
        ((3,), (3,), 1),
        ((2, 3), (3, 2), [[-1], [0]]),
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_tensordot(a_shape: tuple, b_shape: tuple, axes: Any, known: bool) -> None:
    a = tf.placeholder(tf.float64, a_shape if known else [None] * len(a_shape))
    b = tf.placeholder(tf.float64, b_shape if known else [None] * len(b_shape))
    product = tf.tensordot(a, b, axes)
    feed = {a: _random(*a_shape), b: _random(*b_shape)}
    value, da = run([product, tf.gradients(product, a)[0]], feed)
    expected = np.tensordot(feed[a], feed[b], axes)
    np.testing.assert_allclose(value, expected)
    assert product.shape.as_list() == (list(expected.shape) if known else [None] * expected.ndim)
    assert da.shape == a_shape


def test_tensordot_of_matrices_is_one_matmul() -> None:
    assert tf.tensordot(_float(2, 3), _float(3, 4, name="y"), 1).name == "Tensordot/MatMul:0"


def test_tensordot_axes_that_do_not_fit() -> None:
    x = _float(2, 3)
    for axes, text in [
        (-1, "'axes' must be at least 0."),
        (3, "'axes' must not be larger than the number of dimensions of tensor"),
        ([[0]], "'axes' must be an integer or have length 2."),
        ([[0, 1], [0]], "Different number of contraction axes 'a' and 'b', 2 != 1."),
    ]:
        with pytest.raises(ValueError, match=text):
            tf.tensordot(x, x, axes)


def test_cross() -> None:
    assert run(tf.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])).tolist() == [0.0, 0.0, 1.0]
    with pytest.raises(ValueError, match="Dimension must be 3 but is 2 for 'Cross"):
        tf.cross(tf.zeros([2]), tf.zeros([2]))


# ---- diagonals ---------------------------------------------------------------------------------


def test_diagonals_of_tensors() -> None:
    assert run(tf.diag([1, 2])).tolist() == [[1, 0], [0, 2]]
    assert run(tf.diag_part(tf.diag([[1, 2], [3, 4]]))).tolist() == [[1, 2], [3, 4]]
    assert tf.diag(_float(2, 3)).shape.as_list() == [2, 3, 2, 3]
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3 for 'DiagPart"):
        tf.diag_part(_float(2, 3))


def test_diagonals_of_matrices() -> None:
    rows = tf.matrix_diag([[1, 2], [3, 4]])
    assert rows.name == "diag:0"
    assert run(rows).tolist() == [[[1, 0], [0, 2]], [[3, 0], [0, 4]]]
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    assert run(tf.matrix_diag_part(x)).tolist() == [1, 5]
    assert run(tf.matrix_set_diag(x, [7, 8])).tolist() == [[7, 2, 3], [4, 8, 6]]
    assert run(tf.trace([[1, 2], [3, 4]])) == 5
    with pytest.raises(
        ValueError, match="Dimension 0 in both shapes must be equal, but are 2 and 3"
    ):
        tf.matrix_set_diag(x, [7, 8, 9])


def test_diagonal_of_the_wrong_size_at_run_time() -> None:
    x, d = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [None])
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        run(tf.matrix_set_diag(x, d), {x: np.zeros((3, 3)), d: [1, 2]})


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        (0, 0, [[1, 0, 0], [0, 5, 0], [0, 0, 9]]),
        (1, 0, [[1, 0, 0], [4, 5, 0], [0, 8, 9]]),
        (-1, 0, [[1, 0, 0], [4, 5, 0], [7, 8, 9]]),
        (0, -1, [[1, 2, 3], [0, 5, 6], [0, 0, 9]]),
    ],
)
def test_bands(lower: int, upper: int, expected: list) -> None:
    x = tf.constant([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert run(tf.matrix_band_part(x, lower, upper)).tolist() == expected


def test_eye() -> None:
    assert run(tf.eye(2)).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert run(tf.eye(2, 3, dtype=tf.int32)).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert run(tf.eye(2, batch_shape=[3])).shape == (3, 2, 2)
    n = tf.placeholder(tf.int32, [])
    assert run(tf.eye(n), {n: 3}).tolist() == np.eye(3).tolist()
    with pytest.raises(
        TypeError, match="num_rows and num_columns must be positive integer values."
    ):
        tf.eye("a")


# ---- norms -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "axis", "expected"),
    [
        ("euclidean", None, np.sqrt(30)),
        (1, None, 10),
        (np.inf, None, 4),
        (3, None, 100 ** (1 / 3)),
        (2, 1, [np.sqrt(5), 5]),
        (1, 0, [4, 6]),
        ("fro", [0, 1], np.sqrt(30)),
        (1, [0, 1], 6),
        (np.inf, (0, 1), 7),
    ],
)
def test_norms(order: Any, axis: Any, expected: Any) -> None:
    x = tf.constant([[1.0, -2.0], [-3.0, 4.0]])
    np.testing.assert_allclose(run(tf.norm(x, order, axis)), expected, rtol=1e-6)
    kept = run(tf.norm(x, order, axis, keepdims=True))
    assert kept.ndim == 2


def test_norms_that_do_not_exist() -> None:
    for arguments, text in [
        ({"ord": "max"}, "'ord' must be a supported vector norm, got max"),
        ({"ord": -1}, "'ord' must be a supported vector norm, got -1"),
        ({"ord": 3, "axis": [0, 1]}, "'ord' must be a supported matrix norm in"),
        ({"axis": (0, 0)}, "'axis' must be None, an integer, or a tuple of 2 unique integers"),
    ]:
        with pytest.raises(ValueError, match=text):
            tf.norm(_float(2, 2), **arguments)


# ---- solving -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda x: tf.matrix_inverse(x), "Input is not invertible."),
        (lambda x: tf.matrix_solve(x, tf.ones([2, 1])), "Input matrix is not invertible."),
        (lambda x: tf.cholesky(-x), "Cholesky decomposition was not successful."),
    ],
)
def test_singular_matrices(build: Any, text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(build(tf.ones([2, 2])))


def test_matrices_that_are_not_square() -> None:
    with pytest.raises(
        ValueError, match="Dimensions must be equal, but are 2 and 3 for 'MatrixInv"
    ):
        tf.matrix_inverse(_float(2, 3))
    with pytest.raises(
        ValueError, match="Dimensions must be equal, but are 3 and 4 for 'MatrixSol"
    ):
        tf.matrix_solve(_float(3, 3), _float(4, 1, name="b"))


def test_eigenvalues() -> None:
    values, vectors = run(tf.self_adjoint_eig(SYMMETRIC))
    np.testing.assert_allclose(SYMMETRIC @ vectors, vectors * values, atol=1e-12)
    np.testing.assert_allclose(run(tf.self_adjoint_eigvals(SYMMETRIC)), values)


def test_gradients_of_cholesky_along_symmetric_steps() -> None:
    """Mirrored elements share the gradient, as in TensorFlow; a symmetric step changes both."""
    x = tf.placeholder(tf.float64, [3, 3])
    loss = tf.reduce_sum(tf.cholesky(x) * np.array([[1.0, 0, 0], [2, 3, 0], [4, 5, 6]]))
    (first,) = tf.gradients(loss, x)
    steepness = tf.reduce_sum(tf.square(first))
    (second,) = tf.gradients(steepness, x)
    for function, derivative in ((loss, first), (steepness, second)):
        gradient = run(derivative, {x: SYMMETRIC})
        np.testing.assert_allclose(gradient, gradient.T, atol=1e-12)
        for i, j in [(0, 0), (1, 0), (2, 1), (2, 2)]:
            step = np.zeros((3, 3))
            step[i, j] = step[j, i] = 1e-5
            up, down = (run(function, {x: SYMMETRIC + s}) for s in (step, -step))
            np.testing.assert_allclose(
                (up - down) / 2e-5, np.sum(gradient * step) / 1e-5, rtol=1e-6
            )


# ---- shapes that fail when the step runs -------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "x_shape", "y_shape", "text"),
    [
        (lambda x, y: x + y, (2, 3), (2,), "Incompatible shapes: [2,3] vs. [2]"),
        (tf.matmul, (2, 3), (2, 3), "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]"),
        (
            tf.matmul,
            (5, 2, 3),
            (4, 3, 2),
            "In[0] and In[1] must have compatible batch dimensions: [5,2,3] vs. [4,3,2]",
        ),
        (tf.matmul, (2, 3), (3,), "In[1] ndims must be >= 2: 1"),
        (
            lambda x, y: tf.add_n([x, y]),
            (2, 3),
            (3,),
            "must have the same size and shape.  Input 0: [2,3] != input 1: [3]",
        ),
        (
            lambda x, y: tf.where(x > 0, x, y),
            (2, 3),
            (3,),
            "must have the same size.  but received: [2,3] vs. [3]",
        ),
        (
            lambda x, y: tf.where(y > 0, x, x),
            (2, 3),
            (3,),
            "Number of batches of 'then' must match size of 'cond', but saw: 2 vs. 3",
        ),
        (lambda x, y: tf.matrix_inverse(x), (2, 3), (), "Input matrix must be square."),
        (tf.matrix_solve, (2, 2), (3, 1), "Input matrix and rhs are incompatible"),
        (tf.cross, (2,), (2,), "Cross-products are only defined for 3-element vectors"),
        (lambda x, y: tf.diag_part(x), (2, 3), (), "Invalid shape [2,3]"),
        (lambda x, y: tf.argmax(x), (0, 3), (), "Reduction axis 0 is empty in shape [0,3]"),
        (lambda x, y: tf.argmax(x), (), (), "Expected dimension in the range [0, 0), but got 0"),
    ],
)
def test_errors_at_run_time(build: Any, x_shape: Any, y_shape: Any, text: str) -> None:
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    failing = build(x, y)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        run(failing, {x: np.ones(x_shape), y: np.ones(y_shape)})
    assert text in caught.value.message
    assert caught.value.op is failing.op

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


# ---- diagonals ---------------------------------------------------------------------------------


def test_diagonal_of_the_wrong_size_at_run_time() -> None:
    x, d = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [None])
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        run(tf.matrix_set_diag(x, d), {x: np.zeros((3, 3)), d: [1, 2]})


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

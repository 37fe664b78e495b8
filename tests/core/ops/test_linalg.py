"""Matrix ops beyond the registry's promises: stacks, Cholesky, errors when the step runs."""

from typing import Any

import numpy as np
import pytest

import minitf as tf


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape)


SYMMETRIC = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])


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


def test_diagonal_of_the_wrong_size_at_run_time() -> None:
    x, d = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [None])
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        run(tf.matrix_set_diag(x, d), {x: np.zeros((3, 3)), d: [1, 2]})


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


@pytest.mark.parametrize(
    ("build", "x_shape", "y_shape", "text"),
    [
        (
            lambda x, y: tf.add_n([x, y]),
            (2, 3),
            (3,),
            "must have the same size and shape.  Input 0: [2,3] != input 1: [3]",
        ),
        (tf.cross, (2,), (2,), "Cross-products are only defined for 3-element vectors"),
        (lambda x, y: tf.diag_part(x), (2, 3), (), "Invalid shape [2,3]"),
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

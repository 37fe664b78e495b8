"""Elementwise ops beyond the registry's promises: dtypes, sums left out, error texts."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import minitf as tf
from tests.graphs import run


def test_no_sum_is_built_where_none_can_be_needed() -> None:
    x, w = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [3])
    dx, dw = tf.gradients(x * w, [x, w])
    assert dx.op.type == "Mul"
    assert dw.op.type == "SumToShapeOf"
    (dx,) = tf.gradients(x * x, x)
    assert not [o for o in dx.graph.get_operations() if o.type == "SumToShapeOf" and o is not dw.op]


def _float(*shape: int, name: str = "x") -> tf.Tensor:
    return tf.placeholder(tf.float32, shape, name=name)


@pytest.mark.parametrize(
    ("build", "error", "text"),
    [
        (
            lambda: _float() / tf.constant(1, tf.int32),
            TypeError,
            "x and y must have the same dtype, got tf.float32 != tf.int32",
        ),
        (
            lambda: tf.constant(True) / tf.constant(True),
            TypeError,
            "Invalid dtype tf.bool in __truediv__",
        ),
        (
            lambda: tf.logical_not(_float()),
            TypeError,
            "Input 'x' of 'LogicalNot' Op has type float32 that does not match expected type of "
            "bool.",
        ),
        (
            lambda: tf.atan2(_float(), tf.constant(1, tf.int32)),
            TypeError,
            "Input 'x' of 'Atan2' Op has type int32 that does not match type float32 of argument "
            "'y'.",
        ),
    ],
)
def test_error_texts(build: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        build()
    assert str(caught.value) == text


# ---- matrices ------------------------------------------------------------------------------------


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


# ---- random numbers ------------------------------------------------------------------------------


def test_threads_share_one_sequence() -> None:
    drawn = tf.random_uniform([], seed=1)
    with tf.Session() as sess:
        alone = {float(sess.run(drawn)) for _ in range(400)}
    with tf.Session() as sess, ThreadPoolExecutor(8) as pool:
        together = set(pool.map(lambda _: float(sess.run(drawn)), range(400)))
    assert together == alone


def test_an_empty_range_of_integers() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need minval < maxval, got 5 >= 2"):
        run(tf.random_uniform([2], 5, 2, tf.int32))

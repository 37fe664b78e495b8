"""The update operations by hand: what a step computes, on rows, on scalars, on shared memory."""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.ops import updates as training
from minitf.library.optimizers.optimizers import apply_adadelta, apply_adagrad


@pytest.fixture
def session() -> Any:
    with tf.Session() as session:
        yield session


def start(session: tf.Session, *values: Any) -> list[Any]:
    variables = [tf.Variable(np.asarray(v, np.float32)) for v in values]
    session.run(tf.global_variables_initializer())
    return variables


def test_rows_make_the_same_step_as_the_whole(session: Any) -> None:
    rng = np.random.default_rng(0)
    whole = rng.normal(size=(5, 3)), rng.uniform(1, 2, size=(5, 3))
    grad = rng.normal(size=(2, 3)).astype("f")
    w, a, w_rows, a_rows = start(session, whole[0][[4, 1]], whole[1][[4, 1]], *whole)
    dense = apply_adagrad(w, a, 0.5, grad)
    sparse = apply_adagrad(w_rows, a_rows, 0.5, grad, indices=[4, 1])
    session.run([dense.op, sparse.op])
    values = session.run([w, a, w_rows, a_rows])
    assert np.allclose(values[2][[4, 1]], values[0]) and np.allclose(values[3][[4, 1]], values[1])
    others = [0, 2, 3]
    assert np.allclose(values[2][others], whole[0][others])


def test_old_values_stay_for_those_who_read_them(session: Any) -> None:
    w, a = start(session, [[1.0], [2.0]], [[1.0], [1.0]])
    before = tf.identity(w.value() * 1.0)
    with tf.control_dependencies([before]):
        sparse = training.apply_momentum(w, a, 1.0, [[1.0]], 0.0, indices=[0])
    assert session.run([before, sparse])[0].ravel().tolist() == [1.0, 2.0]
    assert session.run(w).ravel().tolist() == [0.0, 2.0]


def test_what_does_not_fit_is_refused(session: Any) -> None:
    w, a = start(session, [[1.0], [2.0]], [[1.0], [1.0]])
    places, rows = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32)
    sparse = apply_adagrad(w, a, 1.0, rows, indices=places)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[0\] = 2 is not in \[0, 2\)"):
        session.run(sparse, {places: [2], rows: [[1.0]]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="same size as the rows"):
        session.run(sparse, {places: [1], rows: [[1.0, 2.0]]})
    dense = training.apply_gradient_descent(w, 1.0, rows)
    with pytest.raises(tf.errors.InvalidArgumentError, match="var and delta do not have the same"):
        session.run(dense, {rows: [1.0]})
    with pytest.raises(ValueError, match="rank 0"):
        apply_adagrad(w, a, [1.0], [[1.0], [1.0]])
    assert session.run(w).ravel().tolist() == [1.0, 2.0]


def test_scalars_and_half_precision_are_updated(session: Any) -> None:
    w = tf.Variable(np.float16(1.0))
    squares, updates = tf.Variable(np.float16(0.0)), tf.Variable(np.float16(0.0))
    step = apply_adadelta(
        w, squares, updates, *(tf.constant(v, tf.float16) for v in (1.0, 0.5, 0.01, 2.0))
    )
    session.run(tf.global_variables_initializer())
    session.run(step.op)
    value = session.run(w)
    assert value.dtype == np.float16 and abs(value - (1 - 2 * 0.1 / np.sqrt(2.01))) < 1e-2

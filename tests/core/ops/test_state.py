"""Variables' ops: what an update changes and must leave alone, on wholes and on rows."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.ops import state
from minitf.core.ops import updates as training
from minitf.library.optimizers.optimizers import (
    apply_adadelta,
    apply_adagrad,
)

BIG = (300, 257)  # more than one block


def variable(value: Any, dtype: Any = tf.float32, name: str = "v") -> tuple[Any, Any]:
    """A reference, and the operation that initializes it."""
    array = np.asarray(value, dtype.as_numpy_dtype)
    ref = state.variable_v2(array.shape, dtype, name)
    return ref, tf.assign(ref, array).op


def test_a_variable_owns_its_value() -> None:
    ref, _ = variable([1.0, 2.0])
    other = state.variable_v2([2], tf.float32, "other")
    fed = tf.placeholder(tf.float32, [2])
    array = np.array([5.0, 6.0], np.float32)
    with tf.Session() as sess:
        sess.run(tf.assign(ref, fed), {fed: array})
        sess.run(tf.assign(other, ref))
        fetched = sess.run(ref)
        sess.run(tf.assign_add(ref, [1.0, 1.0]))
        assert array.tolist() == [5.0, 6.0]
        assert fetched.tolist() == [5.0, 6.0]
        assert sess.run(other).tolist() == [5.0, 6.0]
        fetched += 1
        assert sess.run(ref).tolist() == [6.0, 7.0]


def test_a_reader_before_the_update_keeps_the_old_value() -> None:
    ref, initialize = variable([1.0, 2.0])
    before = state.read_variable(ref)
    with tf.control_dependencies([before]):
        update = tf.assign_add(ref, [10.0, 10.0])
    with tf.Session() as sess:
        sess.run(initialize)
        old, new = sess.run([before, update])
        assert (old.tolist(), new.tolist()) == ([1.0, 2.0], [11.0, 12.0])


def test_shapes_of_assigned_values() -> None:
    ref = state.variable_v2([2, 3], tf.float32, "v")
    with pytest.raises(ValueError, match=r"Shapes are \[2,3\] and \[3,3\]\. for 'Assign'"):
        tf.assign(ref, tf.ones([3, 3]))
    with pytest.raises(ValueError, match="Shapes must be equal rank, but are 2 and 0"):
        tf.assign(ref, 1.0)
    free = tf.assign(ref, tf.ones([3, 3]), validate_shape=False)
    fed = tf.placeholder(tf.float32)
    with tf.Session() as sess:
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"Assign requires shapes of both tensors to match. "
            r"lhs shape= \[2,3\] rhs shape= \[1\]",
        ):
            sess.run(tf.assign(ref, fed), {fed: [1.0]})
        assert sess.run(free).shape == (3, 3)


def test_updates_from_many_threads_all_count() -> None:
    ref, initialize = variable(np.zeros(BIG))
    step = tf.assign_add(ref, np.ones(BIG, np.float32)).op
    with tf.Session() as sess:
        sess.run(initialize)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: sess.run(step), range(200)))
        assert (sess.run(ref) == 200.0).all()


def test_an_update_beside_a_reader_of_the_old_values() -> None:
    rng = np.random.default_rng(0)
    names = ("w", "m", "v")
    values = [rng.uniform(0.6, 0.7, size=BIG) for _ in names]
    gradient = rng.normal(size=BIG) * 0.1
    refs, initializers = zip(*map(variable, values, [tf.float64] * 3, names), strict=True)
    readers = [state.read_variable(ref) for ref in refs]
    with tf.control_dependencies(readers):
        update = training.apply_adam(*refs, 0.9**3, 0.99**3, 0.1, 0.9, 0.99, 1e-3, gradient)
    with tf.Session() as sess:
        sess.run(initializers)
        old = sess.run([*readers, update])[:-1]
        np.testing.assert_array_equal(old, values)
        w, m, v = values
        m, v = 0.9 * m + 0.1 * gradient, 0.99 * v + 0.01 * gradient**2
        rate = 0.1 * np.sqrt(1 - 0.99**3) / (1 - 0.9**3)
        w = w - rate * m / (np.sqrt(v) + 1e-3)
        np.testing.assert_allclose(sess.run(refs), [w, m, v], rtol=1e-10)


def test_an_update_needs_a_variable_and_one_shape() -> None:
    ref, _ = variable([1.0, 2.0])
    with pytest.raises(TypeError, match="requires that input 'var' be a mutable tensor"):
        training.apply_gradient_descent(tf.constant([1.0]), 0.1, [1.0])
    with pytest.raises(
        ValueError, match="Dimension 0 in both shapes must be equal, but are 2 and 3"
    ):
        training.apply_gradient_descent(ref, 0.1, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        training.apply_gradient_descent(ref, [0.1], [1.0, 2.0])


def test_fading_averages_end_at_zero() -> None:
    refs = [variable(np.full(2000, 1e-36), name=f"v{i}") for i in range(3)]
    w, m, v = (ref for ref, _ in refs)
    update = training.apply_adam(
        w, m, v, 0.9, 0.99, 0.1, 0.5, 0.5, 1e-3, np.zeros(2000, np.float32)
    )
    with tf.Session() as sess:
        sess.run([initialize for _, initialize in refs])
        for _ in range(60):
            sess.run(update.op)
        tiny = np.finfo(np.float32).tiny
        for value in sess.run([m, v]):
            assert ((value == 0) | (np.abs(value) >= tiny)).all()


def test_a_gradient_that_is_a_view_of_its_variable() -> None:
    """A block that is written must not be what a later block still has to read."""
    start = np.random.default_rng(0).normal(size=(300, 300)).astype(np.float32)
    ref, initialize = variable(start)
    update = training.apply_gradient_descent(ref, 0.5, tf.transpose(ref))
    with tf.Session() as sess:
        sess.run(initialize)
        np.testing.assert_allclose(sess.run(update), start - 0.5 * start.T, rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (tf.assign_add, "Parameters and update must be the same size"),
        (tf.assign_sub, "Parameters and update must be the same size"),
        (
            lambda ref, value: training.apply_gradient_descent(ref, 0.5, value),
            r"var and delta do not have the same shape\[1,3\] \[2,3\]",
        ),
        (
            lambda ref, value: apply_adagrad(ref, ref, 0.5, value),
            r"var and grad do not have the same shape\[1,3\] \[2,3\]",
        ),
    ],
)
def test_an_update_does_not_change_the_shape(make: Any, message: str) -> None:
    ref, initialize = variable([[1.0, 2.0, 3.0]])
    before = tf.identity(ref)  # a reader, so that the update may not write in place
    fed = tf.placeholder(tf.float32, [None, 3])
    with tf.control_dependencies([before]):
        update = make(ref, fed)
    with tf.Session() as sess:
        sess.run(initialize)
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            sess.run([update, before], {fed: np.ones((2, 3))})
        assert sess.run(ref).tolist() == [[1.0, 2.0, 3.0]]


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


def test_rows_that_do_not_fit_are_refused(session: Any) -> None:
    w, a = start(session, [[1.0], [2.0]], [[1.0], [1.0]])
    places, rows = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32)
    sparse = apply_adagrad(w, a, 1.0, rows, indices=places)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[0\] = 2 is not in \[0, 2\)"):
        session.run(sparse, {places: [2], rows: [[1.0]]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="same size as the rows"):
        session.run(sparse, {places: [1], rows: [[1.0, 2.0]]})
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

"""Variables' ops: what an update changes and must leave alone, and the optimizers' formulas."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.ops import state
from minitf.core.ops import updates as training
from minitf.library.optimizers.optimizers import (
    apply_adagrad,
    apply_centered_rms_prop,
    apply_rms_prop,
)

BIG = (300, 257)  # more than one block


def variable(value: Any, dtype: Any = tf.float32, name: str = "v") -> tuple[Any, Any]:
    """A reference, and the operation that initializes it."""
    array = np.asarray(value, dtype.as_numpy_dtype)
    ref = state.variable_v2(array.shape, dtype, name)
    return ref, tf.assign(ref, array).op


# ---- assign ------------------------------------------------------------------------------


def test_assign_gives_a_reference() -> None:
    ref, _ = variable([1.0, 2.0])
    assigned = tf.assign(ref, [3.0, 4.0])
    assert (assigned.name, assigned.dtype) == ("Assign_1:0", tf.as_dtype("float32_ref"))
    with tf.Session() as sess:
        assert sess.run(assigned).tolist() == [3.0, 4.0]
        assert sess.run(ref).tolist() == [3.0, 4.0]
        assert sess.run(tf.assign_add(ref, [1.0, 1.0])).tolist() == [4.0, 5.0]
        assert sess.run(tf.assign_sub(ref, [1.0, 0.0])).tolist() == [3.0, 5.0]


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


def test_what_has_no_value_yet() -> None:
    ref, initialize = variable(3)
    with tf.Session() as sess:
        assert not sess.run(tf.is_variable_initialized(ref))
        assert sess.run(state.initialized_value(ref, 7.0)) == 7.0
        with pytest.raises(
            tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value v"
        ):
            sess.run(tf.assign_add(ref, 1.0))
        sess.run(initialize)
        assert sess.run(tf.is_variable_initialized(ref))
        assert sess.run(state.initialized_value(ref, 7.0)) == 3.0


def test_count_up_to() -> None:
    ref, initialize = variable(0, tf.int32)
    count = tf.count_up_to(ref, 2)
    with tf.Session() as sess:
        sess.run(initialize)
        assert [sess.run(count), sess.run(count)] == [0, 1]
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
            sess.run(count)


def test_updates_from_many_threads_all_count() -> None:
    ref, initialize = variable(np.zeros(BIG))
    step = tf.assign_add(ref, np.ones(BIG, np.float32)).op
    with tf.Session() as sess:
        sess.run(initialize)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: sess.run(step), range(200)))
        assert (sess.run(ref) == 200.0).all()


# ---- scatter -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tf.scatter_update, [[5, 6], [1, 1], [3, 4]]),
        (tf.scatter_add, [[5, 6], [1, 1], [5, 7]]),
        (tf.scatter_sub, [[-5, -6], [1, 1], [-3, -5]]),
    ],
)
def test_scatter(function: Any, expected: list) -> None:
    ref, initialize = variable([[0, 0], [1, 1], [1, 1]])
    rows = [[5.0, 6.0], [3.0, 4.0], [1.0, 2.0]] if function is not tf.scatter_update else None
    indices = [0, 2, 2]
    if rows is None:
        rows, indices = [[5.0, 6.0], [3.0, 4.0]], [0, 2]
    with tf.Session() as sess:
        sess.run(initialize)
        assert sess.run(function(ref, indices, rows)).tolist() == expected
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 9 is not in"):
            sess.run(function(ref, [9], [[1.0, 1.0]]))
    with pytest.raises(ValueError, match=r"Shapes are \[1,3\] and \[1,2\]"):
        function(ref, [0], [[1.0, 2.0, 3.0]])


# ---- the optimizers' updates -------------------------------------------------------------


def momentum(w: Any, a: Any, g: Any) -> tuple:
    a = 0.9 * a + g
    return w - 0.1 * a, a


def nesterov(w: Any, a: Any, g: Any) -> tuple:
    a = 0.9 * a + g
    return w - 0.1 * (g + 0.9 * a), a


def adam(w: Any, m: Any, v: Any, g: Any) -> tuple:
    m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
    rate = 0.1 * np.sqrt(1 - 0.99**3) / (1 - 0.9**3)
    return w - rate * m / (np.sqrt(v) + 1e-3), m, v


def adam_nesterov(w: Any, m: Any, v: Any, g: Any) -> tuple:
    m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
    rate = 0.1 * np.sqrt(1 - 0.99**3) / (1 - 0.9**3)
    return w - rate * (0.9 * m + 0.1 * g) / (np.sqrt(v) + 1e-3), m, v


def adagrad(w: Any, a: Any, g: Any) -> tuple:
    a = a + g * g
    return w - 0.1 * g / np.sqrt(a), a


def rms_prop(w: Any, ms: Any, mom: Any, g: Any) -> tuple:
    ms = 0.9 * ms + 0.1 * g * g
    mom = 0.5 * mom + 0.1 * g / np.sqrt(ms + 1e-3)
    return w - mom, ms, mom


def centered(w: Any, mg: Any, ms: Any, mom: Any, g: Any) -> tuple:
    mg, ms = 0.9 * mg + 0.1 * g, 0.9 * ms + 0.1 * g * g
    mom = 0.5 * mom + 0.1 * g / np.sqrt(ms - mg * mg + 1e-3)
    return w - mom, mg, ms, mom


UPDATES: dict[str, tuple] = {
    "sgd": (lambda w, g: training.apply_gradient_descent(w, 0.1, g), lambda w, g: (w - 0.1 * g,)),
    "momentum": (lambda w, a, g: training.apply_momentum(w, a, 0.1, g, 0.9), momentum),
    "nesterov": (
        lambda w, a, g: training.apply_momentum(w, a, 0.1, g, 0.9, use_nesterov=True),
        nesterov,
    ),
    "adam": (
        lambda w, m, v, g: training.apply_adam(w, m, v, 0.9**3, 0.99**3, 0.1, 0.9, 0.99, 1e-3, g),
        adam,
    ),
    "adam_nesterov": (
        lambda w, m, v, g: training.apply_adam(
            w, m, v, 0.9**3, 0.99**3, 0.1, 0.9, 0.99, 1e-3, g, use_nesterov=True
        ),
        adam_nesterov,
    ),
    "adagrad": (lambda w, a, g: apply_adagrad(w, a, 0.1, g), adagrad),
    "rms_prop": (
        lambda w, ms, mom, g: apply_rms_prop(w, ms, mom, 0.1, 0.9, 0.5, 1e-3, g),
        rms_prop,
    ),
    "centered": (
        lambda w, mg, ms, mom, g: apply_centered_rms_prop(w, mg, ms, mom, 0.1, 0.9, 0.5, 1e-3, g),
        centered,
    ),
}


@pytest.mark.parametrize("shape", [(), (5,), BIG, (2, 40_000)], ids=str)
@pytest.mark.parametrize("name", UPDATES)
@pytest.mark.parametrize("snapshot", [False, True], ids=["in place", "with a reader"])
def test_update_formula(name: str, shape: tuple, snapshot: bool) -> None:
    apply, formula = UPDATES[name]
    rng = np.random.default_rng(0)
    slots = formula.__code__.co_argcount - 1
    values = [rng.uniform(0.6, 0.7, size=shape) for _ in range(slots)]
    gradient = tf.constant(np.asarray(rng.normal(size=shape) * 0.1))
    refs, initializers = zip(*(variable(v, tf.float64, f"v{i}") for i, v in enumerate(values)))
    readers = [state.read_variable(ref) for ref in refs] if snapshot else []
    with tf.control_dependencies(readers):
        update = apply(*refs, gradient)
    with tf.Session() as sess:
        sess.run(initializers)
        sess.run([update, *readers])
        after = sess.run(list(refs))
        if snapshot:  # once more, with the old values fetched beside
            old = sess.run([*readers, update])[:-1]
            np.testing.assert_allclose(old, after, rtol=1e-12)
        for value, expected in zip(after, formula(*values, sess.run(gradient)), strict=True):
            np.testing.assert_allclose(value, expected, rtol=1e-10)


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

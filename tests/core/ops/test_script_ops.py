"""`tf.py_func` and `tf.py_function`: Python functions of the program as operations."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode


@pytest.fixture
def sess() -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_arrays_in_arrays_out(sess: Any) -> None:
    x = tf.constant([3.0, 1.0])
    ordered = tf.py_func(np.sort, [x], tf.float32)
    total, large = tf.py_func(lambda a: (a.sum(), a > 2), [x], [tf.float32, tf.bool])
    text = tf.numpy_function(lambda: "abc", [], tf.string)
    results = sess.run([ordered, total, large, text])
    assert results[0].tolist() == [1.0, 3.0] and results[1] == 4.0 and results[3] == b"abc"
    assert ordered.shape.ndims is None


def test_each_run_calls_it_again(sess: Any) -> None:
    calls: list[float] = []
    count = tf.py_func(lambda a: calls.append(a), [tf.constant(1.0)], [])
    sess.run(count)
    sess.run(count)
    assert calls == [1.0, 1.0]


@pytest.mark.parametrize(
    ("function", "kind", "text"),
    [
        (lambda: np.float64(1), tf.errors.InvalidArgumentError, "is double, but expects float"),
        (lambda: [][0], tf.errors.UnknownError, "IndexError: list index out of range"),
        (lambda: next(iter([])), tf.errors.OutOfRangeError, "StopIteration"),
        (lambda: int("x"), tf.errors.InvalidArgumentError, "ValueError: invalid literal"),
    ],
)
def test_what_goes_wrong(sess: Any, function: Any, kind: Any, text: str) -> None:
    with pytest.raises(kind, match=text):
        sess.run(tf.py_func(function, [], tf.float32))


def test_the_number_of_results_must_fit(sess: Any) -> None:
    found = tf.py_func(lambda: (1.0, 2.0), [], [tf.float32])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="returns 2 values, but expects to see 1"
    ):
        sess.run(found)


def test_a_function_is_forgotten_with_its_graph_and_not_before() -> None:
    def pair(number: int) -> Any:
        return lambda: np.float32(number)

    with tf.Graph().as_default() as graph, tf.Session() as session:
        flag = tf.placeholder(tf.bool)
        functions = [pair(1), pair(2)]
        watched = [weakref.ref(f) for f in functions]
        found = tf.cond(
            flag,
            lambda: tf.py_func(functions[0], [], tf.float32),
            lambda: tf.py_func(functions[1], [], tf.float32),
        )
        functions.clear()
        gc.collect()
        assert [session.run(found, {flag: value}) for value in (True, False)] == [1.0, 2.0]
    del graph, session, flag, found
    gc.collect()
    assert [each() for each in watched] == [None, None]


def test_eagerly_it_is_called_at_once_and_not_kept() -> None:
    def double(a: Any) -> Any:
        return a * 2

    watched = weakref.ref(double)
    given = np.ones(3, np.float32)
    with eager_mode():
        found = tf.py_func(double, [given], tf.float32)
        assert tf.py_func(double, [given], [tf.float32])[0].numpy().tolist() == [2.0, 2.0, 2.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="is float, but expects double"):
            tf.py_func(double, [given], tf.float64)
    given[:] = 9
    assert found.numpy().tolist() == [2.0, 2.0, 2.0]
    del double
    gc.collect()
    assert watched() is None


def test_what_no_tensor_can_hold() -> None:
    rows = tf.py_func(lambda: np.zeros(2, [("a", np.float32)]), [], tf.float32)
    things = tf.py_func(lambda: {"a": 1}, [], tf.int64)
    mixed = tf.py_func(lambda: np.array([b"a", "é"], object), [], tf.string)
    with tf.Session() as sess:
        with pytest.raises(tf.errors.UnimplementedError, match="Unsupported numpy type"):
            sess.run(rows)
        with pytest.raises(tf.errors.UnimplementedError, match="Unsupported object type dict"):
            sess.run(things)
        assert sess.run(mixed).tolist() == [b"a", "é".encode()]
    assert tf.py_func(lambda: None, [], [], stateful=False) == []


def leaky(x: tf.Tensor) -> tf.Tensor:
    return x * x if tf.reduce_sum(x) > 0 else 3.0 * x


def test_values_and_gradients_in_a_session() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [2])
        y = tf.py_function(leaky, [x], tf.float32)
        found = [y, *tf.gradients(y * 2.0, x)]
        for value, expected in (([3.0, 1.0], [[9, 1], [12, 4]]), ([-3.0, 1.0], [[-9, 3], [6, 6]])):
            np.testing.assert_array_equal(sess.run(found, {x: value}), expected)


def test_eagerly_under_a_tape() -> None:
    with eager_mode():
        x = tf.constant([3.0, 1.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, z = tf.py_function(lambda a: [leaky(a), a + 1.0], [x], [tf.float32, tf.float32])
        np.testing.assert_array_equal(tape.gradient([y, z], x), [7.0, 3.0])


def test_what_it_returns_must_fit() -> None:
    with eager_mode(), pytest.raises(tf.errors.InvalidArgumentError, match="expects to see 2"):
        tf.py_function(lambda a: a, [tf.constant(1.0)], [tf.float32, tf.float32])

"""Tapes: gradients of what was computed, eagerly and in a graph, of any order."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode


def in_both_modes(program: Callable[[], list[Any]]) -> list[list[Any]]:
    """What a program returns eagerly, and in a graph."""
    with eager_mode():
        first = [None if r is None else tf.convert_to_tensor(r).numpy() for r in program()]
    found = program()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        second = [None if r is None else sess.run(r) for r in found]
    return [first, second]


def assert_both(program: Callable[[], list[Any]], expected: list[Any]) -> None:
    for results in in_both_modes(program):
        assert [r is None for r in results] == [e is None for e in expected]
        for result, wanted in zip(results, expected, strict=True):
            if wanted is not None:
                np.testing.assert_allclose(result, wanted, rtol=1e-5)


def test_an_update_is_no_dependence() -> None:
    with eager_mode():
        v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            v.assign(v * 3.0)
            y = v * v
        assert tape.gradient(y, v).numpy() == 12.0


def test_no_gradient_is_said() -> None:
    with eager_mode():
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_func(lambda a: a, [x], tf.float32)
        assert tape.gradient(y, x) is None


def test_custom_gradient() -> None:
    def program() -> list[Any]:
        v = tf.Variable(2.0)

        @tf.custom_gradient
        def f(x: Any) -> Any:
            def grad(dy: Any, variables: Any) -> Any:
                return dy * 5.0, [dy * 7.0 for _ in variables]

            return x * v, grad

        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x) * 2.0
        return [y, *tape.gradient(y, [x, v])]

    assert_both(program, [12.0, 10.0, 14.0])


def test_custom_gradient_needs_variables() -> None:
    with eager_mode():
        v = tf.Variable(2.0)
        f = tf.custom_gradient(lambda x: (x * v, lambda dy: dy))
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        with pytest.raises(TypeError, match="must accept a 'variables' keyword"):
            tape.gradient(y, x)


def test_registered_gradient_overrides() -> None:
    @tf.RegisterGradient("TimesTwoForTheTapeTest")
    def times_two(op: Any, dy: Any) -> Any:
        return 2.0 * dy

    x = tf.constant(3.0)
    with tf.get_default_graph().gradient_override_map({"Identity": "TimesTwoForTheTapeTest"}):
        y = tf.identity(x)
    with tf.Session() as sess:
        assert sess.run(tf.gradients(y, x)) == [2.0]
    with pytest.raises(KeyError, match="Registering two gradient"):
        tf.RegisterGradient("TimesTwoForTheTapeTest")(times_two)


def _gradients_of_product(x: Any, v: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * v
    return tape.gradient(y, [x, v])


def test_a_tape_inside_a_function_sees_what_comes_from_outside() -> None:
    with eager_mode():
        x, v = tf.constant(3.0), tf.Variable(2.0)

        @tf.function
        def at_once() -> Any:
            return _gradients_of_product(x, v)

        @tf.function
        def in_a_loop(n: Any) -> Any:
            total = tf.constant(0.0)
            for _ in tf.range(n):
                by_x, by_v = _gradients_of_product(x, v)
                total += by_x + by_v
            return total

        @tf.function
        def in_a_branch(chosen: Any, z: Any) -> Any:
            return tf.cond(chosen, lambda: _gradients_of_product(z, v)[0], lambda: z)

        assert [float(g) for g in at_once()] == [12.0, 9.0]
        assert float(in_a_loop(tf.constant(3))) == 63.0
        assert float(in_a_branch(tf.constant(True), x)) == 12.0


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_tape_in_the_body_of_a_loop_in_a_graph(use_resource: bool) -> None:
    v = tf.Variable(2.0, use_resource=use_resource)

    def body(total: Any) -> Any:
        _ = v + 1.0  # what is read before the tape begins may be shared
        with tf.GradientTape() as tape:
            result = v * v
        return total + tape.gradient(result, v)

    total = tf.while_loop(lambda total: total < 10.0, body, [0.0])
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(total) == 12.0

"""Random programs give the same eagerly, as a `tf.function` and in a session, gradients included.

Buffers that are written over too early, twins that were none, side effects out of order: whatever
a plan may do wrong shows as a difference from the operations run one by one. A program acts on
matrices and variables; branches and loops hold smaller programs.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode

SIZE = 8
PURE: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a * b * 0.5,
    lambda a, b: tf.nn.relu(a - b),
    lambda a, b: tf.transpose(a),
    lambda a, b: tf.reshape(tf.reshape(a, [-1]), [SIZE, SIZE]),
    lambda a, b: tf.concat([a[: SIZE // 2], b[SIZE // 2 :]], 0),
    lambda a, b: tf.reverse(a, [0]),
    lambda a, b: tf.nn.bias_add(a, b[0]),
    lambda a, b: tf.tanh(a),
    lambda a, b: tf.stack(tf.unstack(a)[::-1]),
    lambda a, b: tf.where(a > b, a, b),
    lambda a, b: tf.add_n([a, b, a]) * 0.3,
    lambda a, b: tf.TensorArray(tf.float32, 2).write(0, a).write(1, b).stack()[1] + a,
]
UPDATES = [tf.assign_add, tf.assign_sub, tf.assign]


class Order:
    """Makes what has effects run in the order of the program, where a graph does not do so."""

    def __init__(self, explicit: bool) -> None:
        self.explicit = explicit
        self.last: Any = None

    def after(self) -> Any:
        return tf.control_dependencies([self.last] if self.last is not None else [])

    def follow(self, tensor: Any) -> Any:
        if self.explicit:
            self.last = tensor.op
        return tensor


def program(seed: int, xs: Any, variables: Any, explicit: bool, depth: int = 0) -> Any:
    """Builds or runs the program of a seed; returns its result, given after all effects."""
    rng, values, order = np.random.default_rng(seed), list(xs), Order(explicit)

    def inner(number: int, *given: Any) -> Any:
        return program(number, given, variables, explicit, depth + 1)

    def branch(number: int, a: Any, b: Any) -> Any:
        more = a[0, 1] > b[1, 0]  # no sums: these depend on how the memory lies
        return tf.cond(more, lambda: inner(number, a, b), lambda: inner(number + 1, b, a))

    def loop(number: int, turns: int, a: Any, b: Any) -> Any:
        return tf.while_loop(
            lambda i, *_: i < turns,
            lambda i, x, y: (i + 1, tf.tanh(inner(number, x, y, a)), x),
            [tf.constant(0), a, b],
        )

    for _ in range(rng.integers(6, 16)):
        a, b = (values[rng.integers(len(values))] for _ in range(2))
        variable = variables[rng.integers(len(variables))]
        number, turns = int(rng.integers(1 << 30)), int(rng.integers(4))
        kind = int(rng.integers(len(PURE) + (6 if depth < 2 else 4)))
        if kind < len(PURE):
            values.append(PURE[kind](a, b))
            continue
        with order.after():
            if kind < len(PURE) + 2:
                values.append(order.follow(tf.identity(variable.read_value())))
            elif kind < len(PURE) + 4:
                update = UPDATES[turns % 3](variable, a * 0.5)
                with tf.control_dependencies([update.op] if explicit else []):
                    values.append(order.follow(tf.identity(variable.read_value())))
            elif kind == len(PURE) + 4:
                values.append(order.follow(branch(number, a, b)))
            else:
                _, last, before = loop(number, turns, a, b)
                values += [before, order.follow(last)]
    with order.after():
        return tf.identity(values[-1] + values[rng.integers(len(values))] * 0.5)


def at_once(seed: int, xs: Any, starts: Any, traced: bool) -> list[list[Any]]:
    with eager_mode():
        variables = [tf.Variable(v) for v in starts]
        run: Any = lambda *given: program(seed, given, variables, explicit=False)  # noqa: E731
        run = tf.function(run) if traced else run
        found = []
        for _ in range(2):
            given = [tf.constant(x) for x in xs]
            with tf.GradientTape() as tape:
                tape.watch(given)
                y = run(*given)
            gradients = tape.gradient(y, given, unconnected_gradients="zero")
            found.append([t.numpy() for t in (y, *gradients, *variables)])
        return found


def in_a_session(seed: int, xs: Any, starts: Any, devices: int) -> list[list[Any]]:
    config = tf.ConfigProto(device_count={"CPU": devices})
    with tf.Graph().as_default(), tf.Session(config=config) as sess:
        with tf.device(f"/cpu:{devices - 1}"):
            variables = [tf.Variable(v, use_resource=True) for v in starts]
        given = [tf.placeholder(tf.float32, [SIZE, SIZE]) for _ in xs]
        y = program(seed, given, variables, explicit=True)
        fetches = [y, *tf.gradients(y, given, unconnected_gradients="zero")]
        sess.run(tf.global_variables_initializer())
        feeds = dict(zip(given, xs, strict=True))
        return [[*sess.run(fetches, feeds), *sess.run(variables)] for _ in range(2)]


@pytest.mark.parametrize("seed", range(24))
def test_random_programs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    xs, starts = rng.normal(size=(2, 2, SIZE, SIZE)).astype(np.float32)
    wanted = at_once(seed, xs, starts, traced=False)
    for found in (
        at_once(seed, xs, starts, traced=True),
        in_a_session(seed, xs, starts, devices=1),
        in_a_session(seed, xs, starts, devices=2),
    ):
        for ours, theirs in zip(found, wanted, strict=True):
            for one, other in zip(ours, theirs, strict=True):
                scale = max(1.0, float(np.abs(other).max()))
                np.testing.assert_allclose(one, other, rtol=2e-3, atol=1e-3 * scale)

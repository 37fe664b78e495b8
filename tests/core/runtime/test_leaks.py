"""Thousands of runs leave nothing behind: neither objects of Python nor memory of arrays."""

import gc
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

import minitf as tf

RUNS = 3_000
WARM = 200
#: Bytes that may remain: less than a pointer for each run.
TOLERATED = 4 * RUNS


def training() -> Callable[[tf.Session], object]:
    """A step of Adam on a fed batch, with a fetched loss."""
    x = tf.placeholder(tf.float32, [None, 8])
    loss = tf.reduce_mean(tf.square(tf.layers.dense(tf.nn.relu(tf.layers.dense(x, 4)), 1)))
    train = tf.train.AdamOptimizer(0.01).minimize(loss)
    batch = np.ones((4, 8), np.float32)
    return lambda session: session.run([train, loss], {x: batch})


def fed_shapes_change() -> Callable[[tf.Session], object]:
    """Batches of many sizes: nothing may be kept for each."""
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.nn.softmax(x * 2.0 + 1.0)
    sizes = iter(range(1, 10 * RUNS))
    return lambda session: session.run(y, {x: np.ones((next(sizes) % 997 + 1, 3), np.float32)})


def loop_and_branch() -> Callable[[tf.Session], object]:
    x = tf.placeholder(tf.float32, [])
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, 1.0])
    z = tf.cond(x > 0.0, lambda: y + 1.0, lambda: y - 1.0)
    signs = iter(range(10 * RUNS))
    return lambda session: session.run(z, {x: (-1.0) ** next(signs)})


def variable_and_random() -> Callable[[tf.Session], object]:
    counter = tf.Variable(0)
    noise = tf.random_normal([16])
    add = tf.assign_add(counter, 1)
    return lambda session: session.run([counter, noise, add])


def new_fetch_lists() -> Callable[[tf.Session], object]:
    """Each call passes new lists and dictionaries, as programs do."""
    x = tf.placeholder(tf.float32, [2])
    y, z = x + 1.0, {"product": x * 2.0}
    return lambda session: session.run([y, dict(z), [x]], {x: [1.0, 2.0]})


def failing() -> Callable[[tf.Session], object]:
    """A run that raises holds on to nothing that its traceback has seen."""
    x = tf.placeholder(tf.float32, [None])
    y = tf.reshape(x, [3])

    def step(session: tf.Session) -> None:
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y, {x: np.ones(1000, np.float32)})

    return step


def grows(step: Callable[[], object], runs: int, by: int, warm: int = WARM) -> bool:
    """Returns whether so many runs leave more than `by` bytes behind, each of three times.

    A leak grows each time; another thread, or a cache of Python's, keeps something now and then.
    """
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(warm):  # what the tracing itself makes the caches hold
            step()
        for _ in range(3):
            gc.collect()
            before, _ = tracemalloc.get_traced_memory()
            for _ in range(runs):
                step()
            gc.collect()
            after, _ = tracemalloc.get_traced_memory()
            if after - before <= by:
                return False
    finally:
        tracemalloc.stop()
    return True


@pytest.mark.slow
@pytest.mark.parametrize(
    "build",
    [
        training,
        fed_shapes_change,
        loop_and_branch,
        variable_and_random,
        new_fetch_lists,
        failing,
    ],
)
def test_many_runs_leak_nothing(build: Callable[[], Callable[[tf.Session], object]]) -> None:
    runs = RUNS // 10 if build is failing else RUNS  # the tracebacks of pytest are slow
    with tf.Graph().as_default() as graph, tf.Session() as session:
        step = build()
        session.run(tf.global_variables_initializer())
        ops = len(graph.get_operations())
        for _ in range(WARM):
            step(session)
        assert not grows(lambda: step(session), runs, TOLERATED * max(runs, RUNS // 2) // RUNS)
        assert len(graph.get_operations()) == ops


@pytest.mark.slow
def test_graphs_and_sessions_that_are_gone_leave_nothing() -> None:
    def once() -> None:
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, [None, 8])
            loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 4)))
            train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
            session.run(tf.global_variables_initializer())
            session.run(train, {x: np.ones((2, 8), np.float32)})

    # a graph and its plan hold about 300,000 bytes; Python's caches keep a few names of attributes
    assert not grows(once, 100, 100 * 500, warm=100)

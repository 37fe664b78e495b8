"""Where no thread can start, the programs of a step take turns in the caller's thread."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.runtime.emit.emit import Program
from minitf.core.runtime.run.devices import CpuDevice
from minitf.core.runtime.run.executor import run_programs
from minitf.core.runtime.run.rendezvous import Key, Rendezvous

pytestmark = pytest.mark.usefixtures("no_threads")
THERE = Key.of("/device:CPU:0", "/device:CPU:1", "there:0")
BACK = Key.of("/device:CPU:1", "/device:CPU:0", "back:0")
TWO_CPUS = tf.ConfigProto(device_count={"CPU": 2})


def program(run: Callable[..., Any], fetches: list[int]) -> Program:
    """A program written by hand."""
    return Program(CpuDevice("/device:CPU:0"), "", run, [], fetches, {})


def test_programs_that_wait_for_each_other_in_turn_reach_their_ends() -> None:
    def first(rendezvous: Rendezvous) -> Iterator:
        rendezvous.send(THERE, 1)
        (back,) = yield [BACK]
        return (back,)

    def second(rendezvous: Rendezvous) -> Iterator:
        (there,) = yield [THERE]
        rendezvous.send(BACK, there + 1)
        return (there,)

    programs = [program(second, [1]), program(first, [0])]
    assert run_programs(programs, [], 2, Rendezvous()) == [2, 1]


def test_programs_that_wait_for_ever_are_an_error_that_names_the_tensors() -> None:
    def waits_for(key: Key) -> Callable[..., Iterator]:
        def run(rendezvous: Rendezvous) -> Iterator:
            yield [key]
            return ()

        return run

    programs = [program(waits_for(BACK), []), program(waits_for(THERE), [])]
    with pytest.raises(tf.errors.InternalError, match=r"wait for: 'back:0' .*'there:0' "):
        run_programs(programs, [], 0, Rendezvous())


def test_a_step_over_two_devices_gives_what_threads_give() -> None:
    def ping_pong() -> Any:
        with tf.device("/cpu:0"):
            x = tf.Variable(np.arange(6.0).reshape(2, 3), name="x")
            y = tf.matmul(x, x, transpose_b=True)
        with tf.device("/cpu:1"):
            z = tf.exp(-y)
        with tf.device("/cpu:0"):
            update = tf.assign(x, x + tf.reduce_sum(z))
        with tf.device("/cpu:1"):
            return update * 1.0

    result = ping_pong()
    with tf.Session(config=TWO_CPUS) as sess:
        sess.run(tf.global_variables_initializer())
        got = [sess.run(result) for _ in range(3)]
        assert "= yield [" in sess.explain(result)
    x = np.arange(6.0).reshape(2, 3)
    for each in got:
        x = x + np.exp(-(x @ x.T)).sum()
        np.testing.assert_allclose(each, x, rtol=1e-12)


def test_an_error_names_its_node_and_infinity_is_no_warning() -> None:
    with tf.device("/cpu:0"):
        zero = tf.placeholder(tf.float32, [2], name="zero")
        ratio = 1.0 / zero
    with tf.device("/cpu:1"):
        shape = tf.placeholder(tf.int32, [None])
        shaped = tf.reshape(ratio, shape, name="shaped")
    with tf.Session(config=TWO_CPUS) as sess:
        assert sess.run(shaped, {zero: [0.0, 1.0], shape: [2]}).tolist() == [np.inf, 1.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[\[node shaped "):
            sess.run(shaped, {zero: [0.0, 1.0], shape: [3]})


def test_a_wait_that_nothing_can_end_is_an_error() -> None:
    queue = tf.FIFOQueue(2, tf.int32)
    with tf.Session() as sess:
        with pytest.raises(tf.errors.FailedPreconditionError, match="wait for ever"):
            sess.run(queue.dequeue())
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=10)) as sess:
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(queue.dequeue())

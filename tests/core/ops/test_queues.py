"""Queues: order, waiting between threads, closing, giving up, and sharing."""

import gc
import queue as python_queue
import random
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.runtime.run.rendezvous import Rendezvous
from minitf.library.eager.context import eager_mode
from minitf.library.input.queues.states import FIFOState


class Running:
    """A call in a thread of its own, and what came of it."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._done: python_queue.SimpleQueue = python_queue.SimpleQueue()
        threading.Thread(target=self._run, args=(function,), daemon=True).start()

    def _run(self, function: Callable[[], Any]) -> None:
        try:
            self._done.put((function(), None))
        except Exception as error:
            self._done.put((None, error))

    @property
    def waits(self) -> bool:
        """Whether it still runs after a moment."""
        time.sleep(0.1)
        return self._done.empty()

    def result(self) -> Any:
        value, error = self._done.get(timeout=10)
        if error is not None:
            raise error
        return value


def numbers(capacity: int = 3, **options: Any) -> tf.FIFOQueue:
    return tf.FIFOQueue(capacity, tf.int32, shapes=[[]], **options)


def test_enqueue_waits_for_room_and_dequeue_for_elements() -> None:
    q = numbers(1)
    enqueue, dequeue = q.enqueue(7), q.dequeue()
    with tf.Session() as sess:
        taker = Running(lambda: sess.run(dequeue))
        assert taker.waits
        sess.run(enqueue)
        assert taker.result() == 7
        sess.run(enqueue)
        giver = Running(lambda: sess.run(enqueue))
        assert giver.waits
        assert sess.run(dequeue) == 7
        giver.result()
        assert sess.run(q.size()) == 1


def test_those_who_wait_are_served_in_order() -> None:
    q = numbers(9)
    many, one, enqueue = q.dequeue_many(3), q.dequeue(), q.enqueue_many([[1, 2, 3, 4]])
    with tf.Session() as sess:
        first = Running(lambda: sess.run(many))
        assert first.waits
        second = Running(lambda: sess.run(one))
        assert second.waits
        sess.run(enqueue)
        np.testing.assert_array_equal(first.result(), [1, 2, 3])
        assert second.result() == 4


def test_closing_wakes_dequeuers_and_gives_back_what_they_had() -> None:
    q = numbers(9)
    batch, rest = q.dequeue_many(3), q.dequeue_up_to(3)
    with tf.Session() as sess:
        sess.run(q.enqueue_many([[1, 2]]))
        taker = Running(lambda: sess.run(batch))
        assert taker.waits
        sess.run(q.close())
        with pytest.raises(tf.errors.OutOfRangeError):
            taker.result()
        np.testing.assert_array_equal(sess.run(rest), [1, 2])


def test_closing_waits_for_pending_enqueues_or_cancels_them() -> None:
    for cancel in (False, True):
        q = numbers(1)
        enqueue, close = q.enqueue_many([[1, 2, 3]]), q.close(cancel_pending_enqueues=cancel)
        with tf.Session() as sess:
            giver = Running(lambda sess=sess, enqueue=enqueue: sess.run(enqueue))
            assert giver.waits
            closer = Running(lambda sess=sess, close=close: sess.run(close))
            if cancel:
                closer.result()
                with pytest.raises(
                    tf.errors.CancelledError, match="Enqueue operation was cancelled"
                ):
                    giver.result()
                assert sess.run(q.size()) == 1
            else:
                assert closer.waits
                got = [sess.run(q.dequeue()) for _ in range(3)]
                assert got == [1, 2, 3]
                closer.result()
                giver.result()


def test_a_limit_of_time_ends_the_waiting() -> None:
    dequeue = numbers().dequeue()
    options = tf.RunOptions(timeout_in_ms=50)
    with tf.Session() as sess, pytest.raises(tf.errors.DeadlineExceededError, match="Timed out"):
        sess.run(dequeue, options=options)
    config = tf.ConfigProto(operation_timeout_in_ms=50)
    with tf.Session(config=config) as sess, pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(dequeue)


def test_a_failure_on_another_device_ends_the_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINITF_SIMULATED_GPUS", "1")
    dequeue = numbers().dequeue()
    with tf.device("/gpu:0"):
        bad = tf.matrix_inverse(tf.zeros([2, 2]) * tf.placeholder_with_default(1.0, []))
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError):
        sess.run([dequeue, bad])


def test_interrupt_reaches_a_step_that_waits() -> None:
    program = (
        "import minitf as tf\n"
        "q = tf.FIFOQueue(1, tf.int32)\n"
        "print('waiting', flush=True)\n"
        "try:\n    tf.Session().run(q.dequeue())\n"
        "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20)[0] == "interrupted\n"


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_thousand_elements_arrive_exactly_once(shuffle: bool) -> None:
    q: tf.QueueBase = numbers(10)
    if shuffle:
        q = tf.RandomShuffleQueue(10, 3, tf.int32, shapes=[[]])
    x = tf.placeholder(tf.int32, [None])
    enqueue, one, up_to, close = q.enqueue_many(x), q.dequeue(), q.dequeue_up_to(7), q.close()
    found: list[int] = []
    with tf.Session() as sess:

        def give(start: int) -> None:
            values = list(range(start, start + 125))
            while values:
                cut = random.randrange(1, 9)
                sess.run(enqueue, {x: values[:cut]})
                values = values[cut:]

        def take(batches: bool) -> None:
            try:
                while True:
                    found.extend(np.ravel(sess.run(up_to if batches else one)).tolist())
            except tf.errors.OutOfRangeError:
                pass

        givers = [Running(lambda i=i: give(125 * i)) for i in range(8)]
        takers = [Running(lambda i=i: take(i % 2 == 0)) for i in range(6)]
        for giver in givers:
            giver.result()
        sess.run(close)
        for taker in takers:
            taker.result()
    assert sorted(found) == list(range(1000))


def test_an_element_is_a_copy() -> None:
    q = tf.FIFOQueue(9, tf.float32, shapes=[[2]])
    x = tf.placeholder(tf.float32, [2])
    v = tf.Variable([1.0, 1.0])
    enqueue, of_variable = q.enqueue(x), q.enqueue(v)
    fed = np.array([1, 2], np.float32)
    with tf.Session() as sess:
        sess.run(v.initializer)
        sess.run(enqueue, {x: fed})
        fed[:] = 0
        sess.run(of_variable)
        sess.run(v.assign_add([5.0, 5.0]))
        np.testing.assert_array_equal(sess.run(q.dequeue()), [1, 2])
        np.testing.assert_array_equal(sess.run(q.dequeue()), [1, 1])


def test_steps_of_two_sessions_have_queues_of_their_own() -> None:
    q = numbers()
    enqueue, size = q.enqueue(1), q.size()
    with tf.Session() as one, tf.Session() as other:
        one.run(enqueue)
        assert (one.run(size), other.run(size)) == (1, 0)


def test_what_waits_is_traced_too() -> None:
    q = numbers()
    metadata = tf.RunMetadata()
    with tf.Session() as sess:
        sess.run(q.enqueue(5))
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        assert sess.run(q.dequeue(), options=options, run_metadata=metadata) == 5
    names = [n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats]
    assert "fifo_queue_Dequeue" in names


def test_an_eager_queue_is_gone_with_its_handle() -> None:
    with eager_mode():
        queue = tf.queue.FIFOQueue(3, [tf.float32])
        queue.enqueue(np.ones(3, np.float32))
        state = weakref.ref(queue.queue_ref._value)
        assert queue.dequeue().numpy().tolist() == [1.0, 1.0, 1.0]
        del queue
        gc.collect()
    assert state() is None


def test_a_step_that_was_given_up_takes_nothing_that_has_come_meanwhile() -> None:
    state, step = FIFOState("q", [tf.int32], [tf.TensorShape([])], 3), Rendezvous()
    taker = Running(lambda: state.dequeue(1, step))
    assert taker.waits
    with state._changed:  # it wakes when both have happened
        step.abort(tf.errors.CancelledError(None, None, "over"))
        state.enqueue([[1]])
    with pytest.raises(tf.errors.CancelledError, match="Dequeue operation was cancelled"):
        taker.result()
    with pytest.raises(tf.errors.CancelledError, match="over"):
        state.dequeue(1, step)
    assert state.count() == 1

"""Coordinator, QueueRunner and the input pipelines made of them."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest

import minitf as tf


def started(target: Any) -> threading.Thread:
    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    return thread


def test_join_waits_for_threads_that_end_by_themselves() -> None:
    coord, seen = tf.train.Coordinator(), []
    threads = [started(lambda i=i: (time.sleep(0.05), seen.append(i))) for i in range(4)]
    coord.join(threads)
    assert sorted(seen) == [0, 1, 2, 3]
    assert coord.joined and not coord.should_stop()


def test_the_first_error_stops_all_and_is_raised_by_join() -> None:
    coord = tf.train.Coordinator()

    def fails() -> None:
        with coord.stop_on_exception():
            raise ValueError("boom")

    def works() -> None:
        while not coord.should_stop():
            time.sleep(0.01)

    threads = [started(works), started(works), started(fails)]
    for _ in range(2):
        with pytest.raises(ValueError, match="boom"):
            coord.join(threads)
    assert not any(t.is_alive() for t in threads)
    coord.clear_stop()
    assert not coord.should_stop()


def test_the_end_of_the_data_is_no_error() -> None:
    coord = tf.train.Coordinator()
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "end"))
    coord.join([])
    coord = tf.train.Coordinator(clean_stop_exception_types=(KeyError,))
    with coord.stop_on_exception():
        raise KeyError("end")
    coord.join([])


def test_threads_that_do_not_stop_are_named() -> None:
    release = threading.Event()
    thread = threading.Thread(target=release.wait, name="sleepy", daemon=True)
    thread.start()
    coord = tf.train.Coordinator()
    coord.request_stop()
    with pytest.raises(RuntimeError, match="threads still running: sleepy"):
        coord.join([thread], stop_grace_period_secs=0.1)
    coord = tf.train.Coordinator()
    coord.request_stop()
    coord.join([thread], stop_grace_period_secs=0.1, ignore_live_threads=True)
    release.set()


def test_wait_for_stop_and_an_error_after_the_end() -> None:
    coord = tf.train.Coordinator()
    assert not coord.wait_for_stop(0.01)
    coord.request_stop()
    assert coord.wait_for_stop(0.01)
    coord.join([])
    with pytest.raises(ValueError, match="late"):
        coord.request_stop(ValueError("late"))


def test_looper_thread_calls_until_the_stop() -> None:
    coord, calls = tf.train.Coordinator(), []

    def turn(word: str) -> None:
        calls.append(word)
        if len(calls) == 3:
            coord.request_stop()

    looper = tf.train.LooperThread.loop(coord, 0.01, turn, args=("a",))
    coord.join([looper])
    assert calls == ["a"] * 3
    with pytest.raises(ValueError, match="must be a Coordinator"):
        tf.train.LooperThread(3, None)


def test_an_error_in_a_queue_runner_comes_out_of_join() -> None:
    x = tf.placeholder(tf.int32, [], name="x")
    q = tf.FIFOQueue(2, tf.int32, shapes=[[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(q, [q.enqueue(x)]))
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(q.dequeue())
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value"):
            coord.join(threads)


class _Silent(tf.train.Coordinator):
    """One's own, whose wait does not tell why it ended."""

    def wait_for_stop(self, timeout: float | None = None) -> None:
        super().wait_for_stop(timeout)


def test_queue_runners_end_with_a_coordinator_of_ones_own() -> None:
    queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1)])
    with tf.Session() as sess:
        coord = _Silent()
        threads = runner.create_threads(sess, coord, daemon=True, start=True)
        assert sess.run(queue.dequeue()) == 1
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=5)


def epochs_of(tensor: Any) -> list[Any]:
    """All that a pipeline gives, until the end of its data."""
    found = []
    with tf.Session() as sess:
        sess.run([tf.local_variables_initializer(), tf.global_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while not coord.should_stop():
                found.append(sess.run(tensor))
        except tf.errors.OutOfRangeError:
            coord.request_stop()
        coord.join(threads)
    return found


def test_match_filenames_once(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.csv"):
        (tmp_path / name).write_text(name)
    files = tf.train.match_filenames_once(str(tmp_path / "*.txt"))
    reader = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, content = tf.WholeFileReader().read(reader)
    assert epochs_of(content) == [b"a.txt", b"b.txt"]

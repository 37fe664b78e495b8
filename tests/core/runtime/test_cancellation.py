"""A step that is given up ends where it computes: Ctrl-C, and a session closed meanwhile."""

import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitf as tf

ONE, OTHER = "/cpu:0", "/cpu:1"
TWO_DEVICES = tf.ConfigProto(device_count={"CPU": 2})


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def endless_while() -> Any:
    return tf.while_loop(lambda i: i < 2_000_000_000, lambda i: i + 1, [0])


def endless_scan() -> Any:
    """The gradient of a loop runs over the turns of the loop, here with a kernel that sleeps."""

    @tf.custom_gradient
    def slow(x: Any) -> Any:
        def grad(dy: Any) -> Any:
            slept = tf.py_func(lambda v: (time.sleep(0.05), v)[1], [dy], tf.float32)
            slept.set_shape([])
            return slept

        return tf.identity(x), grad

    x = tf.constant(1.0)
    _, y = tf.while_loop(lambda i, _: i < 2000, lambda i, v: (i + 1, slow(v)), [0, x])
    return tf.gradients(y, x)[0]


def endless_queue() -> Any:
    return tf.FIFOQueue(3, tf.float32, name="queue").dequeue()


def close_while_it_runs(fetch: Any, config: Any = None) -> BaseException:
    """What a run says whose session another thread closes."""
    session = tf.Session(config=config)
    caught: list[BaseException] = []

    def work() -> None:
        try:
            session.run(fetch)
        except tf.errors.OpError as error:
            caught.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    time.sleep(0.5)
    session.close()
    thread.join(20)
    assert caught, "the run went on"
    return caught[0]


@pytest.mark.parametrize(
    ("build", "words"),  # TensorFlow's
    [
        (endless_while, "Loop execution was cancelled."),
        (endless_scan, "Loop execution was cancelled."),
        (endless_queue, "Dequeue operation was cancelled"),
    ],
)
@pytest.mark.parametrize("device", [ONE, OTHER])
def test_closing_a_session_ends_its_runs(build: Callable, words: str, device: str) -> None:
    with tf.device(device):
        fetch = build()
    error = close_while_it_runs(fetch, TWO_DEVICES)
    assert isinstance(error, tf.errors.CancelledError)
    assert "[[node" in error.message
    assert words in error.message or device == OTHER  # there its receiver may be first to say so


def test_closing_a_session_ends_its_runs_on_all_devices() -> None:
    turns = [0, 0]
    fetches = [_counting_loop(device, turns, k) for k, device in enumerate((ONE, OTHER))]
    assert isinstance(close_while_it_runs(fetches, TWO_DEVICES), tf.errors.CancelledError)
    _assert_still(turns)


def test_ctrl_c_ends_the_programs_of_all_devices() -> None:
    turns = [0, 0]
    fetches = [_counting_loop(device, turns, k) for k, device in enumerate((ONE, OTHER))]
    with tf.Session(config=TWO_DEVICES) as session:
        main = threading.main_thread()
        timer = threading.Timer(0.5, signal.pthread_kill, [main.ident, signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            session.run(fetches)
        timer.join()
        _assert_still(turns)
        assert session.run(tf.constant(3) + 4) == 7


def _counting_loop(device: str, turns: list[int], place: int) -> Any:
    def count(i: np.ndarray) -> np.ndarray:
        turns[place] += 1
        return np.int32(i + 1)

    def body(i: Any) -> Any:
        counted = tf.py_func(count, [i], tf.int32)
        counted.set_shape([])
        return counted

    with tf.device(device):
        return tf.while_loop(lambda i: i < 2_000_000_000, body, [0])


def _assert_still(turns: list[int]) -> None:
    """Nothing counts any more, a moment after it should have stopped."""
    assert all(turns), "both had begun"
    time.sleep(0.5)
    before = list(turns)
    time.sleep(0.3)
    assert turns == before


@pytest.mark.parametrize("limited_by", ["run", "session"])
def test_a_loop_ends_when_its_time_runs_out(limited_by: str) -> None:
    loop, options = endless_while(), tf.RunOptions(timeout_in_ms=20)
    config = tf.ConfigProto(operation_timeout_in_ms=20, device_count={"CPU": 2})
    with tf.Session(config=config if limited_by == "session" else None) as session:
        with pytest.raises(tf.errors.DeadlineExceededError, match="Timed out waiting"):
            session.run(loop, options=options if limited_by == "run" else None)
        assert session.run(tf.constant(1), options=options) == 1


def test_a_loop_inside_many_others_ends_when_its_time_runs_out() -> None:
    def inside(depth: int, number: Any) -> Any:
        if depth == 0:
            return tf.while_loop(lambda i: i < 2_000_000_000, lambda i: i + 1, [number])
        return tf.while_loop(lambda i: i < 2_000_000_000, lambda i: inside(depth - 1, i), [number])

    loop = inside(16, 0)  # deeper than statements of Python nest
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=200)) as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(loop)


def sleeping(x: Any) -> Any:
    slept = tf.py_func(lambda v: (time.sleep(5.0), v)[1], [x], tf.int64)
    slept.set_shape([])
    return slept


def endless(x: Any) -> Any:
    return tf.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 100, [x])


NUMBERS = tf.data.Dataset.range
ENDLESS_DATASETS: dict[str, Callable[[], Any]] = {
    "filter": lambda: NUMBERS(9).repeat().filter(lambda x: x < 0),
    "filter ahead": lambda: NUMBERS(9).repeat().filter(lambda x: x < 0).prefetch(1),
    "batch": lambda: NUMBERS(9).repeat().filter(lambda x: x < 0).batch(2),
    "map": lambda: NUMBERS(9).map(endless),
    "map ahead": lambda: NUMBERS(9).map(endless).prefetch(1),
    "parallel map": lambda: NUMBERS(9).map(sleeping, num_parallel_calls=2),
    "flat map": lambda: NUMBERS(9).repeat().flat_map(lambda x: NUMBERS(0)),
    "interleave": lambda: NUMBERS(9).repeat().interleave(lambda x: NUMBERS(0), 2),
    "skip": lambda: NUMBERS(9).repeat().skip(10**15),
    "shard": lambda: NUMBERS(9).repeat().shard(10**15, 10**14),
    "errors": lambda: NUMBERS(9).repeat().map(lambda x: x // 0).apply(IGNORE_ERRORS()),
    "queue": lambda: NUMBERS(9).map(lambda x: tf.FIFOQueue(1, "int64", [()]).dequeue()),
}
IGNORE_ERRORS = tf.data.experimental.ignore_errors


@pytest.mark.parametrize("kind", ENDLESS_DATASETS)
def test_a_dataset_ends_when_the_time_of_the_step_runs_out(kind: str) -> None:
    element = tf.data.make_one_shot_iterator(ENDLESS_DATASETS[kind]()).get_next()
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=300)) as session:
        start = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(element)
        assert time.monotonic() - start < 4
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(element)


def test_what_walks_over_a_whole_dataset_ends_when_its_time_runs_out() -> None:
    numbers = NUMBERS(9).repeat()
    total = numbers.reduce(np.int64(0), lambda total, x: total + x)
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=300)) as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(total)


@pytest.mark.parametrize("kind", [k for k in ENDLESS_DATASETS if k != "parallel map"])
def test_closing_a_session_ends_its_datasets(kind: str) -> None:
    element = tf.data.make_one_shot_iterator(ENDLESS_DATASETS[kind]()).get_next()
    assert isinstance(close_while_it_runs(element), tf.errors.CancelledError)


def test_starting_an_iterator_again_ends_who_waits_for_its_element() -> None:
    iterator = tf.data.make_initializable_iterator(NUMBERS(9).map(endless))
    element, begin = iterator.get_next(), iterator.initializer
    caught: list[str] = []
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=100_000)) as session:
        session.run(begin)

        def work() -> None:
            with pytest.raises(tf.errors.CancelledError) as error:
                session.run(element)
            caught.append(str(error.value))

        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.5)
        session.run(begin)
        thread.join(20)
        assert caught


def test_a_dataset_gives_its_elements_after_a_step_that_was_too_late() -> None:
    wait = [0.5, 0.0, 0.0]

    def slow_at_first(x: np.ndarray) -> np.ndarray:
        time.sleep(wait.pop(0))
        return x

    mapped = NUMBERS(3).map(lambda x: tf.py_func(slow_at_first, [x], tf.int64))
    element = tf.data.make_one_shot_iterator(mapped.prefetch(1)).get_next()
    with tf.Session() as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(element, options=tf.RunOptions(timeout_in_ms=100))
        assert [session.run(element) for _ in range(3)] == [0, 1, 2]

"""Threads of pipelines: they work ahead, keep the order, and end."""

import gc
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import minitf as tf

Dataset = tf.data.Dataset


def _noted(seen, seconds=0.0):
    """A function of elements that notes which it has seen."""

    def note(x):
        time.sleep(seconds)
        seen.append(int(x))
        return x

    return lambda x: tf.py_func(note, [x], tf.int64)


def _wait_until(condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert condition()


def test_prefetch_works_ahead(sess):
    seen = []
    element = Dataset.range(10).map(_noted(seen)).prefetch(3).make_one_shot_iterator().get_next()
    assert sess.run(element) == 0
    _wait_until(lambda: len(seen) >= 4)
    time.sleep(0.05)
    assert len(seen) <= 5  # one taken, three kept, one more being computed
    assert [sess.run(element) for _ in range(9)] == list(range(1, 10))


def test_prefetch_passes_errors_on(sess):
    element = Dataset.range(1, -2, -1).map(lambda x: 6 // x).prefetch(2)
    element = element.make_one_shot_iterator().get_next()
    assert sess.run(element) == 6
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        sess.run(element)
    assert sess.run(element) == -6
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        sess.run(element)


def test_threads_end_with_the_session(no_threads_left):
    dataset = Dataset.range(100).repeat().map(lambda x: x + 1, num_parallel_calls=2).prefetch(2)
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        session.run(element)
        assert any(t.name.startswith("minitf-prefetch") for t in threading.enumerate())
    assert no_threads_left()


def test_threads_end_when_the_iterator_starts_anew(sess, no_threads_left):
    iterator = Dataset.range(5).repeat().prefetch(2).make_initializable_iterator()
    element = iterator.get_next()
    for _ in range(20):
        sess.run(iterator.initializer)
        assert sess.run(element) == 0
    sess.close()
    assert no_threads_left()


def test_threads_end_with_a_forgotten_session(no_threads_left):
    element = Dataset.range(5).repeat().prefetch(2).make_one_shot_iterator().get_next()
    session = tf.Session()
    session.run(element)
    del session
    gc.collect()
    assert no_threads_left()


def test_threads_end_with_a_forgotten_eager_iterator(no_threads_left):
    from minitf.library.eager.context import eager_mode

    with eager_mode():
        for element in Dataset.range(5).repeat().prefetch(2):
            assert int(element) == 0
            break
        del element
        gc.collect()
    assert no_threads_left()


def test_closing_the_session_ends_a_wait_inside_a_function():
    queue = tf.FIFOQueue(1, tf.int64, shapes=[[]])
    dataset = Dataset.range(3).map(lambda x: x + queue.dequeue()).prefetch(1)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    session = tf.Session()
    session.run(iterator.initializer)
    raised = []

    def wait():
        try:
            session.run(element)
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.1)
    session.close()
    thread.join(10)
    assert not thread.is_alive()
    assert isinstance(raised[0], tf.errors.CancelledError)


def test_parallel_map_computes_at_the_same_time(sess):
    barrier = threading.Barrier(3, timeout=10)

    def meet(x):
        barrier.wait()
        return x

    dataset = Dataset.range(6).map(lambda x: tf.py_func(meet, [x], tf.int64), num_parallel_calls=3)
    element = dataset.make_one_shot_iterator().get_next()
    assert [sess.run(element) for _ in range(6)] == list(range(6))


def test_parallel_interleave_computes_at_the_same_time(sess):
    barrier = threading.Barrier(2, timeout=10)

    def meet(x):
        barrier.wait()
        return x

    dataset = Dataset.range(2).interleave(
        lambda x: Dataset.from_tensors(x).map(lambda y: tf.py_func(meet, [y], tf.int64)),
        cycle_length=2,
        num_parallel_calls=2,
    )
    element = dataset.make_one_shot_iterator().get_next()
    assert [sess.run(element) for _ in range(2)] == [0, 1]


def test_options_let_the_quick_overtake(sess):
    """Element 0 is held back until all others are out, which no order would allow."""
    others_are_out = threading.Event()

    def hold(x):
        if x == 0:
            assert others_are_out.wait(10)
        return x

    options = tf.data.Options()
    options.experimental_deterministic = False
    mapped = Dataset.range(4).map(lambda x: tf.py_func(hold, [x], tf.int64), num_parallel_calls=2)
    element = mapped.with_options(options).make_one_shot_iterator().get_next()
    assert [sess.run(element) for _ in range(3)] == [1, 2, 3]
    others_are_out.set()
    assert sess.run(element) == 0


def test_options_say_how_many_threads(sess):
    at_work, most, changed = 0, 0, threading.Lock()

    def count(x):
        nonlocal at_work, most
        with changed:
            at_work += 1
            most = max(most, at_work)
        time.sleep(0.01)
        with changed:
            at_work -= 1
        return x

    options = tf.data.Options()
    options.experimental_threading.private_threadpool_size = 1
    mapped = Dataset.range(6).map(lambda x: tf.py_func(count, [x], tf.int64), num_parallel_calls=4)
    element = mapped.with_options(options).make_one_shot_iterator().get_next()
    assert [sess.run(element) for _ in range(6)] == [0, 1, 2, 3, 4, 5]
    assert most == 1


def _parallel_map(function, parallel):
    from minitf.core.runtime.run.devices import make_devices
    from minitf.library.input.data.cursors import Context

    mapped = Dataset.range(10**4).map(
        lambda x: tf.py_func(function, [x], tf.int64), num_parallel_calls=parallel
    )
    with tf.Session() as session:
        return session.run([mapped._variant_tensor])[0].iterate(Context(make_devices()[0]))


def test_automatic_parallelism_grows_where_the_consumer_waits(sess):
    """A processor more or less does not matter to what sleeps."""
    cursor = _parallel_map(lambda x: (time.sleep(0.002), x)[1], tf.data.experimental.AUTOTUNE)
    found = [int(cursor.next()[0]) for _ in range(60)]
    assert found == list(range(60))
    assert cursor._trial.worth
    assert cursor._parallel > 2
    cursor.close()


def test_automatic_parallelism_spares_threads_for_what_is_quick(sess):
    cursor = _parallel_map(lambda x: x, tf.data.experimental.AUTOTUNE)
    cursor._trial.PRICE = 10.0
    assert [int(cursor.next()[0]) for _ in range(20)] == list(range(20))
    assert cursor._trial.worth is False
    assert cursor._pool is None


def test_an_error_names_the_element(sess):
    table = tf.constant([1, 2, 3])
    for batches in (False, True):
        dataset = Dataset.range(5).map(lambda x: tf.gather(table, x))
        element = (dataset.batch(5) if batches else dataset.skip(3)).make_one_shot_iterator()
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            sess.run(element.get_next())
        assert "of the element (3)" in caught.value.message


def test_automatic_buffer_grows():
    from minitf.core.runtime.run.devices import make_devices
    from minitf.library.input.data.cursors import Context, Source
    from minitf.library.input.data.prefetching import AUTOTUNE, Prefetch
    from minitf.library.input.data.sources import Range

    cursor = Prefetch(Context(make_devices()[0]), Source(Range, range(10**6)), AUTOTUNE)
    buffer = cursor.buffer
    cursor.next()
    for _ in range(3):
        _wait_until(lambda: buffer.was_full)
        for _ in range(buffer.limit + 1):
            cursor.next()
    assert buffer.limit > 1
    cursor.close()


@pytest.mark.slow
def test_ctrl_c_ends_a_program_with_threads():
    program = textwrap.dedent("""
        import os, signal, sys, threading, time
        import minitf as tf
        signal.signal(signal.SIGINT, signal.default_int_handler)
        slow = lambda x: tf.py_func(lambda a: time.sleep(60) or a, [x], tf.int64)
        element = tf.data.Dataset.range(3).map(slow).prefetch(2).make_one_shot_iterator().get_next()
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            with tf.Session() as session:
                session.run(element)
        except KeyboardInterrupt:
            print("stopped")
    """)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30
    )
    assert done.stdout == "stopped\n", done.stderr


def test_memory_stays_flat(sess):
    """A million elements: batches by rows, and the same one by one (every tenth)."""
    import resource

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    numbers = Dataset.range(1_000_000).shuffle(1000)
    by_rows = numbers.map(lambda x: x * 2).batch(1000).prefetch(1)
    one_by_one = numbers.shard(10, 0).filter(lambda x: x >= 0).batch(1000)
    for dataset in (by_rows, one_by_one):
        element = dataset.make_one_shot_iterator().get_next()
        for _ in range(20):
            sess.run(element)
        before = peak()
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                sess.run(element)
        assert peak() - before < 20_000  # KB

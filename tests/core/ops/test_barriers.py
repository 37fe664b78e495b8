"""Barriers and staging areas: who waits for whom, between threads, sessions and tasks."""

import threading
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.input.queues.barriers import OLDEST
from tests.core.ops.test_queues import Running

Barrier = tf.contrib.staging.Barrier
StagingArea, MapStagingArea = tf.contrib.staging.StagingArea, tf.contrib.staging.MapStagingArea


@pytest.fixture
def sess() -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_who_takes_waits_for_the_last_component(sess: tf.Session) -> None:
    b = Barrier((tf.int32, tf.string), shapes=((), ()))
    first, second = b.insert_many(0, ["a", "b"], [1, 2]), b.insert_many(1, ["b", "a"], ["y", "x"])
    taken = b.take_many(2)
    sess.run(first)
    taker = Running(lambda: sess.run(taken))
    assert taker.waits
    sess.run(second)
    indices, keys, (numbers, texts) = taker.result()
    assert indices.tolist() == [OLDEST, OLDEST]
    assert dict(zip(keys, zip(numbers, texts))) == {b"a": (1, b"x"), b"b": (2, b"y")}


def test_elements_leave_by_the_age_of_their_first_component(sess: tf.Session) -> None:
    b = Barrier((tf.int32, tf.int32), shapes=((), ()))
    for component, key in ((0, "old"), (0, "new"), (1, "new"), (1, "old")):
        sess.run(b.insert_many(component, [key], [0]))
    assert sess.run(b.take_many(2).keys).tolist() == [b"old", b"new"]


@pytest.mark.parametrize("cancel", [False, True])
def test_closing_halfway(sess: tf.Session, cancel: bool) -> None:
    """What was begun may be completed after a close, and not after one that cancels."""
    b = Barrier((tf.int32, tf.int32), shapes=((), ()))
    begin = [b.insert_many(0, [f"{i}:{k}" for k in range(5)], [i] * 5) for i in range(20)]
    complete = [b.insert_many(1, [f"{i}:{k}" for k in range(5)], [i] * 5) for i in range(20)]
    takes, close = [b.take_many(5).keys for _ in range(20)], b.close(cancel)
    sess.run(begin)
    takers = [Running(lambda take=take: sess.run(take).size) for take in takes]
    sess.run(close)

    def insert(op: Any) -> bool:
        try:
            sess.run(op)
        except tf.errors.CancelledError:
            return False
        return True

    inserted = [Running(lambda op=op: insert(op)) for op in complete]
    assert [each.result() for each in inserted] == [not cancel] * 20
    found = []
    for taker in takers:
        try:
            found.append(taker.result())
        except tf.errors.OutOfRangeError:
            found.append(0)
    assert found == [0 if cancel else 5] * 20


def test_many_threads_lose_nothing(sess: tf.Session) -> None:
    b = Barrier((tf.float32, tf.int64), shapes=((), (2,)))
    keys = [[f"{i}:{k}" for k in range(4)] for i in range(30)]
    ops = [
        [b.insert_many(0, names, np.arange(4.0)), b.insert_many(1, names, np.ones([4, 2], int))]
        for names in keys
    ]
    takes = [b.take_many(4) for _ in keys]
    takers = [Running(lambda take=take: sess.run(take)) for take in takes]
    inserting = [Running(lambda each=each: sess.run(each)) for each in ops]
    for each in inserting:
        each.result()
    found = [key.decode() for taker in takers for key in taker.result().keys]
    assert sorted(found) == sorted(name for names in keys for name in names)


def test_a_wait_ends_with_its_limit_of_time(sess: tf.Session) -> None:
    options = tf.RunOptions(timeout_in_ms=100)
    area, keyed = StagingArea([tf.int32], capacity=1), MapStagingArea([tf.int32])
    sess.run(area.put([tf.constant(1)]))
    for waits in (
        Barrier(tf.int32, shapes=()).take_many(1).keys,
        area.put([tf.constant(2)]),
        area.peek(1),
        keyed.get(tf.constant(5, tf.int64))[1],
    ):
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(waits, options=options)


def test_a_full_area_makes_put_wait(sess: tf.Session) -> None:
    for limits in ({"capacity": 2}, {"memory_limit": 8}):
        area = StagingArea([tf.int32], shapes=[[]], **limits)
        put, get = area.put([tf.constant(3)]), area.get()
        sess.run(put)
        sess.run(put)
        putter = Running(lambda put=put: sess.run(put))
        assert putter.waits
        assert sess.run(get) == [3]
        putter.result()
        assert sess.run(area.size()) == 2
        sess.run(area.clear())


def test_a_tuple_in_parts_needs_one_place(sess: tf.Session) -> None:
    area = MapStagingArea([tf.int32, tf.int32], capacity=1)
    parts = [area.put(tf.constant(3, tf.int64), [tf.constant(i)], indices=[i]) for i in range(2)]
    for part in parts:
        sess.run(part, options=tf.RunOptions(timeout_in_ms=5000))
    with pytest.raises(tf.errors.DeadlineExceededError):
        other = area.put(tf.constant(4, tf.int64), [tf.constant(0)], indices=[0])
        sess.run(other, options=tf.RunOptions(timeout_in_ms=100))
    assert sess.run(area.get()) == (3, [0, 1])


def test_a_step_uses_what_the_last_one_has_put(sess: tf.Session) -> None:
    """Software pipelining: from the second step on, the input lies ready."""
    source = tf.data.Dataset.range(10).make_one_shot_iterator().get_next()
    area = StagingArea([tf.int64], shapes=[[]])
    put, get = area.put([source]), area.get()[0]
    sess.run(put)
    assert [sess.run([get, put])[0] for _ in range(5)] == [0, 1, 2, 3, 4]


def test_tasks_meet_at_a_barrier_of_the_ps() -> None:
    workers, ps = tf.test.create_local_cluster(num_workers=2, num_ps=1)
    taken = []

    def work(task: int) -> None:
        with tf.Graph().as_default():
            with tf.device("/job:ps/task:0"):
                b = Barrier((tf.int32, tf.int32), shapes=((), ()), shared_name="meeting")
            with tf.device(f"/job:worker/task:{task}"):
                values = tf.constant([task, task + 10])
            with tf.Session(workers[task].target) as sess:
                sess.run(b.insert_many(task, ["a", "b"], values))
                taken.append(sess.run(b.take_many(1)))

    threads = [threading.Thread(target=work, args=(task,)) for task in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    for server in (*workers, *ps):
        server.stop()
    found = {each.keys[0]: [int(v[0]) for v in each.values] for each in taken}
    assert found == {b"a": [0, 1], b"b": [10, 11]}

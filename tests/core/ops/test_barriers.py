"""Barriers and staging areas: who waits for whom, between threads, sessions and tasks."""

from typing import Any

import pytest

import minitf as tf
from tests.core.ops.test_queues import Running

StagingArea, MapStagingArea = (tf.contrib.staging.StagingArea,)


@pytest.fixture
def sess() -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


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

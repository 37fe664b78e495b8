"""A queue on a parameter server: shared by name, and what waits at it takes no element in vain."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import minitf as tf
from minitf.core.cluster.service.server import Server

Cluster = dict[str, list[Server]]


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


@pytest.fixture(params=["direct", "by message"])
def by_message(request: pytest.FixtureRequest, monkeypatch: Any) -> None:
    if request.param == "by message":
        monkeypatch.setattr(
            "minitf.core.cluster.service.remote_session.server_in_this_process",
            lambda address: None,
        )


def queue_on_ps(shared_name: str | None) -> tf.FIFOQueue:
    with tf.device("/job:ps/task:0"):
        return tf.FIFOQueue(9, tf.int32, shapes=[[]], shared_name=shared_name, name="q")


def test_two_workers_share_a_queue_by_its_name(cluster: Cluster, by_message: None) -> None:
    q = queue_on_ps("work")
    x = tf.placeholder(tf.int32, [])
    enqueue, dequeue = q.enqueue(x), q.dequeue()
    with tf.device("/job:worker/task:1"):
        double = dequeue * 2
    with (
        tf.Session(cluster["worker"][0].target) as giver,
        tf.Session(cluster["worker"][1].target) as taker,
    ):
        got: list[Any] = []
        thread = threading.Thread(target=lambda: got.append(taker.run(double)), daemon=True)
        thread.start()
        time.sleep(0.2)
        assert not got
        giver.run(enqueue, {x: 21})
        thread.join(10)
        assert got == [42]


def test_a_queue_without_a_shared_name_belongs_to_its_session(
    cluster: Cluster, by_message: None
) -> None:
    q = queue_on_ps(None)
    enqueue, size, close = q.enqueue(1), q.size(), q.close()
    target = cluster["worker"][0].target
    with tf.Session(target) as one, tf.Session(target) as other:
        one.run(enqueue)
        assert (one.run(size), other.run(size)) == (1, 0)
        one.run(close)
    with tf.Session(target) as later:  # as after a recovery: the closed queue is not found again
        later.run(enqueue)
        assert later.run(size) == 1


def test_a_task_that_waits_has_sent_before(cluster: Cluster) -> None:
    """The ps sends its part to the worker before it waits for what the worker makes of it."""
    q = queue_on_ps("loop")
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(3, name="v")
        start = tf.identity(v)
    with tf.device("/job:worker/task:0"):
        made = start * 2
    enqueue = q.enqueue(made)
    with tf.control_dependencies([enqueue]):
        taken = q.dequeue()
    with tf.Session(cluster["worker"][0].target) as sess:
        sess.run(v.initializer)
        assert sess.run(taken) == 6


def test_an_element_is_not_for_a_step_that_ctrl_c_has_ended(
    cluster: Cluster, by_message: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor when no task has noticed yet that the connection is closed, on a busy machine."""
    monkeypatch.setattr("minitf.core.cluster.wire.task_server.LONG_CALL", 1000.0)
    q = queue_on_ps("work")
    enqueue, dequeue = q.enqueue(7), q.dequeue()
    with tf.Session(cluster["worker"][0].target) as sess:
        for _ in range(3):
            button = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT])
            button.start()
            with pytest.raises(KeyboardInterrupt):
                sess.run(dequeue)
            sess.run(enqueue)
            assert sess.run(dequeue, options=tf.RunOptions(timeout_in_ms=20_000)) == 7


def test_a_run_that_its_client_has_left_before_it_began_takes_nothing(cluster: Cluster) -> None:
    q = queue_on_ps("work")
    enqueue, dequeue = q.enqueue(7), q.dequeue()
    with tf.Session(cluster["worker"][0].target) as sess:
        sess.run(enqueue)
        master, handle = sess._backend._master, sess._backend._session
        step = sess._entry(dequeue, None, traced=False).step
        master.give_up_run(handle, 1)
        with pytest.raises(tf.errors.CancelledError, match="gave the step up"):
            master.run_callable(handle, step._handle, [], step=master.new_step(1))
        assert sess.run(dequeue) == 7

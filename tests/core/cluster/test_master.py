"""The master service: sessions over all tasks, graphs cut by task, and how steps end."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.cluster.service.master import Master
from minitf.core.cluster.service.server import Server
from minitf.core.runtime.plan.subgraph import prune

PS, WORKER = (f"/job:{job}/replica:0/task:0/device:CPU:0" for job in ("ps", "worker"))


@pytest.fixture(scope="module")
def master() -> Iterator[Master]:
    """The master of a worker; the ps is in this process too, and is reached over loopback."""
    ps = Server({"ps": ["localhost:0"]}, job_name="ps", task_index=0)
    cluster = {"ps": [ps.address], "worker": ["localhost:0"]}
    worker = Server(cluster, job_name="worker", task_index=0)
    ps.set_cluster(worker._spec)
    yield worker._master
    worker.stop()
    ps.stop()


@pytest.fixture
def session(master: Master) -> Iterator[int]:
    handle, _ = master.create_session(tf.ConfigProto())
    with tf.Graph().as_default():
        yield handle
    master.close_session(handle)


def parts(master: Master, session: int, made: int) -> list[tuple[str, list[int], list[int]]]:
    """For each part of a callable its task, the feeds it takes and the fetches it returns."""
    found = master._sessions[session].callables[made].parts
    return sorted((part.task, part.arg_indices, part.fetch_indices) for part in found)


def test_what_is_in_one_task_is_one_part(master: Master, session: int) -> None:
    x = tf.placeholder(tf.float32, [])
    made = master.make_callable(session, prune([x * 2.0], [], [x]), 1, False)
    assert parts(master, session, made) == [("/job:worker/task:0", [0], [0])]
    assert master.run_callable(session, made, [3.0]) == [6.0]


def test_a_graph_is_cut_by_task_and_each_counts_its_own(master: Master, session: int) -> None:
    y = tf.placeholder(tf.float32, [])
    with tf.device("/job:ps"):
        x = tf.placeholder(tf.float32, [])
        double = x * 2.0
    with tf.device("/job:worker"):
        total = double + y
    made = master.make_callable(session, prune([total, double, y], [], [y, x]), 3, False)
    assert parts(master, session, made) == [
        ("/job:ps/task:0", [1], [1]),
        ("/job:worker/task:0", [0], [0, 2]),
    ]
    assert master.run_callable(session, made, [np.float32(10), np.float32(3)]) == [16.0, 6.0, 10.0]


def test_a_step_can_be_given_up_while_it_waits(master: Master, session: int) -> None:
    with tf.device("/job:ps"):
        queue = tf.FIFOQueue(1, tf.float32, [])
    fetch: Any = queue.dequeue()
    made = master.make_callable(session, prune([fetch], [], []), 1, False)
    step = master.new_step()
    threading.Timer(0.05, step.give_up, ("enough",)).start()
    with pytest.raises(tf.errors.CancelledError, match="enough"):
        master.run_callable(session, made, [], step=step)


def test_a_closed_session_is_not_found(master: Master) -> None:
    handle, _ = master.create_session(tf.ConfigProto())
    master.close_session(handle)
    with pytest.raises(tf.errors.AbortedError, match=f"Session handle is not found: {handle}"):
        master.make_callable(handle, [], 0, False)


def test_an_unknown_callable_is_not_found(master: Master, session: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="No such callable handle: 5"):
        master.run_callable(session, 5, [])

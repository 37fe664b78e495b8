"""Clusters of one process: addresses "inproc://NAME", of any number of tasks."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import minitf as tf
from minitf.core.cluster.service.server import Server
from minitf.core.cluster.wire import transport
from minitf.core.cluster.wire.channel import Channel


@pytest.fixture
def cluster() -> Iterator[Callable[..., list[Server]]]:
    """Starts a cluster of one ps and some workers; stops it."""
    started: list[Server] = []

    def start(workers: int, **more: object) -> list[Server]:
        spec = {"ps": ["inproc://p"], "worker": [f"inproc://w{i}" for i in range(workers)]}
        started.append(Server(spec, "ps", 0))
        started.extend(Server(spec, "worker", i) for i in range(workers))
        return started

    yield start
    for server in started:
        server.stop()


def gradients(workers: int) -> tuple[tf.Variable, tf.Operation]:
    """A variable of the ps, and a step that every worker has a part in: 0.5 less of it each."""
    with tf.device("/job:ps/task:0"):
        w = tf.Variable(np.full(4, 8.0, np.float32), name="w")
    parts = []
    for i in range(workers):
        with tf.device(f"/job:worker/task:{i}"):
            parts.append(tf.reduce_mean(w * 0.5, name=f"part_{i}"))
    with tf.device("/job:ps/task:0"):
        return w, w.assign_sub(tf.ones([4]) * tf.add_n(parts) / float(workers)).op


def test_a_step_over_tasks_of_one_process(cluster: Callable[..., list[Server]]) -> None:
    servers = cluster(2)
    assert [server.target for server in servers] == ["inproc://p", "inproc://w0", "inproc://w1"]
    w, train = gradients(2)
    for server in servers:  # each may be the master
        with tf.Session(server.target) as sess:
            sess.run(w.initializer)
            sess.run(train)
            assert sess.run(w).tolist() == [4.0] * 4
    names = [device.name for device in tf.Session("inproc://w1").list_devices()]
    assert "/job:ps/replica:0/task:0/device:CPU:0" in names


def test_what_arrives_is_a_copy(cluster: Callable[..., list[Server]]) -> None:
    ps, worker = cluster(1)
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(np.zeros(1 << 18, np.float32), name="v")
        grow = v.assign_add(tf.ones([1 << 18])).op
    with tf.Session(worker.target) as sess:
        sess.run(v.initializer)
        before = sess.run(v)
        sess.run(grow)
        assert before.max() == 0.0 and sess.run(v).min() == 1.0
        before += 7.0
        assert sess.run(v).max() == 1.0


def test_with_the_protocol_addresses_are_names() -> None:
    spec = tf.train.ClusterSpec({"ps": ["localhost:1"], "worker": ["localhost:2"]})
    servers = [Server(spec, job, 0, protocol="inproc") for job in ("ps", "worker")]
    try:
        assert [s.target for s in servers] == ["inproc://localhost:1", "inproc://localhost:2"]
        w, train = gradients(1)
        with tf.Session(servers[1].target) as sess:
            sess.run(w.initializer)
            sess.run(train)
            assert sess.run(w).tolist() == [4.0] * 4
    finally:
        for server in servers:
            server.stop()


def test_a_task_that_stops_is_gone_at_once(cluster: Callable[..., list[Server]]) -> None:
    ps, worker = cluster(1)
    w, train = gradients(1)
    with tf.Session(worker.target) as sess:
        sess.run(w.initializer)
        ps.stop()
        with pytest.raises(tf.errors.UnavailableError):
            sess.run(w)
    with pytest.raises(tf.errors.UnavailableError, match="this process has no task inproc://p"):
        Channel("inproc://p").call("ping")
    again = Server({"ps": ["inproc://p"], "worker": ["inproc://w0"]}, "ps", 0)
    try:
        with tf.Session(worker.target) as sess:
            with pytest.raises(tf.errors.FailedPreconditionError):  # its variables are gone
                sess.run(w)
    finally:
        again.stop()


def test_two_tasks_cannot_have_one_name(cluster: Callable[..., list[Server]]) -> None:
    cluster(1)
    with pytest.raises(tf.errors.UnknownError, match="another task of this process is inproc://p"):
        Server({"ps": ["inproc://p"]})


@pytest.mark.parametrize("address", ["inproc://", "inproc://  ", "http://a:1", "inproc:a"])
def test_other_addresses_are_refused(address: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        Server({"ps": [address]})


def test_a_hundred_tasks(cluster: Callable[..., list[Server]]) -> None:
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    servers = cluster(99)
    assert threading.active_count() <= threads + 1  # a task that does nothing needs no thread
    w, train = gradients(99)
    with tf.Session(servers[0].target) as sess:
        sess.run(w.initializer)
        sess.run(train)
        assert sess.run(w) == pytest.approx(np.full(4, 4.0))
        assert threading.active_count() < threads + 99 * 4  # one connection each, not 99
        assert len(os.listdir("/proc/self/fd")) < files + 99 * 4
    for server in servers:
        server.stop()
    end = time.monotonic() + 20
    while len(os.listdir("/proc/self/fd")) > files + 4 and time.monotonic() < end:
        time.sleep(0.05)
    assert len(os.listdir("/proc/self/fd")) <= files + 4
    assert not [address for address in transport._serving if address.startswith("inproc://w")]


def test_it_needs_no_dask() -> None:
    program = (
        "import sys; sys.modules['distributed'] = sys.modules['dask'] = None\n"
        "import minitf as tf\n"
        "servers = [tf.train.Server({'a': ['inproc://0', 'inproc://1']}, 'a', i) for i in (0, 1)]\n"
        "with tf.device('/job:a/task:1'): y = tf.constant(2) + 3\n"
        "print(tf.Session(servers[0].target).run(y))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "5\n", done.stderr

"""Clusters that were closed leave nothing: no process, socket, thread, file, address or memory."""

import os
import resource
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import minitf as tf
from minitf.core.cluster.wire import channel, task_server, transport

from .conftest import eventually, free_addresses, held, left

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="counts in Linux's /proc"
)


def _here() -> None:
    """A cluster in this process: three tasks, and a step in which all take part."""
    spec = free_addresses(ps=1, worker=2)
    tasks = [(job, index) for job in spec for index in range(len(spec[job]))]
    servers = [tf.train.Server(spec, job, index) for job, index in tasks]
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.get_variable("v", [4], initializer=tf.zeros_initializer())
        with tf.device("/job:worker/task:1"):
            more = v + 1.0
        with tf.Session(servers[1].target) as session:
            session.run(tf.global_variables_initializer())
            assert session.run(v.assign(more)).tolist() == [1, 1, 1, 1]
    for server in servers:
        server.stop()


def _in_processes() -> None:
    """A cluster of processes, and a step in one."""
    with tf.cluster.start_local(ps=1, workers=1) as cluster:
        with tf.Graph().as_default(), tf.Session(cluster.target()) as session:
            assert session.run(tf.constant(1) + 1) == 2
        cluster.traffic()


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary files in a folder of the test's own: other processes write theirs meanwhile."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def _check(make: Callable[[], None], times: int, megabytes: int) -> None:
    make()
    channels, servers = set(channel.channels), set(task_server._servers)  # of tests before this one
    known = set(transport._known)
    folder = tempfile.gettempdir()
    before, files = held(), {name for name in os.listdir(folder) if "minitf" in name}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(times):
        make()
    assert not left(before)
    assert not {name for name in os.listdir(folder) if "minitf" in name} - files
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < megabytes << 10
    assert not set(transport._known) - known
    assert eventually(
        lambda: (
            not held() - before
            and not set(channel.channels) - channels
            and not set(task_server._servers) - servers
        )
    )


def test_fifty_clusters_in_one_process_leave_nothing() -> None:
    _check(_here, 50, megabytes=30)


@pytest.mark.timeout(240)
def test_clusters_of_processes_leave_nothing() -> None:
    _check(_in_processes, 2, megabytes=30)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(3600)
def test_fifty_clusters_of_processes_leave_nothing() -> None:
    _check(_in_processes, 50, megabytes=60)


def test_the_port_of_a_closed_cluster_is_anybodys() -> None:
    """What was remembered of it would ask the next one who listens there for a token."""
    with tf.cluster.start_local(ps=0, workers=1) as cluster:
        address = cluster.cluster_spec.task_address("worker", 0)
        assert transport.options_for(address).token
    server = tf.train.Server({"worker": [address]})
    assert channel.Channel(address, transport.options_for(address)).call("ping")
    server.stop()

"""Servers: their definitions, addresses, tokens, ends, and the errors of TensorFlow."""

import signal
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import minitf as tf
from minitf.core.cluster.service.server import Server
from minitf.core.cluster.wire import transport

from .conftest import free_addresses


def test_free_addresses_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    ports = iter([20_001, 20_001, 20_002])
    monkeypatch.setattr("random.SystemRandom.randrange", lambda *_: next(ports))
    assert len(set(free_addresses(worker=2)["worker"])) == 2


def test_other_machines_are_let_in_with_a_token_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINITF_CLUSTER_TOKEN", raising=False)
    with pytest.raises(tf.errors.PermissionDeniedError, match="MINITF_CLUSTER_TOKEN"):
        Server({"ps": ["0.0.0.0:0"]})
    server = Server({"ps": ["0.0.0.0:0"]}, token="secret")
    with tf.Graph().as_default():
        with tf.Session(server.target) as session:
            assert session.run(tf.constant(1)) == 1
    server.stop()


def test_a_name_that_this_machine_does_not_know_yet() -> None:
    """In Kubernetes a pod may start before the name of its service is known to it."""
    spec = {"worker": [f"worker-0.no-such-cluster.invalid:{_free_port()}"]}
    with pytest.raises(tf.errors.PermissionDeniedError, match="MINITF_CLUSTER_TOKEN"):
        Server(spec)
    server = Server(spec, token="secret")
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        assert session.run(tf.constant(1)) == 1
    server.stop()


def _free_port() -> str:
    return free_addresses(worker=1)["worker"][0].rpartition(":")[2]


def test_a_token_is_needed_to_open_a_session(
    spawn: Callable[..., subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    process = spawn("-c", _LONE_SERVER, MINITF_CLUSTER_TOKEN="right")
    assert process.stdout is not None
    target = process.stdout.readline().strip()
    with tf.Graph().as_default():
        one = tf.constant(1)
        for token in ("wrong", ""):
            monkeypatch.setenv("MINITF_CLUSTER_TOKEN", token)
            with pytest.raises(tf.errors.UnauthenticatedError):
                tf.Session(target)
        monkeypatch.setenv("MINITF_CLUSTER_TOKEN", "right")
        with tf.Session(target) as session:
            assert session.run(one) == 1


def test_encrypted_clusters(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cryptography")
    security = pytest.importorskip("distributed").Security.temporary()
    spec = free_addresses(ps=1, worker=1)
    ps = Server(spec, "ps", 0, security=security)
    worker = Server(spec, "worker", 0, security=security)
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.Variable([1.0, 2.0])
        with tf.device("/job:worker/task:0"):
            y = v * 3.0
        with tf.Session(worker.target) as session:
            session.run(v.initializer)
            assert session.run(y).tolist() == [3, 6]
    options = transport.TransportOptions(security=security)
    monkeypatch.setitem(transport._known, worker.target.removeprefix("grpc://"), options)
    monkeypatch.setattr(
        "minitf.core.cluster.service.remote_session.server_in_this_process", lambda address: None
    )
    with tf.Graph().as_default(), tf.Session(worker.target) as session:
        assert session.run(tf.constant(4)) == 4
    ps.stop()
    worker.stop()


def test_join_returns_when_the_server_is_stopped() -> None:
    server = Server.create_local_server()
    threading.Timer(0.1, server.stop).start()
    server.join()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_join_ends_with_a_signal(
    spawn: Callable[..., subprocess.Popen[str]], number: signal.Signals
) -> None:
    process = spawn("-c", _LONE_SERVER)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("grpc://localhost:")
    time.sleep(0.1)
    process.send_signal(number)
    assert process.wait(timeout=5) != 0


def test_join_heeds_an_interrupt_that_the_parent_ignored(
    spawn: Callable[..., subprocess.Popen[str]],
) -> None:
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    process = spawn("-c", ignoring + _LONE_SERVER)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("grpc://localhost:")
    for _ in range(50):  # one that comes before `join` is still ignored
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        if process.poll() is not None:
            break
    assert process.wait(timeout=5) != 0


_LONE_SERVER = """
from minitf.core.cluster.service.server import Server
server = Server({"local": ["localhost:0"]})
print(server.target, flush=True)
server.join()
"""


def test_unreachable_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "READY_TIMEOUT", 0.5)
    with pytest.raises(tf.errors.UnavailableError, match="localhost:9 is gone"):
        tf.Session("grpc://localhost:9")
    with pytest.raises(
        (ValueError, tf.errors.NotFoundError), match="No session factory registered"
    ):
        tf.Session("foo://bar")


def test_without_dask_the_error_says_what_to_install(
    spawn: Callable[..., subprocess.Popen[str]],
) -> None:
    process = spawn("-c", _NUMPY_ALONE)
    output = process.communicate(timeout=60)[0]
    assert output.count("pip install 'minitf[cluster]'") == 3, output


_NUMPY_ALONE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("dask", "distributed", "msgpack"):
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Hidden())
import minitf as tf

for use in (
    lambda: tf.train.Server.create_local_server(),
    lambda: tf.cluster.start_local(),
    lambda: tf.Session("grpc://localhost:1"),
):
    try:
        use()
    except ImportError as error:
        print(error)
"""

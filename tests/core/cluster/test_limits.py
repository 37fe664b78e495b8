"""Crowds, idlers, large messages, stopped peers: each has a limit, and legitimate work goes on."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.cluster.service import master
from minitf.core.cluster.service.server import Server
from minitf.core.cluster.wire import channel as calls
from minitf.core.cluster.wire import connection, handshake, task_server, tcp
from minitf.core.cluster.wire.channel import Channel
from minitf.core.cluster.wire.connection import ReceiveArena
from minitf.core.cluster.wire.task_server import TaskServer
from minitf.core.cluster.wire.transport import TransportOptions
from minitf.core.graph import errors

from .conftest import free_addresses

TASK = "/job:ps/task:0"
PEER = Path(__file__).parent / "programs" / "peer.py"


@pytest.fixture
def server() -> Iterator[TaskServer]:
    server = TaskServer(TASK)
    server.handle("echo", lambda call: (call.fields, call.arrays))
    server.handle("sleep", lambda call: (time.sleep(call.fields["seconds"]) or {}, ()))
    server.start("localhost:0")
    yield server
    server.stop()


@pytest.fixture
def peer() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A task server in a process of its own, and its address."""
    process = subprocess.Popen(
        [sys.executable, str(PEER), "localhost:0"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    yield process, process.stdout.readline().strip()
    process.send_signal(signal.SIGCONT)
    process.kill()
    process.wait()
    process.stdout.close()


class Crowd:
    """Keeps `count` connections to a server open that never shake hands."""

    def __init__(self, address: str, count: int):
        host, port = address.split(":")
        self._address = host, int(port)
        self._sockets = [self._join() for _ in range(count)]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._stay)
        self._thread.start()

    def _join(self) -> socket.socket:
        return socket.create_connection(self._address, timeout=5)

    def _stay(self) -> None:
        while not self._over.wait(0.5):
            for i, sock in enumerate(self._sockets):
                sock.setblocking(False)
                try:
                    closed = any(not sock.recv(4096) for _ in range(2))
                except BlockingIOError:
                    closed = False
                except OSError:
                    closed = True
                if closed:
                    sock.close()
                    self._sockets[i] = self._join()

    def leave(self) -> None:
        self._over.set()
        self._thread.join()
        for sock in self._sockets:
            sock.close()


def test_a_crowd_of_strangers_ends_no_call_and_keeps_nobody_out(
    peer: tuple[subprocess.Popen[str], str],
) -> None:
    _, address = peer
    options = TransportOptions(heartbeat=0.2)
    channel = Channel(address, options)
    channel.wait_until_ready(20)
    crowd = Crowd(address, 400)
    try:
        channel.call("sleep", {"seconds": 4.0})
        newcomer = Channel(address, TransportOptions(connect_timeout=20.0))
        assert newcomer.wait_until_ready(40) == channel.incarnation
    finally:
        crowd.leave()


def test_the_oldest_stranger_makes_room(
    server: TaskServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tcp, "MAX_STRANGERS", 3)
    host, port = server.address.split(":")
    strangers = []
    for _ in range(4):
        strangers.append(socket.create_connection((host, int(port)), timeout=5))
        assert b"nonce" in strangers[-1].recv(4096)
    assert strangers[0].recv(1) == b""
    for sock in strangers[1:]:
        sock.settimeout(0.05)
        with pytest.raises(TimeoutError):
            sock.recv(1)
    for sock in strangers:
        sock.close()


@pytest.mark.parametrize("name", ["minitf-stranger", TASK])
def test_a_server_outlives_a_moment_without_threads(
    server: TaskServer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    refused: list[str] = []
    start = threading.Thread.start

    def no_more(thread: threading.Thread) -> None:
        if thread.name == name and len(refused) < 2:
            refused.append(thread.name)
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", no_more)
    channel = Channel(server.address)
    assert channel.call("echo", {"x": 1}).fields["x"] == 1
    assert len(refused) == 2
    assert len(server._connections) == 1


@pytest.mark.parametrize("token", [None, "secret"])
def test_idlers_make_room_and_open_another_connection_later(
    monkeypatch: pytest.MonkeyPatch, token: str | None
) -> None:
    monkeypatch.setattr(task_server, "MAX_CONNECTIONS", 4)
    server = TaskServer(TASK, TransportOptions(token=token))
    server.start("localhost:0")
    channels = [Channel(server.address, server.options) for _ in range(9)]
    for _ in range(3):
        for channel in channels:
            assert channel.call("ping").fields == {"incarnation": server.incarnation}
    assert len(server._connections) <= 4
    server.stop()


def test_encrypted_idlers_open_another_connection_too(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cryptography")
    monkeypatch.setattr(task_server, "MAX_CONNECTIONS", 2)
    security = pytest.importorskip("distributed").Security.temporary()
    server = TaskServer(TASK, TransportOptions(None, security))
    server.start("localhost:0")
    channels = [Channel(server.address, server.options) for _ in range(3)]
    for _ in range(2):
        for channel in channels:
            assert channel.call("ping").fields == {"incarnation": server.incarnation}
            time.sleep(2 * calls.TRUSTED)
    server.stop()


def test_five_hundred_idle_peers_lock_nobody_out(server: TaskServer) -> None:
    host, port = server.address.split(":")
    idlers = []
    for _ in range(task_server.MAX_CONNECTIONS):
        sock = socket.create_connection((host, int(port)), timeout=10)
        _authenticate(sock)
        idlers.append(sock)
    _wait_for(lambda: len(server._connections) == task_server.MAX_CONNECTIONS)
    assert Channel(server.address).call("ping")
    for sock in idlers:
        sock.close()


def _authenticate(sock: socket.socket) -> None:
    link = connection.Connection(sock, "", "server")
    hello = link.receive()[0]
    link.send(handshake.client_answer(hello, None, "server"))
    link.receive()
    link.send({"body": {"pickle-protocol": 5, "compression": None}})
    link.receive()
    link._release.detach()


def test_connections_in_a_call_are_not_closed_for_others(
    server: TaskServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_server, "MAX_CONNECTIONS", 2)
    channel = Channel(server.address)
    pending = [channel.begin("sleep", {"seconds": 3.0}) for _ in range(2)]
    _wait_for(lambda: sum(call is not None for call in server._connections.values()) == 2)
    with pytest.raises(errors.UnimplementedError, match="takes no more"):
        Channel(server.address).call("ping")
    assert all(each.finish() for each in pending)
    assert Channel(server.address).call("ping")


def test_a_request_that_meets_the_closing_is_sent_again(server: TaskServer) -> None:
    """The client has looked, the server closes, the client sends: the request must not be lost."""
    calls = []
    server.handle("count", lambda call: (calls.append(1) or {"n": len(calls)}, ()))
    channel = Channel(server.address)
    for expected in range(1, 6):
        assert channel.call("count").fields == {"n": expected}
        _wait_for(lambda: server._idle)
        with server._lock:
            assert server._make_room()
        channel._idle[-1].used = time.monotonic()  # as if it were trusted unseen


def test_a_client_lets_go_of_connections_it_does_not_use(
    server: TaskServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = Channel(server.address)
    pending = [channel.begin("sleep", {"seconds": 0.1}) for _ in range(5)]
    assert all(each.finish() for each in pending)
    assert len(channel._idle) == 5
    monkeypatch.setattr(calls, "IDLE_KEPT", 0.1)
    _wait_for(lambda: not channel._idle)
    monkeypatch.undo()
    assert channel.call("ping")


def test_heartbeats_use_a_connection_again(server: TaskServer) -> None:
    accepted = []
    accept = server.serve
    server.serve = lambda made: (accepted.append(made), accept(made))[1]  # type: ignore[method-assign]
    server._listener._on_connection = server.serve
    Channel(server.address, TransportOptions(heartbeat=0.1)).call("sleep", {"seconds": 3.5})
    assert len(accepted) <= 2


# ---- memory --------------------------------------------------------------------------------


def test_the_arena_keeps_what_is_used_again_within_its_budget() -> None:
    arena = ReceiveArena(budget=100, seconds=60.0)
    block = arena.take(40)
    where = block.ctypes.data
    view = block[3:5]
    del block
    assert arena.take(40).ctypes.data != where  # `view` still holds it
    del view
    assert arena.nbytes == 80
    assert arena.take(50).nbytes == 50  # and the oldest went
    assert arena.nbytes == 90
    assert arena.take(101).nbytes == 101  # never kept
    assert arena.nbytes == 90
    again = arena.take(40).ctypes.data
    assert arena.take(40).ctypes.data == again


def test_the_arena_lets_go_of_what_nobody_uses() -> None:
    arena = ReceiveArena(budget=100, seconds=0.05)
    arena.take(40)
    time.sleep(0.06)
    arena.take(30)
    arena.trim()
    assert arena.nbytes == 30
    arena.forget()
    assert arena.nbytes == 0


def test_received_memory_is_bounded_and_goes_back(
    server: TaskServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection.arena, "_seconds", 2.0)
    channel = Channel(server.address)
    for i in range(12):  # of different sizes, so that none fits the next
        channel.call("echo", arrays=[np.zeros((16 << 20) + 4096 * i, np.uint8)])
        assert connection.arena.nbytes <= 256 << 20
    assert connection.arena.nbytes
    _wait_for(lambda: connection.arena.nbytes == 0)


def _resident(process: subprocess.Popen[str]) -> int:
    """Megabytes that a process has in memory."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) >> 10
    raise AssertionError


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux's /proc")
def test_a_task_gives_the_memory_of_large_feeds_back(spawn: Any) -> None:
    spec = free_addresses(ps=1)
    process = spawn("-c", _LONE_PS, spec["ps"][0])
    assert process.stdout.readline() == "listening\n"
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        total = tf.reduce_sum(x[:4])
        with tf.Session(f"grpc://{spec['ps'][0]}") as session:
            session.run(total, {x: np.ones(1 << 20, "f4")})
            before = _resident(process)
            for size in (48, 8, 9, 10, 11, 12, 13):
                session.run(total, {x: np.ones(size << 20, "f4")})
            _wait_for(lambda: _resident(process) < before + 50)


_LONE_PS = """
import sys
from minitf.core.cluster.service.server import Server
from minitf.core.cluster.wire.connection import arena
arena._seconds = 2.0
server = Server({"ps": [sys.argv[1]]})
print("listening", flush=True)
server.join()
"""


# ---- time ----------------------------------------------------------------------------------


def test_a_peer_that_was_stopped_for_less_than_its_time_goes_on(
    peer: tuple[subprocess.Popen[str], str],
) -> None:
    process, address = peer
    options = TransportOptions(connect_timeout=0.3, heartbeat=0.1, frozen_after=20.0)
    channel = Channel(address, options)
    channel.wait_until_ready(20)
    answers: list[Any] = []
    threads = [
        threading.Thread(
            target=lambda s=seconds: answers.append(channel.call("sleep", {"seconds": s}))
        )
        for seconds in (0.5, 0.0)
    ]
    threads[0].start()
    time.sleep(0.2)
    _stop(process)
    threads[1].start()  # needs a connection of its own while nobody shakes hands
    time.sleep(4.0)
    os.kill(process.pid, signal.SIGCONT)
    for thread in threads:
        thread.join()
    assert len(answers) == 2


def test_a_peer_counts_as_dead_after_its_time_and_not_before(
    peer: tuple[subprocess.Popen[str], str],
) -> None:
    process, address = peer
    options = TransportOptions(connect_timeout=0.2, heartbeat=0.1, frozen_after=3.0)
    channel = Channel(address, options)
    channel.wait_until_ready(20)
    _stop(process)
    start = time.monotonic()
    with pytest.raises(errors.UnavailableError, match="no answer to a heartbeat"):
        channel.call("sleep", {"seconds": 0.0})
    assert 3.0 <= time.monotonic() - start < 10


CONFIG = tf.ConfigProto(operation_timeout_in_ms=700)


def test_the_time_for_an_operation_covers_the_opening_of_a_session(
    peer: tuple[subprocess.Popen[str], str],
) -> None:
    process, address = peer
    _stop(process)
    with tf.Graph().as_default():
        start = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError, match="Deadline Exceeded"):
            tf.Session(f"grpc://{address}", config=CONFIG)
        assert time.monotonic() - start < 2.5
        with pytest.raises(tf.errors.DeadlineExceededError, match="Deadline Exceeded"):
            tf.Session("grpc://localhost:9", config=CONFIG)


@pytest.mark.parametrize("method", ["create_session", "make_callable", "run_callable"])
def test_a_master_that_hangs_does_not_outlast_the_time(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(
        "minitf.core.cluster.service.remote_session.server_in_this_process", lambda address: None
    )
    server = Server.create_local_server()
    release = threading.Event()
    server._server.handle(method, lambda call: (release.wait(20) and {} or {}, ()))
    with tf.Graph().as_default():
        start = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError, match=f"did not answer {method} in"):
            session = tf.Session(server.target, config=CONFIG)
            session.run(tf.constant(1))
        assert time.monotonic() - start < 6
    release.set()
    server.stop()


def test_another_task_that_hangs_does_not_outlast_the_time(
    peer: tuple[subprocess.Popen[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    process, address = peer
    monkeypatch.setattr(master, "LOOK_TIMEOUT", 0.1)
    spec = {**free_addresses(worker=1), "ps": [address]}
    _stop(process)
    worker = Server(spec, "worker", 0)
    with tf.Graph().as_default(), tf.Session(worker.target, config=CONFIG) as session:
        with tf.device(TASK):
            one = tf.constant(1) + 1
        start = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError, match="Deadline Exceeded"):
            session.run(one)
        assert time.monotonic() - start < 4
    worker.stop()


def _stop(process: subprocess.Popen[str]) -> None:
    """Stops a child, and waits until it stands still."""
    os.kill(process.pid, signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)


def _wait_for(condition: Any) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)

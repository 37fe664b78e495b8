"""A task server meets peers that mean harm: it refuses, closes, runs nothing, goes on serving."""

import io
import os
import pickle
import random
import resource
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
from distributed.protocol import dumps, to_serialize

from minitf.core.cluster.wire import framing, handshake
from minitf.core.cluster.wire.channel import Channel
from minitf.core.cluster.wire.task_server import TaskServer
from minitf.core.cluster.wire.transport import TransportOptions

TOKEN = "the token of this test"


class Canary:
    """Unpickling it creates a file."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


@pytest.fixture
def server() -> Iterator[TaskServer]:
    server = TaskServer("/job:ps/task:0", TransportOptions(token=TOKEN))
    server.handle("echo", lambda call: (call.fields, call.arrays))
    server.start("localhost:0")
    yield server
    assert Channel(server.address, server.options).call("echo", {"still": "serving"})[0]
    server.stop()


def _connect(server: TaskServer) -> socket.socket:
    host, port = server.address.split(":")
    return socket.create_connection((host, int(port)), timeout=5)


def _read_all(sock: socket.socket) -> bytes:
    data = b""
    try:
        while piece := sock.recv(65536):
            data += piece
    except ConnectionResetError:
        pass
    return data


def _read_frame(sock: socket.socket) -> dict[str, Any]:
    prelude = sock.recv(16, socket.MSG_WAITALL)
    header, _ = framing.parse_prelude(prelude, "server", framing.AFTER_AUTHENTICATION)
    data = sock.recv(header, socket.MSG_WAITALL)
    return framing.parse_header(data, 0, "server", framing.AFTER_AUTHENTICATION)[0]


def _authenticated(server: TaskServer) -> socket.socket:
    """A peer that knows the token, and turns hostile only afterwards."""
    sock = _connect(server)
    hello = _read_frame(sock)
    answer = handshake.client_answer(hello, TOKEN, "server")
    sock.sendall(framing.encode(answer)[0])
    handshake.check_server(hello, answer, _read_frame(sock), TOKEN, "server")
    sock.sendall(framing.encode({"body": {"pickle-protocol": 5, "compression": None}})[0])
    assert _read_frame(sock)["body"]["task"] == "/job:ps/task:0"
    return sock


def _pickles(canary: Path) -> dict[str, bytes]:
    """Bytes that run code in a peer that unpickles, in every form Dask or NumPy would read."""
    evil = pickle.dumps(Canary(canary))
    npy = io.BytesIO()
    np.save(npy, np.array([Canary(canary)], object), allow_pickle=True)
    frames = dumps({"op": "x", "data": to_serialize(Canary(canary))})
    dask = struct.pack(f"<Q{len(frames)}Q", len(frames), *map(len, frames)) + b"".join(
        bytes(frame) for frame in frames
    )
    return {
        "pickle": evil,
        "pickle in a frame's header": _frame(evil),
        "pickle as bytes field": _frame([{"method": "echo", "__Pickled__": evil}, []]),
        "pickle as extension": _frame([{"method": msgpack.ExtType(1, evil)}, []]),
        "object array": _frame([{"method": "echo"}, [["object", [1], len(evil)]]], evil),
        "object dtype code": _frame([{"method": "echo"}, [["|O", [1], len(evil)]]], evil),
        "npy file": npy.getvalue(),
        "Dask's own frames": struct.pack("<Q", len(dask)) + dask,
    }


def _frame(header: Any, payload: bytes = b"") -> bytes:
    packed = header if isinstance(header, bytes) else msgpack.packb(header)
    return struct.pack("<4sIQ", b"MTF1", len(packed), len(payload)) + packed + payload


@pytest.mark.parametrize("known", [False, True], ids=["stranger", "authenticated"])
def test_nothing_is_unpickled(server: TaskServer, tmp_path: Path, known: bool) -> None:
    canary = tmp_path / "canary"
    for name, data in _pickles(canary).items():
        sock = _authenticated(server) if known else _connect(server)
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        _read_all(sock)
        sock.close()
        assert not canary.exists(), name
    pickle.loads(pickle.dumps(Canary(canary)))
    assert canary.exists()  # the canary does sing where it is unpickled


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x" * 64, b"not a minitf frame"),
        (struct.pack("<4sIQ", b"MTF1", 1 << 31, 0), b"header of 2147483648 bytes"),
        (struct.pack("<4sIQ", b"MTF1", 8, 1 << 62) + b"x" * 8, b"payload of 4611686018427387904"),
        (_frame([{"method": "no such thing"}, []]), b"no handler 'no such thing'"),
        (_frame([{"method": ["ping"]}, []]), b"no handler ['ping']"),
        (_frame([{}, []]), b"no handler None"),
        (_frame([{"method": "echo"}, [["float32", [-1, -1], 4]]], b"abcd"), b"has the size -1"),
        (_frame([{"method": "echo"}, [["float32", [1], 4]]], b"abcd")[:-2], b"ended inside"),
        (_frame([{"method": "echo"}, []])[:9], b"ended inside"),
    ],
)
def test_an_authenticated_peer_is_refused_with_the_reason(
    server: TaskServer, data: bytes, reason: bytes
) -> None:
    sock = _authenticated(server)
    sock.sendall(data)
    sock.shutdown(socket.SHUT_WR)
    answer = _read_all(sock)
    assert b"refused" in answer
    assert reason in answer
    sock.close()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x" * 64, b"not a minitf frame"),
        (struct.pack("<4sIQ", b"MTF1", 4000, 0), b"header of 4000 bytes"),
        (struct.pack("<4sIQ", b"MTF1", 10, 1) + b"x" * 11, b"payload of 1 bytes"),
        (_frame([{"nonce": b"x" * 32, "proof": b"y" * 32}, []]), b"does not hold"),
        (_frame([{"nonce": "x" * 32, "proof": b""}, []]), b"no challenge"),
        (_frame([{}, []]), b"no challenge"),
    ],
)
def test_a_stranger_is_refused_with_the_reason(
    server: TaskServer, data: bytes, reason: bytes
) -> None:
    sock = _connect(server)
    sock.sendall(data)
    answer = _read_all(sock)
    assert b"refused" in answer
    assert reason in answer
    sock.close()


def test_a_proof_cannot_be_played_back(server: TaskServer) -> None:
    sock = _connect(server)
    answer = handshake.client_answer(_read_frame(sock), TOKEN, "server")
    sock.close()
    sock = _connect(server)
    _read_frame(sock)
    sock.sendall(framing.encode(answer)[0])
    assert b"does not hold" in _read_all(sock)
    sock.close()


def test_hundreds_of_broken_connections_leave_the_server_as_it_was(server: TaskServer) -> None:
    rng = random.Random(7)
    channel = Channel(server.address, server.options)
    channel.call("ping")
    threads = threading.active_count()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    good = _frame([{"method": "echo", "a": 1}, [["float32", [2, 3], 24]]], bytes(24))
    for i in range(400):
        sock = _authenticated(server) if i % 2 else _connect(server)
        data = bytearray(good if rng.random() < 0.8 else rng.randbytes(rng.randrange(1, 3000)))
        for _ in range(rng.randrange(1, 5)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        sock.sendall(data[: rng.randrange(1, len(data) + 1)])
        if rng.random() < 0.5:
            sock.shutdown(socket.SHUT_WR)
        sock.close()
        if i % 50 == 0:
            assert channel.call("echo", {"i": i})[0] == {"i": i}
    for _ in range(100):
        if threading.active_count() <= threads:
            break
        threading.Event().wait(0.05)
    assert threading.active_count() <= threads
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 200_000  # kilobytes

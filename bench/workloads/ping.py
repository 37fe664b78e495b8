"""A task server's answer to an empty question, beside a raw socket's."""

import socket
from collections.abc import Callable
from pathlib import Path

from bench.case import Case, Library

CASES = (
    Case(
        "task server ping, beside a raw socket",
        "ping",
        wanted=0.25,
        peer="plain",
        peer_build="build_raw",
        cpu=False,
        bound="Both ends write and check a header in Python; the raw socket has none.",
    ),
)

PEER = str(Path(__file__).resolve().parent.parent / "peer.py")
BYTES = 64


def build(library: Library) -> Callable[[], object]:
    from minitf.core.cluster.wire.channel import Channel

    process = library.start(PEER, "task_server")
    assert process.stdout is not None
    channel = Channel(process.stdout.readline().strip())
    channel.wait_until_ready(10.0)
    library.closing.append(channel.close)
    return lambda: channel.call("ping")


def build_raw(library: Library) -> Callable[[], object]:
    process = library.start(PEER, "echo", str(BYTES))
    assert process.stdout is not None
    port = int(process.stdout.readline())
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    library.closing.append(connection.close)
    message = bytes(BYTES)

    def step() -> None:
        connection.sendall(message)
        left = BYTES
        while left:
            left -= len(connection.recv(left))

    return step

"""Tasks of one process without ports: what stands behind the addresses "inproc://NAME".

A connection is a pair of sockets that the system joins, so that all which goes on over TCP goes on
here as well: messages, their limits, talks, lost connections. Nobody outside the process can reach
it: there is neither a handshake nor a token. Dask has no part in it, and need not be installed.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from typing import Any

from minitf.core.cluster.cluster_spec import INPROC
from minitf.core.cluster.wire.connection import Connection

SOCKET_BUFFER = 1 << 20  # bytes

_serving: dict[str, tuple[Callable[[Connection], None], dict[str, Any]]] = {}
os.register_at_fork(after_in_child=_serving.clear)


def is_here(address: str) -> bool:
    """Whether an address is one of these."""
    return address.startswith(INPROC)


def listen(address: str, serve: Callable[[Connection], None], identity: dict[str, Any]) -> None:
    """Gives each connection to `address` to `serve`, which must not block.

    Args:
      identity: what the other end learns of the task.
    Raises:
      OSError: when another task has the address.
    """
    if _serving.setdefault(address, (serve, identity))[0] != serve:
        raise OSError(errno.EADDRINUSE, f"another task of this process is {address}")


def stop(address: str) -> None:
    """Takes no more connections."""
    _serving.pop(address, None)


def connect(address: str) -> Connection:
    """Returns a connection to the task at an address.

    Raises:
      OSError: when there is none, or the process has no more file descriptors.
    """
    if address not in _serving:
        raise ConnectionRefusedError(f"this process has no task {address}")
    serve, identity = _serving[address]
    pair = socket.socketpair()
    for sock in pair:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BUFFER)
    here, there = pair
    serve(Connection(there, address, address))
    return Connection(here, address, address, identity)

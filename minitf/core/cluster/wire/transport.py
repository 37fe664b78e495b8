"""Connecting and listening with the options of a cluster, between processes or in this one.

connect("host:port")      --> tcp.connect: the handshake             --> Connection
listen("host:port", ...)  --> tcp.Listener: the handshake            --> on_connection
connect("inproc://NAME")  --> the server of `listen_here`            --> Connection
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from minitf.core.cluster.cluster_spec import INPROC
from minitf.core.cluster.wire import handshake, tcp
from minitf.core.cluster.wire.connection import Connection
from minitf.core.graph.process import in_child


@dataclass(frozen=True)
class TransportOptions:
    """The options of connections to a cluster.

    Attributes:
      token: the secret text of the cluster; from MINITF_CLUSTER_TOKEN unless given.
      security: a distributed.Security; with it connections are encrypted (mtfs://).
      connect_timeout: seconds in which a peer must accept a connection and finish the handshake;
        while no process listens there, it is tried again.
      heartbeat: seconds between two heartbeats while a call is waiting.
      frozen_after: seconds without an answer to a heartbeat after which the peer counts as dead. A
        peer that was stopped for less goes on with its step.
      identity: information for the peers to which this process connects; plain data.
      dial: returns a Connection to "host:port" within so many seconds, for peers that connect
        themselves and do not listen.
    """

    token: str | None = field(default_factory=handshake.token_from_environment, repr=False)
    security: Any = None
    connect_timeout: float = 2.5
    heartbeat: float = 1.0
    frozen_after: float = 10.0
    identity: Mapping[str, Any] = field(default_factory=dict, repr=False)
    dial: Callable[[str, float], Any] | None = field(default=None, repr=False)

    def credentials(self, listening: bool) -> tcp.Credentials:
        """Returns what this end proves itself with when it listens, or connects."""
        if self.security is None:
            return tcp.Credentials(self.token)
        if listening:
            made = self.security.get_listen_args("worker")
        else:
            made = self.security.get_connection_args("worker")
            if made.get("ssl_context") is None:  # a notebook may hold a client's certificate only
                made = self.security.get_connection_args("client")
        return tcp.credentials(self.token, True, **made)


READY_TIMEOUT = 60.0  # seconds a client waits for the task it wants to talk to


_known: dict[str, TransportOptions] = {}


def options_for(address: str) -> TransportOptions:
    """Returns the options that `remember` was given for "host:port", or the default ones."""
    return _known.get(address) or TransportOptions()


def remember(address: str, options: TransportOptions) -> None:
    """Stores the options for one address, for sessions that will be opened there."""
    _known[address] = options


def forget(address: str) -> None:
    """Removes the options for an address: another program or cluster may use the port soon."""
    _known.pop(address, None)


def connect(address: str, options: TransportOptions, seconds: float | None = None) -> Any:
    """Returns a Connection to `address`: "host:port" or "inproc://NAME".

    Args:
      address: of the peer.
      options: how to talk to it.
      seconds: instead of `options.connect_timeout`.
    Raises:
      HandshakeError: when the peer answers, and token or certificate do not fit.
      NoTaskError: when another program answers there, or the host is unknown.
      SilentError: when the program that listens there sends nothing in time.
      OSError: when the connection is not accepted in time.
    """
    seconds = seconds or options.connect_timeout
    if is_here(address):
        return connect_here(address)
    if options.dial is not None:
        return options.dial(address, seconds)
    return tcp.connect(address, options.credentials(listening=False), options.identity, seconds)


def listen(
    address: str,
    on_connection: Callable[[Any], None],
    identity: dict[str, Any],
    options: TransportOptions,
) -> tcp.Listener:
    """Starts a listener; returns it. `on_connection` must not block."""
    return tcp.Listener(address, options.credentials(listening=True), identity, on_connection)


# ---- tasks of one process, without ports --------------------------------------------------
#
# A connection is a pair of joined sockets, so that everything works as over TCP: messages, their
# limits, talks, lost connections. Other processes cannot reach it: there is neither a handshake nor
# a token.

_serving: dict[str, tuple[Callable[[Connection], None], dict[str, Any]]] = {}
in_child(_serving.clear)


def is_here(address: str) -> bool:
    """Whether an address is one of these."""
    return address.startswith(INPROC)


def listen_here(
    address: str, serve: Callable[[Connection], None], identity: dict[str, Any]
) -> None:
    """Gives each connection to `address` to `serve`, which must not block.

    Args:
      identity: information about the task for the other end.
    Raises:
      OSError: when another task has the address.
    """
    if _serving.setdefault(address, (serve, identity))[0] != serve:
        raise OSError(errno.EADDRINUSE, f"another task of this process is {address}")


def stop_here(address: str) -> None:
    """Stops accepting connections."""
    _serving.pop(address, None)


def connect_here(address: str) -> Connection:
    """Returns a connection to the task at an address.

    Raises:
      OSError: when there is none, or the process has no more file descriptors.
    """
    if address not in _serving:
        raise ConnectionRefusedError(f"this process has no task {address}")
    serve, identity = _serving[address]
    pair = socket.socketpair()
    for sock in pair:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, tcp.SOCKET_BUFFER)
    here, there = pair
    serve(Connection(there, address, address))
    return Connection(here, address, address, identity)

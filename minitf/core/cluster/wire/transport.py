"""Connecting and listening for threads without event loops.

One event-loop thread of a process connects and listens (through Dask's `connect` and `listen`) and
then returns each socket as a blocking Connection. The first connection imports `comm`, and with it
Dask (300 ms); a program that only makes a ClusterSpec does not.

    caller's thread  --connect()-->  loop thread: Dask's connect, handshake  --> Connection
    loop thread: Dask's listen, handshake  --> on_connection(Connection)     --> server's thread
"""

from __future__ import annotations

import errno
import importlib
import os
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from minitf.core.cluster import MISSING
from minitf.core.cluster.cluster_spec import INPROC
from minitf.core.cluster.interrupts import import_whole
from minitf.core.cluster.wire import handshake
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

    @property
    def scheme(self) -> str:
        """The URI scheme for these options."""
        return "mtf" if self.security is None else "mtfs"

    def _arguments(self, listening: bool) -> dict[str, Any]:
        if self.security is None:
            return {"token": self.token}
        if listening:
            return {**self.security.get_listen_args("worker"), "token": self.token}
        made = self.security.get_connection_args("worker")
        if made.get("ssl_context") is None:  # a notebook may hold a client's certificate only
            made = self.security.get_connection_args("client")
        return {**made, "token": self.token}


_defaults: TransportOptions | None = None
READY_TIMEOUT = 60.0  # seconds a client waits for the task it wants to talk to


_known: dict[str, TransportOptions] = {}


def default_options() -> TransportOptions:
    """Returns the options of sessions and servers without options."""
    return _defaults or TransportOptions()


def options_for(address: str) -> TransportOptions:
    """Returns the options that `remember` was given for "host:port", or the default ones."""
    return _known.get(address) or default_options()


def remember(address: str, options: TransportOptions) -> None:
    """Stores the options for one address, for sessions that will be opened there."""
    _known[address] = options


def forget(address: str) -> None:
    """Removes the options for an address: another program or cluster may use the port soon."""
    _known.pop(address, None)


def configure(token: str | None = None, security: Any = None) -> None:
    """Sets the default options of sessions and servers of this process.

    Args:
      token: the cluster's secret text; from MINITF_CLUSTER_TOKEN when None.
      security: a `distributed.Security` with certificates; connections are then encrypted.
    """
    global _defaults
    _defaults = TransportOptions(token or handshake.token_from_environment(), security)


class EventLoopThread:
    """Runs one event loop in a daemon thread."""

    def __init__(self) -> None:
        try:
            self._comm = import_whole("minitf.core.cluster.wire.comm")
            self._core = importlib.import_module("distributed.comm.core")
        except ImportError as error:
            raise ImportError(MISSING) from error
        self._asyncio = importlib.import_module("asyncio")
        self._loop = self._asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="minitf-transport", daemon=True
        )
        self._thread.start()

    def connect(self, address: str, options: TransportOptions, seconds: float | None = None) -> Any:
        """Returns a Connection to `address` ("host:port").

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
        if options.dial is not None:
            return options.dial(address, seconds)
        return self.run(self._connect(address, options, seconds))

    def listen(
        self,
        address: str,
        on_connection: Callable[[Any], None],
        identity: dict[str, Any],
        options: TransportOptions,
    ) -> Any:
        """Starts a listener; returns it. `on_connection` must not block."""

        async def listen() -> Any:
            listener = self._core.listen(
                f"{options.scheme}://{address}",
                lambda comm: on_connection(comm.detach()),
                identity=identity,
                **options._arguments(listening=True),
            )
            await listener.start()
            return listener

        return self.run(listen())

    def stop(self, listener: Any) -> None:
        """Stops a listener; its connections stay open."""

        async def stop() -> None:
            listener.stop()

        self.run(stop())

    def run(self, coroutine: Any) -> Any:
        """Runs a coroutine on the loop and waits for its result."""
        future = self._asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def _connect(self, address: str, options: TransportOptions, seconds: float) -> Any:
        progress = handshake.Progress()
        arguments = {**options._arguments(listening=False), "progress": progress}
        uri = f"{options.scheme}://{address}"
        try:
            async with self._asyncio.timeout(seconds):
                while True:
                    try:
                        # Dask gives its first attempt a fifth of its time, and its handshake all
                        # the time there is: the limit around it is the one that counts.
                        comm = await self._core.connect(
                            uri,
                            timeout=5 * seconds,
                            handshake_overrides=dict(options.identity),
                            **arguments,
                        )
                        return comm.detach()
                    except self._core.FatalCommClosedError as error:
                        raise error.__cause__ or error from None
                    except OSError as error:  # the peer closed the connection in Dask's handshake
                        progress.reason, progress.failed = str(error), True
                    await self._asyncio.sleep(0.05)
        except TimeoutError:
            if progress.connected:
                raise handshake.SilentError(f"{address}: {progress.reason}") from None
            ended = TimeoutError if progress.failed else handshake.UnfinishedError
            raise ended(f"{progress.reason}, for {seconds:.3g} s") from None


_threads: dict[int, EventLoopThread] = {}
_lock = threading.Lock()


@in_child
def _after_fork() -> None:
    """In a forked child a thread of the parent may hold the lock for ever."""
    global _lock
    _lock = threading.Lock()


def event_loop_thread() -> EventLoopThread:
    """Returns the loop thread of this process (a forked child gets its own)."""
    with _lock:
        found = _threads.get(os.getpid())
        if found is None:
            found = _threads[os.getpid()] = EventLoopThread()
        return found


# ---- tasks of one process, without ports --------------------------------------------------
#
# A connection is a pair of joined sockets, so that everything works as over TCP: messages, their
# limits, talks, lost connections. Other processes cannot reach it: there is neither a handshake nor
# a token. Dask is not used, and need not be installed.

SOCKET_BUFFER = 1 << 20  # bytes

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
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BUFFER)
    here, there = pair
    serve(Connection(there, address, address))
    return Connection(here, address, address, identity)

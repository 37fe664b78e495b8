"""`mtf://` (and `mtfs://` with TLS) as a comm backend of Dask distributed.

Dask finds the backend through the entry-point group `distributed.comm.backends`, so that
`distributed.comm.connect("mtf://host:port")` and `listen` reach tasks, with Dask's addresses,
retries and TLS `Security`. A message is plain data (see `framing`). Nothing is pickled: Dask's own
scheduler cannot use the backend. Tasks connect without an event loop (see `tcp`), in the same way.

    Dask's event loop  --await-->  a thread: Connection.send, Connection.receive
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Any, TypeVar

from distributed.comm.addressing import parse_host_port, unparse_host_port
from distributed.comm.core import Comm, CommClosedError, Connector, FatalCommClosedError, Listener
from distributed.comm.registry import backends
from distributed.comm.tcp import BaseTCPBackend
from distributed.comm.utils import ensure_concrete_host

from minitf.core.cluster.interrupts import beside_ctrl_c
from minitf.core.cluster.wire import handshake, tcp
from minitf.core.cluster.wire.connection import Connection

_T = TypeVar("_T")


async def _beside(work: Callable[[], _T]) -> _T:
    """Runs blocking work in a thread of its own."""
    return await asyncio.wrap_future(beside_ctrl_c(work))


class MtfComm(Comm):
    """A connection for the coroutines of an event loop."""

    def __init__(self, connection: Connection):
        super().__init__()
        self._connection = connection
        self.remote_info = connection.peer_info

    @property
    def local_address(self) -> str:
        return self._connection.local

    @property
    def peer_address(self) -> str:
        return self._connection.peer

    _local_addr, _peer_addr = local_address, peer_address  # Dask's `connect` reads these

    async def read(self, deserializers: Any = None) -> Any:
        """Returns the next message; `deserializers` is not used."""
        fields, *_ = await self._with(self._connection.receive)
        return fields.get("body")

    async def write(self, msg: Any, serializers: Any = None, on_error: Any = None) -> int:
        """Sends a message of plain data; returns when the system has taken all of its bytes.

        Raises:
          TypeError: when `msg` holds anything but plain data.
        """
        return await self._with(lambda: self._connection.send({"body": msg}))

    async def _with(self, work: Callable[[], _T]) -> _T:
        try:
            return await _beside(work)
        except (EOFError, OSError) as error:
            self._connection.close()
            raise CommClosedError(f"{self.peer_address}: {error}") from error
        except asyncio.CancelledError:  # who knows how much of the message has been read
            self.abort()
            raise

    async def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        self._connection.interrupt()  # wakes a thread that waits; the last holder closes it

    def closed(self) -> bool:
        return self._connection.is_closed


class MtfConnector(Connector):
    """Connects to a listener of the same scheme."""

    encrypted = False

    async def connect(self, address: str, deserialize: bool = True, **arguments: Any) -> MtfComm:
        """Returns an authenticated comm.

        Args:
          address: "host:port".
          arguments: `ssl_context` and others from `Security`, `token`, and `fingerprint` of the
            expected certificate (hex).
        Raises:
          FatalCommClosedError: when another attempt would not help. Its cause is a HandshakeError
            (token, certificate) or a NoTaskError (another program listens there).
          OSError: when no process listens there yet.
        """
        shown = _credentials(self.encrypted, **arguments)
        deadline = time.monotonic() + tcp.HANDSHAKE_TIMEOUT
        try:
            return MtfComm(await _beside(lambda: tcp.attempt(address, shown, deadline, None)))
        except (handshake.HandshakeError, handshake.NoTaskError) as error:
            raise FatalCommClosedError(str(error)) from error


class MtfsConnector(MtfConnector):
    """Connects with TLS."""

    encrypted = True


class MtfListener(Listener):
    """Accepts connections, and passes on those that have authenticated.

    Args:
      address: "host:port"; port 0 takes a free one.
      comm_handler: called with each authenticated MtfComm; a function or a coroutine function.
      identity: further information for the peer in the handshake, plain data.
      arguments: as those of `MtfConnector.connect`.
    """

    prefix = "mtf://"
    encrypted = False

    def __init__(
        self,
        address: str,
        comm_handler: Callable[[MtfComm], Any],
        deserialize: bool = True,
        identity: dict[str, Any] | None = None,
        **arguments: Any,
    ):
        self._address = unparse_host_port(*parse_host_port(address, 0))
        self._handler, self._identity = comm_handler, identity or {}
        self._shown = _credentials(self.encrypted, **arguments)
        self._listener: tcp.Listener | None = None
        self._handling: set[asyncio.Future[Any]] = set()

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._listener = await _beside(
            lambda: tcp.Listener(
                self._address,
                self._shown,
                self._identity,
                lambda connection: loop.call_soon_threadsafe(self._handle, MtfComm(connection)),
            )
        )

    def stop(self) -> None:
        if self._listener is not None:
            self._listener.stop()

    def _handle(self, comm: MtfComm) -> None:
        result = self._handler(comm)
        if inspect.isawaitable(result):
            task = asyncio.ensure_future(result)
            self._handling.add(task)  # or nobody would hold it
            task.add_done_callback(self._handling.discard)

    @property
    def listen_address(self) -> str:
        return self.prefix + unparse_host_port(*self._bound())

    @property
    def contact_address(self) -> str:
        host, port = self._bound()
        return self.prefix + unparse_host_port(ensure_concrete_host(host), port)

    def _bound(self) -> tuple[str, int]:
        if self._listener is None:
            raise ValueError(f"invalid operation on non-started {type(self).__name__}")
        return self._listener.place


class MtfsListener(MtfListener):
    """Accepts TLS connections."""

    prefix = "mtfs://"
    encrypted = True


class MtfBackend(BaseTCPBackend):
    """The backend of Dask for addresses with the scheme `mtf`, which look like those of TCP."""

    _connector_class = MtfConnector
    _listener_class = MtfListener


class MtfsBackend(BaseTCPBackend):
    """The same for `mtfs`."""

    _connector_class = MtfsConnector
    _listener_class = MtfsListener


backends.setdefault("mtf", MtfBackend())
backends.setdefault("mtfs", MtfsBackend())


def _credentials(encrypted: bool, **arguments: Any) -> tcp.Credentials:
    token = handshake.token_from_environment()
    return tcp.credentials(encrypted=encrypted, **{"token": token, **arguments})

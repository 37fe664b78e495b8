"""The comm backend `mtf://` (and `mtfs://` with TLS) for Dask distributed.

Dask finds the backend through the entry-point group `distributed.comm.backends`, so that
`distributed.comm.connect("mtf://host:port")` and `listen` work, with Dask's addresses, retries and
TLS `Security`. A message is plain data (see `framing`). Nothing is pickled: the backend opens
connections for tensors, and does not serve Dask's own scheduler.

    listener (event loop)  accept -> TLS -> token proof -> Dask's handshake -> handle_comm(comm)
    comm.detach()          the socket leaves the event loop as a blocking Connection

The rest of the package uses this file through `transport`: blocking calls, no event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import inspect
import socket
import ssl
from collections.abc import Callable
from functools import partial
from operator import methodcaller
from typing import Any

from distributed.comm.addressing import parse_host_port, unparse_host_port
from distributed.comm.core import (
    BaseListener,
    Comm,
    CommClosedError,
    Connector,
    FatalCommClosedError,
)
from distributed.comm.registry import backends
from distributed.comm.tcp import BaseTCPBackend
from distributed.comm.utils import ensure_concrete_host

from minitf.core.cluster.interrupts import beside_ctrl_c
from minitf.core.cluster.wire import framing, handshake
from minitf.core.cluster.wire.connection import Connection

HANDSHAKE_TIMEOUT = 3.0  # seconds a stranger may take to prove itself
SOCKET_BUFFER = 1 << 20  # bytes
MAX_STRANGERS = 256  # connections in their handshake at one time; the oldest make room for more
KNOCK_AFTER = 0.5  # seconds in which a client has heard nothing
TLS_RECORDS = (b"\x15\x03", b"\x16\x03")  # how an alert and a handshake of TLS begin
_ENVIRONMENT = object()  # "take the token from the environment"


class MtfComm(Comm):
    """A connection that belongs to the event loop.

    Args:
      sock: connected, non-blocking; plain or TLS.
      local_addr: this end's address with its scheme.
      peer_addr: the other end's.
    """

    def __init__(self, sock: socket.socket, local_addr: str, peer_addr: str, deserialize: bool):
        super().__init__(deserialize)
        self._sock: socket.socket | None = sock
        self._local_addr = local_addr
        self._peer_addr = peer_addr
        self._waiting: set[asyncio.Future[None]] = set()
        self.first_words = b""  # of the peer
        self.knocked = False
        self.limits = framing.BEFORE_AUTHENTICATION

    @property
    def local_address(self) -> str:
        return self._local_addr

    @property
    def peer_address(self) -> str:
        return self._peer_addr

    async def read(self, deserializers: Any = None) -> Any:
        """Returns the next message; `deserializers` is not used."""
        return (await self.read_frame()).get("body")

    async def write(self, msg: Any, serializers: Any = None, on_error: Any = None) -> int:
        """Sends a message of plain data; returns when the system has taken all of its bytes.

        Raises:
          TypeError: when `msg` holds anything but plain data.
        """
        return await self.write_frame({"body": msg})

    async def read_frame(self) -> dict[str, Any]:
        """Returns the fields of the next frame."""
        peer, limits = self._peer_addr, self.limits
        try:
            prelude = await self._receive_prelude()
            header, payload = framing.parse_prelude(prelude, peer, limits)
            fields, _ = framing.parse_header(await self._receive(header), payload, peer, limits)
        except framing.FramingError as error:
            await self.refuse(str(error))
            raise CommClosedError(str(error)) from error
        except (EOFError, OSError) as error:
            raise self._broken(error) from error
        except BaseException:  # cancelled: who knows how much of the frame has been read
            self.abort()
            raise
        if "refused" in fields:
            self.abort()
            raise handshake.HandshakeError(f"{peer} refused the connection: {fields['refused']}")
        return fields

    async def write_frame(self, fields: dict[str, Any]) -> int:
        """Sends one frame; returns its size in bytes."""
        [frame] = framing.encode(fields)
        view = memoryview(frame)
        try:
            while view:
                sent = await self._when_ready(methodcaller("send", view), "write")
                view = view[sent:]
        except OSError as error:
            raise self._broken(error) from error
        except BaseException:
            self.abort()
            raise
        return len(frame)

    async def start_tls(self, context: ssl.SSLContext, server_side: bool, name: str | None) -> None:
        """Wraps the socket in TLS and exchanges certificates.

        Raises:
          HandshakeError: when the peer of a server does not use TLS.
        """
        if server_side:  # the client speaks first
            first = await self._when_ready(lambda sock: sock.recv(1, socket.MSG_PEEK), "read")
            if first and first not in TLS_RECORDS[1]:
                raise handshake.HandshakeError(
                    "this task speaks TLS only, and its peer does not: give the session or server "
                    "`security=`, a distributed.Security with the cluster's certificates"
                )
        assert self._sock is not None
        self._sock = context.wrap_socket(
            self._sock, server_side=server_side, server_hostname=name, do_handshake_on_connect=False
        )
        await self._when_ready(lambda sock: sock.do_handshake(), "read")

    def check_fingerprint(self, expected: str | None) -> None:
        """Checks the SHA-256 of the peer's certificate, if one is expected.

        Raises:
          HandshakeError: when it is another.
        """
        if expected is not None and self._sock is not None:
            shown = self._sock.getpeercert(True) or b""  # type: ignore[attr-defined]
            if hashlib.sha256(shown).hexdigest() != expected:
                raise handshake.HandshakeError(
                    f"{self._peer_addr} shows another certificate than the one that was named: "
                    "it is not who it should be"
                )

    def detach(self) -> Connection:
        """Removes the socket from the event loop; this comm is closed from now on."""
        sock, self._sock = self._sock, None
        if sock is None:
            raise CommClosedError(f"{self._peer_addr}: already closed")
        return Connection(sock, self._local_addr, self._peer_addr, self.remote_info)

    async def refuse(self, reason: str) -> None:
        """Sends `reason`, drops for a moment what the peer is still sending, and closes."""
        with contextlib.suppress(OSError, TimeoutError):
            await self.write_frame({"refused": reason})
            if self._sock is not None:
                socket.socket.shutdown(self._sock, socket.SHUT_WR)
            async with asyncio.timeout(0.2):
                while await self._when_ready(lambda sock: sock.recv(65536), "read"):
                    pass
        self.abort()

    async def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        sock, self._sock = self._sock, None
        if sock is None:
            return
        for future in self._waiting:
            if not future.done():
                future.set_exception(CommClosedError(f"{self._peer_addr}: closed"))
        with contextlib.suppress(RuntimeError, OSError, ValueError):
            loop = asyncio.get_running_loop()
            loop.remove_reader(sock)
            loop.remove_writer(sock)
        sock.close()

    def closed(self) -> bool:
        return self._sock is None

    def _broken(self, error: BaseException) -> CommClosedError:
        self.abort()
        if isinstance(error, CommClosedError):
            return error
        return CommClosedError(f"{self._peer_addr}: {error}")

    async def _receive(self, count: int) -> bytearray:
        data = bytearray(count)
        await self._receive_into(memoryview(data))
        return data

    async def _receive_prelude(self) -> bytearray:
        """Receives the beginning of a frame; other data may be shorter."""
        magic = await self._receive(len(framing.MAGIC))
        self.first_words = self.first_words or bytes(magic)
        missing = framing.PRELUDE.size - len(magic)
        return magic + (await self._receive(missing) if magic == framing.MAGIC else bytes(missing))

    def knock(self) -> None:
        """Sends a short message, to which a peer that is no task may answer."""
        with contextlib.suppress(OSError):
            if self._sock is not None and not self.first_words:
                self.knocked = True
                self._sock.send(framing.encode(handshake.KNOCK)[0])

    async def _receive_into(self, view: memoryview) -> None:
        while view:
            received = await self._when_ready(methodcaller("recv_into", view), "read")
            if not received:
                raise EOFError("the connection ended")
            view = view[received:]

    async def _when_ready(self, attempt: Callable[[Any], Any], direction: str) -> Any:
        while True:
            sock = self._sock
            if sock is None:
                raise CommClosedError(f"{self._peer_addr}: closed")
            try:
                return attempt(sock)
            except ssl.SSLWantReadError:
                await self._wait(sock, "read")
            except ssl.SSLWantWriteError:
                await self._wait(sock, "write")
            except BlockingIOError:
                await self._wait(sock, direction)

    async def _wait(self, sock: socket.socket, direction: str) -> None:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        add, remove = (
            (loop.add_reader, loop.remove_reader)
            if direction == "read"
            else (loop.add_writer, loop.remove_writer)
        )
        self._waiting.add(ready)

        def wake() -> None:
            if not ready.done():
                ready.set_result(None)

        add(sock, wake)
        try:
            await ready
        finally:
            self._waiting.discard(ready)
            if sock.fileno() >= 0:
                remove(sock)


class MtfConnector(Connector):
    """Connects to a listener of the same scheme."""

    prefix = "mtf://"
    encrypted = False

    async def connect(
        self, address: str, deserialize: bool = True, **connection_args: Any
    ) -> MtfComm:
        """Returns an authenticated comm.

        Args:
          address: "host:port".
          connection_args: `ssl_context` and others from `Security`, `token`, `fingerprint` of the
            expected certificate (hex), and `progress`, a handshake.Progress for a caller that may
            cancel the attempt.
        Raises:
          FatalCommClosedError: when another attempt would not help. Its cause is a HandshakeError
            (token, certificate) or a NoTaskError (another program listens there).
          OSError: when no process listens there yet.
        """
        _check_encryption(self.encrypted, connection_args)
        progress = connection_args.get("progress") or handshake.Progress()
        sock = await _reach(address, progress)
        local = self.prefix + unparse_host_port(*sock.getsockname()[:2])
        comm = MtfComm(sock, local, self.prefix + address, deserialize)
        loop = asyncio.get_running_loop()
        knock = None if self.encrypted else loop.call_later(KNOCK_AFTER, comm.knock)
        try:
            await self._shake_hands(comm, parse_host_port(address)[0], connection_args)
        except BaseException as error:
            comm.abort()
            lasting = _lasting(comm, address, error)
            if lasting is not None:
                raise FatalCommClosedError(str(lasting)) from lasting
            if isinstance(error, OSError):  # and not cancelled while it waits
                progress.connected, progress.reason = False, str(error)
            raise
        finally:
            if knock is not None:
                knock.cancel()
        comm.limits = framing.NO_ARRAYS
        return comm

    async def _shake_hands(self, comm: MtfComm, host: str, arguments: dict[str, Any]) -> None:
        token = _token(arguments)
        if self.encrypted:
            name = arguments.get("server_hostname") or host
            await comm.start_tls(_ssl_context(arguments), False, name)
            comm.check_fingerprint(arguments.get("fingerprint"))
        hello = await comm.read_frame()
        answer = handshake.client_answer(hello, token, comm.peer_address)
        await comm.write_frame(answer)
        last = await comm.read_frame()
        handshake.check_server(hello, answer, last, token, comm.peer_address)


class MtfsConnector(MtfConnector):
    """Connects with TLS."""

    prefix = "mtfs://"
    encrypted = True


class MtfListener(BaseListener):
    """Accepts connections, and passes on those that have authenticated.

    Args:
      address: "host:port"; port 0 takes a free one.
      comm_handler: called with each authenticated MtfComm; a function or a coroutine function.
      token: the cluster's token, from the environment unless given; None for none.
      identity: further information for the peer in the handshake, plain data.
    """

    prefix = "mtf://"
    encrypted = False

    def __init__(
        self,
        address: str,
        comm_handler: Callable[[MtfComm], Any],
        deserialize: bool = True,
        identity: dict[str, Any] | None = None,
        **connection_args: Any,
    ):
        super().__init__()
        _check_encryption(self.encrypted, connection_args)
        self.ip, self.port = parse_host_port(address, 0)
        self.comm_handler = comm_handler
        self.deserialize = deserialize
        self._token = _token(connection_args)
        self._identity = identity or {}
        self._context = _ssl_context(connection_args) if self.encrypted else None
        self._sock: socket.socket | None = None
        self._strangers: dict[asyncio.Task[None], MtfComm] = {}  # in their handshake, oldest first
        self._handlers: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        certified = self._context is not None and self._context.verify_mode == ssl.CERT_REQUIRED
        if self._token is None and not certified and not handshake.is_loopback(self.ip):
            raise PermissionError(
                f"Without a token a task listens on loopback only, not on {self.ip!r}: set "
                f"{handshake.TOKEN_VARIABLE} to one secret text in every process of the cluster."
            )
        found = await asyncio.get_running_loop().getaddrinfo(
            self.ip or None, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, *_, bound = min(found, key=lambda entry: entry[0] != socket.AF_INET)
        self._sock = socket.create_server(bound[:2], family=family, backlog=256)
        self._sock.setblocking(False)
        self._listen(asyncio.get_running_loop())

    def stop(self) -> None:
        sock, self._sock = self._sock, None
        if sock is None:
            return
        asyncio.get_running_loop().remove_reader(sock)
        for task in list(self._strangers):
            self._dismiss(task)
        self.abort_handshaking_comms()
        sock.close()

    def leave_to_parent(self) -> None:
        """Closes a forked child's copies of the sockets; its event loop is another."""
        for sock in (self._sock, *(comm._sock for comm in self._strangers.values())):
            if sock is not None:
                sock.close()

    @property
    def listen_address(self) -> str:
        return self.prefix + unparse_host_port(*self._bound())

    @property
    def contact_address(self) -> str:
        host, port = self._bound()
        return self.prefix + unparse_host_port(ensure_concrete_host(host), port)

    def _bound(self) -> tuple[str, int]:
        if self._sock is None:
            raise ValueError(f"invalid operation on non-started {type(self).__name__}")
        return self._sock.getsockname()[:2]

    def _accept(self) -> None:
        """Accepts the next connection; the event loop calls it when there is one.

        No asyncio task waits for it: a cancelled one would lose its socket.
        """
        assert self._sock is not None
        try:
            sock, address = self._sock.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError:  # out of file descriptors
            self._make_room(0)
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._sock)
            loop.call_later(0.05, self._listen, loop)
            return
        self._make_room(MAX_STRANGERS - 1)
        sock.setblocking(False)
        _tune(sock)
        peer = self.prefix + unparse_host_port(*address[:2])
        comm = MtfComm(sock, self.listen_address, peer, self.deserialize)
        task = asyncio.ensure_future(self._welcome(comm))
        self._strangers[task] = comm
        task.add_done_callback(lambda task: self._strangers.pop(task, None))

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._sock is not None:
            loop.add_reader(self._sock, self._accept)

    def _make_room(self, most: int) -> None:
        """Closes the oldest connection in its handshake when there are more than `most`.

        A proper handshake takes milliseconds, so that the oldest is the most suspicious.
        """
        if len(self._strangers) > most:
            self._dismiss(next(iter(self._strangers)))

    def _dismiss(self, task: asyncio.Task[None]) -> None:
        comm = self._strangers.pop(task)
        task.cancel()
        comm.abort()

    async def _welcome(self, comm: MtfComm) -> None:
        try:
            async with asyncio.timeout(HANDSHAKE_TIMEOUT):
                if self._context is not None:
                    await comm.start_tls(self._context, True, None)
                hello = handshake.server_hello(self._token)
                await comm.write_frame(hello)
                answer = await comm.read_frame()
                if answer.keys() == handshake.KNOCK.keys():
                    answer = await comm.read_frame()
                proof = handshake.server_proof(hello, answer, self._token, comm.peer_address)
                await comm.write_frame(proof)
                comm.limits = framing.NO_ARRAYS
                await self.on_connection(comm, self._identity)
        except handshake.HandshakeError as error:
            await comm.refuse(str(error))
            return
        except (EOFError, OSError, KeyError, TypeError, ValueError):
            comm.abort()
            return
        result = self.comm_handler(comm)
        if inspect.isawaitable(result):
            task = asyncio.ensure_future(result)
            self._handlers.add(task)  # or nobody would hold it
            task.add_done_callback(self._handlers.discard)


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


async def _reach(address: str, progress: handshake.Progress) -> socket.socket:
    """Returns a connected socket, and records the progress."""
    host, port = parse_host_port(address)
    progress.connected = False
    if not progress.failed:  # why an earlier attempt failed says more than how far this one is
        progress.reason = f"the name {host!r} is being looked up"
    try:
        # In a thread of its own: the loop's executor takes nothing any more once the program's main
        # thread has ended, while its other threads may train on, and heartbeats need connections.
        look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        found = await asyncio.wrap_future(beside_ctrl_c(look_up))
    except (socket.gaierror, UnicodeError) as error:  # that of a name which none can have
        reason = f"{address}: no machine named {host!r} is known ({error.args[-1]})"
        raise FatalCommClosedError(reason) from handshake.UnknownHostError(reason)
    progress.reason = "nobody answers there"
    try:
        sock = await _connect_first(found)
    except OSError as error:
        progress.reason, progress.failed = str(error), True
        raise
    progress.connected = True
    progress.reason = (
        "something takes connections there, but says nothing that a task would say: "
        "it is no task of a cluster, or it is stopped"
    )
    return sock


async def _connect_first(found: list[Any]) -> socket.socket:
    """Returns a socket connected to the first of the addresses that answers."""
    failure: OSError = ConnectionError("no address found")
    for family, kind, protocol, _, address in found:
        sock = socket.socket(family, kind, protocol)
        sock.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(sock, address)
        except OSError as error:
            sock.close()
            failure = error
        except BaseException:
            sock.close()
            raise
        else:
            _tune(sock)
            return sock
    raise failure


def _lasting(comm: MtfComm, address: str, error: BaseException) -> ConnectionError | None:
    """Returns the reason why another attempt to connect would fail as well; None if it may work."""
    cause = error.__cause__ if isinstance(error, CommClosedError) else error
    if isinstance(error, handshake.HandshakeError):
        return error
    if isinstance(cause, framing.FramingError):
        if comm.first_words[:2] in TLS_RECORDS:
            return handshake.HandshakeError(
                f"{address} speaks TLS only: give the session or server `security=`, a "
                "distributed.Security with the cluster's certificates"
            )
        return handshake.NoTaskError(f"{address}: no task of a cluster listens there ({cause})")
    if isinstance(cause, ssl.SSLCertVerificationError):
        return handshake.HandshakeError(
            f"{address}: its certificate does not hold ({cause.verify_message})"
        )
    if isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError):
        words = (cause.reason or str(cause)).lower().replace("_", " ")
        if "alert" in words:
            said = f"it refused this process's certificate or TLS version ({words})"
        else:
            said = f"it does not speak TLS as a task with certificates does ({words})"
        return handshake.HandshakeError(f"{address}: {said}")
    if isinstance(cause, EOFError) and comm.knocked and not comm.first_words:
        return handshake.SilentError(
            f"{address}: something takes connections there, and closes them without a word: it is "
            "no task of a cluster, or one that wants TLS"
        )
    return None


def _tune(sock: socket.socket) -> None:
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for side in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        # Beside busy processes every wake-up costs; larger buffers need fewer for a large tensor.
        sock.setsockopt(socket.SOL_SOCKET, side, SOCKET_BUFFER)


def _token(connection_args: dict[str, Any]) -> str | None:
    token = connection_args.get("token", _ENVIRONMENT)
    return handshake.token_from_environment() if token is _ENVIRONMENT else token


def _ssl_context(connection_args: dict[str, Any]) -> ssl.SSLContext:
    context = connection_args.get("ssl_context")
    if not isinstance(context, ssl.SSLContext):
        raise TypeError(
            "mtfs:// needs an `ssl_context`: pass a distributed.Security with certificates, or "
            f"set distributed.comm.tls in Dask's configuration (got {context!r})"
        )
    return context


def _check_encryption(encrypted: bool, connection_args: dict[str, Any]) -> None:
    if connection_args.get("require_encryption") and not encrypted:
        raise RuntimeError("encryption is required by Dask's configuration: use mtfs://")

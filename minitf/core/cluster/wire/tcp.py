"""Connecting and listening: TCP, TLS where there are certificates, and the handshake.

    connect:   look up, connect -> TLS -> proof of the token -> introduction --> Connection
    Listener:  accept           -> TLS -> proof of the token -> introduction --> on_connection

A caller connects in its own thread. A listener accepts in one thread, and greets each stranger in a
thread of its own. Whatever the other end does, connecting ends in time: every wait ends at the
deadline of the handshake, and a crowd of strangers is cut, the oldest first.
"""

from __future__ import annotations

import contextlib
import hashlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from minitf.core.cluster.interrupts import beside_ctrl_c
from minitf.core.cluster.wire import framing, handshake
from minitf.core.cluster.wire.connection import Connection

HANDSHAKE_TIMEOUT = 3.0  # seconds a stranger may take to prove itself
SOCKET_BUFFER = 1 << 20  # bytes
MAX_STRANGERS = 256  # connections in their handshake at one time; the oldest make room for more
KNOCK_AFTER = 0.5  # seconds in which a client has heard nothing
PAUSE = 0.05  # seconds between two attempts to connect, or to accept
TLS_RECORDS = (b"\x15\x03", b"\x16\x03")  # how an alert and a handshake of TLS begin
# Dask's comms introduce themselves with these fields; see `comm`.
_INTRODUCTION = {"pickle-protocol": 5, "compression": None}


@dataclass(frozen=True)
class Credentials:
    """What one end proves itself with, and asks of the other.

    Attributes:
      token: the cluster's secret text; None for none.
      context: with the certificates of TLS; None for a connection without encryption.
      fingerprint: SHA-256 of the certificate that the server must show, hex; None for any.
      server_name: the name in the server's certificate; the name in its address when None.
    """

    token: str | None = field(default=None, repr=False)
    context: ssl.SSLContext | None = None
    fingerprint: str | None = None
    server_name: str | None = None

    @property
    def scheme(self) -> str:
        """The URI scheme of such connections, for messages."""
        return "mtf://" if self.context is None else "mtfs://"


def credentials(
    token: str | None,
    encrypted: bool,
    ssl_context: Any = None,
    require_encryption: bool | None = None,
    fingerprint: str | None = None,
    server_hostname: str | None = None,
    **others: Any,
) -> Credentials:
    """Returns the credentials with the arguments that a `distributed.Security` gives.

    Raises:
      TypeError: when a connection shall be encrypted, and there are no certificates.
      RuntimeError: when it must be encrypted, and shall not.
    """
    if not encrypted:
        if require_encryption:
            raise RuntimeError("encryption is required by Dask's configuration: use mtfs://")
        return Credentials(token)
    if not isinstance(ssl_context, ssl.SSLContext):
        raise TypeError(
            "mtfs:// needs an `ssl_context`: pass a distributed.Security with certificates, or "
            f"set distributed.comm.tls in Dask's configuration (got {ssl_context!r})"
        )
    return Credentials(token, ssl_context, fingerprint, server_hostname)


def connect(
    address: str, shown: Credentials, identity: Mapping[str, Any], seconds: float
) -> Connection:
    """Returns a connection to a task; tries again while no process listens there.

    Args:
      address: "host:port".
      shown: what this end proves itself with.
      identity: information about this end; plain data.
      seconds: for all attempts together.
    Raises:
      HandshakeError: when the peer answers, and token or certificate do not fit.
      NoTaskError: when another program answers there, or the host is unknown.
      SilentError: when the program that listens there sends nothing in time.
      TimeoutError: when no attempt succeeds in time; UnfinishedError when none even failed.
    """
    framing.packer()  # where msgpack is missing, nobody waits for a task
    deadline = time.monotonic() + seconds
    said: OSError | None = None  # by the last attempt that came to an end
    while True:
        try:
            return attempt(address, shown, deadline, identity)
        except (handshake.HandshakeError, handshake.NoTaskError):
            raise
        except OSError as error:
            if said is None or not isinstance(error, handshake.UnfinishedError):
                said = error
        if time.monotonic() + PAUSE >= deadline:
            unfinished = isinstance(said, handshake.UnfinishedError)
            kind = handshake.UnfinishedError if unfinished else TimeoutError
            raise kind(f"{said}, for {seconds:.3g} s") from None
        time.sleep(PAUSE)


def attempt(
    address: str, shown: Credentials, deadline: float, identity: Mapping[str, Any] | None
) -> Connection:
    """Connects once; raises the errors of `connect`, or the OSError of an attempt that failed.

    Without `identity` the two ends have yet to introduce themselves.
    """
    sock = _reach(address, deadline)
    local = _uri(shown.scheme, sock.getsockname())
    connection = Connection(sock, local, shown.scheme + address)
    try:
        connection.distrust(deadline)
        if shown.context is not None:
            name = shown.server_name or _split(address)[0]
            connection.encrypt(shown.context, server_side=False, server_name=name)
            _check_fingerprint(connection, shown.fingerprint)
        else:
            _knock_if_silent(connection, address)
        _prove(connection, shown.token, address)
        if identity is not None:
            _introduce(connection, identity)
        else:
            connection.trust({})
    except BaseException as error:
        connection.close()
        raise _judged(address, error) from None
    return connection


def _reach(address: str, deadline: float) -> socket.socket:
    """Returns a socket connected to the first address of the host that answers."""
    host, port = _split(address)
    look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        found = look_up(flags=socket.AI_NUMERICHOST)
    except (socket.gaierror, UnicodeError):
        found = _look_up(look_up, address, host, deadline)
    failure: OSError = ConnectionError("no address found")
    for family, kind, protocol, _, place in found:
        try:  # there may be no socket for IPv6, or IPv4, on this machine
            with contextlib.ExitStack() as unless_connected:
                sock = unless_connected.enter_context(socket.socket(family, kind, protocol))
                sock.settimeout(max(0.001, deadline - time.monotonic()))
                sock.connect(place)
                _tune(sock)
                unless_connected.pop_all()
                return sock
        except TimeoutError:
            failure = handshake.UnfinishedError("nobody answers there")
        except OSError as error:
            failure = error
    raise failure


def _look_up(
    look_up: Callable[[], list[Any]], address: str, host: str, deadline: float
) -> list[Any]:
    """Returns the places of a name; the system can look for minutes, and does not hear Ctrl-C."""
    try:
        return beside_ctrl_c(look_up).result(max(0.0, deadline - time.monotonic()))
    except (socket.gaierror, UnicodeError) as error:  # that of a name which none can have
        reason = f"{address}: no machine named {host!r} is known ({error.args[-1]})"
        raise handshake.UnknownHostError(reason) from None
    except TimeoutError:
        raise handshake.UnfinishedError(f"the name {host!r} is being looked up") from None


def _knock_if_silent(connection: Connection, address: str) -> None:
    """Waits for the server's first words; sends it some when it has said nothing for a while."""
    if not connection.hears(KNOCK_AFTER):
        with contextlib.suppress(OSError):
            connection.send(handshake.KNOCK)
        try:
            connection.await_message()
        except EOFError:
            raise handshake.SilentError(
                f"{address}: something takes connections there, and closes them without a word: it "
                "is no task of a cluster, or one that wants TLS"
            ) from None


def _prove(connection: Connection, token: str | None, address: str) -> None:
    """The client's part of the proof that both ends hold the token."""
    first = connection.first_bytes(len(framing.MAGIC))
    if first[:2] in TLS_RECORDS:
        raise handshake.HandshakeError(
            f"{address} speaks TLS only: give the session or server `security=`, a "
            "distributed.Security with the cluster's certificates"
        )
    if first != framing.MAGIC:
        raise framing.FramingError(f"it starts with {first!r}")
    hello = _hear(connection)
    answer = handshake.client_answer(hello, token, connection.peer)
    connection.send(answer)
    handshake.check_server(hello, answer, _hear(connection), token, connection.peer)


def _hear(connection: Connection) -> dict[str, Any]:
    """Returns the fields of the next message."""
    fields = connection.receive()[0]
    if "refused" in fields:
        raise handshake.HandshakeError(
            f"{connection.peer} refused the connection: {fields['refused']}"
        )
    return fields


def _introduce(connection: Connection, identity: Mapping[str, Any]) -> None:
    """Tells the peer about this end, and hears about it; this ends the handshake."""
    connection.limits = framing.NO_ARRAYS
    connection.send({"body": {**_INTRODUCTION, **identity}})
    told = _hear(connection).get("body")
    if type(told) is not dict:
        raise handshake.HandshakeError(f"{connection.peer} does not introduce itself")
    connection.trust(told)


def _check_fingerprint(connection: Connection, expected: str | None) -> None:
    shown = hashlib.sha256(connection.certificate or b"").hexdigest()
    if expected is not None and shown != expected:
        raise handshake.HandshakeError(
            f"{connection.peer} shows another certificate than the one that was named: it is not "
            "who it should be"
        )


def _judged(address: str, error: BaseException) -> BaseException:
    """Returns the error to raise for one in the handshake: some say that trying again is no use."""
    if isinstance(error, EOFError | framing.EndedError):
        return ConnectionError(f"{address}: the connection ended")
    if isinstance(error, framing.FramingError):
        return handshake.NoTaskError(f"{address}: no task of a cluster listens there ({error})")
    if isinstance(error, TimeoutError):
        return handshake.SilentError(
            f"{address}: something takes connections there, but says nothing that a task would "
            "say: it is no task of a cluster, or it is stopped"
        )
    if isinstance(error, ssl.SSLCertVerificationError):
        return handshake.HandshakeError(
            f"{address}: its certificate does not hold ({error.verify_message})"
        )
    if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
        words = (error.reason or str(error)).lower().replace("_", " ")
        if "alert" in words:
            said = f"it refused this process's certificate or TLS version ({words})"
        else:
            said = f"it does not speak TLS as a task with certificates does ({words})"
        return handshake.HandshakeError(f"{address}: {said}")
    return error


class Listener:
    """Accepts connections, and passes on those that have proved themselves.

    Args:
      address: "host:port"; port 0 takes a free one.
      shown: what this end proves itself with.
      identity: information for the other ends; plain data.
      on_connection: called with each Connection, in a thread of its own.
    Raises:
      PermissionError: when everybody may connect who reaches the address.
      OSError: when the address is in use, or not of this machine.
    """

    def __init__(
        self,
        address: str,
        shown: Credentials,
        identity: Mapping[str, Any],
        on_connection: Callable[[Connection], Any],
    ):
        framing.packer()  # where msgpack is missing, the program learns it now
        host, port = _split(address)
        certified = shown.context is not None and shown.context.verify_mode == ssl.CERT_REQUIRED
        if shown.token is None and not certified and not handshake.is_loopback(host):
            raise PermissionError(
                f"Without a token a task listens on loopback only, not on {host!r}: set "
                f"{handshake.TOKEN_VARIABLE} to one secret text in every process of the cluster."
            )
        found = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, *_, bound = min(found, key=lambda entry: entry[0] != socket.AF_INET)
        self._sock = socket.create_server(bound[:2], family=family, backlog=256)
        self._sock.settimeout(1.0)  # where closing does not wake the thread, it ends soon
        self.place: tuple[str, int] = self._sock.getsockname()[:2]  # (host, port)
        self._shown, self._identity, self._on_connection = shown, identity, on_connection
        self._strangers: dict[Connection, None] = {}  # in their handshake, oldest first
        self._stopped = False
        threading.Thread(target=self._accept, name="minitf-listener", daemon=True).start()

    def stop(self) -> None:
        """Stops listening; the connections that were passed on stay open."""
        self._stopped = True
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        self._sock.close()
        self._dismiss(len(self._strangers))

    def leave_to_parent(self) -> None:
        """Closes a forked child's copies of the sockets; its threads are the parent's."""
        self._sock.close()
        for stranger in self._strangers:
            stranger.close()

    def _accept(self) -> None:
        while not self._stopped:
            try:
                sock, address = self._sock.accept()
            except (TimeoutError, ConnectionAbortedError):
                continue
            except OSError:  # out of file descriptors, or stopped
                self._dismiss(1)
                time.sleep(PAUSE)
                continue
            self._dismiss(len(self._strangers) - MAX_STRANGERS + 1)
            scheme = self._shown.scheme
            stranger = Connection(sock, _uri(scheme, self.place), _uri(scheme, address))
            self._strangers[stranger] = None
            try:
                threading.Thread(
                    target=self._greet, args=(stranger, sock), name="minitf-stranger", daemon=True
                ).start()
            except RuntimeError:  # the system has no more threads, or the program ends
                self._strangers.pop(stranger, None)
                stranger.close()

    def _dismiss(self, count: int) -> None:
        """Cuts the oldest strangers: a proper handshake takes milliseconds."""
        for stranger in list(self._strangers)[: max(count, 0)]:
            if self._strangers.pop(stranger, False) is None:
                stranger.cut()  # its thread closes it

    def _greet(self, stranger: Connection, sock: socket.socket) -> None:
        try:
            _tune(sock)
            stranger.distrust(time.monotonic() + HANDSHAKE_TIMEOUT)
            self._shake_hands(stranger)
        except (handshake.HandshakeError, framing.FramingError) as error:
            stranger.refuse(str(error))
        except (EOFError, OSError, KeyError, TypeError, ValueError):
            stranger.close()
        if self._strangers.pop(stranger, False) is None and not stranger.is_closed:
            self._on_connection(stranger)
        else:
            stranger.close()

    def _shake_hands(self, stranger: Connection) -> None:
        """The server's part of the handshake."""
        context, token = self._shown.context, self._shown.token
        if context is not None:
            if stranger.hears(HANDSHAKE_TIMEOUT) and stranger.peek() not in (b"", b"\x16"):
                raise handshake.HandshakeError(
                    "this task speaks TLS only, and its peer does not: give the session or server "
                    "`security=`, a distributed.Security with the cluster's certificates"
                )
            stranger.encrypt(context, server_side=True)
        hello = handshake.server_hello(token)
        stranger.send(hello)
        answer = _hear(stranger)
        if answer.keys() == handshake.KNOCK.keys():
            answer = _hear(stranger)
        stranger.send(handshake.server_proof(hello, answer, token, stranger.peer))
        _introduce(stranger, self._identity)


def _tune(sock: socket.socket) -> None:
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for side in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        # Beside busy processes every wake-up costs; larger buffers need fewer for a large tensor.
        sock.setsockopt(socket.SOL_SOCKET, side, SOCKET_BUFFER)


def _split(address: str) -> tuple[str, int]:
    """Returns the host and the port in "host:port" or "[host]:port"."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def _uri(scheme: str, place: Any) -> str:
    """Returns the address of one end, for messages."""
    host, port = place[:2]
    return f"{scheme}[{host}]:{port}" if ":" in host else f"{scheme}{host}:{port}"

"""A blocking connection: a socket for tensors, used by one thread at a time.

The thread uses its socket without an event loop: a message is one `sendmsg`, and large arrays are
received directly into their own memory.

    send:     [head | small arrays] [big array] [big array]  --sendmsg-->
    receive:  --recv_into--> read-ahead buffer (64 KB): prelude, header, small arrays
              --recv_into--> memory of each big array
"""

from __future__ import annotations

import contextlib
import mmap
import select
import socket
import ssl
import struct
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from minitf.core.cluster.wire import framing
from minitf.core.graph.process import in_child
from minitf.core.kernels.threads import can_start

READ_AHEAD = 64 * 1024
RECYCLE_FROM = 1 << 20  # bytes; fresh memory of this size costs page faults on every message
QUIET = 0.1  # seconds
_SEES_ENDS = hasattr(select, "POLLRDHUP")  # of the peer's stream, also behind unread bytes: Linux
_ENDED = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR
_NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
MAX_BUFFERS = 512  # buffers in one sendmsg (the system's limit is 1024)
LAST_WORDS = 0.2  # seconds in which a peer that is turned away may still send


class ReceiveArena:
    """Keeps the memory of large received arrays and reuses it when no array refers to it.

    Received arrays are views of the kept memory, so its reference count shows whether a view is
    alive. All connections of the process share one arena, which bounds the kept memory.

    Args:
      budget: bytes to keep at most; larger blocks are never kept.
      seconds: how long a block is kept that is not used again.
    """

    def __init__(self, budget: int = 256 << 20, seconds: float = 30.0):
        self._budget = budget
        self._seconds = seconds
        self.forget()

    def forget(self) -> None:
        """Releases everything; a forked child begins like this."""
        self._lock = threading.Lock()
        self._blocks: list[tuple[np.ndarray, float]] = []  # with the time of their last use
        self.nbytes = 0  # of all blocks

    def take(self, nbytes: int) -> np.ndarray:
        """Returns [nbytes] uint8 memory that is not in use."""
        if nbytes > self._budget:
            return _mapped(nbytes)
        with self._lock:
            for i, (block, _) in enumerate(self._blocks):
                # Held by the list's entry, by `block` and by the argument of getrefcount.
                if block.nbytes == nbytes and sys.getrefcount(block) == 3:
                    del self._blocks[i]
                    break
            else:
                block = _mapped(nbytes)
                self.nbytes += nbytes
            self._blocks.append((block, time.monotonic()))
            while self.nbytes > self._budget:
                self._drop_oldest()
            return block

    def trim(self) -> None:
        """Releases memory that was not used for a while; the monitor calls it."""
        if not self._blocks:
            return
        with self._lock:
            unused_since = time.monotonic() - self._seconds
            while self._blocks and self._blocks[0][1] < unused_since:
                self._drop_oldest()

    def _drop_oldest(self) -> None:
        block, _ = self._blocks.pop(0)
        self.nbytes -= block.nbytes


def _mapped(nbytes: int) -> np.ndarray:
    """Returns [nbytes] uint8 memory that goes back to the system when it is freed.

    Memory of `malloc` stays with the process: see `minitf.fast.c_libraries`.
    """
    if not hasattr(mmap, "MAP_ANONYMOUS"):
        return np.empty(nbytes, np.uint8)
    memory = mmap.mmap(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):  # as NumPy does: fewer first touches
        with contextlib.suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.uint8)


arena = ReceiveArena()
in_child(arena.forget)


class Link:
    """A simulated slow network of this process; see `minitf.library.clusters.faults`.

    Attributes:
      latency: additional seconds for each message, in both directions.
      bandwidth: bytes a second, 0 for no limit.
      slow: whether the network is slowed down.
    """

    latency = bandwidth = 0.0
    slow = False

    def set(self, latency: float = 0.0, bandwidth: float = 0.0) -> None:
        """Sets the delay of the messages of all connections of this process."""
        self.latency, self.bandwidth = latency, bandwidth
        self.slow = bool(latency or bandwidth)

    def carry(self, nbytes: int, latency: bool = True) -> None:
        """Waits for the time of a message; without `latency`, of a part of a message."""
        late = self.latency if latency else 0.0
        time.sleep(late + (nbytes / self.bandwidth if self.bandwidth else 0.0))


link = Link()


class Connection:
    """Sends and receives frames over a connected, authenticated socket.

    Args:
      sock: plain or TLS socket; the connection owns it.
      local: address of this end, for messages.
      peer: address of the other end, for messages.
      peer_info: the peer's information from the handshake.

    Attributes:
      limits: the largest sizes to accept.
      deadline: the `time.monotonic()` until which the handshake may read; None after it.
      look: called by the waiting thread whenever nothing has come for `QUIET` seconds; its argument
        says whether the wait is between two messages. An exception ends the wait; between two
        messages the connection stays usable.
    """

    def __init__(
        self,
        sock: socket.socket,
        local: str,
        peer: str,
        peer_info: dict[str, Any] | None = None,
    ):
        self.local = local
        self.peer = peer
        self.used = time.monotonic()  # when the last call began, for whoever keeps connections
        self._own(sock)
        self.trust(peer_info or {})
        self._packer = framing.packer()
        self._ahead = memoryview(bytearray(READ_AHEAD))
        self._start = self._end = 0  # the unread part of the read-ahead buffer
        self._closed = False
        self.look: Callable[[bool], None] | None = None
        self._notices_quiet = False

    def _own(self, sock: socket.socket) -> None:
        self._sock = sock
        self._gathers = type(sock) is socket.socket and hasattr(sock, "sendmsg")
        # A connection that nobody holds any more leaves no open socket behind.
        self._release = weakref.finalize(self, sock.close)
        self._release.atexit = False  # other handlers at exit may still use the connection

    def trust(self, peer_info: dict[str, Any]) -> None:
        """Ends the handshake with the peer's information about itself."""
        self.peer_info = peer_info
        self.incarnation = peer_info.get("incarnation")  # of the peer's process
        self.limits = framing.AFTER_AUTHENTICATION
        self.deadline: float | None = None
        self.timeout: float | None = None  # seconds
        self._sock.settimeout(None)

    def distrust(self, deadline: float) -> None:
        """Begins the handshake, which ends until `deadline`; messages are small before `trust`."""
        self.deadline = deadline
        self.limits = framing.BEFORE_AUTHENTICATION

    def encrypt(
        self, context: ssl.SSLContext, server_side: bool, server_name: str | None = None
    ) -> None:
        """Exchanges certificates, as a part of the handshake; from then on all is encrypted."""
        self._release.detach()
        self._own(
            context.wrap_socket(
                self._sock,
                server_side=server_side,
                server_hostname=server_name,
                do_handshake_on_connect=False,
            )
        )
        self._sock.settimeout(self._time_left())
        self._sock.do_handshake()  # type: ignore[attr-defined]

    def send(self, fields: dict[str, Any], arrays: Sequence[Any] = ()) -> int:
        """Sends one message; returns its size in bytes.

        Raises:
          OSError: when the connection is broken, or the time set by `settimeout` is over.
          TypeError: when a value cannot be sent; nothing has been sent then.
        """
        buffers = framing.encode(fields, arrays, self._packer)
        if link.slow and self.deadline is None:
            link.carry(sum(map(len, buffers)))
        if self._gathers and len(buffers) > 1:
            self._send_gathered(buffers)
        else:
            for buffer in buffers:
                self._sock.sendall(buffer)
        return sum(map(len, buffers))

    def send_reading_ahead(self, fields: dict[str, Any], arrays: Sequence[Any] = ()) -> None:
        """Sends one message; reads and stores what the peer sends meanwhile.

        Otherwise two ends that send to each other at the same time, more than their sockets hold,
        would block for ever.
        """
        views = [memoryview(b).cast("B") for b in framing.encode(fields, arrays, self._packer)]
        if link.slow:
            link.carry(sum(map(len, views)))
        self.settimeout(None)
        poll = None
        while views:
            try:
                _advance(views, self._sock.sendmsg(views[:MAX_BUFFERS], (), socket.MSG_DONTWAIT))
            except BlockingIOError:
                if poll is None:
                    poll = select.poll()
                    poll.register(self._sock, select.POLLIN | select.POLLOUT)
                ready = poll.poll(QUIET * 1000)
                if not ready:
                    self._look_around(between=False)
                elif not ready[0][1] & select.POLLOUT and self._fill() == 0:
                    raise EOFError(f"{self.peer} closed the connection") from None

    def send_some(self, view: memoryview) -> int:
        """Sends as much of `view` as the system takes now; returns the number of bytes, maybe 0.

        Args:
          view: bytes; the caller sends the rest again, unchanged.
        Raises:
          OSError: when the connection is broken.
        """
        self.settimeout(0.0)
        try:
            sent = self._sock.send(view)
        except _NOT_NOW:
            return 0
        if link.slow:
            link.carry(sent, latency=False)
        return sent

    def receive_some(self, target: memoryview) -> int:
        """Receives available bytes into `target`; returns their number.

        Raises:
          EOFError: when the peer has closed the connection.
          OSError: when the connection is broken.
        """
        ready = min(self._end - self._start, len(target))
        if ready:
            target[:ready] = self._ahead[self._start : self._start + ready]
            self._start += ready
            return ready
        self.settimeout(0.0)
        try:
            received = self._sock.recv_into(target)
        except _NOT_NOW:
            return 0
        if received == 0:
            raise EOFError(f"{self.peer} closed the connection")
        return received

    def notice_quiet(self) -> None:
        """Turns on calls of `look`: the system then ends each wait after `QUIET` seconds."""
        if not self._notices_quiet:
            self._notices_quiet = True
            limit = struct.pack("ll", 0, int(QUIET * 1_000_000))
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)

    def receive(self) -> tuple[dict[str, Any], list[Any], int]:
        """Waits for one message; returns (fields, arrays, size in bytes).

        Raises:
          EOFError: when the peer closed the connection between two messages.
          FramingError: when the bytes are no message, or end within one.
          OSError: when the connection is broken, or the time set by `settimeout` is over.
        """
        self.await_message()
        peer, limits = self.peer, self.limits
        header, payload = framing.parse_prelude(self._read(16), peer, limits)
        if link.slow and self.deadline is None:
            link.carry(16 + header + payload)
        fields, specs = framing.parse_header(self._read(header), payload, peer, limits)
        if not specs:
            return fields, [], 16 + header
        return fields, [self._receive_array(spec) for spec in specs], 16 + header + payload

    def await_message(self) -> None:
        """Waits for the first bytes of a message; raises the errors of `receive`."""
        if self._start == self._end and self._fill(between=True) == 0:
            raise EOFError(f"{self.peer} closed the connection")

    def hears(self, seconds: float) -> bool:
        """Whether the peer of a handshake says something, or closes, within so many seconds."""
        poll = select.poll()
        poll.register(self._sock, select.POLLIN)
        return bool(poll.poll(1000 * min(seconds, self._time_left())))

    def first_bytes(self, count: int) -> bytes:
        """Waits for the first bytes of a message; returns them, and leaves them to `receive`."""
        self.await_message()
        view = bytes(self._read(count))
        self._start -= count
        return view

    @property
    def certificate(self) -> bytes | None:
        """The verified certificate (DER) of the peer, or None."""
        shown = getattr(self._sock, "getpeercert", None)
        return None if shown is None or self._closed else shown(True)

    def settimeout(self, seconds: float | None) -> None:
        """Sets the time limit of one read or write; None for no limit."""
        if seconds != self.timeout:
            self._sock.settimeout(seconds)
            self.timeout = seconds

    def fileno(self) -> int:
        """The socket's descriptor."""
        return self._sock.fileno()

    @property
    def can_talk(self) -> bool:
        """Whether `send_reading_ahead` works; TLS cannot tell whether it could send."""
        return self._gathers

    @property
    def is_ready(self) -> bool:
        """Whether `receive` can begin: there are bytes read ahead, or the socket is closed."""
        return self._start != self._end or self._closed

    def peer_is_gone(self) -> bool:
        """Whether the peer has closed the connection; callable from another thread."""
        try:
            poll = select.poll()
            poll.register(self._sock, _ENDED)
            if poll.poll(0):
                return True
            if _SEES_ENDS:
                return False
            return not self.peek()
        except BlockingIOError:
            return False
        except (OSError, ValueError):
            return True

    def idle_and_open(self) -> bool:
        """Whether the peer has neither closed the connection nor sent unexpected bytes."""
        if self._closed or self._start != self._end:
            return False
        self.settimeout(None)  # with a timeout the look would wait for it
        try:
            self.peek()
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False  # b"" when the peer has gone; bytes that nobody asked for otherwise

    @property
    def is_closed(self) -> bool:
        """Whether this end has closed the connection, or another thread has interrupted it."""
        return self._closed

    def interrupt(self) -> None:
        """Ends the connection; a thread in `send` or `receive` fails. Callable from any thread."""
        self._closed = True
        self.cut()

    def stop_receiving(self) -> None:
        """Wakes the thread that waits in `receive`; it may still send, and then closes."""
        with contextlib.suppress(OSError):
            socket.socket.shutdown(self._sock, socket.SHUT_RD)

    def cut(self) -> None:
        """Ends the connection without notice, as a broken network does."""
        with contextlib.suppress(OSError):
            socket.socket.shutdown(self._sock, socket.SHUT_RDWR)

    def leave(self) -> None:
        """Closes the connection in order: the peer keeps the steps of this end."""
        with contextlib.suppress(OSError):
            self.send({"bye": True})
        self.close()

    def refuse(self, reason: str, again: bool = False) -> None:
        """Sends the reason of a refusal, then closes the connection.

        For a moment it reads and drops what the peer is still sending: closing with unread bytes
        would reset the connection, and the reason would be lost.

        Args:
          reason: for the peer.
          again: whether the peer may repeat its request over another connection, since it was not
            handled. `stop_receiving` was called before.
        """
        fields = {"refused": reason, "again": True} if again else {"refused": reason}
        with contextlib.suppress(OSError, ValueError):
            self._sock.settimeout(LAST_WORDS)
            self._sock.sendall(b"".join(framing.encode(fields)))
            socket.socket.shutdown(self._sock, socket.SHUT_WR)
            if again:  # reading does not wait any more
                time.sleep(LAST_WORDS)
            end = time.monotonic() + LAST_WORDS
            while socket.socket.recv_into(self._sock, self._ahead) and time.monotonic() < end:
                pass
        self.close()

    def close(self) -> None:
        """Closes the socket."""
        self._closed = True
        with contextlib.suppress(OSError):
            self._release()

    def peek(self) -> bytes:
        """Returns the next byte without waiting or removing it; with TLS, an encrypted one."""
        return socket.socket.recv(self._sock, 1, socket.MSG_PEEK | socket.MSG_DONTWAIT)

    def _send_gathered(self, buffers: list[Any]) -> None:
        views = [memoryview(buffer).cast("B") for buffer in buffers]
        while views:
            _advance(views, self._sock.sendmsg(views[:MAX_BUFFERS]))

    def _receive_array(self, spec: framing.Spec) -> Any:
        nbytes = spec[2]
        if nbytes <= READ_AHEAD // 2:
            return framing.decode_bytes(spec, self._read(nbytes), self.peer)
        recycled = nbytes >= RECYCLE_FROM and spec[0] != "string"
        try:
            flat = arena.take(nbytes) if recycled else None
            target, data = framing.allocate(spec, flat)
        except (MemoryError, ValueError) as error:
            raise framing.FramingError(f"{self.peer}: {nbytes} bytes announced ({error})") from None
        self._read_into(data)
        return framing.finish(spec, target, self.peer)

    def _read(self, count: int) -> memoryview:
        """Returns the next `count` bytes; the view is valid until the next call."""
        start = self._start
        if self._end - start >= count:
            self._start = start + count
            return self._ahead[start : start + count]
        while self._end - self._start < count:
            if count > READ_AHEAD // 2:
                large = memoryview(bytearray(count))
                self._read_into(large)
                return large
            if self._fill() == 0:
                raise framing.EndedError(f"{self.peer}: the connection ended inside a message")
        view = self._ahead[self._start : self._start + count]
        self._start += count
        return view

    def _read_into(self, target: memoryview) -> None:
        ready = min(self._end - self._start, len(target))
        target[:ready] = self._ahead[self._start : self._start + ready]
        self._start += ready
        while ready < len(target):
            received = self._receive_into(target[ready:])
            if received == 0:
                raise framing.EndedError(f"{self.peer}: the connection ended inside a message")
            ready += received

    def _receive_into(self, target: memoryview, between: bool = False) -> int:
        """Waits for bytes; returns how many came, 0 when the peer has closed the connection."""
        while True:
            if self.deadline is not None:
                self._sock.settimeout(self._time_left())
            try:
                return self._sock.recv_into(target)
            except BlockingIOError:
                self._look_around(between)

    def _look_around(self, between: bool) -> None:
        if self.look is not None:
            self.look(between)

    def _time_left(self) -> float:
        left = (self.deadline or 0.0) - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"{self.peer} does not end the handshake")
        return left

    def _fill(self, between: bool = False) -> int:
        """Reads available bytes, at least one unless the peer has closed the connection."""
        if self._start == self._end:
            self._start = self._end = 0
            if len(self._ahead) > READ_AHEAD:
                self._ahead = memoryview(bytearray(READ_AHEAD))
        elif self._end == len(self._ahead):
            self._make_room()
        received = self._receive_into(self._ahead[self._end :], between)
        self._end += received
        return received

    def _make_room(self) -> None:
        """Moves the unread bytes to the front, of a larger buffer when they fill half of this."""
        unread = self._ahead[self._start : self._end]
        size = len(self._ahead) * (2 if len(unread) > len(self._ahead) // 2 else 1)
        larger = memoryview(bytearray(size))
        larger[: len(unread)] = unread
        self._ahead, self._start, self._end = larger, 0, len(unread)


def _advance(views: list[memoryview], sent: int) -> None:
    """Drops the first `sent` bytes of a list of buffers."""
    done = 0
    while done < len(views) and sent >= len(views[done]):
        sent -= len(views[done])
        done += 1
    del views[:done]
    if sent:
        views[0] = views[0][sent:]


# ---- monitor -----------------------------------------------------------------------------
#
# One thread of the process checks all of its channels and servers: whether the peers of long calls
# are alive, and whether callers still wait. It never makes a call itself.

LOOK_EVERY = 0.25  # seconds


class Watched(Protocol):
    """An object that the monitor checks."""

    def look_after(self) -> None:
        """Called a few times a second; must not block."""


_watched: weakref.WeakSet[Watched] = weakref.WeakSet()
_lock = threading.Lock()
_thread: threading.Thread | None = None


def watch(one: Watched) -> None:
    """Adds an object to the monitor; it is checked as long as it exists, or until `forget`."""
    global _thread
    with _lock:
        _watched.add(one)
        if can_start() and (_thread is None or not _thread.is_alive()):
            _thread = threading.Thread(target=_look_around, name="minitf-monitor", daemon=True)
            _thread.start()


def forget(one: Watched) -> None:
    """Removes an object from the monitor."""
    with _lock:
        _watched.discard(one)


def _look_around() -> None:
    while True:
        time.sleep(LOOK_EVERY)
        arena.trim()
        with _lock:
            watched = list(_watched)
        while watched:  # leaves no name behind that would keep the last of them alive
            watched.pop().look_after()


@in_child
def _after_fork() -> None:
    """In a forked child a thread of the parent may hold the lock for ever."""
    global _lock
    _lock = threading.Lock()

"""Links: one member of a collective sends to another, over memory or over a connection.

    MemoryLink   threads of one process: a ring of bytes          writer ─▶ [....####....] ─▶ reader
    WireLink     tasks: a connection, which a call has opened     frames of `wire/framing`, checked

Both work in one direction, never block, and say how far they came: a member does all of its sends
and receives in one thread, as `engine` shows. A `Bell` wakes that thread when there is more to do.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Generator, Iterable
from typing import Any

import numpy as np

from minitf.core.cluster.wire import framing
from minitf.core.graph import errors

CHUNK = 256 << 10  # bytes that are added at a time: they stay in the cache
TICK = 0.1  # seconds between looks whether the step goes on

Head = tuple[dict[str, Any], str, int]  # what a message says about itself: fields, dtype, elements


class Bell:
    """Wakes a thread that waits for sockets and other threads at once."""

    def __init__(self) -> None:
        self._ear, self._button = socket.socketpair()
        self._ear.setblocking(False)
        self._button.setblocking(False)
        self._asleep = False
        weakref.finalize(self, _close, self._ear, self._button)

    def ring(self) -> None:
        """Ends the wait; nothing when nobody waits."""
        if self._asleep:
            self._asleep = False
            with contextlib.suppress(OSError):  # it rings already
                self._button.send(b"!")

    def expect(self) -> None:
        """From now on `ring` is heard: the caller looks once more, then waits."""
        self._asleep = True

    def wait(self, readable: Iterable[int], writable: Iterable[int]) -> None:
        """Waits until the bell rings, a socket is ready, or a tick is over."""
        poll = select.poll()
        poll.register(self._ear, select.POLLIN)
        for each in readable:
            poll.register(each, select.POLLIN)
        for each in writable:
            poll.register(each, select.POLLOUT)
        ready = poll.poll(TICK * 1000)
        self._asleep = False
        if any(fd == self._ear.fileno() for fd, _ in ready):
            with contextlib.suppress(OSError):
                self._ear.recv(64)


def _close(*sockets: socket.socket) -> None:
    for each in sockets:
        each.close()


class Link(ABC):
    """One direction between two members."""

    #: the sockets to wait for before more can be sent or received
    sockets: tuple[int, ...] = ()

    @abstractmethod
    def head(self, fields: dict[str, Any], dtype: Any, count: int) -> memoryview:
        """Begins a message of `count` elements; returns what must be sent before them."""

    @abstractmethod
    def read_head(self) -> Generator[None, None, Head]:
        """Reads the beginning of a message: a generator that returns a `Head`."""

    @abstractmethod
    def send_some(self, view: memoryview) -> int:
        """Sends as much as fits; returns how many bytes."""

    @abstractmethod
    def receive_some(self, target: memoryview) -> int:
        """Receives what is there; returns how many bytes."""

    def received(self, step: int, name: str, nbytes: int, start: float) -> None:  # noqa: B027
        """A message has come to its end."""

    @abstractmethod
    def close(self, in_order: bool) -> None:
        """Ends it; not `in_order` when nobody knows what is on the way."""


class MemoryLink(Link):
    """Between two threads of a process: a ring of bytes with one writer and one reader."""

    def __init__(self) -> None:
        self._ring = np.empty(CHUNK, np.uint8)
        self._written = self._read = 0
        self._heads: deque[Head] = deque()
        self.writer: Bell | None = None  # of the member that sends
        self.reader: Bell | None = None

    def head(self, fields: dict[str, Any], dtype: Any, count: int) -> memoryview:
        self._heads.append((fields, dtype.name, count))
        self._wake(self.reader)
        return memoryview(b"")

    def read_head(self) -> Generator[None, None, Head]:
        while not self._heads:
            yield
        return self._heads.popleft()

    def send_some(self, view: memoryview) -> int:
        at = self._written % CHUNK
        count = min(len(view), CHUNK - (self._written - self._read), CHUNK - at)
        if count:
            self._ring[at : at + count] = np.frombuffer(view[:count], np.uint8)
            self._written += count
            self._wake(self.reader)
        return count

    def receive_some(self, target: memoryview) -> int:
        at = self._read % CHUNK
        count = min(len(target), self._written - self._read, CHUNK - at)
        if count:
            np.frombuffer(target[:count], np.uint8)[...] = self._ring[at : at + count]
            self._read += count
            self._wake(self.writer)
        return count

    def close(self, in_order: bool) -> None:
        pass

    @staticmethod
    def _wake(bell: Bell | None) -> None:
        if bell is not None:
            bell.ring()


class WireLink(Link):
    """Between two tasks: the connection of a call that lasts as long as the link.

    Args:
      connection: of the call.
      source, target: the tasks.
      tap: where messages are recorded; None at the end that sends.
      pending: the call, at the end that sends.
    """

    def __init__(
        self, connection: Any, source: str, target: str, tap: Any = None, pending: Any = None
    ):
        self._connection = connection
        self._source, self._target = source, target
        self._tap = tap
        self._pending = pending
        self._head_bytes = 0
        self.over = threading.Event()  # set when the reader is through
        self.sockets = (connection.fileno(),)

    def head(self, fields: dict[str, Any], dtype: Any, count: int) -> memoryview:
        return memoryview(framing.announce(fields, dtype, count))

    def read_head(self) -> Generator[None, None, Head]:
        peer = self._connection.peer
        start = yield from self._read(framing.PRELUDE.size)
        size, payload = framing.parse_prelude(start, peer, framing.AFTER_AUTHENTICATION)
        header = yield from self._read(size)
        fields, specs = framing.parse_header(header, payload, peer, framing.AFTER_AUTHENTICATION)
        if len(specs) != 1 or len(specs[0][1]) != 1:
            raise framing.FramingError(f"{peer}: no message of a collective operation")
        self._head_bytes = framing.PRELUDE.size + size
        return fields, specs[0][0], specs[0][1][0]

    def _read(self, size: int) -> Generator[None, None, bytearray]:
        data = bytearray(size)
        view = memoryview(data)
        while view:
            count = self.receive_some(view)
            if not count:
                yield
            view = view[count:]
        return data

    def send_some(self, view: memoryview) -> int:
        try:
            return self._connection.send_some(view)
        except (OSError, EOFError) as error:
            raise self._gone(self._target, error) from None

    def receive_some(self, target: memoryview) -> int:
        try:
            return self._connection.receive_some(target)
        except (OSError, EOFError) as error:
            raise self._gone(self._source, error) from None

    def received(self, step: int, name: str, nbytes: int, start: float) -> None:
        size = nbytes + self._head_bytes
        self._tap.record(step, name, "collective", self._source, self._target, size, start)

    def close(self, in_order: bool) -> None:
        if self._pending is None:
            if not in_order:
                self._connection.interrupt()
            self.over.set()
        elif in_order:
            self._connection.settimeout(None)
            self._pending.finish()
        else:
            self._pending.drop()

    def await_end(self, still_wanted: float = 60.0) -> None:
        """Waits until the reader is through; for the thread that received the call.

        Args:
          still_wanted: seconds that what came is kept, after the sender has gone.
        """
        gone_since = None
        while not self.over.wait(1.0):
            if gone_since is None and self._connection.peer_is_gone():
                gone_since = time.monotonic()
            if gone_since is not None and time.monotonic() - gone_since > still_wanted:
                return

    @staticmethod
    def _gone(task: str, error: BaseException) -> errors.OpError:
        return errors.UnavailableError.of(f"Socket closed: {task} is gone ({error})")

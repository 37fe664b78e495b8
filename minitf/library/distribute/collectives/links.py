"""Links: one member of a collective sends to another, over memory or over a connection.

    MemoryLink   threads of one process: a ring of bytes          writer ─▶ [....####....] ─▶ reader
    SharedLink   processes of one machine: a ring that both have mapped; the connection only says
                 how far each of them is
    WireLink     tasks anywhere: a connection, which a call has opened

Between tasks the messages are frames of `wire/framing`, with their checks and limits. A link works
in one direction, never blocks, and says how far it came: a member does all of its sends and
receives in one thread, as `ops` shows. A `Bell` wakes that thread when there is more to do.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import re
import secrets
import select
import socket
import stat
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
RING = 4 * CHUNK  # bytes on the way between two members in memory
ALIGNED = 64  # bytes; a multiple of every element's size
LIMITS = framing.Limits(header=64 << 10, arrays=1)
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

    def wait(self, sockets: Iterable[tuple[int, int]]) -> None:
        """Waits until the bell rings, a socket is ready, or a tick is over.

        Args:
          sockets: descriptors, and what is expected of them: POLLIN or POLLOUT.
        """
        poll = select.poll()
        for fd, events in (*sockets, (self._ear.fileno(), select.POLLIN)):
            poll.register(fd, events)
        ready = poll.poll(TICK * 1000)
        self._asleep = False
        if any(fd == self._ear.fileno() for fd, _ in ready):
            with contextlib.suppress(OSError):
                self._ear.recv(64)


def _close(*sockets: socket.socket) -> None:
    for each in sockets:
        each.close()


class Link(ABC):
    """One direction between two members.

    Attributes:
      to_send, to_receive: what to wait for before more can be sent or received.
    """

    to_send: tuple[tuple[int, int], ...] = ()
    to_receive: tuple[tuple[int, int], ...] = ()

    @abstractmethod
    def head(self, fields: dict[str, Any], dtype: Any, count: int) -> memoryview:
        """Begins a message of `count` elements; returns what must be sent before them."""

    @abstractmethod
    def read_head(self) -> Generator[None, None, Head]:
        """Reads the beginning of a message."""

    @abstractmethod
    def send_some(self, view: memoryview) -> int:
        """Sends as much as fits; returns how many bytes."""

    @abstractmethod
    def receive_some(self, target: memoryview) -> int:
        """Receives what is there; returns how many bytes."""

    def peek(self, limit: int) -> np.ndarray | None:
        """What is there, up to `limit` bytes, where it lies; None when it must be received.

        It stays until `skip` says that so many bytes are done with.
        """
        return None

    def skip(self, count: int) -> None:  # noqa: B027
        """Says that bytes which `peek` showed are done with."""

    def received(self, step: int, name: str, nbytes: int, start: float) -> None:  # noqa: B027
        """A message has come to its end."""

    @abstractmethod
    def close(self, in_order: bool) -> None:
        """Ends it; not `in_order` when nobody knows what is on the way."""


class Ring:
    """A ring of bytes with one writer and one reader.

    Args:
      memory: [RING] bytes.

    Attributes:
      written, read: how many bytes were, ever. A message begins at a multiple of ALIGNED.
    """

    def __init__(self, memory: np.ndarray):
        self._memory = memory
        self.written = self.read = 0

    def put(self, view: memoryview) -> int:
        """Copies in what fits, a chunk at most; returns how many bytes."""
        at = self.written % RING
        room = min(RING - (self.written - self.read), RING - at, CHUNK)
        count = len(view)
        if count > room:  # whole elements
            count = (self.written + room) // ALIGNED * ALIGNED - self.written
        if count <= 0:
            return 0
        self._memory[at : at + count] = np.frombuffer(view[:count], np.uint8)
        self.written += count
        return count

    def peek(self, limit: int) -> np.ndarray:
        """What is there, up to `limit` bytes and the end of the ring."""
        at = self.read % RING
        count = min(limit, self.written - self.read, RING - at)
        return self._memory[at : at + max(count, 0)]


def _aligned(position: int) -> int:
    return -(-position // ALIGNED) * ALIGNED


class MemoryLink(Link):
    """Between two threads of a process.

    Attributes:
      writer, reader: the bells of the two members, once they are there.
    """

    def __init__(self) -> None:
        self._ring = Ring(np.empty(RING, np.uint8))
        self._heads: deque[Head] = deque()
        self.writer: Bell | None = None
        self.reader: Bell | None = None

    def head(self, fields: dict[str, Any], dtype: Any, count: int) -> memoryview:
        self._ring.written = _aligned(self._ring.written)
        self._heads.append((fields, dtype.name, count))
        self._wake(self.reader)
        return memoryview(b"")

    def read_head(self) -> Generator[None, None, Head]:
        while not self._heads:
            yield
        self._ring.read = _aligned(self._ring.read)
        return self._heads.popleft()

    def send_some(self, view: memoryview) -> int:
        count = self._ring.put(view)
        if count:
            self._wake(self.reader)
        return count

    def peek(self, limit: int) -> np.ndarray:
        return self._ring.peek(limit)

    def skip(self, count: int) -> None:
        self._ring.read += count
        self._wake(self.writer)

    def receive_some(self, target: memoryview) -> int:
        return _copy_out(self, target)

    def close(self, in_order: bool) -> None:
        pass

    @staticmethod
    def _wake(bell: Bell | None) -> None:
        if bell is not None:
            bell.ring()


def _copy_out(link: MemoryLink | SharedLink, target: memoryview) -> int:
    found = link.peek(len(target))
    if len(found):
        np.frombuffer(target[: len(found)], np.uint8)[...] = found
        link.skip(len(found))
    return len(found)


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
        self.to_send = ((connection.fileno(), select.POLLOUT),)
        self.to_receive = ((connection.fileno(), select.POLLIN),)

    def head(self, fields: dict[str, Any], dtype: Any, count: int) -> memoryview:
        return memoryview(framing.announce(fields, dtype, count))

    def read_head(self) -> Generator[None, None, Head]:
        peer = self._connection.peer
        start = yield from self._read(framing.PRELUDE.size)
        try:
            size, payload = framing.parse_prelude(start, peer, LIMITS)
            header = yield from self._read(size)
            fields, specs = framing.parse_header(header, payload, peer, LIMITS)
            if len(specs) != 1 or len(specs[0][1]) != 1:
                raise framing.FramingError(f"{peer}: no message of a collective operation")
        except framing.FramingError as error:
            raise self._gone(error) from None
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
            raise self._gone(error) from None

    def receive_some(self, target: memoryview) -> int:
        try:
            return self._connection.receive_some(target)
        except (OSError, EOFError) as error:
            raise self._gone(error) from None

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
        while not self.over.wait(1.0) and not self._connection.is_closed:
            if gone_since is None and self._connection.peer_is_gone():
                gone_since = time.monotonic()
            if gone_since is not None and time.monotonic() - gone_since > still_wanted:
                return

    def _gone(self, error: BaseException) -> errors.OpError:
        task = self._target if self._pending is not None else self._source
        return errors.UnavailableError.of(f"Socket closed: {task} is gone ({error})")


class SharedLink(WireLink):
    """Between two processes of one machine: the bytes go through memory that both have.

    Over the connection each end says how many bytes it has written, or read, in all: 8 bytes a
    chunk. What is in the memory was there before the other end hears of it.

    Args:
      memory: [RING] bytes.
    """

    def __init__(self, memory: np.ndarray, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self._ring = Ring(memory)
        self._heard = bytearray(8 * 512)
        self._told = 0  # what the writer knows of `read`
        self._partly = 0  # bytes of the other end's last word
        self._untold = b""  # what did not go out yet
        self.to_send = self.to_receive  # the other end says so

    def head(self, fields: dict[str, Any], dtype: Any, count: int) -> memoryview:
        self._ring.written = _aligned(self._ring.written)
        head = framing.announce(fields, dtype, count)
        return memoryview(head.ljust(_aligned(len(head)), b"\0"))

    def read_head(self) -> Generator[None, None, Head]:
        self._ring.read = _aligned(self._ring.read)
        head = yield from super().read_head()
        self._ring.read = _aligned(self._ring.read)
        return head

    def send_some(self, view: memoryview) -> int:
        count = self._ring.put(view)
        if not count:
            self._hear()
            count = self._ring.put(view)
        self._tell(self._ring.written if count else None)
        return count

    def peek(self, limit: int) -> np.ndarray:
        if self._ring.written <= self._ring.read:
            self._hear()
        return self._ring.peek(limit)

    def skip(self, count: int) -> None:
        self._ring.read += count
        if self._ring.read - self._told >= CHUNK:  # the writer has room for more chunks than one
            self._told = self._ring.read
            self._tell(self._told)

    def receive_some(self, target: memoryview) -> int:
        return _copy_out(self, target)

    def close(self, in_order: bool) -> None:
        if in_order and self._pending is None and self._told < self._ring.read:
            self._tell(self._ring.read)
        elif in_order and self._pending is not None:
            while self._ring.read < self._ring.written:  # then comes the reply of the call
                select.select([self._connection], [], [], TICK)
                self._hear(8 - self._partly)
        super().close(in_order)

    def sends(self) -> bool:
        """Whether this end is the one that sends."""
        return self._pending is not None

    def linger(self, until: float) -> None:
        """Says how far this end has read, or waits until the other end has read all.

        Words that meet a closed connection would make the other end lose those it has yet to hear.
        """
        if not self.sends():
            self._tell(self._ring.read)
        while self.sends() and self._ring.read < self._ring.written and time.monotonic() < until:
            select.select([self._connection], [], [], TICK)
            self._hear(8 - self._partly)

    def _tell(self, position: int | None) -> None:
        if position is not None:
            self._untold = self._untold + position.to_bytes(8, "little")
        if self._untold:
            self._untold = self._untold[super().send_some(memoryview(self._untold)) :]

    def _hear(self, limit: int = 4000) -> None:
        """Takes in what the other end has said last, in at most so many bytes."""
        try:
            count = super().receive_some(memoryview(self._heard)[self._partly :][:limit])
        except errors.UnavailableError:
            if self._pending is None and self._ring.written > self._ring.read:
                return  # the writer has gone, and all that it wrote is here
            raise
        if not count:
            return
        have = self._partly + count
        words = have // 8
        if words:
            last = int.from_bytes(self._heard[8 * words - 8 : 8 * words], "little")
            self._check(last)
        self._partly = have - 8 * words
        self._heard[: self._partly] = self._heard[8 * words : have]

    def _check(self, position: int) -> None:
        ring = self._ring
        writes = self._pending is not None
        low, high = (ring.read, ring.written) if writes else (ring.written, ring.read + 2 * RING)
        if not low <= position <= high:
            raise self._gone(framing.FramingError("it says what cannot be"))
        if writes:
            ring.read = position
        else:
            ring.written = position


# ---- memory for two processes ------------------------------------------------------------

_FOLDER = "/dev/shm"
_NAME = re.compile(r"minitf-[0-9a-f]{32}")


def make_memory() -> tuple[str, np.ndarray] | None:
    """Memory to offer another task of this machine: its name and [RING] bytes; None without."""
    if not os.path.isdir(_FOLDER):
        return None
    name = f"minitf-{secrets.token_hex(16)}"
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR
    try:
        found = os.open(os.path.join(_FOLDER, name), flags, 0o600)
        try:
            os.posix_fallocate(found, 0, RING)  # a write to memory that is not there would kill us
            return name, np.frombuffer(mmap.mmap(found, RING), np.uint8)
        finally:
            os.close(found)
    except OSError:
        drop_name(name)
        return None


def find_memory(name: str) -> np.ndarray | None:
    """The memory that a peer offers; None when it is no such memory, or not of this machine.

    A file of this user and of the right size, and of no other folder: a peer can name no other.
    """
    if not _NAME.fullmatch(name):
        return None
    try:
        found = os.open(os.path.join(_FOLDER, name), os.O_RDWR | os.O_NOFOLLOW)
        try:
            facts = os.fstat(found)
            if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.getuid():
                return None
            if facts.st_size != RING:
                return None
            return np.frombuffer(mmap.mmap(found, RING), np.uint8)
        finally:
            os.close(found)
    except OSError:
        return None


def drop_name(name: str) -> None:
    """Takes the name away, if it is one; who has mapped the memory keeps it."""
    if not name:
        return
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(_FOLDER, name))

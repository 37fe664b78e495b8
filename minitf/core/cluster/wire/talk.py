"""Tensors on the way of a call: what master and worker of one step send each other directly.

While a `run_graph` call is under way, its connection lies idle between request and reply. The two
tasks use it for the tensors of the step, so that a training step costs four messages and wakes no
thread that is not needed:

    worker task (master of the step)              parameter server
      run_graph(step)            ------------->     W, b are sent
                                 <-------------     {tensors: [W, b]}
      gradients are computed
      {tensors: [dW, db]}        ------------->     W -= dW, ...
                                 <-------------     reply

Both ends are programs that run in one thread each. What a program sends is gathered until it waits
for something, and then leaves in one message. Tasks that talk like this need not ask each other;
all others ask with `recv_tensor`.

A step may be given up while an end waits for the other. Between two messages the waiting thread is
woken, and the connection stays good for the reply and for later calls. A message that has begun is
read or sent to its end: it may be the reply that says why. Only when the other end is stuck in it
for seconds the connection is closed, for nobody knows any more where it would go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NoReturn

from minitf.core.cluster.wire.fields import rendezvous_key
from minitf.core.cluster.wire.framing import FramingError
from minitf.core.graph import untrusted
from minitf.core.runtime.run.rendezvous import Key

STUCK_AFTER = 5.0  # seconds for a message to end whose step has been given up


class _Interrupted(Exception):
    """The step was given up, and the talk stands between two messages."""


class Talk:
    """One end of such a connection.

    Args:
      connection: of the call.
      task: the task at the other end.
      fail: gets what went wrong with the connection, and raises what the step shall see.
    """

    def __init__(self, connection: Any, task: str, fail: Callable[[BaseException], NoReturn]):
        self.task = task
        self.reply: tuple[dict[str, Any], list[Any], int] | None = None  # of the call, if it came
        self._connection = connection
        self._fail = fail
        self._outgoing: dict[Key, Any] = {}
        self._arrived: list[tuple[list[Key], list[Any], int]] = []
        self._deadline: float | None = None
        self._interrupted: float | None = None  # since when, as `time.monotonic()`
        connection.notice_quiet()

    def put(self, key: Key, value: Any) -> None:
        """Gives a tensor to the next message."""
        self._outgoing[key] = value

    def flush(self) -> None:
        """Sends what was put; nothing once the step has been given up."""
        if not self._outgoing:
            return
        keys = [key.text for key in self._outgoing]
        values = [value for key, value in self._outgoing.items() if not key.is_control]
        self._outgoing = {}
        if self._interrupted is not None:
            return
        self._connection.look = self._look
        try:
            self._connection.send_reading_ahead({"tensors": keys}, values)
        except (OSError, EOFError) as error:
            self._fail(error)
        finally:
            self._connection.look = None

    def receive(self, deadline: float | None) -> list[tuple[list[Key], list[Any], int]]:
        """Waits for one message; returns (keys, tensors, bytes) of all that came since.

        Nothing comes when the call's reply is there, or when the wait was interrupted.

        Args:
          deadline: a `time.monotonic()` time, or None.
        Raises:
          TimeoutError: when the deadline is over.
        """
        if not self._arrived and self.reply is None:
            self._deadline = deadline
            self._connection.look = self._look
            try:
                self._take()
            except _Interrupted:
                pass
            except TimeoutError:
                raise
            except (OSError, EOFError) as error:
                self._fail(error)
            finally:
                self._connection.look = None
        arrived, self._arrived = self._arrived, []
        return arrived

    def interrupt(self) -> None:
        """Ends the waiting of the thread that talks; callable from another thread."""
        self._interrupted = time.monotonic()

    def _look(self, between: bool) -> None:
        """What the waiting thread does while nothing comes; see `Connection.look`."""
        now = time.monotonic()
        if self._interrupted is not None:
            if between:
                raise _Interrupted
            if now - self._interrupted > STUCK_AFTER:
                raise ConnectionError(f"{self.task} is stuck in a message")
        elif between and self._deadline is not None and now > self._deadline:
            raise TimeoutError

    def _take(self) -> None:
        fields, arrays, nbytes = self._connection.receive()
        if "tensors" not in fields:
            self.reply = (fields, arrays, nbytes)
            return
        try:
            keys = untrusted.listed(fields["tensors"], "The field 'tensors'", rendezvous_key)
        except ValueError as error:
            raise FramingError(f"{self.task} sends tensors without their names: {error}") from None
        empty = [key.is_control for key in keys]
        if empty.count(False) != len(arrays):
            raise FramingError(f"{self.task} sends {len(arrays)} tensors under other names")
        rest = iter(arrays)
        values = [None if nothing else next(rest) for nothing in empty]
        self._arrived.append((keys, values, nbytes))

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
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NoReturn

from minitf.cluster.framing import FramingError


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
        self._outgoing: dict[str, Any] = {}
        self._arrived: list[tuple[list[str], list[Any], int]] = []

    def put(self, key: str, value: Any) -> None:
        """Gives a tensor to the next message."""
        self._outgoing[key] = value

    def flush(self) -> None:
        """Sends what was put."""
        if not self._outgoing:
            return
        keys = list(self._outgoing)
        values = [value for key, value in self._outgoing.items() if not is_control(key)]
        self._outgoing = {}
        try:
            self._connection.send_reading_ahead({"tensors": keys}, values)
        except (OSError, EOFError) as error:
            self._fail(error)

    def receive(self, deadline: float | None) -> list[tuple[list[str], list[Any], int]]:
        """Waits for one message; returns (keys, tensors, bytes) of all that came since.

        Args:
          deadline: a `time.monotonic()` time, or None.
        Raises:
          TimeoutError: when the deadline is over.
        """
        if not self._arrived and self.reply is None:
            if deadline is not None and not self._connection.wait(deadline - time.monotonic()):
                raise TimeoutError
            try:
                self._take()
            except (OSError, EOFError) as error:
                self._fail(error)
        arrived, self._arrived = self._arrived, []
        return arrived

    def interrupt(self) -> None:
        """Wakes the thread that waits here; callable from another thread.

        It can still send: the reply that says why the step was given up.
        """
        self._connection.stop_receiving()

    def _take(self) -> None:
        fields, arrays, nbytes = self._connection.receive()
        keys = fields.get("tensors")
        if keys is None:
            self.reply = (fields, arrays, nbytes)
            return
        if type(keys) is not list or not all(type(key) is str for key in keys):
            raise FramingError(f"{self.task} sends tensors without their names")
        if sum(not is_control(key) for key in keys) != len(arrays):
            raise FramingError(f"{self.task} sends {len(arrays)} tensors under other names")
        rest = iter(arrays)
        values = [None if is_control(key) else next(rest) for key in keys]
        self._arrived.append((keys, values, nbytes))


def is_control(key: str) -> bool:
    """Whether a key stands for a control edge: nothing travels for it but the key."""
    return key.rpartition(";")[2].startswith("^")

"""The rendezvous of one step: a Send stores a tensor, a Recv takes it.

Send never blocks. Recv waits until the tensor is there, the step is aborted, or the time limit is
over. Each step has a rendezvous of its own, so that steps cannot mix. `abort` ends a step in every
place where a program may wait:

    abort(error) --+--> Recv: raises
                   +--> a queue's wait: raises
                   +--> loops: `while rendezvous.alive`

A `_Send` and its `_Recv` share a `Key`, which is made once, when their programs are written. Other
processes get its `text`, which `wire/call.py` reads.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from minitf.core.graph import errors
from minitf.core.graph.device_spec import task_of
from minitf.core.kernels import threads


class Key(NamedTuple):
    """The key of a tensor that is sent from device to device.

    Attributes:
      sender, receiver: full names of devices.
      tensor: its name, "W/read:0"; of a control edge "^W/Assign", which has no value.
      sending_task, receiving_task: the tasks of the devices.
      text: the key as text: 'sender;receiver;tensor'.
      is_control: whether it stands for a control edge.
    """

    sender: str
    receiver: str
    tensor: str
    sending_task: str
    receiving_task: str
    text: str
    is_control: bool

    @staticmethod
    def of(sender: str, receiver: str, tensor: str) -> Key:
        """Returns the key of a tensor that goes from device to device."""
        text, control = f"{sender};{receiver};{tensor}", tensor.startswith("^")
        return Key(sender, receiver, tensor, task_of(sender), task_of(receiver), text, control)


_numbers = itertools.count(1)
_LATE = "Timed out waiting for notification"
ALONE = "This would wait for ever: another thread would have to end it, and none can start here."


class _OfThread(threading.local):
    """The step of a thread.

    Attributes:
      step: the rendezvous of the step that the thread runs, or None.
    """

    step: Rendezvous | None = None


of_thread = _OfThread()


class Stand(NamedTuple):
    """The state of a thread that runs a step: in an operation that may wait, or computing.

    Attributes:
      since: the `time.time()` at which this state began.
      node, type: the operation's name and type, or the tensors that are received; "" otherwise.
      of: the task that the thread waits for, or "".
    """

    since: float
    node: str = ""
    type: str = ""
    of: str = ""


class standing:  # noqa: N801  # a context manager; a generator would take three times as long
    """A context in which this thread runs a program of a step, or an operation that may wait.

    Args:
      step: the rendezvous of the step.
      *where: see `Stand`; nothing for a whole program.
    """

    def __init__(self, step: Rendezvous, *where: str) -> None:
        self._step, self._where = step, where

    def __enter__(self) -> None:
        self._thread, self._outer = threading.get_ident(), of_thread.step
        self._before, of_thread.step = self._step.stands.get(self._thread), self._step
        self._step.stands[self._thread] = Stand(time.time(), *self._where)

    def __exit__(self, *exc_info: object) -> None:
        of_thread.step, self._step.stands[self._thread] = self._outer, self._before


class Rendezvous:
    """The rendezvous of a step inside one process. Each key is sent once and received once.

    Args:
      deadline: a `time.monotonic()` time after which waiting fails, or None.

    Attributes:
      alive: whether the step goes on; loops check it in each turn.
      number: of the step, the same in all tasks.
      stands: the state of each thread that runs a program of the step; None after its end.
      peers: the other tasks of the step, if there are any.
      is_program: whether it belongs to all eager operations of a program, not to one step.
    """

    peers: Any = None
    is_program = False

    def __init__(self, deadline: float | None = None, number: int = 0) -> None:
        self.number = number or next(_numbers)
        self._arrived: dict[Key, Any] = {}
        self._condition = threading.Condition()
        self._error: BaseException | None = None
        self.alive = True
        self._deadline = deadline
        self._watchers: list[threading.Condition] = []
        self.stands: dict[int, Stand | None] = {}

    def send(self, key: Key, value: Any) -> None:
        """Stores `value` under `key`. Never blocks."""
        with self._condition:
            self._arrived[key] = value
            self._condition.notify_all()

    def recv_many(self, keys: Sequence[Key]) -> list[Any]:
        """Takes the values of `keys`; waits until all are there.

        Raises:
          OpError: the error for which the step was aborted.
          DeadlineExceededError: when they did not arrive in time.
        """
        with self._condition:
            while (missing := self.missing(keys)) is not None:
                late = f"Timed out waiting for tensor '{missing.tensor}' ({missing.text})."
                self._wait(self._condition, late)
            return self.take(keys)

    def missing(self, keys: Sequence[Key]) -> Key | None:
        """Returns the first of the keys whose value has not come.

        Raises:
          OpError: the error for which the step was aborted.
        """
        if self._error is not None:
            raise self._error.with_traceback(None)  # its frames so far keep arrays alive
        return next((key for key in keys if key not in self._arrived), None)

    def take(self, keys: Sequence[Key]) -> list[Any]:
        """Takes the values of `keys`, which have come."""
        return [self._arrived.pop(key) for key in keys]

    def _wait(self, condition: threading.Condition, late: str = _LATE) -> None:
        # A wait without a limit would keep Ctrl-C out until something arrives.
        left = 1.0 if self._deadline is None else self._deadline - time.monotonic()
        if left <= 0:
            raise errors.DeadlineExceededError.of(late)
        if self._deadline is None and not threads.can_start():
            raise errors.FailedPreconditionError.of(ALONE)
        with threads.waiting():
            condition.wait(min(left, 1.0))

    def wait_on(self, condition: threading.Condition, cancelled: str) -> None:
        """Waits on a condition, such as that of a queue, which another step will notify.

        Args:
          condition: held by the caller, who then checks again.
          cancelled: the message of the error when this step is aborted meanwhile.
        Raises:
          CancelledError: when the step was aborted.
          DeadlineExceededError: when its time limit is over.
        """
        self._watchers.append(condition)
        try:
            self._heed(cancelled)
            self._wait(condition)
            self._heed(cancelled)  # a step that was given up takes nothing that has come meanwhile
        finally:
            self._watchers.remove(condition)

    def _heed(self, cancelled: str) -> None:
        if self._error is not None:
            raise errors.CancelledError.of(cancelled)

    def check(self) -> None:
        """Checks whether the step goes on, for kernels with a wait of their own.

        Raises:
          OpError: the error for which the step was aborted.
          DeadlineExceededError: when its time limit is over.
        """
        if self._error is not None:
            raise self._error.with_traceback(None)
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise errors.DeadlineExceededError.of(_LATE)

    def flush(self) -> None:
        """Sends tensors that were held back to be sent together. In one process there are none."""

    def abort(self, error: BaseException) -> None:
        """Aborts the step: every Recv, waiting or later, raises `error`, and loops end."""
        with self._condition:
            if self._error is None:
                self._error = error
            self.alive = False
            self._condition.notify_all()
        for condition in list(self._watchers):
            with condition:
                condition.notify_all()


class Steps:
    """The running steps of one session; `close` aborts them.

    Args:
      limit_ms: the time limit of each step in milliseconds, unless it has its own; 0: no limit.

    Attributes:
      limit: the same number.
      make: returns the rendezvous of a step, given its deadline.
      shared: the rendezvous of all steps without a limit that neither send, receive nor wait.
    """

    make: Callable[[float | None], Rendezvous] = Rendezvous

    def __init__(self, limit_ms: int = 0) -> None:
        self.shared = Rendezvous()
        self.limit = limit_ms
        self._running: set[Rendezvous] = set()
        self._closed: BaseException | None = None

    @contextmanager
    def begin(self, limit_ms: int = 0) -> Iterator[Rendezvous]:
        """A context with the rendezvous of a step that may wait.

        Raises:
          DeadlineExceededError: when its time limit is over, even in a loop that does not wait.
        """
        limit = limit_ms or self.limit
        rendezvous = self.make(deadline_after(limit))
        self._running.add(rendezvous)
        if self._closed is not None:
            rendezvous.abort(self._closed)
        late = errors.DeadlineExceededError.of(_LATE)
        clock = threading.Timer(limit / 1000, rendezvous.abort, [late]) if limit else None
        if clock is not None and threads.can_start():
            clock.daemon = True
            clock.start()
        try:
            yield rendezvous
        except errors.CancelledError:
            if rendezvous._error is late:
                raise late from None
            raise
        finally:
            if clock is not None:
                clock.cancel()
            self._running.discard(rendezvous)

    def close(self, error: BaseException) -> None:
        """Aborts all steps, and those that begin later."""
        self._closed = error
        self.shared.abort(error)
        for step in self._running.copy():
            step.abort(error)


NOBODY = Rendezvous()  # for code outside of steps: it is never aborted


def step_here(otherwise: Rendezvous = NOBODY) -> Rendezvous:
    """Returns the rendezvous of the step that this thread runs, or `otherwise`."""
    return of_thread.step or otherwise


def deadline_after(timeout_ms: int) -> float | None:
    """Returns the `time.monotonic()` time of a limit in milliseconds; None for no limit."""
    return time.monotonic() + timeout_ms / 1000 if timeout_ms else None

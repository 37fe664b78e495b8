"""Where the devices of one step meet: a Send leaves a tensor, a Recv takes it.

Send never blocks. Recv waits until the tensor is there, the step is given up, or time runs out.
Each step has a rendezvous of its own, so that steps cannot mix. Whoever gives a step up does it
here, and reaches every place where a program may stay for long:

    abort(error) --+--> Recv: raises
                   +--> a queue's wait: raises
                   +--> loops: `while rendezvous.alive`
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

from minitf.core.graph import errors


class Rendezvous:
    """The meeting point inside one process. Every key is sent once and received once.

    Args:
      deadline: a `time.monotonic()` time after which waiting fails, or None.

    Attributes:
      alive: until the step is given up; the loops of a program look at it once a turn.
    """

    def __init__(self, deadline: float | None = None) -> None:
        self._arrived: dict[str, Any] = {}
        self._condition = threading.Condition()
        self._error: BaseException | None = None
        self.alive = True
        self._deadline = deadline
        self._watchers: list[threading.Condition] = []

    def send(self, key: str, value: Any) -> None:
        """Leaves `value` under `key`. Never blocks."""
        with self._condition:
            self._arrived[key] = value
            self._condition.notify_all()

    def recv(self, key: str) -> Any:
        """Takes what was sent under `key`, waiting for it.

        Raises:
          OpError: what the step was given up for.
          DeadlineExceededError: when it did not arrive in time.
        """
        return self.recv_many([key])[0]

    def recv_many(self, keys: Sequence[str]) -> list[Any]:
        """Takes what was sent under each of `keys`, waiting until all are there."""
        with self._condition:
            while True:
                if self._error is not None:
                    # without the frames of those who raised it before: they hold arrays
                    raise self._error.with_traceback(None)
                if all(key in self._arrived for key in keys):
                    return [self._arrived.pop(key) for key in keys]
                self._wait(keys)

    def _wait(self, keys: Sequence[str]) -> None:
        # A wait without a limit would keep Ctrl-C out until something arrives.
        left = 1.0 if self._deadline is None else self._deadline - time.monotonic()
        if left <= 0:
            missing = next(key for key in keys if key not in self._arrived)
            raise errors.DeadlineExceededError(
                None,
                None,
                f"Timed out waiting for tensor '{missing.rpartition(';')[2]}' ({missing}).",
            )
        self._condition.wait(min(left, 1.0))

    def wait_on(self, condition: threading.Condition, cancelled: str) -> None:
        """Waits on the condition of something that other steps change, as a queue's.

        Args:
          condition: held by the caller, who looks again at what it waits for afterwards.
          cancelled: what to say when this step is given up meanwhile.
        Raises:
          CancelledError: when the step was given up.
          DeadlineExceededError: when its time has run out.
        """
        self._watchers.append(condition)
        try:
            if self._error is not None:
                raise errors.CancelledError(None, None, cancelled)
            left = 1.0 if self._deadline is None else self._deadline - time.monotonic()
            if left <= 0:
                raise errors.DeadlineExceededError(None, None, "Timed out waiting for notification")
            condition.wait(min(left, 1.0))
        finally:
            self._watchers.remove(condition)

    def flush(self) -> None:
        """Sends what was held back to travel with other tensors; nothing is, in one process."""

    def abort(self, error: BaseException) -> None:
        """Gives the step up: every Recv, waiting or to come, raises `error`, and loops end."""
        with self._condition:
            if self._error is None:
                self._error = error
            self.alive = False
            self._condition.notify_all()
        for condition in list(self._watchers):
            with condition:
                condition.notify_all()

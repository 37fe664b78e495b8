"""Where the tasks of one step meet: a Recv of another task's tensor fetches it from there.

    task A                                   task B
      _Send "W:0" --> store                    _Recv "W:0", "b:0"
                        ^--- recv_tensor(step, [W:0, b:0]) ---'   one message for all of them

Tensors travel straight from the task that made them to the one that needs them; the master sees
none. Send never blocks. A Recv waits until the tensor is there or the step is given up; when the
peer dies it fails within milliseconds, when the peer hangs the heartbeats end it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from minitf.cluster.peers import Peers, task_of
from minitf.cluster.rpc import Pending
from minitf.framework import errors
from minitf.runtime.rendezvous import Rendezvous


class RemoteRendezvous(Rendezvous):
    """The part of a step's rendezvous that belongs to one task.

    Args:
      step_id: the step.
      peers: the other tasks.
    """

    def __init__(self, step_id: int, peers: Peers):
        super().__init__()
        self._step_id = step_id
        self._peers = peers
        self._incarnations: Mapping[str, int] = {}
        self._calls: set[Pending] = set()
        self._to_send: int | None = None  # to other tasks; not known before the step starts here
        self._taken = 0  # by other tasks

    def begin(self, to_send: int, incarnations: Mapping[str, int], deadline: float | None) -> None:
        """The step starts in this task.

        Args:
          to_send: how many tensors it sends to other tasks.
          incarnations: of the tasks it receives from.
          deadline: a `time.monotonic()` time, or None.
        """
        with self._condition:
            self._to_send = to_send
            self._incarnations = incarnations
            self._deadline = deadline

    def recv_many(self, keys: Sequence[str]) -> list[Any]:
        """Takes what was sent under each of `keys`, here or in other tasks.

        The requests to all tasks leave before the first reply is waited for.
        """
        here: list[str] = []
        elsewhere: dict[str, list[str]] = {}
        for key in keys:
            task = _task(key.partition(";")[0])
            if task == self._peers.own_task:
                here.append(key)
            else:
                elsewhere.setdefault(task, []).append(key)
        if not elsewhere:
            return super().recv_many(keys)
        start = time.time()
        calls: list[Pending] = []
        try:
            for task, wanted in elsewhere.items():
                calls.append(self._ask(task, wanted))
            found = dict(zip(here, super().recv_many(here), strict=True)) if here else {}
            for task, wanted in elsewhere.items():
                found.update(zip(wanted, self._answer(task, wanted, calls.pop(0), start)))
        finally:
            for call in calls:  # after a failure: nobody waits for these any more
                self._calls.discard(call)
                call.drop()
        return [found[key] for key in keys]

    def take_for_peer(self, keys: Sequence[str]) -> list[Any]:
        """Takes what this task sends under `keys`, for a peer that has asked for it."""
        values = super().recv_many(keys)
        with self._condition:
            self._taken += len(keys)
        return values

    @property
    def is_over(self) -> bool:
        """Whether every tensor for other tasks has been fetched."""
        return self._taken == self._to_send

    def abort(self, error: BaseException) -> None:
        """Gives the step up, also where it waits for other tasks."""
        super().abort(error)
        for call in list(self._calls):
            call.cancel()

    def _ask(self, task: str, keys: list[str]) -> Pending:
        timeout = None
        if self._deadline is not None:
            timeout = max(self._deadline - time.monotonic(), 0.001)
        call = self._peers.channel(task).begin(
            "recv_tensor",
            {"step": self._step_id, "keys": keys},
            timeout=timeout,
            incarnation=self._incarnations.get(task),
        )
        self._calls.add(call)
        if self._error is not None:  # aborted meanwhile: `abort` may not have seen this call
            call.cancel()
        return call

    def _answer(self, task: str, keys: list[str], call: Pending, start: float) -> list[Any]:
        try:
            answer = call.finish()
        except errors.OpError as error:
            if self._error is not None:
                raise self._error from None
            # What failed over there is reported by that task as well: this is its echo.
            error.derived = not isinstance(  # type: ignore[attr-defined]
                error, errors.UnavailableError | errors.DeadlineExceededError
            )
            error.located = error.derived  # type: ignore[attr-defined]
            raise
        finally:
            self._calls.discard(call)
        names = ",".join(key.rpartition(";")[2] for key in keys)
        self._peers.record(
            self._step_id, names, "recv_tensor", task, self._peers.own_task, answer.received, start
        )
        controls = iter(answer.arrays)
        return [None if key.rpartition(";")[2].startswith("^") else next(controls) for key in keys]


_tasks: dict[str, str] = {}


def _task(device: str) -> str:
    """`task_of`, remembered: a program asks for the same few devices in every step."""
    found = _tasks.get(device)
    if found is None:
        if len(_tasks) > 10_000:
            _tasks.clear()
        found = _tasks[device] = task_of(device)
    return found

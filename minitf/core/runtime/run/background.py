"""What other threads do while a step is traced: the input pipeline, in the step's stats.

    a prefetch thread, a thread of a parallel map ── working("Prefetch") ──▶ Listener of the step

A step waits for its input only where the pipeline is slower than the step, so both belong on one
timeline. Threads say what they do whether or not anybody listens, since a step may begin while they
are at it; that costs about a microsecond an element.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Work(NamedTuple):
    """What one thread did, from `started` to `ended` (nanoseconds since the epoch)."""

    kind: str
    thread: int
    started: int
    ended: int


_now: dict[int, tuple[str, int]] = {}  # thread -> what it is at, and since when
_listeners: weakref.WeakSet[Listener] = weakref.WeakSet()


@contextmanager
def working(kind: str) -> Iterator[None]:
    """While this thread does something for steps that run in other threads.

    Args:
      kind: the type of the operation it works for, such as "PrefetchDataset".
    """
    thread = threading.get_ident()
    if thread in _now:  # part of what it is at
        yield
        return
    started = time.time_ns()
    _now[thread] = kind, started
    try:
        yield
    finally:
        del _now[thread]
        for listener in list(_listeners):
            listener.done.append(Work(kind, thread, started, time.time_ns()))


class Listener:
    """Hears what other threads do from now on, as long as it lives."""

    def __init__(self) -> None:
        self.done: list[Work] = []
        self._since = time.time_ns()
        _listeners.add(self)

    def heard(self) -> list[Work]:
        """What was done since, and what is being done, cut to the time of listening."""
        until = time.time_ns()
        still = [Work(kind, thread, since, until) for thread, (kind, since) in [*_now.items()]]
        return [
            work._replace(started=max(work.started, self._since)) for work in [*self.done, *still]
        ]

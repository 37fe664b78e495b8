"""When each operation ran: the records of a traced step.

StepStats ─ dev_stats: one DeviceStepStats a device ─ node_stats: one NodeExecStats an operation
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minitf.core.graph.messages import Message, Repeated


class WatchedOp(NamedTuple):
    """One operation of a watched run, at its end.

    Attributes:
      name, op, device: the operation, its type, and its device.
      tensors: the value of each output by the tensor's name; None for one that is not read, and for
        a variable without a value. Valid during the call only: later operations may overwrite it.
      fed: whether the value was fed.
    """

    name: str
    op: str
    device: str
    tensors: dict[str, Any]
    fed: bool


@dataclass
class NodeExecStats(Message):
    """One operation's run. Times are microseconds; `all_start_micros` counts from the epoch.

    Args:
      node_name: the operation.
      op: its type.
      all_start_micros: when it started.
      op_start_rel_micros, op_end_rel_micros, all_end_rel_micros: from `all_start_micros` on.
      timeline_label: "MatMul = MatMul(x, W/read)", for the trace.
      output_bytes: the size of what it made.
      thread_id: which executor thread ran it.
    """

    node_name: str = ""
    op: str = ""
    all_start_micros: int = 0
    op_start_rel_micros: int = 0
    op_end_rel_micros: int = 0
    all_end_rel_micros: int = 0
    timeline_label: str = ""
    output_bytes: int = 0
    thread_id: int = 0


@dataclass
class DeviceStepStats(Message):
    """The operations that ran on one device, in order.

    `thread_names` describes a simulated device.
    """

    device: str = ""
    node_stats: list[NodeExecStats] = field(default_factory=lambda: Repeated(NodeExecStats))
    thread_names: dict[int, str] = field(default_factory=dict)


@dataclass
class StepStats(Message):
    """The operations that ran in one step, by device."""

    dev_stats: list[DeviceStepStats] = field(default_factory=lambda: Repeated(DeviceStepStats))


# ---- background --------------------------------------------------------------------------
#
# The work of other threads while a step is traced: the input pipeline, in the step's stats.
#
#   a prefetch thread, a thread of a parallel map ── working("Prefetch") ──▶ Listener of the step
#
# A step waits for its input only where the pipeline is slower than the step, so both belong on
# one timeline. Threads record their work even without a listener, since a step may begin in the
# middle of it; that costs about a microsecond for each element.


class Work(NamedTuple):
    """The work of one thread, from `started` to `ended` (nanoseconds since the epoch)."""

    kind: str
    thread: int
    started: int
    ended: int


_now: dict[int, tuple[str, int]] = {}  # thread -> what it is at, and since when
_listeners: weakref.WeakSet[Listener] = weakref.WeakSet()


@contextmanager
def working(kind: str) -> Iterator[None]:
    """A context in which this thread works for steps of other threads.

    Args:
      kind: the type of the operation, such as "PrefetchDataset".
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
    """Records the work of other threads during its lifetime."""

    def __init__(self) -> None:
        self.done: list[Work] = []
        self._since = time.time_ns()
        _listeners.add(self)

    def heard(self) -> list[Work]:
        """Returns finished and current work since the start, cut to that time."""
        until = time.time_ns()
        still = [Work(kind, thread, since, until) for thread, (kind, since) in [*_now.items()]]
        return [
            work._replace(started=max(work.started, self._since)) for work in [*self.done, *still]
        ]

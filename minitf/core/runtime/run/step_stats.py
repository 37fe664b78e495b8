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

from minitf.core.graph.messages import Repeated


class WatchedOp(NamedTuple):
    """One operation of a watched run, as it ends.

    Attributes:
      name, op, device: the operation, its type, and where it ran.
      tensors: the value of each output by the tensor's name; None for one that nobody reads, and
        for a variable without a value. Only during the call: later operations may write over it.
      fed: whether the caller gave the value.
    """

    name: str
    op: str
    device: str
    tensors: dict[str, Any]
    fed: bool


@dataclass
class NodeExecStats:
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
class DeviceStepStats:
    """What ran on one device, in order.

    `thread_names` says what the device is where that matters: that it is simulated.
    """

    device: str = ""
    node_stats: list[NodeExecStats] = field(default_factory=lambda: Repeated(NodeExecStats))
    thread_names: dict[int, str] = field(default_factory=dict)


@dataclass
class StepStats:
    """What ran in one step, by device."""

    dev_stats: list[DeviceStepStats] = field(default_factory=lambda: Repeated(DeviceStepStats))

    def to_dict(self) -> dict:
        """Plain dicts and lists, for JSON."""
        return {
            "dev_stats": [
                {
                    "device": d.device,
                    "node_stats": [vars(n).copy() for n in d.node_stats],
                    "thread_names": {str(k): name for k, name in d.thread_names.items()},
                }
                for d in self.dev_stats
            ]
        }

    @staticmethod
    def from_dict(data: dict) -> StepStats:
        """Reads what `to_dict` wrote."""
        return StepStats(
            [
                DeviceStepStats(
                    d["device"],
                    [NodeExecStats(**n) for n in d["node_stats"]],
                    {int(k): name for k, name in d.get("thread_names", {}).items()},
                )
                for d in data["dev_stats"]
            ]
        )


# ---- background --------------------------------------------------------------------------
#
# What other threads do while a step is traced: the input pipeline, in the step's stats.
#
#   a prefetch thread, a thread of a parallel map ── working("Prefetch") ──▶ Listener of the step
#
# A step waits for its input only where the pipeline is slower than the step, so both belong on
# one timeline. Threads say what they do whether or not anybody listens, since a step may begin
# while they are at it; that costs about a microsecond an element.


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

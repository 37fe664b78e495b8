"""Records of messages between tasks: exact counters, and the latest messages.

Each task has one TrafficTap. Only the side that asked for a message records it, so that the sum
over all tasks counts no message twice.

    recv_tensor / run_graph ... --record()--> ring buffer (last N messages)  --> drain()
                                          \\-> counters (all messages, exact) --> counters()

An append costs under a microsecond: recording is always on.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

#: How the operations begin by which a task asks, again and again, whether variables have values.
POLL = "report_uninitialized_variables"
_POLLS_WITHIN = 2.0  # seconds after such a question in which the task counts as waiting

SAMPLE = 200
CAPACITY = 4096  # messages that a task remembers

# A step's number among all masters of the cluster: 30 random bits of the master, then its own
# count.
STEP_BITS = 32
STEP_MASK = (1 << STEP_BITS) - 1


@dataclass(frozen=True, slots=True)
class TrafficEvent:
    """One message between two tasks.

    Attributes:
      step: the step it belongs to, 0 for none.
      tensor: the tensor that was sent, as "W1/read:0"; several are joined with a comma.
      kind: the call: "recv_tensor", "run_graph", "run_step", "ping", ...
      source: the task that sent the bytes, as "/job:ps/task:0".
      destination: the task that received them.
      bytes: size of the message on the wire.
      start: when it was requested, seconds since the epoch.
      end: when the last byte had arrived, seconds since the epoch.
    """

    step: int
    tensor: str
    kind: str
    source: str
    destination: str
    bytes: int
    start: float
    end: float


class TrafficTap:
    """Records messages; safe to use from any thread.

    Args:
      capacity: how many messages the ring buffer keeps. The counters are complete.
    Example:
      >>> tap = TrafficTap()
      >>> tap.record(7, "W:0", "recv_tensor", "/job:ps/task:0", "/job:worker/task:1", 400, 1.0, 1.5)
    """

    def __init__(self, capacity: int = CAPACITY):
        self._ring: deque[tuple[Any, ...]] = deque(maxlen=capacity)
        self._counters: dict[tuple[str, str], list[int]] = {}
        self._lock = threading.Lock()
        self._recorded = 0
        self._asks = 0.0, 0.0  # since when it asks for variables, and when it did last

    def record(
        self,
        step: int,
        tensor: str,
        kind: str,
        source: str,
        destination: str,
        nbytes: int,
        start: float,
        end: float | None = None,
    ) -> None:
        """Counts one message and adds it to the ring buffer.

        The arguments are those of `TrafficEvent`; a message without an end has just arrived. The
        number of a step is reduced to its master's own count. Messages of a step that asks whether
        variables have values are not counted: they tell that the task waits for them.
        """
        if tensor.startswith(POLL):
            (since, last), now = self._asks, time.time()
            self._asks = since if now - last < _POLLS_WITHIN else now, now
            return
        message = tensor, kind, source, destination, nbytes, start, end or time.time()
        with self._lock:
            self._ring.append((step & STEP_MASK, *message))
            self._recorded += 1
            try:
                counter = self._counters[source, destination]
            except KeyError:
                counter = self._counters[source, destination] = [0, 0]
            counter[0] += 1
            counter[1] += nbytes

    def asks(self) -> list[dict[str, Any]]:
        """Returns the wait of a task that asks for variables, in the form of `stand`."""
        (since, last), now = self._asks, time.time()
        wait = {"step": "0", "node": "", "type": POLL, "of": "", "seconds": now - since}
        return [wait] if now - last < _POLLS_WITHIN else []

    def counters(self) -> dict[str, dict[str, int]]:
        """Returns {"source|destination": {"messages": n, "bytes": n}} since the start."""
        with self._lock:
            return {
                f"{source}|{destination}": {"messages": messages, "bytes": nbytes}
                for (source, destination), (messages, nbytes) in self._counters.items()
            }

    def drain(self, cursor: int = 0, limit: int = SAMPLE) -> tuple[int, list[TrafficEvent]]:
        """Returns (new cursor, events recorded since `cursor`), evenly thinned to `limit`.

        Events that the ring buffer has already dropped are missing; the counters have them.

        Args:
          cursor: from the previous call, 0 at first.
          limit: most events to return.
        """
        with self._lock:
            recorded = self._recorded
            fresh = min(max(recorded - cursor, 0), len(self._ring))
            rows = list(islice(self._ring, len(self._ring) - fresh, None))
        return recorded, [TrafficEvent(*row) for row in thin(rows, limit)]


def thin(rows: list[Any], limit: int) -> list[Any]:
    """Returns `rows`, or `limit` of them at even distances when there are more."""
    if len(rows) <= limit:
        return rows
    return [rows[i * len(rows) // limit] for i in range(limit)]


def as_plain(events: list[TrafficEvent]) -> list[dict[str, Any]]:
    """Returns the events as dictionaries, for messages and widgets."""
    return [asdict(event) for event in events]

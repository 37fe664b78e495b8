"""What went over the wires: every message between tasks, counted exactly and kept for a while.

Each task owns one TrafficTap. The side that asked for a message records it, so nothing is counted
twice when the taps of all tasks are put together.

    recv_tensor / run_graph ... --record()--> ring buffer (last N messages)   --+
                                          \\-> counters (all messages, exact)  --+--> snapshot()
                                                                        drawn at most 5 times a
                                                                        second

An append costs under a microsecond: recording is always on.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from minitf.core.graph import errors

SAMPLE = 200
CAPACITY = 4096  # messages that a task remembers
PULL_INTERVAL = 0.2  # seconds between two looks at the tasks' traffic

# A step's number among all masters of the cluster: 30 random bits of the master, then its own
# count.
STEP_BITS = 32
STEP_MASK = (1 << STEP_BITS) - 1


@dataclass(frozen=True, slots=True)
class TrafficEvent:
    """One message between two tasks.

    Attributes:
      step: the step it belongs to, 0 for none.
      tensor: what travelled, as "W1/read:0"; several are joined with a comma.
      kind: the call: "recv_tensor", "run_graph", "run_step", "ping", ...
      source: the task that sent the bytes, as "/job:ps/task:0".
      destination: the task that received them.
      bytes: size of the message on the wire.
      start: when it was asked for, seconds since the epoch.
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
      capacity: how many messages the ring buffer keeps. The counters forget nothing.
    Example:
      >>> tap = TrafficTap()
      >>> tap.record(7, "W:0", "recv_tensor", "/job:ps/task:0", "/job:worker/task:1", 400, 1.0, 1.5)
    """

    def __init__(self, capacity: int = CAPACITY):
        self._ring: deque[tuple[Any, ...]] = deque(maxlen=capacity)
        self._counters: dict[tuple[str, str], list[int]] = {}
        self._lock = threading.Lock()
        self._recorded = 0

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
        """Counts one message and puts it into the ring buffer.

        The arguments are `TrafficEvent`'s; a message without an end has just arrived. Of a step all
        masters' number is taken, and its master's own is kept.
        """
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

    def counters(self) -> dict[str, dict[str, int]]:
        """Returns {"source|destination": {"messages": n, "bytes": n}} since the start."""
        with self._lock:
            return {
                f"{source}|{destination}": {"messages": messages, "bytes": nbytes}
                for (source, destination), (messages, nbytes) in self._counters.items()
            }

    def drain(self, cursor: int = 0, limit: int = SAMPLE) -> tuple[int, list[TrafficEvent]]:
        """Returns (new cursor, events recorded since `cursor`), evenly thinned to `limit`.

        Events that the ring buffer has already dropped are not returned; the counters have them.

        Args:
          cursor: what the previous call returned, 0 at first.
          limit: most events to return.
        """
        with self._lock:
            recorded = self._recorded
            fresh = min(max(recorded - cursor, 0), len(self._ring))
            rows = list(islice(self._ring, len(self._ring) - fresh, None))
        return recorded, [TrafficEvent(*row) for row in thin(rows, limit)]


class TrafficCollector:
    """Puts the taps of all tasks together, again and again, in one snapshot of the cluster.

    Args:
      ask: returns the answer of a task to the call "traffic", from a cursor on; raises OpError.
      every: whether a snapshot has every message since the one before, instead of a sample of the
        newest; the tasks are asked each time then.
    """

    def __init__(self, ask: Callable[[str, int], dict[str, Any]], every: bool = False):
        self._ask = ask
        self._every = every
        self._lock = threading.Lock()
        self._cursors: dict[str, tuple[int, int]] = {}  # task -> (incarnation, cursor)
        self._counters: dict[str, dict[str, dict[str, int]]] = {}
        self._recent: deque[dict[str, Any]] = deque(maxlen=SAMPLE)
        self._snapshot: dict[str, Any] = {}

    def collect(self, tasks: Iterable[tuple[str, str]]) -> dict[str, Any]:
        """Returns a snapshot; the tasks are asked at most five times a second.

        Args:
          tasks: the name of each task, and what to show for its address.
        """
        with self._lock:
            if self._every or time.time() - self._snapshot.get("time", 0.0) >= PULL_INTERVAL:
                self._snapshot = self._pull(tasks)
            return self._snapshot

    def _pull(self, tasks: Iterable[tuple[str, str]]) -> dict[str, Any]:
        seen = []
        fresh: list[dict[str, Any]] = []
        for task, address in tasks:
            known, cursor = self._cursors.get(task, (0, 0))
            alive, waits = True, []
            try:
                fields = self._ask(task, cursor)
                if fields["incarnation"] != known:  # a new process counts from nothing
                    fields = self._ask(task, 0) if cursor else fields
                    known = fields["incarnation"]
                self._cursors[task] = (known, fields["cursor"])
                self._counters[f"{task}#{known}"] = fields["counters"]
                fresh.extend(fields["events"])
                waits = fields.get("waits", [])
            except errors.OpError:
                alive = False
            row = {"task": task, "address": address, "alive": alive, "incarnation": known}
            seen.append({**row, "waits": waits})
        parts: list[dict[str, Any]] = [
            {"counters": counters, "events": []} for counters in self._counters.values()
        ]
        fresh.sort(key=lambda event: event["end"])  # so that no task crowds out the others
        if self._every:
            return merge_snapshots(seen, [*parts, {"counters": {}, "events": fresh}], len(fresh))
        self._recent.extend(thin(fresh, SAMPLE))
        parts.append({"counters": {}, "events": list(self._recent)})
        return merge_snapshots(seen, parts)


def thin(rows: list[Any], limit: int) -> list[Any]:
    """Returns `rows`, or `limit` of them at even distances when there are more."""
    if len(rows) <= limit:
        return rows
    return [rows[i * len(rows) // limit] for i in range(limit)]


def merge_snapshots(
    tasks: list[dict[str, Any]], parts: list[dict[str, Any]], limit: int = SAMPLE
) -> dict[str, Any]:
    """Puts the counters and events of several tasks together in one snapshot of the cluster.

    Args:
      tasks: [{"task", "address", "alive", "incarnation", "waits"}, ...]; of each task where its
        running steps stand: [{"step", "node", "type", "of": the task waited for, "seconds"}, ...].
      parts: [{"counters", "events"}, ...], one entry for each task that answered.
      limit: most events to keep.
    Returns: {"tasks", "counters", "events", "time"}, all of it plain data (JSON), events by time.
    """
    counters: dict[str, dict[str, int]] = {}
    for part in parts:
        for edge, counter in part["counters"].items():
            total = counters.setdefault(edge, {"messages": 0, "bytes": 0})
            total["messages"] += counter["messages"]
            total["bytes"] += counter["bytes"]
    events = sorted((event for part in parts for event in part["events"]), key=lambda e: e["end"])
    events = thin(events, limit)
    return {"tasks": tasks, "counters": counters, "events": events, "time": time.time()}


def as_plain(events: list[TrafficEvent]) -> list[dict[str, Any]]:
    """Returns the events as dictionaries, the form in which they travel and reach the widgets."""
    return [asdict(event) for event in events]

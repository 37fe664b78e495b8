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

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from minitf.core.cluster.wire.call import Fields, entries, parts_of, table
from minitf.core.graph import errors, untrusted

if TYPE_CHECKING:
    from minitf.core.cluster.wire.call import Answer

logger = logging.getLogger("tensorflow")

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
      ask: returns the answer of a task to the call "traffic", from a cursor on; raises OpError. It
        is looked at before it is used: a task that answers in another form counts as dead, and the
        log tells of it once.
      every: whether a snapshot has every message since the one before, instead of a sample of the
        newest; the tasks are asked each time then.
    """

    def __init__(self, ask: Callable[[str, int], Answer], every: bool = False):
        self._ask = ask
        self._odd: set[str] = set()  # tasks that have answered in another form
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
        Returns: {"tasks", "counters", "events", "time"}, all of it plain data (JSON), events by
          time. Tasks are [{"task", "address", "alive", "incarnation", "waits"}, ...]; waits tell
          where its running steps stand: [{"step", "node", "type", "of": the task waited for,
          "seconds"}, ...].
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
                fields = read_traffic(self._ask(task, cursor))
                if fields["incarnation"] != known:  # a new process counts from nothing
                    fields = read_traffic(self._ask(task, 0)) if cursor else fields
                    known = fields["incarnation"]
                self._cursors[task] = (known, fields["cursor"])
                self._counters[f"{task}#{known}"] = fields["counters"]
                fresh.extend(fields["events"])
                waits = fields["waits"]
            except errors.OpError as error:
                alive = False
                if isinstance(error, errors.InvalidArgumentError) and task not in self._odd:
                    self._odd.add(task)
                    logger.warning("%s (%s) is left out of the traffic: %s", task, address, error)
            row = {"task": task, "address": address, "alive": alive, "incarnation": known}
            seen.append({**row, "waits": waits})
        fresh.sort(key=lambda event: event["end"])  # so that no task crowds out the others
        if not self._every:
            self._recent.extend(thin(fresh, SAMPLE))
            fresh = sorted(self._recent, key=lambda event: event["end"])
        counters = _add_up(self._counters.values())
        return {"tasks": seen, "counters": counters, "events": fresh, "time": time.time()}


def thin(rows: list[Any], limit: int) -> list[Any]:
    """Returns `rows`, or `limit` of them at even distances when there are more."""
    if len(rows) <= limit:
        return rows
    return [rows[i * len(rows) // limit] for i in range(limit)]


def _add_up(told: Iterable[dict[str, dict[str, int]]]) -> dict[str, dict[str, int]]:
    totals: dict[str, dict[str, int]] = {}
    for counters in told:
        for link, counter in counters.items():
            total = totals.setdefault(link, {"messages": 0, "bytes": 0})
            total["messages"] += counter["messages"]
            total["bytes"] += counter["bytes"]
    return totals


def as_plain(events: list[TrafficEvent]) -> list[dict[str, Any]]:
    """Returns the events as dictionaries, the form in which they travel and reach the widgets."""
    return [asdict(event) for event in events]


def read_traffic(answer: Answer) -> dict[str, Any]:
    """Reads the answer of a task to the call "traffic".

    Raises:
      InvalidArgumentError: when it has not the form of one; it names the peer and the field.
    """
    given = Fields(answer)
    return {
        "incarnation": given.whole("incarnation"),
        "cursor": given.whole("cursor"),
        "counters": given.read("counters", read_counters),
        "events": given.read("events", _EVENTS),
        "waits": given.read("waits", _WAITS, []),
    }


def read_counters(value: Any, what: str) -> dict[str, dict[str, int]]:
    """Reads the counters of a task, by links.

    Raises:
      ValueError: when they are none.
    """
    counters = table(value, what, _COUNTER)
    if odd := [link for link in counters if link.count("|") != 1]:
        raise ValueError(f"{what} has names 'source|destination', not {odd[0]!r:.80}")
    return counters


def _list_of(each: untrusted.Reader) -> untrusted.Reader:
    return lambda value, what: untrusted.listed(value, what, each)


EVENT = parts_of(TrafficEvent)
_COUNTER = entries({"messages": untrusted.whole, "bytes": untrusted.whole})
_WAIT: dict[str, untrusted.Reader] = dict.fromkeys(("step", "node", "type", "of"), untrusted.text)
_WAITS = _list_of(entries(_WAIT | {"seconds": untrusted.number}))
_EVENTS = _list_of(entries(EVENT))
#: What reads the parts of a task in a snapshot, besides its waits.
TASK: dict[str, untrusted.Reader] = {
    "task": untrusted.text,
    "address": untrusted.text,
    "alive": untrusted.truth,
    "incarnation": untrusted.whole,
}
_TASKS = _list_of(entries({**TASK, "waits": _WAITS}))
#: Reads a snapshot that another process has put together.
read_snapshot = entries(
    {"tasks": _TASKS, "counters": read_counters, "events": _EVENTS, "time": untrusted.number}
)

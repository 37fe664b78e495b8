"""The traffic of a whole cluster: what its tasks tell of theirs, put together in one snapshot.

    task --"traffic"--> read_traffic --+
    task --"traffic"--> read_traffic --+--> snapshot, at most five times a second

Everything that a task answers is checked before it is used.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from minitf.core.cluster.wire.call import Answer, Fields, entries, parts_of, table
from minitf.core.cluster.wire.traffic import SAMPLE, TrafficEvent, thin
from minitf.core.graph import errors, untrusted

logger = logging.getLogger("tensorflow")

PULL_INTERVAL = 0.2  # seconds between two looks at the tasks' traffic


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


class Imports:
    """Tells what this process imports, as a task tells of its running steps."""

    _seen = ("", 0.0)  # the package at the last look, and since when

    def __call__(self) -> list[dict[str, Any]]:
        """Returns the package that is being imported and the seconds since it was first seen so."""
        now, name = time.time(), _imported()
        self._seen = self._seen if name == self._seen[0] else (name, now)
        wait = {"step": "0", "node": name, "type": "import", "of": ""}
        return [{**wait, "seconds": now - self._seen[1]}] if name else []


def _imported() -> str:
    modules = [each for each in list(sys.modules.values()) if type(each) is ModuleType]
    specs = [spec for each in modules if (spec := getattr(each, "__spec__", None)) is not None]
    return next((s.name.partition(".")[0] for s in specs if getattr(s, "_initializing", False)), "")


def _add_up(told: Iterable[dict[str, dict[str, int]]]) -> dict[str, dict[str, int]]:
    totals: dict[str, dict[str, int]] = {}
    for counters in told:
        for link, counter in counters.items():
            total = totals.setdefault(link, {"messages": 0, "bytes": 0})
            total["messages"] += counter["messages"]
            total["bytes"] += counter["bytes"]
    return totals


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

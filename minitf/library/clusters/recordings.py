"""A run's traffic in a file, and played back: `tf.cluster.record` and `tf.cluster.Recording`.

    with tf.cluster.record(cluster, "run.jsonl.gz") as recorder:
        ...                                           # training, in this process or another
        recorder.mark(step=10, loss=0.3)
    recording = tf.cluster.Recording.load("run.jsonl.gz")
    recording.at(2.5)                                 # the snapshot of that moment
    TrafficView(recording)                            # as the cluster itself

A recording is a text, one JSON object a line, compressed where its name ends in ".gz". `at` counts
seconds since it began. Every line after the first has `at` and one key more:

    {"format": "minitf recording", "version": 1, "started": 1760000000.0}     the first line
    {"at": 0.2, "tasks": [["/job:ps/task:0", "host:2222", true, 42], ...]}    name, address, alive,
                                                        incarnation: when something of it changed
    {"at": 0.2, "counters": {"/job:ps/task:0|/job:worker/task:1": [10, 4000]}}   messages and bytes
                                                        since the cluster began, where they changed
    {"at": 0.2, "messages": [[7, "W/read:0", "recv_tensor", source, destination, 400, 0.1, 0.15]]}
                                                        step, tensor, kind, source, destination,
                                                        bytes, and when it began and ended
    {"at": 0.2, "mark": {"step": 10, "loss": 0.3}}      whatever numbers the program gave
    {"at": 9.0, "end": true}                            the last line
"""

from __future__ import annotations

import contextlib
import gzip
import json
import math
import threading
import time
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from functools import partial
from typing import IO, Any, NoReturn

from minitf.core.cluster.cluster_spec import ClusterSpec
from minitf.core.cluster.wire import transport
from minitf.core.cluster.wire.call import Answer, Fields, entries
from minitf.core.cluster.wire.channel import Channel
from minitf.core.cluster.wire.traffic import CAPACITY, SAMPLE, TrafficEvent, as_plain, thin
from minitf.core.graph import untrusted
from minitf.library.clusters.snapshots import (
    EVENT,
    PULL_INTERVAL,
    TASK,
    TrafficCollector,
    read_counters,
)
from minitf.library.formats.file_io import written_aside

FORMAT, VERSION = "minitf recording", 1
LONGEST_LINE = 16 << 20  # characters; a line holds what came in a fifth of a second
LARGEST = 1 << 30  # characters of all lines: a small file may unpack to any size
LATEST = 1e11  # seconds: no time of a recording is later
MOST_TASKS, MOST_LINKS = 1_500, 10_000  # what a picture can show
SHOWN = 1.0  # seconds for which a snapshot shows a message that has ended


def record(
    source: Any,
    path: str,
    interval: float = PULL_INTERVAL,
    clock: Callable[[], float] = time.time,
) -> Recorder:
    """Begins to write what goes over the wires of a cluster to a file; returns the Recorder.

    Of a TaskCluster, a Server or a ClusterSpec every message is recorded, unless a task has more
    than 4,096 of them in an interval; of anything else with a method `traffic()` those that it
    tells of. The counters are exact in both cases.

    Args:
      source: the cluster.
      path: of the file; compressed when it ends in ".gz". It gets this name when it is whole.
      interval: seconds between two looks.
      clock: what tells the time, in seconds since the epoch, as it does for what is replayed.
    Raises:
      TypeError: when `source` is none of these.
    Example:
      >>> with tf.cluster.record(cluster, "run.jsonl.gz") as recorder:  # doctest: +SKIP
      ...     recorder.mark(step=sess.run(train_op), loss=sess.run(loss))
    """
    spec = getattr(source, "cluster_spec", source)
    if hasattr(spec, "server_def"):
        spec = ClusterSpec(spec.server_def.cluster)
    if isinstance(spec, ClusterSpec):
        return Recorder(_every_message(spec), path, interval, clock, repeats=False)
    read = getattr(source, "traffic", None)
    if callable(read):
        return Recorder(read, path, interval, clock)
    raise TypeError(
        "What is recorded is a cluster, a tf.train.Server, a tf.train.ClusterSpec, or something "
        f"with a method traffic(), not {source!r}"
    )


class Recorder(contextlib.AbstractContextManager["Recorder"]):
    """Writes a recording until it is stopped, in a thread of its own.

    Args:
      read: returns a snapshot, as `traffic()` of a cluster does.
      path, interval, clock: of `record`.
      repeats: whether a snapshot may have messages of the one before.
    """

    def __init__(
        self,
        read: Callable[[], dict[str, Any]],
        path: str,
        interval: float,
        clock: Callable[[], float],
        repeats: bool = True,
    ):
        self.path = path
        self._read, self._clock = read, clock
        self._interval = interval
        self._tasks: list[Any] = []
        self._counters: dict[str, list[int]] = {}
        self._repeats = repeats
        self._known: dict[tuple[Any, ...], None] = {}  # messages that may come again
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._ends = contextlib.ExitStack()
        file: Any = self._ends.enter_context(written_aside(path))
        if path.endswith(".gz"):
            file = self._ends.enter_context(gzip.GzipFile(fileobj=file, mode="wb", filename=""))
        self._file: IO[bytes] = file
        self._started = math.floor(clock() * 1000) / 1000
        self._write({"format": FORMAT, "version": VERSION, "started": self._started})
        self._thread = threading.Thread(target=self._watch, name="minitf-recorder", daemon=True)
        self._thread.start()

    def mark(self, **numbers: float) -> None:
        """Notes numbers of the training at this moment, such as `step` and `loss`."""
        plain = {name: float(number) for name, number in numbers.items()}
        mark = {name: n if math.isfinite(n) else None for name, n in plain.items()}
        with self._lock:
            self._write({"at": self._now(), "mark": mark})

    def stop(self) -> None:
        """Looks at the cluster once more, and gives the file its name."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        self._thread.join()
        with self._lock, self._ends:
            self._look()
            self._write({"at": self._now(), "end": True})

    def __exit__(self, *exc_info: object) -> None:
        self.stop()

    def _watch(self) -> None:
        while not self._stopped.wait(self._interval):
            self.look()

    def _now(self) -> float:
        return round(self._clock() - self._started, 6)

    def look(self) -> None:
        """Looks at the cluster now, and writes what is new."""
        with self._lock:
            self._look()

    def _look(self) -> None:
        try:
            seen = self._read()
        except Exception:  # whatever a source may raise: a cluster that is gone says no more
            return
        now = self._now()
        tasks = [
            [str(t["task"]), str(t["address"]), bool(t["alive"]), int(t["incarnation"])]
            for t in seen["tasks"]
        ]
        if tasks != self._tasks:
            self._tasks = tasks
            self._write({"at": now, "tasks": tasks})
        counters = {key: [c["messages"], c["bytes"]] for key, c in seen["counters"].items()}
        if changed := {k: c for k, c in counters.items() if self._counters.get(k) != c}:
            self._counters = counters
            self._write({"at": now, "counters": changed})
        rows = []
        for event in seen["events"]:
            *what, start, end = (event[name] for name in TrafficEvent.__slots__)
            row = (*what, round(start - self._started, 6), round(end - self._started, 6))
            if end < self._started or row in self._known:
                continue
            rows.append(row)
            if self._repeats:
                self._known[row] = None
        if rows:
            self._write({"at": now, "messages": rows})
        while len(self._known) > CAPACITY:
            del self._known[next(iter(self._known))]

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line, separators=(",", ":"), allow_nan=False).encode() + b"\n")


class Recording:
    """A run's traffic, to look at again: any moment of it.

    Attributes:
      started: when it began, seconds since the epoch.
      seconds: how long it is.
      events: all messages, by the time of their end, in seconds since the beginning.
      marks: (seconds since the beginning, {"step": ..., "loss": ...}), as the program gave them.
      tasks: (seconds since the beginning, the tasks from then on).

    Example:
      >>> recording = tf.cluster.Recording.load("run.jsonl.gz")  # doctest: +SKIP
      >>> [event.tensor for event in recording.between(2.0, 2.1)]  # doctest: +SKIP
      ['W/read:0', 'gradients/dW:0']
    """

    def __init__(self, started: float = 0.0):
        self.started = started
        self.seconds = 0.0
        self.events: list[TrafficEvent] = []
        self.marks: list[tuple[float, dict[str, float]]] = []
        self.tasks: list[tuple[float, list[dict[str, Any]]]] = []
        self._counters: dict[str, tuple[list[float], list[dict[str, int]]]] = {}
        self._ends: list[float] = []

    @classmethod
    def load(cls, path: str) -> Recording:
        """Reads a recording.

        Raises:
          ValueError: when the file is none, with the number of the line that is wrong.
          OSError: when it cannot be read.
        """
        return _Loader(path).load()

    def at(self, seconds: float) -> dict[str, Any]:
        """The snapshot of a moment, of the form that `traffic()` of a cluster has."""
        place = bisect_right(self.tasks, seconds, key=lambda entry: entry[0])
        counters = {}
        for link, (times, counts) in self._counters.items():
            known = bisect_right(times, seconds)
            if known:
                counters[link] = counts[known - 1]
        first = bisect_right(self._ends, seconds - SHOWN)
        events = as_plain(thin(self.events[first : bisect_right(self._ends, seconds)], SAMPLE))
        for event in events:
            event["start"] += self.started
            event["end"] += self.started
        return {
            "tasks": self.tasks[place - 1][1] if place else [],
            "counters": counters,
            "events": events,
            "time": self.started + seconds,
        }

    def between(self, first: float, last: float) -> list[TrafficEvent]:
        """The messages that ended from `first` on and before `last`, in seconds."""
        return self.events[bisect_left(self._ends, first) : bisect_left(self._ends, last)]

    def __repr__(self) -> str:
        return (
            f"<Recording of {self.seconds:.1f} s: {len(self._counters)} links, "
            f"{len(self.events):,} messages, {len(self.marks)} marks>"
        )


class _Loader:
    """Reads one file. Whatever stands in it is looked at before anything is made of it."""

    def __init__(self, path: str):
        self._path = path
        self._line = 0
        self._at = 0.0
        self._names: set[str] = set()  # of tasks, and of the ends of links

    def load(self) -> Recording:
        kind: Any = gzip.open if self._path.endswith(".gz") else open
        try:
            with kind(self._path, "rb") as file:
                return self._load(file)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            self._refuse(f"the file is damaged or ends too early ({error})")

    def _load(self, file: IO[bytes]) -> Recording:
        head = self._next(file)
        if head is None or head.get("format") != FORMAT:
            self._refuse("this is no recording of a cluster's traffic")
        if head.get("version") != VERSION:
            self._refuse(f"version {head.get('version')!r:.40}; this program reads {VERSION}")
        made = Recording(self._checked(_moment, head.get("started"), "The time of the start"))
        takers: dict[str, Callable[[Recording, Any], None]] = {
            "tasks": self._tasks,
            "counters": self._counters,
            "messages": self._messages,
            "mark": self._mark,
            "end": self._end,
        }
        while not made.seconds:
            line = self._next(file)
            if line is None:
                self._refuse("the recording ends before its end: it was cut off")
            at = self._checked(_moment, line.pop("at", None), "The time 'at'")
            if at < self._at:
                self._refuse(f"the time goes back, from {self._at} to {at}")
            self._at = at
            if len(line) != 1 or next(iter(line)) not in takers:
                self._refuse(f"a line has one of {', '.join(takers)}, not {[*line]!r:.80}")
            ((key, value),) = line.items()
            try:
                takers[key](made, value)
            except ValueError as error:
                self._refuse(str(error))
        if self._next(file) is not None:
            self._refuse("there is something after the end")
        made.events.sort(key=lambda event: event.end)
        made._ends = [event.end for event in made.events]
        return made

    def _next(self, file: IO[bytes]) -> dict[str, Any] | None:
        """The next line, None at the end of the file."""
        self._line += 1
        text = file.readline(LONGEST_LINE + 1)
        if len(text) > LONGEST_LINE or file.tell() > LARGEST:
            self._refuse(f"more than {LONGEST_LINE:,} bytes, or {LARGEST:,} in all")
        if not text:
            return None
        try:
            found = json.loads(text, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            self._refuse(f"this is no JSON ({error})")
        if type(found) is not dict:
            self._refuse("a line is an object of JSON")
        return found

    def _tasks(self, made: Recording, value: Any) -> None:
        tasks = untrusted.listed(value, "The list of tasks", _TASK)
        made.tasks.append((self._at, tasks))
        self._count(made, (each["task"] for each in tasks))

    def _count(self, made: Recording, names: Iterable[str]) -> None:
        self._names.update(names)
        for found, most, what in (
            (len(self._names), MOST_TASKS, "tasks"),
            (len(made._counters), MOST_LINKS, "links"),
        ):
            if found > most:
                raise ValueError(f"a recording has at most {most:,} {what}, this one has {found:,}")

    def _counters(self, made: Recording, value: Any) -> None:
        counters = read_counters(value, "The table of counters")
        for link, counter in counters.items():
            times, counts = made._counters.setdefault(link, ([], []))
            times.append(self._at)
            counts.append(counter)
        self._count(made, (end for link in counters for end in link.split("|")))

    def _messages(self, made: Recording, value: Any) -> None:
        def message(row: Any, what: str) -> TrafficEvent:
            event = TrafficEvent(**_MESSAGE(row, what))
            _moment(event.end, "The end of a message", event.start)
            return event

        events = untrusted.listed(value, "The messages", message)
        made.events += events
        self._count(made, (end for event in events for end in (event.source, event.destination)))

    def _mark(self, made: Recording, value: Any) -> None:
        if type(value) is not dict:
            raise ValueError("A mark must be an object")
        mark = {
            name: math.nan if number is None else _moment(number, f"The mark {name!r:.40}", None)
            for name, number in value.items()
        }
        made.marks.append((self._at, mark))

    def _end(self, made: Recording, value: Any) -> None:
        if value is not True:
            raise ValueError("The last line is {'at': ..., 'end': true}")
        made.seconds = max(self._at, 1e-6)

    def _checked(self, check: Callable[[Any, str], Any], value: Any, what: str) -> Any:
        try:
            return check(value, what)
        except ValueError as error:
            self._refuse(str(error))

    def _refuse(self, reason: str) -> NoReturn:
        raise ValueError(f"{self._path}, line {self._line}: {reason}") from None


def _moment(value: Any, what: str, low: float | None = 0.0) -> float:
    """A finite number; of seconds unless `low` is None."""
    if type(value) is int and abs(value) < 1 << 53:
        value = float(value)
    if type(value) is not float or not math.isfinite(value):
        raise ValueError(f"{what} must be a number")
    if low is not None and not low <= value <= LATEST:
        raise ValueError(f"{what} must be from {low:g} to {LATEST:g} seconds, got {value:g}")
    return value


_any_moment = partial(_moment, low=-LATEST)  # clocks differ: some begin before the recording
_TASK = entries(TASK)
_MESSAGE = entries({**EVENT, **dict.fromkeys(("start", "end"), _any_moment)})


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _every_message(spec: ClusterSpec) -> Callable[[], dict[str, Any]]:
    tasks = spec.addresses()
    channels = {task: Channel(tasks[task], transport.options_for(tasks[task])) for task in tasks}

    def ask(task: str, cursor: int) -> Answer:
        answer = channels[task].call("traffic", {"cursor": cursor, "every": True}, timeout=1.0)
        events = Fields(answer).document(json.loads)
        return answer._replace(fields={**answer.fields, "events": events})

    collector = TrafficCollector(ask, every=True)
    return lambda: collector.collect(tasks.items())

"""What a view has seen, kept to look at again: packed snapshots, as many as the memory allows.

    live:      every snapshot in which something moved --append--> frames, the oldest go first
    recording: Recording.at, between  --from_recording--> frames, five a second at most
    frames --stream--> page (scrubs, plays, steps by itself)      frames --save--> a recording

The file is the one that `tf.cluster.record` writes and `tf.cluster.Recording` reads.
"""

from __future__ import annotations

import math
import os
import threading
import types
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import minitf as tf
from minitf_widgets.traffic.wire import clean_snapshot, pack_tick, unpack_tick

INTERVAL = 0.2  # seconds between two frames of a recording, if it is not too long for that
MOST_ROWS = 500_000  # tasks and links in all frames of a recording
MOST_EVENTS = 150_000  # of a recording in a view; what is left out of more is evenly spread
_NEAR = 1e-6  # seconds: a position that was rounded on its way still has its frame
_WAITS_EVERY = 1.0  # seconds between two frames in which tasks only go on waiting


class History:
    """Snapshots in a bounded memory; to be used by several threads.

    Args:
      memory: bytes of packed frames; what is older goes.
    """

    def __init__(self, memory: float = math.inf) -> None:
        self._memory = memory
        self._frames: deque[tuple[float, str]] = deque()
        self._size = 0
        self._last: dict[str, Any] = {"tasks": [], "counters": {}, "time": -math.inf}
        self._lock = threading.Lock()
        self.interval = 0.0  # seconds between two frames, of a recording

    def append(self, tick: Mapping[str, Any]) -> str:
        """Keeps a clean snapshot unless nothing has moved in it; returns it packed."""
        packed = pack_tick(tick)
        same = all(tick[part] == self._last[part] for part in ("tasks", "counters"))
        idle = bool(self._frames) and same and not tick["events"] and not tick["marks"]
        if not idle or (tick["waits"] and tick["time"] > self._last["time"] + _WAITS_EVERY):
            with self._lock:
                self._last = {part: tick[part] for part in ("tasks", "counters", "time")}
                self._frames.append((tick["time"], packed))
                self._size += len(packed)
                while self._size > self._memory and len(self._frames) > 1:
                    self._size -= len(self._frames.popleft()[1])
        return packed

    def at(self, time: float) -> dict[str, Any] | None:
        """The snapshot that held at a time, seconds since the epoch; the first one before it."""
        with self._lock:
            place = bisect_right(self._frames, time + _NEAR, key=lambda frame: frame[0])
            frame = self._frames[max(place - 1, 0)] if self._frames else None
        return None if frame is None else unpack_tick(frame[1])

    def stream(self, most: float = math.inf) -> str:
        """The newest frames, a line each, of about `most` letters."""
        lines: list[str] = []
        with self._lock:
            for _, line in reversed(self._frames):
                most -= len(line)
                if most < 0 and lines:
                    break
                lines.append(line)
        return "\n".join(reversed(lines))

    def save(self, path: str | os.PathLike[str], first: float = 0.0) -> None:
        """Writes the frames from a time on as a recording; see `tf.cluster.Recording`."""
        with self._lock:
            place = bisect_right(self._frames, first, key=lambda frame: frame[0])
            frames = list(self._frames)[max(place - 1, 0) :]  # and how things stood at `first`
        ticks = [unpack_tick(data) for _, data in frames]
        for task in (task for tick in ticks for task in tick["tasks"]):
            number = task["incarnation"]
            task["incarnation"] = int(number) % 2**63 if number.isdecimal() else 0
        if not ticks:
            raise ValueError("There is nothing to save yet: no snapshot has come.")
        now = ticks[0]
        source = types.SimpleNamespace(traffic=lambda: now)
        never, clock = threading.TIMEOUT_MAX, lambda: now["time"]
        with tf.cluster.record(source, os.fspath(path), never, clock) as recorder:
            for now in ticks:
                recorder.look()
                for _, name, value in now["marks"]:
                    recorder.mark(**{name: value})

    @classmethod
    def from_recording(cls, recording: Any) -> History:
        """The frames of a `tf.cluster.Recording`."""
        made = cls()
        seconds, began = recording.seconds, recording.started
        rows = 10 + max((len(tasks) for _, tasks in recording.tasks), default=0)
        rows += len(recording.at(seconds)["counters"])
        made.interval = interval = max(INTERVAL, seconds * rows / MOST_ROWS)
        stride = max(1, math.ceil(len(recording.events) / MOST_EVENTS))
        events, marks = deque(recording.events[::stride]), deque(recording.marks)
        count = math.ceil(seconds / interval)
        for i in range(count + 1):
            now = min(i * interval, seconds)
            ended = _until(math.inf if i == count else now, events, lambda event: event.end)
            tick = clean_snapshot({**recording.at(now), "events": ended})
            for event in tick["events"]:
                event["start"] += began
                event["end"] += began
            for at, numbers in _until(now, marks, lambda mark: mark[0]):
                tick["marks"] += [(began + at, name, value) for name, value in numbers.items()]
            made.append(tick)
        return made


def _until(time: float, queue: deque[Any], of: Callable[[Any], float]) -> list[Any]:
    """Takes out of a queue what came up to a time."""
    found = []
    while queue and of(queue[0]) <= time:
        found.append(queue.popleft())
    return found

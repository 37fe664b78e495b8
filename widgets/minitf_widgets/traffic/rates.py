"""Rates from the exact counters of a cluster's traffic, and their history of half a minute.

The live view has its own meter (src/traffic/rates.ts), which starts when the page does; this one
serves `TrafficView.rates` and the static picture.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from typing import Any

_WINDOW = 1.0  # seconds over which a rate is averaged
_HISTORY = 30.0  # seconds behind a sparkline
_POINTS = 60  # of a sparkline


class RateMeter:
    """Rates over about a second and half a minute of history, from exact counters.

    A counter that falls belongs to a restarted task: its new value is what has come since.
    """

    def __init__(self) -> None:
        self._marks: deque[tuple[float, dict[str, tuple[int, int]]]] = deque()
        self._grown: dict[str, tuple[int, int]] = {}
        self._counters: dict[str, Mapping[str, int]] | None = None
        self._history: deque[tuple[int, dict[str, tuple[float, float]]]] = deque(maxlen=_POINTS)

    def push(self, tick: Mapping[str, Any]) -> bool:
        """Takes the next clean snapshot in; returns whether any counter has moved."""
        moved = self._counters is None and bool(tick["counters"])
        for key, count in tick["counters"].items():
            before = (self._counters or {}).get(key, {"messages": 0, "bytes": 0})
            fell = count["messages"] < before["messages"] or count["bytes"] < before["bytes"]
            if self._counters is None:
                step = (0, 0)
            elif fell:
                step = (count["messages"], count["bytes"])
            else:
                step = tuple(count[k] - before[k] for k in ("messages", "bytes"))
            moved = moved or any(step)
            grown = self._grown.get(key, (0, 0))
            self._grown[key] = (grown[0] + step[0], grown[1] + step[1])
        self._counters = dict(tick["counters"])
        self._marks.append((tick["time"], dict(self._grown)))
        while len(self._marks) > 2 and self._marks[1][0] <= tick["time"] - _WINDOW:
            self._marks.popleft()
        self._remember(tick["time"])
        return moved

    def rates(self) -> dict[str, dict[str, float]]:
        """Returns {"source|destination": {"messages": a second, "bytes": a second}}."""
        if not self._marks:
            return {}
        (t0, first), (t1, last) = self._marks[0], self._marks[-1]
        seconds = t1 - t0
        rates = {}
        for key, (messages, size) in last.items():
            m, s = first.get(key, (0, 0))
            per = 1 / seconds if seconds > 0 else 0.0
            rates[key] = {"messages": (messages - m) * per, "bytes": (size - s) * per}
        return rates

    def task_rates(self) -> dict[str, tuple[float, float]]:
        """Returns {task: (bytes a second in, out)}."""
        total: dict[str, tuple[float, float]] = {}
        for key, rate in self.rates().items():
            source, destination = key.split("|")
            came, went = total.get(source, (0.0, 0.0))
            total[source] = (came, went + rate["bytes"])
            came, went = total.get(destination, (0.0, 0.0))
            total[destination] = (came + rate["bytes"], went)
        return total

    def history(self, task: str) -> tuple[list[float], list[float]]:
        """Returns bytes a second in and out over the last half minute, oldest first."""
        came, went = [0.0] * _POINTS, [0.0] * _POINTS
        newest = self._history[-1][0] if self._history else 0
        for slot, rates in self._history:
            at = _POINTS - 1 - (newest - slot)
            if at >= 0 and task in rates:
                came[at], went[at] = rates[task]
        return came, went

    def _remember(self, now: float) -> None:
        slot = math.floor(now * _POINTS / _HISTORY)
        if self._history and self._history[-1][0] == slot:
            self._history.pop()
        self._history.append((slot, self.task_rates()))


def format_bytes(size: float) -> str:
    """Returns a size with three digits, in powers of 1000: 1536 -> "1.54 kB"."""
    unit = 0
    while size >= 999.5 and unit < 4:
        size /= 1000
        unit += 1
    digits = 0 if unit == 0 or size >= 99.95 else 1 if size >= 9.995 else 2
    return f"{size:.{digits}f} {('B', 'kB', 'MB', 'GB', 'TB')[unit]}"

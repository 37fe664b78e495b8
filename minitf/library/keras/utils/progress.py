"""`Progbar`: the line that shows how far an epoch is.

32/1000 [..............................] - ETA: 12s - loss: 2.3026 - acc: 0.0938
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np


class Progbar:
    """A bar, which is written over itself, with the means of some values.

    Args:
      target: how many steps there will be; None where that is not known.
      width: of the bar, in characters.
      verbose: 1: the bar; 2: one line when all is done; 0: nothing.
      interval: seconds between two updates of the screen.
      stateful_metrics: names of values that are shown as they are, not as means over the steps.
      unit_name: what a step is called, "step" or "sample".
    """

    def __init__(
        self,
        target: float | None,
        width: int = 30,
        verbose: int = 1,
        interval: float = 0.05,
        stateful_metrics: Collection[str] | None = None,
        unit_name: str = "step",
    ) -> None:
        self.target, self.width, self.verbose, self.interval = target, width, verbose, interval
        self.stateful_metrics = set(stateful_metrics or ())
        self.unit_name = unit_name
        in_notebook = "ipykernel" in sys.modules
        self._rewrites = sys.stdout.isatty() or in_notebook or os.name == "posix"
        self._values: dict[str, list[Any]] = {}  # the sum, and the number of steps in it
        self._seen = 0
        self._length = 0
        self._start = time.time()
        self._last_update = 0.0

    def update(
        self, current: int, values: Sequence[tuple[str, Any]] | None = None, force: bool = False
    ) -> None:
        """Says that `current` steps are done.

        Args:
          current: how many steps are done.
          values: pairs of a name and a value, which is the mean of the steps since the last call.
          force: shows it however soon after the last update, as in Keras before 2.1.
        """
        passed = current - self._seen
        for name, value in values or ():
            if name in self.stateful_metrics:
                self._values[name] = [value, 1]
            else:
                total = self._values.setdefault(name, [0.0, 0])
                total[0] += value * passed
                total[1] += passed
        self._seen = current
        now = time.time()
        done = self.target is not None and current >= self.target
        if self.verbose == 1:
            soon = now - self._last_update < self.interval and self.target is not None
            if soon and not (done or force):
                return
            self._write(self._bar(current), self._time(current, now, done), done)
        elif self.verbose == 2 and done:
            digits = len(str(int(self.target or 0)))
            count = f"{current:{digits}d}/{int(self.target or 0)}"
            sys.stdout.write(f"{count} - {now - self._start:.0f}s{self._shown()}\n")
            sys.stdout.flush()
        self._last_update = now

    def add(self, n: int, values: Sequence[tuple[str, Any]] | None = None) -> None:
        """Says that `n` more steps are done."""
        self.update(self._seen + n, values)

    def _bar(self, current: int) -> str:
        if self.target is None:
            return f"{current:7d}/Unknown"
        filled = int(self.width * current / self.target) if self.target else 0
        tip = ">" if current < self.target else "="
        arrow = "=" * (filled - 1) + tip if filled else ""
        whole = int(self.target)  # a number of steps may have a fraction
        digits = len(str(whole))
        return f"{current:{digits}d}/{whole} [{arrow}{'.' * (self.width - filled)}]"

    def _time(self, current: int, now: float, done: bool) -> str:
        each = (now - self._start) / current if current else 0.0
        if self.target is not None and not done:
            left = each * (self.target - current)
            minutes, seconds = divmod(int(left), 60)
            if left > 3600:
                return f" - ETA: {minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
            return f" - ETA: {minutes}:{seconds:02d}" if left > 60 else f" - ETA: {seconds}s"
        if each >= 1 or each == 0:
            rate = f"{each:.0f}s"
        else:
            rate = f"{each * 1e3:.0f}ms" if each >= 1e-3 else f"{each * 1e6:.0f}us"
        return f" - {now - self._start:.0f}s {rate}/{self.unit_name}"

    def _shown(self) -> str:
        parts = []
        for name, (total, count) in self._values.items():
            mean = float(np.mean(total / max(1, count)))
            parts.append(f" - {name}: {mean:.4f}" if abs(mean) > 1e-3 else f" - {name}: {mean:.4e}")
        return "".join(parts)

    def _write(self, bar: str, timing: str, done: bool) -> None:
        text = bar + timing + self._shown()
        start = "\b" * self._length + "\r" if self._rewrites else "\n"
        rest = " " * max(0, self._length - len(text))
        self._length = len(text)
        sys.stdout.write(start + text + rest + ("\n" if done else ""))
        sys.stdout.flush()

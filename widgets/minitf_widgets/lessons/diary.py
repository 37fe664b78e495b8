"""A diary of who worked when, for the picture of a pipeline (`draw_lanes`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

__all__ = ["Diary"]


class Diary:
    """Keeps when each stage of a pipeline began and ended with each element.

    Attributes:
      entries: (stage, number of the element, start, end), times in seconds.
    """

    def __init__(self) -> None:
        self.entries: list[tuple[str, int, float, float]] = []

    def worker(self, stage: str, milliseconds: float) -> Callable[[Any], Any]:
        """Returns a function that takes so long, hands its element on, and writes it down."""

        def work(element: Any) -> Any:
            start = time.perf_counter()
            time.sleep(milliseconds / 1000)
            self.entries.append((stage, int(element), start, time.perf_counter()))
            return element

        return work

    def close(self) -> list[tuple[str, int, float, float]]:
        """Returns the entries, and begins a new page."""
        entries, self.entries = self.entries, []
        return entries

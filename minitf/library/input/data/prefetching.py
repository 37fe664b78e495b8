"""Threads: when they are worth their price, and elements computed ahead by one.

    consumer   next() ── takes ──▶ [ buffer, at most `limit` elements ] ◀── fills ── a thread

Python runs one thread at a time, but NumPy's larger kernels, decompression, files and sleeping let
others run meanwhile; small Python functions gain nothing by threads. Where no thread can start, as
in a browser, elements are computed when they are asked for.

A thread never holds the cursor that it works for. So when the iterator is closed, or forgotten, or
its session ends, the buffer is closed, and the thread ends after the element it is at.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minitf.core.graph import errors
from minitf.core.kernels.threads import can_start
from minitf.core.ops.elementwise import invalid
from minitf.core.runtime.run.rendezvous import step_here
from minitf.core.runtime.run.step_stats import working
from minitf.library.input.data.cursors import (
    Context,
    Cursor,
    Element,
    Source,
    counting,
    dataset_op,
    int64,
)

if TYPE_CHECKING:
    from minitf.library.input.data.dataset import Dataset

AUTOTUNE = -1
_LARGEST = 256  # elements in a buffer that finds its size itself


def calls_of(asked: Any) -> int:
    """How many calls shall run at the same time; `AUTOTUNE` to find that out.

    Raises:
      InvalidArgumentError: when it is no such number.
    """
    if asked <= 0 and asked != AUTOTUNE:
        raise invalid("num_parallel_calls must be greater than zero.")
    return int(asked)


class Trial:
    """Times the first elements: threads are worth their price where one element takes long.

    Args:
      asked: how many calls were asked for; only with `AUTOTUNE` there is anything to find out.
      warming_up: how many elements do not count, as those for which files are opened.

    Attributes:
      worth: whether they are; None as long as nobody knows.
    """

    ELEMENTS = 8
    PRICE = 1e-4  # seconds; to hand an element from one thread to another takes a tenth of it

    def __init__(self, asked: int, warming_up: int = 0) -> None:
        self.worth = can_start() and (None if asked == AUTOTUNE else True)
        self._warming_up = warming_up
        self._seconds: list[float] = []

    def element(self, ask: Callable[[], Element]) -> Element:
        """An element, computed without threads."""
        if self.worth is False:
            return ask()
        start = time.perf_counter()
        element = ask()
        self._seconds.append(time.perf_counter() - start)
        timed = self._seconds[self._warming_up :]
        if len(timed) == self.ELEMENTS:
            self.worth = sorted(timed)[self.ELEMENTS // 2] > self.PRICE
        return element


# ---- prefetch ----------------------------------------------------------------------------


class Buffer:
    """What a thread fills and a cursor empties.

    Args:
      cursor: gives the elements.
      limit: how many are kept; `AUTOTUNE` for a limit that doubles whenever the consumer finds the
        buffer empty that had been full before.
      report: what is told how full it is whenever an element is taken, or None.
    """

    def __init__(self, cursor: Cursor, limit: int, report: Any = None) -> None:
        self.cursor = cursor
        self.report = report
        self.finds_limit = limit == AUTOTUNE
        self.limit = 1 if self.finds_limit else limit
        self.changed = threading.Condition()
        self.filling = threading.Lock()  # held from before an element is computed until it is kept
        self.elements: deque[Element] = deque()
        self.error: Exception | None = None  # what ended the thread; raised once, in its turn
        self.closed = False
        self.was_full = False
        self.thread: threading.Thread | None = None

    def fill(self) -> None:
        """The thread's work; what it works on is closed behind it when nobody wants more."""
        while self._wait_for_room():
            with self.filling:
                try:
                    with working("PrefetchDataset"):
                        element, error = self.cursor.next(), None
                except Exception as raised:
                    element, error = (), raised
                with self.changed:
                    if error is None:
                        self.elements.append(element)
                    else:
                        self.error = error
                    self.changed.notify_all()
                    goes_on = not self.closed
            if error is not None and goes_on:
                return  # whoever takes the error may ask again
        self.cursor.close()

    def _wait_for_room(self) -> bool:
        with self.changed:
            while len(self.elements) >= self.limit and not self.closed:
                self.was_full = True
                self.changed.wait()
            return not self.closed

    def take(self) -> Element:
        """The next element, once it is there."""
        with self.changed:
            if self.report is not None:
                self.report.set("Prefetch::buffer_size", len(self.elements))
                self.report.set("Prefetch::buffer_capacity", self.limit)
                full = len(self.elements) / self.limit
                self.report.add("Prefetch::buffer_utilization", full)
            if not self.elements and self.finds_limit and self.was_full:
                self.limit, self.was_full = min(2 * self.limit, _LARGEST), False
            while not self.elements:
                if self.closed:
                    raise errors.CancelledError(None, None, "Iterator was closed.")
                if self.error is not None:
                    self.thread, error, self.error = None, self.error, None
                    raise error
                self.start()
                step_here().wait_on(self.changed, "The wait for an element was cancelled")
            element = self.elements.popleft()
            self.changed.notify_all()
            return element

    def start(self) -> None:
        """Lets the thread work."""
        if self.thread is None:
            self.thread = threading.Thread(target=self.fill, name="minitf-prefetch", daemon=True)
            self.thread.start()

    def close(self) -> None:
        """Lets the thread end, as soon as it may; nobody waits for it."""
        with self.changed:
            self.closed = True
            self.changed.notify_all()
            if self.thread is None or self.error is not None or not self.thread.is_alive():
                self.cursor.close()


@dataset_op(
    "PrefetchDataset",
    "input_dataset: variant, buffer_size: int64",
    shown=(lambda: Prefetch.op(counting(), np.int64(2)), range(5)),
)
class Prefetch(Cursor):
    """The elements of a dataset, computed ahead."""

    def __init__(self, context: Context, source: Source, size: int, reports: bool = True) -> None:
        cursor, report = source.iterate(context), context.report if reports else None
        self.buffer = Buffer(cursor, size, report)
        weakref.finalize(self, self.buffer.close)

    @classmethod
    def source(cls, source: Source, size: int) -> Source:
        if size < AUTOTUNE:
            raise invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")
        return Source(cls, source, size) if size and can_start() else source

    @staticmethod
    def length(source: Source, size: int) -> float:
        return source.length()

    def next(self) -> Element:
        return self.buffer.take()

    def close(self) -> None:
        self.buffer.close()


def prefetch(self: Dataset, buffer_size: Any) -> Dataset:
    """Computes elements ahead, in a thread.

    Args:
      buffer_size: how many; `AUTOTUNE` (-1, or None) for as many as it takes.
    """
    size = AUTOTUNE if buffer_size is None else buffer_size
    return self._then(Prefetch.op, int64(size, "buffer_size"))

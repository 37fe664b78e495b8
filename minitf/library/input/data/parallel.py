"""Threads: prefetch, parallel map and parallel interleave.

    consumer   next() ── takes ──▶ [ buffer, at most `limit` elements ] ◀── fills ── a thread
               next() ── waits for the oldest ──▶ [ running calls ] ──▶ a pool of threads

Python runs one thread at a time, but NumPy's larger kernels, decompression, files and sleeping let
others run meanwhile; small Python functions gain nothing by threads.

A thread never holds the cursor that it works for. So when the iterator is closed, or forgotten, or
its session ends, the buffer is closed, and the thread ends after the element it is at.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from minitf.core.graph import errors
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.ops.elementwise import invalid
from minitf.core.runtime.run.rendezvous import step_here
from minitf.core.runtime.run.step_stats import working
from minitf.library.input.data.each import Map
from minitf.library.input.data.iterator_ops import (
    counting,
    dataset_op,
    numbers,
    of_numbers,
    some_numbers,
)
from minitf.library.input.data.nested import Inner, Interleave, check_cycle
from minitf.library.input.data.order import Batch, batch_size_of
from minitf.library.input.data.runtime import (
    Context,
    Cursor,
    Element,
    EndOfSequence,
    Function,
    Source,
)

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
        self.worth = None if asked == AUTOTUNE else True
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


class Prefetch(Cursor):
    """The elements of a dataset, computed ahead in a thread."""

    def __init__(self, cursor: Cursor, size: int, report: Any = None) -> None:
        self._input = cursor
        self._buffer = Buffer(cursor, size, report)
        weakref.finalize(self, self._buffer.close)

    @property
    def buffer(self) -> Buffer:
        """What the thread has computed."""
        return self._buffer

    def next(self) -> Element:
        return self._buffer.take()

    def close(self) -> None:
        self._buffer.close()


@dataset_op(
    "PrefetchDataset",
    "input_dataset: variant, buffer_size: int64",
    elements=(lambda: prefetch_dataset_op(some_numbers(), np.int64(2)), numbers(0, 1, 2, 3, 4)),
)
def prefetch_dataset_op(xp: Any, input_dataset: Any, buffer_size: Any, **attrs: Any) -> Source:
    """The elements of a dataset, computed ahead."""
    if buffer_size < AUTOTUNE:
        raise invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")
    if buffer_size == 0:
        return input_dataset
    return Source(prefetched, input_dataset, int(buffer_size))


def prefetched(context: Context, source: Source, size: int) -> Prefetch:
    """A cursor whose elements are computed ahead."""
    return Prefetch(source.iterate(context), size, context.report)


# ---- parallel map ------------------------------------------------------------------------


class ParallelMap(Map):
    """A function of each element, of several at the same time; the order is kept.

    A function that takes a whole batch at once needs no threads for that.

    Args:
      parallel: how many; with `AUTOTUNE` none where elements take no time, else one more whenever
        the consumer has to wait, up to two a processor.
      is_ordered: False gives out first what is ready first.
    """

    def __init__(
        self,
        context: Context,
        source: Source,
        function: Function,
        parallel: int,
        is_ordered: bool = True,
    ) -> None:
        super().__init__(context, source, function)
        self._trial, self._finds_parallel = Trial(parallel), parallel == AUTOTUNE
        self._parallel = 2 if self._finds_parallel else parallel
        self._is_ordered = is_ordered and context.keeps_order is not False
        self._most = 2 * (os.cpu_count() or 1) if self._finds_parallel else parallel
        self._threads = min(self._most, context.threads or self._most)
        self._running: deque[tuple[Element, Future]] = deque()
        self._has_more = True
        self._pool: ThreadPoolExecutor | None = None
        self._report = context.report

    def _is_behind(self) -> bool:
        return bool(self._running or super()._is_behind())

    def _submit(self, element: Element) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, "minitf-map")
            weakref.finalize(self, self._pool.shutdown, wait=False, cancel_futures=True)
        self._running.append((element, self._pool.submit(self._work, element)))

    def _work(self, element: Element) -> Any:
        with working("ParallelMapDataset"):
            return self._call(element)

    def next(self) -> Element:
        if not self._trial.worth:
            return self._trial.element(super().next)
        while (self._has_more or self._waiting) and len(self._running) < self._parallel:
            try:
                self._submit(self._argument())
            except EndOfSequence:
                self._has_more = False
        if not self._running:
            raise EndOfSequence
        if self._report is not None:
            busy = sum(not future.done() for _, future in self._running) / self._parallel
            self._report.set("ParallelMap::thread_utilization", busy)
            self._report.set("ParallelMap::parallelism", self._parallel)
        asked = [future for _, future in self._running][: 1 if self._is_ordered else None]
        if self._finds_parallel and not any(future.done() for future in asked):
            self._parallel = min(self._parallel + 1, self._most)
        while not any(future.done() for future in asked):
            step_here().check()
            wait(asked, 0.5, return_when=FIRST_COMPLETED)
        done, future = next((i, each) for i, each in enumerate(asked) if each.done())
        try:
            result = future.result()
        except EndOfSequence:
            self._has_more = False
            self._running.clear()
            raise
        except Exception:
            del self._running[done]
            raise
        del self._running[done]
        return result

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        super().close()


class CountedMap(ParallelMap):
    """A map that promises as many elements as it is given; see `cardinality`."""


def _doubling() -> FuncGraph:
    return of_numbers(lambda x: [x + x])


@dataset_op(
    "ParallelMapDataset",
    "input_dataset: variant, other_arguments: N*?, num_parallel_calls: int32",
    elements=(
        lambda: parallel_map_dataset_op(some_numbers(), [], np.int32(2), f=_doubling()),
        numbers(0, 2, 4, 6, 8),
    ),
)
def parallel_map_dataset_op(
    xp: Any,
    input_dataset: Any,
    other_arguments: Any,
    num_parallel_calls: Any,
    *,
    f: FuncGraph,
    sloppy: bool = False,
    preserve_cardinality: bool = False,
    **attrs: Any,
) -> Source:
    """A function of each element, of several at the same time."""
    parallel = calls_of(num_parallel_calls)
    return Source(ParallelMap, input_dataset, Function(f, other_arguments), parallel, not sloppy)


@dataset_op(
    "ExperimentalMapAndBatchDataset",
    "input_dataset: variant, other_arguments: N*?, batch_size: int64, num_parallel_calls: int64, "
    "drop_remainder: bool",
    elements=(
        lambda: map_and_batch_dataset_op(
            some_numbers(), [], *numbers(2, 2), np.bool_(False), f=_doubling()
        ),
        [np.array([0, 2]), np.array([4, 6]), np.array([8])],
    ),
)
def map_and_batch_dataset_op(
    xp: Any,
    input_dataset: Any,
    other_arguments: Any,
    batch_size: Any,
    num_parallel_calls: Any,
    drop_remainder: Any,
    *,
    f: FuncGraph,
    preserve_cardinality: bool = False,
    **attrs: Any,
) -> Source:
    """Batches of a function of each element."""
    parallel = calls_of(num_parallel_calls)
    mapped = Source(CountedMap, input_dataset, Function(f, other_arguments), parallel)
    return Source(Batch, mapped, batch_size_of(batch_size), bool(drop_remainder))


# ---- parallel interleave -----------------------------------------------------------------


class ParallelInterleave(Interleave):
    """As `Interleave`, each of the datasets computed ahead by a thread of its own.

    Args:
      parallel: how many were asked for; with `AUTOTUNE` there are no threads where elements take
        no time.
      is_ordered: False takes what is ready, whosever turn it is.
      ahead: how many turns each is ahead.
    """

    def __init__(
        self,
        context: Context,
        source: Source,
        function: Function,
        cycle: int,
        block: int,
        parallel: int,
        is_ordered: bool = True,
        ahead: int = 1,
    ) -> None:
        super().__init__(context, source, function, cycle, block)
        self._trial = Trial(parallel, warming_up=cycle)
        self._ahead = ahead * block
        self._is_ordered = is_ordered and context.keeps_order is not False
        self._failed: dict[int, Exception] = {}  # by place, until it has its turn

    def next(self) -> Element:
        if self._trial.worth:
            if not self._is_ordered:
                self._turn_to_ready()
            return super().next()
        element = self._trial.element(super().next)
        if self._trial.worth:
            for inner in filter(None, self._open):
                self._let_work(inner)
        return element

    def _turn_to_ready(self) -> None:
        place, cycle = self._place, len(self._open)
        for turn in range(cycle):
            inner = self._open[(place + turn) % cycle]
            if inner is not None and inner.cursor.buffer.elements:
                self._place = (place + turn) % cycle
                return

    def opened(self, element: Element) -> Inner:
        inner = super().opened(element)
        if self._trial.worth:
            self._let_work(inner)
        return inner

    def _let_work(self, inner: Inner) -> None:
        """Gives a dataset its thread."""
        inner.cursor = Prefetch(inner.cursor, self._ahead)
        inner.cursor.buffer.start()

    def _goes_on(self) -> bool:
        return bool(self._failed) or super()._goes_on()

    def _open_next(self) -> Inner | None:
        """Opens what is not open, in the order of the turns, so that all threads work.

        An error of the input is kept for the turn of the place that was to be opened.
        """
        place, cycle = self._place, len(self._open)
        if place in self._failed:
            self._move_on()
            raise self._failed.pop(place)
        found = super()._open_next()
        for turn in range(1, cycle if self._trial.worth else 1):
            ahead = (place + turn) % cycle
            if self._open[ahead] is not None or ahead in self._failed:
                continue
            self._place = ahead
            try:
                super()._open_next()
            except Exception as error:
                self._failed[ahead] = error
        self._place = place
        return found


@dataset_op(
    "ParallelInterleaveDatasetV2",
    "input_dataset: variant, other_arguments: N*?, cycle_length: int64, block_length: int64, "
    "num_parallel_calls: int64",
    elements=(
        lambda: parallel_interleave_dataset_op(
            some_numbers(), [], *numbers(2, 1, 2), f=of_numbers(counting)
        ),
        numbers(0, 0, 1, 0, 1, 0, 2),
    ),
)
def parallel_interleave_dataset_op(
    xp: Any,
    input_dataset: Any,
    other_arguments: Any,
    cycle_length: Any,
    block_length: Any,
    num_parallel_calls: Any,
    *,
    f: FuncGraph,
    sloppy: bool = False,
    **attrs: Any,
) -> Source:
    """The elements of several datasets in turns, computed at the same time."""
    turns = check_cycle(cycle_length, block_length)
    parts = *turns, calls_of(num_parallel_calls), not sloppy
    return Source(ParallelInterleave, input_dataset, Function(f, other_arguments), *parts)


# ---- options -----------------------------------------------------------------------------


@dataset_op(
    "OptionsDataset",
    "input_dataset: variant",
    elements=(
        lambda: options_dataset_op(some_numbers(), keeps_order=False),
        numbers(0, 1, 2, 3, 4),
    ),
)
def options_dataset_op(
    xp: Any, input_dataset: Any, *, keeps_order: bool = True, threads: int = 0, **attrs: Any
) -> Source:
    """The same dataset; parallel transformations in it may give out what is ready first, or are
    told how many threads they may have.
    """
    return Source(with_options, input_dataset, keeps_order, threads)


def with_options(context: Context, source: Source, keeps_order: bool, threads: int) -> Cursor:
    """The cursor of a dataset, run otherwise."""
    if context.keeps_order is None:  # the options given last say it
        context.keeps_order, context.threads = keeps_order, threads
    return source.iterate(context)

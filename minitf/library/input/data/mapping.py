"""A function of each element: map and filter; flat_map and interleave, where it gives a dataset.

    ParallelMap   next() ── waits for the oldest ──▶ [ running calls ] ──▶ a pool of threads

`flat_map` gives the elements of one dataset after the other, `interleave` some of each in turn;
with `num_parallel_calls` each dataset has a thread of its own.
"""

from __future__ import annotations

import os
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.ops.elementwise import invalid
from minitf.core.runtime.run.rendezvous import step_here
from minitf.core.runtime.run.step_stats import working
from minitf.library.eager.type_specs import TensorSpec
from minitf.library.input.data import structure
from minitf.library.input.data.batches import Batch, known_size, truth
from minitf.library.input.data.cursors import (
    Context,
    Cursor,
    Element,
    EndOfSequence,
    Source,
    counting,
    dataset_op,
    int64,
    of_numbers,
)
from minitf.library.input.data.functions import Function, TracedFunction
from minitf.library.input.data.prefetching import AUTOTUNE, Prefetch, Trial, calls_of

if TYPE_CHECKING:
    from minitf.library.input.data.dataset import Dataset


def _doubling() -> Any:
    return of_numbers(lambda x: [x + x])


# ---- map ---------------------------------------------------------------------------------


@dataset_op(
    "MapDataset",
    "input_dataset: variant, other_arguments: N*?",
    function="f",
    accepted=["preserve_cardinality"],
    shown=(lambda: Map.op(counting(), [], f=_doubling()), [0, 2, 4, 6, 8]),
)
class Map(Cursor):
    """A function of each element.

    It runs for a whole batch at once where it can. When that fails, the elements of the batch wait,
    and the function gets one after the other: so it is always one element that an error comes from.
    """

    def __init__(self, context: Context, source: Source, function: Function) -> None:
        super().__init__(context, source)
        self._call = function.bind(context, may_end=True)
        self._bind_many = partial(function.bind_many, context)
        self._waiting: list[Element] = []

    def next(self) -> Element:
        return self._call(self._argument())

    def _argument(self) -> Element:
        return self._waiting.pop(0) if self._waiting else self._input.next()

    def _is_behind(self) -> bool:
        """Whether elements were taken from the input that must be given out first."""
        return bool(self._waiting)

    def rows(self, most: int) -> Element:
        call_with_many = None if self._is_behind() else self._bind_many()
        if call_with_many is None:
            return super().rows(most)
        rows = self._input.rows(most)
        try:
            return call_with_many(rows)
        except Exception:
            self._waiting = [tuple(element) for element in zip(*rows, strict=True)]
            return super().rows(most)


@dataset_op(
    "ParallelMapDataset",
    "input_dataset: variant, other_arguments: N*?, num_parallel_calls: int32",
    function="f",
    accepted=["preserve_cardinality", "sloppy"],
    shown=(lambda: ParallelMap.op(counting(), [], np.int32(2), f=_doubling()), [0, 2, 4, 6, 8]),
)
class ParallelMap(Map):
    """A function of each element, of several at the same time.

    A function that takes a whole batch at once needs no threads for that.

    Args:
      parallel: how many; with `AUTOTUNE` none where elements take no time, else one more whenever
        the consumer has to wait, up to two a processor.
    """

    def __init__(self, context: Context, source: Source, function: Function, parallel: int) -> None:
        super().__init__(context, source, function)
        self._trial, self._finds_parallel = Trial(parallel), parallel == AUTOTUNE
        self._parallel = 2 if self._finds_parallel else parallel
        self._is_ordered = context.keeps_order is not False  # else what is ready comes first
        self._most = 2 * (os.cpu_count() or 1) if self._finds_parallel else parallel
        self._threads = min(self._most, context.threads or self._most)
        self._running: deque[tuple[Element, Future]] = deque()
        self._has_more = True
        self._pool: ThreadPoolExecutor | None = None
        self._report = context.report

    @classmethod
    def source(cls, source: Source, function: Function, calls: int) -> Source:
        return Source(cls, source, function, calls_of(calls))

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


def map_elements(
    self: Dataset, map_func: Callable[..., Any], num_parallel_calls: Any = None
) -> Dataset:
    """A function of each element.

    Args:
      map_func: from the components of an element to an element. It is traced to a graph, once.
      num_parallel_calls: how many elements are computed at the same time, in threads;
        `AUTOTUNE` for one a processor.
    Example:
      >>> dataset = tf.data.Dataset.range(3).map(lambda x: x * x)
      >>> next_element = dataset.batch(3).make_one_shot_iterator().get_next()
      >>> sess.run(next_element)
      array([0, 1, 4])
    """
    function, calls = self._trace(map_func, "map"), []
    if num_parallel_calls is not None:
        calls = [convert_to_tensor(num_parallel_calls, dtypes.int32)]
    made, spec = ParallelMap.op if calls else Map.op, function.result_spec
    with stacks.control_dependencies(function.waits_for):
        return self._then(made, function.captured, *calls, spec=spec, f=function.graph)


class CountedMap(ParallelMap):
    """A map that promises as many elements as it is given."""

    @staticmethod
    def length(source: Source, *rest: Any) -> float:
        return source.length()


@dataset_op(
    "ExperimentalMapAndBatchDataset",
    "input_dataset: variant, other_arguments: N*?, batch_size: int64, num_parallel_calls: int64, "
    "drop_remainder: bool",
    function="f",
    accepted=["preserve_cardinality"],
    shown=(
        lambda: map_and_batch_op(
            counting(), [], np.int64(2), np.int64(2), np.bool_(False), f=_doubling()
        ),
        [np.array([0, 2]), np.array([4, 6]), np.array([8])],
    ),
)
def map_and_batch_op(
    source: Source, function: Function, size: int, calls: int, drop: bool
) -> Source:
    """Batches of a function of each element."""
    return Batch.source(Source(CountedMap, source, function, calls_of(calls)), size, drop)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: int | None = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Callable[[Dataset], Dataset]:
    """Maps elements in parallel, and batches them.

    Args:
      map_func: from the components of an element to an element.
      batch_size: how many elements a batch has.
      num_parallel_batches: how many batches are computed at the same time.
      drop_remainder: whether to leave out a last batch that is smaller.
      num_parallel_calls: how many elements are computed at the same time.
    Raises:
      ValueError: when both numbers are given.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to "
            "be set."
        )

    def transform(dataset: Dataset) -> Dataset:
        function = dataset._trace(map_func, "map_and_batch")
        size, drop = int64(batch_size, "batch_size"), truth(drop_remainder)
        calls = num_parallel_calls
        if calls is None:
            calls = int(constant_value(size) or 1) * (num_parallel_batches or 1)
        spec = structure.batched(function.result_spec, known_size(size, drop))
        inputs = [function.captured, size, int64(calls, "num_parallel_calls"), drop]
        return dataset._then(map_and_batch_op, *inputs, spec=spec, f=function.graph)

    return transform


# ---- filter ------------------------------------------------------------------------------


@dataset_op(
    "FilterDataset",
    "input_dataset: variant, other_arguments: N*?",
    function="predicate",
    shown=(
        lambda: Filter.op(counting(), [], predicate=of_numbers(lambda x: [x > 2])),
        [3, 4],
    ),
)
class Filter(Cursor):
    """The elements of which a function says True."""

    def __init__(self, context: Context, source: Source, predicate: Function) -> None:
        super().__init__(context, source)
        self._accepts = predicate.bind(context, may_end=True)

    def next(self) -> Element:
        while True:
            element = self._input.next()
            if self._accepts(element)[0]:
                return element


def filter_elements(self: Dataset, predicate: Callable[..., Any]) -> Dataset:
    """The elements of which a function says True.

    Args:
      predicate: from the components of an element to a scalar bool.
    Raises:
      ValueError: when it returns something else.
    """
    function = self._trace(predicate, "filter")
    spec = function.result_spec
    if not isinstance(spec, TensorSpec) or not spec.is_compatible_with(TensorSpec([], dtypes.bool)):
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its "
            f"return type is {spec}."
        )
    with stacks.control_dependencies(function.waits_for):
        return self._then(Filter.op, function.captured, predicate=function.graph)


# ---- flat_map, interleave ----------------------------------------------------------------


def _datasets() -> Any:
    return of_numbers(lambda x: [counting(x)])


class Inner(Cursor):
    """The dataset that a function makes of one element."""

    def __init__(
        self, context: Context, call: Callable[[Element], Element], element: Element
    ) -> None:
        self.cursor = call(element)[0].iterate(context)
        self._ready: list[Element] = []  # read ahead, the next one last

    def next(self) -> Element:
        if not self._ready:
            self._ready = self.cursor.ahead()[::-1]
            if not self._ready:
                raise EndOfSequence
        return self._ready.pop()


@dataset_op(
    "InterleaveDataset",
    "input_dataset: variant, other_arguments: N*?, cycle_length: int64, block_length: int64",
    function="f",
    shown=(lambda: Interleave.op(counting(), [], 2, 1, f=_datasets()), [0, 0, 1, 0, 1, 0, 2]),
)
class Interleave(Cursor):
    """The elements of the datasets that a function makes of the elements, in turns.

    Args:
      cycle: how many datasets take turns.
      block: how many elements each gives at its turn.
    """

    def __init__(
        self, context: Context, source: Source, function: Function, cycle: int, block: int
    ) -> None:
        super().__init__(context, source)
        self._context, self._call = context, function.bind(context, may_end=True)
        self._block = block
        self._open: list[Any] = [None] * cycle  # an Inner, or None
        self._place, self._given = 0, 0
        self._has_more = True

    @classmethod
    def source(
        cls, source: Source, function: Function, cycle: int, block: int, *rest: Any
    ) -> Source:
        if cycle <= 0:
            raise invalid("cycle_length must be greater than zero.")
        if block <= 0:
            raise invalid("block_length must be greater than zero.")
        return Source(cls, source, function, cycle, block, *rest)

    def next(self) -> Element:
        while self._goes_on():
            inner = self._open[self._place] or self._open_next()
            if inner is None:
                self._move_on()
                continue
            try:
                element = inner.next()
            except EndOfSequence:
                inner.close()
                self._open[self._place] = None
                self._move_on()
                continue
            self._given += 1
            if self._given == self._block:
                self._move_on()
            return element
        raise EndOfSequence

    def _goes_on(self) -> bool:
        return self._has_more or any(inner is not None for inner in self._open)

    def _open_next(self) -> Inner | None:
        if not self._has_more:
            return None
        try:
            inner = self.opened(self._input.next())
        except EndOfSequence:
            self._has_more = False
            return None
        self._open[self._place] = inner
        return inner

    def opened(self, element: Element) -> Inner:
        """The dataset of one element."""
        return Inner(self._context, self._call, element)

    def _move_on(self) -> None:
        self._place, self._given = (self._place + 1) % len(self._open), 0


@dataset_op(
    "FlatMapDataset",
    "input_dataset: variant, other_arguments: N*?",
    function="f",
    shown=(lambda: flat_map_op(counting(), [], f=_datasets()), [0, 0, 1, 0, 1, 2]),
)
def flat_map_op(source: Source, function: Function) -> Source:
    """All elements of the datasets that a function makes of the elements."""
    return Source(Interleave, source, function, 1, 1)


@dataset_op(
    "ParallelInterleaveDatasetV2",
    "input_dataset: variant, other_arguments: N*?, cycle_length: int64, block_length: int64, "
    "num_parallel_calls: int64",
    function="f",
    accepted=["sloppy"],
    shown=(
        lambda: ParallelInterleave.op(counting(), [], 2, 1, 2, f=_datasets()),
        [0, 0, 1, 0, 1, 0, 2],
    ),
)
class ParallelInterleave(Interleave):
    """The elements of several datasets in turns, each computed ahead by a thread of its own.

    Args:
      parallel: how many were asked for; with `AUTOTUNE` there are no threads where elements take
        no time.
    """

    def __init__(
        self,
        context: Context,
        source: Source,
        function: Function,
        cycle: int,
        block: int,
        parallel: int,
    ) -> None:
        super().__init__(context, source, function, cycle, block)
        self._trial = Trial(parallel, warming_up=cycle)
        self._is_ordered = context.keeps_order is not False  # else what is ready comes first
        self._failed: dict[int, Exception] = {}  # by place, until it has its turn

    @classmethod
    def source(  # type: ignore[override]
        cls,
        source: Source,
        function: Function,
        cycle: int,
        block: int,
        calls: int,
    ) -> Source:
        return super().source(source, function, cycle, block, calls_of(calls))

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
        inner.cursor = Prefetch(self._context, inner.cursor, self._block, reports=False)
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


def _to_datasets(self: Dataset, map_func: Callable[..., Any], method: str) -> TracedFunction:
    """A function of an element that gives a dataset."""
    function = self._trace(map_func, method)
    if not isinstance(function.result_spec, structure.DatasetSpec):
        raise TypeError(f"`map_func` must return a `Dataset` object. Got {function.result_spec}")
    return function


def _joined(self: Dataset, made: Any, function: TracedFunction, *numbers: Any) -> Dataset:
    names = ("cycle", "block_length", "num_parallel_calls")
    inputs = [int64(number, name) for number, name in zip(numbers, names)]
    spec = function.result_spec.element_spec
    return self._then(made, function.captured, *inputs, spec=spec, f=function.graph)


def flat_map(self: Dataset, map_func: Callable[..., Any]) -> Dataset:
    """The elements of all the datasets that a function makes of the elements.

    Args:
      map_func: from the components of an element to a dataset.
    """
    return _joined(self, flat_map_op, _to_datasets(self, map_func, "flat_map"))


def interleave(
    self: Dataset,
    map_func: Callable[..., Any],
    cycle_length: Any = AUTOTUNE,
    block_length: Any = 1,
    num_parallel_calls: Any = None,
) -> Dataset:
    """As `flat_map`, taking turns among several of the datasets.

    Args:
      map_func: from the components of an element to a dataset.
      cycle_length: how many take turns; two for `AUTOTUNE`.
      block_length: how many elements each gives at its turn.
      num_parallel_calls: whether they are computed at the same time, each in a thread.
    """
    function = _to_datasets(self, map_func, "interleave")
    automatic = cycle_length is None or (isinstance(cycle_length, int) and cycle_length == AUTOTUNE)
    turns = 2 if automatic else cycle_length, block_length
    if num_parallel_calls is None:
        return _joined(self, Interleave.op, function, *turns)
    return _joined(self, ParallelInterleave.op, function, *turns, num_parallel_calls)


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: Any = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Callable[[Dataset], Dataset]:
    """Interleaves datasets, each computed ahead by a thread of its own.

    Args:
      map_func: from the components of an element to a dataset.
      cycle_length: how many take turns.
      block_length: how many elements each gives at its turn.
      sloppy, buffer_output_elements, prefetch_input_elements: accepted; the order is kept.
    """
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, AUTOTUNE)

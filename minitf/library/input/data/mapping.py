"""A function of each element, one after the other or several at the same time: map and filter.

ParallelMap    next() ── waits for the oldest ──▶ [ running calls ] ──▶ a pool of threads
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
from minitf.library.input.data.functions import Function
from minitf.library.input.data.prefetching import AUTOTUNE, Trial, calls_of

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

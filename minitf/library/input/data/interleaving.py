"""Datasets that a function makes of the elements, one after the other or in turns.

A function of an element gives a dataset, an `Inner`. `flat_map` gives the elements of all of them,
`interleave` some elements of each in turn; with `num_parallel_calls` each has a thread of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minitf.core.ops.elementwise import invalid
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
from minitf.library.input.data.structure import DatasetSpec

if TYPE_CHECKING:
    from minitf.library.input.data.dataset import Dataset


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


# ---- the methods -------------------------------------------------------------------------


def _to_datasets(self: Dataset, map_func: Callable[..., Any], method: str) -> TracedFunction:
    """A function of an element that gives a dataset."""
    function = self._trace(map_func, method)
    if not isinstance(function.result_spec, DatasetSpec):
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

"""Datasets made of datasets: zip, flat_map, interleave, groups, and choices between several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph.func_graph import FuncGraph
from minitf.core.ops.elementwise import invalid
from minitf.library.input.data.each import FUNCTION, out_of_range_is_the_end
from minitf.library.input.data.iterator_ops import (
    counting,
    dataset_op,
    numbers,
    of_numbers,
    some_numbers,
)
from minitf.library.input.data.order import Elements
from minitf.library.input.data.runtime import (
    Context,
    Cursor,
    Element,
    EndOfSequence,
    Function,
    Source,
)


class Zip(Cursor):
    """The elements of several datasets side by side, until the shortest ends."""

    def __init__(self, context: Context, *sources: Source) -> None:
        self._inputs = [source.iterate(context) for source in sources]

    def next(self) -> Element:
        return tuple([part for cursor in self._inputs for part in cursor.next()])

    def rows(self, most: int) -> Element:
        parts = [part for cursor in self._inputs for part in cursor.rows(most)]
        count = min(map(len, parts))
        return tuple([part[:count] for part in parts])


@dataset_op(
    "ZipDataset",
    "input_datasets: N*variant",
    elements=(lambda: zip_dataset_op([some_numbers()]), numbers(0, 1)),
)
def zip_dataset_op(xp: Any, input_datasets: Any, **attrs: Any) -> Source:
    """The elements of several datasets side by side."""
    return Source(Zip, *input_datasets)


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


class FlatMap(Cursor):
    """All elements of the datasets that a function makes of the elements, one after the other."""

    def __init__(self, context: Context, source: Source, function: Function) -> None:
        self._context = context
        self._input = source.iterate(context)
        self._call = out_of_range_is_the_end(function.bind(context))
        self._inner: Inner | None = None

    def next(self) -> Element:
        while True:
            if self._inner is None:
                self._inner = Inner(self._context, self._call, self._input.next())
            try:
                return self._inner.next()
            except EndOfSequence:
                self._inner.close()
                self._inner = None


@dataset_op(
    "FlatMapDataset",
    "input_dataset: variant, other_arguments: N*?",
    elements=(
        lambda: flat_map_dataset_op(some_numbers(), [], f=of_numbers(counting)),
        numbers(0, 0, 1, 0, 1, 2),
    ),
)
def flat_map_dataset_op(
    xp: Any, input_dataset: Any, other_arguments: Any, *, f: FuncGraph, **attrs: Any
) -> Source:
    """All elements of the datasets that a function makes of the elements."""
    return Source(FlatMap, input_dataset, Function(f, other_arguments))


class Interleave(Cursor):
    """As `FlatMap`, taking turns: some elements of each of several datasets.

    Args:
      cycle: how many datasets take turns.
      block: how many elements each gives at its turn.
    """

    def __init__(
        self, context: Context, source: Source, function: Function, cycle: int, block: int
    ) -> None:
        self._context = context
        self._input: Cursor = source.iterate(context)
        self._call = out_of_range_is_the_end(function.bind(context))
        self._block = block
        self._open: list[Any] = [None] * cycle  # an Inner, or None
        self._place, self._given = 0, 0
        self._has_more = True

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


def check_cycle(cycle: Any, block: Any) -> tuple[int, int]:
    """The sizes of an interleaving.

    Raises:
      InvalidArgumentError: when they are not positive.
    """
    if cycle <= 0:
        raise invalid("cycle_length must be greater than zero.")
    if block <= 0:
        raise invalid("block_length must be greater than zero.")
    return int(cycle), int(block)


@dataset_op(
    "InterleaveDataset",
    "input_dataset: variant, other_arguments: N*?, cycle_length: int64, block_length: int64",
    elements=(
        lambda: interleave_dataset_op(some_numbers(), [], *numbers(2, 1), f=of_numbers(counting)),
        numbers(0, 0, 1, 0, 1, 0, 2),
    ),
)
def interleave_dataset_op(
    xp: Any,
    input_dataset: Any,
    other_arguments: Any,
    cycle_length: Any,
    block_length: Any,
    *,
    f: FuncGraph,
    **attrs: Any,
) -> Source:
    """The elements of the datasets that a function makes of the elements, in turns."""
    turns = check_cycle(cycle_length, block_length)
    return Source(Interleave, input_dataset, Function(f, other_arguments), *turns)


# ---- groups ------------------------------------------------------------------------------


class GroupByWindow(Cursor):
    """Elements of one key are collected; what a function makes of each window comes out."""

    def __init__(
        self, context: Context, source: Source, key: Function, reduce: Function, size: Function
    ) -> None:
        self._context = context
        self._input = source.iterate(context)
        self._key, self._reduce = key.bind(context), reduce.bind(context)
        self._window_size = size.bind(context)
        self._groups: dict[int, tuple[int, list[Element]]] = {}
        self._has_more = True
        self._window: tuple[int, list[Element]] | None = None
        self._now: Cursor | None = None

    def next(self) -> Element:
        while True:
            if self._now is None:
                self._begin(*self._next_window())
                assert self._now is not None
            try:
                return self._now.next()
            except EndOfSequence:
                self._now.close()
                self._now = self._window = None

    def _begin(self, key: int, elements: list[Element]) -> None:
        self._window = key, elements
        window = Source(Elements, elements)
        self._now = self._reduce((np.int64(key), window))[0].iterate(self._context)

    def _next_window(self) -> tuple[int, list[Element]]:
        while self._has_more:
            try:
                element = self._input.next()
            except EndOfSequence:
                self._has_more = False
                break
            key = int(self._key(element)[0])
            if key not in self._groups:
                size = int(self._window_size((np.int64(key),))[0])
                if size <= 0:
                    raise invalid(f"Window size must be greater than zero, but got {size}.")
                self._groups[key] = size, []
            size, group = self._groups[key]
            group.append(element)
            if len(group) == size:
                del self._groups[key]
                return key, group
        for key in sorted(self._groups):
            return key, self._groups.pop(key)[1]
        raise EndOfSequence


@dataset_op(
    "ExperimentalGroupByWindowDataset",
    "input_dataset: variant, other_arguments: N*?",
    no_samples=FUNCTION,
)
def group_by_window_dataset_op(
    xp: Any,
    input_dataset: Any,
    other_arguments: Any,
    *,
    key_func: FuncGraph,
    reduce_func: FuncGraph,
    window_size_func: FuncGraph,
    captured: Sequence[int],
    **attrs: Any,
) -> Source:
    """What a function makes of windows of elements of one key.

    `captured` says how many of the other arguments are of each function.
    """
    rest, functions = list(other_arguments), []
    graphs = (key_func, reduce_func, window_size_func)
    for graph, count in zip(graphs, captured, strict=True):
        functions.append(Function(graph, rest[:count]))
        del rest[:count]
    return Source(GroupByWindow, input_dataset, *functions)

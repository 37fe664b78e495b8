"""Transformations of one element at a time: map, filter, take, skip, shard, scan and their kind."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.elementwise import invalid
from minitf.library.input.data.iterator_ops import dataset_op, numbers, of_numbers, some_numbers
from minitf.library.input.data.runtime import (
    Context,
    Cursor,
    Element,
    EndOfSequence,
    Function,
    Source,
)

FUNCTION = "its function is a graph; tests/library/data/test_dataset.py runs it"


def out_of_range_is_the_end(function: Any) -> Any:
    """A function of the program as a cursor calls it: its OutOfRangeError ends the sequence."""

    def call(element: Element) -> Element:
        try:
            return function(element)
        except errors.OutOfRangeError:
            raise EndOfSequence from None

    return call


class Map(Cursor):
    """A function of each element; of a whole batch at once where it can run so.

    When that fails, the elements of the batch wait, and the function gets one after the other: so
    it is always one element that an error comes from.
    """

    def __init__(self, context: Context, source: Source, function: Function) -> None:
        self._input = source.iterate(context)
        self._call = out_of_range_is_the_end(function.bind(context))
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
    "MapDataset",
    "input_dataset: variant, other_arguments: N*?",
    elements=(
        lambda: map_dataset_op(some_numbers(), [], f=of_numbers(lambda x: [x + x])),
        numbers(0, 2, 4, 6, 8),
    ),
)
def map_dataset_op(
    xp: Any,
    input_dataset: Any,
    other_arguments: Any,
    *,
    f: FuncGraph,
    preserve_cardinality: bool = False,
    **attrs: Any,
) -> Source:
    """A function of each element."""
    return Source(Map, input_dataset, Function(f, other_arguments))


class Filter(Cursor):
    """The elements of which a function says True."""

    def __init__(self, context: Context, source: Source, predicate: Function) -> None:
        self._input = source.iterate(context)
        self._accepts = out_of_range_is_the_end(predicate.bind(context))

    def next(self) -> Element:
        while True:
            element = self._input.next()
            if self._accepts(element)[0]:
                return element


@dataset_op(
    "FilterDataset",
    "input_dataset: variant, other_arguments: N*?",
    elements=(
        lambda: filter_dataset_op(some_numbers(), [], predicate=of_numbers(lambda x: [x > 2])),
        numbers(3, 4),
    ),
)
def filter_dataset_op(
    xp: Any, input_dataset: Any, other_arguments: Any, *, predicate: FuncGraph, **attrs: Any
) -> Source:
    """The elements of which a function says True."""
    return Source(Filter, input_dataset, Function(predicate, other_arguments))


@op(
    "ReduceDataset",
    "input_dataset: variant, arguments: N*? -> components: N*output_types",
    program=lambda folder: [
        (
            reduce_dataset_op(
                some_numbers(),
                numbers(0),
                f=of_numbers(lambda s, x: [s + x], 2),
                state_size=1,
                output_types=(dtypes.int64,),
                output_shapes=(TensorShape(()),),
            ),
            numbers(10),
        )
    ],
    differentiable=False,
    host_only=True,
    alias=True,
)
def reduce_dataset_op(
    ctx: Any,
    input_dataset: Any,
    arguments: Any,
    *,
    f: FuncGraph,
    state_size: int,
    output_types: Any,
    output_shapes: Any,
) -> Element:
    """What a function makes of all elements; arguments: the state, then what `f` captured."""
    context = Context(ctx.device)
    state = tuple(arguments[:state_size])
    call = Function(f, arguments[state_size:]).bind(context)
    cursor = input_dataset.iterate(context)
    try:
        for element in cursor:
            state = call((*state, *element))
    finally:
        context.close()
        cursor.close()
    return state


reduce_dataset_op.shape(lambda *inputs, output_shapes, **attrs: list(output_shapes))


class Take(Cursor):
    """The first elements; all of them for a negative count."""

    def __init__(self, context: Context, source: Source, count: int) -> None:
        self._input = source.iterate(context)
        self._left = count

    def next(self) -> Element:
        if self._left == 0:
            self._input.close()
            raise EndOfSequence
        element = self._input.next()
        self._left -= 1
        return element

    def rows(self, most: int) -> Element:
        if self._left == 0:
            raise EndOfSequence
        rows = self._input.rows(most if self._left < 0 else min(most, self._left))
        self._left -= len(rows[0])
        return rows


@dataset_op(
    "TakeDataset",
    "input_dataset: variant, count: int64",
    elements=(lambda: take_dataset_op(some_numbers(), np.int64(2)), numbers(0, 1)),
)
def take_dataset_op(xp: Any, input_dataset: Any, count: Any, **attrs: Any) -> Source:
    """The first elements."""
    return Source(Take, input_dataset, int(count))


class Skip(Cursor):
    """What comes behind the first elements; nothing for a negative count."""

    def __init__(self, context: Context, source: Source, count: int) -> None:
        self._input = source.iterate(context)
        self._left = count
        self._check = context.check

    def next(self) -> Element:
        self._pass_over()
        return self._input.next()

    def rows(self, most: int) -> Element:
        self._pass_over()
        return self._input.rows(most)

    def _pass_over(self) -> None:
        if self._left < 0:
            raise EndOfSequence
        while self._left:
            self._check()
            self._input.next()
            self._left -= 1


@dataset_op(
    "SkipDataset",
    "input_dataset: variant, count: int64",
    elements=(lambda: skip_dataset_op(some_numbers(), np.int64(3)), numbers(3, 4)),
)
def skip_dataset_op(xp: Any, input_dataset: Any, count: Any, **attrs: Any) -> Source:
    """What comes behind the first elements."""
    return Source(Skip, input_dataset, int(count))


class Shard(Cursor):
    """Every n-th element."""

    def __init__(self, context: Context, source: Source, count: int, index: int) -> None:
        self._input = source.iterate(context)
        self._count, self._index, self._place = count, index, 0
        self._check = context.check

    def next(self) -> Element:
        while True:
            self._check()
            element = self._input.next()
            place = self._place
            self._place += 1
            if place % self._count == self._index:
                return element


@dataset_op(
    "ShardDataset",
    "input_dataset: variant, num_shards: int64, index: int64",
    elements=(lambda: shard_dataset_op(some_numbers(), *numbers(2, 1)), numbers(1, 3)),
)
def shard_dataset_op(
    xp: Any, input_dataset: Any, num_shards: Any, index: Any, **attrs: Any
) -> Source:
    """Every n-th element, from one on."""
    shards, place = int(num_shards), int(index)
    if shards <= 0:
        raise invalid(
            f"Number of shards must be greater than zero (currently num_shards = {shards})."
        )
    if not 0 <= place < shards:
        raise invalid(f"Index must be between 0 and {shards - 1} (currently index = {place}).")
    return Source(Shard, input_dataset, shards, place)


class IgnoreErrors(Cursor):
    """The elements that could be computed."""

    def __init__(self, context: Context, source: Source) -> None:
        self._input = source.iterate(context)
        self._check = context.check

    def next(self) -> Element:
        while True:
            try:
                return self._input.next()
            except errors.OpError:
                self._check()


@dataset_op(
    "ExperimentalIgnoreErrorsDataset",
    "input_dataset: variant",
    elements=(lambda: ignore_errors_dataset_op(some_numbers()), numbers(0, 1)),
)
def ignore_errors_dataset_op(xp: Any, input_dataset: Any, **attrs: Any) -> Source:
    """The elements that could be computed."""
    return Source(IgnoreErrors, input_dataset)

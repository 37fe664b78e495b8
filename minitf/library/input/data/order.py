"""Repetition, order, batches and buffers: what takes several elements for one, or keeps them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import errors
from minitf.core.ops.elementwise import invalid
from minitf.library.formats.file_io import file_errors, torn
from minitf.library.formats.records import RecordReader, TFRecordWriter
from minitf.library.input.data.iterator_ops import dataset_op, numbers, some_numbers
from minitf.library.input.data.runtime import (
    Context,
    Cursor,
    Element,
    EndOfSequence,
    InMemory,
    Source,
    held,
    joined_rows,
)
from minitf.library.input.data.sparse import rows_of
from minitf.library.input.data.words import Seeds
from minitf.library.parsing.parsing import tensor_from_bytes, tensor_to_bytes

# ---- repeat, concatenate -----------------------------------------------------------------


class Repeat(Cursor):
    """The whole dataset several times; without end for -1."""

    def __init__(self, context: Context, source: Source, count: int) -> None:
        self._context, self._source, self._count = context, source, count
        self._turn = 0
        self._is_empty = True  # of the turn, so far
        self._input = source.iterate(context)

    def next(self) -> Element:
        return self._next_of(lambda: self._input.next())

    def rows(self, most: int) -> Element:
        return joined_rows(lambda left: self._next_of(lambda: self._input.rows(left)), most)

    def _next_of(self, ask: Callable[[], Element]) -> Element:
        while self._turn != self._count:
            try:
                element = ask()
            except EndOfSequence:
                self._turn += 1
                if self._is_empty and self._count < 0:
                    self._turn = self._count  # nothing would ever come
                elif self._turn != self._count:
                    self._input.close()
                    self._input = self._source.iterate(self._context)
                    self._is_empty = True
            else:
                self._is_empty = False
                return element
        raise EndOfSequence


@dataset_op(
    "RepeatDataset",
    "input_dataset: variant, count: int64",
    elements=(lambda: repeat_dataset_op(some_numbers(), np.int64(-1)), numbers(0, 1, 2, 3, 4, 0)),
)
def repeat_dataset_op(xp: Any, input_dataset: Any, count: Any, **attrs: Any) -> Source:
    """The whole dataset several times."""
    return Source(Repeat, input_dataset, max(int(count), -1))


class Concatenate(Cursor):
    """One dataset, and another behind it."""

    def __init__(self, context: Context, *sources: Source) -> None:
        self._inputs = [source.iterate(context) for source in sources]
        self._place = 0

    def next(self) -> Element:
        return self._next_of(lambda cursor: cursor.next())

    def rows(self, most: int) -> Element:
        return joined_rows(lambda left: self._next_of(lambda cursor: cursor.rows(left)), most)

    def _next_of(self, ask: Callable[[Cursor], Element]) -> Element:
        while self._place < len(self._inputs):
            try:
                return ask(self._inputs[self._place])
            except EndOfSequence:
                self._place += 1
        raise EndOfSequence


@dataset_op(
    "ConcatenateDataset",
    "input_dataset: variant, another_dataset: variant",
    elements=(
        lambda: concatenate_dataset_op(some_numbers(), some_numbers()),
        numbers(0, 1, 2, 3, 4, 0),
    ),
)
def concatenate_dataset_op(
    xp: Any, input_dataset: Any, another_dataset: Any, **attrs: Any
) -> Source:
    """One dataset, and another behind it."""
    return Source(Concatenate, input_dataset, another_dataset)


# ---- shuffle -----------------------------------------------------------------------------


class Shuffle(Cursor):
    """A buffer that is kept full; each element comes out of a random place of it.

    The buffer is a ring: what is drawn is replaced by the oldest, whose place is the next
    to be filled. Of a dataset in memory it holds the places of the elements, not the elements.
    """

    def __init__(self, context: Context, source: Source, size: int, seeds: Seeds) -> None:
        self._input = source.iterate(context)
        self._size = size
        self._seeds, self._words = seeds, seeds.words()
        self._in_memory = self._input if isinstance(self._input, InMemory) else None
        self._buffer: list[Any] = []
        self._begin = self._end = 0  # elements drawn, and put into the buffer, so far
        self._has_more = True

    def next(self) -> Element:
        drawn = self._drawn(1)[0]
        return drawn if self._in_memory is None else self._in_memory.at(drawn)

    def rows(self, most: int) -> Element:
        if self._in_memory is None:
            return super().rows(most)
        return self._in_memory.at(np.array(self._drawn(most)))

    def _drawn(self, most: int) -> list[Any]:
        """The next elements, or their places; of elements one."""
        self._fill()
        buffer, size, begin, end = self._buffer, self._size, self._begin, self._end
        if begin == end:
            raise EndOfSequence
        fresh = self._in_memory.places(most - 1) if self._in_memory is not None else ()
        drawn = []
        for word in self._words.take(min(most, end - begin + len(fresh))):
            oldest, place = begin % size, (begin + word % (end - begin)) % size
            drawn.append(buffer[place])
            buffer[place] = buffer[oldest]
            if len(drawn) <= len(fresh):
                buffer[oldest] = fresh[len(drawn) - 1]
                end += 1
            begin += 1
        self._begin, self._end = begin, end
        return drawn

    def _fill(self) -> None:
        missing = self._size - (self._end - self._begin)
        if self._in_memory is not None:
            self._put(self._in_memory.places(missing))
            return
        while self._has_more and self._end - self._begin < self._size:
            try:
                self._put([self._input.next()])
            except EndOfSequence:
                self._has_more = False

    def _put(self, elements: Sequence[Any]) -> None:
        for each in elements:
            if self._end < self._size:
                self._buffer.append(each)
            else:
                self._buffer[self._end % self._size] = each
            self._end += 1


def _check_buffer(size: Any) -> int:
    if size <= 0:
        raise invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
    return int(size)


_ONE = np.int64(1)


@dataset_op(
    "ShuffleDataset",
    "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64",
    elements=(lambda: shuffle_dataset_op(some_numbers(), _ONE, _ONE, _ONE), numbers(0, 1, 2, 3, 4)),
)
def shuffle_dataset_op(
    xp: Any,
    input_dataset: Any,
    buffer_size: Any,
    seed: Any,
    seed2: Any,
    *,
    reshuffle_each_iteration: bool = True,
    **attrs: Any,
) -> Source:
    """The elements in random order."""
    seeds = Seeds(int(seed), int(seed2), reshuffle_each_iteration)
    return Source(Shuffle, input_dataset, _check_buffer(buffer_size), seeds)


@dataset_op(
    "ShuffleAndRepeatDataset",
    "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64",
    elements=(
        lambda: shuffle_and_repeat_dataset_op(some_numbers(), _ONE, _ONE, _ONE, np.int64(2)),
        numbers(0, 1, 2, 3, 4, 0),
    ),
)
def shuffle_and_repeat_dataset_op(
    xp: Any, input_dataset: Any, buffer_size: Any, seed: Any, seed2: Any, count: Any, **attrs: Any
) -> Source:
    """The elements in random order, several times."""
    seeds = Seeds(int(seed), int(seed2), True)
    shuffled = Source(Shuffle, input_dataset, _check_buffer(buffer_size), seeds)
    return Source(Repeat, shuffled, max(int(count), -1))


# ---- batches -----------------------------------------------------------------------------


class Batch(Cursor):
    """Several elements as one."""

    def __init__(self, context: Context, source: Source, size: int, drop_remainder: bool) -> None:
        self._input = source.iterate(context)
        self._size, self._least = size, size if drop_remainder else 1

    def next(self) -> Element:
        batch, count = self.together()
        if count < self._least:
            raise EndOfSequence
        return batch

    def together(self) -> tuple[Element, int]:
        """The next elements as one, and how many they are."""
        rows = self._input.rows(self._size)
        return rows, len(rows[0]) if rows else self._size

    def _elements(self) -> list[Element]:
        elements = self._input.some(self._size)
        if not elements:
            raise EndOfSequence
        return elements


def batch_size_of(size: Any) -> int:
    """A batch size.

    Raises:
      InvalidArgumentError: when it is not positive.
    """
    if size <= 0:
        raise invalid("Batch size must be greater than zero.")
    return int(size)


@dataset_op(
    "BatchDatasetV2",
    "input_dataset: variant, batch_size: int64, drop_remainder: bool",
    elements=(
        lambda: batch_dataset_op(some_numbers(), np.int64(2), np.bool_(False)),
        [np.array([0, 1]), np.array([2, 3]), np.array([4])],
    ),
)
def batch_dataset_op(
    xp: Any, input_dataset: Any, batch_size: Any, drop_remainder: Any, **attrs: Any
) -> Source:
    """Several elements as one."""
    return Source(Batch, input_dataset, batch_size_of(batch_size), bool(drop_remainder))


class PaddedBatch(Batch):
    """Several elements of different sizes as one, each filled up.

    Args:
      shapes: of the components, -1 where the largest in the batch counts.
      fill: what each component is filled up with.
    """

    def __init__(
        self,
        context: Context,
        source: Source,
        size: int,
        drop_remainder: bool,
        shapes: Sequence[tuple[int, ...]],
        fill: Sequence[Any],
    ) -> None:
        super().__init__(context, source, size, drop_remainder)
        self._shapes, self._fill = shapes, fill

    def together(self) -> tuple[Element, int]:
        elements = self._elements()
        columns = zip(zip(*elements), self._shapes, self._fill, strict=True)
        return tuple(_padded(i, *column) for i, column in enumerate(columns)), len(elements)


def _padded(component: int, values: Sequence[Any], shape: tuple[int, ...], fill: Any) -> Any:
    sizes = list(shape)
    for value in values:
        own = getattr(value, "shape", ())
        if len(own) != len(shape):
            raise invalid(
                "All elements in a batch must have the same rank as the padded shape for component"
                f"{component}: expected rank {len(shape)} but got element with rank {len(own)}"
            )
        for axis, (limit, size) in enumerate(zip(shape, own)):
            if limit < 0:
                sizes[axis] = max(sizes[axis], size)
            elif size > limit:
                raise torn("Attempted to pad to a smaller size than the input element.")
    kind = getattr(values[0], "dtype", np.dtype(object))
    whole = np.full((len(values), *sizes), fill, kind)
    for i, value in enumerate(values):
        whole[(i, *map(slice, getattr(value, "shape", ())))] = value
    return whole


@dataset_op(
    "PaddedBatchDatasetV2",
    "input_dataset: variant, batch_size: int64, padded_shapes: N*int64, padding_values: M*?, "
    "drop_remainder: bool",
    elements=(
        lambda: padded_batch_dataset_op(
            some_numbers(), _ONE, [np.zeros(0, np.int64)], [_ONE], np.bool_(False)
        ),
        [np.array([0]), np.array([1])],
    ),
)
def padded_batch_dataset_op(
    xp: Any,
    input_dataset: Any,
    batch_size: Any,
    padded_shapes: Any,
    padding_values: Any,
    drop_remainder: Any,
    **attrs: Any,
) -> Source:
    """Several elements of different sizes as one."""
    shapes = [tuple(int(size) for size in shape) for shape in padded_shapes]
    parts = batch_size_of(batch_size), bool(drop_remainder), shapes, list(padding_values)
    return Source(PaddedBatch, input_dataset, *parts)


class Unbatch(Cursor):
    """The rows of each element."""

    def __init__(self, context: Context, source: Source) -> None:
        self._input = source.iterate(context)
        self._rows: Element = ((),)
        self._place = 0

    def next(self) -> Element:
        while self._place >= len(self._rows[0]):
            self._rows, self._place = tuple(map(rows_of, self._input.next())), 0
            count = len(self._rows[0])
            for i, component in enumerate(self._rows):
                if len(component) != count:
                    raise invalid(
                        "Input element must have the same batch size in each component. Component "
                        f"0 had size {count} but component {i} had size, {len(component)}."
                    )
        self._place += 1
        return tuple([component[self._place - 1] for component in self._rows])


@dataset_op(
    "ExperimentalUnbatchDataset",
    "input_dataset: variant",
    elements=(
        lambda: unbatch_dataset_op(batch_dataset_op(some_numbers(), np.int64(2), np.bool_(True))),
        numbers(0, 1, 2, 3),
    ),
)
def unbatch_dataset_op(xp: Any, input_dataset: Any, **attrs: Any) -> Source:
    """The rows of each element."""
    return Source(Unbatch, input_dataset)


# ---- windows -----------------------------------------------------------------------------


class Elements(Cursor):
    """Elements that are there already."""

    def __init__(self, context: Context, elements: Sequence[Element]) -> None:
        self._elements = elements
        self._place = 0

    def next(self) -> Element:
        if self._place >= len(self._elements):
            raise EndOfSequence
        self._place += 1
        return self._elements[self._place - 1]


class Window(Cursor):
    """Datasets of neighbouring elements: `size` of them `stride` apart, `shift` on each time."""

    def __init__(
        self,
        context: Context,
        source: Source,
        size: int,
        shift: int,
        stride: int,
        drop_remainder: bool,
    ) -> None:
        self._input = source.iterate(context)
        self._size, self._shift, self._stride = size, shift, stride
        self._drop_remainder = drop_remainder
        self._buffer: list[Element] = []
        self._has_more = True

    def next(self) -> Element:
        reach = (self._size - 1) * self._stride + 1
        if self._has_more:
            wanted = reach - len(self._buffer)
            found = self._input.some(wanted)
            self._has_more = len(found) == max(wanted, 0)
            self._buffer += found
        if not self._buffer or (self._drop_remainder and len(self._buffer) < reach):
            raise EndOfSequence
        window = self._buffer[: reach : self._stride]
        passed = max(self._shift - len(self._buffer), 0)
        del self._buffer[: self._shift]
        if self._has_more and passed:
            self._has_more = len(self._input.some(passed)) == passed
        return tuple(
            Source(Elements, [(value,) for value in component]) for component in zip(*window)
        )


@dataset_op(
    "WindowDataset",
    "input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool",
    no_samples="its elements are datasets; tests/library/data/test_nested.py runs it",
)
def window_dataset_op(
    xp: Any,
    input_dataset: Any,
    size: Any,
    shift: Any,
    stride: Any,
    drop_remainder: Any,
    **attrs: Any,
) -> Source:
    """Datasets of neighbouring elements."""
    for name, value in (("size", size), ("shift", shift), ("stride", stride)):
        if value <= 0:
            raise invalid(f"Window {name} must be greater than zero.")
    parts = int(size), int(shift), int(stride), bool(drop_remainder)
    return Source(Window, input_dataset, *parts)


# ---- cache -------------------------------------------------------------------------------


class Kept:
    """The elements of a dataset in memory, once one walk has come to its end."""

    def __init__(self) -> None:
        self.elements: list[Element] | None = None


class Cache(Cursor):
    """Keeps the elements at the first walk, and gives them out at the next."""

    def __init__(self, context: Context, source: Source, memory: Kept) -> None:
        self._memory = memory
        self._elements: list[Element] = []
        self._place = 0
        self._input = source.iterate(context)

    def next(self) -> Element:
        known = self._memory.elements
        if known is None:
            try:
                element = self._input.next()
            except EndOfSequence:
                self._memory.elements = known = self._elements
            else:
                self._elements.append(tuple(held(value) for value in element))
                self._place += 1
                return element
        if self._place >= len(known):
            raise EndOfSequence
        self._place += 1
        return known[self._place - 1]


class FileCache(Cursor):
    """As `Cache`, in files, which a walk to the end leaves behind.

    NAME.data holds the components of the elements as records, each a TensorProto; NAME.index says
    that it is complete, and NAME.lockfile that somebody writes it.
    """

    def __init__(self, context: Context, source: Source, path: str, components: int) -> None:
        self._path, self._components = path, components
        self._begin = lambda: source.iterate(context)
        self._start()

    def _start(self) -> None:
        """Goes before the first element: of the files, if they are whole, or else of the input."""
        self._place = 0
        self._input: Cursor | None = None
        self._reader: RecordReader | None = None
        self._writer: TFRecordWriter | None = None
        if os.path.exists(f"{self._path}.index"):
            self._reader = RecordReader(f"{self._path}.data")
            return
        if os.path.exists(f"{self._path}.lockfile"):
            raise errors.AlreadyExistsError(
                None,
                None,
                f"There appears to be a concurrent caching iterator running - cache lockfile "
                f"already exists ('{self._path}.lockfile'). If you are sure no other running TF "
                "computations are using this cache prefix, delete the lockfile and re-initialize "
                "the iterator.",
            )
        self._input = self._begin()

    def next(self) -> Element:
        element = self._read_or_write()
        self._place += 1
        return element

    def _read_or_write(self) -> Element:
        if self._reader is not None:
            records = [self._reader.read() for _ in range(self._components)]
            if records[0] is None:
                raise EndOfSequence
            return tuple(tensor_from_bytes(record)[()] for record in records)
        if self._input is None:
            raise EndOfSequence
        if self._writer is None:
            with file_errors(self._path):
                open(f"{self._path}.lockfile", "x").close()
            self._writer = TFRecordWriter(f"{self._path}.data")
        try:
            element = self._input.next()
        except EndOfSequence:
            self._finish()
            raise
        for component in element:
            self._writer.write(tensor_to_bytes(component))
        return element

    def _finish(self) -> None:
        assert self._writer is not None
        self._writer.close()
        open(f"{self._path}.index", "w").close()
        os.remove(f"{self._path}.lockfile")
        self._input = self._writer = None

    def close(self) -> None:
        super().close()
        if self._reader is not None:
            self._reader.close()
        if self._writer is not None:  # what is half there is no cache
            self._writer.close()
            os.remove(f"{self._path}.lockfile")
            self._writer = None


@dataset_op(
    "CacheDataset",
    "input_dataset: variant, filename: string",
    reaches="files",
    elements=(
        lambda: repeat_dataset_op(cache_dataset_op(some_numbers(), b""), np.int64(2)),
        numbers(0, 1, 2, 3, 4, 0, 1),
    ),
)
def cache_dataset_op(
    xp: Any, input_dataset: Any, filename: Any, *, output_types: Any = (), output_shapes: Any = ()
) -> Source:
    """Keeps the elements, in memory or in a file."""
    path = bytes(filename).decode()
    if path:
        return Source(FileCache, input_dataset, path, len(output_types))
    return Source(Cache, input_dataset, Kept())

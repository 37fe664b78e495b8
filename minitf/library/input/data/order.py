"""Which elements come, and in which order: take, skip, shard, repeat, concatenate, zip, shuffle.

`cache` stands here, too: it keeps elements so that they come again.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.random import get_seed
from minitf.library.formats import graph_message
from minitf.library.formats.file_io import file_errors
from minitf.library.formats.records import RecordReader, TFRecordWriter
from minitf.library.input.data import structure
from minitf.library.input.data.cursors import (
    INFINITE,
    Context,
    Cursor,
    Element,
    EndOfSequence,
    InMemory,
    Source,
    counting,
    dataset_op,
    int64,
    joined_rows,
)
from minitf.library.input.data.functions import held
from minitf.library.input.data.random_words import Seeds

if TYPE_CHECKING:
    from minitf.library.input.data.dataset import Dataset

_ONE, _TWO = np.int64(1), np.int64(2)


# ---- take, skip, shard -------------------------------------------------------------------


@dataset_op(
    "TakeDataset",
    "input_dataset: variant, count: int64",
    shown=(lambda: Take.op(counting(), _TWO), [0, 1]),
)
class Take(Cursor):
    """The first elements; all of them for a negative count."""

    def __init__(self, context: Context, source: Source, count: int) -> None:
        super().__init__(context, source)
        self._left = count

    @staticmethod
    def length(source: Source, count: int) -> float:
        return source.length() if count < 0 else min(source.length(), count)

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


def take(self: Dataset, count: Any) -> Dataset:
    """The first `count` elements; all of them for -1."""
    return self._then(Take.op, int64(count, "count"))


@dataset_op(
    "SkipDataset",
    "input_dataset: variant, count: int64",
    shown=(lambda: Skip.op(counting(), _TWO), [2, 3, 4]),
)
class Skip(Cursor):
    """What comes behind the first elements; nothing for a negative count."""

    def __init__(self, context: Context, source: Source, count: int) -> None:
        super().__init__(context, source)
        self._left = count
        self._check = context.check

    @staticmethod
    def length(source: Source, count: int) -> float:
        return 0 if count < 0 else max(source.length() - count, 0)

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


def skip(self: Dataset, count: Any) -> Dataset:
    """What comes behind the first `count` elements; nothing for -1."""
    return self._then(Skip.op, int64(count, "count"))


@dataset_op(
    "ShardDataset",
    "input_dataset: variant, num_shards: int64, index: int64",
    shown=(lambda: Shard.op(counting(), _TWO, _ONE), [1, 3]),
)
class Shard(Cursor):
    """Every n-th element, from one on."""

    def __init__(self, context: Context, source: Source, count: int, index: int) -> None:
        super().__init__(context, source)
        self._count, self._index, self._place = count, index, 0
        self._check = context.check

    @classmethod
    def source(cls, source: Source, num_shards: int, index: int) -> Source:
        if num_shards <= 0:
            raise invalid(
                f"Number of shards must be greater than zero (currently num_shards = {num_shards})."
            )
        if not 0 <= index < num_shards:
            raise invalid(
                f"Index must be between 0 and {num_shards - 1} (currently index = {index})."
            )
        return Source(cls, source, num_shards, index)

    @staticmethod
    def length(source: Source, count: int, index: int) -> float:
        return every(count, source.length() + count - 1 - index)

    def next(self) -> Element:
        while True:
            self._check()
            element = self._input.next()
            place = self._place
            self._place += 1
            if place % self._count == self._index:
                return element


def every(step: int, length: float) -> float:
    """How many there are when only every so many-th comes."""
    return length if length == INFINITE else length // step


def shard(self: Dataset, num_shards: Any, index: Any) -> Dataset:
    """Every `num_shards`-th element, from number `index` on: the part of one worker.

    Raises (when it runs):
      InvalidArgumentError: when there is no such part.
    """
    return self._then(Shard.op, int64(num_shards, "num_shards"), int64(index, "index"))


@dataset_op(
    "ExperimentalIgnoreErrorsDataset",
    "input_dataset: variant",
    shown=(lambda: IgnoreErrors.op(counting()), [0, 1]),
)
class IgnoreErrors(Cursor):
    """The elements that could be computed."""

    def __init__(self, context: Context, source: Source) -> None:
        super().__init__(context, source)
        self._check = context.check

    def next(self) -> Element:
        while True:
            try:
                return self._input.next()
            except errors.OpError:
                self._check()


def ignore_errors() -> Callable[[Dataset], Dataset]:
    """Leaves out the elements that cannot be computed."""
    return lambda dataset: dataset._then(IgnoreErrors.op)


# ---- repeat, concatenate, zip ------------------------------------------------------------


class _Series(Cursor):
    """The elements of several walks, one after the other; the next begins when one has ended."""

    def __init__(self) -> None:
        self.is_empty = False  # the present walk, so far
        self._begin()

    def _begin(self) -> None:
        self._input = self.following()  # type: ignore[assignment]
        self.is_empty = True

    @abstractmethod
    def following(self) -> Cursor | None:
        """The cursor of the next walk; None behind the last."""

    def next(self) -> Element:
        return self._next_of(lambda cursor: cursor.next())

    def rows(self, most: int) -> Element:
        return joined_rows(lambda left: self._next_of(lambda cursor: cursor.rows(left)), most)

    def _next_of(self, ask: Callable[[Cursor], Element]) -> Element:
        while self._input is not None:
            try:
                element = ask(self._input)
            except EndOfSequence:
                self._input.close()
                self._begin()
            else:
                self.is_empty = False
                return element
        raise EndOfSequence


@dataset_op(
    "RepeatDataset",
    "input_dataset: variant, count: int64",
    shown=(lambda: Repeat.op(counting(), np.int64(-1)), [0, 1, 2, 3, 4, 0]),
)
class Repeat(_Series):
    """The whole dataset several times; without end for -1."""

    def __init__(self, context: Context, source: Source, count: int) -> None:
        self._iterate, self._left = partial(source.iterate, context), count
        super().__init__()

    def following(self) -> Cursor | None:
        if self._left == 0 or (self._left < 0 and self.is_empty):  # nothing would ever come
            return None
        self._left -= self._left > 0
        return self._iterate()

    @staticmethod
    def length(source: Source, count: int) -> float:
        return INFINITE if count < 0 else source.length() * count


def repeat(self: Dataset, count: Any = None) -> Dataset:
    """The dataset `count` times; without end for None or -1."""
    return self._then(Repeat.op, int64(-1 if count is None else count, "count"))


@dataset_op(
    "ConcatenateDataset",
    "input_dataset: variant, another_dataset: variant",
    shown=(lambda: Concatenate.op(counting(), counting()), [0, 1, 2, 3, 4, 0]),
)
class Concatenate(_Series):
    """One dataset, and another behind it."""

    def __init__(self, context: Context, *sources: Source) -> None:
        self._inputs = [source.iterate(context) for source in sources]
        super().__init__()

    def following(self) -> Cursor | None:
        return self._inputs.pop(0) if self._inputs else None

    @staticmethod
    def length(*sources: Source) -> float:
        return sum(source.length() for source in sources)


def concatenate(self: Dataset, dataset: Dataset) -> Dataset:
    """This dataset, and another behind it.

    Raises:
      TypeError: when their elements nest or are typed otherwise.
    """
    for what in ("types", "classes"):
        own, other = getattr(self, f"output_{what}"), getattr(dataset, f"output_{what}")
        if own != other:
            raise TypeError(f"Two datasets to concatenate have different {what} {own} and {other}")
    spec = structure.common_spec(self.element_spec, dataset.element_spec)
    return self._then(Concatenate.op, dataset._variant_tensor, spec=spec, others=[dataset])


@dataset_op(
    "ZipDataset",
    "input_datasets: N*variant",
    shown=(lambda: Zip.op([counting()]), [0, 1]),
)
class Zip(Cursor):
    """The elements of several datasets side by side, until the shortest ends."""

    def __init__(self, context: Context, sources: Sequence[Source]) -> None:
        self._inputs = [source.iterate(context) for source in sources]

    @staticmethod
    def length(sources: Sequence[Source]) -> float:
        return min(source.length() for source in sources)

    def next(self) -> Element:
        return tuple([part for cursor in self._inputs for part in cursor.next()])

    def rows(self, most: int) -> Element:
        parts = [part for cursor in self._inputs for part in cursor.rows(most)]
        count = min(map(len, parts))
        return tuple([part[:count] for part in parts])


# ---- shuffle -----------------------------------------------------------------------------


@dataset_op(
    "ShuffleDataset",
    "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64",
    shown=(lambda: Shuffle.op(counting(), _ONE, _ONE, _ONE), [0, 1, 2, 3, 4]),
)
class Shuffle(Cursor):
    """The elements in random order: a buffer is kept full, and gives out of a random place.

    The buffer is a ring: what is drawn is replaced by the oldest, whose place is the next
    to be filled. Of a dataset in memory it holds the places of the elements, not the elements.
    """

    def __init__(self, context: Context, source: Source, size: int, seeds: Seeds) -> None:
        super().__init__(context, source)
        self._size = size
        self._words = seeds.words()
        self._in_memory = self._input if isinstance(self._input, InMemory) else None
        self._buffer: list[Any] = []
        self._begin = self._end = 0  # elements drawn, and put into the buffer, so far
        self._has_more = True

    @classmethod
    def source(
        cls,
        source: Source,
        buffer_size: int,
        seed: int,
        seed2: int,
        *,
        reshuffle_each_iteration: bool = True,
    ) -> Source:
        if buffer_size <= 0:
            raise invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
        return Source(cls, source, buffer_size, Seeds(seed, seed2, reshuffle_each_iteration))

    @staticmethod
    def length(source: Source, *rest: Any) -> float:
        return source.length()

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


def shuffle(
    self: Dataset, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = None
) -> Dataset:
    """The elements in random order.

    Args:
      buffer_size: among how many elements the next one is chosen; the size of the dataset for
        a uniform order.
      seed: see `tf.set_random_seed`.
      reshuffle_each_iteration: whether every walk over it has an order of its own; True when
        None.
    """
    again = True if reshuffle_each_iteration is None else bool(reshuffle_each_iteration)
    size = int64(buffer_size, "buffer_size")
    return self._then(Shuffle.op, size, *_seeds_of(seed), reshuffle_each_iteration=again)


def _seeds_of(seed: Any) -> tuple[Tensor, Tensor]:
    """The two seeds of a random transformation; both zero for an order that nobody can tell."""
    if isinstance(seed, Tensor):
        return int64(seed, "seed"), int64(0, "seed2")
    one, two = get_seed(seed)
    given = one is not None or two is not None
    one, two = one or 0, two or 0
    if given and not (one or two):
        two = 2**31 - 1
    return int64(one, "seed"), int64(two, "seed2")


def shuffle_and_repeat(
    buffer_size: Any, count: Any = None, seed: Any = None
) -> Callable[[Dataset], Dataset]:
    """Shuffles and repeats, each repetition in an order of its own."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


# ---- cache -------------------------------------------------------------------------------


class Kept:
    """The elements of a dataset in memory, once one walk has come to its end."""

    def __init__(self) -> None:
        self.elements: list[Element] | None = None


@dataset_op(
    "CacheDataset",
    "input_dataset: variant, filename: string",
    reaches="files",
    shown=(lambda: Repeat.op(Cache.op(counting(), b""), _TWO), [0, 1, 2, 3, 4, 0, 1]),
)
class Cache(Cursor):
    """Keeps the elements at the first walk, and gives them out at the next."""

    def __init__(self, context: Context, source: Source, memory: Kept) -> None:
        super().__init__(context, source)
        self._memory = memory
        self._elements: list[Element] = []
        self._place = 0

    @classmethod
    def source(cls, source: Source, filename: str, *, output_types: Any = ()) -> Source:
        if filename:
            return Source(FileCache, source, filename, len(output_types))
        return Source(cls, source, Kept())

    @staticmethod
    def length(source: Source, *rest: Any) -> float:
        return source.length()

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

    length = Cache.length

    def __init__(self, context: Context, source: Source, path: str, components: int) -> None:
        self._path, self._components = path, components
        self._input: Cursor | None = None  # type: ignore[assignment]
        self._reader: RecordReader | None = None
        self._writer: TFRecordWriter | None = None
        if os.path.exists(f"{path}.index"):
            self._reader = RecordReader(f"{path}.data")
            return
        if os.path.exists(f"{path}.lockfile"):
            raise errors.AlreadyExistsError(
                None,
                None,
                f"There appears to be a concurrent caching iterator running - cache lockfile "
                f"already exists ('{path}.lockfile'). If you are sure no other running TF "
                "computations are using this cache prefix, delete the lockfile and re-initialize "
                "the iterator.",
            )
        self._input = source.iterate(context)

    def next(self) -> Element:
        if self._reader is not None:
            records = [self._reader.read() for _ in range(self._components)]
            if records[0] is None:
                raise EndOfSequence
            return tuple(np.array(graph_message.tensor(record))[()] for record in records)
        if self._input is None:
            raise EndOfSequence
        if self._writer is None:
            with file_errors(self._path):
                open(f"{self._path}.lockfile", "x").close()
            self._writer = TFRecordWriter(f"{self._path}.data")
        try:
            element = self._input.next()
        except EndOfSequence:
            self._writer.close()
            open(f"{self._path}.index", "w").close()
            os.remove(f"{self._path}.lockfile")
            self._input = self._writer = None
            raise
        for component in element:
            self._writer.write(graph_message.encode_whole_tensor(component))
        return element

    def close(self) -> None:
        super().close()
        if self._reader is not None:
            self._reader.close()
        if self._writer is not None:  # what is half there is no cache
            self._writer.close()
            os.remove(f"{self._path}.lockfile")
            self._writer = None


def cache(self: Dataset, filename: Any = "") -> Dataset:
    """Keeps the elements of the first walk for those that follow.

    Args:
      filename: of the files that hold them; in memory when empty.
    """
    return self._then(Cache.op, convert_to_tensor(filename, dtypes.string))

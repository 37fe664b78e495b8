"""`RecordInput`: batches of records without end, read ahead by threads, each epoch in a new order.

files, shuffled ──▶ thread 0 ──▶ ┌────────┐
                ──▶ thread 1 ──▶ │ buffer │ ──▶ batches
                                 └────────┘
A record comes to a place of the buffer that is drawn, and what lies last is given first.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import stacks
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import unknown_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import split
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.string_values import as_objects
from minitf.library.formats.file_io import glob, join, not_found
from minitf.library.formats.records import RecordReader, TFRecordOptions, TFRecordWriter

#: how many records a thread keeps before it hands them over
_PIECE = 16


class _Buffer:
    """The records that were read, and the threads that read them."""

    def __init__(
        self, file_pattern: str, seed: int, shift_ratio: float, size: int, parallelism: int,
        compression: str,
    ) -> None:  # fmt: skip
        self._pattern, self._seed, self._shift_ratio = file_pattern, seed, shift_ratio
        self._size, self._parallelism, self._compression = size, parallelism, compression
        self._places = np.random.default_rng(seed)
        self._records: list[bytes] = []
        self._changed = threading.Condition()
        self._is_read = self._closed = False  # is_read: all files of the epoch
        self._error: Exception | None = None
        _started(self._run)

    def _run(self) -> None:
        """The first thread's work: epochs, each of which waits until the last is used up."""
        for epoch in itertools.count(1):
            shards: list[Sequence[str]] = []
            try:
                shards = self._shards(epoch)
            except Exception as error:
                self._fail(error)
            for thread in [_started(self._read, shard) for shard in shards]:
                thread.join()
            with self._changed:
                self._is_read = True
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._ended or not self._records)
                self._is_read = False
                if self._ended:
                    return

    @property
    def _ended(self) -> bool:
        return self._closed or self._error is not None

    def _shards(self, epoch: int) -> list[Sequence[str]]:
        """The files of each thread."""
        names = glob(self._pattern.split(","))
        if not names:
            raise not_found(f"Found no files at {self._pattern}")
        np.random.default_rng((self._seed, epoch)).shuffle(names)
        if 0 <= self._shift_ratio < 1:
            shift = int(self._shift_ratio * len(names))
            names = names[shift:] + names[:shift]
        count = min(self._parallelism, len(names))
        return [names[i::count] for i in range(count)]

    def _read(self, names: Sequence[str]) -> None:
        """Another thread's work: the records of some files, the last of a piece first."""
        piece: list[bytes] = []
        try:
            for name in names:
                with RecordReader(name, self._compression) as reader:
                    for record in reader:
                        piece.append(record)
                        if len(piece) >= _PIECE and not self._add(piece):
                            return
            while piece and self._add(piece):
                pass
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        with self._changed:
            self._error = self._error or error
            self._changed.notify_all()

    def _add(self, piece: list[bytes]) -> bool:
        """Moves as many records as there is room for, at least one; False when nobody wants any."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or len(self._records) < self._size)
            while piece and len(self._records) < self._size and not self._ended:
                self._records.append(piece.pop())
                place, last = int(self._places.integers(len(self._records))), self._records[-1]
                self._records[place], self._records[-1] = last, self._records[place]
            self._changed.notify_all()
            return not self._ended

    def take(self, count: int, step: Any) -> list[bytes]:
        """The next records, once half the buffer is full, or the epoch is read."""
        found: list[bytes] = []
        with self._changed:
            while len(found) < count:
                if self._error is not None:
                    raise self._error
                if len(self._records) >= (1 if self._is_read else max(1, self._size // 2)):
                    found.append(self._records.pop())
                    self._changed.notify_all()
                elif step is None:
                    self._changed.wait(1.0)  # a wait without a limit would keep Ctrl-C out
                else:
                    step.wait_on(self._changed, "RecordInput was cancelled")
        return found

    def close(self) -> None:
        """Lets the threads end."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def _started(work: Any, *args: Any) -> threading.Thread:
    thread = threading.Thread(target=work, args=args, name="minitf-records", daemon=True)
    thread.start()
    return thread


class RecordInputState:
    """What a node keeps on its device; when it is forgotten, the threads end."""

    def __init__(self, *args: Any) -> None:
        self.buffer = _Buffer(*args)
        weakref.finalize(self, self.buffer.close)


def _program(folder: str) -> list:
    """A file of one record, which comes once an epoch."""
    path = join(folder, "records")
    with TFRecordWriter(path) as writer:
        writer.write(b"one")
    return [(record_input_op(file_pattern=path, batch_size=2), as_objects([b"one", b"one"]))]


@op("RecordInput", "-> records: string", differentiable=False, reaches="files", program=_program)
def record_input_op(
    ctx: Any, *, file_pattern: str, file_random_seed: int = 301,
    file_shuffle_shift_ratio: float = 0.0, file_buffer_size: int = 10000,
    file_parallelism: int = 16, batch_size: int = 32, compression_type: str = "", step: Any = None,
) -> Any:  # fmt: skip
    """Gives the next records of files."""
    args = (file_pattern, file_random_seed, file_shuffle_shift_ratio, file_buffer_size)
    state = ctx.shared(
        "record_input", lambda name: RecordInputState(*args, file_parallelism, compression_type)
    )
    return as_objects(state.buffer.take(batch_size, step))


record_input_op.shape(lambda **attrs: unknown_shape())


class RecordInput:
    """Reads TFRecord files in threads, and gives their records in an order that is drawn.

    Args:
      file_pattern: which files, with wildcards; several patterns are separated by commas.
      batch_size: how many records a batch has.
      buffer_size: how many records are read ahead at most; the first is given when it is half full.
      parallelism: how many threads read.
      shift_ratio: by which part of the files, in [0, 1), the drawn order of an epoch is turned.
      seed: of the orders.
      name: the name of the operation.
      batches: how many batches a step gives; one that is not in a list when None.
      compression_type: a member of `TFRecordCompressionType`.
    Example:
      >>> records = RecordInput("train-*.tfrecord", batch_size=32, buffer_size=1000).get_yield_op()
    """

    def __init__(
        self, file_pattern: str, batch_size: int = 1, buffer_size: int = 1, parallelism: int = 1,
        shift_ratio: float = 0, seed: int = 0, name: str | None = None, batches: int | None = None,
        compression_type: Any = None,
    ) -> None:  # fmt: skip
        self._batch_size, self._batches = batch_size * (batches or 1), batches
        self._name = name
        self._attrs: dict[str, Any] = {
            "file_pattern": file_pattern,
            "file_buffer_size": buffer_size,
            "file_parallelism": parallelism,
            "file_shuffle_shift_ratio": float(shift_ratio),
            "file_random_seed": seed,
            "compression_type": TFRecordOptions.get_compression_type_string(compression_type),
        }

    def get_yield_op(self) -> Any:
        """The records of a batch, [batch_size] strings, or a list of lists of scalars."""
        records = record_input_op(batch_size=self._batch_size, name=self._name, **self._attrs)
        if self._batches is None:
            return records
        with stacks.name_scope(self._name):
            each: list[Tensor] = [reshape(r, []) for r in split(records, self._batch_size, 0)]
            return [each[i :: self._batches] for i in range(self._batches)]

"""Readers: operations that give the records of files whose names come from a queue.

    files = tf.train.string_input_producer(["a.csv", "b.csv"])
    key, line = tf.TextLineReader(skip_header_lines=1).read(files)

    queue of names ──▶ open the next file ──▶ (key, value), (key, value), ... ──▶ at its end: again

Every step that reads gets the next record.
"""

from __future__ import annotations

import os
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.graph import Tensor
from minitf.core.graph.op_def import OpDef, op, scalar_shape
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.string_values import as_objects
from minitf.library.formats.file_io import open_file, read_bytes
from minitf.library.formats.records import RecordReader, TFRecordOptions, TFRecordWriter
from minitf.library.input.queues.queues import enqueue_many_op, fifo_queue_op

ReaderReadV2 = namedtuple("ReaderReadV2", "key value")
ReaderReadUpToV2 = namedtuple("ReaderReadUpToV2", "keys values")
Record = tuple[bytes, bytes]

# ---- the records of a file, with their keys ----------------------------------------------


def _lines(work: bytes, *, skip_header_lines: int) -> Iterator[Record]:
    with open_file(work, "rb") as file:
        for number, line in enumerate(file, 1):
            if number > skip_header_lines:
                line = line[:-1] if line.endswith(b"\n") else line
                yield b"%s:%d" % (work, number), line.replace(b"\r", b"")


def _whole_file(work: bytes) -> Iterator[Record]:
    yield work, read_bytes(work)


def _tf_records(work: bytes, *, compression_type: str) -> Iterator[Record]:
    with RecordReader(os.fsdecode(work), compression_type) as reader:
        while True:
            offset = reader.offset
            record = reader.read()
            if record is None:
                return
            yield b"%s:%d" % (work, offset), record


def _pieces(
    work: bytes, *, header_bytes: int, record_bytes: int, footer_bytes: int, hop_bytes: int
) -> Iterator[Record]:
    sizes = (header_bytes, record_bytes, footer_bytes, hop_bytes)
    for name, size in zip(("header", "record", "footer", "hop"), sizes):
        if size < 0:
            raise invalid(f"{name}_bytes must be >= 0 not {size}")
    with open_file(work, "rb") as file:
        end = os.fstat(file.fileno()).st_size - footer_bytes
        start, number = header_bytes, 0
        while start + record_bytes <= end and record_bytes:
            file.seek(start)
            yield b"%s:%d" % (work, number), file.read(record_bytes)
            start, number = start + (hop_bytes or record_bytes), number + 1


class ReaderState:
    """A reader on a device; it works on one file at a time.

    Args:
      open: gives the records of a file.
    """

    def __init__(self, open: Callable[[bytes], Iterator[Record]]) -> None:
        self._open = open
        self._lock = threading.Lock()
        self._records: Iterator[Record] | None = None
        self.num_records_produced = 0

    def _next(self, queue: Any, step: Any) -> Record:
        while True:
            if self._records is None:
                self._records = self._open(queue.dequeue(1, step)[0][0])
            record = self._next_here()
            if record is not None:
                return record

    def _next_here(self) -> Record | None:
        """The next record of the file at hand, or None at its end."""
        assert self._records is not None
        try:
            record = next(self._records, None)
        except BaseException:
            self._records = None
            raise
        if record is None:
            self._records = None
        else:
            self.num_records_produced += 1
        return record

    def read(self, queue: Any, step: Any) -> Record:
        """The next record, for which a file is opened when none is."""
        with self._lock:
            return self._next(queue, step)

    def read_up_to(self, number: int, queue: Any, step: Any) -> list[Record]:
        """The next records, at most `number`, all from one file."""
        with self._lock:
            found = [self._next(queue, step)] if number > 0 else []
            while self._records is not None and len(found) < number:
                record = self._next_here()
                if record is not None:
                    found.append(record)
            return found


# ---- the readers -------------------------------------------------------------------------


def _program(folder: str, make: OpDef, records: list[tuple[str, bytes]], attrs: dict) -> list:
    """Two records are read; for each, what its key has after the file's name, and its value."""
    path = os.path.join(folder, "records")
    if make is tf_record_reader_op:
        with TFRecordWriter(path) as writer:
            writer.write(b"one")
            writer.write(b"two")
    else:
        with open_file(path, "wb") as file:
            file.write(b"one\ntwo\n")
    queue = fifo_queue_op(component_types=(dtypes.string,), shapes=(TensorShape(()),))
    reader = make(**attrs)
    pairs = [[(path + key).encode(), value or path.encode()] for key, value in records]
    return [
        (enqueue_many_op(queue, [[path, path]]), None),
        (read_op(reader, queue), pairs[0]),
        (read_up_to_op(reader, queue, 1), [as_objects([each]) for each in pairs[1]]),
        (num_records_produced_op(reader), np.int64(2)),
    ]


def _declare_reader(
    op_type: str,
    open: Callable[..., Iterator[Record]],
    what: str,
    records: list[tuple[str, bytes]],
    usual: dict[str, Any],
    **sample: int,
) -> OpDef:
    """The operation that makes one kind of reader.

    Args:
      op_type: its type.
      open: gives the records of a file.
      what: the kind of records, for its documentation.
      records: those that the sample gives.
      usual: the attributes, which `open` takes, with their defaults.
      sample: those that the sample has.
    """

    def kernel(ctx: Any, *, container: str = "", shared_name: str = "", **own: Any) -> ReaderState:
        return ctx.shared("reader", lambda name: ReaderState(partial(open, **own)))

    kernel.__doc__ = f"Gives the handle of a reader of {what}."
    declare = op(
        op_type,
        "-> reader_handle: resource",
        differentiable=False,
        program=lambda folder: _program(folder, op_def, records, sample),
        reaches="files",
        attrs=usual,
    )
    op_def: OpDef = declare(kernel)
    op_def.shape(scalar_shape)
    return op_def


_LINES = [(":1", b"one"), (":2", b"two")]
text_line_reader_op = _declare_reader(
    "TextLineReaderV2", _lines, "lines, without their ends", _LINES, {"skip_header_lines": 0}
)
whole_file_reader_op = _declare_reader(
    "WholeFileReaderV2", _whole_file, "whole files", [("", b"one\ntwo\n")] * 2, {}
)
tf_record_reader_op = _declare_reader(
    "TFRecordReaderV2",
    _tf_records,
    "TFRecord files",
    [(":0", b"one"), (":19", b"two")],
    {"compression_type": ""},
)
fixed_length_record_reader_op = _declare_reader(
    "FixedLengthRecordReaderV2",
    _pieces,
    "pieces of one length",
    [(":0", b"one"), (":1", b"two")],
    {"header_bytes": 0, "record_bytes": 0, "footer_bytes": 0, "hop_bytes": 0},
    record_bytes=3,
    hop_bytes=4,
)

# ---- reading -----------------------------------------------------------------------------


_reading = partial(
    op,
    differentiable=False,
    program=lambda folder: _program(folder, text_line_reader_op, _LINES, {}),
)


@_reading(
    "ReaderReadV2", "reader_handle: resource, queue_handle: resource -> key: string, value: string"
)
def read_op(ctx: Any, reader_handle: Any, queue_handle: Any, *, step: Any = None) -> Any:
    """Gives the next record and its key, waiting for the name of a file when one is needed."""
    return reader_handle.read(queue_handle, step)


read_op.shape(lambda reader_handle, queue_handle: [TensorShape(())] * 2)


@_reading(
    "ReaderReadUpToV2",
    "reader_handle: resource, queue_handle: resource, num_records: int64 -> keys: string, "
    "values: string",
)
def read_up_to_op(
    ctx: Any, reader_handle: Any, queue_handle: Any, num_records: Any, *, step: Any = None
) -> Any:
    """Gives the next records of one file, at most `num_records`, and their keys."""
    records = reader_handle.read_up_to(int(num_records), queue_handle, step)
    return as_objects(key for key, _ in records), as_objects(value for _, value in records)


read_up_to_op.shape(lambda reader_handle, queue_handle, num_records: [TensorShape([None])] * 2)


@_reading("ReaderNumRecordsProducedV2", "reader_handle: resource -> records_produced: int64")
def num_records_produced_op(ctx: Any, reader_handle: Any) -> Any:
    """Counts the records read."""
    return np.int64(reader_handle.num_records_produced)


num_records_produced_op.shape(scalar_shape)

# ---- the public classes ------------------------------------------------------------------


class ReaderBase:
    """What all readers can do.

    Args:
      reader_ref: the handle.
    """

    def __init__(self, reader_ref: Tensor) -> None:
        self._reader_ref = reader_ref

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next record, a pair `(key, value)` of strings.

        Args:
          queue: of the names of files.
          name: the name.
        Raises (when it runs):
          OutOfRangeError: when the last file has been read, and the queue is closed.
        """
        handle = queue if isinstance(queue, Tensor) else queue.queue_ref
        return ReaderReadV2(*read_op(self._reader_ref, handle, name=name))

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """The next records of one file, at most `num_records`: `(keys, values)`."""
        handle = queue if isinstance(queue, Tensor) else queue.queue_ref
        return ReaderReadUpToV2(*read_up_to_op(self._reader_ref, handle, num_records, name=name))

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """An int64 tensor: how many records were read."""
        return num_records_produced_op(self._reader_ref, name=name)


class TextLineReader(ReaderBase):
    """Reads text files line by line; keys are "file:line", counted from 1.

    Args:
      skip_header_lines: how many lines at the beginning of each file are left out.
      name: the name.
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(text_line_reader_op(skip_header_lines=skip_header_lines or 0, name=name))


class WholeFileReader(ReaderBase):
    """Reads whole files; the key is the name."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(whole_file_reader_op(name=name))


class TFRecordReader(ReaderBase):
    """Reads TFRecord files; keys are "file:offset".

    Args:
      name: the name.
      options: `TFRecordOptions`, for compressed files.
    """

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        compression = TFRecordOptions.get_compression_type_string(options)
        super().__init__(tf_record_reader_op(compression_type=compression, name=name))


class FixedLengthRecordReader(ReaderBase):
    """Reads files in pieces of one length; keys are "file:number", counted from 0.

    Args:
      record_bytes: the length.
      header_bytes, footer_bytes: what is left out at the ends of each file.
      hop_bytes: from the start of one piece to that of the next; `record_bytes` when None.
      name: the name.
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            fixed_length_record_reader_op(
                record_bytes=record_bytes,
                header_bytes=header_bytes or 0,
                footer_bytes=footer_bytes or 0,
                hop_bytes=hop_bytes or 0,
                name=name,
            )
        )

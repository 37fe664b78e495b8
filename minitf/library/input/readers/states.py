"""What a reader does: takes names of files out of a queue, and gives their records one by one.

queue of names ──▶ open the next file ──▶ (key, value), (key, value), ... ──▶ at its end: again
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, final

from minitf.core.ops.elementwise import invalid
from minitf.library.formats.file_io import open_file, read_bytes
from minitf.library.formats.records import RecordReader

Record = tuple[bytes, bytes]


class ReaderState(ABC):
    """A reader on a device; it works on one file at a time."""

    #: whether a file is one record: then its state says where the reader is
    _whole: ClassVar[bool] = False

    def __init__(self) -> None:
        self.name = type(self).__name__.replace("State", "Reader")  # for errors
        self._lock = threading.Lock()
        self._records: Iterator[Record] | None = None
        self._work = b""
        self.num_records_produced = 0
        self.num_work_units_completed = 0

    @abstractmethod
    def _open(self, work: bytes) -> Iterator[Record]:
        """The records of one file."""

    def _next(self, queue: Any, step: Any) -> Record:
        while True:
            if self._records is None:
                self._work = queue.dequeue(1, step)[0][0]
                self._records = self._open(self._work)
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
        if record is not None:
            self.num_records_produced += 1
        if record is None or self._whole:
            self._records = None
            self.num_work_units_completed += 1
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

    def reset(self) -> None:
        """Forgets the file at hand, and the counts."""
        with self._lock:
            self._records, self._work = None, b""
            self.num_records_produced = self.num_work_units_completed = 0


@final
class TextLineState(ReaderState):
    """Gives the lines of text files, without their ends."""

    def __init__(self, skip_header_lines: int) -> None:
        super().__init__()
        self._skip = skip_header_lines

    def _open(self, work: bytes) -> Iterator[Record]:
        with open_file(work, "rb") as file:
            for number, line in enumerate(file, 1):
                if number > self._skip:
                    line = line[:-1] if line.endswith(b"\n") else line
                    yield b"%s:%d" % (work, number), line.replace(b"\r", b"")


@final
class WholeFileState(ReaderState):
    """Gives whole files."""

    _whole = True

    def _open(self, work: bytes) -> Iterator[Record]:
        yield work, read_bytes(work)


@final
class TFRecordState(ReaderState):
    """Gives the records of TFRecord files."""

    def __init__(self, compression_type: str) -> None:
        super().__init__()
        self._compression = compression_type

    def _open(self, work: bytes) -> Iterator[Record]:
        with RecordReader(os.fsdecode(work), self._compression) as reader:
            while True:
                offset = reader.offset
                record = reader.read()
                if record is None:
                    return
                yield b"%s:%d" % (work, offset), record


@final
class FixedLengthRecordState(ReaderState):
    """Gives pieces of one length.

    Args:
      header_bytes, footer_bytes: what is left out at the ends of the file.
      record_bytes: the length.
      hop_bytes: from the start of one to the start of the next; the length when 0.
    """

    def __init__(
        self, header_bytes: int, record_bytes: int, footer_bytes: int, hop_bytes: int
    ) -> None:
        super().__init__()
        sizes = (header_bytes, record_bytes, footer_bytes, hop_bytes)
        for name, size in zip(("header", "record", "footer", "hop"), sizes):
            if size < 0:
                raise invalid(f"{name}_bytes must be >= 0 not {size}")
        self._header, self._size, self._footer = header_bytes, record_bytes, footer_bytes
        self._hop = hop_bytes or record_bytes

    def _open(self, work: bytes) -> Iterator[Record]:
        with open_file(work, "rb") as file:
            end = os.fstat(file.fileno()).st_size - self._footer
            start, number = self._header, 0
            while start + self._size <= end and self._size:
                file.seek(start)
                yield b"%s:%d" % (work, number), file.read(self._size)
                start, number = start + self._hop, number + 1

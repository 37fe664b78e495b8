"""Datasets of files: lines of text, rows of values, records, and records of one length."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import IO, Any

import numpy as np

from minitf.core.graph import errors
from minitf.core.graph.op_def import OpDef
from minitf.core.ops.elementwise import invalid
from minitf.library.formats.file_io import open_file
from minitf.library.formats.records import RecordReader
from minitf.library.input.data.iterator_ops import dataset_op
from minitf.library.input.data.runtime import Context, Cursor, Element, EndOfSequence, Source
from minitf.library.parsing.parsing import decode_csv_op


def _compression(kind: Any) -> str:
    text = bytes(kind).decode()
    if text not in ("", "ZLIB", "GZIP"):
        raise invalid("Unsupported compression_type.")
    return text


def _names(filenames: Any) -> list[str]:
    return [bytes(name).decode() for name in np.atleast_1d(np.asarray(filenames, object))]


def opened(path: str, compression: str) -> IO[bytes]:
    """A file to read, what was compressed already decompressed."""
    raw = open_file(path, "rb")
    if compression == "GZIP":
        return _Unzipped(raw)  # type: ignore[return-value]
    if compression == "ZLIB":
        return _Inflated(raw)  # type: ignore[return-value]
    return raw


class _Unzipped(gzip.GzipFile):
    """A gzip file that closes what it reads from."""

    def __init__(self, raw: IO[bytes]) -> None:
        super().__init__(fileobj=raw)
        self._source = raw

    def close(self) -> None:
        super().close()
        self._source.close()


class _Inflated:
    """A file of one zlib stream, read piece by piece."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw, self._inflate = raw, zlib.decompressobj()
        self._ready = b""

    def read(self, size: int) -> bytes:
        while len(self._ready) < size and (piece := self._raw.read(1 << 16)):
            self._ready += self._inflate.decompress(piece)
        taken, self._ready = self._ready[:size], self._ready[size:]
        return taken

    def readline(self) -> bytes:
        while b"\n" not in self._ready and (piece := self._raw.read(1 << 16)):
            self._ready += self._inflate.decompress(piece)
        line, end, self._ready = self._ready.partition(b"\n")
        return line + end

    def close(self) -> None:
        self._raw.close()


_BLOCK = 32  # records to read ahead


class Files(Cursor):
    """The records of several files, one file after the other.

    Attributes:
      _file: the file number; _record: how many records of it were read.
    """

    def __init__(self, context: Context, paths: Sequence[str], compression: str) -> None:
        self._paths, self._compression = paths, compression
        self._file, self._record = 0, 0
        self._reader: Any = None
        self._error: Exception | None = None

    def open(self, path: str) -> Any:
        """What reads a file."""
        return opened(path, self._compression)

    def read(self, most: int) -> list[Element]:
        """The next records of the file, fewer only at its end or before an error."""
        raise NotImplementedError

    def next(self) -> Element:
        if not (found := self.some(1)):
            raise EndOfSequence
        return found[0]

    def some(self, most: int) -> list[Element]:
        found = self._read_ahead(most)
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        return found

    def ahead(self) -> list[Element]:
        return self._read_ahead(_BLOCK) or self.some(1)

    def _read_ahead(self, most: int) -> list[Element]:
        """The next elements, fewer at the end or where an error is met, which is kept."""
        found: list[Element] = []
        try:
            while self._error is None and len(found) < most and self._open_next():
                before = len(found)
                found += self.read(most - len(found))
                self._record += len(found) - before
                if len(found) < most and self._error is None:
                    self.close()
                    self._file, self._record = self._file + 1, 0
        except Exception as error:
            self._error = error
        return found

    def _open_next(self) -> bool:
        """Opens the file if it is not open; False when there is none left."""
        if self._reader is None and self._file < len(self._paths):
            self._reader = self.open(self._paths[self._file])
        return self._reader is not None

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None


class Lines(Files):
    """The lines of text files, without their ends."""

    def read(self, most: int) -> list[Element]:
        lines = iter(self._reader.readline, b"")
        return [(line.rstrip(b"\n").removesuffix(b"\r"),) for line in islice(lines, most)]


class Records(Files):
    """The records of TFRecord files."""

    def open(self, path: str) -> RecordReader:
        return RecordReader(path, self._compression)

    def read(self, most: int) -> list[Element]:
        found: list[Element] = []
        try:
            while len(found) < most and (record := self._reader.read()) is not None:
                found.append((record,))
        except errors.OpError as error:
            self._error = error
        return found


class FixedLength(Files):
    """Records of one length, between a header and a footer.

    Args:
      sizes: of a header, a record and a footer, in bytes.
    """

    def __init__(
        self, context: Context, paths: Sequence[str], compression: str, sizes: tuple[int, int, int]
    ) -> None:
        super().__init__(context, paths, compression)
        self._header, self._length, self._footer = sizes
        self._left = 0  # bytes of records

    def open(self, path: str) -> Any:
        size = 0
        with opened(path, self._compression) as counted:  # the footer is what comes last
            while piece := counted.read(1 << 20):
                size += len(piece)
        self._left = size - self._header - self._footer
        if self._left < 0 or self._left % self._length:
            raise invalid(
                f"Excluding the header ({self._header} bytes) and footer ({self._footer} bytes), "
                f'input file "{path}" has body length {self._left} bytes, which is not an exact '
                f"multiple of the record length ({self._length} bytes)."
            )
        reader = opened(path, self._compression)
        reader.read(self._header)
        return reader

    def read(self, most: int) -> list[Element]:
        count = min(most, self._left // self._length)
        self._left -= count * self._length
        return [(self._reader.read(self._length),) for _ in range(count)]


_NO_SAMPLES = "it reads files; tests/library/data/test_files.py runs it"


def _strings_op(op_type: str, source: type[Files], sentence: str) -> OpDef:
    """Declares the dataset of all that is in files of one kind."""

    def kernel(
        xp: Any, filenames: Any, compression_type: Any, buffer_size: Any, **attrs: Any
    ) -> Source:
        return Source(source, _names(filenames), _compression(compression_type))

    kernel.__doc__ = sentence
    signature = "filenames: string, compression_type: string, buffer_size: int64"
    return dataset_op(op_type, signature, reaches="files", no_samples=_NO_SAMPLES)(kernel)


text_line_dataset_op = _strings_op("TextLineDataset", Lines, "The lines of text files.")
tf_record_dataset_op = _strings_op("TFRecordDataset", Records, "The records of TFRecord files.")


@dataset_op(
    "FixedLengthRecordDatasetV2",
    "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, "
    "buffer_size: int64, compression_type: string",
    reaches="files",
    no_samples=_NO_SAMPLES,
)
def fixed_length_record_dataset_op(
    xp: Any,
    filenames: Any,
    header_bytes: Any,
    record_bytes: Any,
    footer_bytes: Any,
    buffer_size: Any,
    compression_type: Any,
    **attrs: Any,
) -> Source:
    """Records of one length."""
    for name, size, least in (
        ("header_bytes", header_bytes, 0),
        ("record_bytes", record_bytes, 1),
        ("footer_bytes", footer_bytes, 0),
    ):
        if size < least:
            raise invalid(f"{name} must be {'> 0' if least else '>= 0'}")
    sizes = int(header_bytes), int(record_bytes), int(footer_bytes)
    return Source(FixedLength, _names(filenames), _compression(compression_type), sizes)


class Rows(Files):
    """The rows of files of comma-separated values; quoted fields may go over several lines.

    Args:
      header: whether the first row of a file is left out.
      quotes: whether there are quoted fields.
      columns: from rows to their columns.
    """

    def __init__(
        self,
        context: Context,
        paths: Sequence[str],
        compression: str,
        header: bool,
        quotes: bool,
        columns: Callable[[Any], Sequence[Any]],
    ) -> None:
        super().__init__(context, paths, compression)
        self._header, self._quotes, self._columns = header, quotes, columns
        self._waiting: list[bytes] = []

    def open(self, path: str) -> Any:
        reader = super().open(path)
        if self._header:
            _row(reader, self._quotes)
        return reader

    def read(self, most: int) -> list[Element]:
        rows, self._waiting = self._waiting[:most], self._waiting[most:]
        rows += islice(iter(lambda: _row(self._reader, self._quotes), None), most - len(rows))
        if not rows:
            return []
        try:
            return list(zip(*self._columns(np.array(rows, object))))
        except errors.OpError:
            return self._before_error(rows)

    def _before_error(self, rows: list[bytes]) -> list[Element]:
        """The elements up to a row that does not fit; those behind it wait for the next call."""
        found: list[Element] = []
        for place, row in enumerate(rows, 1):
            try:
                found.append(tuple(self._columns(row)))
            except errors.OpError as error:  # a row by itself has no number
                self._error = type(error).of(error.message.replace(" in record 0", " in record", 1))
                self._waiting = rows[place:] + self._waiting
                break
        return found

    def close(self) -> None:
        super().close()
        self._waiting = []


def _row(reader: Any, quotes: bool) -> bytes | None:
    """The next row, without its end; None at the end of the file."""
    row = reader.readline()
    while quotes and row.count(b'"') % 2 and (line := reader.readline()):
        row += line
    return row.rstrip(b"\n").removesuffix(b"\r") if row else None


@dataset_op(
    "ExperimentalCSVDataset",
    "filenames: string, compression_type: string, buffer_size: int64, header: bool, "
    "field_delim: string, use_quote_delim: bool, na_value: string, select_cols: int64, "
    "record_defaults: N*?",
    reaches="files",
    no_samples=_NO_SAMPLES,
)
def csv_dataset_op(
    xp: Any,
    filenames: Any,
    compression_type: Any,
    buffer_size: Any,
    header: Any,
    field_delim: Any,
    use_quote_delim: Any,
    na_value: Any,
    select_cols: Any,
    record_defaults: Any,
    **attrs: Any,
) -> Source:
    """The rows of files of comma-separated values, one component a column."""
    columns = partial(
        decode_csv_op.kernel,
        xp,
        record_defaults=record_defaults,
        field_delim=bytes(field_delim).decode(),
        use_quote_delim=bool(use_quote_delim),
        na_value=bytes(na_value).decode(),
        select_cols=[int(column) for column in select_cols],
    )
    parts = bool(header), bool(use_quote_delim), columns
    return Source(Rows, _names(filenames), _compression(compression_type), *parts)

"""Datasets of files: `TextLineDataset`, `TFRecordDataset` and `FixedLengthRecordDataset`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid
from minitf.library.eager.type_specs import TensorSpec
from minitf.library.formats.records import RecordReader, opened
from minitf.library.input.data.cursors import (
    Context,
    Cursor,
    Element,
    EndOfSequence,
    Source,
    dataset_op,
    int64,
)
from minitf.library.input.data.dataset import Dataset, made

# ---- what is read ------------------------------------------------------------------------


_BLOCK = 32  # records to read ahead


class Files(Cursor):
    """The records of several files, one file after the other."""

    def __init__(self, context: Context, paths: Sequence[str], compression: str) -> None:
        self._paths, self._compression = paths, compression
        self._file = 0  # the number of the one that is read
        self._reader: Any = None
        self._error: Exception | None = None

    @classmethod
    def source(cls, filenames: Any, compression: str, buffer_size: int, *rest: Any) -> Source:
        if compression not in ("", "ZLIB", "GZIP"):
            raise invalid("Unsupported compression_type.")
        names = [filenames] if isinstance(filenames, str) else map(os.fsdecode, filenames)
        return Source(cls, list(names), compression, *rest)

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
                found += self.read(most - len(found))
                if len(found) < most and self._error is None:
                    self.close()
                    self._file += 1
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


#: how the operations are declared
file_op = partial(
    dataset_op,
    reaches="files",
    no_samples="it reads files; tests/library/data/test_files.py runs it",
)
_SIGNATURE = "filenames: string, compression_type: string, buffer_size: int64"


@file_op("TextLineDataset", _SIGNATURE)
class Lines(Files):
    """The lines of text files, without their ends."""

    def read(self, most: int) -> list[Element]:
        lines = iter(self._reader.readline, b"")
        return [(line.rstrip(b"\n").removesuffix(b"\r"),) for line in islice(lines, most)]


@file_op("TFRecordDataset", _SIGNATURE)
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


@file_op(
    "FixedLengthRecordDatasetV2",
    "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, "
    "buffer_size: int64, compression_type: string",
)
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

    @classmethod
    def source(  # type: ignore[override]
        cls, filenames: Any, header: int, record: int, footer: int, buffer: int, compression: str
    ) -> Source:
        for name, size, least in (
            ("header", header, 0),
            ("record", record, 1),
            ("footer", footer, 0),
        ):
            if size < least:
                raise invalid(f"{name}_bytes must be {'> 0' if least else '>= 0'}")
        return super().source(filenames, compression, buffer, (header, record, footer))

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


# ---- the datasets ------------------------------------------------------------------------


class _FileDataset(Dataset):
    """A dataset of what files hold.

    Args:
      filenames: a scalar or vector of names, or a dataset of names.
      num_parallel_reads: how many files are read at the same time, in turns; None for one.
      read: makes the operation, from a tensor of names.
    """

    def __init__(
        self, filenames: Any, num_parallel_reads: Any, read: Callable[[Tensor], Tensor]
    ) -> None:
        spec = TensorSpec([], dtypes.string)
        if not isinstance(filenames, Dataset):
            names = convert_to_tensor(filenames, dtype=dtypes.string, name="filenames")
            if num_parallel_reads is None:
                super().__init__(read(names), spec)
                return
            filenames = Dataset.from_tensor_slices(names)

        def one_file(name: Tensor) -> Dataset:
            return Dataset(read(name), spec)

        if num_parallel_reads is None:
            whole = filenames.flat_map(one_file)
        else:
            whole = filenames.interleave(one_file, num_parallel_reads, 1, num_parallel_reads)
        super().__init__(whole._variant_tensor, spec, [filenames])


def _text(value: Any, name: str) -> Tensor:
    return convert_to_tensor("" if value is None else value, dtype=dtypes.string, name=name)


def _size(value: Any, name: str, default: int = 256 * 1024) -> Tensor:
    return int64(default if value is None else value, name)


class _StringFiles(_FileDataset):
    """Files whose elements one operation reads, given nothing but how they are compressed."""

    _read_op: OpDef

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
    ) -> None:
        options = _text(compression_type, "compression_type"), _size(buffer_size, "buffer_size")
        spec = TensorSpec([], dtypes.string)
        super().__init__(
            filenames, num_parallel_reads, lambda names: made(self._read_op, spec, names, *options)
        )


class TextLineDataset(_StringFiles):
    """The lines of text files, without their ends.

    Args:
      filenames: a name, several, or a dataset of names.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: accepted.
      num_parallel_reads: how many files are read at the same time, in turns.
    Example:
      >>> with tf.gfile.GFile("/tmp/lines.txt", "w") as file:
      ...     file.write("one\\ntwo\\n")
      >>> line = tf.data.TextLineDataset("/tmp/lines.txt").make_one_shot_iterator().get_next()
      >>> sess.run(line)
      b'one'
    """

    _class_name = "TextLineDatasetV1"
    _read_op = Lines.op


class TFRecordDataset(_StringFiles):
    """The records of TFRecord files, as strings.

    Args:
      filenames, compression_type, buffer_size, num_parallel_reads: as of `TextLineDataset`.
    Raises (when it runs):
      DataLossError: when a record is damaged; names the file and the place.
    """

    _class_name = "TFRecordDatasetV1"
    _read_op = Records.op


class FixedLengthRecordDataset(_FileDataset):
    """Records of one length, as strings.

    Args:
      filenames: a name, several, or a dataset of names.
      record_bytes: the length.
      header_bytes, footer_bytes: what stands before and behind them in each file.
      buffer_size, compression_type, num_parallel_reads: as of `TextLineDataset`.
    """

    _class_name = "FixedLengthRecordDatasetV1"

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
    ) -> None:
        sizes = [
            _size(header_bytes, "header_bytes", 0),
            _size(record_bytes, "record_bytes"),
            _size(footer_bytes, "footer_bytes", 0),
            _size(buffer_size, "buffer_size"),
        ]
        compression = _text(compression_type, "compression_type")
        spec = TensorSpec([], dtypes.string)
        super().__init__(
            filenames,
            num_parallel_reads,
            lambda names: made(FixedLength.op, spec, names, *sizes, compression),
        )

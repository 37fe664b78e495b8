"""TFRecord files: a sequence of byte strings, each guarded by two checksums.

    +-----------------+--------------------------+-----------+------------------------+
    | length  uint64  | masked CRC of the length | the bytes | masked CRC of the bytes|   repeated
    +-----------------+--------------------------+-----------+------------------------+
      little-endian     uint32                                 uint32

The whole file may be compressed with gzip or zlib. Data sets are kept in such files, and so are the
events that TensorBoard reads.

The checksum is CRC-32C, which checkpoints have, too. The C extension `google-crc32c` computes it
when it is installed. Without it a table does, which holds what two bytes make of the state. A long
message is cut into lanes, which NumPy takes through the table side by side; then the lanes are
joined, for the checksum is linear:

    |  lane 0  |  lane 1  |  lane 2  | rest |     state = state moved past a lane of zeros ^ lane
"""

from __future__ import annotations

import gzip
import io
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import IO, Any, ClassVar

import numpy as np

from minitf.core.graph import errors
from minitf.library.formats.file_io import open_file, torn

try:
    import google_crc32c
except ImportError:  # records and checkpoints can be read and written without it
    google_crc32c = None  # type: ignore[assignment]
else:
    if google_crc32c.implementation != "c":  # its own Python is slower than ours
        google_crc32c = None  # type: ignore[assignment]

# ---- the checksum ----------------------------------------------------------------------


_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8
_LANE = 256  # bytes
_WORTH_LANES = 16  # lanes; fewer take longer side by side than byte by byte


@cache
def _tables() -> tuple[np.ndarray, list[int], list[list[int]]]:
    """[65536] what two bytes make of an empty state, [256] one byte; and what a lane of zeros does.

    The last, [4][256], is for each byte of a state that byte moved past a lane of zeros.
    """
    table = np.arange(1 << 16, dtype=np.uint32)
    for _ in range(16):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1)
    moved = np.arange(256, dtype=np.uint32) << np.arange(0, 32, 8, dtype=np.uint32)[:, None]
    for _ in range(_LANE // 2):
        moved = table[moved & 0xFFFF] ^ (moved >> 16)
    return table, table[::256].tolist(), moved.tolist()  # a zero byte leaves 0 as it is


def crc32c_in_numpy(data: Any, before: int = 0) -> int:
    """`crc32c` without the C extension."""
    array = np.frombuffer(data, np.uint8)
    state = before ^ 0xFFFFFFFF
    pairs, single, (first, second, third, fourth) = _tables()
    lanes = len(array) // _LANE
    if lanes >= _WORTH_LANES:
        states = np.zeros(lanes, np.uint32)
        for pair in array[: lanes * _LANE].view("<u2").reshape(lanes, -1).T.copy():
            states = pairs[(states ^ pair) & 0xFFFF] ^ (states >> 16)
        for lane in states.tolist():
            low, high = state & 0xFFFF, state >> 16
            state = first[low & 0xFF] ^ second[low >> 8] ^ third[high & 0xFF] ^ fourth[high >> 8]
            state ^= lane
        array = array[lanes * _LANE :]
    for byte in array.tolist():
        state = single[(state ^ byte) & 0xFF] ^ (state >> 8)
    return state ^ 0xFFFFFFFF


def crc32c(data: Any, before: int = 0) -> int:
    """Returns the CRC-32C of bytes or of any contiguous buffer.

    Args:
      data: the bytes; an array is one of uint8.
      before: the CRC of what comes before them, when they are checked piece by piece.

    Example:
      >>> hex(crc32c(b"123456789"))
      '0xe3069283'
    """
    if google_crc32c is None:
        return crc32c_in_numpy(data, before)
    if not isinstance(data, (bytes, np.ndarray)):  # the extension takes no other buffers
        data = memoryview(data).tobytes()
    return google_crc32c.extend(before, data)


def mask(crc: int) -> int:
    """Returns a CRC as files store it: turned and moved, since CRCs of CRCs are weak."""
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & 0xFFFFFFFF


def unmask(masked: int) -> int:
    """Returns the CRC that `mask` was given."""
    turned = (masked - _MASK_DELTA) & 0xFFFFFFFF
    return ((turned >> 17) | (turned << 15)) & 0xFFFFFFFF


def masked_crc32c(data: Any) -> int:
    """Returns `mask(crc32c(data))`."""
    return mask(crc32c(data))


# ---- TFRecord files --------------------------------------------------------------------


_HEADER = struct.Struct("<QI")
_FOOTER = struct.Struct("<I")
_PIECE = 1 << 18  # bytes to read from a file at once
_WINDOW_BITS = {"GZIP": 31, "ZLIB": 15}


class TFRecordCompressionType:
    """How a file of records is compressed, as the first releases said it."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


@dataclass(eq=False)
class TFRecordOptions:
    """Options of a file of records.

    Args:
      compression_type: "GZIP", "ZLIB", "" or None, or one of `TFRecordCompressionType`.
      flush_mode, input_buffer_size, output_buffer_size, window_bits, compression_method,
        mem_level, compression_strategy: accepted.
      compression_level: 0 (none) to 9 (smallest).
    Raises:
      ValueError: when there is no such compression.
    """

    compression_type_map: ClassVar = {0: "", 1: "ZLIB", 2: "GZIP"}

    compression_type: Any = None
    flush_mode: int | None = None
    input_buffer_size: int | None = None
    output_buffer_size: int | None = None
    window_bits: int | None = None
    compression_level: int | None = None
    compression_method: int | None = None
    mem_level: int | None = None
    compression_strategy: int | None = None

    def __post_init__(self) -> None:
        self.get_compression_type_string(self.compression_type)

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The compression of options, or of what stands for them: "", "GZIP" or "ZLIB"."""
        if isinstance(options, TFRecordOptions):
            options = options.compression_type
        names: dict[Any, str] = {None: "", **{kind: kind for kind in ("", "ZLIB", "GZIP")}}
        names |= cls.compression_type_map
        try:
            return names[options]
        except (KeyError, TypeError):
            raise ValueError(f'Not a valid compression_type: "{options}"') from None


def _guarded(data: bytes) -> bytes:
    """Bytes, and their checksum behind them."""
    return data + _FOOTER.pack(masked_crc32c(data))


class TFRecordWriter(AbstractContextManager["TFRecordWriter"]):
    """Writes records to a file.

    Args:
      path: the file, which is made anew.
      options: `TFRecordOptions`, a compression's name, or None.
    Raises:
      NotFoundError: when the folder does not exist.
    Example:
      >>> with tf.python_io.TFRecordWriter("/tmp/train.tfrecord") as writer:
      ...     writer.write(b"a record, an Example as a rule")
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        kind = TFRecordOptions.get_compression_type_string(options)
        level = getattr(options, "compression_level", None)
        self._file: IO[bytes] | None = open_file(path, "wb")
        self._compressor = None
        if kind:
            self._compressor = zlib.compressobj(
                -1 if level is None else level, zlib.DEFLATED, _WINDOW_BITS[kind]
            )

    def write(self, record: bytes | str) -> None:
        """Appends one record.

        Raises:
          TypeError: when it is neither bytes nor text.
          FailedPreconditionError: when the writer is closed.
        """
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, (bytes, bytearray)):
            raise TypeError(f"write() takes bytes or a string, not {type(record).__name__}")
        self._write(_guarded(len(record).to_bytes(8, "little")) + _guarded(record))

    def _write(self, data: bytes) -> None:
        if self._file is None:
            raise errors.FailedPreconditionError(
                None, None, "Writer not initialized or previously closed"
            )
        self._file.write(data if self._compressor is None else self._compressor.compress(data))

    def flush(self) -> None:
        """Hands what was written to the operating system."""
        if self._compressor is not None and self._file is not None:
            self._file.write(self._compressor.flush(zlib.Z_SYNC_FLUSH))
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Ends the file."""
        if self._file is None:
            return
        if self._compressor is not None:
            self._file.write(self._compressor.flush())
        self._file.close()
        self._file = None

    def __exit__(self, *exc_info: Any) -> None:
        self.close()


def opened(path: Any, compression: str) -> IO[bytes]:
    """A file to read, what was compressed already decompressed.

    Args:
      path: the file.
      compression: "", "GZIP" or "ZLIB".
    """
    raw = open_file(path, "rb")
    if compression == "GZIP":
        return _Unzipped(raw)  # type: ignore[return-value]
    return io.BufferedReader(_Inflated(raw), _PIECE) if compression else raw


class _Unzipped(gzip.GzipFile):
    """A gzip file that closes what it reads from."""

    def __init__(self, raw: IO[bytes]) -> None:
        super().__init__(fileobj=raw)
        self._source = raw

    def close(self) -> None:
        super().close()
        self._source.close()


class _Inflated(io.RawIOBase):
    """A file of one zlib stream, read piece by piece."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw, self._inflate = raw, zlib.decompressobj()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data, piece = b"", b"more"
        while piece and not data:  # at the end of the file, it may still hold some
            piece = self._inflate.unconsumed_tail or self._raw.read(_PIECE)
            data = self._inflate.decompress(piece, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        super().close()
        self._raw.close()


class RecordReader(AbstractContextManager["RecordReader"]):
    """Reads the records of one file in order.

    Args:
      path: the file.
      compression: "", "GZIP" or "ZLIB".
    """

    def __init__(self, path: Any, compression: str = "") -> None:
        self.path = os.fsdecode(path)
        self.offset = 0  # bytes, of the next record in the uncompressed stream
        self._file = opened(path, compression)
        self._piece, self._at = b"", 0  # what was read ahead, and how much of it was taken
        self._good_head = b""  # the last whose checksum fitted: many records are of one length

    def read(self) -> bytes | None:
        """The next record, or None at the end of the file.

        Raises:
          DataLossError: when a checksum does not fit, or the file ends within a record.
        """
        offset = self.offset
        head = self._bytes(12, offset)
        if len(head) < 12:
            return None
        length, crc = _HEADER.unpack(head)
        if head != self._good_head:
            if crc != masked_crc32c(head[:8]):
                hint = " (Is this even a TFRecord file?)" if offset == 0 else ""
                raise self._damage(f"corrupted record at {offset}{hint}")
            self._good_head = head
        body = self._bytes(length + 4, offset)
        if len(body) < length + 4:
            raise self._damage(
                f"truncated record at {offset}' failed with Read less bytes than requested"
            )
        record = body[:length]
        if _FOOTER.unpack_from(body, length)[0] != masked_crc32c(record):
            raise self._damage(f"corrupted record at {offset + 12}")
        self.offset = offset + length + 16
        return record

    def _bytes(self, size: int, offset: int) -> bytes:
        """The next bytes of the file, which is read in large pieces; fewer at its end."""
        at, end = self._at, self._at + size
        if end > len(self._piece):
            rest = self._piece[at:]
            self._piece = rest + self._read(max(size - len(rest), _PIECE), offset)
            at, end = 0, size
        self._at = end
        return self._piece[at:end]

    def _read(self, size: int, offset: int) -> bytes:
        try:
            return self._file.read(size)
        except (OSError, EOFError, zlib.error, MemoryError, OverflowError) as error:
            raise self._damage(f"corrupted record at {offset}: {error}") from None

    def _damage(self, text: str) -> errors.OpError:
        return torn(f"{text}; {self.path}")

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __exit__(self, *exc_info: Any) -> None:
        self.close()

    def __iter__(self) -> Iterator[bytes]:
        while (record := self.read()) is not None:
            yield record


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Yields the records of a file, as bytes.

    Args:
      path: the file.
      options: `TFRecordOptions`, a compression's name, or None.
    Raises:
      NotFoundError: when there is no such file.
      DataLossError: when a record is damaged.
    """
    reader = RecordReader(path, TFRecordOptions.get_compression_type_string(options))
    return _records(reader)


def _records(reader: RecordReader) -> Iterator[bytes]:
    with reader:
        yield from reader

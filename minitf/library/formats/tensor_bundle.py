"""The entries of TensorFlow's checkpoints: what the index says of a tensor, and text as bytes.

    key                     value
    ""                      header: how many data files there are
    "W"                     type, shape, data file, first byte, size, masked CRC-32C of the bytes
    "W"                     type, shape, and its slices, when it was saved in parts; then, for each
    \\0 "W" slice            the same of one part

Keys and values stand in a sorted table (`sstable.py`); the data files are the bytes
of the tensors, little-endian, one after the other and nothing else. A tensor of strings is

    | length of each, a varint | masked CRC of the lengths | the strings |
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import DType
from minitf.library.formats import messages
from minitf.library.formats.records import crc32c, mask
from minitf.library.formats.wire import field, fixed32, read_varint, varint

_HANDLES = (dtypes.resource, dtypes.variant)  # they have no bytes
_BY_NUMBER = {n: dtype for dtype, n in dtypes.ENUM_NUMBERS.items() if dtype not in _HANDLES}
STRING = dtypes.ENUM_NUMBERS[dtypes.string]


@lru_cache
def _little(number: int) -> np.dtype:
    """What NumPy calls numbers of a type as they are in a file."""
    return _BY_NUMBER[number].numpy_dtype.newbyteorder("<")


HEADER = b""  # the key of the header
FULL = -1  # the length of a slice that takes all of an axis

Slice = tuple[tuple[int, int], ...]  # start and length along each axis


# ---- slices: "4 5 0,2:-" says full shape [4, 5], rows 0 and 1, all columns ---------------


def parse_slice(text: str) -> tuple[tuple[int, ...], Slice]:
    """The full shape, and start and length along each axis.

    Raises:
      ValueError: when the text says no slice.
    """
    *sizes, spec = text.split(" ")
    shape = tuple(int(n) for n in sizes)
    places = []
    for size, part in zip(shape, spec.split(":"), strict=True):
        start, length = (0, FULL) if part == "-" else map(int, part.split(","))
        if start < 0 or length < FULL or start + length > size:
            raise ValueError(part)
        places.append((start, length))
    return shape, tuple(places)


def lengths(shape: Sequence[int], places: Slice) -> tuple[int, ...]:
    """The shape of a slice."""
    return tuple(n if length == FULL else length for n, (_, length) in zip(shape, places))


def window(places: Slice) -> tuple[slice, ...]:
    """A slice as NumPy takes it."""
    return tuple(slice(s, None if n == FULL else s + n) for s, n in places)


def _ordered(number: int) -> bytes:
    """A number, not negative, as bytes that sort as numbers do: their count, then themselves."""
    size = (number.bit_length() + 7) // 8
    return bytes([size]) + number.to_bytes(size, "big")


def _ordered_signed(number: int) -> bytes:
    """A number as bytes that sort as numbers do: with as many leading ones as there are bytes."""
    bits = (number if number >= 0 else ~number).bit_length()
    size = bits // 7 + 1
    number &= (1 << 8 * size) - 1
    return (number ^ (((1 << size) - 1) << 7 * size)).to_bytes(size, "big")


def slice_key(name: str, places: Slice) -> bytes:
    """The key of one part of a tensor."""
    text = name.encode().replace(b"\xff", b"\xff\0").replace(b"\0", b"\0\xff")
    numbers = (_ordered_signed(n) for place in places for n in place)
    return b"".join((_ordered(0), text, b"\0\1", _ordered(len(places)), *numbers))


def is_slice_key(key: bytes) -> bool:
    """Whether a key stands for a part of a tensor."""
    return key.startswith(_ordered(0))


# ---- header and entries ------------------------------------------------------------------


def encode_header(shards: int) -> bytes:
    """The value of the key "": number of data files, little-endian, version 1."""
    return messages.encode({"num_shards": shards, "version": {"producer": 1}}, "BundleHeader")


def decode_header(data: bytes) -> int:
    """The number of data files.

    Raises:
      ValueError: when the data are no header, or of files that are not little-endian.
    """
    given = messages.decode(data, "BundleHeader")
    if given.get("endianness"):
        raise ValueError("the tensors are big-endian")
    return given.get("num_shards", 0)


class Entry(NamedTuple):
    """What the index says of a tensor or of a part of one.

    Args:
      number: the type's number in TensorFlow.
      shape: the shape.
      shard: the number of the data file.
      offset: the first byte in it.
      size: the bytes it has.
      crc: the masked CRC-32C of the bytes.
      slices: the parts, when it was saved in parts; shard, offset, size and crc are theirs then.
    """

    number: int
    shape: tuple[int, ...]
    shard: int = 0
    offset: int = 0
    size: int = 0
    crc: int = 0
    slices: tuple[Slice, ...] = ()

    @property
    def dtype(self) -> DType:
        """The type.

        Raises:
          ValueError: when minitf has no such type.
        """
        dtype = _BY_NUMBER.get(self.number)
        if dtype is None:
            raise ValueError(f"tensors of the type number {self.number} are not supported")
        return dtype

    def encode(self) -> bytes:
        """The entry as it stands in the index."""
        given: dict[str, Any] = {
            "dtype": self.number,
            "shape": {"dim": [{"size": size} for size in self.shape]},
            "shard_id": self.shard,
        }
        if self.slices:
            given["slices"] = map(_encode_slice, self.slices)
            return messages.encode(given, "BundleEntry")
        given |= {"offset": self.offset, "size": self.size}
        return messages.encode(given, "BundleEntry") + fixed32(6, self.crc)


def _encode_slice(places: Slice) -> bytes:
    # A length is written even when it is 0: without one the whole axis is meant.
    extents = (
        b"" if length == FULL else field(1, start) + b"\x10" + varint(length)
        for start, length in places
    )
    return b"".join(field(1, extent) for extent in extents)


def decode_entry(data: bytes) -> Entry:
    """Reads an entry.

    Raises:
      ValueError: when the data are none.
    """
    given = messages.decode(data, "BundleEntry")
    shape = tuple(dim.get("size", 0) for dim in given.get("shape", {}).get("dim", ()))
    if min(shape, default=0) < 0:
        raise ValueError("a negative size in a shape")
    slices = tuple(
        tuple(
            (extent.get("start", 0), extent.get("length", FULL))
            for extent in each.get("extent", ())
        )
        for each in given.get("slices", ())
    )
    numbers = (given.get(key, 0) for key in ("shard_id", "offset", "size", "crc32c"))
    return Entry(given.get("dtype", 0), shape, *numbers, slices)


# ---- tensors as bytes --------------------------------------------------------------------


def as_array(value: Any) -> tuple[int, np.ndarray]:
    """A value to be saved, laid out as in a file, after the number of its type."""
    text = isinstance(value, (bytes, str))  # NumPy's own kind of text loses zeros at the end
    array = np.asarray(value, object if text else None)
    number, little = _kind_in_files(array.dtype)
    if number != STRING:
        return number, np.asarray(array, little, order="C")
    if array.dtype.kind in "OSU":
        return STRING, np.asarray(array, object)
    raise TypeError(f"A tensor of {array.dtype} cannot be saved.")


@lru_cache
def _kind_in_files(dtype: np.dtype) -> tuple[int, np.dtype]:
    """The number of a type, text for what has none, and how its elements lie in a file."""
    number = dtypes.ENUM_NUMBERS[dtypes.BY_NUMPY.get(dtype, dtypes.string)]
    return number, dtype if number == STRING else _little(number)


def numbers_of(entry: Entry, raw: np.ndarray) -> np.ndarray:
    """The array of numbers whose bytes are `raw`: a view of them.

    Raises:
      ValueError: when there are too many or too few.
    """
    dtype = _little(entry.number)
    expected = math.prod(entry.shape) * dtype.itemsize
    if entry.size != expected:
        raise ValueError(f"stored size {entry.size}; expected size {expected}")
    return np.ndarray(entry.shape, dtype, raw)


def _length_crc(sizes: np.ndarray) -> int:
    """The CRC of the lengths of strings: each counts as four bytes, or as eight when it is huge."""
    if not len(sizes) or sizes.max() < 1 << 32:
        return crc32c(sizes.astype("<u4").view(np.uint8))
    crc = 0
    for size in sizes:
        crc = crc32c(np.asarray([size], "<u4" if size < 1 << 32 else "<u8").view(np.uint8), crc)
    return crc


def string_bytes(array: np.ndarray) -> tuple[bytes, int]:
    """The bytes of an array of strings, and their CRC-32C."""
    items = [v if isinstance(v, bytes) else str(v).encode() for v in array.ravel()]
    sizes = np.array([len(v) for v in items], np.int64)
    checksum = mask(_length_crc(sizes)).to_bytes(4, "little")
    text = b"".join(items)
    crc = crc32c(text, crc32c(checksum, _length_crc(sizes)))
    return b"".join([*map(varint, sizes.tolist()), checksum, text]), crc


def strings_of(entry: Entry, raw: np.ndarray) -> tuple[np.ndarray, int]:
    """The array of strings whose bytes are `raw`, and the CRC-32C of what was read.

    Raises:
      ValueError: when they are none.
    """
    data = raw.tobytes()
    count = math.prod(entry.shape)
    if count > len(data):  # a length takes a byte
        raise ValueError("Read less bytes than requested")
    at = 0
    lengths_read = []
    for _ in range(count):
        length, at = read_varint(data, at)
        lengths_read.append(min(length, len(data) + 1))
    sizes = np.array(lengths_read, np.int64)
    checksum = data[at : at + 4]
    at += 4
    crc = _length_crc(sizes)
    stored = int.from_bytes(checksum, "little")
    if mask(crc) != stored:
        raise ValueError(
            f"The length checksum does not match: expected {stored} but actual is {mask(crc)}"
        )
    ends = at + np.cumsum(sizes)
    if at > len(data) or (ends[-1] if count else at) != len(data):
        raise ValueError("Read less bytes than requested")
    array = np.empty(count, object)
    array[:] = [data[end - size : end] for size, end in zip(sizes.tolist(), ends.tolist())]
    return array.reshape(entry.shape), crc32c(data[at:], crc32c(checksum, crc))

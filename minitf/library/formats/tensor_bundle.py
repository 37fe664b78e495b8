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
from minitf.library.formats.records import crc32c, mask
from minitf.library.formats.wire import field, fields, fixed32, read_varint, signed, varint

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
    return field(1, shards) + field(3, field(1, 1))


def decode_header(data: bytes) -> int:
    """The number of data files.

    Raises:
      ValueError: when the data are no header, or of files that are not little-endian.
    """
    given = dict(fields(data))
    if given.get(2, 0):
        raise ValueError("the tensors are big-endian")
    shards = given.get(1, 0)
    if not isinstance(shards, int):
        raise ValueError("the header is torn")
    return shards


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
        data = _encode_kind(self.number, self.shape)
        if self.shard:
            data += field(3, self.shard)
        if self.slices:
            return data + b"".join([field(7, _encode_slice(places)) for places in self.slices])
        return data + field(4, self.offset) + field(5, self.size) + fixed32(6, self.crc)


@lru_cache(maxsize=1024)  # a model has few shapes, and many tensors of each
def _encode_kind(number: int, shape: tuple[int, ...]) -> bytes:
    sizes = b"".join([field(2, field(1, n)) for n in shape])
    return field(1, number) + field(2, sizes)


def _encode_slice(places: Slice) -> bytes:
    # A length is written even when it is 0: without one the whole axis is meant.
    extents = (
        b"" if length == FULL else field(1, start) + b"\x10" + varint(length)
        for start, length in places
    )
    return b"".join(field(1, extent) for extent in extents)


def _numbers(data: int | bytes) -> dict[int, int]:
    """The fields of a message of numbers."""
    if isinstance(data, int):
        raise ValueError("a number in place of a message")
    return {key: signed(value) for key, value in fields(data) if isinstance(value, int)}


def _decode_slice(data: bytes) -> Slice:
    extents = (_numbers(extent) for key, extent in fields(data) if key == 1)
    return tuple((extent.get(1, 0), extent.get(2, FULL)) for extent in extents)


@lru_cache(maxsize=1024)
def _decode_shape(data: bytes) -> tuple[int, ...]:
    shape = tuple(_numbers(dim).get(1, 0) for key, dim in fields(data) if key == 2)
    if min(shape, default=0) < 0:
        raise ValueError("a negative size in a shape")
    return shape


def decode_entry(data: bytes) -> Entry:
    """Reads an entry.

    Raises:
      ValueError: when the data are none.
    """
    shape: tuple[int, ...] = ()
    slices: tuple[Slice, ...] = ()
    given = [0] * 7  # the numbers, by that of their field
    for key, value in fields(data):
        if isinstance(value, int):
            if key < 7:
                given[key] = value
        elif key == 2:
            shape = _decode_shape(value)
        elif key == 7:
            slices = (*slices, _decode_slice(value))
    return Entry(given[1], shape, *given[3:], slices)


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

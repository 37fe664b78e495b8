"""The entries of TensorFlow's checkpoints: what the index says of a tensor, and text as bytes.

    key                     value
    ""                      header: how many data files there are
    "W"                     type, shape, data file, first byte, size, masked CRC-32C of the bytes
    "W"                     type, shape, and its slices, when it was saved in parts; then, for each
    \\0 "W" slice            the same of one part

Keys and values stand in a sorted table (minitf/framework/sstable.py); the data files are the bytes
of the tensors, little-endian, one after the other and nothing else. A tensor of strings is

    | length of each, a varint | masked CRC of the lengths | the strings |
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minitf.framework import dtypes
from minitf.framework.crc32c import crc32c, mask
from minitf.framework.dtypes import DType
from minitf.framework.wire import field, fields, fixed32, read_varint, signed, varint

_BY_NUMBER = {number: dtype for dtype, number in dtypes.ENUM_NUMBERS.items()}
_LITTLE = {  # a type as its bytes stand in a file
    dtype: dtype.numpy_dtype.newbyteorder("<") for dtype in dtypes.ALL if dtype != dtypes.string
}
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
        return b"".join(
            (
                field(1, self.number),
                field(2, b"".join([field(2, field(1, n)) for n in self.shape])),
                field(3, self.shard),
                field(4, self.offset),
                field(5, self.size),
                b"" if self.slices else fixed32(6, self.crc),
                *(field(7, _encode_slice(places)) for places in self.slices),
            )
        )


def _encode_slice(places: Slice) -> bytes:
    # A length is written even when it is 0: without one the whole axis is meant.
    extents = (
        b"" if length == FULL else field(1, start) + b"\x10" + varint(length)
        for start, length in places
    )
    return b"".join(field(1, extent) for extent in extents)


def _numbers(data: Any) -> dict[int, int]:
    if not isinstance(data, bytes):
        raise ValueError("a number in place of a message")
    return {key: signed(value) for key, value in fields(data) if isinstance(value, int)}


def _decode_slice(data: Any) -> Slice:
    if not isinstance(data, bytes):
        raise ValueError("a number in place of a message")
    extents = (_numbers(extent) for key, extent in fields(data) if key == 1)
    return tuple((extent.get(1, 0), extent.get(2, FULL)) for extent in extents)


def decode_entry(data: bytes) -> Entry:
    """Reads an entry.

    Raises:
      ValueError: when the data are none.
    """
    shape: tuple[int, ...] = ()
    slices: list[Slice] = []
    given = {1: 0, 3: 0, 4: 0, 5: 0, 6: 0}
    for key, value in fields(data):
        if key == 2:
            if not isinstance(value, bytes):
                raise ValueError("a number in place of a shape")
            shape = tuple(_numbers(dim).get(1, 0) for key, dim in fields(value) if key == 2)
        elif key == 7:
            slices.append(_decode_slice(value))
        elif key in given and isinstance(value, int):
            given[key] = value
    if min(shape, default=0) < 0:
        raise ValueError("a negative size in a shape")
    number, shard, offset, size, crc = given.values()
    return Entry(number, shape, shard, offset, size, crc, tuple(slices))


# ---- tensors as bytes --------------------------------------------------------------------


def as_array(value: Any) -> tuple[DType, np.ndarray]:
    """A value to be saved, with its type; texts become an array of bytes objects."""
    array = (
        value if isinstance(value, (np.ndarray, np.generic)) else np.asarray(value, _kind(value))
    )
    if array.dtype.kind in "OSU":
        return dtypes.string, np.asarray(array, object)
    return dtypes.as_dtype(array.dtype), np.asarray(array)


def _kind(value: Any) -> Any:
    return object if isinstance(value, (bytes, str)) else None  # an "S" would lose zeros at the end


def number_bytes(dtype: DType, array: np.ndarray) -> np.ndarray:
    """The bytes of an array of numbers, as a flat array, which may be a view."""
    flat = np.ascontiguousarray(array, _LITTLE[dtype]).reshape(-1)
    return flat.view(np.uint8)


def numbers_of(entry: Entry, raw: np.ndarray) -> np.ndarray:
    """The array of numbers whose bytes are `raw`: a view of them.

    Raises:
      ValueError: when there are too many or too few.
    """
    dtype = _LITTLE[entry.dtype]
    expected = math.prod(entry.shape) * dtype.itemsize
    if len(raw) != expected:
        raise ValueError(f"stored size {len(raw)}; expected size {expected}")
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
    sizes = np.empty(count, np.int64)
    for i in range(count):
        sizes[i], at = read_varint(data, at)
    checksum = data[at : at + 4]
    at += 4
    crc = _length_crc(sizes)
    stored = int.from_bytes(checksum, "little")
    if mask(crc) != stored:
        raise ValueError(
            f"The length checksum does not match: expected {stored} but actual is {mask(crc)}"
        )
    ends = at + np.cumsum(sizes)
    if count and not (at <= ends[-1] == len(data)) or sizes.min(initial=0) < 0:
        raise ValueError("Read less bytes than requested")
    array = np.empty(count, object)
    array[:] = [data[end - size : end] for size, end in zip(sizes.tolist(), ends.tolist())]
    return array.reshape(entry.shape), crc32c(data[at:], crc32c(checksum, crc))

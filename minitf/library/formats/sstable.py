"""Sorted string tables: one file that maps keys to values, both bytes, in the order of the keys.

    | block | block | ... | metaindex | index | footer |
                                        last key of a block -> where the block is
    block    entries, where every 16th of them begins, kind (0: plain), masked CRC-32C
    entry    bytes shared with the key before, bytes of its own, bytes of the value: three varints;
             then the rest of the key, and the value
    footer   where metaindex and index are, filled up to 40 bytes; eight magic bytes

It is the format of LevelDB, in which TensorFlow keeps the index of a checkpoint.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from minitf.library.formats.records import masked_crc32c
from minitf.library.formats.wire import read_varint, varint

_MAGIC = struct.pack("<Q", 0xDB4775248B80FB57)
_FOOTER = 48  # bytes
_BLOCK = 1 << 18  # bytes after which a block is closed
_CHECKSUM = 4  # bytes
_TRAILER = 1 + _CHECKSUM  # bytes after a block: its kind and its checksum
_EXPANSION = 64  # how many times longer than a block its keys may be when written in full


# ---- writing -----------------------------------------------------------------------------


def _shared(a: bytes, b: bytes) -> int:
    """How many bytes two keys begin with in common."""
    size = min(len(a), len(b))
    differing = int.from_bytes(a[:size], "big") ^ int.from_bytes(b[:size], "big")
    return size - (differing.bit_length() + 7) // 8


def _separator(key: bytes, following: bytes | None) -> bytes:
    """A short key that is not before `key` and is before `following`, or before nothing."""
    if following is not None:
        at = _shared(key, following)
        if at < min(len(key), len(following)) and key[at] + 1 < following[at]:
            return key[:at] + bytes([key[at] + 1])
        return key
    for at, byte in enumerate(key):
        if byte != 0xFF:
            return key[:at] + bytes([byte + 1])
    return key


class _Block:
    """Entries that are being put together, every `interval`th with its whole key."""

    def __init__(self, interval: int = 16) -> None:
        self._interval = interval
        self._parts: list[bytes] = []
        self._restarts = [0]
        self._since = 0
        self.written = 0  # bytes of entries
        self.last = b""

    @property
    def size(self) -> int:
        """The bytes it has by now."""
        return self.written + 4 * len(self._restarts) + 4

    def add(self, key: bytes, value: bytes) -> None:
        """Adds an entry; keys come in order."""
        if self._since == self._interval:
            self._restarts.append(self.written)
            self._since = shared = 0
        else:
            shared = _shared(self.last, key)
        rest = key[shared:]
        sizes = shared, len(rest), len(value)
        head = bytes(sizes) if max(sizes) < 128 else b"".join(map(varint, sizes))
        entry = head + rest + value
        self._parts.append(entry)
        self.written += len(entry)
        self._since += 1
        self.last = key

    def append_to(self, file: bytearray) -> bytes:
        """Adds the block to a file; returns its handle: where it begins, and its size."""
        ends = struct.pack(f"<{len(self._restarts) + 1}I", *self._restarts, len(self._restarts))
        content = b"".join([*self._parts, ends])
        handle = varint(len(file)) + varint(len(content))
        content += b"\0"  # plain: TensorFlow's writer does not compress either
        file += content
        file += struct.pack("<I", masked_crc32c(content))
        return handle


class Table:
    """A table of some keys and values; the last four bytes of values can change.

    Args:
      items: the keys and values, in any order.
    Example:
      >>> parse_table(Table({b"a": b"1"}).data)
      {b'a': b'1'}
    """

    def __init__(self, items: Mapping[bytes, bytes]) -> None:
        file = bytearray()
        self._ends: dict[bytes, int] = {}  # of the values, in the file
        self._blocks: list[tuple[int, int]] = []  # of values: where each begins and ends
        index, block, begin = _Block(interval=1), _Block(), 0
        handle = b""  # of a block that is closed
        for key, value in sorted(items.items()):
            if handle:
                index.add(_separator(block.last, key), handle)
                block, handle, begin = _Block(), b"", len(file)
            block.add(key, value)
            self._ends[key] = begin + block.written
            if block.size >= _BLOCK:
                handle = self._closed(block, file)
        if not handle and items:
            handle = self._closed(block, file)
        metaindex = _Block().append_to(file)
        if handle:
            index.add(_separator(block.last, None), handle)
        footer = metaindex + index.append_to(file)
        #: the bytes of the file
        self.data = bytes(file) + footer.ljust(_FOOTER - len(_MAGIC), b"\0") + _MAGIC

    def _closed(self, block: _Block, file: bytearray) -> bytes:
        begin = len(file)
        handle = block.append_to(file)
        self._blocks.append((begin, len(file) - _CHECKSUM))
        return handle

    def ending_in(self, keys: Sequence[bytes], numbers: np.ndarray) -> bytes:
        """The bytes of the same table with other numbers at the ends of some values.

        Args:
          keys: the keys of the values, which have four bytes or more.
          numbers: for each what it ends in: uint32.
        """
        file = np.frombuffer(self.data, np.uint8).copy()
        places = np.array([self._ends[key] for key in keys], int)[:, None] + np.arange(-4, 0)
        file[places] = numbers.astype("<u4").view(np.uint8).reshape(places.shape)
        for begin, end in self._blocks:
            checksum = struct.pack("<I", masked_crc32c(file[begin:end]))
            file[end : end + _CHECKSUM] = np.frombuffer(checksum, np.uint8)
        return file.tobytes()


# ---- reading -----------------------------------------------------------------------------


def _handle(data: bytes, at: int) -> tuple[int, int, int]:
    offset, at = read_varint(data, at)
    size, at = read_varint(data, at)
    return offset, size, at


def _content(data: bytes, offset: int, size: int) -> bytes:
    """The entries of the block that begins at byte `offset`."""
    end = offset + size
    if size < 4 or end + _TRAILER > len(data) - _FOOTER:
        raise ValueError("truncated block read")
    if struct.unpack_from("<I", data, end + 1)[0] != masked_crc32c(data[offset : end + 1]):
        raise ValueError("block checksum mismatch")
    if data[end]:
        raise ValueError("bad block type" if data[end] > 1 else "a compressed block")
    entries = size - 4 - 4 * struct.unpack_from("<I", data, end - 4)[0]
    if entries < 0:
        raise ValueError("bad block contents")
    return data[offset : offset + entries]


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of a block."""
    key = b""
    at, end = 0, len(block)
    total = 0
    while at < end:
        shared, at = read_varint(block, at)
        own, at = read_varint(block, at)
        size, at = read_varint(block, at)
        if shared > len(key) or at + own + size > end:
            raise ValueError("bad entry in block")
        key = key[:shared] + block[at : at + own]
        at += own + size
        total += len(key)
        if total > _EXPANSION * end:  # or a small file could stand for terabytes of keys
            raise ValueError("keys that are too long")
        yield key, block[at - size : at]


def parse_table(data: bytes) -> dict[bytes, bytes]:
    """Returns what a table holds; every checksum is looked at.

    Time and memory are bounded by the size of the data, whatever they claim.

    Raises:
      ValueError: when the data are not a table, or a torn one.
    """
    if len(data) < _FOOTER:
        raise ValueError("file is too short to be an sstable")
    if data[-len(_MAGIC) :] != _MAGIC:
        raise ValueError("not an sstable (bad magic number)")
    *_, at = _handle(data, len(data) - _FOOTER)
    offset, size, _ = _handle(data, at)
    found: dict[bytes, bytes] = {}
    begin = 0
    for _, handle in _entries(_content(data, offset, size)):
        offset, size, _ = _handle(handle, 0)
        if offset < begin:  # or a small file could name one block a million times
            raise ValueError("blocks out of order")
        begin = offset + size
        found.update(_entries(_content(data, offset, size)))
    return found

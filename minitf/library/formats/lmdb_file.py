"""Reads databases of LMDB, the Lightning Memory-Mapped Database: records sorted by their keys.

A file is a row of pages. The first two say, by turns, where the tree of the last two commits
begins; a branch page leads to further pages, a leaf page holds keys and values, and a value that is
too large for it has pages of its own.

    [meta][meta][leaf][branch][leaf][large value, large value] ...
                  ^─────┘ └─────^──────^

Reading takes nothing but the file; writing is left to the package `lmdb`.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import NamedTuple

from minitf.core.graph.errors import DataLossError
from minitf.library.formats.file_io import read_bytes

_MAGIC, _VERSION = 0xBEEFC0DE, 1
_BRANCH, _LEAF, _OVERFLOW = 0x01, 0x02, 0x04  # kinds of pages
_LARGE, _NESTED, _SEVERAL = 0x01, 0x02, 0x04  # kinds of values
_NO_PAGE = 2**64 - 1
_HEADER = struct.Struct("<QHHHH")  # number, padding, kind, where free space begins and ends
_META = struct.Struct("<IIQQ 48x IHHQQQQQ QQ")  # the table of free pages is of no use to readers
_NODE = struct.Struct("<HHHH")  # a size or the number of a page in two parts, kind, key's length
_MOST_DEPTH = 32


class _Meta(NamedTuple):
    page_size: int
    root: int
    commit: int


def _lost(path: str, text: str) -> Exception:
    return DataLossError(None, None, f"{path}: {text}")


class _Pages:
    """The pages of a file.

    Args:
      path: the file, or the folder that has it.
    Raises:
      DataLossError: when it is no such database.
    """

    def __init__(self, path: str) -> None:
        self.path = os.path.join(path, "data.mdb") if os.path.isdir(path) else path
        self._data = read_bytes(self.path)
        first = self._meta(0)
        metas = [first, self._meta(first.page_size)]
        self._size = first.page_size
        self.root = max(metas, key=lambda meta: meta.commit).root
        self._seen: set[int] = set()

    def _meta(self, at: int) -> _Meta:
        numbers = self._unpack(_META, at + _HEADER.size)
        if numbers[:2] != (_MAGIC, _VERSION):
            raise _lost(self.path, "no LMDB database")
        size = struct.unpack_from("<I", self._data, at + _HEADER.size + 24)[0]
        if size < 256 or size & (size - 1):
            raise _lost(self.path, f"pages of {size} bytes")
        return _Meta(size, numbers[11], numbers[13])

    def _unpack(self, layout: struct.Struct, at: int) -> tuple[int, ...]:
        if at < 0 or at + layout.size > len(self._data):
            raise _lost(self.path, "it ends within a page")
        return layout.unpack_from(self._data, at)

    def records(self, number: int, depth: int = 0) -> Iterator[tuple[bytes, bytes]]:
        """The records that a page leads to, in the order of their keys; they can be read once.

        Raises:
          DataLossError: when the page is none, or was read already: where pages of 100 branches
            lead to the same page again and again, there would be 100 ** 32 of them.
        """
        start = number * self._size
        _, _, kind, free, _ = self._unpack(_HEADER, start)
        known = number in self._seen or depth > _MOST_DEPTH
        if known or not kind & (_BRANCH | _LEAF) or not 0 <= free - _HEADER.size <= self._size:
            raise _lost(self.path, f"page {number} is none of a tree")
        self._seen.add(number)
        count = (free - _HEADER.size) // 2
        for place in self._unpack(struct.Struct(f"<{count}H"), start + _HEADER.size):
            at = start + place
            low, high, flags, width = self._unpack(_NODE, at)
            if kind & _BRANCH:
                yield from self.records(low | high << 16 | flags << 32, depth + 1)
                continue
            if flags & (_NESTED | _SEVERAL):
                raise _lost(self.path, "databases inside of it cannot be read")
            key = self._bytes(at + _NODE.size, width)
            yield key, self._value(at + _NODE.size + width, low | high << 16, flags)

    def _value(self, at: int, size: int, flags: int) -> bytes:
        if not flags & _LARGE:
            return self._bytes(at, size)
        (number,) = self._unpack(struct.Struct("<Q"), at)
        start = number * self._size
        if not self._unpack(_HEADER, start)[2] & _OVERFLOW:
            raise _lost(self.path, f"page {number} holds no large value")
        return self._bytes(start + _HEADER.size, size)

    def _bytes(self, at: int, size: int) -> bytes:
        if at + size > len(self._data):
            raise _lost(self.path, "it ends within a record")
        return self._data[at : at + size]


def read_lmdb(path: str) -> Iterator[tuple[bytes, bytes]]:
    """The records of a database, sorted by their keys.

    Args:
      path: its file, or the folder with the file `data.mdb`.
    Returns: pairs of a key and a value.
    Raises:
      DataLossError: when it is no database of LMDB, or torn.
      NotFoundError: when there is none.
    """
    pages = _Pages(path)
    return iter(()) if pages.root == _NO_PAGE else pages.records(pages.root)

"""Writing the files of a checkpoint, in TensorFlow's own format.

    model-7.index                  where each tensor lies       sstable.py
    model-7.data-00000-of-00002    the bytes of the tensors     tensor_bundle.py
    model-7.data-00001-of-00002    ... those of another device

    write_checkpoint     arrays --> data file, index
    merge_checkpoints    the data files of several devices are renamed, their indexes become one

checkpoint_reader.py reads them. A file is written under another name and renamed when it
is whole, the index last: what a killed program leaves behind is either the old checkpoint or the
new one.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Sequence
from typing import IO, Any

import numpy as np

from minitf.core.graph import errors
from minitf.library.formats import tensor_bundle
from minitf.library.formats.checkpoint_reader import (
    CheckpointReader,
    data_name,
    index_name,
    slice_of,
)
from minitf.library.formats.file_io import file_errors, invalid, write_whole, written_aside
from minitf.library.formats.records import crc32c, mask
from minitf.library.formats.sstable import Table
from minitf.library.formats.tensor_bundle import HEADER, STRING, Entry, Slice

_PIECE = 1 << 21  # bytes that are checked and written at a time; they stay in the cache


def _write_numbers(file: IO[bytes], array: np.ndarray) -> int:
    """Writes an array and returns the CRC-32C of its bytes.

    A variable may be updated meanwhile, by another thread: what is checked is a copy.
    """
    if array.nbytes <= _PIECE:
        data = array.tobytes()
        file.write(data)
        return crc32c(data)
    raw = array.reshape(-1).view(np.uint8)
    copy = np.empty(_PIECE, np.uint8)
    crc = 0
    for start in range(0, len(raw), _PIECE):
        piece = copy[: len(raw) - start]
        piece[:] = raw[start : start + _PIECE]
        crc = crc32c(piece, crc)
        file.write(piece)
    return crc


class _Index:
    """The index of a checkpoint that is being written."""

    def __init__(self) -> None:
        self._table: dict[bytes, bytes] = {}
        self._parted: dict[str, Entry] = {}  # tensors that come in slices

    def add(self, name: str, entry: Entry) -> bytes:
        """Adds a whole tensor; returns its key.

        Raises:
          InvalidArgumentError: when there is one of that name.
        """
        if name in self._parted:
            raise _duplicate(name)
        return self._put(name.encode(), name, entry)

    def add_part(self, name: str, shape: tuple[int, ...], places: Slice, entry: Entry) -> bytes:
        """Adds a slice of a tensor whose shape is `shape`; returns its key."""
        whole = self._parted.get(name)
        if whole is None:
            if name.encode() in self._table:
                raise _duplicate(name)
            whole = Entry(entry.number, shape)
        if (whole.number, whole.shape) != (entry.number, shape):
            raise invalid(f"The slices of tensor {name} differ in type or full shape")
        key = self._put(tensor_bundle.slice_key(name, places), name, entry)
        self._parted[name] = whole._replace(slices=(*whole.slices, places))
        return key

    def _put(self, key: bytes, name: str, entry: Entry) -> bytes:
        if key in self._table:
            raise _duplicate(name)
        self._table[key] = entry.encode()
        return key

    def table(self, shards: int) -> Table:
        """What the file holds."""
        self._table[HEADER] = tensor_bundle.encode_header(shards)
        for name, whole in self._parted.items():
            self._table[name.encode()] = whole.encode()
        return Table(self._table)


@functools.lru_cache(4)
def _form(
    names: tuple[str, ...], slices: tuple[str, ...], kinds: tuple[tuple[int, tuple, int], ...]
) -> tuple[Table, list[bytes]]:
    """The index of a checkpoint but for the checksums: all that changes from save to save.

    Args:
      names, slices: see `write_checkpoint`.
      kinds: of each array type, shape and bytes.
    Returns: the index, and the key of each array.
    """
    index, keys, offset = _Index(), [], 0
    for name, text, (number, shape, size) in zip(names, slices, kinds, strict=True):
        entry = Entry(number, shape, 0, offset, size)
        offset += size
        if text:
            keys.append(index.add_part(name, *slice_of(text, name, shape), entry))
        else:
            keys.append(index.add(name, entry))
    return index.table(1), keys


def _duplicate(name: str) -> errors.OpError:
    return invalid(f"Adding duplicate key: {name}")


def write_checkpoint(
    prefix: str, names: Sequence[str], slices: Sequence[str], arrays: Sequence[Any]
) -> None:
    """Writes a checkpoint of one data file; the directory is made when it is not there.

    Args:
      prefix: path of the checkpoint, without any suffix.
      names: the name of each tensor; one that comes in slices is named once for each.
      slices: "" for a whole tensor, else its full shape and place: "4 5 0,2:0,5".
      arrays: the values.
    Raises:
      InvalidArgumentError: when a name comes twice.
      OpError: when the files cannot be written.
    """
    values = [tensor_bundle.as_array(value) for value in arrays]
    total = sum([array.nbytes for number, array in values if number != STRING])
    kinds, checksums = [], []
    with file_errors(prefix):
        os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
        with written_aside(data_name(prefix, 0, 1), total) as file:
            for number, array in values:
                if number == STRING:
                    data, crc = tensor_bundle.string_bytes(array)
                    file.write(data)
                    size = len(data)
                else:
                    crc = _write_numbers(file, array)
                    size = array.nbytes
                kinds.append((number, array.shape, size))
                checksums.append(mask(crc))
            table, keys = _form(tuple(names), tuple(slices), tuple(kinds))
        data = table.ending_in(keys, np.array(checksums, np.uint32))
        write_whole(index_name(prefix), data)


def merge_checkpoints(prefixes: Sequence[str], destination: str, delete_old_dirs: bool) -> None:
    """Makes one checkpoint of several, by renaming their data files.

    Args:
      prefixes: the checkpoints to merge, which are gone afterwards.
      destination: the prefix of the one that is made.
      delete_old_dirs: also remove the directories they were in, when these are empty.
    """
    readers = [CheckpointReader(prefix) for prefix in prefixes]
    shards = sum(reader.shards for reader in readers)
    index = _Index()
    moves: list[tuple[str, str]] = []
    for reader in readers:
        first = len(moves)
        moves += [
            (data_name(reader.prefix, i, reader.shards), data_name(destination, first + i, shards))
            for i in range(reader.shards)
        ]
        for name in sorted(reader.names):
            whole = reader.entry(name)
            for places in whole.slices:
                part = reader.part(name, places)
                part = part._replace(shard=part.shard + first)
                index.add_part(name, whole.shape, places, part)
            if not whole.slices:
                index.add(name, whole._replace(shard=whole.shard + first))
    with file_errors(destination):
        os.makedirs(os.path.dirname(destination) or ".", exist_ok=True)
        for source, target in moves:
            os.replace(source, target)
        write_whole(index_name(destination), index.table(shards).data)
        for reader in readers:
            os.remove(index_name(reader.prefix))
        if delete_old_dirs:
            for directory in {os.path.dirname(p) for p in prefixes} - {
                os.path.dirname(destination)
            }:
                # Not empty when a step that was given up is still writing there; TensorFlow passes
                # over it as well.
                with contextlib.suppress(OSError):
                    os.rmdir(directory)

"""Reading checkpoints: the index, then views of the mapped data files.

    CheckpointReader("model-7")     model-7.index      name -> type, shape, place, CRC
        .read(names, slices)        model-7.data-...   mapped; each tensor a view, once its CRC fits

Nothing in the files can run code, and no number in them is believed before it is compared with the
size of the files. A tensor may lie in several parts, each a slice of it: so a partitioned variable
is one tensor to whoever reads it.
"""

from __future__ import annotations

import math
import mmap
import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import errors
from minitf.core.graph.dtypes import DType, c_name
from minitf.library.formats import tensor_bundle
from minitf.library.formats.file_io import invalid, not_found, open_file, read_bytes, torn
from minitf.library.formats.records import crc32c, mask, unmask
from minitf.library.formats.sstable import parse_table
from minitf.library.formats.tensor_bundle import HEADER, STRING, Entry, Slice


def index_name(prefix: str) -> str:
    """The name of the index of the checkpoint `prefix`."""
    return prefix + ".index"


def data_name(prefix: str, shard: int, shards: int) -> str:
    """The name of one data file: 'model.data-00000-of-00001'."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def slice_of(
    text: str, name: str, shape: tuple[int, ...] | None = None
) -> tuple[tuple[int, ...], Slice]:
    """The full shape and the place that a text names; `shape` is what the slice must have."""
    try:
        full, places = tensor_bundle.parse_slice(text)
    except ValueError:
        raise invalid(f"Invalid shape_and_slice specification: {text} (tensor: {name})") from None
    if shape is not None and tensor_bundle.lengths(full, places) != shape:
        raise invalid(
            f"Slice in shape_and_slice specification does not match the shape of the tensor to "
            f"save: {text}, tensor: {list(shape)} (tensor: {name})"
        )
    return full, places


class _Parsed(NamedTuple):
    """What an index says: its table, the number of data files, and the names of the tensors."""

    table: dict[bytes, bytes]
    shards: int
    names: frozenset[str]
    entries: dict[str, Entry]  # those that were asked for


@lru_cache(maxsize=4)  # whoever reads many variables one by one asks for one index many times
def _parsed_index(data: bytes) -> _Parsed:
    table = parse_table(data)
    if HEADER not in table:
        raise ValueError("there is no header entry")
    keys = (key for key in table if key != HEADER and not tensor_bundle.is_slice_key(key))
    shards = tensor_bundle.decode_header(table[HEADER])
    return _Parsed(table, shards, frozenset(key.decode() for key in keys), {})


class CheckpointReader:
    """What a checkpoint holds, `tf.train.NewCheckpointReader`.

    Args:
      filepattern: path of the checkpoint, without any suffix.

    Raises:
      NotFoundError: when there is no checkpoint of that name.
      DataLossError: when its index is torn.
    Example:
      >>> W = tf.Variable(tf.zeros([3, 1]), name="W")
      >>> sess.run(W.initializer)
      >>> path = tf.train.Saver().save(sess, "/tmp/model", global_step=7)
      >>> tf.train.NewCheckpointReader(path).get_variable_to_shape_map()
      {'W': [3, 1]}
    """

    def __init__(self, filepattern: str) -> None:
        self.prefix = os.fsdecode(filepattern)
        try:
            data = read_bytes(index_name(self.prefix))
        except (errors.NotFoundError, errors.FailedPreconditionError):
            raise not_found(
                "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
                f"{self.prefix}"
            ) from None
        try:
            self._table, self.shards, self.names, self._entries = _parsed_index(data)
        except ValueError as error:
            raise self._torn(error) from None

    def _torn(self, error: ValueError) -> errors.OpError:
        return torn(
            f"Unable to read file ({index_name(self.prefix)}). Perhaps the file is corrupt or was "
            f"produced by a newer version of TensorFlow with format changes: {error}"
        )

    def _entry(self, key: bytes) -> Entry:
        try:
            return tensor_bundle.decode_entry(self._table[key])
        except ValueError as error:
            raise self._torn(error) from None

    def entry(self, name: str) -> Entry:
        """Where a tensor lies.

        Raises:
          NotFoundError: when there is none of that name.
        """
        entry = self._entries.get(name)
        if entry is not None:
            return entry
        if name not in self.names:
            raise not_found(f"Key {name} not found in checkpoint (file: {index_name(self.prefix)})")
        entry = self._entries[name] = self._entry(name.encode())
        return entry

    def part(self, name: str, places: Slice) -> Entry:
        """Where a slice of a tensor lies that was saved in slices."""
        key = tensor_bundle.slice_key(name, places)
        if key not in self._table:
            raise self._torn(ValueError(f"a slice of tensor {name} is missing"))
        return self._entry(key)

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of each tensor, by name."""
        return {name: list(self.entry(name).shape) for name in self.names}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The type of each tensor, by name."""
        return {name: self._dtype(name, self.entry(name)) for name in self.names}

    def _dtype(self, name: str, entry: Entry) -> DType:
        try:
            return entry.dtype
        except ValueError as error:
            raise errors.UnimplementedError(
                None, None, f"{index_name(self.prefix)}: {error} (tensor: {name})"
            ) from None

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether it holds a tensor of that name."""
        return tensor_str in self.names

    def debug_string(self) -> bytes:
        """One line a tensor, or a part of one: name, type and shape."""
        lines = []
        for key in sorted(self._table.keys() - {HEADER}):
            entry = self._entry(key)
            if not entry.slices:
                sizes = ",".join(map(str, entry.shape))
                kind = self._dtype(key.decode("latin1"), entry).enum_name
                lines.append(key + f" ({kind}) [{sizes}]\n".encode())
        return b"".join(lines)

    def get_tensor(self, tensor_str: str) -> Any:
        """The value of a tensor.

        Raises:
          NotFoundError: when it holds none of that name.
          DataLossError: when the file is torn or changed.
        """
        value = self.read([tensor_str], [""], None)[0]
        return value.copy() if isinstance(value, np.ndarray) else value

    def read(
        self, names: Iterable[str], slices: Iterable[str], expected: Sequence[DType] | None
    ) -> list[Any]:
        """The values of several tensors, or slices of them; each data file is opened once.

        Numbers are views of the mapped files, private ones: writing to them changes no file.

        Args:
          names: their names.
          slices: "" for all of a tensor, or a slice, as "4 5 0,2:0,5".
          expected: the type each must have.
        """
        files = _DataFiles(self)
        result = []
        for i, (name, text) in enumerate(zip(names, slices, strict=True)):
            entry = self.entry(name)
            dtype = self._dtype(name, entry)
            if expected is not None and expected[i] is not dtype:
                raise invalid(
                    f"tensor_name = {name}; expected dtype {c_name(expected[i])} does not equal "
                    f"original dtype {c_name(dtype)} (file: {index_name(self.prefix)})"
                )
            if text:
                value = self._sliced(files, name, entry, text)
            else:
                value = files.whole(name, entry) if entry.slices else files.array(name, entry)
            result.append(value if value.ndim else value[()])
        return result

    def _sliced(self, files: _DataFiles, name: str, entry: Entry, text: str) -> np.ndarray:
        shape, places = slice_of(text, name)
        if shape != entry.shape:
            raise invalid(
                f"Shape in shape_and_slice spec {list(shape)} does not match the shape stored in "
                f"checkpoint: {list(entry.shape)} (file: {index_name(self.prefix)}, tensor: "
                f"{name})"
            )
        if places in entry.slices:
            return files.part(name, entry, places)
        whole = files.whole(name, entry) if entry.slices else files.array(name, entry)
        return whole[tensor_bundle.window(places)]


class _DataFiles:
    """The data files of one checkpoint, mapped into memory as they are needed."""

    def __init__(self, reader: CheckpointReader) -> None:
        self._reader = reader
        self._mapped: dict[int, np.ndarray] = {}

    def _path(self, shard: int) -> str:
        return data_name(self._reader.prefix, shard, self._reader.shards)

    def _bytes(self, shard: int) -> np.ndarray:
        """All bytes of a data file."""
        if shard not in self._mapped:
            path = self._path(shard)
            with open_file(path, "rb") as file:
                try:
                    content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
                except (OSError, ValueError):  # it is empty, or the system maps no files
                    content = bytearray(file.read())  # type: ignore[assignment]
                self._mapped[shard] = np.frombuffer(content, np.uint8)
        return self._mapped[shard]

    def _loss(self, name: str, entry: Entry, text: str) -> errors.OpError:
        return torn(
            f"TensorBundle at {self._reader.prefix} shard {entry.shard} ({entry.size} bytes): "
            f"{text} (file: {self._path(entry.shard)}, tensor: {name})"
        )

    def array(self, name: str, entry: Entry) -> np.ndarray:
        """One tensor or part of one, after a look at its checksum; numbers are a view."""
        try:
            content = self._bytes(entry.shard)
        except errors.NotFoundError as error:
            raise not_found(f"{error.message} (tensor: {name})") from None
        end = entry.offset + entry.size
        if not 0 <= entry.offset <= end <= len(content):
            raise self._loss(name, entry, "Read less bytes than requested")
        raw = content[entry.offset : end]
        try:
            if entry.number == STRING:
                array, crc = tensor_bundle.strings_of(entry, raw)
            else:
                array, crc = tensor_bundle.numbers_of(entry, raw), crc32c(raw)
        except ValueError as error:
            raise self._loss(name, entry, str(error)) from None
        if mask(crc) != entry.crc:
            raise self._loss(
                name,
                entry,
                f"Checksum does not match: stored {unmask(entry.crc)} vs. calculated on the "
                f"restored bytes {crc}",
            )
        return array

    def part(self, name: str, whole: Entry, places: Slice) -> np.ndarray:
        """A slice of a tensor that was saved in slices."""
        return self.array(name, self._part_entry(name, whole, places))

    def _part_entry(self, name: str, whole: Entry, places: Slice) -> Entry:
        entry = self._reader.part(name, places)
        expected = tensor_bundle.lengths(whole.shape, places) if _fits(whole, places) else None
        if (entry.number, entry.shape) != (whole.number, expected):
            raise self._loss(name, entry, "A slice does not fit the tensor it belongs to")
        return entry

    def whole(self, name: str, entry: Entry) -> np.ndarray:
        """A tensor that was saved in slices, put together."""
        entries = [self._part_entry(name, entry, places) for places in entry.slices]
        stored = sum(len(self._bytes(shard)) for shard in {part.shard for part in entries})
        if sum(part.size for part in entries) > stored:  # parts that share bytes have no bound
            raise self._loss(name, entry, "Read less bytes than requested")
        if sum(math.prod(part.shape) for part in entries) < math.prod(entry.shape):
            raise invalid(f"Tensor slices do not cover the full tensor of {name}")
        parts = [self.array(name, part) for part in entries]
        array = np.empty(entry.shape, entry.dtype.as_numpy_dtype)
        for places, part in zip(entry.slices, parts):
            array[tensor_bundle.window(places)] = part
        return array


def _fits(whole: Entry, places: Slice) -> bool:
    """Whether a slice lies within a tensor."""
    return len(places) == len(whole.shape) and all(
        start >= 0 and (length == tensor_bundle.FULL or 0 <= length <= size - start)
        for size, (start, length) in zip(whole.shape, places)
    )

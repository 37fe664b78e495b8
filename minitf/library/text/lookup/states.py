"""What a lookup table holds: keys and values, filled once or changed by steps."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.shapes import TensorShape, brackets
from minitf.core.ops.elementwise import invalid
from minitf.library.formats.file_io import open_file
from minitf.library.parsing.values import read_numbers

WHOLE_LINE, LINE_NUMBER = -2, -1


def _failed(text: str) -> errors.OpError:
    return errors.FailedPreconditionError(None, None, text)


class TableState:
    """A table on a device.

    Args:
      name: how messages call it.
      key_dtype, value_dtype: the types.
      mutable: whether steps may change it.
      value_shape: the shape of one value.
    """

    def __init__(
        self,
        name: str,
        key_dtype: dtypes.DType,
        value_dtype: dtypes.DType,
        mutable: bool = False,
        value_shape: tuple[int, ...] = (),
    ) -> None:
        self.name = name
        self.key_dtype = key_dtype
        self.key_shape: tuple[int, ...] = ()
        self.value_dtype = value_dtype
        self.value_shape = value_shape
        self.mutable = mutable
        self._lock = threading.Lock()
        self._entries: dict[Any, Any] | None = {} if mutable else None

    def _filled(self) -> dict[Any, Any]:
        if self._entries is None:
            raise _failed("Table not initialized.")
        return self._entries

    def initialize(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Fills the table, the first time only.

        Raises:
          FailedPreconditionError: when a key has two values.
        """
        with self._lock:
            if self._entries is not None:
                return
            entries: dict[Any, Any] = {}
            for key, value in pairs:
                if entries.setdefault(key, value) != value:
                    raise _failed(
                        f"HashTable has different value for same key. Key {_shown(key)} has "
                        f"{_shown(entries[key])} and trying to add value {_shown(value)}"
                    )
            self._entries = entries

    def find(self, keys: Any, default: Any) -> Any:
        """The values of the keys, `default` for those that are not there."""
        entries = self._filled()
        found = [entries.get(key, default) for key in self._rows(keys)]
        outer = np.shape(keys)[: np.ndim(keys) - len(self.key_shape)]
        return self._array(found, outer)[()]

    def _rows(self, keys: Any) -> list[Any]:
        """The keys of an array, each as a number, bytes, or a tuple of these."""
        return _flat(keys)

    def _array(self, values: list[Any], shape: tuple[int, ...]) -> np.ndarray:
        whole = np.empty((len(values), *self.value_shape), self.value_dtype.numpy_dtype)
        for i, value in enumerate(values):
            whole[i] = value
        return whole.reshape((*shape, *self.value_shape))

    def size(self) -> int:
        """How many keys there are."""
        return len(self._filled())

    def insert(self, keys: Any, values: Any) -> None:
        """Adds keys, or gives them other values."""
        flat = self._rows(keys)
        outer = np.shape(keys)[: np.ndim(keys) - len(self.key_shape)]
        if np.shape(values) != outer + self.value_shape:
            raise invalid(
                f"Expected shape {brackets(TensorShape(outer + self.value_shape))} for value, got "
                f"{brackets(TensorShape(np.shape(values)))}"
            )
        if self.value_shape:
            values = list(np.array(values).reshape(len(flat), *self.value_shape))
        else:
            values = _flat(values)
        with self._lock:
            self._filled().update(zip(flat, values))

    def remove(self, keys: Any) -> None:
        """Takes keys out; those that are not there are left alone."""
        with self._lock:
            for key in self._rows(keys):
                self._filled().pop(key, None)

    def replace(self, keys: Any, values: Any) -> None:
        """Has these keys and no others."""
        with self._lock:
            self._filled().clear()
        self.insert(keys, values)

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """All keys, and their values in the same order."""
        with self._lock:
            entries = dict(self._filled())
        keys = np.empty(len(entries), self.key_dtype.numpy_dtype)
        keys[:] = list(entries)
        return keys, self._array(list(entries.values()), (len(entries),))


class DenseTableState(TableState):
    """A table that steps change, exported with its empty places; a key may be a vector.

    Args:
      name, key_dtype, value_dtype, value_shape: as of `TableState`.
      empty, deleted: two keys that stand for places without one.
      places: how many places it has at first, a power of 2.
      load: the part of the places that may be taken.
    Raises:
      InvalidArgumentError: when the two keys or the number of places do not fit.
    """

    def __init__(
        self,
        name: str,
        key_dtype: dtypes.DType,
        value_dtype: dtypes.DType,
        value_shape: tuple[int, ...],
        empty: Any,
        deleted: Any,
        places: int,
        load: float,
    ) -> None:
        super().__init__(name, key_dtype, value_dtype, True, value_shape)
        if np.shape(empty) != np.shape(deleted):
            raise invalid(
                "Empty and deleted keys must have same shape, got shapes: "
                f"{list(np.shape(empty))} and {list(np.shape(deleted))}"
            )
        if places < 4 or places & (places - 1):
            raise invalid(f"Number of buckets must be at least 4 and a power of 2, got: {places}")
        self.key_shape = np.shape(empty)
        self._places, self._load, self._empty = places, load, empty
        reserved = [super()._rows(empty), super()._rows(deleted)]
        self._reserved = {
            tuple(key) if self.key_shape else key[0]: f"Using the {which}_key as a table key"
            for which, key in zip(("empty", "deleted"), reserved)
        }
        if len(self._reserved) == 1:
            raise invalid("Empty and deleted keys cannot be equal")

    def _rows(self, keys: Any) -> list[Any]:
        depth, given = len(self.key_shape), np.shape(keys)
        if given[len(given) - depth :] != self.key_shape:
            raise invalid(
                f"Input key shape {brackets(TensorShape(given))} must end with the table's key "
                f"shape {brackets(TensorShape(self.key_shape))}"
            )
        count = given[0] if given else 1
        if math.prod(given) != count * math.prod(self.key_shape):
            expected = TensorShape((count, *self.key_shape))
            raise invalid(
                f"Expected key shape {brackets(expected)} got {brackets(TensorShape(given))}"
            )
        rows = _flat(keys)
        if depth:
            rows = [tuple(row) for row in keys.reshape(-1, *self.key_shape).tolist()]
        for row in rows:
            if row in self._reserved:
                raise invalid(f"{self._reserved[row]} is not allowed")
        return rows

    def insert(self, keys: Any, values: Any) -> None:
        """Adds keys, and places where there are too few."""
        while self.size() + len(self._rows(keys)) > self._load * self._places:
            self._places *= 2
        super().insert(keys, values)

    def replace(self, keys: Any, values: Any) -> None:
        """Has these keys and no others; places without a key are left out."""
        rows = keys.reshape(len(keys), -1).tolist()
        kept = [(tuple(row) if self.key_shape else row[0]) not in self._reserved for row in rows]
        kept_values = values[kept].reshape(-1, *self.value_shape)
        self._places = max(4, len(keys))
        super().replace(keys[kept].reshape(-1, *self.key_shape), kept_values)

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """All places: rows of their keys, and of their values; what has no key comes last."""
        with self._lock:
            entries = dict(self._filled())
        keys = np.empty((self._places, *self.key_shape), self.key_dtype.numpy_dtype)
        keys[:] = self._empty
        for place, key in enumerate(entries):
            keys[place] = key
        nothing = np.zeros((), self.value_dtype.numpy_dtype)[()]
        if self.value_dtype == dtypes.string:
            nothing = b""
        values = [*entries.values(), *[nothing] * (self._places - len(entries))]
        rows = self._array(values, (self._places,)).reshape(self._places, -1)
        return keys.reshape(self._places, -1), rows


def _flat(values: Any) -> list[Any]:
    """The elements of an array, or the one scalar, as Python's numbers and bytes."""
    return values.ravel().tolist() if isinstance(values, (np.ndarray, np.generic)) else [values]


def _shown(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def read_pairs(
    filename: bytes,
    key_index: int,
    value_index: int,
    vocab_size: int,
    delimiter: bytes,
    types: tuple[dtypes.DType, dtypes.DType],
) -> list[tuple[Any, Any]]:
    """The pairs of key and value that the lines of a file hold.

    Args:
      filename: of the file.
      key_index, value_index: a column, or `WHOLE_LINE`, or `LINE_NUMBER`.
      vocab_size: how many lines to read; -1 for all.
      delimiter: what stands between two columns.
      types: of the key and of the value.
    Raises:
      InvalidArgumentError: when a line does not fit, or there are too few.
    """

    def part(line: bytes, number: int, index: int, dtype: dtypes.DType) -> Any:
        if index == LINE_NUMBER:
            return number
        parts = [line] if index == WHOLE_LINE else line.split(delimiter)
        if index >= len(parts):
            raise invalid(
                f"Invalid number of columns in {filename.decode()} line {number} "
                f"({line.decode()}) : expected at least {index + 1} got {len(parts)}"
            )
        text = parts[max(index, 0)]
        try:
            return text if dtype == dtypes.string else read_numbers([text], dtype).item()
        except ValueError:
            field = f"Field {text.decode()} in line {number}"
            raise invalid(f"{field} is not a valid {dtype.name}.") from None

    pairs = []
    with open_file(filename, "rb") as file:
        for number, line in enumerate(islice(file, None if vocab_size < 0 else vocab_size)):
            line = line.rstrip(b"\r\n")
            key = part(line, number, key_index, types[0])
            pairs.append((key, part(line, number, value_index, types[1])))
    if len(pairs) < vocab_size:
        raise invalid(
            f"Invalid vocab_size in {filename.decode()}: expected {vocab_size} but got {len(pairs)}"
        )
    return pairs

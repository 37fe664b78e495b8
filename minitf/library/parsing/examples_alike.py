"""Reading many `tf.train.Example`s of one layout at once.

Examples that one program wrote differ in their values and in little else. The first one is taken
apart; when all bytes of the others that are no values are equal to its own, the values of all lie
at the same places, and a feature of the whole batch is a few columns of a matrix of bytes:

    0a 1c 0a 0d 0a 03 'x' 12 06 ... 01 | 2a |       the same up to the values,
    0a 1c 0a 0d 0a 03 'x' 12 06 ... 01 | 07 |       which may differ
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.ops.string_values import as_objects
from minitf.library.formats.wire import read_varint

_KINDS = {1: dtypes.string, 2: dtypes.float32, 3: dtypes.int64}  # the lists of a Feature


class Place(NamedTuple):
    """Where the values of one feature lie in the bytes of an example."""

    dtype: dtypes.DType
    start: int
    stop: int


def places_of(record: bytes) -> dict[str, Place] | None:
    """The places of the features' values; None when one is not all in one piece.

    Raises:
      ValueError: when the record is no example.
    """
    found = {}
    for features in _parts(record, (0, len(record)), 1):
        for entry in _parts(record, features[1], 1):
            (one, (start, stop)), (two, feature) = _parts(record, entry[1])
            (kind, values), *others = _parts(record, feature)
            (_, place), *more = _parts(record, values, 1)
            if (one, two) != (1, 2) or others or more or kind not in _KINDS:
                return None
            found[record[start:stop].decode()] = Place(_KINDS[kind], *place)
    return found


def _parts(
    data: bytes, span: tuple[int, int], number: int | None = None
) -> Iterator[tuple[int, tuple[int, int]]]:
    """The number and the span of each field with a length in a span of bytes.

    Raises:
      ValueError: when there are others, or numbers other than `number`.
    """
    at, end = span
    while at < end:
        key, at = read_varint(data, at)
        size, at = read_varint(data, at)
        if key & 7 != 2 or at + size > end or number not in (None, key >> 3):
            raise ValueError("no row of fields with a length")
        yield key >> 3, (at, at + size)
        at += size


def parse_alike(serialized: Sequence[bytes], wanted: Sequence[Any]) -> list[np.ndarray] | None:
    """Dense features of examples of one layout; None when they are not, or anything is wrong.

    Args:
      serialized: the examples.
      wanted: `Dense` features.
    """
    length = len(serialized[0]) if serialized else 0
    if any(len(record) != length for record in serialized) or any(d.rows for d in wanted):
        return None
    try:
        places = places_of(serialized[0]) if serialized else None
    except ValueError:
        return None
    if places is None or any(dense.key not in places for dense in wanted):
        return None
    whole = np.frombuffer(b"".join(serialized), np.uint8).reshape(-1, length)
    no_value = np.ones(length, bool)
    for place in places.values():
        no_value[place.start : place.stop] = False
    if not (whole[:, no_value] == whole[0, no_value]).all():
        return None
    columns = [_column(serialized, whole, places[dense.key], dense) for dense in wanted]
    return None if any(column is None for column in columns) else columns  # type: ignore[return-value]


def _column(
    serialized: Sequence[bytes], whole: np.ndarray, place: Place, dense: Any
) -> np.ndarray | None:
    """One feature of all examples; None when it is of another type or size than is wanted."""
    dtype, start, stop = place
    values: np.ndarray
    if dtype != dense.dtype:
        return None
    if dtype == dtypes.string:
        values = as_objects(record[start:stop] for record in serialized)
    elif dtype == dtypes.float32 and (stop - start) % 4 == 0:
        values = np.ascontiguousarray(whole[:, start:stop]).view("<f4")
    elif dtype == dtypes.int64:
        values = _varints(whole[:, start:stop])
    else:
        return None
    if values.size != len(serialized) * dense.size:
        return None
    return values.reshape(len(serialized), *dense.shape)


def _varints(data: np.ndarray) -> np.ndarray:
    """The whole numbers in the rows of a matrix of bytes; nothing when their sizes differ."""
    ends = data[0] < 128
    if not ends.any() or not ends[-1] or not ((data < 128) == ends).all():
        return np.empty(0, np.int64)
    starts = np.flatnonzero(np.concatenate([[True], ends[:-1]]))
    shifts = 7 * (np.arange(len(ends)) - np.repeat(starts, np.diff([*starts, len(ends)])))
    parts = (data & 127).astype(np.uint64) << shifts.astype(np.uint64)
    return np.add.reduceat(parts, starts, axis=1).view(np.int64)

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


def parse_alike(
    serialized: Sequence[bytes], sparse: Sequence[tuple], dense: Sequence[Any]
) -> list[np.ndarray] | None:
    """The features of examples of one layout; None when they are not, or anything is wrong.

    Args:
      serialized: the examples.
      sparse: the key and the dtype of each variable feature.
      dense: `Dense` features.
    Returns: as `examples.parse_many`.
    """
    length = len(serialized[0]) if serialized else 0
    if any(len(record) != length for record in serialized) or any(d.rows for d in dense):
        return None
    try:
        places = places_of(serialized[0]) if serialized else None
    except ValueError:
        return None
    wanted = [*sparse, *((each.key, each.dtype) for each in dense)]
    if places is None or any(k not in places or places[k].dtype != dtype for k, dtype in wanted):
        return None
    whole = np.frombuffer(b"".join(serialized), np.uint8).reshape(-1, length)
    no_value = np.ones(length, bool)
    for place in places.values():
        no_value[place.start : place.stop] = False
    if not (whole[:, no_value] == whole[0, no_value]).all():
        return None
    found = {key: _values(serialized, whole, places[key]) for key, _ in wanted}
    if not all(found[key].size for key in found) or any(
        found[each.key].shape[1] != each.size for each in dense
    ):
        return None
    rows = [found[key] for key, _ in sparse]
    indices = [np.indices(each.shape).reshape(2, -1).T.copy() for each in rows]
    shapes = [np.array(each.shape) for each in rows]
    columns = [found[each.key].reshape(len(whole), *each.shape) for each in dense]
    return [*indices, *(each.ravel() for each in rows), *shapes, *columns]


def _values(serialized: Sequence[bytes], whole: np.ndarray, place: Place) -> np.ndarray:
    """One feature of all examples, a row each; without elements when the rows are not alike."""
    dtype, start, stop = place
    if dtype == dtypes.string:
        return as_objects(record[start:stop] for record in serialized).reshape(-1, 1)
    if dtype == dtypes.int64:
        return _varints(whole[:, start:stop])
    if (stop - start) % 4:
        return np.empty((0, 0), np.float32)
    return np.ascontiguousarray(whole[:, start:stop]).view("<f4")


def _varints(data: np.ndarray) -> np.ndarray:
    """The whole numbers in the rows of a matrix of bytes; nothing when their sizes differ."""
    ends = data[0] < 128
    if not ends.any() or not ends[-1] or not ((data < 128) == ends).all():
        return np.empty((0, 0), np.int64)
    starts = np.flatnonzero(np.concatenate([[True], ends[:-1]]))
    shifts = 7 * (np.arange(len(ends)) - np.repeat(starts, np.diff([*starts, len(ends)])))
    parts = (data & 127).astype(np.uint64) << shifts.astype(np.uint64)
    return np.add.reduceat(parts, starts, axis=1).view(np.int64)

"""Reading serialized `tf.train.Example`s into arrays: what the parsing operations compute.

Features are of three kinds: *fixed* (each example has the same shape), *ragged rows of a fixed
shape* (`FixedLenSequenceFeature`), and *variable* (a sparse tensor).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import c_name
from minitf.core.graph.shapes import TensorShape, brackets
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.string_values import as_objects
from minitf.library.formats import example_proto
from minitf.library.parsing.examples_alike import parse_alike

_KIND_OF = {"bytes_list": dtypes.string, "float_list": dtypes.float32, "int64_list": dtypes.int64}
_LIST_OF = {dtype: kind for kind, dtype in _KIND_OF.items()}


class Dense(NamedTuple):
    """A feature that becomes a dense tensor.

    Args:
      key: its name.
      dtype: its type.
      shape: of one example, or of one row of it when `rows`.
      rows: whether an example has any number of rows.
      default: what to take when it is missing, flat; empty when it must not be missing. With `rows`
        the one element that short examples are filled up with.
    """

    key: str
    dtype: dtypes.DType
    shape: tuple[int, ...]
    rows: bool
    default: np.ndarray

    @property
    def size(self) -> int:
        """How many elements one example, or one row, has."""
        return math.prod(self.shape)


def nothing_of(dtype: dtypes.DType) -> np.ndarray:
    """A vector without elements."""
    return np.empty(0, dtype.numpy_dtype)


def array_of(message: Any, dtype: dtypes.DType) -> np.ndarray:
    """The values in a BytesList, FloatList or Int64List as a vector."""
    values = message.value
    if dtype == dtypes.string:
        return as_objects(values)
    if dtype == dtypes.float32 and len(values) > 8:
        data = message.SerializeToString()  # a short head, then the floats as they lie in memory
        return np.frombuffer(data, "<f4", len(values), len(data) - 4 * len(values)).copy()
    return np.array(values, dtype.numpy_dtype)


def parse_message(serialized: bytes, kind: str = "Example") -> Any:
    """The message in a serialized record.

    Raises:
      InvalidArgumentError: when it is none.
    """
    message = getattr(example_proto.load(), kind)()
    try:
        message.ParseFromString(serialized)
    except Exception:  # protobuf's own class
        shown = serialized.decode(errors="replace")
        raise invalid(f"Could not parse example input, value: '{shown}'") from None
    return message


def _feature(features: Any, key: str) -> tuple[dtypes.DType, Any] | None:
    """The dtype and the list of values of a feature; None when there is none."""
    if key not in features:
        return None
    feature = features[key]
    kind = feature.WhichOneof("kind")
    return None if kind is None else (_KIND_OF[kind], getattr(feature, kind))


def dense_value(features: Any, dense: Dense, where: str, batched: bool) -> np.ndarray:
    """The values of one example, flat.

    Args:
      where: what messages begin with, "Name: n, " in a batch.
      batched: whether messages speak as for a batch.
    """
    found = _feature(features, dense.key)
    if found is None:
        if dense.rows:
            return nothing_of(dense.dtype)
        if not dense.default.size and dense.size:
            name = where.partition("Key: ")[0]
            raise invalid(
                f"{name}Feature: {dense.key} (data type: {c_name(dense.dtype)}) is required "
                "but could not be found."
            )
        return dense.default
    dtype, message = found
    count = len(message.value)
    if dtype != dense.dtype:
        raise invalid(
            f"{where}Data types don't match. Data type: {c_name(dtype)} but expected type: "
            f"{c_name(dense.dtype)}"
        )
    size, kind = dense.size, "bytes" if dtype == dtypes.string else c_name(dtype)
    if count % max(size, 1) if dense.rows else count != size:
        if not batched or (kind == "bytes" and not dense.rows and count > size):
            raise invalid(f"{where}Can't parse serialized Example.")
        raise invalid(
            f"{where}Number of {kind} values is not a multiple of stride length. Saw {count} "
            f"values but output shape is: {brackets(TensorShape([None, *dense.shape]))}"
            if dense.rows
            else f"{where}Number of {kind} values != expected.  Values size: {count} but output "
            f"shape: {brackets(TensorShape(dense.shape))}"
        )
    return array_of(message, dtype)


def variable_value(features: Any, key: str, dtype: dtypes.DType, where: str) -> np.ndarray:
    """The values of one example, as many as there are."""
    found = _feature(features, key)
    if found is None:
        return nothing_of(dtype)
    if found[0] != dtype:
        raise invalid(
            f"{where}Data types don't match. Expected type: {c_name(dtype)}, Actual type: "
            f"{c_name(found[0])}"
        )
    return array_of(found[1], dtype)


def _by_kind(triples: Iterable[tuple]) -> list[Any]:
    """All indices, then all values, then all shapes, of (indices, values, shape)."""
    return [part for parts in zip(*triples) for part in parts]


def _parse_features(
    features: Any,
    sparse: Sequence[tuple],
    dense: Sequence[Dense],
    where: tuple[str, str] = ("Key: {}.  ", "Key: {}.  "),
    batched: bool = False,
) -> list[Any]:
    """The features of one example; `where` is what messages begin with for the two kinds."""
    found = [variable_value(features, key, dtype, where[0].format(key)) for key, dtype in sparse]
    triples = [
        (np.arange(len(v), dtype=np.int64).reshape(-1, 1), v, np.array([len(v)], np.int64))
        for v in found
    ]
    values = []
    for each in dense:
        flat = dense_value(features, each, where[1].format(each.key), batched)
        values.append(flat.reshape(((-1,) if each.rows else ()) + each.shape)[()])
    return [*_by_kind(triples), *values]


def parse_one(serialized: bytes, sparse: Sequence[tuple], dense: Sequence[Dense]) -> list[Any]:
    """One example: indices, values and shapes of the variable features, then the dense ones."""
    return _parse_features(parse_message(serialized).features.feature, sparse, dense)


def parse_many(
    serialized: Sequence[bytes],
    names: Sequence[bytes],
    sparse: Sequence[tuple],
    dense: Sequence[Dense],
) -> list[Any]:
    """A batch of examples; see `parse_one`."""
    if (alike := parse_alike(serialized, sparse, dense)) is not None:
        return alike
    records = [parse_message(each).features.feature for each in serialized]
    prefixes = [
        f"Name: {names[i].decode() if len(names) else '<unknown>'}, " for i in range(len(records))
    ]
    triples, values = [], []
    for key, dtype in sparse:
        rows = [
            variable_value(f, key, dtype, f"{prefixes[i]}Key: {key}, Index: {i}.  ")
            for i, f in enumerate(records)
        ]
        triples.append(rows_to_sparse(rows, dtype))
    for each in dense:
        if (column := _column(records, each)) is not None:
            values.append(column)
            continue
        rows = [
            dense_value(f, each, f"{prefixes[i]}Key: {each.key}, Index: {i}.  ", batched=True)
            for i, f in enumerate(records)
        ]
        values.append(_filled(rows, each) if each.rows else _stacked(rows, each))
    return [*_by_kind(triples), *values]


def _column(records: Sequence[Any], dense: Dense) -> np.ndarray | None:
    """The values of all examples, read at one go; None when one of them needs a second look."""
    if dense.rows or not dense.size or dense.dtype not in _LIST_OF:
        return None
    key, kind = dense.key, _LIST_OF[dense.dtype]
    messages = [getattr(features[key], kind) for features in records]
    lists = [message.value for message in messages]
    if any(len(each) != dense.size for each in lists):
        return None  # missing, of another kind, or of another size
    if dense.size > 1:
        return _stacked([array_of(each, dense.dtype) for each in messages], dense)
    flat = [each[0] for each in lists]
    column = as_objects(flat) if kind == "bytes_list" else np.array(flat, dense.dtype.numpy_dtype)
    return column.reshape((len(lists), *dense.shape))


def _joined(rows: Sequence[np.ndarray], dtype: dtypes.DType) -> np.ndarray:
    return np.concatenate(rows) if rows else nothing_of(dtype)


def _stacked(rows: Sequence[np.ndarray], dense: Dense) -> np.ndarray:
    return _joined(rows, dense.dtype).reshape((len(rows), *dense.shape))


def _filled(rows: Sequence[np.ndarray], dense: Dense) -> np.ndarray:
    size = max(dense.size, 1)
    longest = max((len(row) for row in rows), default=0)
    fill: Any = (
        dense.default[0] if dense.default.size else b"" if dense.dtype == dtypes.string else 0
    )
    whole = np.full((len(rows), longest), fill, dense.dtype.numpy_dtype)
    for i, row in enumerate(rows):
        whole[i, : len(row)] = row
    return whole.reshape((len(rows), longest // size, *dense.shape))


def rows_to_sparse(rows: Sequence[np.ndarray], dtype: dtypes.DType) -> tuple[Any, Any, Any]:
    """Rows of any lengths as the indices, values and shape of a sparse matrix."""
    lengths = np.array([len(row) for row in rows], np.int64)
    places = [np.arange(n, dtype=np.int64) for n in lengths]
    indices = np.stack(
        [
            np.repeat(np.arange(len(rows), dtype=np.int64), lengths),
            np.concatenate(places) if places else np.empty(0, np.int64),
        ],
        axis=1,
    )
    shape = np.array([len(rows), lengths.max(initial=0)], np.int64)
    return indices, _joined(rows, dtype), shape

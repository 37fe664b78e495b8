"""`tf.parse_example` and its kin: tensors from serialized `tf.train.Example`s.

    features = {"label": tf.FixedLenFeature([], tf.int64), "words": tf.VarLenFeature(tf.string)}
    parsed = tf.parse_single_example(record, features)      # a dict of the same keys

Features are of three kinds: *fixed* (each example has the same shape), *ragged rows of a fixed
shape* (`FixedLenSequenceFeature`), and *variable* (a sparse tensor). Examples of one layout are
read many at once (examples_alike.py).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.dtypes import c_name
from minitf.core.graph.graph import Tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, as_shape, brackets
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.batching import again, only_first
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.string_values import as_objects
from minitf.library.formats import protobuf_messages
from minitf.library.parsing.examples_alike import parse_alike
from minitf.library.parsing.values import check_type, joined, nothing_of, rows_to_sparse

_TYPES = (dtypes.float32, dtypes.int64, dtypes.string)

# ---- what a program says of a feature ----------------------------------------------------


class VarLenFeature(NamedTuple):
    """A feature with any number of values; it becomes a `SparseTensor`."""

    dtype: Any


class FixedLenFeature(NamedTuple):
    """A feature that has the same shape in every example.

    Args:
      shape: the shape.
      dtype: the type: float32, int64 or string.
      default_value: what to take when it is missing; None when it must not be.
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of rows, each of the same shape.

    Args:
      shape: of a row.
      dtype: the type.
      allow_missing: whether it may be missing, and then has no rows.
      default_value: what fills up short examples in a batch.
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


# ---- reading -----------------------------------------------------------------------------

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


def array_of(message: Any, dtype: dtypes.DType) -> np.ndarray:
    """The values in a BytesList, FloatList or Int64List as a vector."""
    values = message.value
    if dtype == dtypes.string:
        return as_objects(values)
    if dtype == dtypes.float32 and len(values) > 8:
        data = message.SerializeToString()  # a short head, then the floats as they lie in memory
        return np.frombuffer(data, "<f4", len(values), len(data) - 4 * len(values)).copy()
    return np.array(values, dtype.numpy_dtype)


def _features_of(serialized: bytes) -> Any:
    """The features of a serialized example.

    Raises:
      InvalidArgumentError: when it is none.
    """
    message = protobuf_messages.load().Example()
    try:
        message.ParseFromString(serialized)
    except Exception:  # protobuf's own class
        shown = serialized.decode(errors="replace")
        raise invalid(f"Could not parse example input, value: '{shown}'") from None
    return message.features.feature


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


def parse_one(serialized: bytes, sparse: Sequence[tuple], dense: Sequence[Dense]) -> list[Any]:
    """One example: indices, values and shapes of the variable features, then the dense ones."""
    features = _features_of(serialized)
    found = [variable_value(features, key, dtype, f"Key: {key}.  ") for key, dtype in sparse]
    triples = [
        (np.arange(len(v), dtype=np.int64).reshape(-1, 1), v, np.array([len(v)], np.int64))
        for v in found
    ]
    values = []
    for each in dense:
        flat = dense_value(features, each, f"Key: {each.key}.  ", batched=False)
        values.append(flat.reshape(((-1,) if each.rows else ()) + each.shape)[()])
    return [*_by_kind(triples), *values]


def parse_many(
    serialized: Sequence[bytes],
    names: Sequence[bytes],
    sparse: Sequence[tuple],
    dense: Sequence[Dense],
) -> list[Any]:
    """A batch of examples; see `parse_one`."""
    if (alike := parse_alike(serialized, sparse, dense)) is not None:
        return alike
    records = [_features_of(each) for each in serialized]
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


def _stacked(rows: Sequence[np.ndarray], dense: Dense) -> np.ndarray:
    return joined(rows, dense.dtype).reshape((len(rows), *dense.shape))


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


# ---- the operations ----------------------------------------------------------------------


def _dense_specs(dense: Any, defaults: Any) -> list[Dense]:
    flat = [np.ravel(np.asarray(d, object) if isinstance(d, bytes) else d) for d in defaults]
    return [
        Dense(key, dtype, tuple(as_shape(shape).as_list()), rows, default)
        for (key, dtype, shape, rows), default in zip(dense, flat)
    ]


_FEATURES = {
    "age": {"int64_list": {"value": [7]}},
    "words": {"bytes_list": {"value": [b"a", b"b"]}},
}


def _example() -> bytes:
    return protobuf_messages.load().Example(features={"feature": _FEATURES}).SerializeToString()


_WORDS, _AGE = (("words", dtypes.string),), (("age", dtypes.int64, (), False),)
_TYPES_OF_BOTH = (dtypes.int64, dtypes.string, dtypes.int64, dtypes.int64)
_AGE_AND_WORDS = {"sparse": _WORDS, "dense": _AGE, "output_types": _TYPES_OF_BOTH}


def _sparse_shapes(count: int, rank: int) -> list[TensorShape]:
    """Of the indices, values and shapes of `count` sparse tensors."""
    kinds = (TensorShape([None, rank]), TensorShape([None]), TensorShape([rank]))
    return [shape for shape in kinds for _ in range(count)]


@op(
    "ParseExampleV2",
    "serialized: string, names: string, dense_defaults: N*? -> values: N*output_types",
    sized_by_values=True,
    differentiable=False,
    samples=[
        lambda rng: (_example(), as_objects([]), [np.zeros(0, np.int64)], _AGE_AND_WORDS),
        lambda rng: (as_objects([_example()] * 2), as_objects([]), [np.array([1])], _AGE_AND_WORDS),
    ],
)
def parse_example_op(
    xp: Any,
    serialized: Any,
    names: Any,
    dense_defaults: Any,
    *,
    sparse: tuple,
    dense: tuple,
    output_types: tuple,
) -> Any:
    """Reads one serialized example, or a vector of them.

    `sparse` has the key and the dtype of each variable feature, `dense` of each other one also the
    shape, and whether it has any number of such rows.
    """
    fixed = _dense_specs(dense, dense_defaults)
    if isinstance(serialized, bytes):
        return parse_one(serialized, sparse, fixed)
    return parse_many(list(serialized), list(names), sparse, fixed)


@parse_example_op.batch
def _parse_example_batch(op: Any, inputs: list, stacked: list) -> Any:
    has_rows = any(rows for _, _, _, rows in op.attrs["dense"])
    if not only_first(stacked) or op.attrs["sparse"] or has_rows or op.inputs[0].shape.ndims != 0:
        return None
    return again(op, inputs)


@parse_example_op.shape
def _parse_example_shape(
    serialized: Any, names: Any, dense_defaults: Any, *, sparse: tuple, dense: tuple, **attrs: Any
) -> Any:
    rank = serialized.shape.ndims
    if rank is None:
        return [None] * (3 * len(sparse) + len(dense))
    return _sparse_shapes(len(sparse), rank + 1) + [
        serialized.shape.concatenate([None] if rows else []).concatenate(shape)
        for _, _, shape, rows in dense
    ]


# ---- the public functions ----------------------------------------------------------------


def _node_name(key: str) -> str:
    return "key_" + re.sub(r"[^A-Za-z0-9_.\-/]", "_", key)


class _Features:
    """A dict of features, sorted into variable and dense ones, each in the order of the keys."""

    def __init__(self, features: Mapping[str, Any]) -> None:
        self.sparse: list[tuple[str, dtypes.DType]] = []
        self.dense: list[tuple[str, Any, dtypes.DType]] = []
        for key, feature in sorted(features.items()):
            if isinstance(feature, VarLenFeature):
                if not feature.dtype:
                    raise ValueError(f"Missing type for feature {key}.")
                self.sparse.append((key, check_type(feature.dtype, "sparse_types", _TYPES)))
            elif not isinstance(feature, FixedLenFeature | FixedLenSequenceFeature):
                raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
            elif not feature.dtype:
                raise ValueError(f"Missing type for feature {key}.")
            elif feature.shape is None or as_shape(feature.shape).ndims is None:
                raise ValueError(f"Missing shape for feature {key}. Received feature={feature!r}.")
            elif (
                isinstance(feature, FixedLenFeature)
                and None in as_shape(feature.shape).as_list()[:1]
            ):
                raise ValueError(
                    f"First dimension of shape for feature {key} unknown. Consider using "
                    "FixedLenSequenceFeature."
                )
            elif not getattr(feature, "allow_missing", True):
                raise ValueError(
                    "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
                )
            else:
                dtype = check_type(feature.dtype, "dense_defaults", _TYPES)
                self.dense.append((key, feature, dtype))

    @property
    def types(self) -> list[dtypes.DType]:
        """The dtypes of indices, values and shapes of the variable ones, then the dense ones."""
        integers = [dtypes.int64] * len(self.sparse)
        values = [dtype for _, dtype in self.sparse]
        return integers + values + integers + [dtype for _, _, dtype in self.dense]

    def fixed(self) -> tuple:
        """Of each dense feature key, dtype, shape, and whether it has any number of such rows."""
        return tuple(
            (key, dtype, as_shape(feature.shape), isinstance(feature, FixedLenSequenceFeature))
            for key, feature, dtype in self.dense
        )

    def defaults(self) -> list[Tensor]:
        """A tensor for each dense feature: its default, or an empty one when there is none."""
        tensors = []
        for key, feature, dtype in self.dense:
            if feature.default_value is None:
                tensors.append(constant([], dtype=dtype))
                continue
            value = convert_to_tensor(feature.default_value, dtype=dtype, name=_node_name(key))
            rows = isinstance(feature, FixedLenSequenceFeature)
            tensors.append(reshape(value, [] if rows else as_shape(feature.shape)))
        return tensors

    def result(self, flat: list[Tensor]) -> dict[str, Any]:
        """The dict of what was parsed, from the outputs that belong to it."""
        n = len(self.sparse)
        sparse = [SparseTensor(flat[i], flat[n + i], flat[2 * n + i]) for i in range(n)]
        keys = [key for key, *_ in (*self.sparse, *self.dense)]
        return dict(zip(keys, [*sparse, *flat[3 * n :]]))


def parse_example(
    serialized: Any, features: Mapping[str, Any], name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """The features of a batch of serialized `tf.train.Example`s.

    Args:
      serialized: [n] strings.
      features: for each key a `FixedLenFeature`, `VarLenFeature` or `FixedLenSequenceFeature`.
      name: the name.
      example_names: [n] strings that messages call the examples by.
    Returns: a dict of tensors with one more axis in front, and of SparseTensors.
    Raises:
      ValueError: when there are no features.
      InvalidArgumentError: when an example does not fit.
    """
    if not features:
        raise ValueError("Invalid argument: features cannot be None.")
    with name_scope(name, "ParseExample", [serialized, example_names]):
        wanted = _Features(features)
        strings = convert_to_tensor(serialized, dtype=dtypes.string, name="serialized")
        names = convert_to_tensor(
            [] if example_names is None else example_names, dtype=dtypes.string, name="names"
        )
        flat = parse_example_op(
            strings,
            names,
            wanted.defaults(),
            sparse=tuple(wanted.sparse),
            dense=wanted.fixed(),
            output_types=tuple(wanted.types),
        )
        return wanted.result(flat)


def parse_single_example(
    serialized: Any, features: Mapping[str, Any], name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """The features of one serialized `tf.train.Example`; see `parse_example`.

    Args:
      serialized: a string.
      features, name, example_names: as of `parse_example`.
    Example:
      >>> features = {"label": tf.FixedLenFeature([], tf.int64)}
      >>> record = tf.placeholder(tf.string, [])
      >>> label = tf.parse_single_example(record, features)["label"]
    """
    if not features:
        raise ValueError("Invalid argument: features cannot be None.")
    with name_scope(name, "ParseSingleExample", [serialized, example_names]):
        record = convert_to_tensor(serialized, dtype=dtypes.string, name="serialized")
        record.set_shape([])
        return parse_example(record, features, example_names=example_names)

"""`tf.parse_example` and its kin: tensors from serialized `tf.train.Example`s.

    features = {"label": tf.FixedLenFeature([], tf.int64), "words": tf.VarLenFeature(tf.string)}
    parsed = tf.parse_single_example(record, features)      # a dict of the same keys

`example_kernels` does the reading.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.graph import Tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.batching import again, only_first
from minitf.core.ops.string_values import as_objects
from minitf.library.formats import example_proto
from minitf.library.parsing.example_kernels import Dense, parse_many, parse_one
from minitf.library.parsing.values import check_type
from minitf.library.sparse.sparse_shaping import sparse_merge

_TYPES = (dtypes.float32, dtypes.int64, dtypes.string)

# ---- what a program says of a feature ----------------------------------------------------


class VarLenFeature(NamedTuple):
    """A feature with any number of values; it becomes a `SparseTensor`."""

    dtype: Any


class SparseFeature(NamedTuple):
    """Two features that are the places and the values of a sparse vector.

    Args:
      index_key: the name of the feature with the places, an int64 one; of a tensor with several
        axes a list of names, one for each axis.
      value_key: the name of the feature with the values.
      dtype: the type of the values.
      size: the length of the vector, or the list of the sizes of the tensor.
      already_sorted: whether the places are in order.
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


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
    return example_proto.load().Example(features={"feature": _FEATURES}).SerializeToString()


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


_FIXED = (FixedLenFeature, FixedLenSequenceFeature)


def _node_name(key: str) -> str:
    return "key_" + re.sub(r"[^A-Za-z0-9_.\-/]", "_", key)


class _Features:
    """A dict of features, sorted into variable and dense ones, each in the order of the keys."""

    def __init__(self, features: Mapping[str, Any], fixed: tuple[type, ...] = _FIXED) -> None:
        self.sparse: list[tuple[str, dtypes.DType]] = []
        self.dense: list[tuple[str, Any, dtypes.DType]] = []
        for key, feature in sorted(features.items()):
            if isinstance(feature, VarLenFeature):
                if not feature.dtype:
                    raise ValueError(f"Missing type for feature {key}.")
                self.sparse.append((key, check_type(feature.dtype, "sparse_types", _TYPES)))
            elif not isinstance(feature, fixed):
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
            elif fixed is _FIXED and not getattr(feature, "allow_missing", True):
                raise ValueError(
                    "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
                )
            else:
                dtype = check_type(feature.dtype, "dense_defaults", _TYPES)
                self.dense.append((key, feature, dtype))

    @property
    def keys(self) -> list[str]:
        return [key for key, _ in self.sparse] + [key for key, _, _ in self.dense]

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
        return dict(zip(self.keys, [*sparse, *flat[3 * n :]]))


def _index_keys(feature: SparseFeature) -> list[str]:
    keys = feature.index_key
    return [keys] if isinstance(keys, str) else list(keys)


def _without_sparse(features: Mapping[str, Any]) -> dict[str, Any]:
    """The features to read: in place of a `SparseFeature` its two parts."""
    wanted = {k: f for k, f in features.items() if not isinstance(f, SparseFeature)}
    for feature in features.values():
        if isinstance(feature, SparseFeature):
            for index_key in _index_keys(feature):
                wanted.setdefault(index_key, VarLenFeature(dtypes.int64))
            wanted.setdefault(feature.value_key, VarLenFeature(feature.dtype))
    return wanted


def _with_sparse(parsed: dict[str, Any], features: Mapping[str, Any]) -> dict[str, Any]:
    """What was parsed, by the keys of `features`: each `SparseFeature` put together."""
    result = {key: value for key, value in parsed.items() if key in features}
    for key, feature in features.items():
        if isinstance(feature, SparseFeature):
            ids = [parsed[index_key] for index_key in _index_keys(feature)]
            sizes = feature.size if isinstance(feature.size, (list, tuple)) else [feature.size]
            values, in_order = parsed[feature.value_key], feature.already_sorted
            result[key] = sparse_merge(ids, values, list(sizes), already_sorted=in_order)
    return result


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
        wanted = _Features(_without_sparse(features))
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
        return _with_sparse(wanted.result(flat), features)


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

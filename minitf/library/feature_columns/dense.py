"""Categorical columns made dense: as counts of the ids, or as rows of a table that is learned.

ids [[3], [0, 2]]  ──indicator──> [[0, 0, 0, 1], [1, 0, 1, 0]]
                   ──embedding──> the mean of the rows of a variable [ids, dimension]

Columns of numbers: as they are, in buckets, and in sequences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, nest
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_shaping import expand_dims, reshape, tile, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.reductions import reduce_sum
from minitf.core.variables.initializers import truncated_normal_initializer
from minitf.library.feature_columns.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureCache,
    IdWeightPair,
    KeyColumn,
    check_key,
)
from minitf.library.nets.embeddings import embedding_lookup_sparse, safe_embedding_lookup_sparse
from minitf.library.numeric.coordinates import scatter_nd
from minitf.library.numeric.filling import one_hot
from minitf.library.numeric.sorting import bucketize
from minitf.library.parsing.examples import FixedLenFeature
from minitf.library.saving.checkpoint_utils import init_from_checkpoint
from minitf.library.sparse.sparse import sparse_tensor_to_dense
from minitf.library.sparse.sparse_shaping import sparse_merge, sparse_slice


class _OfIds(DenseColumn):
    """A dense column made of a categorical one."""

    categorical_column: CategoricalColumn
    _suffix: str

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_{self._suffix}"

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]


# ---- indicator ---------------------------------------------------------------------------


@dataclass(frozen=True)
class IndicatorColumn(_OfIds):
    """What `indicator_column` makes."""

    categorical_column: CategoricalColumn

    _suffix = "indicator"

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([1, self.categorical_column.num_buckets])

    def transform_feature(self, features: FeatureCache) -> Tensor:
        ids, weights = self.categorical_column.get_sparse_tensors(features)
        size = self.categorical_column.num_buckets
        if weights is not None:
            merged = sparse_merge(ids, weights, size)
            merged = sparse_slice(merged, [0, 0], merged.dense_shape)  # without ids of -1
            return scatter_nd(merged.indices, merged.values, merged.dense_shape)
        numbers = sparse_tensor_to_dense(ids, default_value=-1)
        return reduce_sum(one_hot(numbers, size, on_value=1.0, off_value=0.0), axis=[-2])


def indicator_column(categorical_column: CategoricalColumn) -> IndicatorColumn:
    """Counts of the ids of each example: for one id a one-hot vector, for several a multi-hot one.

    Args:
      categorical_column: the column of the ids; their weights are added up in place of counts.
    Raises:
      ValueError: when it is another column.
    Example:
      >>> job = tf.feature_column.categorical_column_with_identity("job", 3)
      >>> column = tf.feature_column.indicator_column(job)
      >>> sess.run(tf.feature_column.input_layer({"job": [[2], [0]]}, [column]))
      array([[0., 0., 1.],
             [1., 0., 0.]], dtype=float32)
    """
    if not isinstance(categorical_column, CategoricalColumn):
        raise ValueError(
            "Unsupported input type. Input must be a CategoricalColumn. "
            f"Given: {categorical_column}"
        )
    return IndicatorColumn(categorical_column)


# ---- embedding ---------------------------------------------------------------------------


@dataclass(frozen=True)
class EmbeddingColumn(_OfIds):
    """What `embedding_column` makes: rows of a variable, found by id and combined."""

    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool = True

    _suffix = "embedding"

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def transform_feature(self, features: FeatureCache) -> Any:
        return features.get(self.categorical_column)

    def create_variables(self, features: FeatureCache) -> None:
        shape = self.categorical_column.num_buckets, self.dimension
        features.create_variable(self, "embedding_weights", shape, self.initializer, self.trainable)

    def get_dense_tensor(self, features: FeatureCache) -> Tensor:
        pair = self.categorical_column.get_sparse_tensors(features)
        table = features.get_variable(self, "embedding_weights")
        if self.ckpt_to_load_from is not None:
            parts = getattr(table, "_variable_list", table)
            init_from_checkpoint(self.ckpt_to_load_from, {self.tensor_name_in_ckpt: parts})
        lookup: Callable[..., Tensor] = safe_embedding_lookup_sparse
        if not self.use_safe_embedding_lookup and (pair.id_tensor.shape.ndims or 3) <= 2:
            lookup = embedding_lookup_sparse
        return lookup(
            table,
            pair.id_tensor,
            pair.weight_tensor,
            combiner=self.combiner,
            name=f"{self.name}_weights",
            max_norm=self.max_norm,
        )


def embedding_column(
    categorical_column: CategoricalColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:
    """Rows of a table that is learned, one for each id.

    Args:
      categorical_column: the column of the ids.
      dimension: the length of a row.
      combiner: how several ids of an example become one row: "mean", "sqrtn" or "sum".
      initializer: of the table; by default normal numbers of deviation 1/sqrt(dimension).
      ckpt_to_load_from, tensor_name_in_ckpt: a checkpoint, and the tensor there to begin with.
      max_norm: when given, longer rows are scaled to it.
      trainable: whether the table is learned.
      use_safe_embedding_lookup: whether examples without ids are allowed, which become zeros.
    Returns: a column whose variable is called `.../NAME_embedding/embedding_weights`.
    Raises:
      ValueError: when the arguments do not go together.
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
    if initializer is not None and not callable(initializer):
        raise ValueError(
            "initializer must be callable if specified. Embedding of column_name: "
            f"{categorical_column.name}"
        )
    initializer = initializer or truncated_normal_initializer(0.0, 1.0 / math.sqrt(dimension))
    return EmbeddingColumn(
        categorical_column,
        dimension,
        combiner,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
        use_safe_embedding_lookup,
    )


# ---- columns of numbers --------------------------------------------------------------------------


# ---- numbers -----------------------------------------------------------------------------


@dataclass(frozen=True)
class NumericColumn(KeyColumn, DenseColumn):
    """What `numeric_column` makes."""

    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: Any
    normalizer_fn: Callable[[Tensor], Tensor] | None

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    def transform_feature(self, features: FeatureCache) -> Tensor:
        tensor = features.get(self.key)
        if isinstance(tensor, SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. "
                f"SparseTensor is not supported. key: {self.key}"
            )
        if self.normalizer_fn is not None:
            tensor = self.normalizer_fn(tensor)
        return cast(tensor, dtypes.float32)


def numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: Any = None,
    dtype: Any = dtypes.float32,
    normalizer_fn: Callable[[Tensor], Tensor] | None = None,
) -> NumericColumn:
    """A feature of numbers, taken as they are.

    Args:
      key: the name of the feature.
      shape: the shape of one example.
      default_value: what `tf.parse_example` takes where it is missing; None when it must not be.
      dtype: the type of the feature; the column is always float32.
      normalizer_fn: a function that scales the feature, such as `lambda x: (x - 3.0) / 4.2`.
    Raises:
      TypeError: when the shape, the default or the function is of another kind.
      ValueError: when the key is no text, or the type not one of numbers.
    Example:
      >>> price = tf.feature_column.numeric_column("price")
      >>> sess.run(tf.feature_column.input_layer({"price": [[1.0], [5.0]]}, [price]))
      array([[1.],
             [5.]], dtype=float32)
    """
    shape, dtype = _checked_shape(shape, key), dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    default_value = _checked_default(shape, default_value, dtype, key)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    check_key(key)
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


def _checked_shape(shape: Any, key: str) -> tuple[int, ...]:
    """The shape of an example as a tuple."""
    sizes = tuple(shape) if nest.is_nested(shape) else (shape,)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"shape dimensions must be integer. shape: {sizes}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {sizes}, key: {key}")
    return sizes


def _checked_default(shape: tuple[int, ...], value: Any, dtype: Any, key: str) -> Any:
    """The default as nested tuples of the shape; None stays."""
    if value is None:
        return None
    if isinstance(value, int) or (isinstance(value, float) and dtype.is_floating):
        for size in reversed(shape):
            value = (value,) * size
        return value
    value = value.tolist() if callable(getattr(value, "tolist", None)) else value
    if nest.is_nested(value):
        if np.array(value, object).shape != shape:
            raise ValueError(
                "The shape of default_value must be equal to given shape. "
                f"default_value: {value}, shape: {shape}, key: {key}"
            )
        numbers = nest.flatten(value)
        whole = all(isinstance(number, int) for number in numbers)
        if whole or (dtype.is_floating and any(isinstance(number, float) for number in numbers)):
            return _as_tuple(value)
    raise TypeError(
        "default_value must be compatible with dtype. "
        f"default_value: {value}, dtype: {dtype}, key: {key}"
    )


def _as_tuple(value: Any) -> Any:
    return tuple(map(_as_tuple, value)) if nest.is_nested(value) else value


# ---- buckets -----------------------------------------------------------------------------


@dataclass(frozen=True)
class BucketizedColumn(DenseColumn, CategoricalColumn):
    """What `bucketized_column` makes: dense as one-hot vectors, sparse as the buckets' numbers."""

    source_column: NumericColumn
    boundaries: tuple[float, ...]

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def parents(self) -> list[Any]:
        return [self.source_column]

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape((*self.source_column.shape, len(self.boundaries) + 1))

    @property
    def num_buckets(self) -> int:
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    def transform_feature(self, features: FeatureCache) -> Tensor:
        return bucketize(features.get(self.source_column), self.boundaries)

    def get_dense_tensor(self, features: FeatureCache) -> Tensor:
        buckets = cast(features.get(self), dtypes.int64)
        return one_hot(buckets, len(self.boundaries) + 1, on_value=1.0, off_value=0.0)

    def get_sparse_tensors(self, features: FeatureCache) -> IdWeightPair:
        buckets, width = features.get(self), self.source_column.shape[0]
        batch = shape_of(buckets)[0]
        rows = reshape(tile(expand_dims(range_of(0, batch), 1), [1, width]), [-1])
        places = tile(range_of(0, width), [batch])
        ids = reshape(buckets, [-1]) + (len(self.boundaries) + 1) * places
        indices = cast(transpose(stack([rows, places])), dtypes.int64)
        sizes = cast(stack([batch, width]), dtypes.int64)
        return IdWeightPair(SparseTensor(indices, cast(ids, dtypes.int64), sizes), None)


def bucketized_column(source_column: NumericColumn, boundaries: Sequence[float]) -> Any:
    """A feature of numbers cut into ranges, each of which has an id.

    Args:
      source_column: a column of `numeric_column`, with at most one axis.
      boundaries: rising numbers: `[0., 1.]` makes the buckets (-inf, 0), [0, 1) and [1, +inf).
    Raises:
      ValueError: when the source is another column, or the boundaries do not rise.
    Example:
      >>> age = tf.feature_column.numeric_column("age")
      >>> stage = tf.feature_column.bucketized_column(age, boundaries=[18, 65])
      >>> sess.run(tf.feature_column.input_layer({"age": [[7.0], [70.0]]}, [stage]))
      array([[1., 0., 0.],
             [0., 0., 1.]], dtype=float32)
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(
            "source_column must be a column generated with numeric_column(). "
            f"Given: {source_column}"
        )
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    rising = isinstance(boundaries, (list, tuple)) and all(
        low < high for low, high in zip(boundaries, boundaries[1:])
    )
    if not rising:
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))

"""Columns of ids: from a vocabulary, a hash or a number; weighted and crossed.

"nurse" ──vocabulary──> 3        the place in a list; the rest -1 or extra buckets
        ──hash────────> 47       the same in every process; two words may meet in one bucket
"nurse", "night" ──cross──> 812  one id for the pair
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import SparseTensor, convert_to_tensor_or_sparse_tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import fill
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal, less, logical_or, where_v2
from minitf.library.feature_columns.base import (
    CategoricalColumn,
    FeatureCache,
    IdWeightPair,
    KeyColumn,
    check_key,
    check_text_or_integer,
    to_sparse,
)
from minitf.library.parsing.examples import VarLenFeature
from minitf.library.text.hashes import sparse_cross_hashed, string_to_hash_bucket_fast
from minitf.library.text.lookup import index_table_from_tensor
from minitf.library.text.strings import as_string


class _IdColumn(KeyColumn, CategoricalColumn):
    """A column of the ids of one feature."""

    dtype: Any

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    def transform_feature(self, features: FeatureCache) -> SparseTensor:
        return self.ids_of(to_sparse(features.get(self.key)))

    def ids_of(self, sparse: SparseTensor) -> SparseTensor:
        """The ids of raw values."""
        raise NotImplementedError

    def _check_values(self, sparse: SparseTensor) -> None:
        if self.dtype.is_integer != sparse.dtype.is_integer:
            raise ValueError(
                "Column dtype and SparseTensors dtype must be compatible. "
                f"key: {self.key}, column dtype: {self.dtype}, tensor dtype: {sparse.dtype}"
            )
        check_text_or_integer(sparse.dtype, f"column_name: {self.key} input_tensor")


def _with_values(sparse: SparseTensor, values: Any) -> SparseTensor:
    return SparseTensor(sparse.indices, values, sparse.dense_shape)


# ---- hash --------------------------------------------------------------------------------


@dataclass(frozen=True)
class HashedCategoricalColumn(_IdColumn):
    """What `categorical_column_with_hash_bucket` makes."""

    key: str
    hash_bucket_size: int
    dtype: Any

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size

    def ids_of(self, sparse: SparseTensor) -> SparseTensor:
        check_text_or_integer(sparse.dtype, f"column_name: {self.key} input_tensor")
        self._check_values(sparse)
        texts = sparse.values if self.dtype == dtypes.string else as_string(sparse.values)
        return _with_values(
            sparse, string_to_hash_bucket_fast(texts, self.hash_bucket_size, name="lookup")
        )


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = dtypes.string
) -> HashedCategoricalColumn:
    """A feature of many words, whose ids are a hash of them.

    Args:
      key: the name of the feature.
      hash_bucket_size: how many ids there are.
      dtype: string or an integer type.
    Raises:
      ValueError: when the size is less than 1, or the type another.
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(
            f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}"
        )
    dtype = dtypes.as_dtype(dtype)
    check_key(key)
    check_text_or_integer(dtype, f"column_name: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


# ---- vocabulary --------------------------------------------------------------------------


@dataclass(frozen=True)
class VocabularyListCategoricalColumn(_IdColumn):
    """What `categorical_column_with_vocabulary_list` makes: its ids are in a lookup table."""

    key: str
    vocabulary_list: tuple
    dtype: Any
    default_value: int
    num_oov_buckets: int

    @property
    def num_buckets(self) -> int:
        return len(self.vocabulary_list) + self.num_oov_buckets

    def ids_of(self, sparse: SparseTensor) -> SparseTensor:
        self._check_values(sparse)
        key_dtype = dtypes.string
        if sparse.dtype.is_integer:
            key_dtype = dtypes.int64
            sparse = _with_values(sparse, cast(sparse.values, dtypes.int64))
        with stacks.init_scope():
            table = index_table_from_tensor(
                self.vocabulary_list,
                self.num_oov_buckets,
                self.default_value,
                dtype=key_dtype,
                name=f"{self.key}_lookup",
            )
        return table.lookup(sparse)


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """A feature of few words, whose ids are their places in a list.

    Args:
      key: the name of the feature.
      vocabulary_list: the words, or integers, each once.
      dtype: the type of the feature; that of the list by default.
      default_value: the id of a word that is not there; -1, which is left out, by default.
      num_oov_buckets: how many ids follow for such words, which are hashed to them.
    Raises:
      ValueError: when the list is empty or names a word twice, or arguments do not go together.
    Example:
      >>> job = tf.feature_column.categorical_column_with_vocabulary_list("job", ["nurse", "cook"])
      >>> job.num_buckets
      2
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    found = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    if num_oov_buckets and default_value != -1:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets and num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")
    check_text_or_integer(found, f"column_name: {key} vocabulary")
    dtype = found if dtype is None else dtypes.as_dtype(dtype)
    if dtype.is_integer != found.is_integer:
        raise ValueError(
            f"dtype {dtype} and vocabulary dtype {found} do not match, column_name: {key}"
        )
    check_text_or_integer(dtype, f"column_name: {key}")
    check_key(key)
    return VocabularyListCategoricalColumn(
        key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets
    )


# ---- identity ----------------------------------------------------------------------------


@dataclass(frozen=True)
class IdentityCategoricalColumn(_IdColumn):
    """What `categorical_column_with_identity` makes."""

    key: str
    number_buckets: int
    default_value: int | None
    dtype: Any = field(default=dtypes.int64, init=False, repr=False)

    @property
    def num_buckets(self) -> int:
        return self.number_buckets

    def ids_of(self, sparse: SparseTensor) -> SparseTensor:
        if not sparse.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {sparse.dtype}")
        values = sparse.values
        if values.dtype != dtypes.int64:
            values = cast(values, dtypes.int64, name="values")
        if self.default_value is not None:
            buckets = cast(self.number_buckets, dtypes.int64, name="num_buckets")
            outside = logical_or(
                less(values, cast(0, dtypes.int64, name="zero")),
                greater_equal(values, buckets),
                name="out_of_range",
            )
            default = cast(self.default_value, dtypes.int64)
            values = where_v2(outside, fill(shape_of(values), default), values)
        return _with_values(sparse, values)


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """A feature of integers that are ids already.

    Args:
      key: the name of the feature.
      num_buckets: how many ids there are: from 0 to `num_buckets - 1`.
      default_value: the id of other integers; None makes them an error where they are looked up.
    Raises:
      ValueError: when the default is none of the ids.
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}"
        )
    check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


# ---- made of other columns ---------------------------------------------------------------


@dataclass(frozen=True)
class WeightedCategoricalColumn(CategoricalColumn):
    """What `weighted_categorical_column` makes."""

    categorical_column: CategoricalColumn
    weight_feature_key: str
    dtype: Any

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column, self.weight_feature_key]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        spec, key = self.categorical_column.parse_example_spec, self.weight_feature_key
        if key in spec:
            raise ValueError(f"Parse config {spec[key]} already exists for {key}.")
        return {**spec, key: VarLenFeature(self.dtype)}

    @property
    def num_buckets(self) -> int:
        return self.categorical_column.num_buckets

    def transform_feature(self, features: FeatureCache) -> Any:
        weights = convert_to_tensor_or_sparse_tensor(features.get(self.weight_feature_key))
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        weights = to_sparse(weights, ignore_value=0.0)
        if not weights.dtype.is_floating:
            weights = _with_values(weights, cast(weights.values, dtypes.float32))
        return to_sparse(features.get(self.categorical_column)), weights

    def get_sparse_tensors(self, features: FeatureCache) -> IdWeightPair:
        return IdWeightPair(*features.get(self))


def weighted_categorical_column(
    categorical_column: CategoricalColumn, weight_feature_key: str, dtype: Any = dtypes.float32
) -> WeightedCategoricalColumn:
    """A column of ids, each of which has a weight in another feature.

    Args:
      categorical_column: the column of the ids.
      weight_feature_key: the name of the feature with the weights, at the places of the ids.
      dtype: the type of the weights.
    Raises:
      ValueError: when the type is not one of numbers.
    """
    if dtype is None or not ((known := dtypes.as_dtype(dtype)).is_integer or known.is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, known)


@dataclass(frozen=True)
class CrossedColumn(CategoricalColumn):
    """What `crossed_column` makes."""

    keys: tuple
    hash_bucket_size: int
    hash_key: int | None

    def _leaves(self) -> list[Any]:
        """The keys, those of crosses among them in the place of the crosses."""
        leaves: list[Any] = []
        for key in self.keys:
            leaves += key._leaves() if isinstance(key, CrossedColumn) else [key]
        return leaves

    @property
    def name(self) -> str:
        return "_X_".join(
            sorted(key if isinstance(key, str) else key.name for key in self._leaves())
        )

    @property
    def parents(self) -> list[Any]:
        return list(self.keys)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = {}
        for key in self.keys:
            text = isinstance(key, str)
            spec |= {key: VarLenFeature(dtypes.string)} if text else key.parse_example_spec
        return spec

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size

    def transform_feature(self, features: FeatureCache) -> SparseTensor:
        parts = []
        for key in self._leaves():
            if isinstance(key, str):
                parts.append(features.get(key))
                continue
            ids, weights = key.get_sparse_tensors(features)
            if weights is not None:
                raise ValueError(
                    "crossed_column does not support weight_tensor, but the given "
                    f"column populates weight_tensor. Given column: {key.name}"
                )
            parts.append(ids)
        return sparse_cross_hashed(parts, self.hash_bucket_size, self.hash_key)


def crossed_column(
    keys: Sequence[Any], hash_bucket_size: int, hash_key: int | None = None
) -> CrossedColumn:
    """A column of ids of combinations: a model can learn what two features mean together.

    Args:
      keys: names of features of strings or integers, or categorical columns; not hashed ones.
      hash_bucket_size: how many ids there are.
      hash_key: where the hash begins.
    Raises:
      ValueError: when there are fewer than two keys, or one cannot be crossed.
    Example:
      >>> cross = tf.feature_column.crossed_column(["job", "town"], hash_bucket_size=1000)
      >>> cross.name
      'job_X_town'
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column "
                f"except HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing "
                "before crossing will increase probability of collision. Instead, use the "
                f"feature name as a string. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)

"""What all feature columns have in common, and how they get at the features.

    features = {"age": [23, 41], "job": ["nurse", "cook"]}
    age, job = numeric_column("age"), categorical_column_with_hash_bucket("job", 100)

    features ──> FeatureCache ──transform_feature──> the column's own tensor, made once
                                  DenseColumn         [batch, ...] floats:    input_layer
                                  CategoricalColumn   sparse ids and weights: linear_model

A column is plain data: it says what to do, and holds no tensor. The cache gives it the features,
and makes its variables.

Columns of ids: from a vocabulary, a hash or a number; weighted and crossed.

"nurse" ──vocabulary──> 3        the place in a list; the rest -1 or extra buckets
        ──hash────────> 47       the same in every process; two words may meet in one bucket
"nurse", "night" ──cross──> 812  one id for the pair
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import SparseTensor, convert_to_tensor_or_sparse_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import GraphKeys, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import rank as rank_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import fill
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater_equal, less, logical_or, not_equal, where_v2
from minitf.core.variables.variable_scope import get_variable
from minitf.library.checks.assertions import assert_positive
from minitf.library.numeric.coordinates import gather_nd
from minitf.library.parsing.examples import VarLenFeature
from minitf.library.sparse.sparse_shaping import sparse_reshape
from minitf.library.text.hashes import sparse_cross_hashed, string_to_hash_bucket_fast
from minitf.library.text.lookup import index_table_from_tensor
from minitf.library.text.strings import as_string


class IdWeightPair(NamedTuple):
    """The ids of a categorical column as a `SparseTensor`, and their weights or None."""

    id_tensor: Any
    weight_tensor: Any


# ---- columns -----------------------------------------------------------------------------


class FeatureColumn:
    """A description of how a feature becomes numbers."""

    @property
    def name(self) -> str:
        """The name, by which columns are ordered and their variables called."""
        raise NotImplementedError

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.parse_example` needs to know to read the features; that of the parents."""
        spec: dict[str, Any] = {}
        for parent in self.parents:
            spec |= parent.parse_example_spec
        return spec

    @property
    def parents(self) -> list[Any]:
        """The columns, or the keys of features, that this one is made from."""
        raise NotImplementedError

    def transform_feature(self, features: FeatureCache) -> Any:
        """The column's tensor; asked for through the cache, so that it is made once."""
        raise NotImplementedError

    def create_variables(self, features: FeatureCache) -> None:
        """Makes the variables; most columns have none."""

    def __lt__(self, other: Any) -> bool:
        return str(self) < str(other)

    def __gt__(self, other: Any) -> bool:
        return str(self) > str(other)


class KeyColumn(FeatureColumn):
    """A column of one feature, whose name is its own."""

    key: str

    @property
    def name(self) -> str:
        return self.key

    @property
    def parents(self) -> list[Any]:
        return [self.key]


class DenseColumn(FeatureColumn):
    """A column whose tensor is whole: what an input layer takes."""

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of one example."""
        raise NotImplementedError

    def get_dense_tensor(self, features: FeatureCache) -> Tensor:
        """[batch, ...variable_shape] floats."""
        return features.get(self)

    #: how many numbers an example has; None: as many as its tensor
    width: Any = property(lambda self: self.variable_shape.num_elements())

    def flattened(self, tensor: Tensor) -> Tensor:
        """That tensor as [batch, n]."""
        width = tensor.shape[1:].num_elements() if self.width is None else self.width
        width = self.variable_shape.num_elements() if width is None else width
        return reshape(tensor, (shape_of(tensor)[0], width))


class CategoricalColumn(FeatureColumn):
    """A column of ids below `num_buckets`, any number of them for an example."""

    @property
    def num_buckets(self) -> int:
        """How many ids there are."""
        raise NotImplementedError

    def get_sparse_tensors(self, features: FeatureCache) -> IdWeightPair:
        """The ids, and their weights or None."""
        return IdWeightPair(features.get(self), None)


# ---- features ----------------------------------------------------------------------------


class FeatureCache:
    """The features of one call, and the tensors and variables that columns have made for it.

    Variables are made by `tf.get_variable`, in the variable scope that is open.

    Args:
      features: from keys to tensors, `SparseTensor`s or arrays.
      trainable: whether variables may be trained; a column may forbid it too.
      collections: where variables are added, besides those that every variable goes to.
    """

    def __init__(
        self, features: Mapping[str, Any], trainable: bool = True, collections: Any = None
    ) -> None:
        self._features = dict(features)
        self._made: dict[Any, Any] = {}
        self._variables: dict[tuple, Any] = {}
        self._trainable = trainable
        own = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES)
        self.collections = list(dict.fromkeys([*(collections or []), *own]))

    def get(self, key: Any) -> Any:
        """The tensor of a raw feature, or of a column.

        Raises:
          ValueError: when there is no such feature, or it has rank 0.
          TypeError: when the key is neither a text nor a column.
        """
        if key not in self._made:
            self._made[key] = self._make(key)
        return self._made[key]

    def _make(self, key: Any) -> Any:
        if not isinstance(key, FeatureColumn) and key in self._features:
            return self._raw(key)
        if isinstance(key, str):
            raise ValueError(f"Feature {key} is not in features dictionary.")
        if not isinstance(key, FeatureColumn):
            raise TypeError(f'"key" must be either a "str" or "FeatureColumn". Provided: {key}')
        made = key.transform_feature(self)
        if made is None:
            raise ValueError(f"Column {key.name} is not supported.")
        return made

    def _raw(self, key: str) -> Any:
        """The feature with at least two axes: a vector becomes a column."""
        tensor = convert_to_tensor_or_sparse_tensor(self._features[key])
        rank = tensor.shape.ndims
        no_rank_0 = f"Feature (key: {key}) cannot have rank 0. Given: {tensor}"
        if rank == 0:
            raise ValueError(no_rank_0)
        if rank is not None:
            return _as_column(tensor) if rank == 1 else tensor
        sizes = tensor.dense_shape if isinstance(tensor, SparseTensor) else tensor
        rank = shape_of(sizes)[0] if isinstance(tensor, SparseTensor) else rank_of(tensor)
        with stacks.control_dependencies([assert_positive(rank, message=no_rank_0)]):
            return cond(equal(1, rank), lambda: _as_column(tensor), lambda: tensor)

    def create_variable(
        self, column: Any, name: str, shape: Any, initializer: Any, trainable: bool
    ) -> None:
        """Makes a float32 variable of a column."""
        self._variables[column, name] = get_variable(
            name,
            shape,
            dtypes.float32,
            initializer,
            trainable=self._trainable and trainable,
            collections=self.collections,
        )

    def get_variable(self, column: Any, name: str) -> Any:
        """A variable of a column, which makes its variables when they are asked for."""
        if (column, name) not in self._variables:
            column.create_variables(self)
        return self._variables[column, name]


def _as_column(tensor: Any) -> Any:
    if isinstance(tensor, SparseTensor):
        return sparse_reshape(tensor, [tensor.dense_shape[0], 1])
    return expand_dims(tensor, -1)


def to_sparse(tensor: Any, ignore_value: Any = None) -> SparseTensor:
    """The elements of a tensor that say something, as a `SparseTensor`.

    Args:
      tensor: a tensor; a `SparseTensor` is returned as it is.
      ignore_value: what says nothing: by default "" for strings and -1 for integers.
    """
    tensor = convert_to_tensor_or_sparse_tensor(tensor)
    if isinstance(tensor, SparseTensor):
        return tensor
    with name_scope(None, "to_sparse_input", [tensor]):
        if ignore_value is None:
            ignore_value = "" if tensor.dtype == dtypes.string else 0
            ignore_value = -1 if tensor.dtype.is_integer else ignore_value
        if tensor.dtype != dtypes.string:
            ignore_value = cast(ignore_value, tensor.dtype.base_dtype, name="ignore_value")
        indices = where_v2(not_equal(tensor, ignore_value), name="indices")
        return SparseTensor(
            indices,
            gather_nd(tensor, indices, name="values"),
            shape_of(tensor, out_type=dtypes.int64, name="dense_shape"),
        )


# ---- checks ------------------------------------------------------------------------------


def normalized(feature_columns: Any) -> list[FeatureColumn]:
    """One column or several as a list.

    Raises:
      ValueError: when there are none, or two with one name, or things that are no columns.
    """
    if isinstance(feature_columns, FeatureColumn):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, Iterator):
        feature_columns = list(feature_columns)
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                "Items of feature_columns must be a _FeatureColumn. "
                f"Given (type {type(column)}): {column}."
            )
    if not feature_columns:
        raise ValueError("feature_columns must not be empty.")
    by_name: dict[str, FeatureColumn] = {}
    for column in feature_columns:
        if column.name in by_name:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and "
                f"{by_name[column.name]}. This usually means that these columns refer to same base "
                "feature. Either one must be discarded or a duplicated but renamed item must be "
                "inserted in features dict."
            )
        by_name[column.name] = column
    return list(feature_columns)


def check_batch_sizes(tensors: list[Tensor], columns: list[Any]) -> None:
    """Raises a ValueError when the tensors of two columns are known to differ in length."""
    first: tuple[str, Any] | None = None
    for tensor, column in zip(tensors, columns, strict=True):
        size = tensor.shape.as_list()[0] if tensor.shape.ndims else None
        if size is None:
            continue
        first = first or (column.name, size)
        if size != first[1]:
            raise ValueError(
                "Batch size (first dimension) of each feature must be same. "
                f"Batch size of columns ({first[0]}, {column.name}): ({first[1]}, {size})"
            )


def check_key(key: Any) -> None:
    """Raises a ValueError when the key of a feature is no text."""
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def check_text_or_integer(dtype: Any, prefix: str) -> None:
    """Raises a ValueError when ids cannot be of this type."""
    if dtype != dtypes.string and not dtype.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")


# ---- columns of ids ------------------------------------------------------------------------------


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

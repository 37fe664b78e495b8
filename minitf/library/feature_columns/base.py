"""What all feature columns have in common, and how they get at the features.

    features = {"age": [23, 41], "job": ["nurse", "cook"]}
    age, job = numeric_column("age"), categorical_column_with_hash_bucket("job", 100)

    features ──> FeatureCache ──transform_feature──> the column's own tensor, made once
                                  DenseColumn         [batch, ...] floats:    input_layer
                                  CategoricalColumn   sparse ids and weights: linear_model

A column is plain data: it says what to do, and holds no tensor. The cache gives it the features,
and makes its variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.composites import SparseTensor, convert_to_tensor_or_sparse_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import GraphKeys, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import rank as rank_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, not_equal, where_v2
from minitf.core.variables.variable_scope import get_variable
from minitf.library.checks.assertions import assert_positive
from minitf.library.numeric.coordinates import gather_nd
from minitf.library.sparse.sparse_shaping import sparse_reshape


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


def check_numeric(dtype: Any, key: str) -> None:
    """Raises a ValueError when numbers cannot be of this type."""
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")


def check_normalizer(normalizer_fn: Any) -> None:
    """Raises a TypeError when what should scale a feature is no function."""
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")


def checked_shape(shape: Any, key: str) -> tuple[int, ...]:
    """The shape of a numeric feature as a tuple.

    Raises:
      TypeError: when a size is no integer.
      ValueError: when a size is not positive.
    """
    sizes = tuple(shape) if nest.is_nested(shape) else (shape,)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"shape dimensions must be integer. shape: {sizes}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {sizes}, key: {key}")
    return sizes

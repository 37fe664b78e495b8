"""The feature columns of `tf.contrib.layers`, as columns of `tf.feature_column` under older names.

    real_valued_column("age")            numeric_column("age")
    sparse_column_with_keys("job", ...)  categorical_column_with_vocabulary_list("job", ...)
    one_hot_column(job)                  indicator_column(job)

A real-valued column without a name stands for features that are one matrix; it is called "_" here.
A real-valued column is as wide as its feature comes; its `dimension` says how records are read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, reshape, tile
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal
from minitf.core.variables.initializers import truncated_normal_initializer, zeros_initializer
from minitf.core.variables.variable_scope import variable_scope
from minitf.library.feature_columns import categorical, dense, numeric
from minitf.library.feature_columns.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureCache,
    ScopeState,
    to_sparse,
)
from minitf.library.feature_columns.models import input_layer, linear_model, make_parse_example_spec
from minitf.library.nets.basics import bias_add
from minitf.library.nets.embeddings import (
    embedding_lookup,
    embedding_lookup_sparse,
    safe_embedding_lookup_sparse,
)
from minitf.library.numeric.uniqueness import unique
from minitf.library.parsing.example_parsing import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
    parse_example,
    parse_single_sequence_example,
)
from minitf.library.sparse.sparse import sparse_placeholder, sparse_tensor_to_dense
from minitf.library.sparse.sparse_shaping import (
    sparse_concat,
    sparse_fill_empty_rows,
    sparse_reshape,
    sparse_retain,
)
from minitf.library.text.crosses import sparse_cross_hashed

#: The name of features that are one matrix.
MATRIX = "_"

bucketized_column = numeric.bucketized_column
create_feature_spec_for_parsing = make_parse_example_spec


def named(features: Any) -> dict[str, Any]:
    """Features as a dict; one matrix gets the name of the real-valued column without one."""
    if not isinstance(features, dict):
        return {MATRIX: features}
    return {key or MATRIX: value for key, value in features.items()}


class RealValuedColumn(numeric.NumericColumn):
    """What `real_valued_column` makes."""

    width = None  # a tensor may have others than a record

    def transform_feature(self, features: FeatureCache, state: Any) -> Tensor:
        """The numbers; what a `SparseTensor` leaves out is 0."""
        given = features.get(self.key, state)
        if isinstance(given, SparseTensor):
            features = FeatureCache({self.key: sparse_tensor_to_dense(given)})
        return super().transform_feature(features, state)


def real_valued_column(
    column_name: str, dimension: int = 1, default_value: Any = None, dtype: Any = dtypes.float32,
    normalizer: Callable | None = None,
) -> RealValuedColumn:  # fmt: skip
    """A feature of numbers.

    Args:
      column_name: the name of the feature; "" when the features are one matrix.
      dimension: how many numbers an example has in a record.
      default_value: what stands where it is missing in a record.
      dtype: the type of the feature.
      normalizer: a function that scales it.
    """
    column = numeric.numeric_column(
        column_name or MATRIX, (dimension,), default_value, dtype, normalizer
    )
    return RealValuedColumn(**vars(column))


def sparse_column_with_hash_bucket(
    column_name: str, hash_bucket_size: int, combiner: str = "sum", dtype: Any = dtypes.string
) -> categorical.HashedCategoricalColumn:
    """A feature of many words, whose ids are a hash of them; `combiner` is accepted."""
    return categorical.categorical_column_with_hash_bucket(column_name, hash_bucket_size, dtype)


def sparse_column_with_keys(
    column_name: str, keys: Sequence[Any], default_value: int = -1, combiner: str = "sum",
    dtype: Any = None,
) -> categorical.VocabularyListCategoricalColumn:  # fmt: skip
    """A feature of few words, whose ids are their places in `keys`; `combiner` is accepted."""
    return categorical.categorical_column_with_vocabulary_list(
        column_name, keys, dtype, default_value
    )


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: Any = dtypes.int64
) -> categorical.IdentityCategoricalColumn:
    """A feature of integers that are ids already; `combiner` is accepted."""
    return categorical.categorical_column_with_identity(column_name, bucket_size)


def sparse_column_with_vocabulary_file(
    column_name: str, vocabulary_file: str, num_oov_buckets: int = 0, vocab_size: int | None = None,
    default_value: int = -1, combiner: str = "sum", dtype: Any = dtypes.string,
) -> categorical.VocabularyFileCategoricalColumn:  # fmt: skip
    """A feature of words, whose ids are the lines of a file; `combiner` is accepted."""
    default = None if num_oov_buckets else default_value
    return categorical.categorical_column_with_vocabulary_file(
        column_name, vocabulary_file, vocab_size, num_oov_buckets, default, dtype
    )


def weighted_sparse_column(
    sparse_id_column: Any, weight_column_name: str, dtype: Any = dtypes.float32
) -> categorical.WeightedCategoricalColumn:
    """A column of ids with weights in another feature."""
    return categorical.weighted_categorical_column(sparse_id_column, weight_column_name, dtype)


def crossed_column(
    columns: Sequence[Any], hash_bucket_size: int, combiner: str = "sum",
    ckpt_to_load_from: str | None = None, tensor_name_in_ckpt: str | None = None,
    hash_key: int | None = None,
) -> categorical.CrossedColumn:  # fmt: skip
    """A column of ids of combinations; hashed columns are crossed by their words.

    Args:
      columns: categorical columns.
      hash_bucket_size: how many ids there are.
      combiner, ckpt_to_load_from, tensor_name_in_ckpt: accepted.
      hash_key: where the hash begins.
    """
    hashed = categorical.HashedCategoricalColumn
    keys = [column.key if isinstance(column, hashed) else column for column in columns]
    return categorical.crossed_column(keys, hash_bucket_size, hash_key)


def one_hot_column(sparse_id_column: Any) -> dense.IndicatorColumn:
    """How often each category stands in a feature."""
    return dense.indicator_column(sparse_id_column)


def embedding_column(
    sparse_id_column: Any, dimension: int, combiner: str = "mean", initializer: Any = None,
    ckpt_to_load_from: str | None = None, tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None, trainable: bool = True,
) -> dense.EmbeddingColumn:  # fmt: skip
    """A vector, learned, for each category."""
    return dense.embedding_column(
        sparse_id_column, dimension, combiner, initializer, ckpt_to_load_from,
        tensor_name_in_ckpt, max_norm, trainable,
    )  # fmt: skip


def shared_embedding_columns(
    sparse_id_columns: Sequence[Any], dimension: int, combiner: str = "mean",
    shared_embedding_name: str | None = None, initializer: Any = None,
    ckpt_to_load_from: str | None = None, tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None, trainable: bool = True,
) -> list[dense.SharedEmbeddingColumn]:  # fmt: skip
    """Embedding columns of several features, which learn one table."""
    return dense.shared_embedding_columns(
        sparse_id_columns, dimension, combiner, initializer, shared_embedding_name,
        ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable,
    )  # fmt: skip


# ---- scattered embeddings ------------------------------------------------------------------------


def scattered_embedding_lookup(
    params: Any, values: Any, dimension: int, name: str | None = None, hash_key: int | None = None
) -> Tensor:
    """Embeddings whose number i of a value is the parameter that the hash of (i, value) says.

    Args:
      params: [n] floats, whole, in a list of parts, or a partitioned variable.
      values: integers or strings of any shape.
      dimension: how many numbers an embedding has.
      name: the name of the scope.
      hash_key: where the hash begins.
    Returns: [...values.shape, dimension]
    Raises:
      ValueError: for a dimension below 1, and parts that are not cut evenly.
    """
    parts = getattr(params, "_variable_list", params)
    parts = list(parts) if isinstance(parts, (list, tuple)) else [parts]
    with stacks.name_scope(name, "scattered_embedding_lookup", [*parts, values]):
        values = convert_to_tensor(values)
        if dimension is None:
            raise ValueError("You must specify either dimension or sampled_candidates.")
        if dimension <= 0:
            raise ValueError(f"Dimension must be >0. Given is {dimension}")
        sizes = [part.shape.with_rank(1)[0].value for part in parts]
        total = sum(sizes)
        for i, size in enumerate(sizes):
            expected = (total - i - 1) // len(parts) + 1
            if size != expected:
                raise ValueError(f"Tensor {i} in params has size {size}, expected {expected}.")
        flat = reshape(values, [-1, 1])
        places = tile(expand_dims(range_of(0, dimension), 0), shape_of(flat))
        ids = sparse_tensor_to_dense(sparse_cross_hashed([places, flat], total, hash_key))
        found = embedding_lookup(parts, ids, partition_strategy="div")
        return reshape(found, concat([shape_of(values), [dimension]], 0))


def scattered_embedding_lookup_sparse(
    params: Any, sparse_values: Any, dimension: int, combiner: str | None = None,
    default_value: Any = None, name: str | None = None, hash_key: int | None = None,
) -> Tensor:  # fmt: skip
    """For each row of values their scattered embeddings combined.

    Args:
      sparse_values: a `SparseTensor` of rank 2 of integers or strings.
      combiner: "mean" (the default), "sqrtn" or "sum".
      default_value: what an empty row holds; by default a value that is hardly ever there.
      params, dimension, name, hash_key: see `scattered_embedding_lookup`.
    Returns: [rows, dimension]
    Raises:
      TypeError: when the values are not sparse.
      ValueError: for another combiner.
    """
    if not isinstance(sparse_values, SparseTensor):
        raise TypeError("sparse_values must be SparseTensor")
    with stacks.name_scope(name, "scattered_embedding_lookup_sparse"):
        if default_value is None:
            default_value = "6ZxWzWOHxZ" if sparse_values.dtype == dtypes.string else 1288896567
        default_value = convert_to_tensor(default_value, sparse_values.dtype)
        filled, _ = sparse_fill_empty_rows(sparse_values, default_value)
        values, places = unique(filled.values)
        table = scattered_embedding_lookup(params, values, dimension, hash_key=hash_key)
        ids = SparseTensor(filled.indices, cast(places, dtypes.int64), filled.dense_shape)
        return embedding_lookup_sparse(table, ids, None, combiner=combiner)


@dataclass(frozen=True)
class ScatteredEmbeddingColumn(DenseColumn):
    """What `scattered_embedding_column` makes."""

    column_name: str
    size: int
    dimension: int
    hash_key: int
    combiner: str
    initializer: Any

    name = property(lambda self: f"{self.column_name}_scattered_embedding")
    parents = property(lambda self: [self.column_name])
    parse_example_spec = property(lambda self: {self.column_name: VarLenFeature(dtypes.string)})
    variable_shape = property(lambda self: TensorShape([self.dimension]))

    def transform_feature(self, features: FeatureCache, state: Any) -> SparseTensor:
        """The values, for each example in a row."""
        found = to_sparse(features.get(self.column_name, state))
        return sparse_reshape(found, [found.dense_shape[0], -1])

    def create_state(self, state: Any) -> None:
        """Makes the parameters."""
        state.create_variable(
            self, "weights", (self.size,), dtypes.float32, initializer=self.initializer
        )

    def get_dense_tensor(self, features: FeatureCache, state: Any) -> Tensor:
        """[batch, dimension] floats."""
        return scattered_embedding_lookup_sparse(
            state.get_variable(self, "weights"), features.get(self, state), self.dimension,
            self.combiner, name="lookup", hash_key=self.hash_key,
        )  # fmt: skip


def scattered_embedding_column(
    column_name: str, size: int, dimension: int, hash_key: int, combiner: str = "mean",
    initializer: Any = None,
) -> ScatteredEmbeddingColumn:  # fmt: skip
    """Embeddings of words whose numbers lie scattered in one vector that is learned.

    Two words that share a number of their embeddings seldom share another, so that collisions
    matter less than in a table with rows for hashed words.

    Args:
      column_name: the name of the feature.
      size: how many parameters there are.
      dimension: how many numbers an embedding has.
      hash_key: where the hash begins.
      combiner: how several words of an example become one row: "mean", "sqrtn" or "sum".
      initializer: of the parameters; by default normal numbers of deviation 0.1.
    Raises:
      ValueError: for sizes below 1, another combiner, or an initializer that is not callable.
    """
    of = f"column_name: {column_name}"
    if dimension < 1 or size < 1:
        raise ValueError(
            f"Dimension and size must be greater than 0. dimension: {dimension}, size: {size}, {of}"
        )
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(
            f"Combiner must be one of 'mean', 'sqrtn' or 'sum'. combiner: {combiner}, {of}"
        )
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified. {of}")
    initializer = initializer or truncated_normal_initializer(0.0, 0.1)
    return ScatteredEmbeddingColumn(column_name, size, dimension, hash_key, combiner, initializer)


# ---- models --------------------------------------------------------------------------------------


def input_from_feature_columns(
    columns_to_tensors: Mapping[str, Any], feature_columns: Any, weight_collections: Any = None,
    trainable: bool = True, scope: str | None = None, cols_to_outs: dict | None = None,
) -> Tensor:  # fmt: skip
    """The numbers of dense columns side by side.

    Args:
      columns_to_tensors: from names to tensors.
      feature_columns: dense columns.
      weight_collections, trainable: see `tf.feature_column.input_layer`.
      scope: the variable scope.
      cols_to_outs: a dict that is filled with the part of each column.
    """
    with variable_scope(scope, default_name="input_from_feature_columns"):
        return input_layer(
            named(columns_to_tensors), feature_columns, weight_collections, trainable,
            cols_to_output_tensors=cols_to_outs,
        )  # fmt: skip


def sequence_input_from_feature_columns(
    columns_to_tensors: Mapping[str, Any], feature_columns: Any, weight_collections: Any = None,
    trainable: bool = True, scope: str | None = None,
) -> Tensor:  # fmt: skip
    """The numbers of dense columns side by side, for each step of sequences.

    Args:
      columns_to_tensors: from names to tensors, [batch, time, ...] dense or sparse.
      feature_columns: one-hot, embedding and real-valued columns, not of crosses.
      weight_collections, trainable, scope: see `input_from_feature_columns`.
    Returns: [batch, time, n]
    Raises:
      ValueError: for other columns, and columns that are there twice.
    """
    columns = list(feature_columns)
    for column in columns:
        if not isinstance(column, (dense._OfIds, numeric.NumericColumn)):
            raise ValueError(
                f"FeatureColumn type {type(column).__name__} is not currently supported for "
                "sequence data."
            )
    for column in columns:  # `columns` grows by what they are made of
        if isinstance(column, (numeric.BucketizedColumn, categorical.CrossedColumn)):
            raise ValueError(
                f"Column {column.name} is of type {type(column).__name__}, which is not currently "
                "supported for sequences."
            )
        columns += [each for each in column.parents if not isinstance(each, str)]
    check_feature_columns(feature_columns)
    flat: dict[str, Any] = {}  # all steps of all sequences are one batch
    sizes: Any = None
    for name in sorted(make_parse_example_spec(feature_columns)):
        given = convert_to_tensor_or_sparse_tensor(named(columns_to_tensors)[name])
        if isinstance(given, SparseTensor):
            shape = given.dense_shape
            rest = shape[2:] if given.shape.ndims == 3 else [1]
            flat[name] = sparse_reshape(given, concat([[-1], rest], 0))
            sizes = cast(shape[:2], dtypes.int32)
        else:
            flat[name] = reshape(given, concat([[-1], shape_of(given)[2:]], 0))
            if given.shape.ndims and given.shape.ndims > 2:
                flat[name].set_shape([None, *given.shape.as_list()[2:]])
            sizes = shape_of(given)[:2]
    with variable_scope(scope, default_name="sequence_input_from_feature_columns"):
        found = input_layer(flat, feature_columns, weight_collections, trainable)
    steps = reshape(found, concat([sizes, [found.shape[1].value]], 0))
    steps.set_shape([None, None, found.shape[1]])
    return steps


def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: Mapping[str, Any], feature_columns: Any, num_outputs: int,
    weight_collections: Any = None, trainable: bool = True, scope: str | None = None,
) -> tuple[Tensor, list, Any]:  # fmt: skip
    """A linear model of columns of ids, whose weights are one variable.

    Args: see `weighted_sum_from_feature_columns`.
    Returns: [batch, num_outputs], the weights (in parts, when partitioned), and the bias.
    Raises:
      NotImplementedError: for columns that are not of ids.
      AssertionError: for columns of weights, and without columns.
    """
    check_feature_columns(feature_columns)
    cache = FeatureCache(named(columns_to_tensors))
    state = ScopeState(trainable, weight_collections)
    zeros = zeros_initializer()
    with variable_scope(scope, default_name="joint_weighted_sum_from_feature_columns"):
        total, ids = 0, []
        for column in sorted(feature_columns):
            if not isinstance(column, CategoricalColumn):
                raise NotImplementedError(
                    "Real-valued columns are not supported. Use "
                    "weighted_sum_from_feature_columns instead, or bucketize these columns."
                )
            each, weights = column.get_sparse_tensors(cache, state)
            if weights is not None:
                raise AssertionError(
                    "Joint sums for weighted sparse columns are not supported. "
                    "Please use weighted_sum_from_feature_columns instead."
                )
            each = sparse_retain(each, greater_equal(each.values, cast(0, each.dtype)))  # known
            each = sparse_reshape(each, [each.dense_shape[0], -1])
            ids.append(SparseTensor(each.indices, each.values + total, each.dense_shape))
            total += column.num_buckets
        if not ids:
            raise AssertionError("At least one column must be in the model.")
        with variable_scope(None, default_name="linear_weights"):
            table = state.create_variable(None, "weights", [total, num_outputs], initializer=zeros)
            sums = safe_embedding_lookup_sparse(
                table, sparse_concat(1, ids), combiner="sum", name="_weights"
            )
        bias = state.create_variable(None, "bias_weight", [num_outputs], initializer=zeros)
        return bias_add(sums, bias), getattr(table, "_variable_list", [table]), bias


def weighted_sum_from_feature_columns(
    columns_to_tensors: Mapping[str, Any], feature_columns: Any, num_outputs: int,
    weight_collections: Any = None, trainable: bool = True, scope: str | None = None,
) -> tuple[Tensor, dict, Any]:  # fmt: skip
    """A linear model of columns.

    Args: see `input_from_feature_columns`; `num_outputs` is how many numbers are predicted.
    Returns: [batch, num_outputs], the variables of each column, and the bias.
    """
    found: dict[Any, Any] = {}
    with variable_scope(scope, default_name="weighted_sum_from_feature_columns"):
        sums = linear_model(
            named(columns_to_tensors), feature_columns, num_outputs,
            weight_collections=weight_collections, trainable=trainable, cols_to_vars=found,
        )  # fmt: skip
    bias = found.pop("bias")[0]
    return sums, found, bias


def parse_feature_columns_from_examples(
    serialized: Any, feature_columns: Any, name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """The features of columns, read from records of `tf.train.Example`."""
    spec = make_parse_example_spec(feature_columns)
    return parse_example(serialized, spec, name=name, example_names=example_names)


def parse_feature_columns_from_sequence_examples(
    serialized: Any, context_feature_columns: Any, sequence_feature_columns: Any,
    name: str | None = None, example_name: Any = None,
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """The features of columns, read from one record of `tf.train.SequenceExample`.

    Args:
      serialized: a string.
      context_feature_columns: columns of what the whole sequence has, or None.
      sequence_feature_columns: columns of what each step has, or None.
      name: the name of the scope.
      example_name: what messages call the record by.
    Returns: the context, and the steps.
    """
    context = make_parse_example_spec(context_feature_columns or ())
    steps = {
        key: FixedLenSequenceFeature(each.shape, each.dtype)
        if isinstance(each, FixedLenFeature)
        else each
        for key, each in make_parse_example_spec(sequence_feature_columns or ()).items()
    }
    return parse_single_sequence_example(serialized, context, steps, example_name, name)


def make_place_holder_tensors_for_base_features(feature_columns: Any) -> dict[str, Any]:
    """Placeholders of the features that columns read, by their names: sparse ones for words."""
    return {
        key: sparse_placeholder(each.dtype, name=f"Placeholder_{key}")
        if isinstance(each, VarLenFeature)
        else placeholder(each.dtype, [None, each.shape[0]], name=f"Placeholder_{key}")
        for key, each in make_parse_example_spec(feature_columns).items()
    }


def check_feature_columns(feature_columns: Any) -> None:
    """Asserts that no column is there twice.

    Raises:
      ValueError: when one is, or `feature_columns` is a dict.
    """
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    seen = set()
    for column in feature_columns:
        if column in seen:
            raise ValueError(
                f"Duplicate feature column key found for column: {column.name}. This usually means "
                "that the column is almost identical to another column, and one must be discarded."
            )
        seen.add(column)


def transform_features(features: Mapping[str, Any], feature_columns: Any) -> dict[Any, Any]:
    """What each column makes of features, before it becomes numbers: a dict from columns.

    Raises:
      ValueError: see `check_feature_columns`.
    """
    check_feature_columns(feature_columns)
    cache, state = FeatureCache(named(features)), ScopeState()
    return {column: cache.get(column, state) for column in sorted(feature_columns)}


def infer_real_valued_columns(features: Any) -> list[RealValuedColumn]:
    """A real-valued column for each feature.

    Args:
      features: a tensor, or a dict of them.
    Raises:
      ValueError: when one is sparse, or not of numbers.
    """
    columns = []
    for name, tensor in (features if isinstance(features, dict) else {"": features}).items():
        wrong = None
        if isinstance(tensor, SparseTensor):
            wrong = "SparseTensor is"
        elif not (tensor.dtype.is_integer or tensor.dtype.is_floating):
            wrong = "Non integer or non floating types are"
        if wrong:
            raise ValueError(
                f"{wrong} not supported for auto detection. Please define corresponding "
                f"FeatureColumn for tensor {name} {tensor}."
            )
        width = tensor.shape[1:].num_elements()
        columns.append(real_valued_column(name, width, dtype=tensor.dtype))
    return columns

"""The feature columns of `tf.contrib.layers`, as columns of `tf.feature_column` under older names.

    real_valued_column("age")            numeric_column("age")
    sparse_column_with_keys("job", ...)  categorical_column_with_vocabulary_list("job", ...)
    one_hot_column(job)                  indicator_column(job)

A real-valued column without a name stands for features that are one matrix; it is called "_" here.
A real-valued column is as wide as its feature comes; its `dimension` says how records are read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.tensor import Tensor
from minitf.core.variables.variable_scope import variable_scope
from minitf.library.feature_columns import base, dense
from minitf.library.feature_columns.base import FeatureCache
from minitf.library.feature_columns.models import linear_model, make_parse_example_spec
from minitf.library.sparse.sparse import sparse_tensor_to_dense

#: The name of features that are one matrix.
MATRIX = "_"

bucketized_column = dense.bucketized_column
create_feature_spec_for_parsing = make_parse_example_spec


def named(features: Any) -> dict[str, Any]:
    """Features as a dict; one matrix gets the name of the real-valued column without one."""
    if not isinstance(features, dict):
        return {MATRIX: features}
    return {key or MATRIX: value for key, value in features.items()}


class RealValuedColumn(dense.NumericColumn):
    """What `real_valued_column` makes."""

    width = None  # a tensor may have others than a record

    def transform_feature(self, features: FeatureCache) -> Tensor:
        """The numbers; what a `SparseTensor` leaves out is 0."""
        given = features.get(self.key)
        if isinstance(given, SparseTensor):
            features = FeatureCache({self.key: sparse_tensor_to_dense(given)})
        return super().transform_feature(features)


def real_valued_column(
    column_name: str,
    dimension: int = 1,
    default_value: Any = None,
    dtype: Any = dtypes.float32,
    normalizer: Callable | None = None,
) -> RealValuedColumn:
    """A feature of numbers.

    Args:
      column_name: the name of the feature; "" when the features are one matrix.
      dimension: how many numbers an example has in a record.
      default_value: what stands where it is missing in a record.
      dtype: the type of the feature.
      normalizer: a function that scales it.
    """
    column = dense.numeric_column(
        column_name or MATRIX, (dimension,), default_value, dtype, normalizer
    )
    return RealValuedColumn(**vars(column))


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: Any = dtypes.int64
) -> base.IdentityCategoricalColumn:
    """A feature of integers that are ids already; `combiner` is accepted."""
    return base.categorical_column_with_identity(column_name, bucket_size)


def weighted_sparse_column(
    sparse_id_column: Any, weight_column_name: str, dtype: Any = dtypes.float32
) -> base.WeightedCategoricalColumn:
    """A column of ids with weights in another feature."""
    return base.weighted_categorical_column(sparse_id_column, weight_column_name, dtype)


def crossed_column(
    columns: Sequence[Any],
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    hash_key: int | None = None,
) -> base.CrossedColumn:
    """A column of ids of combinations; hashed columns are crossed by their words.

    Args:
      columns: categorical columns.
      hash_bucket_size: how many ids there are.
      combiner, ckpt_to_load_from, tensor_name_in_ckpt: accepted.
      hash_key: where the hash begins.
    """
    hashed = base.HashedCategoricalColumn
    keys = [column.key if isinstance(column, hashed) else column for column in columns]
    return base.crossed_column(keys, hash_bucket_size, hash_key)


def embedding_column(
    sparse_id_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> dense.EmbeddingColumn:
    """A vector, learned, for each category."""
    return dense.embedding_column(
        sparse_id_column,
        dimension,
        combiner,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
    )


# ---- models --------------------------------------------------------------------------------------


def weighted_sum_from_feature_columns(
    columns_to_tensors: Mapping[str, Any],
    feature_columns: Any,
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: str | None = None,
) -> tuple[Tensor, dict, Any]:
    """A linear model of columns.

    Args: see `input_from_feature_columns`; `num_outputs` is how many numbers are predicted.
    Returns: [batch, num_outputs], the variables of each column, and the bias.
    """
    found: dict[Any, Any] = {}
    with variable_scope(scope, default_name="weighted_sum_from_feature_columns"):
        sums = linear_model(
            named(columns_to_tensors),
            feature_columns,
            num_outputs,
            weight_collections=weight_collections,
            trainable=trainable,
            cols_to_vars=found,
        )
    bias = found.pop("bias")[0]
    return sums, found, bias

"""Categorical columns made dense: as counts of the ids, or as rows of a table that is learned.

ids [[3], [0, 2]]  ──indicator──> [[0, 0, 0, 1], [1, 0, 1, 0]]
                   ──embedding──> the mean of the rows of a variable [ids, dimension]
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import one_hot
from minitf.core.ops.reductions import reduce_sum
from minitf.core.variables.initializers import truncated_normal_initializer
from minitf.library.feature_columns.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureCache,
)
from minitf.library.nets.embeddings import embedding_lookup_sparse, safe_embedding_lookup_sparse
from minitf.library.numeric.coordinates import scatter_nd
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

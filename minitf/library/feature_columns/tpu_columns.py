"""Columns of embeddings for TPUs: `tf.tpu.experimental.embedding_column` and its kin.

On a TPU they have tables on its cores. Anywhere else, and so here, they are the usual columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.library.feature_columns import dense
from minitf.library.feature_columns.categorical import CategoricalColumn, SequenceCategoricalColumn


def embedding_column(
    categorical_column: CategoricalColumn, dimension: int, combiner: str = "mean",
    initializer: Any = None, max_sequence_length: int = 0,
    learning_rate_fn: Callable | None = None, embedding_lookup_device: str | None = None,
    tensor_core_shape: Sequence[int] | None = None, use_safe_embedding_lookup: bool = True,
) -> dense.EmbeddingColumn:  # fmt: skip
    """Rows of a table that is learned, one for each id.

    Args:
      categorical_column, dimension, combiner, initializer, use_safe_embedding_lookup: as of
        `tf.feature_column.embedding_column`.
      max_sequence_length: for columns of sequences how long they are at most on a TPU; else 0.
      learning_rate_fn, embedding_lookup_device, tensor_core_shape: of the table on a TPU.
    Raises:
      ValueError: when a length is given for a column that is not of sequences, or none for one.
    """
    _check_length(categorical_column, max_sequence_length)
    return dense.embedding_column(
        categorical_column, dimension, combiner, initializer,
        use_safe_embedding_lookup=use_safe_embedding_lookup,
    )  # fmt: skip


def shared_embedding_columns(
    categorical_columns: Sequence[CategoricalColumn], dimension: int, combiner: str = "mean",
    initializer: Any = None, shared_embedding_collection_name: str | None = None,
    max_sequence_lengths: Sequence[int] | None = None, learning_rate_fn: Callable | None = None,
    embedding_lookup_device: str | None = None, tensor_core_shape: Sequence[int] | None = None,
    use_safe_embedding_lookup: bool = True,
) -> list[dense.SharedEmbeddingColumn]:  # fmt: skip
    """Columns of several features that learn one table; the arguments are those above.

    Raises:
      ValueError: when there are not as many lengths as columns.
    """
    lengths = max_sequence_lengths or [0] * len(categorical_columns)
    if len(lengths) != len(categorical_columns):
        raise ValueError(
            "max_sequence_lengths and categorical_columns must be of the same length. "
            f"len(max_sequence_lengths)={len(lengths)} "
            f"len(categorical_columns)={len(categorical_columns)}."
        )
    for column, length in zip(categorical_columns, lengths, strict=True):
        _check_length(column, length)
    return dense.shared_embedding_columns(
        categorical_columns, dimension, combiner, initializer, shared_embedding_collection_name,
        use_safe_embedding_lookup=use_safe_embedding_lookup,
    )  # fmt: skip


def _check_length(column: CategoricalColumn, length: int) -> None:
    if not isinstance(column, CategoricalColumn):
        raise TypeError(
            "categorical_column for tpu embedding_column must be type CategoricalColumn, got "
            f"{type(column)}."
        )
    if not isinstance(column, SequenceCategoricalColumn):
        if length:
            raise ValueError(
                f"Non zero max_seq_length={length} specified for non sequence column {column.name}."
            )
    elif length < 1:
        raise ValueError(
            "max_sequence_length must be greater than 0 for sequence columns. Got "
            f"max_sequence_length={length} for sequence column {column.name}."
        )

"""Functions of `tf.contrib.data` and `tf.contrib.lookup` that have another form in TensorFlow 1.15.

dataset.apply(tf.contrib.data.batch_and_drop_remainder(64))
table = tf.contrib.lookup.index_table_from_tensor(mapping=["a", "b"], num_oov_buckets=1)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.tensor import Tensor
from minitf.library.input.data.dataset import Dataset
from minitf.library.text.lookup import tables

Transformation = Callable[[Dataset], Dataset]

# ---- datasets ------------------------------------------------------------------------------------


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """Batches, without a last one that is smaller."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


# ---- tables --------------------------------------------------------------------------------------


def _given(mapping: Any) -> Any:
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return mapping


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = tables.FastHashSpec,
    dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """A table from the words of a vector to their places.

    Args:
      mapping: the vector.
      num_oov_buckets, default_value, hasher_spec, dtype, name: see
        `tf.lookup.StaticVocabularyTable`.
    """
    return tables.index_table_from_tensor(
        _given(mapping), num_oov_buckets, default_value, hasher_spec, dtype, name
    )


def index_to_string_table_from_tensor(
    mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """A table from places to the words of a vector."""
    return tables.index_to_string_table_from_tensor(_given(mapping), default_value, name)


string_to_index_table_from_tensor = index_table_from_tensor


def index_to_string(
    tensor: Any, mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Tensor:
    """The words at places of a vector; the table must be initialized."""
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)

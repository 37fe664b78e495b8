"""Lookup tables that a dataset fills: `tf.data.experimental.table_from_dataset`.

(key, value), (key, value), ...  ──initializer──>  table
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.graph import Operation
from minitf.core.graph.op_def import op
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.cast import cast
from minitf.library.input.data.cardinality import assert_cardinality
from minitf.library.input.data.dataset import Dataset
from minitf.library.input.data.ends import elements_of
from minitf.library.text.lookup.kernels import find_op, hash_table_op
from minitf.library.text.lookup.tables import (
    FastHashSpec,
    HasherSpec,
    IdTableWithHashBuckets,
    StaticHashTable,
    TableInitializer,
)


def _program(folder: str) -> list:
    """A table is filled with pairs of numbers, and asked."""
    pairs = Dataset.zip((Dataset.range(3), Dataset.range(5, 8)))
    table = hash_table_op(key_dtype=dtypes.int64, value_dtype=dtypes.int64)
    filled = initialize_table_from_dataset_op(table, pairs._variant_tensor)
    asked = find_op(table, np.array([2, 9]), np.int64(-1))
    return [(filled, None), (asked, np.array([7, -1]))]


@op(
    "InitializeTableFromDataset",
    "table_handle: resource, dataset: variant ->",
    differentiable=False,
    host_only=True,
    program=_program,
)
def initialize_table_from_dataset_op(ctx: Any, table_handle: Any, dataset: Any) -> None:
    """Fills a table with the elements of a dataset, which are keys and values."""
    pairs = elements_of(ctx, dataset)
    table_handle.initialize(tuple(np.asarray(each).item() for each in pair) for pair in pairs)


class DatasetInitializer(TableInitializer):
    """Fills a table with the elements of a dataset.

    Args:
      dataset: its elements are pairs of scalars, a key and its value.
    Raises:
      ValueError: when they are not.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        spec = dataset.element_spec
        expected = (
            "Datasets used to initialize lookup tables must produce elements in the form (key, "
            "value), where the keys and values are scalar tensors. However, the given dataset "
            "produces "
        )
        if len(spec) != 2:
            raise ValueError(
                f"{expected}{len(spec)} components instead of two (key, value) components. Full "
                f"dataset element spec: {spec}."
            )
        for which, each in zip(("key", "value"), spec, strict=True):
            if each.shape.ndims not in (0, None):
                raise ValueError(
                    f"{expected}non-scalar {which} Tensors of rank {each.shape.ndims}."
                )
        self.key_dtype, self.value_dtype = spec[0].dtype, spec[1].dtype

    def _fill(self, handle: Tensor) -> Operation:
        return initialize_table_from_dataset_op(handle, self.dataset._variant_tensor)


def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = None,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """A table of the keys and values that a dataset gives.

    Args:
      dataset: its elements are pairs of scalars.
      num_oov_buckets: how many numbers follow, for keys that are not there.
      vocab_size: how many elements there are at least, of which the first are taken; all when None.
      default_value: the value of such a key when there are no buckets; -1 when None.
      hasher_spec: how keys find their bucket, as `FastHashSpec`.
      key_dtype: the type of the keys.
      name: the name of the scope.
    Raises:
      ValueError: when the elements are no pairs of scalars, a number is too small, or there is no
        default for values that are no numbers.
      TypeError: when keys can have no such type.
    Example:
      >>> words = tf.data.Dataset.from_tensor_slices(["a", "b"])
      >>> ages = tf.data.Dataset.from_tensor_slices([30, 40])
      >>> table = tf.data.experimental.table_from_dataset(tf.data.Dataset.zip((words, ages)))
      >>> sess.run(tf.tables_initializer())
      >>> sess.run(table.lookup(tf.constant(["b", "c"])))
      array([40, -1], dtype=int32)
    """
    initializer = DatasetInitializer(dataset)
    kind, key_dtype = initializer.value_dtype, dtypes.as_dtype(key_dtype)
    if default_value is None and not (kind.is_integer or kind.is_floating):
        raise ValueError(
            "`default_value` must be specified when creating a table from a dataset that produces "
            f"values of type {kind}."
        )
    if num_oov_buckets < 0:
        raise ValueError(
            f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}."
        )
    if vocab_size is not None and not isinstance(vocab_size, Tensor) and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    if not key_dtype.is_integer and key_dtype.base_dtype != dtypes.string:
        raise TypeError(
            f"`key_dtype` must be either an integer or string type, but got {key_dtype}"
        )
    if vocab_size is not None:
        if isinstance(vocab_size, Tensor):
            vocab_size = cast(vocab_size, dtypes.int64)
        initializer.dataset = dataset.take(vocab_size).apply(assert_cardinality(vocab_size))
    with name_scope(name, "string_to_index"), name_scope(None, "hash_table"):
        table = StaticHashTable(initializer, -1 if default_value is None else default_value)
        if not num_oov_buckets:
            return table
        return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=key_dtype)


def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """A table from the elements of a dataset to their places; see `table_from_dataset`."""
    pairs = dataset.enumerate().map(lambda place, key: (key, place))
    return table_from_dataset(
        pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name
    )

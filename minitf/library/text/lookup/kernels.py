"""The operations of lookup tables: making, filling, asking. tables.py has the classes for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.shapes import TensorShape, as_shape, unknown_shape
from minitf.library.text.lookup.states import TableState, read_pairs


def _table_op(op_type: str, signature: str, **options: Any) -> Callable[[Callable], OpDef]:
    """Declares an operation on tables, which are resources; otherwise as `op` does."""
    reason = "it acts on a table, which a sample cannot hold; tests/core/ops/test_lookup.py uses it"
    return op(op_type, signature, differentiable=False, no_samples=reason, **options)


@_table_op("HashTableV2", "-> table_handle: resource")
def hash_table_op(
    ctx: Any, *, key_dtype: Any, value_dtype: Any, container: str = "", shared_name: str = ""
) -> TableState:
    """Gives the handle of a table that is filled once."""
    return ctx.shared("table", lambda name: TableState(name, key_dtype, value_dtype))


@_table_op("MutableHashTableV2", "-> table_handle: resource")
def mutable_hash_table_op(
    ctx: Any,
    *,
    key_dtype: Any,
    value_dtype: Any,
    value_shape: Any = (),
    container: str = "",
    shared_name: str = "",
) -> TableState:
    """Gives the handle of a table that steps may change."""
    sizes = tuple(as_shape(value_shape).as_list())
    return ctx.shared("table", lambda name: TableState(name, key_dtype, value_dtype, True, sizes))


hash_table_op.shape(lambda **attrs: TensorShape(()))
mutable_hash_table_op.shape(lambda **attrs: TensorShape(()))


@_table_op("LookupTableImportV2", "table_handle: resource, keys: Tin, values: Tout ->")
def import_op(ctx: Any, table_handle: Any, keys: Any, values: Any) -> None:
    """Fills a table with keys and values."""
    if table_handle.mutable:
        table_handle.insert(keys, values)
    else:
        table_handle.initialize(zip(np.ravel(keys).tolist(), np.ravel(values).tolist()))


@_table_op(
    "InitializeTableFromTextFileV2", "table_handle: resource, filename: string ->", reaches="files"
)
def initialize_from_file_op(
    ctx: Any,
    table_handle: Any,
    filename: Any,
    *,
    key_index: int,
    value_index: int,
    vocab_size: int = -1,
    delimiter: str = "\t",
) -> None:
    """Fills a table with what the lines of a file hold."""
    types = (table_handle.key_dtype, table_handle.value_dtype)
    pairs = read_pairs(filename, key_index, value_index, vocab_size, delimiter.encode(), types)
    table_handle.initialize(pairs)


@_table_op(
    "LookupTableFindV2", "table_handle: resource, keys: Tin, default_value: Tout -> values: Tout"
)
def find_op(ctx: Any, table_handle: Any, keys: Any, default_value: Any) -> Any:
    """Gives the values of keys."""
    return table_handle.find(keys, default_value)


@find_op.shape
def _find_shape(table_handle: Any, keys: Any, default_value: Any) -> Any:
    if keys.shape.ndims is None or default_value.shape.ndims is None:
        return unknown_shape()
    return keys.shape.concatenate(default_value.shape)


@_table_op("LookupTableSizeV2", "table_handle: resource -> size: int64")
def size_op(ctx: Any, table_handle: Any) -> Any:
    """Counts the keys of a table."""
    return np.int64(table_handle.size())


size_op.shape(lambda table_handle: TensorShape(()))


@_table_op("LookupTableInsertV2", "table_handle: resource, keys: Tin, values: Tout ->")
def insert_op(ctx: Any, table_handle: Any, keys: Any, values: Any) -> None:
    """Adds keys to a table, or gives them other values."""
    table_handle.insert(keys, values)


@_table_op("LookupTableRemoveV2", "table_handle: resource, keys: Tin ->")
def remove_op(ctx: Any, table_handle: Any, keys: Any) -> None:
    """Takes keys out of a table."""
    table_handle.remove(keys)


@_table_op("LookupTableExportV2", "table_handle: resource -> keys: Tkeys, values: Tvalues")
def export_op(ctx: Any, table_handle: Any, *, Tkeys: Any, Tvalues: Any) -> Any:
    """Gives all keys and values of a table."""
    return table_handle.export()


export_op.shape(lambda table_handle, **attrs: [TensorShape([None]), unknown_shape()])

"""The operations of lookup tables: making, filling, asking. tables.py has the classes for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import OpDef, op, scalar_shape
from minitf.core.graph.shapes import as_shape, unknown_shape
from minitf.library.text.lookup.states import DenseTableState, TableState, read_pairs

_WHOLE_LINE, _LINE_NUMBER = -2, -1  # what a key or a value can be, beside a column


def _program(folder: str) -> list:
    """A table is filled from a file and asked; another is changed, and what it holds goes on."""
    file = Path(folder, "words")
    file.write_text("zero\none\ntwo\n")
    kinds: dict[str, Any] = {"key_dtype": dtypes.string, "value_dtype": dtypes.int64}
    words, ages = hash_table_op(**kinds), mutable_hash_table_op(**kinds)
    dense = mutable_dense_hash_table_op("", "-", initial_num_buckets=4, **kinds)
    keys, none = np.array([b"two", b"six"], np.object_), np.int64(-1)
    types = {"Tkeys": dtypes.string, "Tvalues": dtypes.int64}
    from_lines: dict[str, Any] = {"key_index": _WHOLE_LINE, "value_index": _LINE_NUMBER}
    return [
        (initialize_from_file_op(words, str(file), **from_lines), None),
        (find_op(words, keys, none), np.array([2, -1])),
        (insert_op(ages, keys, np.array([7, 9])), None),
        (remove_op(ages, keys[:1]), None),
        (export_op(ages, **types), [keys[1:], np.array([9])]),
        (import_op(ages, keys, np.array([1, 2])), None),
        (size_op(ages), np.int64(2)),
        (insert_op(dense, keys, np.array([7, 9])), None),
        (find_op(dense, keys, none), np.array([7, 9])),
    ]


def _table_op(op_type: str, signature: str, **options: Any) -> Callable[[Callable], OpDef]:
    """Declares an operation on tables, which are resources; otherwise as `op` does."""
    return op(op_type, signature, differentiable=False, program=_program, **options)


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


@_table_op(
    "MutableDenseHashTableV2",
    "empty_key: key_dtype, deleted_key: key_dtype -> table_handle: resource",
)
def mutable_dense_hash_table_op(
    ctx: Any,
    empty_key: Any,
    deleted_key: Any,
    *,
    key_dtype: Any,
    value_dtype: Any,
    value_shape: Any = (),
    initial_num_buckets: int = 2**17,
    max_load_factor: float = 0.8,
    container: str = "",
    shared_name: str = "",
) -> TableState:
    """Gives the handle of a table that steps may change, with two keys that nobody may use."""
    kinds = (key_dtype, value_dtype, tuple(as_shape(value_shape).as_list()), empty_key, deleted_key)
    places = (initial_num_buckets, max_load_factor)
    return ctx.shared("table", lambda name: DenseTableState(name, *kinds, *places))


mutable_dense_hash_table_op.shape(scalar_shape)
hash_table_op.shape(scalar_shape)
mutable_hash_table_op.shape(scalar_shape)


@_table_op("LookupTableImportV2", "table_handle: resource, keys: Tin, values: Tout ->")
def import_op(ctx: Any, table_handle: Any, keys: Any, values: Any) -> None:
    """Fills a table with keys and values."""
    if table_handle.mutable:
        table_handle.replace(keys, values)
    else:
        table_handle.initialize(zip(np.ravel(keys).tolist(), np.ravel(values).tolist()))


@import_op.shape
def _import_shape(table_handle: Any, keys: Any, values: Any) -> list:
    if keys.shape.ndims is not None and values.shape.ndims is not None:
        for a, b in zip(keys.shape.as_list(), values.shape.as_list()):
            if None not in (a, b) and a != b:
                raise ValueError(f"Dimensions must be equal, but are {a} and {b}")
    return []


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
    table = table_handle.made_by
    depth = table.inputs[0].shape.ndims if table.type == "MutableDenseHashTableV2" else 0
    return keys.shape[: keys.shape.ndims - depth].concatenate(default_value.shape)


@_table_op("LookupTableSizeV2", "table_handle: resource -> size: int64")
def size_op(ctx: Any, table_handle: Any) -> Any:
    """Counts the keys of a table."""
    return np.int64(table_handle.size())


size_op.shape(scalar_shape)


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


export_op.shape(lambda table_handle, **attrs: [unknown_shape(), unknown_shape()])

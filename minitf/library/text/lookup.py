"""Lookup tables: from words to numbers and back, while a step runs.

    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["cat", "dog"], [0, 1]), default_value=-1)
    sess.run(tf.tables_initializer())
    sess.run(table.lookup(tf.constant(["dog", "cow"])))          # [1, -1]

A table lives with its device; it is filled by an initializer, or by steps.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import nullcontext
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors, stacks
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.shapes import TensorShape, as_shape, brackets, same_size, unknown_shape
from minitf.core.graph.stacks import GraphKeys, name_scope
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.comparisons import equal, where_v2
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.math import add
from minitf.core.variables.variable_def import SaveableObject, SaveSpec
from minitf.library.formats.file_io import open_file
from minitf.library.parsing.values import read_numbers
from minitf.library.text.hashes import string_to_hash_bucket_fast
from minitf.library.text.strings import as_string

WHOLE_LINE, LINE_NUMBER = -2, -1  # what a key or a value can be, beside a column

# ---- what a table holds ------------------------------------------------------------------


class TableState:
    """A table on a device.

    Args:
      name: how messages call it.
      key_dtype, value_dtype: the types.
      mutable: whether steps may change it.
      value_shape: the shape of one value.
    """

    def __init__(
        self,
        name: str,
        key_dtype: dtypes.DType,
        value_dtype: dtypes.DType,
        mutable: bool = False,
        value_shape: tuple[int, ...] = (),
    ) -> None:
        self.name = name
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype
        self.value_shape = value_shape
        self.mutable = mutable
        self._lock = threading.Lock()
        self._entries: dict[Any, Any] | None = {} if mutable else None

    def _filled(self) -> dict[Any, Any]:
        if self._entries is None:
            raise errors.FailedPreconditionError(None, None, "Table not initialized.")
        return self._entries

    def initialize(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Fills the table, the first time only.

        Raises:
          FailedPreconditionError: when a key has two values.
        """
        with self._lock:
            if self._entries is not None:
                return
            entries: dict[Any, Any] = {}
            for key, value in pairs:
                if entries.setdefault(key, value) != value:
                    raise errors.FailedPreconditionError.of(
                        f"HashTable has different value for same key. Key {_shown(key)} has "
                        f"{_shown(entries[key])} and trying to add value {_shown(value)}"
                    )
            self._entries = entries

    def find(self, keys: Any, default: Any) -> Any:
        """The values of the keys, `default` for those that are not there."""
        entries = self._filled()
        found = [entries.get(key, default) for key in _flat(keys)]
        return self._array(found, np.shape(keys))[()]

    def _array(self, values: list[Any], shape: tuple[int, ...]) -> np.ndarray:
        whole = np.empty((len(values), *self.value_shape), self.value_dtype.numpy_dtype)
        for i, value in enumerate(values):
            whole[i] = value
        return whole.reshape((*shape, *self.value_shape))

    def size(self) -> int:
        """How many keys there are."""
        return len(self._filled())

    def insert(self, keys: Any, values: Any) -> None:
        """Adds keys, or gives them other values."""
        flat, outer = _flat(keys), np.shape(keys)
        if np.shape(values) != outer + self.value_shape:
            raise invalid(
                f"Expected shape {brackets(TensorShape(outer + self.value_shape))} for value, got "
                f"{brackets(TensorShape(np.shape(values)))}"
            )
        if self.value_shape:
            values = list(np.array(values).reshape(len(flat), *self.value_shape))
        else:
            values = _flat(values)
        with self._lock:
            self._filled().update(zip(flat, values))

    def replace(self, keys: Any, values: Any) -> None:
        """Has these keys and no others."""
        with self._lock:
            self._filled().clear()
        self.insert(keys, values)

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """All keys, and their values in the same order."""
        with self._lock:
            entries = dict(self._filled())
        keys = np.empty(len(entries), self.key_dtype.numpy_dtype)
        keys[:] = list(entries)
        return keys, self._array(list(entries.values()), (len(entries),))


def _flat(values: Any) -> list[Any]:
    """The elements of an array, or the one scalar, as Python's numbers and bytes."""
    return values.ravel().tolist() if isinstance(values, (np.ndarray, np.generic)) else [values]


def _shown(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def read_pairs(
    filename: bytes,
    key_index: int,
    value_index: int,
    vocab_size: int,
    delimiter: bytes,
    types: tuple[dtypes.DType, dtypes.DType],
) -> list[tuple[Any, Any]]:
    """The pairs of key and value that the lines of a file hold.

    Args:
      filename: of the file.
      key_index, value_index: a column, or `WHOLE_LINE`, or `LINE_NUMBER`.
      vocab_size: how many lines to read; -1 for all.
      delimiter: what stands between two columns.
      types: of the key and of the value.
    Raises:
      InvalidArgumentError: when a line does not fit, or there are too few.
    """

    def part(line: bytes, number: int, index: int, dtype: dtypes.DType) -> Any:
        if index == LINE_NUMBER:
            return number
        parts = [line] if index == WHOLE_LINE else line.split(delimiter)
        if index >= len(parts):
            raise invalid(
                f"Invalid number of columns in {filename.decode()} line {number} "
                f"({line.decode()}) : expected at least {index + 1} got {len(parts)}"
            )
        text = parts[max(index, 0)]
        try:
            return text if dtype == dtypes.string else read_numbers([text], dtype).item()
        except ValueError:
            field = f"Field {text.decode()} in line {number}"
            raise invalid(f"{field} is not a valid {dtype.name}.") from None

    pairs = []
    with open_file(filename, "rb") as file:
        for number, line in enumerate(islice(file, None if vocab_size < 0 else vocab_size)):
            line = line.rstrip(b"\r\n")
            key = part(line, number, key_index, types[0])
            pairs.append((key, part(line, number, value_index, types[1])))
    if len(pairs) < vocab_size:
        raise invalid(
            f"Invalid vocab_size in {filename.decode()}: expected {vocab_size} but got {len(pairs)}"
        )
    return pairs


# ---- the operations ----------------------------------------------------------------------


def _program(folder: str) -> list:
    """A table is filled from a file and asked; another is changed, and what it holds goes on."""
    file = Path(folder, "words")
    file.write_text("zero\none\ntwo\n")
    kinds: dict[str, Any] = {"key_dtype": dtypes.string, "value_dtype": dtypes.int64}
    words, ages = hash_table_op(**kinds), mutable_hash_table_op(**kinds)
    keys, none = np.array([b"two", b"six"], np.object_), np.int64(-1)
    types = {"Tkeys": dtypes.string, "Tvalues": dtypes.int64}
    from_lines: dict[str, Any] = {"key_index": WHOLE_LINE, "value_index": LINE_NUMBER}
    return [
        (initialize_from_file_op(words, str(file), **from_lines), None),
        (find_op(words, keys, none), np.array([2, -1])),
        (insert_op(ages, keys, np.array([7, 9])), None),
        (export_op(ages, **types), [keys, np.array([7, 9])]),
        (import_op(ages, keys, np.array([1, 2])), None),
        (size_op(ages), np.int64(2)),
    ]


_table_op = partial(op, differentiable=False, program=_program)


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
            same_size(a, b)
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
    return keys.shape.concatenate(default_value.shape)


@_table_op("LookupTableSizeV2", "table_handle: resource -> size: int64")
def size_op(ctx: Any, table_handle: Any) -> Any:
    """Counts the keys of a table."""
    return np.int64(table_handle.size())


size_op.shape(scalar_shape)


@_table_op("LookupTableInsertV2", "table_handle: resource, keys: Tin, values: Tout ->")
def insert_op(ctx: Any, table_handle: Any, keys: Any, values: Any) -> None:
    """Adds keys to a table, or gives them other values."""
    table_handle.insert(keys, values)


@_table_op("LookupTableExportV2", "table_handle: resource -> keys: Tkeys, values: Tvalues")
def export_op(ctx: Any, table_handle: Any, *, Tkeys: Any, Tvalues: Any) -> Any:
    """Gives all keys and values of a table."""
    return table_handle.export()


export_op.shape(lambda table_handle, **attrs: [unknown_shape(), unknown_shape()])


# ---- initializers ------------------------------------------------------------------------


class TableInitializer:
    """What fills a table: its types, and a scope for the operation that does, or none."""

    key_dtype: dtypes.DType
    value_dtype: dtypes.DType
    _name: str | None = None

    def initialize(self, table: Any) -> Operation:
        """The operation that fills `table`; also added to the collection of initializers."""
        for which in ("key_dtype", "value_dtype"):
            own, other = getattr(table, which), getattr(self, which)
            if own != other:
                raise TypeError(f"Invalid {which} for initializer: expected {own}, got {other}.")
        with name_scope(self._name) if self._name else nullcontext():
            made = self._fill(table.resource_handle)
        stacks.add_to_collection(GraphKeys.TABLE_INITIALIZERS, made)
        return made

    def _fill(self, handle: Tensor) -> Operation:
        raise NotImplementedError


class KeyValueTensorInitializer(TableInitializer):
    """Fills a table with two tensors.

    Args:
      keys, values: vectors of one length.
      key_dtype, value_dtype: their types, when the values do not tell them.
      name: the name.
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        with stacks.init_scope(), name_scope(name, "key_value_init", [keys, values]) as scope:
            self._keys = convert_to_tensor(keys, dtype=key_dtype, name="keys")
            self._values = convert_to_tensor(values, dtype=value_dtype, name="values")
            self._name = scope
        self.key_dtype = self._keys.dtype.base_dtype
        self.value_dtype = self._values.dtype.base_dtype

    def _fill(self, handle: Tensor) -> Operation:
        return import_op(handle, self._keys, self._values)


class TextFileInitializer(TableInitializer):
    """Fills a table with what the lines of a file hold.

    Args:
      filename: the file.
      key_dtype, value_dtype: the types.
      key_index, value_index: a column; -2 for the whole line, -1 for its number.
      vocab_size: how many lines; all when None.
      delimiter: what stands between two columns.
      name: the name.
    Raises:
      ValueError: when an index does not go with its type.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
    ) -> None:
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        for which, index, dtype in (
            ("key", key_index, self.key_dtype),
            ("value", value_index, self.value_dtype),
        ):
            if index < WHOLE_LINE:
                raise ValueError(f"Invalid {which} index {index}.")
            if index == LINE_NUMBER and dtype != dtypes.int64:
                raise ValueError(
                    f"`{which}_dtype` must be int64 for `{which}_index` {index}, received: {dtype}"
                )
            if index == WHOLE_LINE and not (dtype == dtypes.string or dtype.is_integer):
                raise ValueError(
                    f"`{which}_dtype` should be either integer or string for `{which}_index` "
                    f"{index}, received: {dtype}"
                )
        self._filename = filename
        self._attrs = {"key_index": key_index, "value_index": value_index, "delimiter": delimiter}
        if vocab_size is not None:
            self._attrs["vocab_size"] = vocab_size
        self._name = name or "text_file_init"

    def _fill(self, handle: Tensor) -> Operation:
        filename = convert_to_tensor(self._filename, dtypes.string, name="asset_filepath")
        if constant_value(filename) is not None:  # a name that is fed belongs to no saved model
            stacks.add_to_collection(GraphKeys.ASSET_FILEPATHS, filename)
        return initialize_from_file_op(handle, filename, **self._attrs)


# ---- tables ------------------------------------------------------------------------------


def _like(keys: Any, found: Tensor) -> Any:
    """What was found for keys: sparse where they are."""
    if isinstance(keys, SparseTensor):
        return SparseTensor(keys.indices, found, keys.dense_shape)
    return found


class LookupInterface:
    """What all tables can do.

    Args:
      handle: of the table.
      key_dtype, value_dtype: the types.
      default_value: the value of a key that is not there.
    """

    _finding = "Lookup"  # what scopes call it

    def __init__(
        self, handle: Tensor, key_dtype: Any, value_dtype: Any, default_value: Any
    ) -> None:
        self.resource_handle = handle
        self.key_dtype = dtypes.as_dtype(key_dtype)
        self.value_dtype = dtypes.as_dtype(value_dtype)
        self.name = handle.op.name.split("/")[-1]
        self.default_value = convert_to_tensor(default_value, dtype=self.value_dtype)

    def size(self, name: str | None = None) -> Tensor:
        """An int64 tensor: how many keys there are."""
        with name_scope(name, f"{self.name}_Size", [self.resource_handle]):
            return size_op(self.resource_handle)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of `keys`, a tensor or a SparseTensor.

        Raises:
          TypeError: when the keys have another type than the table's.
        """
        given = keys.values if isinstance(keys, SparseTensor) else keys
        dtype = None if hasattr(given, "dtype") else self.key_dtype  # a list has no type yet
        tensor = convert_to_tensor(given, dtype, name="keys")
        if tensor.dtype.base_dtype != self.key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self.key_dtype}, received: {tensor.dtype}"
            )
        with name_scope(name, f"{self.name}_{self._finding}", [self.resource_handle, tensor]):
            return _like(keys, find_op(self.resource_handle, tensor, self.default_value))


class StaticHashTable(LookupInterface):
    """A table that its initializer fills once.

    Args:
      initializer: a `KeyValueTensorInitializer` or a `TextFileInitializer`.
      default_value: the value of a key that is not there.
      name: the name.
      shared_name: the name under which several sessions share it.
    """

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        shared_name: str | None = None,
        name: str | None = None,
    ) -> None:
        with stacks.init_scope():  # whoever initializes tables need not enter loops and branches
            handle = hash_table_op(
                key_dtype=initializer.key_dtype,
                value_dtype=initializer.value_dtype,
                shared_name=shared_name or "",
                name=name or "hash_table",
            )
            super().__init__(handle, initializer.key_dtype, initializer.value_dtype, default_value)
            self.initializer = self.init = initializer.initialize(self)


HashTable = StaticHashTable


class _Contents(SaveableObject):
    """The keys and values of a table, as a checkpoint keeps them."""

    def __init__(self, table: Any, name: str) -> None:
        exported = table.export()
        parts = zip(exported, ("-keys", "-values"), strict=True)
        super().__init__(table, [SaveSpec(part, "", name + end) for part, end in parts], name)

    def restore(self, restored_tensors: list[Tensor], restored_shapes: Any) -> Any:
        with stacks.colocate_with(self.op.resource_handle.op):
            return import_op(self.op.resource_handle, *restored_tensors)


class MutableHashTable(LookupInterface):
    """A table that steps fill and change.

    Args:
      key_dtype, value_dtype: the types.
      default_value: the value of a key that is not there; its shape is that of the values.
      shared_name: the name under which several sessions share it.
      name: the name.
      checkpoint: whether a `Saver` keeps what it holds with the variables.
    """

    _finding = "lookup_table_find"

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        shared_name: str | None = None,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
    ) -> None:
        default = convert_to_tensor(default_value, dtype=dtypes.as_dtype(value_dtype))
        handle = mutable_hash_table_op(
            key_dtype=dtypes.as_dtype(key_dtype),
            value_dtype=default.dtype.base_dtype,
            value_shape=default.shape,
            shared_name=shared_name or "",
            name=name,
        )
        super().__init__(handle, key_dtype, value_dtype, default)
        if checkpoint:
            self._contents = _Contents(self, self.resource_handle.op.name)
            stacks.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._contents)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """An operation that adds keys, or gives them other values."""
        with name_scope(name, f"{self.name}_lookup_table_insert", [keys, values]):
            return insert_op(
                self.resource_handle,
                convert_to_tensor(keys, self.key_dtype, name="keys"),
                convert_to_tensor(values, self.value_dtype, name="values"),
            )

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and their values."""
        with name_scope(name, f"{self.name}_lookup_table_export_values", [self.resource_handle]):
            keys, values = export_op(
                self.resource_handle, Tkeys=self.key_dtype, Tvalues=self.value_dtype
            )
        values.set_shape(TensorShape([None]).concatenate(self.default_value.shape))
        return keys, values


class IdTableWithHashBuckets:
    """A table of words, in which a word that is not there goes to one of some more numbers.

    Args:
      table: from strings or integers to int64, with the default -1.
      num_oov_buckets: how many numbers follow those of the table.
    """

    def __init__(self, table: StaticHashTable, num_oov_buckets: int) -> None:
        self._table, self._buckets = table, num_oov_buckets
        self.key_dtype, self.value_dtype = table.key_dtype, dtypes.int64
        self.name = table.name
        self.initializer = self.init = table.initializer

    def size(self, name: str | None = None) -> Tensor:
        """An int64 tensor: how many numbers there are."""
        return add(self._table.size(), convert_to_tensor(self._buckets, dtype=dtypes.int64))

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The number of each key, a tensor or a SparseTensor."""
        tensor = convert_to_tensor(keys.values if isinstance(keys, SparseTensor) else keys)
        with name_scope(name, f"{self.name}_Lookup", [tensor]):
            text = tensor if tensor.dtype == dtypes.string else as_string(tensor)
            found = string_to_hash_bucket_fast(text, self._buckets, name="hash_bucket")
            known = self._table.lookup(tensor)
            first = add(zeros_like(found), self._table.size())
            missing = equal(known, self._table.default_value)
            return _like(keys, where_v2(missing, add(found, first), known))


# ---- functions ---------------------------------------------------------------------------


def _index_table(
    make: Any, default_value: int, buckets: int, key_dtype: Any, name: str | None
) -> Any:
    """A table to numbers, with what `make` makes as its initializer, for keys of a type."""
    if buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {buckets}.")
    key_dtype = dtypes.as_dtype(key_dtype)
    if key_dtype != dtypes.string and not key_dtype.is_integer:
        raise TypeError("Only integer and string keys are supported.")
    with name_scope(name, "string_to_index"):
        table = StaticHashTable(make(key_dtype), default_value)
        return IdTableWithHashBuckets(table, buckets) if buckets else table


def index_table_from_tensor(
    vocabulary_list: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """A table from the elements of a vector to their places.

    Args:
      vocabulary_list: the vector.
      num_oov_buckets: how many numbers follow, for keys that are not there.
      default_value: the number of such a key, when there are no buckets.
      dtype: the type of the keys.
      name: the name.
    """
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified.")

    def numbered(key_dtype: dtypes.DType) -> KeyValueTensorInitializer:
        keys = convert_to_tensor(vocabulary_list, dtype=key_dtype)
        count = keys.shape.num_elements()
        if count is None:
            raise ValueError("The size of vocabulary_list must be known.")
        return KeyValueTensorInitializer(keys, np.arange(count, dtype=np.int64), name="table_init")

    return _index_table(numbered, default_value, num_oov_buckets, dtype, name)


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
    key_column_index: int = WHOLE_LINE,
    value_column_index: int = LINE_NUMBER,
    delimiter: str = "\t",
) -> Any:
    """A table from the lines of a file to their numbers; see `index_table_from_tensor`."""
    if not isinstance(vocabulary_file, Tensor) and not vocabulary_file:
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    if vocab_size is not None and vocab_size < 1:
        known = isinstance(vocabulary_file, Tensor) and constant_value(vocabulary_file)
        raise ValueError(
            f"vocab_size must be greater than 0, got {vocab_size}. "
            f"vocabulary_file: {known or vocabulary_file}"
        )

    def numbered(key_dtype: dtypes.DType) -> TextFileInitializer:
        columns = (key_dtype, key_column_index, dtypes.int64, value_column_index)
        return TextFileInitializer(vocabulary_file, *columns, vocab_size, delimiter, "table_init")

    return _index_table(numbered, default_value, num_oov_buckets, key_dtype, name)


def index_to_string_table_from_tensor(
    vocabulary_list: Any, default_value: str = "UNK", name: str | None = None
) -> StaticHashTable:
    """A table from numbers to the strings at these places of a vector."""
    with name_scope(name, "index_to_string"):
        strings = convert_to_tensor(vocabulary_list, dtype=dtypes.string)
        numbers = np.arange(strings.shape.num_elements(), dtype=np.int64)
        initializer = KeyValueTensorInitializer(numbers, strings, name="table_init")
        return HashTable(initializer, default_value)


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: str = "UNK",
    name: str | None = None,
    key_column_index: int = LINE_NUMBER,
    value_column_index: int = WHOLE_LINE,
    delimiter: str = "\t",
) -> StaticHashTable:
    """A table from numbers to the lines of a file with these numbers."""
    with name_scope(name, "index_to_string"):
        columns = (dtypes.int64, key_column_index, dtypes.string, value_column_index)
        initializer = TextFileInitializer(
            vocabulary_file, *columns, vocab_size, delimiter, "table_init"
        )
        return HashTable(initializer, default_value)

"""Whole pipelines from files of tables: `CsvDataset`, `make_csv_dataset` and its like for Examples.

files ──interleave──> rows ──shuffle, repeat──> batches ──> {"age": [n], "name": [n]}, label
"""

from __future__ import annotations

import csv
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.library.eager.type_specs import TensorSpec
from minitf.library.formats.file_io import glob
from minitf.library.formats.records import opened
from minitf.library.input.data import order
from minitf.library.input.data.cursors import Context, Element, Source, int64
from minitf.library.input.data.dataset import Dataset, made
from minitf.library.input.data.files import Files, TFRecordDataset, file_op
from minitf.library.input.data.prefetching import AUTOTUNE
from minitf.library.parsing.examples import parse_example
from minitf.library.parsing.parsing import decode_csv_op

_KINDS = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)


@file_op(
    "ExperimentalCSVDataset",
    "filenames: string, compression_type: string, buffer_size: int64, header: bool, "
    "field_delim: string, use_quote_delim: bool, na_value: string, select_cols: int64, "
    "record_defaults: N*?",
)
class Rows(Files):
    """The rows of files of comma-separated values, one component a column.

    Quoted fields may go over several lines.

    Args:
      header: whether the first row of a file is left out.
      quotes: whether there are quoted fields.
      columns: from rows to their columns.
    """

    def __init__(
        self,
        context: Context,
        paths: Sequence[str],
        compression: str,
        header: bool,
        quotes: bool,
        columns: Callable[[Any], Sequence[Any]],
    ) -> None:
        super().__init__(context, paths, compression)
        self._header, self._quotes, self._columns = header, quotes, columns
        self._waiting: list[bytes] = []

    @classmethod
    def source(  # type: ignore[override]
        cls,
        filenames: Any,
        compression: str,
        buffer_size: int,
        header: bool,
        field_delim: str,
        use_quote_delim: bool,
        na_value: str,
        select_cols: np.ndarray,
        record_defaults: list[Any],
    ) -> Source:
        columns = partial(
            decode_csv_op.kernel,
            np,
            record_defaults=record_defaults,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=select_cols.tolist(),
        )
        return super().source(filenames, compression, buffer_size, header, use_quote_delim, columns)

    def open(self, path: str) -> Any:
        reader = super().open(path)
        if self._header:
            _row(reader, self._quotes)
        return reader

    def read(self, most: int) -> list[Element]:
        rows, self._waiting = self._waiting[:most], self._waiting[most:]
        rows += islice(iter(lambda: _row(self._reader, self._quotes), None), most - len(rows))
        if not rows:
            return []
        try:
            return list(zip(*self._columns(np.array(rows, object))))
        except errors.OpError:
            return self._before_error(rows)

    def _before_error(self, rows: list[bytes]) -> list[Element]:
        """The elements up to a row that does not fit; those behind it wait for the next call."""
        found: list[Element] = []
        for place, row in enumerate(rows, 1):
            try:
                found.append(tuple(self._columns(row)))
            except errors.OpError as error:  # a row by itself has no number
                self._error = type(error).of(error.message.replace(" in record 0", " in record", 1))
                self._waiting = rows[place:] + self._waiting
                break
        return found

    def close(self) -> None:
        super().close()
        self._waiting = []


def _row(reader: Any, quotes: bool) -> bytes | None:
    """The next row, without its end; None at the end of the file."""
    row = reader.readline()
    while quotes and row.count(b'"') % 2 and (line := reader.readline()):
        row += line
    return row.rstrip(b"\n").removesuffix(b"\r") if row else None


class CsvDataset(Dataset):
    """The rows of files of comma-separated values, a scalar for each column.

    Args:
      filenames: a name, or several.
      record_defaults: for each column its value where a field is empty, which also tells the dtype;
        a dtype for a column that must not be empty.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: accepted.
      header: whether the first line of a file is left out.
      field_delim: what stands between two fields.
      use_quote_delim: whether quotation marks are no part of a field.
      na_value: another text that means an empty field.
      select_cols: the numbers of the columns to read, when not all.
    Raises (when it runs):
      InvalidArgumentError: when a line does not fit.
    """

    _class_name = "CsvDatasetV1"

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: Any = None,
        buffer_size: Any = None,
        header: Any = False,
        field_delim: Any = ",",
        use_quote_delim: Any = True,
        na_value: Any = "",
        select_cols: Any = None,
    ) -> None:
        def text(value: Any, name: str) -> Tensor:
            return convert_to_tensor(value or "", dtype=dtypes.string, name=name)

        defaults = [_default(each) for each in record_defaults]
        spec = tuple(TensorSpec([], each.dtype.base_dtype) for each in defaults)
        tensor = made(
            Rows.op,
            spec,
            convert_to_tensor(filenames, dtype=dtypes.string, name="filenames"),
            text(compression_type, "compression_type"),
            int64(4 * 1024 * 1024 if buffer_size is None else buffer_size, "buffer_size"),
            convert_to_tensor(header, dtype=dtypes.bool, name="header"),
            text(field_delim, "field_delim"),
            convert_to_tensor(use_quote_delim, dtype=dtypes.bool, name="use_quote_delim"),
            text(na_value, "na_value"),
            int64(np.array(select_cols or [], np.int64), "select_cols"),
            defaults,
        )
        super().__init__(tensor, spec)


def _default(value: Any) -> Tensor:
    """The value of an empty field; none for a dtype."""
    if isinstance(value, dtypes.DType | type):
        dtype = dtypes.as_dtype(value)
        return convert_to_tensor(np.zeros(0, dtype.numpy_dtype), dtype=dtype)
    return convert_to_tensor(value)


# ---- columns by name -------------------------------------------------------------------


def make_csv_dataset(
    file_pattern: Any,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
) -> Dataset:
    """Batches of the columns of CSV files, by their names.

    Args:
      file_pattern: one, or several, that the files match.
      batch_size: rows a batch.
      column_names: the columns of the files; the first line says them when None.
      column_defaults: for each column that is read its value where a field is empty, or its dtype;
        found from the first rows when None.
      label_name: the column that is to be found; elements are pairs then.
      select_columns: the columns to read, by name or number; all when None.
      field_delim, use_quote_delim, na_value: see `CsvDataset`.
      header: whether files begin with a line of names.
      num_epochs: how often to read all; without end when None.
      shuffle: mix the files, and the rows.
      shuffle_buffer_size, shuffle_seed: see `Dataset.shuffle`.
      prefetch_buffer_size: how many batches are made ahead.
      num_parallel_reads: how many files are read at the same time, in turns.
      sloppy: accepted; the order is kept.
      num_rows_for_inference: how many rows are looked at for the dtypes; all when None.
      compression_type: "", "ZLIB" or "GZIP".
      ignore_errors: leave out rows that do not fit.
    Returns: a dataset of ordered dictionaries, or of pairs (dictionary, label).
    Raises:
      ValueError: when the names or the defaults do not fit the files.
    """
    names = _file_names(file_pattern)
    files = Dataset.from_tensor_slices(names)
    if shuffle:
        files = files.shuffle(len(names), shuffle_seed)

    def rows_of(path: str) -> Iterator[list[str]]:
        quoting = csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE
        with opened(path, compression_type or "") as file:
            lines = (line.decode() for line in iter(file.readline, b""))
            yield from csv.reader(lines, delimiter=field_delim, quoting=quoting)

    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = _header_of(names, rows_of)
    columns = list(column_names)
    if len(set(columns)) < len(columns):
        raise ValueError(
            "Either `column_names` argument or CSV header row contains duplicate column names: "
            f"{_repeated(columns)}."
        )
    chosen = None if select_columns is None else _numbers_of(select_columns, columns)
    read = range(len(columns)) if chosen is None else chosen
    if column_defaults is None:
        column_defaults = _inferred(
            names, rows_of, len(columns), read, header, na_value, num_rows_for_inference
        )
    if len(column_defaults) != len(read):
        raise ValueError(
            "If specified, `column_defaults` and `select_columns` must have the same length: "
            f"`column_defaults` has length {len(column_defaults)}, `select_columns` has length "
            f"{len(read)}."
        )
    kept = [columns[number] for number in read]
    if label_name is not None and label_name not in kept:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {kept}. Received: {label_name}."
        )
    defaults = column_defaults

    def one_file(name: Tensor) -> Dataset:
        rows = CsvDataset(
            name,
            defaults,
            compression_type,
            None,
            header,
            field_delim,
            use_quote_delim,
            na_value,
            chosen,
        )
        return rows.apply(order.ignore_errors()) if ignore_errors else rows

    def by_name(*values: Any) -> Any:
        features = OrderedDict(zip(kept, values))
        return features if label_name is None else (features, features.pop(label_name))

    dataset = files.interleave(one_file, cycle_length=num_parallel_reads or 1)
    dataset = _mixed(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(by_name)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _file_names(pattern: Any) -> list[str]:
    patterns = pattern if isinstance(pattern, list | tuple) else [pattern]
    if not patterns:
        raise ValueError("Argument `file_pattern` should not be empty.")
    names = sorted(name for each in patterns for name in glob(each))
    if not names:
        raise ValueError(f"No files match `file_pattern` {pattern}.")
    return names


def _header_of(names: Sequence[str], rows_of: Callable[[str], Iterator[list[str]]]) -> list[str]:
    """The first row, which all files have."""
    first: list[str] | None = None
    for name in names:
        row = next(rows_of(name), None)
        if row is None:
            raise ValueError(f"Failed when reading the header line of {name}. Is it an empty file?")
        if first not in (None, row):
            raise ValueError(
                "All input CSV files should have the same column names in the header row. File "
                f"{name} has different column names."
            )
        first = row
    assert first is not None  # there is a file
    return first


def _numbers_of(select: Sequence[Any], columns: list[str]) -> list[int]:
    """The numbers of columns, in order."""
    numbers = []
    for each in select:
        if isinstance(each, int) and not 0 <= each < len(columns):
            raise ValueError(
                f"Column index {each} specified in `select_columns` should be > 0  and <= "
                f"{len(columns)}, which is the number of columns."
            )
        if not isinstance(each, int) and each not in columns:
            raise ValueError(
                f"Column {each} specified in `select_columns` must be of one of the columns: "
                f"{columns}."
            )
        numbers.append(each if isinstance(each, int) else columns.index(each))
    if len(set(numbers)) < len(numbers):
        raise ValueError(
            f"The `select_columns` argument contains duplicate columns: {_repeated(numbers)}."
        )
    return sorted(numbers)


def _repeated(items: list[Any]) -> set[Any]:
    return {item for item in items if items.count(item) > 1}


def _inferred(
    names: Sequence[str],
    rows_of: Callable[[str], Iterator[list[str]]],
    count: int,
    read: Sequence[int],
    header: bool,
    na_value: str,
    limit: int | None,
) -> list[Any]:
    """For each column that is read 0 or "" of the narrowest dtype that its first rows fit."""
    found = [0 for _ in read]  # places in `_KINDS`, and one more
    seen = 0
    for name in names:
        for place, row in enumerate(rows_of(name)):
            if header and not place:
                continue
            if limit is not None and seen >= limit:
                break
            if len(row) != count:
                raise ValueError(
                    f"Problem inferring types: CSV row {place + 1} has {len(row)} number of "
                    f"fields. Expected: {count}."
                )
            seen += 1
            for column, number in enumerate(read):
                if row[number] not in ("", na_value):
                    found[column] = max(found[column], 1 + _kind_of(row[number]))
    kinds = [_KINDS[place - 1] for place in found]  # without a value: the last, texts
    return [convert_to_tensor(["" if kind == dtypes.string else 0], dtype=kind) for kind in kinds]


def _kind_of(text: str) -> int:
    """The place in `_KINDS` of the first dtype that a field fits."""
    try:
        value = int(text)
    except ValueError:
        try:
            with np.errstate(over="ignore"):
                return 2 if np.float32(text) < np.inf else 3 if float(text) < np.inf else 4
        except ValueError:
            return 4
    bits = value.bit_length()
    return 0 if bits < 32 else 1 if bits < 64 else 2


def _mixed(
    dataset: Dataset, num_epochs: int | None, shuffle: bool, size: int, seed: int | None
) -> Dataset:
    if shuffle:
        dataset = dataset.shuffle(size, seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)


def parse_example_dataset(
    features: dict[str, Any], num_parallel_calls: int = 1
) -> Callable[[Dataset], Dataset]:
    """Batches of serialized `tf.train.Example`s as their features.

    Args:
      features: for each key a `FixedLenFeature`, `VarLenFeature` or the like.
      num_parallel_calls: how many batches are parsed at the same time.
    Raises:
      ValueError: when there are no features.
    """
    if not features:
        raise ValueError(f"Missing: features was {features}.")
    return lambda dataset: dataset.map(
        lambda examples: parse_example(examples, features), num_parallel_calls
    )


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: int,
    features: dict[str, Any],
    reader: Any = TFRecordDataset,
    label_key: str | None = None,
    reader_args: Sequence[Any] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Batches of the features of `tf.train.Example`s in files.

    Args:
      file_pattern: one, or several, that the files match.
      batch_size: Examples a batch.
      features: for each key a `FixedLenFeature`, `VarLenFeature` or the like.
      reader: from the name of a file to a dataset of Examples as strings.
      label_key: the feature that is to be found; elements are pairs then.
      reader_args: further arguments of `reader`.
      num_epochs: how often to read all; without end when None.
      shuffle: mix the files, and the Examples.
      shuffle_buffer_size, shuffle_seed: see `Dataset.shuffle`.
      prefetch_buffer_size: how many batches are made ahead.
      reader_num_threads: how many files are read at the same time, in turns.
      parser_num_threads: how many batches are parsed at the same time.
      sloppy_ordering: accepted; the order is kept.
      drop_final_batch: leave out a last batch that is smaller.
    Returns: a dataset of dictionaries, or of pairs (dictionary, label).
    Raises:
      ValueError: when there is no such file or key.
    """
    if label_key is not None and label_key not in features:
        raise ValueError("`label_key` provided must be in `features`.")
    files = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    dataset = files.interleave(
        lambda name: reader(name, *(reader_args or [])), cycle_length=reader_num_threads or 1
    )
    if dataset.output_types == (dtypes.string, dtypes.string):  # keys and values
        dataset = dataset.map(lambda _, value: value)
    dataset = _mixed(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)

    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key is not None:
        dataset = dataset.map(lambda found: (found, found.pop(label_key)))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)

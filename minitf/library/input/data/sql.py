"""`tf.data.experimental.SqlDataset`: the rows that a query to a database finds.

The database is a file of SQLite, which Python brings along. It is opened for reading alone.
"""

from __future__ import annotations

import sqlite3
from typing import Any
from urllib.parse import quote

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.elementwise import invalid
from minitf.library.eager.type_specs import TensorSpec
from minitf.library.input.data.arguments import made
from minitf.library.input.data.dataset import Dataset
from minitf.library.input.data.iterator_ops import (
    dataset_op,
    iterator_get_next_op,
    iterator_op,
    make_iterator_op,
)
from minitf.library.input.data.runtime import Context, Cursor, Element, EndOfSequence, Source
from minitf.library.input.data.structure import map_nest

_INTEGERS = (*dtypes.SIGNED_INTS, dtypes.uint8, dtypes.uint16)
_TYPES = (dtypes.string, *_INTEGERS, dtypes.bool, dtypes.float64)


class Rows(Cursor):
    """The rows of a query.

    Args:
      path: of the database.
      query: in SQL.
      types: of the columns.
    """

    kept = ("_row",)

    def __init__(self, context: Context, path: str, query: str, types: Any) -> None:
        self._path, self._query, self._types = path, query, types
        self._row = 0
        self._open: Any = None
        self._found: Any = None

    def next(self) -> Element:
        try:
            row = self._rows().fetchone()
        except sqlite3.Error as error:
            raise errors.UnknownError.of(f"Failed to execute query: {error}") from None
        if row is None:
            raise EndOfSequence
        self._row += 1
        return tuple(map(_as_value, row, self._types))

    def _rows(self) -> Any:
        if self._found is None:
            place = f"file:{quote(self._path)}?mode=ro"
            self._open = sqlite3.connect(place, uri=True, check_same_thread=False)
            self._found = self._open.execute(self._query)
            columns = len(self._found.description or ())
            if columns != len(self._types):
                raise invalid(
                    f"The number of columns in query ({columns}) must match the number of elements "
                    f"in output_types ({len(self._types)})."
                )
            for _ in range(self._row):  # where an iterator that was restored stood
                self._found.fetchone()
        return self._found

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = self._found = None


def _as_value(value: Any, dtype: dtypes.DType) -> Any:
    if dtype == dtypes.string:
        return value if isinstance(value, bytes) else b"" if value is None else str(value).encode()
    try:
        number = np.array(value if isinstance(value, float) else int(value or 0))
    except ValueError:  # a text that is no number
        number = np.array(0)
    return number.astype(dtype.numpy_dtype)[()]


def _program(folder: str) -> list:
    """The two rows of a table."""
    path = f"{folder}/rows.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("create table numbers (n integer)")
        database.executemany("insert into numbers values (?)", [(3,), (5,)])
    database.close()
    kinds = {"output_types": (dtypes.int64,), "output_shapes": (TensorShape([]),)}
    iterator = iterator_op(**kinds)
    rows = sql_dataset_op("sqlite", path, "select n from numbers", **kinds)
    start = (make_iterator_op(rows, iterator), None)
    return [start, *((iterator_get_next_op(iterator, **kinds), [np.int64(n)]) for n in (3, 5))]


@dataset_op(
    "SqlDataset",
    "driver_name: string, data_source_name: string, query: string",
    reaches="files",
    program=lambda folder: _program(folder),
)
def sql_dataset_op(
    xp: Any, driver_name: Any, data_source_name: Any, query: Any, *,
    output_types: Any = (), output_shapes: Any = (),
) -> Source:  # fmt: skip
    """The rows that a query to a database finds."""
    if bytes(driver_name) != b"sqlite":
        raise invalid(
            f"The database type, {bytes(driver_name).decode()}, is not supported by SqlDataset. "
            "The set of supported databases is: {'sqlite'}."
        )
    for dtype in output_types:
        if dtype not in _TYPES:
            raise invalid(
                "Each element of `output_types_` must be one of: DT_STRING, DT_INT8, DT_INT16, "
                "DT_INT32, DT_INT64, DT_UINT8, DT_UINT16, DT_BOOL, DT_DOUBLE "
            )
    return Source(Rows, bytes(data_source_name).decode(), bytes(query).decode(), output_types)


class SqlDataset(Dataset):
    """The rows that a query to a database finds, each a tuple of scalars.

    Args:
      driver_name: "sqlite".
      data_source_name: the path of the file.
      query: in SQL.
      output_types: a tuple of the types of the columns: strings, integers, booleans, float64.
    Raises (when it runs):
      InvalidArgumentError: when the columns are more or fewer.
      UnknownError: when the query fails.
    """

    _class_name = "SqlDatasetV1"

    def __init__(
        self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any
    ) -> None:
        given = (driver_name, data_source_name, query)
        texts = [convert_to_tensor(each, dtypes.string) for each in given]
        spec = map_nest(lambda dtype: TensorSpec([], dtypes.as_dtype(dtype)), output_types)
        super().__init__(made(sql_dataset_op, spec, *texts), spec)

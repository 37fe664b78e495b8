"""From bytes and text to tensors: decode_raw, decode_csv, and tensors as messages.

Records of `tf.train.Example` are read in `examples`.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.dtypes import c_name
from minitf.core.graph.graph import Tensor
from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.shapes import unknown_shape
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.string_values import as_objects
from minitf.library.formats import graph_message
from minitf.library.formats.graph_message import encode_whole_tensor
from minitf.library.parsing.values import check_type, is_number, read_numbers

# ---- DecodeRaw ---------------------------------------------------------------------------

_RAW_TYPES = (*dtypes.FLOATS, *dtypes.INTS, *dtypes.COMPLEX, dtypes.bool)


def _strings(rng: np.random.Generator) -> np.ndarray:
    return as_objects([rng.bytes(8), rng.bytes(8)])


@op(
    "DecodeRaw",
    "bytes: string -> output: out_type",
    batch="each",
    sized_by_values=True,
    differentiable=False,
    samples=[
        lambda rng: (_strings(rng), {"out_type": dtypes.uint8}),
        lambda rng: (_strings(rng), {"out_type": dtypes.int16, "little_endian": False}),
    ],
)
def decode_raw_op(xp: Any, bytes: Any, *, out_type: Any, little_endian: bool = True) -> Any:
    """Reads the bytes of strings as numbers."""
    dtype = out_type.numpy_dtype
    whole = bytes if isinstance(bytes, np.ndarray) else as_objects([bytes], ())
    flat = list(whole.ravel())
    length = len(flat[0]) if flat else 0
    for index, item in enumerate(flat):
        if len(item) != length:
            raise invalid(
                "DecodeRaw requires input strings to all be the same size, but element "
                f"{index} has size {len(flat[0])} != {len(item)}"
            )
    if length % dtype.itemsize:
        raise invalid(
            f"Input to DecodeRaw has length {length} that is not a multiple of {dtype.itemsize}, "
            f"the size of {c_name(out_type)}"
        )
    numbers = np.frombuffer(b"".join(flat), dtype).reshape(*whole.shape, length // dtype.itemsize)
    swap = little_endian != (sys.byteorder == "little") and dtype.itemsize > 1
    return numbers.byteswap() if swap else numbers.copy()


@decode_raw_op.shape
def _decode_raw_shape(bytes: Any, *, out_type: Any, little_endian: bool) -> Any:
    return bytes.shape.concatenate([None]) if bytes.shape.ndims is not None else unknown_shape()


def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Tensor:
    """The bytes of strings as numbers, along a new last axis.

    Args:
      input_bytes: strings of one length.
      out_type: the type of the numbers.
      little_endian: whether the first byte of a number is the lowest.
      name: the name.
      bytes: the older name of `input_bytes`.
    Raises:
      InvalidArgumentError: when the length is no multiple of the size of `out_type`.
    Example:
      >>> sess.run(tf.decode_raw(b"\\x01\\x02", tf.uint8))
      array([1, 2], dtype=uint8)
    """
    out_type = check_type(out_type, "out_type", _RAW_TYPES)
    return decode_raw_op(
        input_bytes if bytes is None else bytes,
        out_type=out_type,
        little_endian=little_endian,
        name=name,
    )


# ---- DecodeCSV ---------------------------------------------------------------------------

_CSV_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


def split_csv(record: bytes, delimiter: bytes = b",", quotes: bool = True) -> list[bytes]:
    """The fields of one line of comma-separated values.

    Args:
      record: the line.
      delimiter: one byte.
      quotes: whether a field in quotation marks may hold the delimiter, and "" for a mark.
    Raises:
      InvalidArgumentError: when a quotation mark or the end of a line is where it may not be.
    """
    if b"\n" not in record and b"\r" not in record and not (quotes and b'"' in record):
        return record.split(delimiter) if record else []
    fields, at, end = [], 0, len(record)
    while at < end:
        if record[at] in b"\r\n":
            at += 1
        elif quotes and record[at] == ord('"'):
            field, at = _quoted(record, at + 1, delimiter)
            fields.append(field)
        else:
            stop = record.find(delimiter, at)
            stop = end if stop < 0 else stop
            field = record[at:stop]
            if b"\n" in field or b"\r" in field or (quotes and b'"' in field):
                raise invalid("Unquoted fields cannot have quotes/CRLFs inside")
            fields.append(field)
            at = stop + 1
    if record.endswith(delimiter):
        fields.append(b"")
    return fields


def _quoted(record: bytes, start: int, delimiter: bytes) -> tuple[bytes, int]:
    """The field whose text begins at `start`, after the mark; and where the next one begins."""
    at = start
    while True:
        mark = record.find(b'"', at)
        if mark < 0:
            raise invalid("Quoted field has to end with quote followed by delim or end")
        after = record[mark + 1 : mark + 2]
        if not after or after == delimiter:
            return record[start:mark].replace(b'""', b'"'), mark + 2
        if after != b'"':
            raise invalid("Quote inside a string has to be escaped by another quote")
        at = mark + 2


@op(
    "DecodeCSV",
    "records: string, record_defaults: N*? -> output: N*?",
    samples=[
        lambda rng: (
            as_objects([b"1,2.5,a", b"3,,b"]),
            [np.array([0], np.int32), np.array([0.5], np.float32), as_objects([b""])],
            {},
        )
    ],
)
def decode_csv_op(
    xp: Any,
    records: Any,
    record_defaults: Any,
    *,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = (),
) -> Any:
    """Reads lines of comma-separated values: one output a column."""
    if len(field_delim) != 1:
        raise invalid("field_delim should be only 1 char")
    delimiter, missing = field_delim.encode(), na_value.encode()
    lines = list(records.ravel()) if isinstance(records, np.ndarray) else [records]
    types = [dtypes.as_dtype(getattr(d, "dtype", object)) for d in record_defaults]
    count = len(types)
    rows = []
    for row, line in enumerate(lines):
        fields = split_csv(line, delimiter, use_quote_delim)
        if select_cols:
            fields = [fields[c] for c in select_cols if c < len(fields)]
        if len(fields) != count:
            raise invalid(f"Expect {count} fields but have {len(fields)} in record {row}")
        rows.append(fields)
    columns = zip(*rows) if rows else [()] * count
    defaults = [np.ravel(default) for default in record_defaults]
    try:
        found = [_column(*each, missing) for each in zip(columns, types, defaults)]
    except ValueError:
        raise _first_fault(rows, types, defaults, missing) from None
    return [column.reshape(np.shape(records))[()] for column in found]


def _column(
    texts: Sequence[bytes], dtype: dtypes.DType, default: np.ndarray, missing: bytes
) -> np.ndarray:
    """The values of one column.

    Raises:
      ValueError: when a field is no number, or is empty and has no default.
    """
    if b"" in texts or missing in texts:
        (fill,) = default  # a ValueError when there is none
        column = np.full(len(texts), fill, dtype.numpy_dtype)
        given = [row for row, text in enumerate(texts) if text not in (b"", missing)]
        column[given] = _column([texts[row] for row in given], dtype, default, missing)
        return column
    return as_objects(texts) if dtype == dtypes.string else read_numbers(texts, dtype)


def _first_fault(
    rows: Sequence[Sequence[bytes]],
    types: Sequence[dtypes.DType],
    defaults: Sequence[np.ndarray],
    missing: bytes,
) -> errors.InvalidArgumentError:
    """The error that the first field gives, row by row, that cannot be read."""
    for row, fields in enumerate(rows):
        for index, (field, dtype, default) in enumerate(zip(fields, types, defaults)):
            if field in (b"", missing):
                if not default.size:
                    return invalid(f"Field {index} is required but missing in record {row}!")
            elif dtype != dtypes.string and not is_number(field, dtype):
                shown = f"{c_name(dtype)}: {field.decode(errors='replace')}"
                return invalid(f"Field {index} in record {row} is not a valid {shown}")
    raise AssertionError("all fields can be read")


@decode_csv_op.shape
def _decode_csv_shape(records: Any, record_defaults: Any, **attrs: Any) -> Any:
    for default in record_defaults:
        size = default.shape.num_elements()
        if (default.shape.ndims or 0) > 1 or (size or 0) > 1:
            raise ValueError(
                "Shape of a default must be a length-0 or length-1 vector, or a scalar."
            )
    return [records.shape for _ in record_defaults]


def decode_csv(
    records: Any,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
) -> list[Tensor]:
    """The columns of lines of comma-separated values.

    Args:
      records: strings, one a line.
      record_defaults: for each column its value where a field is empty, which also tells the
        dtype; an empty tensor for a column that must not be empty.
      field_delim: what stands between two fields.
      use_quote_delim: whether quotation marks are no part of a field.
      name: the name.
      na_value: another text that means an empty field.
      select_cols: the columns to read, when not all.
    Returns: one tensor a column, each of the shape of `records`.
    Raises:
      InvalidArgumentError: when a line does not fit.
    Example:
      >>> age, name = tf.decode_csv("42,Ada", record_defaults=[[0], [""]])
    """
    chosen = tuple(select_cols or ())
    if any(a >= b for a, b in zip(chosen, chosen[1:])):
        raise ValueError("select_cols is not strictly increasing.")
    if chosen and chosen[0] < 0:
        raise ValueError("select_cols contains negative values.")
    if chosen and len(chosen) != len(record_defaults):
        raise ValueError("Length of select_cols and record_defaults do not match.")
    defaults = [convert_to_tensor(d) for d in record_defaults]
    for default in defaults:
        check_type(default.dtype.base_dtype, "record_defaults", _CSV_TYPES)
    return decode_csv_op(
        records,
        defaults,
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=chosen,
        name=name,
    )


# ---- SerializeTensor, ParseTensor --------------------------------------------------------


@op(
    "SerializeTensor",
    "tensor: T -> serialized: string",
    samples=[lambda rng: (rng.normal(size=(2, 3)), {}), lambda rng: (as_objects([b"a", b""]), {})],
)
def serialize_tensor_op(xp: Any, tensor: Any) -> Any:
    """Writes a tensor as the bytes of a TensorProto."""
    return encode_whole_tensor(tensor)


serialize_tensor_op.shape(scalar_shape)


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """A tensor as a string, the bytes of a TensorProto."""
    return serialize_tensor_op(tensor, name=name)


@op(
    "ParseTensor",
    "serialized: string -> output: out_type",
    sized_by_values=True,
    differentiable=False,
    samples=[
        lambda rng: (encode_whole_tensor(rng.normal(size=(2, 3))), {"out_type": dtypes.float64}),
        lambda rng: (encode_whole_tensor(np.int32(-5)), {"out_type": dtypes.int32}),
    ],
)
def parse_tensor_op(xp: Any, serialized: Any, *, out_type: Any) -> Any:
    """Reads the tensor in the bytes of a TensorProto."""
    try:
        array = np.array(graph_message.tensor(serialized))
    except ValueError:
        code = base64.b64encode(serialized).decode()
        raise invalid(f"Could not parse `serialized` as TensorProto, base64: {code}") from None
    found = dtypes.as_dtype(array.dtype)
    if found != out_type:
        raise invalid(
            f"Type mismatch between parsed tensor ({c_name(found)}) and dtype ({c_name(out_type)})"
        )
    return array[()]


parse_tensor_op.shape(lambda serialized, out_type: unknown_shape())


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor that `serialize_tensor` wrote, which must be of type `out_type`."""
    return parse_tensor_op(serialized, out_type=dtypes.as_dtype(out_type), name=name)

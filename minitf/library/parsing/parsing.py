"""From bytes and text to tensors: decode_raw, decode_csv, and tensors as messages.

Records of `tf.train.Example` are read in `example_parsing`.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.ops.string_values import as_objects
from minitf.library.formats import example_proto


def _invalid(text: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, text)


# ---- DecodeRaw ---------------------------------------------------------------------------

_RAW_TYPES = (*dtypes.FLOATS, *dtypes.INTS, *dtypes.COMPLEX, dtypes.bool)


def _strings(rng: np.random.Generator) -> np.ndarray:
    return as_objects([rng.bytes(8), rng.bytes(8)])


@op(
    "DecodeRaw",
    "bytes: string -> output: out_type",
    sized_by_values=True,
    differentiable=False,
    samples=[
        lambda rng: (_strings(rng), {"out_type": dtypes.uint8}),
        lambda rng: (_strings(rng), {"out_type": dtypes.int16, "little_endian": False}),
    ],
)
def decode_raw_op(xp: Any, bytes: Any, *, out_type: Any, little_endian: bool = True) -> Any:  # noqa: A002
    """Reads the bytes of strings as numbers."""
    dtype = out_type.numpy_dtype
    whole = bytes if isinstance(bytes, np.ndarray) else as_objects([bytes], ())
    flat = list(whole.ravel())
    length = len(flat[0]) if flat else 0
    for index, item in enumerate(flat):
        if len(item) != length:
            raise _invalid(
                "DecodeRaw requires input strings to all be the same size, but element "
                f"{index} has size {len(flat[0])} != {len(item)}"
            )
    if length % dtype.itemsize:
        raise _invalid(
            f"Input to DecodeRaw has length {length} that is not a multiple of {dtype.itemsize}, "
            f"the size of {_c_name(out_type)}"
        )
    numbers = np.frombuffer(b"".join(flat), dtype).reshape(*whole.shape, length // dtype.itemsize)
    swap = little_endian != (sys.byteorder == "little") and dtype.itemsize > 1
    return numbers.byteswap() if swap else numbers.copy()


@decode_raw_op.shape
def _decode_raw_shape(bytes: Any, *, out_type: Any, little_endian: bool) -> Any:  # noqa: A002
    return bytes.shape.concatenate([None]) if bytes.shape.ndims is not None else unknown_shape()


def _c_name(dtype: dtypes.DType) -> str:
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,  # noqa: A002
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
    out_type = dtypes.as_dtype(out_type)
    if out_type not in _RAW_TYPES:
        raise TypeError(
            f"Value passed to parameter 'out_type' has DataType {out_type.name} not in list of "
            f"allowed values: {', '.join(t.name for t in _RAW_TYPES)}"
        )
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
                raise _invalid("Unquoted fields cannot have quotes/CRLFs inside")
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
            raise _invalid("Quoted field has to end with quote followed by delim or end")
        after = record[mark + 1 : mark + 2]
        if not after or after == delimiter:
            return record[start:mark].replace(b'""', b'"'), mark + 2
        if after != b'"':
            raise _invalid("Quote inside a string has to be escaped by another quote")
        at = mark + 2


def _number(text: bytes, dtype: dtypes.DType, field: int, record: int) -> Any:
    try:
        if b"_" in text:
            raise ValueError
        if dtype.is_floating:
            return dtype.as_numpy_dtype(float(text))
        value = int(text)
        limits = np.iinfo(dtype.as_numpy_dtype)
        if not limits.min <= value <= limits.max:
            raise ValueError
        return dtype.as_numpy_dtype(value)
    except ValueError:
        raise _invalid(
            f"Field {field} in record {record} is not a valid {_c_name(dtype)}: "
            f"{text.decode(errors='replace')}"
        ) from None


@op(
    "DecodeCSV",
    "records: string, record_defaults: N*? -> output: N*?",
    differentiable=False,
    samples=[
        lambda rng: (
            as_objects([b"1,2.5,a", b"3,,b"]),
            [np.array([0], np.int32), np.array([0.5], np.float32), as_objects([b""])],
            {},
        ),
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
        raise _invalid("field_delim should be only 1 char")
    delimiter, missing = field_delim.encode(), na_value.encode()
    lines = list(records.ravel()) if isinstance(records, np.ndarray) else [records]
    types = [dtypes.as_dtype(getattr(d, "dtype", object)) for d in record_defaults]
    count = len(types)
    columns: list[list] = [[] for _ in types]
    for row, line in enumerate(lines):
        fields = split_csv(line, delimiter, use_quote_delim)
        if select_cols:
            fields = [fields[c] for c in select_cols if c < len(fields)]
        if len(fields) != count:
            raise _invalid(f"Expect {count} fields but have {len(fields)} in record {row}")
        for index, (field, dtype) in enumerate(zip(fields, types)):
            if not field or field == missing:
                default = np.ravel(record_defaults[index])
                if not default.size:
                    raise _invalid(f"Field {index} is required but missing in record {row}!")
                columns[index].append(default[0])
            elif dtype == dtypes.string:
                columns[index].append(field)
            else:
                columns[index].append(_number(field, dtype, index, row))
    if not isinstance(records, np.ndarray) or not records.ndim:
        return [column[0] for column in columns]
    return [
        as_objects(c, records.shape)
        if t == dtypes.string
        else np.array(c, t.numpy_dtype).reshape(records.shape)
        for c, t in zip(columns, types)
    ]


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
        if default.dtype.base_dtype not in _CSV_TYPES:
            raise TypeError(
                f"Value passed to parameter 'record_defaults' has DataType {default.dtype.name} "
                f"not in list of allowed values: {', '.join(t.name for t in _CSV_TYPES)}"
            )
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

_FIELDS = {  # of a TensorProto, that hold elements one by one
    "float32": "float_val",
    "float64": "double_val",
    "int32": "int_val",
    "uint8": "int_val",
    "int16": "int_val",
    "int8": "int_val",
    "string": "string_val",
    "complex64": "scomplex_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "uint16": "int_val",
    "complex128": "dcomplex_val",
    "float16": "half_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
}
_BY_NUMBER = {number: dtype.name for dtype, number in dtypes.ENUM_NUMBERS.items()}


def tensor_to_bytes(value: Any) -> bytes:
    """A tensor as the bytes of a TensorProto."""
    array = np.asarray(value, object) if isinstance(value, bytes) else np.asarray(value)
    proto = example_proto.load().TensorProto(
        dtype=dtypes.ENUM_NUMBERS[dtypes.as_dtype(array.dtype)]
    )
    proto.tensor_shape.SetInParent()
    for size in array.shape:
        proto.tensor_shape.dim.add(size=size)
    if array.dtype == object:
        proto.string_val.extend(array.ravel().tolist())
    else:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
    return proto.SerializeToString()


def tensor_from_bytes(data: bytes) -> np.ndarray:
    """The tensor in the bytes of a TensorProto; short lists repeat their last element.

    Raises:
      ValueError: when they are none.
    """
    proto = example_proto.load().TensorProto()
    try:
        proto.ParseFromString(data)
        name = _BY_NUMBER[proto.dtype]
    except Exception as error:  # protobuf's own class, or a type there is none of
        raise ValueError(str(error)) from None
    dtype = dtypes.as_dtype(name).numpy_dtype
    shape = tuple(dim.size for dim in proto.tensor_shape.dim)
    size = int(np.prod(shape, dtype=np.int64))
    if proto.tensor_content:
        return np.frombuffer(proto.tensor_content, dtype).reshape(shape).copy()
    given = getattr(proto, _FIELDS[name])
    if name == "string":
        flat = as_objects(given)
    elif name == "float16":
        flat = np.array(given, np.uint16).view(np.float16)
    elif name.startswith("complex"):
        flat = np.array(given, np.float64).view(np.complex128).astype(dtype)
    else:
        flat = np.array(given, dtype)
    if len(flat) < size:
        last = (
            flat[-1:]
            if len(flat)
            else np.zeros(1, dtype)
            if name != "string"
            else as_objects([b""])
        )
        flat = np.concatenate([flat, np.repeat(last, size - len(flat))])
    return flat.reshape(shape)


@op(
    "SerializeTensor",
    "tensor: T -> serialized: string",
    differentiable=False,
    no_samples="it gives one string; tests/core/ops/test_parsing.py reads it back",
)
def serialize_tensor_op(xp: Any, tensor: Any) -> Any:
    """Writes a tensor as the bytes of a TensorProto."""
    return tensor_to_bytes(tensor)


@serialize_tensor_op.shape
def _serialize_tensor_shape(tensor: Any) -> Any:
    return TensorShape(())


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """A tensor as a string, the bytes of a TensorProto."""
    return serialize_tensor_op(tensor, name=name)


@op(
    "ParseTensor",
    "serialized: string -> output: out_type",
    differentiable=False,
    no_samples="what it reads is a message; tests/core/ops/test_parsing.py reads some",
)
def parse_tensor_op(xp: Any, serialized: Any, *, out_type: Any) -> Any:
    """Reads the tensor in the bytes of a TensorProto."""
    try:
        array = tensor_from_bytes(serialized)
    except ValueError:
        code = base64.b64encode(serialized).decode()
        raise _invalid(f"Could not parse `serialized` as TensorProto, base64: {code}") from None
    found = dtypes.as_dtype(array.dtype)
    if found != out_type:
        raise _invalid(
            f"Type mismatch between parsed tensor ({_c_name(found)}) and dtype "
            f"({_c_name(out_type)})"
        )
    return array if array.ndim else array[()]


@parse_tensor_op.shape
def _parse_tensor_shape(serialized: Any, *, out_type: Any) -> Any:
    return unknown_shape()


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor that `serialize_tensor` wrote, which must be of type `out_type`."""
    return parse_tensor_op(serialized, out_type=dtypes.as_dtype(out_type), name=name)

"""Messages of protocol buffers as tensors, and tensors as messages: `tf.io.decode_proto`.

    messages [batch] ──DecodeProtoV2──> sizes [batch, fields]: how often each field is there
                                        values, for each field [batch, most often]
                     <──EncodeProto───

No package is needed: the fields are read where they stand in the bytes.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.errors import DataLossError
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, brackets
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.string_values import as_objects
from minitf.library.formats import wire
from minitf.library.formats.proto_types import (
    IN_BYTES,
    Described,
    Field,
    Messages,
    described,
    messages_of,
)
from minitf.library.parsing.proto_text import text_to_message
from minitf.library.parsing.proto_values import read, unpacked, written

DecodeProtoV2 = namedtuple("DecodeProtoV2", "sizes values")

#: for each kind of field the types that its values may have; the first can hold them all
_TYPES: dict[str, tuple[dtypes.DType, ...]] = {
    "double": (dtypes.float64,),
    "float": (dtypes.float32, dtypes.float64),
    **dict.fromkeys(("int64", "sfixed64", "sint64"), (dtypes.int64,)),
    **dict.fromkeys(("uint64", "fixed64"), (dtypes.uint64,)),
    **dict.fromkeys(("int32", "sfixed32", "sint32"), (dtypes.int32, dtypes.int64)),
    **dict.fromkeys(("uint32", "fixed32"), (dtypes.uint32, dtypes.uint64)),
    "enum": (dtypes.int32,),
    "bool": (dtypes.bool,),
    **dict.fromkeys(("string", "group", "message", "bytes"), (dtypes.string,)),
}
#: how C++ numbers the kinds, which errors speak of
_IN_CPP = {
    **dict.fromkeys(("int32", "sint32", "sfixed32"), 1),
    **dict.fromkeys(("int64", "sint64", "sfixed64"), 2),
    **dict.fromkeys(("uint32", "fixed32"), 3), **dict.fromkeys(("uint64", "fixed64"), 4),
    "double": 5, "float": 6, "bool": 7, "enum": 8, "string": 9, "bytes": 9, "group": 10,
    "message": 10,
}  # fmt: skip


def _fields_of(known: Messages, message_type: str, names: Sequence[str]) -> list[Field]:
    """The fields of these names.

    Raises:
      InvalidArgumentError: when there is no such message or field.
    """
    if message_type not in known:
        raise invalid(f"No descriptor found for message type {message_type}")
    fields = known[message_type]
    for name in names:
        if name not in fields:
            raise invalid(f"Unknown field: {name} in message type {message_type}")
    return [fields[name] for name in names]


def _reached(attrs: dict[str, Any]) -> str:
    """Whether the source of the descriptions is a file."""
    source = attrs["descriptor_source"]
    return "" if source in ("", "local://") or source.startswith("bytes://") else "files"


# ---- DecodeProtoV2 -----------------------------------------------------------------------------


def _default(field: Field, dtype: dtypes.DType) -> Any:
    """What fills up the places of a field that are not there."""
    if dtype == dtypes.string:
        return field.default.encode()
    if field.kind == "bool":
        return field.default == "true"
    try:
        return dtype.as_numpy_dtype(field.default or 0)
    except (ValueError, OverflowError):  # the name of a member of an enum, or no such number
        return 0


def _values(data: bytes, fields: Sequence[Field]) -> list[list[Any]]:
    """For each field its values in one message; a field asked for twice is given once."""
    found: list[list[Any]] = [[] for _ in fields]
    places: dict[int, int] = {}
    for place, field in enumerate(fields):
        places.setdefault(field.number, place)
    try:
        for number, value in wire.fields(data, groups=True):
            if number in places:
                place = places[number]
                kind = fields[place].kind
                whole, group = isinstance(value, bytes), isinstance(value, wire.Group)
                if kind in IN_BYTES and not whole or group and kind != "group":
                    continue  # a field of another kind with this number, which nobody knows
                if kind == "group" and not group:
                    raise ValueError("TYPE_GROUP encountered as packed")
                packed = whole and kind not in IN_BYTES
                each = unpacked(kind, value) if packed else [value]  # type: ignore[arg-type]
                found[place] += [read(kind, one) for one in each]
    except (ValueError, OverflowError) as error:
        text = str(error)
        if "within a field" in text:
            text = "ReadValue: Failed skipping field when counting"
        elif not text.startswith(("Illegal", "TYPE")):
            text = "CountFields: Failed to consume entire buffer"
        raise DataLossError(None, None, text) from None
    # of a field that may be there once, the last one counts
    return [
        values if field.repeated else values[-1:]
        for field, values in zip(fields, found, strict=True)
    ]


def _parsed(text: bytes, message_type: str, known: Described) -> bytes:
    """The bytes of a message in text."""
    try:
        return text_to_message(text, message_type, known)
    except (ValueError, KeyError):  # a KeyError: a message or enum that is not described
        raise DataLossError(None, None, "Unable to parse text protobuf") from None


def _check_types(fields: Sequence[Field], types: Sequence[dtypes.DType], message: str) -> None:
    for field, dtype in zip(fields, types, strict=True):
        if dtype not in _TYPES[field.kind]:
            raise invalid(
                f"Unexpected output type for {message}.{field.name}: {_IN_CPP[field.kind]} to "
                f"{dtype.as_datatype_enum}"
            )


_SAMPLE = wire.field(1, b"\x01\x02") + wire.field(1, b"\x03")


@op(
    "DecodeProtoV2",
    "bytes: string -> sizes: int32, values: N*output_types",
    sized_by_values=True,
    differentiable=False,
    reaches=_reached,
    samples=[
        lambda rng: (
            as_objects([_SAMPLE, b""]),
            {"message_type": "tensorflow.Int64List", "field_names": ("value",),
             "output_types": (dtypes.int64,)},
        )
    ],
)  # fmt: skip
def decode_proto_op(
    xp: Any, bytes: Any, *, message_type: str, field_names: tuple, output_types: tuple,
    descriptor_source: str = "local://", message_format: str = "binary", sanitize: bool = False,
) -> Any:  # fmt: skip
    """Takes fields out of messages."""
    if len(field_names) != len(output_types):
        raise invalid("field_names and output_types attributes must have the same length")
    known = described(descriptor_source)
    fields = _fields_of(known.messages, message_type, field_names)
    _check_types(fields, output_types, message_type)
    if message_format not in ("binary", "text"):
        raise invalid("format must be one of binary or text")
    whole = bytes if isinstance(bytes, np.ndarray) else as_objects([bytes], ())
    if not whole.size:
        raise invalid("Bufs argument must contain at least one value")
    messages = whole.ravel()
    if message_format == "text":
        messages = [_parsed(text, message_type, known) for text in messages]
    rows = [_values(data, fields) for data in messages]
    sizes = np.array([[len(values) for values in row] for row in rows], np.int32)
    tensors = []
    for place, (field, dtype) in enumerate(zip(fields, output_types, strict=True)):
        most = max(1, *(len(row[place]) for row in rows))
        filled = [row[place] + [_default(field, dtype)] * (most - len(row[place])) for row in rows]
        flat = [value for row in filled for value in row]
        shape = (*whole.shape, most)
        if dtype == dtypes.string:
            tensors.append(as_objects(flat, shape))
        else:
            tensors.append(np.array(flat, dtype.as_numpy_dtype).reshape(shape))
    sizes = sizes.reshape(*whole.shape, len(fields))
    return (sizes, *tensors) if tensors else sizes


@decode_proto_op.shape
def _decode_proto_shapes(
    bytes: Any, *, field_names: tuple, output_types: tuple, **attrs: Any
) -> Any:
    batch = bytes.shape
    sizes = batch.concatenate([len(field_names)])
    values = [batch.concatenate([None]) for _ in output_types]
    return [sizes, *values] if values else sizes


def _as_source(source: Any) -> str:
    """A description of messages as the attribute holds it."""
    return source.decode("utf-8", "surrogateescape") if isinstance(source, bytes) else source


def decode_proto(
    bytes: Any,
    message_type: str,
    field_names: Sequence[str],
    output_types: Sequence[Any],
    descriptor_source: Any = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> Any:
    """Takes fields out of messages of protocol buffers.

    Args:
      bytes: [...] strings: messages.
      message_type: what they are, as "tensorflow.Feature".
      field_names: the fields.
      output_types: the types of their values; a message in a message is a string.
      descriptor_source: what describes the messages: the path of a file that `protoc
        --descriptor_set_out` wrote, or "bytes://" and its content. "local://": those of `tf.train`.
      message_format: "binary", or "text" as protocol buffers print it.
      sanitize: accepted.
      name: the name.
    Returns: `(sizes, values)`: [..., fields] int32, how often each field is there, and for each
      field [..., most often], filled up with its default.
    Example:
      >>> data = tf.constant([b"\\n\\x02\\x05\\x07", b""])
      >>> found = tf.io.decode_proto(data, "tensorflow.Int64List", ["value"], [tf.int64])
      >>> sess.run(found.values[0])
      array([[5, 7],
             [0, 0]])
    """
    sizes, *values = decode_proto_op(
        convert_to_tensor(bytes, dtypes.string, name="bytes"), message_type=message_type,
        field_names=tuple(field_names), output_types=tuple(map(dtypes.as_dtype, output_types)),
        descriptor_source=_as_source(descriptor_source), message_format=message_format,
        sanitize=sanitize, name=name,
    )  # fmt: skip
    return DecodeProtoV2(sizes, values)


# ---- EncodeProto -------------------------------------------------------------------------------


def _check_encoding(sizes: Any, values: Sequence[Any], fields: Sequence[Field]) -> None:
    """Raises InvalidArgumentError when values have not the types or the sizes of fields."""
    for field, value in zip(fields, values, strict=True):
        dtype = dtypes.as_dtype(value.dtype)
        if dtype not in _TYPES[field.kind]:
            raise invalid(
                f"Incompatible type for field {field.name}.  Saw dtype: {dtypes.c_name(dtype)} but "
                f"field type is: {field.kind}"
            )
    batch = values[0].shape[:-1] if values else sizes.shape[:-1]
    wanted = (*batch, len(fields))
    if sizes.shape != wanted:
        raise invalid(
            "sizes should be batch_size + [len(field_names)].  Saw: "
            f"{brackets(TensorShape(sizes.shape))} but expected: {brackets(TensorShape(wanted))}"
        )
    for value in values:
        if value.shape[:-1] != batch:
            raise invalid("Values must match up to the last dimension")


@op(
    "EncodeProto",
    "sizes: int32, values: N*? -> bytes: string",
    differentiable=False,
    reaches=_reached,
    samples=[
        lambda rng: (
            np.array([[2], [0]], np.int32), [np.array([[1, -2], [3, 4]])],
            {"message_type": "tensorflow.Int64List", "field_names": ("value",)},
        )
    ],
)  # fmt: skip
def encode_proto_op(
    xp: Any, sizes: Any, values: Any, *, field_names: tuple, message_type: str,
    descriptor_source: str = "local://",
) -> Any:  # fmt: skip
    """Makes messages of their fields."""
    fields = _fields_of(messages_of(descriptor_source), message_type, field_names)
    _check_encoding(sizes, values, fields)
    batch = sizes.shape[:-1]
    counts = sizes.reshape(-1, len(fields)).tolist()
    rows = [value.reshape(len(counts), value.shape[-1]) for value in values]
    order = sorted(range(len(fields)), key=lambda place: fields[place].number)
    messages = []
    for index, own in enumerate(counts):
        for place, size in enumerate(own):
            if size > rows[place].shape[1]:
                raise invalid(
                    f"Size to write must not be larger than value tensor; but saw: {size} > "
                    f"{rows[place].shape[1]} at message {index} field {place}"
                )
        parts = [
            written(fields[place], rows[place][index, : max(0, own[place])], fields[place].packed)
            for place in order
        ]
        messages.append(b"".join(parts))
    return as_objects(messages, batch)


@encode_proto_op.shape
def _encode_proto_shape(sizes: Any, values: Any, **attrs: Any) -> TensorShape:
    batch = sizes.shape.with_rank_at_least(2)[:-1]
    for value in values:
        batch = batch.merge_with(value.shape.with_rank_at_least(2)[:-1])
    return batch


def encode_proto(
    sizes: Any,
    values: Sequence[Any],
    field_names: Sequence[str],
    message_type: str,
    descriptor_source: Any = "local://",
    name: str | None = None,
) -> Tensor:
    """Makes messages of protocol buffers, as `decode_proto` takes them apart.

    Args:
      sizes: [..., fields] int32: how many values each field has.
      values: for each field [..., most values].
      field_names, message_type, descriptor_source, name: see `decode_proto`.
    Returns: [...] strings.
    """
    return encode_proto_op(
        sizes, list(values), field_names=tuple(field_names), message_type=message_type,
        descriptor_source=_as_source(descriptor_source), name=name,
    )  # fmt: skip

"""What messages of protocol buffers are made of, read from their descriptions.

`protoc --descriptor_set_out` writes a description of .proto files; it is a message itself. From it
come, for each message, the fields (numbers, kinds, whether they may be repeated), and the enums.

    "p.M" -> {"a": Field("a", number=1, kind=5, ...)}      message M { int32 a = 1; } of package p
"""

from __future__ import annotations

import functools
import os
from typing import Any, NamedTuple

from minitf.core.graph import dtypes
from minitf.core.graph.errors import DataLossError
from minitf.library.formats import wire
from minitf.library.formats.example_proto import MESSAGES
from minitf.library.formats.file_io import read_bytes

#: the kinds of fields, as descriptions number them
KINDS = {
    "double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "fixed64": 6, "fixed32": 7,
    "bool": 8, "string": 9, "group": 10, "message": 11, "bytes": 12, "uint32": 13, "enum": 14,
    "sfixed32": 15, "sfixed64": 16, "sint32": 17, "sint64": 18,
}  # fmt: skip
_NAMES = {number: name for name, number in KINDS.items()}
_REQUIRED, _REPEATED = 2, 3
IN_BYTES = ("string", "bytes", "message", "group")
_DEEPEST = 100  # messages in messages, as many as protocol buffers allow


class Field(NamedTuple):
    """One field of a message.

    Attributes:
      name: its name.
      number: its number on the wire.
      kind: what it holds, a key of `KINDS`.
      repeated: whether it may be there several times.
      default: what it has when it is not there, as a text; "" where nothing is said.
      packed: whether it says that its numbers are written together.
      joined: whether protocol buffers write them so; version 3 does unless it says otherwise.
      type_name: the message or enum that it holds.
      oneof: the number of the group of fields of which a message has one; -1 for none.
      presence: when it is written: "explicit", if it is given; "required", it must be given;
        "implicit", if it is not zero; "always", as the key and the value of a map are.
    """

    name: str
    number: int
    kind: str
    repeated: bool = False
    default: str = ""
    packed: bool = False
    joined: bool = False
    type_name: str = ""
    oneof: int = -1
    presence: str = "implicit"


class Enum(NamedTuple):
    """The names of numbers.

    Attributes:
      members: the numbers, by name.
      closed: whether fields hold no other numbers (version 2 of the language).
    """

    members: dict[str, int]
    closed: bool


Messages = dict[str, dict[str, Field]]


class Described(NamedTuple):
    """What a description describes, by full names.

    Attributes:
      messages: for each message its fields.
      enums: the enums.
    """

    messages: Messages
    enums: dict[str, Enum]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else ""


def _field(data: bytes, proto3: bool, in_map: bool) -> Field:
    parts = dict(wire.fields(data))
    options = parts.get(8, b"")
    packed = dict(wire.fields(options)).get(2) if isinstance(options, bytes) else None
    number, kind, oneof = parts.get(3, 0), parts.get(5, 0), parts.get(9, -1)
    if not isinstance(number, int) or kind not in _NAMES or not isinstance(oneof, int):
        raise ValueError(f"a field {number!r} of kind {kind!r}")
    held, repeated = _NAMES[kind], parts.get(4) == _REPEATED
    plain = proto3 and held != "message" and oneof < 0
    presence = "required" if parts.get(4) == _REQUIRED else "implicit" if plain else "explicit"
    return Field(
        _text(parts.get(1)), number, held, repeated, _text(parts.get(7)), packed == 1,
        repeated and held not in IN_BYTES and (proto3 if packed is None else packed == 1),
        _text(parts.get(6)).removeprefix("."), oneof, "always" if in_map else presence,
    )  # fmt: skip


def _enum(data: bytes, prefix: str, found: Described, proto3: bool) -> None:
    parts = wire.fields(data)
    members = [
        dict(wire.fields(value)) for n, value in parts if n == 2 and isinstance(value, bytes)
    ]
    name = next((_text(value) for number, value in parts if number == 1), "")
    numbers = {_text(each.get(1)): wire.signed(wire.number_of(each.get(2, 0))) for each in members}
    found.enums[prefix + name] = Enum(numbers, not proto3)


def _message(data: bytes, prefix: str, found: Described, proto3: bool, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise ValueError("messages are nested too deeply")
    parts = wire.fields(data)
    name = prefix + next((_text(value) for number, value in parts if number == 1), "")
    options = b"".join(v for number, v in parts if number == 7 and isinstance(v, bytes))
    in_map = dict(wire.fields(options)).get(7) == 1
    inner = [(number, value) for number, value in parts if isinstance(value, bytes)]
    fields = [_field(value, proto3, in_map) for number, value in inner if number == 2]
    found.messages[name] = {field.name: field for field in fields}
    for number, value in inner:
        if number == 3:
            _message(value, f"{name}.", found, proto3, depth + 1)
        elif number == 4:
            _enum(value, f"{name}.", found, proto3)


@functools.lru_cache(maxsize=16)
def _described(data: bytes) -> Described:
    """What stands in a FileDescriptorSet."""
    found = Described({}, {})
    for number, file in wire.fields(data):
        if number == 1 and isinstance(file, bytes):
            parts = wire.fields(file)
            told = {n: _text(value) for n, value in parts if n in (2, 12)}
            prefix, proto3 = f"{told[2]}." if told.get(2) else "", told.get(12) == "proto3"
            for n, value in parts:
                if n in (4, 5) and isinstance(value, bytes):
                    (_message if n == 4 else _enum)(value, prefix, found, proto3)
    return found


@functools.cache
def _own() -> Described:
    """The messages of `tf.train`."""
    types = {dtype.enum_name: number for dtype, number in dtypes.ENUM_NUMBERS.items()}
    found = Described({}, {"tensorflow.DataType": Enum(types, False)})
    for name, fields in MESSAGES.items():
        own = found.messages[f"tensorflow.{name}"] = {}
        for place, (key, kind) in enumerate(fields.items(), 1):
            number, kind = kind if isinstance(kind, tuple) else (place, kind)
            repeated = isinstance(kind, (list, dict))
            kind = kind[0] if isinstance(kind, list) else kind
            if isinstance(kind, dict):  # a map: entries of a key and a value
                ((entry, value),) = kind.items()
                kind = f"{name}.{entry}"
                found.messages[f"tensorflow.{kind}"] = {
                    "key": Field("key", 1, "string", presence="always"),
                    "value": Field("value", 2, "message", type_name=f"tensorflow.{value}",
                                   presence="always"),
                }  # fmt: skip
            held = kind[5:].lower() if kind.startswith("TYPE_") else "message"
            type_name = f"tensorflow.{kind}" if held == "message" else ""
            if name == "TensorProto" and key == "dtype":
                held, type_name = "enum", "tensorflow.DataType"
            packed = repeated and held not in IN_BYTES
            own[key] = Field(
                key, number, held, repeated, packed=packed, joined=packed, type_name=type_name,
                oneof=0 if name == "Feature" else -1,
                presence="explicit" if held == "message" else "implicit",
            )  # fmt: skip
    return found


def described(source: str | bytes) -> Described:
    """The messages and enums that a source describes.

    Args:
      source: "bytes://" and a FileDescriptorSet, or the path of a file that holds one; "local://"
        or "" for the messages of `tf.train`.
    Raises:
      DataLossError: when it is no description.
      NotFoundError: when there is no such file.
    """
    data = source.encode("utf-8", "surrogateescape") if isinstance(source, str) else source
    if data in (b"", b"local://"):
        return _own()
    in_file = not data.startswith(b"bytes://")
    try:
        return _described(read_bytes(source) if in_file else data.removeprefix(b"bytes://"))
    except ValueError as error:
        where = f"{os.fsdecode(data)}: " if in_file else ""
        raise DataLossError(None, None, f"{where}Not a FileDescriptorSet: {error}") from None


def messages_of(source: str | bytes) -> Messages:
    """The messages that a source describes; see `described`."""
    return described(source).messages

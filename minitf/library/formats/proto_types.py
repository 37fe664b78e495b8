"""What messages of protocol buffers are made of, read from their descriptions.

`protoc --descriptor_set_out` writes a description of .proto files; it is a message itself. From it
come, for each message, the fields: numbers, kinds, and whether they may be repeated.

    "p.M" -> {"a": Field("a", number=1, kind=5, ...)}      message M { int32 a = 1; } of package p
"""

from __future__ import annotations

import functools
import os
from typing import Any, NamedTuple

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
_REPEATED = 3
_DEEPEST = 100  # messages in messages, as many as protocol buffers allow


class Field(NamedTuple):
    """One field of a message.

    Attributes:
      name: its name.
      number: its number on the wire.
      kind: what it holds, a key of `KINDS`.
      repeated: whether it may be there several times.
      default: what it has when it is not there, as a text; "" where nothing is said.
      packed: whether its numbers are written together.
    """

    name: str
    number: int
    kind: str
    repeated: bool = False
    default: str = ""
    packed: bool = False


Messages = dict[str, dict[str, Field]]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else ""


def _field(data: bytes) -> Field:
    parts = dict(wire.fields(data))
    options = parts.get(8, b"")
    packed = isinstance(options, bytes) and dict(wire.fields(options)).get(2) == 1
    number, kind = parts.get(3, 0), parts.get(5, 0)
    if not isinstance(number, int) or kind not in _NAMES:
        raise ValueError(f"a field {number!r} of kind {kind!r}")
    return Field(
        _text(parts.get(1)), number, _NAMES[kind],
        parts.get(4) == _REPEATED, _text(parts.get(7)), packed,
    )  # fmt: skip


def _message(data: bytes, prefix: str, found: Messages, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise ValueError("messages are nested too deeply")
    parts = wire.fields(data)
    name = prefix + next((_text(value) for number, value in parts if number == 1), "")
    fields = [_field(value) for number, value in parts if number == 2 and isinstance(value, bytes)]
    found[name] = {field.name: field for field in fields}
    for number, value in parts:
        if number == 3 and isinstance(value, bytes):
            _message(value, f"{name}.", found, depth + 1)


@functools.lru_cache(maxsize=16)
def _described(data: bytes) -> Messages:
    """The messages in a FileDescriptorSet."""
    found: Messages = {}
    for number, file in wire.fields(data):
        if number == 1 and isinstance(file, bytes):
            parts = wire.fields(file)
            package = next((_text(value) for n, value in parts if n == 2), "")
            for n, value in parts:
                if n == 4 and isinstance(value, bytes):
                    _message(value, f"{package}." if package else "", found)
    return found


@functools.cache
def _own() -> Messages:
    """The messages of `tf.train`."""
    found: Messages = {}
    for name, fields in MESSAGES.items():
        own = found[f"tensorflow.{name}"] = {}
        for place, (key, kind) in enumerate(fields.items(), 1):
            number, kind = kind if isinstance(kind, tuple) else (place, kind)
            if isinstance(kind, dict):  # a map: entries of a key and a value
                (entry,) = kind
                found[f"tensorflow.{name}.{entry}"] = {
                    "key": Field("key", 1, "string"), "value": Field("value", 2, "message"),
                }  # fmt: skip
            repeated = isinstance(kind, (list, dict))
            kind = kind[0] if isinstance(kind, list) else kind
            plain = isinstance(kind, str) and kind.startswith("TYPE_")
            held = kind[5:].lower() if plain else "message"
            packed = repeated and held not in ("string", "bytes", "message")
            own[key] = Field(key, number, held, repeated, packed=packed)
    return found


def messages_of(source: str | bytes) -> Messages:
    """The messages that a source describes.

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

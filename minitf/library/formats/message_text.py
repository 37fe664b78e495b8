"""Protocol buffers as text, as people read them: graphs, MetaGraphs and saved models.

    bytes ──to_text──> node {                          the forms of `.pbtxt` files, and of
          <─from_text─   name: "x"                     `tf.train.write_graph(..., as_text=True)`
                         op: "Placeholder"
                       }

message_fields.py says what the fields of each message are called. A field that it does not know is
skipped in both directions.
"""

from __future__ import annotations

import functools
import math
import re
import struct

from minitf.core.graph.dtypes import ENUM_NAMES
from minitf.library.formats import wire
from minitf.library.formats.message_fields import FORMS, NUMBERS, Field, by_number, fields_of

_ENUMS = {
    "type": ENUM_NAMES,
    "version": {0: "LEGACY", 1: "V1", 2: "V2"},
}
_SHORT = 256  # bytes: of messages so long the lines are kept


def is_text(data: bytes) -> bool:
    """Whether the data are a message as text: they begin with the name of a field."""
    found = re.match(rb"(?:\s|#[^\n]*+\n)*+([a-z_]+)\s*[:{<]", data)
    kinds = ("GraphDef", "MetaGraphDef", "SavedModel")
    return found is not None and any(found[1].decode() in fields_of(kind) for kind in kinds)


# ---- bytes to text -----------------------------------------------------------------------


def to_text(data: bytes, message: str) -> str:
    """The text of a message.

    Args:
      data: its bytes.
      message: what it is, as "GraphDef".
    Raises:
      ValueError: when the bytes are no such message.
    """
    return _text(data, message, "")


def _text(data: bytes, message: str, indent: str) -> str:
    known, found = by_number(message), []
    for number, value in wire.fields(data):
        field = known.get(number)
        if field is not None:
            found.append((number, _written(field, value, indent)))
    if message == "NodeDef":  # attributes by their names, which come first in their texts
        found.sort(key=lambda each: each if each[0] == 5 else each[:1])
    return "".join([text for _, text in found])


_short_text = functools.lru_cache(maxsize=1024)(_text)  # most attributes stand there often


def _written(field: Field, value: int | bytes, indent: str) -> str:
    """The lines of what one field on the wire holds: several values, where they are packed."""
    name, kind = field.name, field.kind
    if kind in NUMBERS:
        numbers = wire.unpacked(value, NUMBERS[kind]) if isinstance(value, bytes) else [value]
        return "".join([f"{indent}{name}: {_number_text(kind, each)}\n" for each in numbers])
    if isinstance(value, int):
        raise ValueError("a number in place of a message")
    if kind in ("string", "bytes"):
        return f'{indent}{name}: "{_escaped(value)}"\n'
    text = _short_text if len(value) < _SHORT else _text
    return f"{indent}{name} {{\n{text(value, kind, indent + '  ')}{indent}}}\n"


def _number_text(kind: str, number: int) -> str:
    if kind in FORMS:
        value = struct.unpack(FORMS[kind], number.to_bytes(NUMBERS[kind], "little"))[0]
        return f"{value:.9g}" if kind == "float" else repr(value)
    if kind == "bool":
        return "true" if number else "false"
    return _ENUMS.get(kind, {}).get(number, str(wire.signed(number)))


_ESCAPED = {byte: f"\\{byte:03o}" for byte in range(256) if not 32 <= byte < 127}
_ESCAPED |= {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}


def _escaped(data: bytes) -> str:
    return data.decode("latin-1").translate(_ESCAPED)


# ---- text to bytes -----------------------------------------------------------------------

_TOKEN = re.compile(
    r"""(?:\s|\#[^\n]*+)*+(?:("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([\w.+-]+)|([{}<>:;,\[\]]))"""
)
_REST = re.compile(r"(?:\s|#[^\n]*+)*+\Z")
_ESCAPE = re.compile(
    rb"((?:\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8})+)|\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|(.))",
    re.DOTALL,
)
_NAMED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_CLOSING = {"{": "}", "<": ">"}


def from_text(text: str, message: str) -> bytes:
    """The bytes of a message.

    Args:
      text: the message in protobuf's text form.
      message: what it is, as "GraphDef".
    Raises:
      ValueError: when the text is no such message.
    """
    try:
        return _Parser(text).message(message, "")
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


class _Parser:
    """Reads tokens one after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = self._before = 0

    def _next(self) -> str:
        """The next token; "" at the end."""
        self._before = self._at
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            if _REST.match(self._text, self._at):
                return ""
            line = self._text.count("\n", 0, self._at) + 1
            raise ValueError(f"no message from line {line} on")
        self._at = found.end()
        return found[1] or found[2] or found[3]

    def _back(self) -> None:
        self._at = self._before

    def message(self, kind: str, closing: str) -> bytes:
        """The fields up to what closes the message; those of no kind are skipped."""
        known, parts = fields_of(kind) if kind else {}, []
        while (name := self._next()) != closing:
            if not re.fullmatch(r"[A-Za-z_]\w*", name):
                line = self._text.count("\n", 0, self._at) + 1
                raise ValueError(f"{name!r} in place of a field in line {line}")
            field = known.get(name, Field(name, 0, "", True))
            token = self._next()
            if token == ":":
                token = self._next()
            if token == "[":
                while (token := self._next()) != "]":
                    parts.append(self._value(field, token if token != "," else self._next()))
            else:
                parts.append(self._value(field, token))
            if self._next() not in (",", ";"):
                self._back()
        return b"".join(parts)

    def _value(self, field: Field, token: str) -> bytes:
        if token in _CLOSING:
            inner = self.message("" if field.kind in NUMBERS else field.kind, _CLOSING[token])
            return wire.field(field.number, inner) if field.number else b""
        if token[:1] in ("'", '"'):
            data = unescaped(token)
            while (following := self._next())[:1] in ("'", '"') and following:
                data += unescaped(following)
            self._back()
            if field.number and field.kind not in ("string", "bytes"):
                raise ValueError(f"a text in place of the field '{field.name}'")
            return wire.field(field.number, data) if field.number else b""
        if not field.number:
            return b""
        if field.kind not in NUMBERS:
            raise ValueError(f"{token!r} in place of the field '{field.name}'")
        if field.kind in FORMS:
            size = NUMBERS[field.kind]
            key = field.number << 3 | (5 if size == 4 else 1)
            return wire.varint(key) + struct.pack(FORMS[field.kind], _real(token, size))
        return wire.varint(field.number << 3) + wire.varint(_whole(field.kind, token))


def _real(token: str, size: int) -> float:
    value = float(token.removesuffix("f") if token[-1:] == "f" and "in" not in token else token)
    return math.copysign(math.inf, value) if size == 4 and abs(value) > 3.4028235677e38 else value


def _whole(kind: str, token: str) -> int:
    names = {text: number for number, text in _ENUMS.get(kind, {}).items()}
    names |= {"true": 1, "false": 0} if kind == "bool" else {}
    return names[token] if token in names else int(token, 0)


def unescaped(token: str) -> bytes:
    """The bytes of a text in quotes."""

    def meant(found: re.Match[bytes]) -> bytes:
        if found[1] is not None:  # halves of a pair of surrogates are one character
            points = [int(each, 16) for each in re.split(rb"\\[uU]", found[1])[1:]]
            pairs = "".join(map(chr, points)).encode("utf-16", "surrogatepass")
            return pairs.decode("utf-16", "surrogatepass").encode("utf-8", "surrogatepass")
        if found[2] is not None:
            return bytes([int(found[2], 8) & 255])
        if found[3] is not None:
            return bytes([int(found[3], 16)])
        return _NAMED.get(found[4], found[4])

    return _ESCAPE.sub(meant, token[1:-1].encode("utf-8", "surrogateescape"))

"""Messages of protocol buffers written as text, made into their bytes by their descriptions.

    'a: 5  n { b: ["x", "y"] }'   with   {a = 1: int32, n = 2: N}   ->   08 05 12 06 0a 01 78 ...

Unlike `message_text`, which takes from TensorFlow's own messages what it knows, this reads any
message that is described, and as strictly as protocol buffers do: an unknown name, a number that
its field cannot hold or a second value is no message. Extensions and reserved names are unknown.
"""

from __future__ import annotations

import re
from typing import Any

from minitf.library.formats.message_text import unescaped
from minitf.library.formats.proto_types import IN_BYTES, Described, Field
from minitf.library.parsing.proto_values import is_zero, written

_SPACE = r"(?:\s|\#[^\n]*+)*+"
_HEX = "[0-9a-fA-F]"
_ESCAPE = rf"""\\(?:[abfnrtv\\?'"]|[0-7]|x{_HEX}|u{_HEX}{{4}}|U00(?:0{_HEX}|10){_HEX}{{4}})"""
_REAL = r"(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[fF]?"
_TOKEN = re.compile(
    rf"""{_SPACE}(?:("(?:[^"\\\n\0]|{_ESCAPE})*+"|'(?:[^'\\\n\0]|{_ESCAPE})*+')"""
    rf"""|([A-Za-z_]\w*+|(?:0[xX]{_HEX}+|0[0-7]+|{_REAL})(?![\w.])|[-{{}}<>:;,\[\]]|\Z))""",
    re.ASCII,
)
_CLOSING = {"{": "}", "<": ">"}
_TRUTH = {"true": 1, "True": 1, "t": 1, "false": 0, "False": 0, "f": 0}
_BITS = dict.fromkeys(("int32", "sint32", "sfixed32", "enum"), 31)
_BITS |= dict.fromkeys(("int64", "sint64", "sfixed64"), 63)
_UNSIGNED_BITS = {"uint32": 32, "fixed32": 32, "uint64": 64, "fixed64": 64, "bool": 1}
_CLOSED = ("message", "group")


def text_to_message(text: bytes, message_type: str, described: Described) -> bytes:
    """The bytes of a message.

    Args:
      text: the message as text.
      message_type: its full name.
      described: the messages and enums.
    Raises:
      ValueError: when the text is no such message.
    """
    try:
        return _Reader(text.decode("utf-8", "surrogateescape"), described).message(message_type, "")
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


class _Reader:
    """Reads tokens one after the other."""

    def __init__(self, text: str, described: Described) -> None:
        self._text, self._described = text, described
        self._at = 0
        self._token = self._string = ""
        self._next()

    def _next(self) -> str:
        """Goes on to the next token; returns this one."""
        token, found = self._token, _TOKEN.match(self._text, self._at)
        if found is None:
            raise ValueError(f"no token at {self._at}")
        self._at = found.end()
        self._string, self._token = found[1] or "", found[2] or ""
        return token

    def _took(self, *tokens: str) -> bool:
        """Goes on if the next token is one of these."""
        if self._string or self._token not in tokens:
            return False
        self._next()
        return True

    def message(self, name: str, closing: str) -> bytes:
        """The fields up to what closes the message."""
        fields = self._described.messages[name].values()
        known = {  # a group goes by the name of its message
            f.type_name.rpartition(".")[2] if f.kind == "group" else f.name: f for f in fields
        }
        found: dict[Field, list[Any]] = {}
        while self._string or self._token != closing:
            self._field(known[self._expect(*known)], found)
            self._took(",", ";")
        if closing:
            self._next()
        for field in fields:
            if field.presence == "required" and field not in found:
                raise ValueError(f"{name} lacks {field.name}")
            if field.presence == "always":
                found.setdefault(field, [b"" if field.kind in IN_BYTES else 0])
        parts = sorted(found.items(), key=lambda part: part[0].number)
        return b"".join([written(field, values, field.joined) for field, values in parts])

    def _expect(self, *tokens: str) -> str:
        """Goes on if the next token is one of these, and returns it."""
        if self._string or self._token not in tokens:
            raise ValueError(f"{self._string or self._token!r} in place of {' or '.join(tokens)}")
        return self._next()

    def _field(self, field: Field, found: dict[Field, list[Any]]) -> None:
        """Adds the values of one field."""
        if not self._took(":") and field.kind not in _CLOSED:
            self._expect(":")
        values: list[Any] = []
        if not (field.repeated and self._took("[")):
            values.append(self._value(field))
        elif not self._took("]"):
            values.append(self._value(field))
            while self._took(","):
                values.append(self._value(field))
            self._expect("]")
        if field.repeated:
            found.setdefault(field, []).extend(values)
            return
        for other in found:
            if other == field or other.oneof == field.oneof >= 0:
                raise ValueError(f"{field.name} after {other.name}")
        if field.presence != "implicit" or not is_zero(field.kind, values[0]):
            found[field] = values

    def _value(self, field: Field) -> Any:
        kind = field.kind
        if kind in _CLOSED:
            return self.message(field.type_name, _CLOSING[self._expect(*_CLOSING)])
        if kind in ("string", "bytes"):
            if not self._string:
                raise ValueError(f"{self._token!r} in place of a text")
            data = b""
            while self._string:  # texts that stand side by side are one
                data += unescaped(self._string)
                self._next()
            return data
        if self._string:
            raise ValueError(f"a text in place of the number {field.name}")
        minus = kind not in _UNSIGNED_BITS and self._took("-")
        token = self._next()
        if kind in ("double", "float"):
            named = token.lower() in ("inf", "infinity", "nan")
            if not named and not re.fullmatch(_REAL, token, re.ASCII):
                raise ValueError(f"{token!r} in place of a number")
            value = float(token if named else token.rstrip("fF"))
            return -value if minus else value
        if kind == "bool" and token in _TRUTH:
            return _TRUTH[token]
        enum = self._described.enums[field.type_name] if kind == "enum" else None
        if enum and not minus and token in enum.members:
            return enum.members[token]
        octal = token[:1] == "0" and token.isdigit()
        number = int(token, 8) if octal else int(token, 0)
        most = (1 << (_UNSIGNED_BITS.get(kind) or _BITS[kind])) - 1
        if number > most + minus:
            raise ValueError(f"{field.name} does not hold {number}")
        number = -number if minus else number
        if enum and enum.closed and number not in enum.members.values():
            raise ValueError(f"{number} is no {field.type_name}")
        return number

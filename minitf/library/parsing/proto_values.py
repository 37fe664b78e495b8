"""The values of fields as protocol buffers write them: numbers of all kinds, texts, groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.library.formats import wire
from minitf.library.formats.proto_types import IN_BYTES, Field

_WIDE = {"double": "<f8", "fixed64": "<u8", "sfixed64": "<i8"}
_NARROW = {"float": "<f4", "fixed32": "<u4", "sfixed32": "<i4"}
_ZIGZAG = ("sint32", "sint64")
_SHORT = ("int32", "uint32", "sint32", "enum")


def read(kind: str, value: int | bytes) -> Any:
    """The value of one field, as `wire.fields` gives it."""
    if isinstance(value, bytes):
        return value
    for layouts, width in ((_WIDE, 8), (_NARROW, 4)):
        if kind in layouts:
            return np.frombuffer(value.to_bytes(width, "little"), layouts[kind])[0]
    low = value & 0xFFFFFFFF
    if kind in _ZIGZAG:
        value = low if kind == "sint32" else value
        return (value >> 1) ^ -(value & 1)
    if kind in ("int32", "enum"):
        return low - (1 << 32) if low >> 31 else low
    if kind == "uint32":
        return low
    return wire.signed(value) if kind == "int64" else bool(value) if kind == "bool" else value


def unpacked(kind: str, data: bytes) -> list[int]:
    """The numbers that stand together in one field."""
    width = 8 if kind in _WIDE else 4 if kind in _NARROW else 0
    if width and len(data) % width:
        raise ValueError(f"Illegal data length for packed fixed-size type: {len(data)}")
    return wire.unpacked(data, width)


def _number(kind: str, value: Any) -> bytes:
    """The bytes of a number, without the key of its field; one too large is cut as in C."""
    for layouts in (_WIDE, _NARROW):
        if kind in layouts:
            with np.errstate(over="ignore"):
                return np.asarray(value).astype(layouts[kind]).tobytes()
    whole = int(value)
    if kind in _SHORT:
        whole = read("uint32" if kind == "uint32" else "int32", whole)
    return wire.varint(whole << 1 ^ (whole >> 63) if kind in _ZIGZAG else whole)


def is_zero(kind: str, value: Any) -> bool:
    """Whether nothing but zeros would be written; -0.0 is not zero."""
    return not (value if kind in IN_BYTES else _number(kind, value).strip(b"\0"))


def written(field: Field, values: Any, packed: bool) -> bytes:
    """One field with its values.

    Args:
      packed: whether its numbers are written together.
    """
    kind, key = field.kind, field.number << 3
    if kind == "group":
        around = wire.varint(key | 3), wire.varint(key | 4)
        return b"".join(value.join(around) for value in values)
    if kind in IN_BYTES:
        return b"".join(wire.field(field.number, value) for value in values)
    numbers = [_number(kind, value) for value in values]
    if packed and numbers:
        return wire.field(field.number, b"".join(numbers))
    mark = 1 if kind in _WIDE else 5 if kind in _NARROW else 0
    return b"".join(wire.varint(key | mark) + each for each in numbers)

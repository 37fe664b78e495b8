"""`StructuredValue`: arguments and results of functions as saved models of TensorFlow 2 tell them.

    ((TensorSpec([None, 2], tf.float32), True), {"mask": None})  <──>  bytes

A value is a number, a text, a shape, a type, a spec, or a list, tuple or dict of such.
"""

from __future__ import annotations

import struct
from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minitf.core.graph.dtypes import ENUM_NUMBERS, DType
from minitf.core.graph.shapes import TensorShape
from minitf.library.eager.type_specs import (
    BoundedTensorSpec,
    IndexedSlicesSpec,
    RaggedTensorSpec,
    SparseTensorSpec,
    TensorArraySpec,
    TensorSpec,
    TypeSpec,
)
from minitf.library.formats import wire
from minitf.library.formats.graph_message import encode_shape, encode_tensor, shape_of, tensor

_DTYPES = {number: dtype for dtype, number in ENUM_NUMBERS.items()}
#: the numbers that the classes of specs have in the files
_SPECS: dict[type[TypeSpec], int] = {
    SparseTensorSpec: 1,
    IndexedSlicesSpec: 2,
    RaggedTensorSpec: 3,
    TensorArraySpec: 4,
}
_DEEPEST = 100


class NoEqual:
    """Stands for a value of a file that has no equal here."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.kind}>"


# ---- writing -----------------------------------------------------------------------------


def encode(value: Any) -> bytes:
    """The bytes of a value.

    Raises:
      TypeError: when it is of another kind.
    """
    if value is None:
        return wire.field(1, b"")
    if isinstance(value, (bool, np.bool_)):
        return wire.varint(14 << 3) + wire.varint(int(value))
    if isinstance(value, (int, np.integer)):
        number = int(value)
        return wire.varint(12 << 3) + wire.varint(number << 1 ^ number >> 63)
    if isinstance(value, (float, np.floating)):
        return wire.varint(11 << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, (str, bytes)):
        return wire.field(13, value.encode() if isinstance(value, str) else value)
    if isinstance(value, TensorShape):
        return wire.field(31, encode_shape(value))
    if isinstance(value, DType):
        return wire.varint(32 << 3) + wire.varint(value.as_datatype_enum)
    if isinstance(value, BoundedTensorSpec):
        ends = (value.minimum, value.maximum)
        parts = [wire.field(4 + i, encode_tensor(end)) for i, end in enumerate(ends)]
        return wire.field(35, _encode_spec(value) + b"".join(parts))
    if isinstance(value, TensorSpec):
        return wire.field(33, _encode_spec(value))
    if type(value) in _SPECS:
        state = encode(tuple(value._serialize()))
        name = f"{type(value).__name__}".encode()
        kind = wire.field(1, _SPECS[type(value)])
        count = wire.field(4, len(value._component_specs))
        return wire.field(34, kind + wire.field(2, state) + wire.field(3, name) + count)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        pairs = zip(value._fields, value, strict=True)
        entries = [wire.field(2, _encode_entry(k, each)) for k, each in pairs]
        return wire.field(54, wire.field(1, type(value).__name__.encode()) + b"".join(entries))
    if isinstance(value, (list, tuple)):
        items = b"".join(wire.field(1, encode(each)) for each in value)
        return wire.field(52 if isinstance(value, tuple) else 51, items)
    if isinstance(value, Mapping):
        return wire.field(
            53, b"".join(wire.field(1, _encode_entry(str(k), value[k])) for k in value)
        )
    raise TypeError(f"No encoder for {value!r} of type {type(value)}.")


def _encode_entry(key: str, value: Any) -> bytes:
    return wire.field(1, key.encode()) + wire.field(2, encode(value))


def _encode_spec(spec: TensorSpec) -> bytes:
    name = wire.field(1, spec.name.encode()) if spec.name else b""
    dtype = wire.field(3, spec.dtype.as_datatype_enum)
    return name + wire.field(2, encode_shape(spec.shape)) + dtype


# ---- reading -----------------------------------------------------------------------------


def decode(data: bytes, depth: int = 0) -> Any:
    """Reads a value; one that has no equal here becomes a `NoEqual`.

    Raises:
      ValueError: when the data are none.
    """
    if depth > _DEEPEST:
        raise ValueError("values are nested too deeply")
    found: Any = None
    for number, value in wire.fields(data):
        if number in _PLAIN:
            found = _PLAIN[number](value)
        elif number in (51, 52) and isinstance(value, bytes):
            parts = [wire.message_of(each) for n, each in wire.fields(value) if n == 1]
            items = [decode(each, depth + 1) for each in parts]
            found = items if number == 51 else tuple(items)
        elif number == 53:
            found = dict(_entries(wire.message_of(value), 1, depth))
        elif number == 54:
            found = _named_tuple(wire.message_of(value), depth)
        elif number == 34:
            found = _type_spec(wire.message_of(value), depth)
        elif number != 1:
            found = NoEqual(f"value {number}")
    return found


def _dtype(value: int | bytes) -> Any:
    number = wire.number_of(value)
    return _DTYPES[number] if number in _DTYPES else NoEqual(f"type {number}")


def _entries(data: bytes, wanted: int, depth: int) -> list[tuple[str, Any]]:
    found = []
    for number, each in wire.fields(data):
        if number == wanted:
            entry = dict(wire.fields(wire.message_of(each)))
            key = wire.text_of(entry.get(1, b""))
            found.append((key, decode(wire.message_of(entry.get(2, b"")), depth + 1)))
    return found


def _named_tuple(data: bytes, depth: int) -> Any:
    name = wire.message_of(dict(wire.fields(data)).get(1, b"")).decode()
    pairs = _entries(data, 2, depth)
    made: Callable[..., Any] = namedtuple(name, [key for key, _ in pairs])  # type: ignore[misc]
    return made(*(value for _, value in pairs))


def _spec(value: int | bytes) -> TensorSpec:
    parts = dict(wire.fields(wire.message_of(value)))
    shape, name = shape_of(parts.get(2, b"")), wire.text_of(parts.get(1, b"")) or None
    dtype = _dtype(parts.get(3, 0))
    if isinstance(dtype, NoEqual):
        raise ValueError(f"a tensor of {dtype.kind}")
    if 4 in parts:
        low, high = (tensor(wire.message_of(parts[n])) for n in (4, 5))
        return BoundedTensorSpec(shape, dtype, low, high, name)
    return TensorSpec(shape, dtype, name)


def _type_spec(data: bytes, depth: int) -> Any:
    parts = dict(wire.fields(data))
    kinds = {number: kind for kind, number in _SPECS.items()}
    kind = kinds.get(wire.number_of(parts.get(1, 0)))
    if kind is None:
        return NoEqual(wire.text_of(parts.get(3, b"TypeSpec")))
    state = decode(wire.message_of(parts.get(2, b"")), depth + 1)
    try:
        return kind(*state[: len(kind(*_FEWEST.get(kind, ()))._serialize())])
    except (TypeError, AttributeError, LookupError) as error:
        raise ValueError(f"a {kind.__name__} of {state!r}: {error}") from None


#: what a spec cannot be made without
_FEWEST: dict[type[TypeSpec], tuple] = {RaggedTensorSpec: ([None, None],)}
_PLAIN: dict[int, Callable[[Any], Any]] = {
    11: lambda value: struct.unpack("<d", wire.number_of(value).to_bytes(8, "little"))[0],
    12: lambda value: wire.number_of(value) >> 1 ^ -(wire.number_of(value) & 1),
    13: wire.text_of,
    14: lambda value: bool(wire.number_of(value)),
    31: shape_of,
    32: _dtype,
    33: _spec,
    35: _spec,
}

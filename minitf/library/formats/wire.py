"""Protocol buffers on the wire, by hand: a message is a row of fields, each a key and a value.

    key = number << 3 | kind        kind 0   a varint: seven bits a byte, the lowest first
                                    kind 1   eight bytes
                                    kind 2   a length, and as many bytes: a text or a message
                                                    kind 5   four bytes

It serves messages of a few fields, where the package `protobuf` would be too much to ask for.
"""

from __future__ import annotations

_SHORT = [bytes([n]) for n in range(128)]
_MOST_BITS = 64


def varint(value: int) -> bytes:
    """The bytes of a number; a negative one is written as its 64-bit complement.

    Example:
      >>> varint(300)
      b'\\xac\\x02'
    """
    if 0 <= value < 128:
        return _SHORT[value]
    if 0 <= value < 1 << 14:
        return bytes((value & 127 | 128, value >> 7))
    value &= (1 << _MOST_BITS) - 1
    data = bytearray()
    while value >= 128:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return bytes(data)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Returns the number that begins at byte `at`, and where the next thing begins.

    Raises:
      ValueError: when the data end within it, or it has more than 64 bits.
    """
    value = shift = 0
    while shift < _MOST_BITS:
        if at >= len(data):
            raise ValueError("the data end within a number")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << _MOST_BITS) - 1, at
        shift += 7
    raise ValueError("a number of more than 64 bits")


def signed(value: int) -> int:
    """The number, perhaps negative, that `varint` was given."""
    return value - (1 << _MOST_BITS) if value >> (_MOST_BITS - 1) else value


def field(number: int, value: int | bytes) -> bytes:
    """One field: a number as a varint, or bytes; a zero is left out, as its reader assumes it."""
    if isinstance(value, int):
        if not value:
            return b""
        return (_SHORT[number << 3] if number < 16 else varint(number << 3)) + varint(value)
    size = len(value)
    if size < 128 and number < 16:  # nearly all: a graph of 2,000 operations has 32,000 fields
        return _SHORT[number << 3 | 2] + _SHORT[size] + value
    return varint(number << 3 | 2) + varint(size) + value


def fixed32(number: int, value: int) -> bytes:
    """One field of four bytes."""
    return varint(number << 3 | 5) + value.to_bytes(4, "little")


def fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """The fields of a message as (number, value); values of kinds 1 and 5 are unsigned numbers.

    Raises:
      ValueError: when the data are no message.
    """
    found: list[tuple[int, int | bytes]] = []
    at, end = 0, len(data)
    while at < end:
        key = data[at]
        at += 1
        if key >= 128:
            key, at = read_varint(data, at - 1)
        kind = key & 7
        value: int | bytes
        if kind == 1 or kind == 5:
            size = 8 if kind == 1 else 4
            value = int.from_bytes(data[at : at + size], "little")
            at += size
        elif kind == 0 or kind == 2:
            value = data[at] if at < end else 128
            at += 1
            if value >= 128:
                value, at = read_varint(data, at - 1)
            if kind == 2:
                size = value
                value = data[at : at + size]
                at += size
        else:
            raise ValueError(f"a field of kind {kind}")
        if at > end:
            raise ValueError("the data end within a field")
        found.append((key >> 3, value))
    return found


def unpacked(data: bytes, size: int) -> list[int]:
    """The numbers that stand together in one field.

    Args:
      size: how many bytes each has; 0 for varints.
    Raises:
      ValueError: when the data end within a varint.
    """
    found, at = [], 0
    while at < len(data):
        if size:
            number, at = int.from_bytes(data[at : at + size], "little"), at + size
        else:
            number, at = read_varint(data, at)
        found.append(number)
    return found

"""`tf.compat`'s conversions between bytes and text, and its tuples of kinds of numbers.

A string tensor holds bytes; names, paths and flags are text. Programs of the years of Python 2
convert between the two by these functions.
"""

from __future__ import annotations

from typing import Any


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Returns a text encoded, and bytes as they are.

    Raises:
      TypeError: when it is neither.
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Returns bytes decoded, and a text as it is.

    Args:
      bytes_or_text: a str, or bytes.
      encoding: how the bytes are written.
    Raises:
      TypeError: when it is neither.
    Example:
      >>> tf.compat.as_str(b"gr\\xc3\\xbcn")
      'grün'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: Any) -> str:
    """Returns bytes decoded, and `str(value)` of anything else."""
    return as_text(value) if isinstance(value, bytes) else str(value)

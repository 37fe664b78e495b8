"""Programs that were written for TensorFlow 1.x: how they run, and the names they expect.

`tensorflow/runner.py` is `python -m minitf`, and `tensorflow/alias.py` lets `import tensorflow`
mean minitf. `contrib` has what `tf.contrib` had of its own. The package is at the same time the
namespace `tf.compat`; `tf.compat.v1` is the public API.

A string tensor holds bytes; names, paths and flags are text. Programs of the years of Python 2
convert between the two by the functions here.
"""

from __future__ import annotations

import sys
from typing import Any

from minitf.core.graph.shapes import dimension_value

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "dimension_value",
]


def __dir__() -> list[str]:
    return [*__all__, "v1", "v2"]


def __getattr__(name: str) -> Any:
    if name in ("v1", "v2"):
        return sys.modules[__name__.rpartition(".")[0]]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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

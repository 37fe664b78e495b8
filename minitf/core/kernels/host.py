"""Copies arrays to host memory.

NumPy's arrays are in host memory. Arrays of another package are in the memory of a device; the file
that owns the package registers how to copy them:

    fast/cuda:  arrive_from("cupy", copy_to_host)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_copies: dict[str, Callable[[Any], Any]] = {}  # by the package that the array's class is of


def arrive_from(package: str, copy: Callable[[Any], Any]) -> None:
    """Registers what copies an array of a package to host memory."""
    _copies[package] = copy


def on_cpu(xp: Any) -> bool:
    """Whether the arrays of `xp` are in host memory: NumPy's are.

    A kernel checks values only there. Reading a value of a GPU would mean to wait for it.
    """
    return xp is np


def on_host(value: Any) -> Any:
    """The value in host memory; not copied if it is there."""
    if isinstance(value, np.ndarray) or not _copies:
        return value
    copy = _copies.get(type(value).__module__.partition(".")[0])
    return value if copy is None else copy(value)


def to_host(value: Any) -> Any:
    """A copy of an array in host memory; scalars, which never change, stay."""
    return value.copy() if isinstance(value, np.ndarray) else on_host(value)

"""Bringing arrays to the host: the one place that knows that an array may lie elsewhere.

NumPy's arrays are in host memory. An array of another package is in the memory of a device, and
the file that owns the package says how it comes from there:

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

    A kernel can check the values of those. To look at a value of a GPU would mean to wait for it.
    """
    return xp is np


def on_host(value: Any) -> Any:
    """The value in host memory, not copied when it is there already."""
    if isinstance(value, np.ndarray) or not _copies:
        return value
    copy = _copies.get(type(value).__module__.partition(".")[0])
    return value if copy is None else copy(value)


def to_host(value: Any) -> Any:
    """A copy of an array in host memory; scalars, which never change, stay."""
    return value.copy() if isinstance(value, np.ndarray) else on_host(value)

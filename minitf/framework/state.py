"""The value of one variable, as the kernels see it.

A `VariableV2` node has no value of its own: it names a `VariableState` that lives with its device.
A kernel parameter declared as a reference (`T&`) gets the `VariableState`; all others get `.value`.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.framework.dtypes import DType

_CACHE_LINE = 64  # bytes


class VariableState:
    """A named, typed cell with a lock. `value` is unset until the variable is initialized.

    Reading the unset slot raises AttributeError at no cost to the readers of a set one; the
    executor turns that into `FailedPreconditionError`.
    """

    __slots__ = ("dtype", "lock", "name", "shape", "value")

    value: Any

    def __init__(self, name: str, dtype: DType, shape: Any) -> None:
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.lock = threading.Lock()

    @property
    def is_initialized(self) -> bool:
        """Whether a value was ever assigned."""
        return hasattr(self, "value")

    def update(self, compute: Callable[[Any, Any], Any], in_place: bool) -> None:
        """Replaces the value by `compute(old, out)` while nobody else updates it.

        Args:
          compute: gets the old value and the array to write into, or None to make a new one.
          in_place: whether the old array may be overwritten: nobody reads it afterwards.
        """
        with self.lock:
            old = self.value
            self.value = compute(old, old if in_place and getattr(old, "ndim", False) else None)


def aligned_empty(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An array in host memory, its values not set, that begins at a cache line.

    NumPy's own begin 16 bytes after one, so that every wide load or store of a pass over them
    touches two lines; what is passed over again and again, as a variable is, is worth the care.
    """
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + _CACHE_LINE, np.uint8)
    start = -memory.__array_interface__["data"][0] % _CACHE_LINE
    return memory[start : start + size].view(dtype).reshape(shape)

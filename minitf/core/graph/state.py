"""The state of one variable.

A `VariableV2` node names a `VariableState`, which belongs to a device. A kernel parameter declared
as a reference (`T&`) gets the `VariableState`; all others get `.value`.
"""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph.dtypes import DType

_CACHE_LINE = 64  # bytes


class VariableState:
    """A named, typed cell with a lock. `value` is unset until the variable is initialized.

    Reading an unset value raises AttributeError, which costs nothing where it is set. The executor
    turns it into `FailedPreconditionError`.
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
        """Replaces the value by `compute(old, out)`, with the lock held.

        Args:
          compute: gets the old value and the array to write into, or None to make a new one.
          in_place: whether the old array may be overwritten.
        """
        with self.lock:
            old = self.value
            self.value = compute(old, old if in_place and getattr(old, "ndim", False) else None)


def _holders(state: VariableState) -> tuple[int, int]:
    """The reference counts of a variable's value and of the array that it is a view of."""
    value = state.value
    base = getattr(value, "base", None)
    return sys.getrefcount(value), 0 if base is None else sys.getrefcount(base)


def _make_alone() -> tuple[tuple[int, int], ...]:
    """The counts of `_holders` for a value without other holders: an array, and a view."""
    state = VariableState("", None, None)  # type: ignore[arg-type]
    state.value = np.empty(2)
    whole = _holders(state)
    state.value = aligned_empty((2,), np.float32)
    return whole, _holders(state)


def is_held_elsewhere(state: VariableState) -> bool:
    """Whether something else holds the value, so that it must not be overwritten."""
    value, base = _holders(state)
    alone = _ALONE[1] if base else _ALONE[0]
    return value > alone[0] or base > alone[1]


def aligned_empty(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Makes an uninitialized array in host memory that begins at a cache line.

    NumPy's arrays begin 16 bytes later, so that each wide load and store touches two lines. For
    variables, which every step reads and writes, the difference can be measured.
    """
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + _CACHE_LINE, np.uint8)
    start = -memory.__array_interface__["data"][0] % _CACHE_LINE
    return memory[start : start + size].view(dtype).reshape(shape)


_ALONE = _make_alone()

"""The value of one variable, as the kernels see it.

A `VariableV2` node has no value of its own: it names a `VariableState` that lives with its device.
A kernel parameter declared as a reference (`T&`) gets the `VariableState`; all others get `.value`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from minitf.framework.dtypes import DType


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

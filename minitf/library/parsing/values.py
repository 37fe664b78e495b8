"""What all that reads text shares: numbers in it, dtypes that may be asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes


def check_type(dtype: Any, parameter: str, allowed: Sequence[dtypes.DType]) -> dtypes.DType:
    """The dtype that a caller asks for.

    Raises:
      TypeError: when `parameter` does not take it.
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype not in allowed:
        raise TypeError(
            f"Value passed to parameter '{parameter}' has DataType {dtype.name} not in list of "
            f"allowed values: {', '.join(t.name for t in allowed)}"
        )
    return dtype


def read_number(text: bytes, dtype: dtypes.DType) -> Any:
    """The number in a text, as a NumPy scalar.

    Raises:
      ValueError: when it is none, or is not in the range of `dtype`.
    """
    if b"_" in text:  # Python takes 1_000
        raise ValueError(text)
    if dtype.is_floating:
        return dtype.as_numpy_dtype(float(text))
    if b"+" in text:  # and takes +1
        raise ValueError(text)
    value, limits = int(text), np.iinfo(dtype.as_numpy_dtype)
    if not limits.min <= value <= limits.max:
        raise ValueError(text)
    return dtype.as_numpy_dtype(value)

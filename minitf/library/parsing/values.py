"""What all that reads text shares: numbers in it, dtypes that may be asked for, uneven rows."""

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


def read_numbers(texts: Sequence[bytes], dtype: dtypes.DType) -> np.ndarray:
    """The numbers in texts, as a vector.

    Raises:
      ValueError: when a text is none, or one that is not in the range of `dtype`.
    """
    whole = b" ".join(texts)
    if b"_" in whole or (b"+" in whole and not dtype.is_floating):  # Python takes 1_000 and +1
        raise ValueError("no number")
    kind: Any = float if dtype.is_floating else int
    try:
        wide = np.fromiter(map(kind, texts), kind, len(texts))
    except OverflowError as error:
        raise ValueError(str(error)) from None
    with np.errstate(over="ignore"):  # a large float is infinite
        numbers = wide.astype(dtype.as_numpy_dtype)
    if kind is int and (numbers != wide).any():
        raise ValueError("out of range")
    return numbers


def is_number(text: bytes, dtype: dtypes.DType) -> bool:
    """Whether a text is a number in the range of `dtype`."""
    try:
        read_numbers([text], dtype)
    except ValueError:
        return False
    return True


def nothing_of(dtype: dtypes.DType) -> np.ndarray:
    """A vector without elements."""
    return np.empty(0, dtype.numpy_dtype)


def joined(rows: Sequence[np.ndarray], dtype: dtypes.DType) -> np.ndarray:
    """Vectors end to end."""
    return np.concatenate(rows) if rows else nothing_of(dtype)


def rows_to_sparse(rows: Sequence[np.ndarray], dtype: dtypes.DType) -> tuple[Any, Any, Any]:
    """Rows of any lengths as the indices, values and shape of a sparse matrix."""
    lengths = np.array([len(row) for row in rows], np.int64)
    places = [np.arange(n, dtype=np.int64) for n in lengths]
    indices = np.stack(
        [
            np.repeat(np.arange(len(rows), dtype=np.int64), lengths),
            np.concatenate(places) if places else np.empty(0, np.int64),
        ],
        axis=1,
    )
    shape = np.array([len(rows), lengths.max(initial=0)], np.int64)
    return indices, joined(rows, dtype), shape

"""Real GPUs: the one file that imports CuPy, when it is installed and a card is there."""

from __future__ import annotations

import importlib.util
from functools import cache
from typing import Any

import numpy as np


@cache
def module() -> Any:
    """The CuPy module, or None when it is not installed or finds no card."""
    if importlib.util.find_spec("cupy") is None:
        return None
    try:
        import cupy

        return cupy if cupy.cuda.runtime.getDeviceCount() > 0 else None
    except Exception:  # a missing driver shows as any of CuPy's errors; then there is no card
        return None


def count() -> int:
    """How many cards are visible."""
    cupy = module()
    return 0 if cupy is None else cupy.cuda.runtime.getDeviceCount()


def describe(ordinal: int) -> str:
    """The card's name and memory."""
    properties = module().cuda.runtime.getDeviceProperties(ordinal)
    gigabytes = properties["totalGlobalMem"] / 2**30
    return f"{properties['name'].decode()} ({gigabytes:.0f} GiB, CuPy)"


def to_card(value: Any, ordinal: int) -> Any:
    """Copies an array or scalar to a card."""
    cupy = module()
    with cupy.cuda.Device(ordinal):
        return cupy.array(value)


def is_card_array(value: Any) -> bool:
    """Whether the array lives on a card."""
    return type(value).__module__.partition(".")[0] == "cupy"


def to_host(value: Any) -> Any:
    """Copies an array from wherever it is to host memory; scalars, which never change, stay."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if is_card_array(value):
        host = value.get()
        return host[()] if host.ndim == 0 else host
    return value

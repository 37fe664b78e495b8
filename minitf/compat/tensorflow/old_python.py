"""Names of Python's own modules that programs of the years 2016 to 2019 use, and Python dropped.

`collections.Iterable`, `time.clock()` or `inspect.getargspec` were there in Python 3.6. As with
NumPy's old names, `python -m minitf` and `%load_ext minitf` give back what is missing.
"""

from __future__ import annotations

import base64
import collections
import collections.abc
import fractions
import inspect
import math
import random
import threading
import time
from collections.abc import Callable
from typing import Any

from minitf.compat.internals.tf_inspect import getargspec

_INSTEAD: list[tuple[Any, dict[str, Any]]] = [
    (collections, {name: getattr(collections.abc, name) for name in collections.abc.__all__}),
    (time, {"clock": time.perf_counter}),
    (fractions, {"gcd": math.gcd}),
    (inspect, {"getargspec": getargspec}),
    (base64, {"encodestring": base64.encodebytes, "decodestring": base64.decodebytes}),
    (threading.Thread, {"isAlive": threading.Thread.is_alive}),
]


def install() -> None:
    """Adds the names that this Python lacks; those it has stay as they are."""
    for space, names in _INSTEAD:
        for name, meaning in names.items():
            if not hasattr(space, name):
                setattr(space, name, meaning)
    if not hasattr(random.sample, "is_old_python"):
        random.sample = _of_sets(random.sample)


def _of_sets(sample: Callable[..., Any]) -> Callable[..., Any]:
    """`random.sample` that draws from a set, too."""

    def of_sets(population: Any, k: int, **kwargs: Any) -> Any:
        if isinstance(population, collections.abc.Set):
            population = tuple(population)
        return sample(population, k, **kwargs)

    of_sets.is_old_python = True  # type: ignore[attr-defined]
    return of_sets

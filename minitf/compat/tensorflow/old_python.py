"""Names of Python's own modules that programs of the years 2016 to 2019 use, and Python dropped.

`collections.Iterable`, `time.clock()` or `inspect.getargspec` were there in Python 3.6; `xrange(3)`
and `d.iteritems()` are all that some programs have of Python 2. As with NumPy's old names,
`python -m minitf` and `%load_ext minitf` give back what is missing.
"""

from __future__ import annotations

import base64
import builtins
import collections
import collections.abc
import fractions
import functools
import inspect
import itertools
import math
import random
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from minitf.compat.tensorflow.old_numpy import add_method
from minitf.compat.tensorflow.old_packages import add_names


class ArgSpec(NamedTuple):
    """The arguments of a function, as Python 2 told them."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple | None


def getargspec(func: Callable[..., Any]) -> ArgSpec:
    """The arguments of a function, keyword-only ones after the others."""
    full = inspect.getfullargspec(func)
    defaults = (*(full.defaults or ()), *(full.kwonlydefaults or {}).values())
    return ArgSpec(full.args + full.kwonlyargs, full.varargs, full.varkw, defaults or None)


_INSTEAD: list[tuple[Any, dict[str, Any]]] = [
    (collections, {name: getattr(collections.abc, name) for name in collections.abc.__all__}),
    (time, {"clock": time.perf_counter}),
    (fractions, {"gcd": math.gcd}),
    (inspect, {"getargspec": getargspec}),
    (base64, {"encodestring": base64.encodebytes, "decodestring": base64.decodebytes}),
    (itertools, {"izip": zip, "imap": map, "ifilter": filter}),
    (itertools, {"izip_longest": itertools.zip_longest}),
    (builtins, {"xrange": range, "raw_input": input, "reduce": functools.reduce, "long": int}),
    (builtins, {"unicode": str, "basestring": str, "unichr": chr}),
    (sys, {"maxint": sys.maxsize}),
    (threading.Thread, {"isAlive": threading.Thread.is_alive}),
]

_OF_DICTIONARIES: dict[str, Callable[..., Any]] = {
    "iteritems": lambda d: iter(d.items()),
    "itervalues": lambda d: iter(d.values()),
    "iterkeys": lambda d: iter(d),
    "has_key": dict.__contains__,
}


def install() -> None:
    """Adds the names that this Python lacks; those it has stay as they are."""
    for space, names in _INSTEAD:
        add_names(space, **names)
    for name, method in _OF_DICTIONARIES.items():
        if not hasattr(dict, name):
            add_method(dict, name, method)
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

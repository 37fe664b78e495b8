"""`tensorflow.python.util.tf_inspect`: Python's `inspect`, which sees through decorators itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple


class ArgSpec(NamedTuple):
    """The arguments of a function, as Python 2 told them."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple | None


def getargspec(obj: Callable) -> ArgSpec:
    """The arguments of a function without keyword-only ones."""
    return ArgSpec(*inspect.getfullargspec(inspect.unwrap(obj))[:4])


def getfullargspec(obj: Callable) -> inspect.FullArgSpec:
    """The arguments of a function; those of TensorFlow's, and so minitf's, have no annotations."""
    spec = inspect.getfullargspec(inspect.unwrap(obj))
    ours = getattr(obj, "__module__", None) or ""
    return spec._replace(annotations={}) if ours.startswith("minitf.") else spec


def __getattr__(name: str) -> Any:
    return getattr(inspect, name)

"""`tensorflow.python.util.tf_inspect`: Python's `inspect`, which looks at what a wrapper wraps."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from minitf.compat.internals.decorators import unwrap

_LOOKS_WITHIN = ("is", "getfile", "getsource", "signature")


class ArgSpec(NamedTuple):
    """The arguments of a function, as Python 2 told them."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple | None


def _told(obj: Any) -> tuple[Any, Any]:
    """What a wrapper says of the arguments that it takes, and the function that it wraps."""
    wrappers, target = unwrap(obj)
    specs = (each.decorator_argspec for each in wrappers)
    return next((spec for spec in specs if spec is not None), None), target


def getargspec(obj: Callable) -> Any:
    """The arguments of a function, keyword-only ones after the others.

    Raises:
      ValueError: for a partial that leaves an argument open after one that it gives.
    """
    if isinstance(obj, functools.partial):
        return _of_partial(obj)
    spec, target = _told(obj)
    if spec is not None:
        return spec
    full = getfullargspec(target)
    defaults = (*(full.defaults or ()), *(full.kwonlydefaults or {}).values())
    return ArgSpec(full.args + full.kwonlyargs, full.varargs, full.varkw, defaults or None)


def _of_partial(obj: functools.partial) -> ArgSpec:
    args, varargs, keywords, defaults = getargspec(obj.func)
    left = args[len(obj.args) :]
    values = dict(zip(reversed(args), reversed(defaults or ()), strict=False))
    values.update(obj.keywords)
    first = next((place for place, name in enumerate(left) if name in values), len(left))
    missing = [name for name in left[first:] if name not in values]
    if missing:
        raise ValueError(
            f"{obj} has some keyword-only arguments, which are not supported: {missing}. "
            "Some arguments do not have default value, but they are positioned after those with "
            "default values."
        )
    return ArgSpec(left, varargs, keywords, tuple(values[name] for name in left[first:]) or None)


def getfullargspec(obj: Callable) -> inspect.FullArgSpec:
    """The arguments of a function; those of TensorFlow's, and so minitf's, have no annotations."""
    spec, target = _told(obj)
    if spec is not None:
        return spec if isinstance(spec, inspect.FullArgSpec) else _full(*spec)
    ours = (getattr(target, "__module__", None) or "").startswith("minitf.")
    full = inspect.getfullargspec(inspect.unwrap(target) if ours else target)
    return full._replace(annotations={}) if ours else full


_full = functools.partial(inspect.FullArgSpec, kwonlyargs=[], kwonlydefaults=None, annotations={})


def __getattr__(name: str) -> Any:
    found = getattr(inspect, name)
    if not name.startswith(_LOOKS_WITHIN):
        return found
    return lambda obj, *args, **kwargs: found(unwrap(obj)[1], *args, **kwargs)

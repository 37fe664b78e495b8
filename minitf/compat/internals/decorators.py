"""Decorators of `tensorflow.python.util`: exports, deprecations, and faithful wrappers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minitf.core.graph import logging

_warned: set[str] = set()


def tf_export(*names: str, **_: Any) -> Callable[[Any], Any]:
    """Would name a function in `tensorflow`; here it leaves it as it is."""
    return lambda thing: thing


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable:
    """Decorates a function so that its call warns, the first time or always.

    Args:
      date: when it will go, or None.
      instructions: what to do instead.
      warn_once: whether to warn once only.
    """

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def warning(*args: Any, **kwargs: Any) -> Any:
            name = f"{function.__module__}.{function.__qualname__}"
            if not warn_once or name not in _warned:
                _warned.add(name)
                logging.warning(
                    "%s is deprecated and will be removed %s.\nInstructions for updating:\n%s",
                    name,
                    f"after {date}" if date else "in a future version",
                    instructions,
                )
            return function(*args, **kwargs)

        return warning

    return decorate


def deprecated_args(date: str | None, instructions: str, *names: Any, **_: Any) -> Callable:
    """Decorates a function that has arguments of older names; it is left as it is."""
    return lambda function: function


def make_decorator(
    target: Callable, decorator_func: Callable, decorator_name: str | None = None, **_: Any
) -> Callable:
    """Makes a wrapper that looks like what it wraps."""
    return functools.update_wrapper(decorator_func, target)


def unwrap(maybe_tf_decorator: Callable) -> tuple[list, Callable]:
    """The wrappers around a function, and the function."""
    found, function = [], maybe_tf_decorator
    while hasattr(function, "__wrapped__"):
        found.append(function)
        function = function.__wrapped__
    return found, function

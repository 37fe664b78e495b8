"""Decorators of `tensorflow.python.util`: exports, deprecations, and faithful wrappers."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
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


def remove_undocumented(module_name: str, *args: Any, **kwargs: Any) -> None:
    """Would take names from a module that its docstring does not mention; all of them stay."""


def make_all(module_name: str, doc_string_modules: Any = None) -> list[str]:
    """The public names of a module, for its `__all__`."""
    return [name for name in vars(sys.modules[module_name]) if not name.startswith("_")]


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """A block in which no deprecation warns."""
    level = logging.get_verbosity()
    try:
        logging.set_verbosity(max(level, 40))  # errors
        yield
    finally:
        logging.set_verbosity(level)


def deprecated_endpoints(*names: str) -> Callable:
    """Marks names of a function as old; it is left as it is."""
    return lambda function: function

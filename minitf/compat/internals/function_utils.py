"""`tensorflow.python.util.function_utils`, and which behavior `tensorflow.python.tf2` tells."""

from __future__ import annotations

import functools
import importlib
import inspect
import types
from collections.abc import Callable
from typing import Any

from minitf.compat.internals.decorators import unwrap
from minitf.library.estimator.spec import verify_model_fn_args


def fn_args(fn: Callable) -> tuple[str, ...]:
    """The names of a function's arguments: of a method without `self`, of a partial what is left.

    Args:
      fn: a function, a method, a partial, or an object that can be called.
    """
    if isinstance(fn, functools.partial):
        given = fn_args(fn.func)[len(fn.args) :]
        return tuple(name for name in given if name not in (fn.keywords or {}))
    rest = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(fn).parameters.values()
    return tuple(each.name for each in parameters if each.kind not in rest)


def has_kwargs(fn: Callable) -> bool:
    """Whether a function takes `**kwargs`.

    Raises:
      TypeError: when it cannot be called.
    """
    if not callable(fn):
        raise TypeError(f"fn should be a function-like object, but is of type {type(fn)}.")
    parameters = inspect.signature(fn).parameters.values()
    return any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)


def _called(func: Any) -> Any:
    """What is behind wrappers.

    Raises:
      ValueError: when it cannot be called.
    """
    if not callable(func):
        raise ValueError("Argument must be callable")
    return unwrap(func)[1]


def get_func_name(func: Callable) -> str:
    """The name of a function, of a method with its class; of another object its type."""
    target = _called(func)
    if inspect.ismethod(target):
        return f"{type(target.__self__).__name__}.{target.__name__}"
    return target.__name__ if inspect.isfunction(target) else str(type(target))


def get_func_code(func: Callable) -> types.CodeType | None:
    """The code of a function, or of what an object does when it is called; None without code."""
    target = _called(func)
    return getattr(target, "__code__", None) or getattr(type(target).__call__, "__code__", None)


def enabled() -> bool:
    """Whether this is version 2 of the interface: it is version 1."""
    return False


_verify_model_fn_args = verify_model_fn_args


class LazyLoader(types.ModuleType):
    """A module that is imported when a name of it is asked for.

    Args:
      local_name: how it is called where it is used.
      parent_module_globals: the names there, in which the module itself then takes this place.
      name: its full name.
    """

    def __init__(self, local_name: str, parent_module_globals: dict[str, Any], name: str) -> None:
        super().__init__(name)
        self._local_name, self._globals = local_name, parent_module_globals

    def __getattr__(self, item: str) -> Any:
        module = self._globals[self._local_name] = importlib.import_module(self.__name__)
        return getattr(module, item)

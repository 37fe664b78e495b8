"""`tensorflow.python.util.function_utils`, and which behavior `tensorflow.python.tf2` tells."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

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
    """Whether a function takes `**kwargs`."""
    parameters = inspect.signature(fn).parameters.values()
    return any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)


def enabled() -> bool:
    """Whether this is version 2 of the interface: it is version 1."""
    return False


_verify_model_fn_args = verify_model_fn_args


class LazyLoader(ModuleType):
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

"""`tf.contrib.framework.arg_scope`: default arguments for the functions called in a block.

    with arg_scope([conv2d, fully_connected], activation_fn=tf.nn.relu):
        with arg_scope([conv2d], padding="SAME") as scope:
            net = conv2d(x, 64, [3, 3])         # activation_fn=relu, padding="SAME"
    with arg_scope(scope):                      # the same defaults again
        ...

A function takes part when it is decorated with `add_arg_scope`. What the call itself says wins.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any


class _Stack(threading.local):
    """The open scopes of a thread: each maps a function's key to its default arguments."""

    def __init__(self) -> None:
        self.scopes: list[dict[str, dict[str, Any]]] = [{}]


_stack = _Stack()


def arg_scope_func_key(op: Callable) -> str:
    """What identifies a function in a scope."""
    return getattr(op, "_key_op", str(op))


def has_arg_scope(func: Callable) -> bool:
    """Whether a function is decorated with `add_arg_scope`."""
    return hasattr(func, "_key_op")


def current_arg_scope() -> dict[str, dict[str, Any]]:
    """The defaults that hold here, by function."""
    return _stack.scopes[-1]


@contextlib.contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[dict[str, dict[str, Any]]]:
    """Sets default arguments for functions that are called in this block.

    Args:
      list_ops_or_scope: the functions; or a scope that another block gave, to open it again.
      kwargs: the defaults.
    Raises:
      TypeError: when it is neither a list nor a scope.
      ValueError: when a function is not decorated, or a scope comes with further arguments.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(
                "When attempting to re-use a scope by suppling adictionary, kwargs must be empty."
            )
        scope = list_ops_or_scope.copy()
    else:
        if not isinstance(list_ops_or_scope, (list, tuple)):
            raise TypeError(
                "list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)"
            )
        scope = current_arg_scope().copy()
        for op in list_ops_or_scope:
            if not has_arg_scope(op):
                raise ValueError(f"{op} is not decorated with @add_arg_scope")
            key = arg_scope_func_key(op)
            scope[key] = {**scope.get(key, {}), **kwargs}
    _stack.scopes.append(scope)
    try:
        yield scope
    finally:
        _stack.scopes.pop()


def add_arg_scope(func: Callable) -> Callable:
    """Decorates a function so that `arg_scope` can set its default arguments."""

    @functools.wraps(func)
    def with_defaults(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **{**current_arg_scope().get(key, {}), **kwargs})

    key = str(func)
    with_defaults._key_op = key  # type: ignore[attr-defined]
    return with_defaults

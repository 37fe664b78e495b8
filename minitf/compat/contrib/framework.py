"""`tf.contrib.framework`: default arguments for the functions called in a block, and variables.

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
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

from minitf.core.graph import logging
from minitf.core.graph.stacks import GraphKeys, get_collection
from minitf.core.variables.variable_scope import VariableScope
from minitf.library.formats.checkpoint_reader import CheckpointReader
from minitf.library.saving.saver import Saver

# ---- arg_scope ---------------------------------------------------------------------------------


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


# ---- variables ---------------------------------------------------------------------------------


VARIABLES_TO_RESTORE = "_variables_to_restore_"


def get_variables(
    scope: Any = None, suffix: str | None = None, collection: str = GraphKeys.GLOBAL_VARIABLES
) -> list[Any]:
    """The variables of a scope and with an ending.

    Args:
      scope: a scope or its name.
      suffix: how the name ends.
      collection: where to look.
    """
    if isinstance(scope, VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = f"{scope or ''}.*{re.escape(suffix.partition(':')[0])}$"
        return [v for v in get_collection(collection) if re.match(scope, v.op.name)]
    return get_collection(collection, scope)


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """The model's variables; see `get_variables`."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_variables_to_restore(
    include: list[str] | None = None, exclude: list[str] | None = None
) -> list[Any]:
    """The variables of some scopes, without those of others.

    Args:
      include: names of scopes; by default what is in the collection "_variables_to_restore_", or
        all variables.
      exclude: names of scopes that are left out.
    """
    if include is None:
        found = get_collection(VARIABLES_TO_RESTORE) or get_variables()
    else:
        found = [v for scope in include for v in get_variables(scope)]
    left_out = {id(v) for s in exclude or () for v in get_variables(s)}
    return [v for v in found if id(v) not in left_out]


# ---- filling them ------------------------------------------------------------------------


def assign_from_checkpoint_fn(
    model_path: str,
    var_list: Any,
    ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Callable[[Any], None] | None:
    """A function of a session that gives variables the values of a checkpoint.

    Args:
      model_path: the checkpoint.
      var_list: variables, or a dict from names in the checkpoint to variables.
      ignore_missing_vars: leave variables alone that the checkpoint lacks.
      reshape_variables: take a value of another shape with as many elements.
    Raises:
      ValueError: when var_list is empty.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    named = _by_name(var_list)
    if ignore_missing_vars:
        reader = CheckpointReader(model_path)
        for name in [name for name in named if not reader.has_tensor(name)]:
            logging.warning("Variable %s missing in checkpoint %s", name, model_path)
            del named[name]
    if not named:
        logging.warning("No Variables to restore")
        return None
    saver = Saver(named, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)


def _by_name(var_list: Any) -> dict[str, Any]:
    return dict(var_list) if isinstance(var_list, dict) else {v.op.name: v for v in var_list}

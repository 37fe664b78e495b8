"""`tf.variable_creator_scope`: functions that stand between a program and its new variables.

def on_the_cpu(next_creator, **kwargs):
    with tf.device("/cpu:0"):
        return next_creator(**kwargs)

with tf.variable_creator_scope(on_the_cpu):
    tf.Variable(1.0)  ──>  on_the_cpu(make, initial_value=1.0, ...)  ──>  make(...)

Beside them stand those who only want to hear of new variables, as a function being traced does.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from minitf.core.graph.stacks import DefaultStack

_creators = DefaultStack()


class CreatedByScopes(type):
    """The class of the class `Variable`: its call goes through the creators that are open."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Makes a variable; the innermost creator is asked first."""
        make: Callable = super().__call__
        creators = list(_creators.items)
        definition = kwargs.get("variable_def")
        if not creators or definition is not None or not getattr(cls, "asks_creators", False):
            return make(*args, **kwargs)
        bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs)  # type: ignore[misc]
        bound.apply_defaults()
        options = dict(bound.arguments)
        options.pop("self")
        for creator in creators:
            make = functools.partial(creator, make)
        return make(**options)


_watchers = DefaultStack()
variables_made = _watchers.entered


def variable_made(variable: Any) -> None:
    """Tells who watches that a variable is being made."""
    for watcher in reversed(_watchers.items):
        watcher(variable)


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """A block in which a function makes the variables, or changes how they are made.

    Args:
      variable_creator: called as `variable_creator(next_creator, **kwargs)`; the keywords are the
        arguments of `tf.Variable`.
    """
    with _creators.entered(variable_creator):
        yield

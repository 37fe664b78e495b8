"""Decorators of `tensorflow.python.util`: exports, deprecations, and wrappers that remember.

@deprecated("2019-01-01", "Use g.")   ──>  f, whose call warns, `f._tf_decorator`: a TFDecorator
def f(): ...                               unwrap(f) == ([that TFDecorator], the first f)
"""

from __future__ import annotations

import contextlib
import inspect
from typing import Any

# ---- wrappers that remember what they wrap -----------------------------------------------


class TFDecorator:
    """A callable around another one.

    Args:
      decorator_name: what the decorator is called.
      target: what it wraps.
      decorator_doc: its documentation; that of `target` when empty.
      decorator_argspec: the arguments that it takes, when they differ from those of `target`.
    """

    def __init__(
        self,
        decorator_name: str,
        target: Any,
        decorator_doc: str | None = "",
        decorator_argspec: Any = None,
    ) -> None:
        self._decorated_target = target
        self.decorator_name, self.decorator_doc = decorator_name, decorator_doc
        self.decorator_argspec = decorator_argspec
        self.__name__ = getattr(target, "__name__", type(target).__name__)
        self.__qualname__ = getattr(target, "__qualname__", self.__name__)
        self.__doc__ = decorator_doc or getattr(target, "__doc__", None) or ""
        with contextlib.suppress(TypeError, ValueError):  # some builtins do not tell
            self.__signature__ = inspect.signature(target)

    @property
    def decorated_target(self) -> Any:
        """What it wraps."""
        return self._decorated_target

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self._decorated_target.__get__(instance, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._decorated_target(*args, **kwargs)


def _decorator(function: Any) -> TFDecorator | None:
    return (
        function if isinstance(function, TFDecorator) else getattr(function, "_tf_decorator", None)
    )


def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """The wrappers around a function, the outermost first, and the function."""
    found: list[TFDecorator] = []
    function = maybe_tf_decorator
    while (decorator := _decorator(function)) is not None:
        found.append(decorator)
        function = decorator.decorated_target
    return found, function

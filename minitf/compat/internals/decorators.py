"""Decorators of `tensorflow.python.util`: exports, deprecations, and wrappers that remember.

@deprecated("2019-01-01", "Use g.")   ──>  f, whose call warns, `f._tf_decorator`: a TFDecorator
def f(): ...                               unwrap(f) == ([that TFDecorator], the first f)
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from minitf.core.graph import logging
from minitf.core.ops.array import one_of

_warned: set[Any] = set()
deprecated_argument_lookup = one_of
_silent = False


def tf_export(*names: str, **_: Any) -> Callable[[Any], Any]:
    """Would name a function in `tensorflow`; here it leaves it as it is."""
    return lambda thing: thing


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


def make_decorator(
    target: Callable,
    decorator_func: Callable,
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Any:
    """Makes a wrapper that looks like what it wraps, and remembers it.

    Args:
      target: what is wrapped.
      decorator_func: the wrapper, which is changed.
      decorator_name: what the decorator is called; by default, as the function that calls this.
      decorator_doc, decorator_argspec: see `TFDecorator`.
    """
    name = sys._getframe(1).f_code.co_name if decorator_name is None else decorator_name
    decorator = TFDecorator(name, target, decorator_doc, decorator_argspec)
    wrapper: Any = functools.update_wrapper(decorator_func, target)
    wrapper._tf_decorator, wrapper.__doc__ = decorator, decorator.__doc__
    return wrapper


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


def rewrap(decorator_func: Any, previous_target: Any, new_target: Any) -> None:
    """Puts another function where `previous_target` is, within the wrappers around it."""
    wrapper, function = None, decorator_func
    while (decorator := _decorator(function)) is not None and function is not previous_target:
        wrapper, function = function, decorator.decorated_target
    if wrapper is None:
        raise ValueError(f"{decorator_func} is no wrapper.")
    inner: Any = _decorator(wrapper)
    inner._decorated_target = new_target
    if wrapper is not inner:
        wrapper.__wrapped__ = new_target


# ---- deprecations ------------------------------------------------------------------------


def _check(date: str | None, instructions: str) -> None:
    if date is not None and not re.match(r"20\d\d-[01]\d-[0123]\d", date):
        raise ValueError("Date must be YYYY-MM-DD.")
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions!")


def _when(date: str | None) -> str:
    return f"after {date}" if date else "in a future version"


def _noticed(doc: str | None, what: str, kind: str, date: str | None, instructions: str) -> str:
    """A docstring that says of the function or its arguments that they are deprecated."""
    subject, pronoun = ("SOME ARGUMENTS ARE", "They") if kind else ("THIS FUNCTION IS", "It")
    said = f"Warning: {subject} DEPRECATED. {pronoun} will be removed {_when(date)}."
    notice = ["", said, "Instructions for updating:", instructions]
    if not doc:
        return "\n".join([f"DEPRECATED {what}{kind}", *notice])
    first, *rest = inspect.cleandoc(doc).splitlines()
    between = [""] if rest and rest[0].strip() else []
    return "\n".join([f"{first} (deprecated{kind.lower()})", *notice, *between, *rest])


def _warn(
    key: Any, once: bool, function: Any, how: str, date: str | None, more: str, *of: Any
) -> None:
    """Warns, from the line that called the wrapper; `how` and `of` say what of the call is old."""
    if _silent or (once and key in _warned):
        return
    _warned.update([key] if once else [])
    caller = sys._getframe(2)
    logging.warning(
        "From %s:%d: "
        + how
        + " is deprecated and will be removed %s.\nInstructions for updating:\n%s",
        caller.f_code.co_filename, caller.f_lineno, function.__qualname__, function.__module__,
        *of, _when(date), more,
    )  # fmt: skip


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable:
    """Decorates a function so that its call warns, the first time or always.

    Args:
      date: when it will go, "YYYY-MM-DD", or None.
      instructions: what to do instead.
      warn_once: whether to warn once only.
    """
    _check(date, instructions)

    def decorate(function: Any) -> Any:
        of_class = isinstance(function, type)
        target = function.__init__ if of_class else function
        if not hasattr(target, "__qualname__"):
            raise ValueError(
                f"{function} is not a function. If this is a property, make sure @property appears "
                "before @deprecated in your source code."
            )

        def warning(*args: Any, **kwargs: Any) -> Any:
            _warn(function, warn_once, function, "%s (from %s)", date, instructions)
            return target(*args, **kwargs)

        doc = _noticed(function.__doc__, "FUNCTION", "", date, instructions)
        wrapper = make_decorator(target, warning, "deprecated", target.__doc__ if of_class else doc)
        if not of_class:
            return wrapper
        function.__init__, function.__doc__ = wrapper, doc
        return function

    return decorate


def _same(value: Any, other: Any) -> bool:
    return value is other or bool(value == other)


def _deprecated_in_call(
    date: str | None, instructions: str, once: bool, pick: Callable
) -> Callable:
    """Decorates a function so that it warns of what `pick` finds in the arguments of a call."""

    def decorate(function: Any) -> Any:
        signature = inspect.signature(function)
        pick(signature, None)

        def warning(*args: Any, **given: Any) -> Any:
            for found in pick(signature, signature.bind(*args, **given)):
                how = "calling %s (from %s) with " + "=".join(["%s"] * len(found))
                key = function, found[0]
                _warn(key, once, function, how, date, instructions, *found)
            return function(*args, **given)

        doc = _noticed(function.__doc__, "FUNCTION", " ARGUMENTS", date, instructions)
        return make_decorator(function, warning, "deprecated", doc)

    return decorate


def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: bool
) -> Callable:
    """Decorates a function so that it warns when some of its arguments are given.

    Args:
      date, instructions: see `deprecated`.
      deprecated_arg_names_or_tuples: names, or names each with a value that may be given.
      kwargs: `warn_once`, whether to warn once only for each of them; it is by default.
    """
    _check(date, instructions)
    if not deprecated_arg_names_or_tuples:
        raise ValueError("Specify which argument is deprecated.")
    given = deprecated_arg_names_or_tuples
    olds = dict((each, ()) if isinstance(each, str) else (each[0], each[1:]) for each in given)

    def pick(signature: inspect.Signature, bound: inspect.BoundArguments | None) -> list[tuple]:
        missing = [name for name in olds if name not in signature.parameters]
        if missing:
            raise ValueError(
                "The following deprecated arguments are not present in the function signature: "
                f"{missing}. Found next arguments: {list(signature.parameters)}."
            )
        named = bound.arguments if bound else {}
        return [
            (name,)
            for name, fine in olds.items()
            if name in named and not any(_same(named[name], value) for value in fine)
        ]

    return _deprecated_in_call(date, instructions, kwargs.get("warn_once", True), pick)


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable:
    """Decorates a function so that it warns when arguments have certain values.

    Args:
      date, instructions, warn_once: see `deprecated_args`.
      deprecated_kwargs: the values, by argument.
    """
    _check(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")

    def pick(signature: inspect.Signature, bound: inspect.BoundArguments | None) -> list[tuple]:
        if bound is None:
            return []
        bound.apply_defaults()
        olds, named = deprecated_kwargs.items(), bound.arguments
        return [item for item in olds if item[0] in named and _same(named[item[0]], item[1])]

    return _deprecated_in_call(date, instructions, warn_once, pick)


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True
) -> Any:
    """An old name of a function or class: its use warns, the first time or always."""
    of_class = isinstance(func_or_class, type)
    target = func_or_class.__init__ if of_class else func_or_class

    def renamed(*args: Any, **kwargs: Any) -> Any:
        key = deprecated_name, func_or_class
        if not (_silent or (warn_once and key in _warned)):
            _warned.add(key)
            how = "The name %s is deprecated. Please use %s instead.\n"
            logging.warning(how, deprecated_name, name)
        return target(*args, **kwargs)

    wrapper = make_decorator(target, renamed, "deprecated", target.__doc__)
    if not of_class:
        return wrapper
    own = {"__init__": wrapper, "__doc__": func_or_class.__doc__}
    return type(func_or_class.__name__, (func_or_class,), own)


def rewrite_argument_docstring(old_doc: str, old_argument: str, new_argument: str) -> str:
    """A docstring in which an argument has another name."""
    return old_doc.replace(f"`{old_argument}`", f"`{new_argument}`").replace(
        f"{old_argument}:", f"{new_argument}:"
    )


def deprecated_endpoints(*names: str) -> Callable:
    """Marks names of a function as old; it is left as it is."""
    return lambda function: function


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """A block in which no deprecation warns."""
    global _silent
    before, _silent = _silent, True
    try:
        yield
    finally:
        _silent = before


# ---- what modules show -------------------------------------------------------------------


def remove_undocumented(module_name: str, *args: Any, **kwargs: Any) -> None:
    """Would take names from a module that its docstring does not mention; all of them stay."""


def make_all(module_name: str, doc_string_modules: Iterable[Any] | None = None) -> list[str]:
    """The public names of a module, for its `__all__`."""
    return [name for name in vars(sys.modules[module_name]) if not name.startswith("_")]

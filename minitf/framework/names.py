"""The phone books of the face: which module holds each public name, looked up when it is asked for.

`import minitf` loads what every program needs; a name from a book brings its module along, once:

    tf.nn.conv2d ──> minitf.nn has no such attribute yet ──> its book: minitf.ops.conv_functions
                 <── the function, kept from now on      <── import that module

So a program pays for the rooms that it enters, and a reader sees all names on one page.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def late_names(
    namespace: dict[str, Any], book: str, parts: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Returns `__getattr__`, `__dir__` and `__all__` for a module that holds names only.

    Args:
      namespace: the module's `globals()`.
      book: one line a module, "package.module: name name public=name"; a line that is indented
        goes on with the module of the line above.
      parts: names of modules that stand in the same package.
    Example:
      >>> __getattr__, __dir__, __all__ = late_names(globals(), "minitf.ops.math: abs ceil")
    """
    where = _entries(book)
    package = namespace["__name__"]
    modules = {name: f"{package}.{name}" for name in parts.split()}
    public = [name for name in namespace if not name.startswith("_")]

    def find(name: str) -> Any:
        if name in where:
            module, attribute = where[name]
            value = _attribute(module, attribute)
        elif name in modules:
            value = importlib.import_module(modules[name])
        else:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        namespace[name] = value
        return value

    def names() -> list[str]:
        return sorted({*namespace, *where, *modules})

    return find, names, sorted({*public, *where, *modules})


def _attribute(module: str, name: str) -> Any:
    """What `from module import name` would give: an attribute, or a module inside the package."""
    try:
        return getattr(importlib.import_module(module), name)
    except AttributeError:
        return importlib.import_module(f"{module}.{name}")


def _entries(book: str) -> dict[str, tuple[str, str]]:
    """By public name: the module, and the name there."""
    entries = {}
    module = ""
    for line in book.splitlines():
        head, colon, rest = line.partition(":")
        if colon:
            module, line = head.strip(), rest
        for word in line.split():
            public, _, original = word.partition("=")
            entries[public] = (module, original or public)
    return entries

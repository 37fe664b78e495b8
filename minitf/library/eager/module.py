"""`tf.Module`: an object that knows its variables and its parts.

    class Dense(tf.Module):
        def __init__(self, size, name=None):
            super().__init__(name=name)
            self.w = tf.Variable(...)          found by looking at the attributes

The attributes are searched when the variables are asked for; nothing has to be registered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from minitf.core.graph import nest
from minitf.core.graph.stacks import name_scope
from minitf.core.variables.variables import Variable

_VALID_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


def _snake_case(name: str) -> str:
    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name))
    return parts.lower()


class Module:
    """Base of objects that hold variables and other modules.

    Args:
      name: a Python identifier; the class name in lower case with underscores by default.

    Raises:
      ValueError: when the name is no identifier.
    Example:
      >>> class Scale(tf.Module):
      ...     def __init__(self):
      ...         super().__init__()
      ...         self.factor = tf.Variable(2.0)
      >>> len(Scale().trainable_variables)
      1
    """

    #: attributes that are not searched
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        if not _VALID_NAME.match(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, name, self) is not value:  # or it may be a property
            super().__setattr__(name, value)

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """A context with the name scope of this module."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module and its parts, those of its own attributes first."""
        return tuple(self._flatten(lambda value: isinstance(value, Variable)))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of `variables` that optimizers change."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> Sequence[Variable]:
        """Those of `variables` that optimizers leave alone."""
        return tuple(v for v in self.variables if not v.trainable)

    def _flatten(self, wanted: Callable[[Any], bool]) -> list[Any]:
        """What is wanted of the parts, breadth first, each once."""
        found: dict[int, Any] = {}
        seen = {id(self)}
        queue: list[Module] = [self]
        while queue:
            module = queue.pop(0)
            for leaf in module._attribute_leaves():
                if wanted(leaf):
                    found.setdefault(id(leaf), leaf)
                if isinstance(leaf, Module) and id(leaf) not in seen:
                    seen.add(id(leaf))
                    queue.append(leaf)
        return list(found.values())

    def _attribute_leaves(self) -> Iterator[Any]:
        own = vars(self)
        for name in sorted(own):
            if name not in self._TF_MODULE_IGNORED_PROPERTIES:
                yield from nest.flatten(own[name])

"""`tf.make_template`: a function that makes its variables at the first call and shares them after.

scale = tf.make_template("scale", lambda x: x * tf.get_variable("factor", []))
a, b = scale(x), scale(y)        # one variable, scale/factor
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import executing_eagerly, get_collection
from minitf.core.variables.variable_scope import AUTO_REUSE, VariableScope, variable_scope
from minitf.core.variables.variable_store import EagerVariableStore


class Template:
    """A function with a variable scope of its own; see `make_template`."""

    def __init__(
        self,
        name: str,
        func: Callable,
        create_scope_now: bool,
        unique_name: str | None,
        custom_getter: Callable | None,
    ) -> None:
        self._name, self._func = name, func
        self._unique_name, self._custom_getter = unique_name, custom_getter
        self._scope: VariableScope | None = None
        self._called = False
        # Eager variables live as long as someone keeps them: their template.
        self._store = EagerVariableStore() if executing_eagerly() else None
        if create_scope_now:
            with self._first_scope() as scope:
                self._scope = scope

    def _first_scope(self) -> variable_scope:
        return variable_scope(
            self._unique_name, default_name=self._name, custom_getter=self._custom_getter
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._scope is None:
            opened, call = self._first_scope(), self._func
        else:
            reuse = True if self._called else AUTO_REUSE
            opened, call = variable_scope(self._scope, reuse=reuse), self._call_again
        with nullcontext() if self._store is None else self._store.as_default(), opened as scope:
            self._scope = self._scope or scope
            result = call(*args, **kwargs)
        self._called = True
        return result

    def _call_again(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function, which after the first time may not make what is trained."""
        before = self._trained()
        result = self._func(*args, **kwargs)
        made = self._trained()[len(before) :]
        if self._called and made:
            raise ValueError(
                "Trainable variable created when calling a template after the first time, perhaps "
                f"you used tf.Variable when you meant tf.get_variable: {made}"
            )
        return result

    def _trained(self) -> list[Any]:
        if self._store is not None:
            return self._store.trainable_variables()
        return get_collection(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def name(self) -> str:
        """The name that was given."""
        return self._name

    @property
    def func(self) -> Callable:
        """The function."""
        return self._func

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope of its variables, None before the first call."""
        return self._scope

    var_scope = variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of the scope of its variables, with a slash at its end."""
        if self._scope is None:
            return None
        return f"{self._scope.name.removesuffix('/')}/"  # without a name of its own it has one

    @property
    def global_variables(self) -> list[Any]:
        """Its variables that sessions share."""
        return self._variables(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """Its variables of one process."""
        return self._variables(GraphKeys.LOCAL_VARIABLES)

    @property
    def trainable_variables(self) -> list[Any]:
        """Its variables that optimizers change."""
        return self._variables(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def variables(self) -> list[Any]:
        """All its variables."""
        return self.global_variables + self.local_variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """Its variables that optimizers leave alone."""
        trained = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trained]

    weights, trainable_weights = variables, trainable_variables
    non_trainable_weights = non_trainable_variables

    def _variables(self, key: str) -> list[Any]:
        if self._store is not None:
            if key == GraphKeys.TRAINABLE_VARIABLES:
                return self._store.trainable_variables()
            return self._store.variables() if key == GraphKeys.GLOBAL_VARIABLES else []
        return [] if self._scope is None else get_collection(key, scope=self.variable_scope_name)


def make_template(
    name_: str,
    func_: Callable,
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable | None = None,
    **kwargs: Any,
) -> Template:
    """Wraps a function so that all its calls share the variables of the first one.

    Args:
      name_: of the scope, made unique.
      func_: the function; it gets its variables by `tf.get_variable`.
      create_scope_now_: name the scope now, and not at the first call.
      unique_name_: of the scope, as it is; two templates may share it.
      custom_getter_: see `tf.get_variable`.
      kwargs: further arguments of every call.
    Returns: a callable.
    Example:
      >>> scale = tf.make_template("scale", lambda x: x * tf.get_variable("factor", []))

    Raises:
      ValueError: when there is no name, or a unique one under eager execution.
    """
    if name_ is None:
        raise ValueError("name cannot be None.")
    if unique_name_ is not None and executing_eagerly():
        raise ValueError("unique_name_ cannot be used when eager execution is enabled.")
    function = (lambda *args, **named: func_(*args, **{**kwargs, **named})) if kwargs else func_
    return Template(name_, function, create_scope_now_, unique_name_, custom_getter_)

"""`tf.get_variable` and `tf.variable_scope`: variables shared by name.

    with tf.variable_scope("layer"):                    # a name, and defaults for what is inside
        W = tf.get_variable("W", [2, 3])                # makes layer/W
    with tf.variable_scope("layer", reuse=True):
        assert tf.get_variable("W") is W                # finds layer/W

Each graph keeps one `VariableStore` (name -> variable) and one current `VariableScope` a thread. A
variable's name depends on the variable scopes alone; name scopes only group operations.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import threading
from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Tensor
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.tensor import DTypeLike, ShapeLike
from minitf.core.variables.variable_store import AUTO_REUSE, STORE_KEY, VariableStore, takes
from minitf.core.variables.variables import (
    Variable,
    VariableAggregation,
    VariableSynchronization,
    set_scope_default,
)

SCOPES_KEY = ("__varscope",)


@dataclass(eq=False, repr=False)
class VariableScope:
    """A name, and the defaults of the variables that are got inside.

    Args:
      reuse: True, False, None or `tf.AUTO_REUSE`; see `get_variable`.
      name: the prefix of the variables' names, without a trailing '/'.
      initializer: the default initializer.
      regularizer: the default regularizer.
      caching_device: the default device for copies.
      partitioner: the default partitioner, see `tf.fixed_size_partitioner`.
      custom_getter: called instead of the usual getter, which it gets as its first argument.
      name_scope: the name scope that was opened with it, with a trailing '/'.
      dtype: the default element type.
      use_resource: the default `use_resource` of variables.
      constraint: the default constraint.
    """

    reuse: Any
    name: str = ""
    initializer: Any = None
    regularizer: Any = None
    caching_device: Any = None
    partitioner: Any = None
    custom_getter: Any = None
    name_scope: InitVar[str] = ""
    dtype: Any = dtypes.float32
    use_resource: bool | None = None
    constraint: Any = None

    def __post_init__(self, name_scope: str) -> None:
        self.original_name_scope = name_scope

    def reuse_variables(self) -> None:
        """From here on variables are found, not made."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets the default initializer."""
        self.initializer = initializer

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Sets the default `use_resource` of variables."""
        self.use_resource = use_resource

    def set_partitioner(self, partitioner: Any) -> None:
        """Sets the default partitioner."""
        self.partitioner = partitioner

    def get_collection(self, name: str) -> list:
        """Returns what is in the collection `name` and in this scope."""
        return stacks.get_collection(name, self.name + "/" if self.name else "")

    def global_variables(self) -> list:
        """Returns the global variables in this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def get_variable(
        self,
        var_store: VariableStore,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        custom_getter: Callable[..., Any] | None = None,
        constraint: Any = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        **others: Any,
    ) -> Any:
        """Gets a variable of this scope from `var_store`; see `tf.get_variable`."""
        if dtype is not None and initializer is not None and not callable(initializer):
            found = convert_to_tensor(initializer).dtype.base_dtype
            if found != dtype:
                raise ValueError(
                    f"Initializer type '{found}' and explicit dtype '{dtype}' don't match."
                )
        for option in ("caching_device", "partitioner", "use_resource"):
            if others.get(option) is None:
                others[option] = getattr(self, option)
        custom_getter = self.custom_getter if custom_getter is None else custom_getter
        constraint = self.constraint if constraint is None else constraint
        dtype = self.dtype if dtype is None else dtype
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        arguments = {  # as the getter takes them, and a custom getter hands them on
            "name": f"{self.name}/{name}" if self.name else name,
            "shape": shape,
            "dtype": getattr(dtype, "base_dtype", dtype),
            "initializer": self.initializer if initializer is None else initializer,
            "regularizer": self.regularizer if regularizer is None else regularizer,
            "reuse": (self.reuse if reuse is None else reuse) or False,
            "trainable": trainable,
            "synchronization": synchronization,
            **others,
        }
        with stacks.name_scope(None):
            if custom_getter is None:
                return var_store.get(**arguments, constraint=constraint)
            if not callable(custom_getter):
                raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
            if takes(custom_getter, "constraint"):
                arguments["constraint"] = constraint
            return custom_getter(var_store.get, **arguments)


class _ScopeState(threading.local):
    """One thread's current scope in one graph, and how often each name was opened."""

    def __init__(self) -> None:
        super().__init__()
        self.current = VariableScope(False)
        self.counts: dict[str, int] = {}

    def unique_name(self, prefix: str) -> str:
        """Returns `prefix`, with `_1`, `_2`, ... when a scope of that name was open here before."""
        outer = f"{self.current.name}/" if self.current.name else ""
        name, index = prefix, 0
        while self.counts.get(outer + name, 0):
            index += 1
            name = f"{prefix}_{index}"
        return name


def _scope_state() -> _ScopeState:
    kept = stacks.get_collection_ref(SCOPES_KEY)
    if not kept:
        kept += [_ScopeState()] * 2
    if isinstance(kept[0], VariableScope):  # programs of TensorFlow 1.3 enter a scope so
        kept[1].current, kept[0] = kept[0], kept[1]
    return kept[1]


def _variable_store() -> VariableStore:
    kept = stacks.get_collection_ref(STORE_KEY)
    if not kept:
        kept.append(VariableStore())
    return kept[0]


def get_variable_scope() -> VariableScope:
    """Returns the current variable scope; outside of all, one without a name.

    Example:
      >>> with tf.variable_scope("net"):
      ...     tf.get_variable_scope().name
      'net'
    """
    return _scope_state().current


set_scope_default(lambda: get_variable_scope().use_resource)


def get_variable(
    name: str,
    shape: ShapeLike = None,
    dtype: DTypeLike = None,
    initializer: Any = None,
    regularizer: Callable[[Variable], Tensor | None] | None = None,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Callable[[Tensor], Tensor] | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Variable:
    """Gets the variable of that name in the current variable scope, or makes it.

    What is None here is taken from the scope.

    Args:
      name: the name inside the scope.
      shape: the shape of a new variable; left out when `initializer` is a value.
      dtype: the element type, float32 by default.
      initializer: an initializer, or a value. By default `glorot_uniform_initializer` for floats,
        zeros for other types.
      regularizer: a function from the variable to a loss, which goes to
        `GraphKeys.REGULARIZATION_LOSSES`.
      custom_getter: called as `custom_getter(getter, name, shape=..., ...)` instead of `getter`.
      trainable, collections, caching_device, validate_shape, use_resource, constraint,
        synchronization, aggregation: see `Variable`.
      partitioner: a function of `shape` and `dtype` that says into how many parts each axis is
        cut; the variable is then a `PartitionedVariable`.

    Returns: the variable.
    Raises:
      ValueError: when it exists and the scope does not reuse; when it does not exist and the scope
        only reuses; when shape or type differ from those of the existing one.
    Example:
      >>> with tf.variable_scope("layer"):
      ...     print(tf.get_variable("W", [2, 3]).name)
      layer/W:0
    """
    return get_variable_scope().get_variable(_variable_store(), **locals())


def _chain_getters(inner: Any, outer: Any) -> Any:
    """Returns a getter that calls `inner`, whose getter in turn is `outer`."""
    if outer is None:
        return inner

    def chained(getter: Any, *args: Any, **kwargs: Any) -> Any:
        return inner(functools.partial(outer, getter), *args, **kwargs)

    return chained


class variable_scope:
    """A context that gives `get_variable` a prefix for names, and defaults.

    It also opens a name scope, so that operations made inside are grouped alike.

    Args:
      name_or_scope: a name, which prolongs the current scope; or a `VariableScope`, which is
        entered again wherever the program is; or None.
      default_name: the name when `name_or_scope` is None; made unique.
      values: tensors that must belong to one graph, as for `tf.name_scope`.
      reuse: True: variables must exist; None: as outside; `tf.AUTO_REUSE`: they are made when
        missing. Reuse holds in all scopes inside; False does not undo it.
      auxiliary_name_scope: False: no name scope is opened.
      initializer, regularizer, caching_device, partitioner, custom_getter, dtype, use_resource,
        constraint: defaults, see `get_variable`; None takes those of the outer scope.

    Raises:
      ValueError: when `reuse` has another value, or is given without a name.
      TypeError: when both names are None, or one has the wrong kind.
    Example:
      >>> with tf.variable_scope("a"), tf.variable_scope("b"):
      ...     tf.get_variable("v", [1]).name
      'a/b/v:0'
    """

    def __init__(
        self,
        name_or_scope: str | VariableScope | None,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: DTypeLike = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if not (name_or_scope is None or isinstance(name_or_scope, (str, VariableScope))):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if reuse is False:
            reuse = None
        if reuse not in (True, None, AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        if name_or_scope is None and reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                "The auxiliary_name_scope must be `True` or `False`, while get "
                f"{auxiliary_name_scope}"
            )
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._values = values
        self._reuse = reuse
        self._custom_getter = custom_getter
        self._constraint = constraint
        self._defaults = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "dtype": dtype,
            "use_resource": use_resource,
        }
        self._auxiliary_name_scope = auxiliary_name_scope
        self._open: list[tuple] = []

    def __enter__(self) -> VariableScope:
        with contextlib.ExitStack() as cleanup:
            name_scope = self._enter_name_scope(cleanup)
            state = _scope_state()
            outer = state.current
            scope = self._make_scope(state, name_scope)
            # A jump to another scope leaves the counts as they were; a prolonged scope only forgets
            # its own subscopes.
            jumped = isinstance(self._name_or_scope, VariableScope)
            state.counts[scope.name] = state.counts.get(scope.name, 0) + 1
            counts = dict(state.counts) if jumped else None
            state.current = scope
            self._open.append((state, scope, outer, counts, cleanup.pop_all()))
            return scope

    def __exit__(self, *exc_info: Any) -> None:
        state, scope, outer, counts, cleanup = self._open[-1]
        if state.current is not scope:
            raise RuntimeError("Improper nesting of variable_scope.")
        self._open.pop()
        with cleanup:
            if counts is not None:
                state.counts = counts
            else:
                for name in state.counts:
                    if name.startswith(scope.name + "/"):
                        state.counts[name] = 0
            state.current = outer

    def _enter_name_scope(self, cleanup: contextlib.ExitStack) -> str:
        """Opens the name scope that goes with the variable scope, and returns its full name."""
        named = self._name_or_scope
        if not self._auxiliary_name_scope:
            current = stacks.get_default_graph().get_name_scope()
            return f"{current}/" if current else ""
        name: str | None
        if named is None:
            name = self._default_name
        elif isinstance(named, VariableScope):
            name = named.name.rpartition("/")[2]
        else:
            name = named
        if not name:
            return ""
        return cleanup.enter_context(stacks.name_scope(name, values=self._values))

    def _make_scope(self, state: _ScopeState, name_scope: str) -> VariableScope:
        named, outer = self._name_or_scope, state.current
        if isinstance(named, VariableScope):
            scope = copy.copy(named)
            scope.reuse = self._reuse or named.reuse
            base = named
        else:
            name = state.unique_name(self._default_name or "") if named is None else named
            scope = copy.copy(outer)
            scope.name = f"{outer.name}/{name}" if outer.name else name
            scope.original_name_scope = name_scope
            scope.reuse = self._reuse or outer.reuse
            base = outer
        scope.constraint = self._constraint
        for option, value in self._defaults.items():
            if value is not None:
                setattr(scope, option, value)
        if self._custom_getter is not None:
            scope.custom_getter = _chain_getters(self._custom_getter, base.custom_getter)
        return scope

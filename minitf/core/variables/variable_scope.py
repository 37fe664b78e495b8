"""`tf.get_variable` and `tf.variable_scope`: variables shared by name.

    with tf.variable_scope("layer"):                    # a name, and defaults for what is inside
        W = tf.get_variable("W", [2, 3])                # makes layer/W
    with tf.variable_scope("layer", reuse=True):
        assert tf.get_variable("W") is W                # finds layer/W

Each graph keeps one `VariableStore` (name -> variable) and one current `VariableScope` a thread. A
variable's name depends on the variable scopes alone; name scopes only group operations.

get_variable(name) --+-- known, and reuse allowed: shape and type fit --> the variable found
                     +-- new, and new allowed: initializer and shape  --> Variable(...)
                     +-- with a partitioner: the same for each of its parts
"""

from __future__ import annotations

import contextlib
import copy
import enum
import functools
import inspect
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Tensor
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.tensor import DTypeLike, ShapeLike
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.variables import initializers
from minitf.core.variables.partitioned import (
    PartitionedVariable,
    PartitionInfo,
    check_partitions,
    places,
)
from minitf.core.variables.variables import (
    SaveSliceInfo,
    Variable,
    VariableAggregation,
    VariableSynchronization,
)

#: the collections in which a graph keeps its scopes and its store
SCOPES_KEY, STORE_KEY = ("__varscope",), ("__variable_store",)


class _ReuseMode(enum.Enum):
    """Reuse a variable if it exists, make it otherwise."""

    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


def _parameters(function: Callable) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def _takes(function: Callable, name: str) -> bool:
    """Whether `function` accepts the keyword `name`."""
    return any(p.name == name or p.kind is p.VAR_KEYWORD for p in _parameters(function))


def _needs_no_arguments(function: Callable) -> bool:
    return all(
        p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        for p in _parameters(function)
    )


class VariableStore:
    """The variables of one graph that `get_variable` made, by full name."""

    def __init__(self) -> None:
        self._vars: dict[str, Variable] = {}
        self._partitioned: dict[str, PartitionedVariable] = {}

    def get(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        *,
        partitioner: Any = None,
        **options: Any,
    ) -> Any:
        """The getter that custom getters call; it finds or makes a variable.

        Args:
          name, shape, dtype, initializer, regularizer, reuse, trainable, partitioner, options: see
            `get_variable`.
        """
        options |= {"regularizer": regularizer, "reuse": reuse, "trainable": trainable}
        scalar = isinstance(shape, Sequence) and not shape
        known = reuse is True and name in self._partitioned
        if (partitioner is not None and not scalar) or known:
            return self._get_partitioned(name, shape, dtype, initializer, partitioner, options)
        if f"{name}/part_0" in self._vars:
            raise ValueError(
                "No partitioner was provided, but a partitioned version of the variable was found: "
                f"{name}/part_0. Perhaps a variable of the same name was already created with "
                "partitioning?"
            )
        return self._get_single(name, shape, dtype, initializer, **options)

    def _get_partitioned(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        initializer: Any,
        partitioner: Any,
        others: dict[str, Any],
    ) -> PartitionedVariable:
        """Finds or makes the variable called `name` in parts."""
        if stacks.executing_eagerly():
            raise NotImplementedError(
                "Partitioned variables are not yet supported when eager execution is enabled."
            )
        if partitioner is not None and not callable(partitioner):
            raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
        from_value = initializer is not None and not callable(initializer)
        whole = as_shape(shape)
        if from_value:
            initializer = convert_to_tensor(initializer, dtype=None)
            whole = whole.merge_with(initializer.shape)
        dtype = dtypes.as_dtype(dtype).base_dtype
        reuse = others["reuse"]
        partitions = None
        if partitioner is not None and whole.ndims:
            if not whole.is_fully_defined():
                raise ValueError(
                    f"Shape of a new partitioned variable ({name}) must be fully defined, but "
                    f"instead was {whole}."
                )
            partitions = check_partitions(whole, partitioner(shape=whole, dtype=dtype))
        if name in self._partitioned:
            return self._existing_parts(name, whole, dtype, partitions, reuse)
        if reuse is True:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with "
                "tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in "
                "VarScope?"
            )
        if not whole.ndims or partitions is None:
            raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {whole}")
        if name in self._vars:
            raise ValueError(
                "A partitioner was provided, but an unpartitioned version of the variable was "
                f"found: {name}.  Perhaps a variable of the same name was already created without "
                "partitioning?"
            )
        if initializer is None:
            initializer = _default_initializer(name, dtype)
        sizes: Any = whole.as_list()
        parts = []
        for i, (offset, size) in enumerate(places(sizes, partitions)):
            part_name = f"{name}/part_{i}"
            if from_value:
                with stacks.name_scope(f"{part_name}/PartitionedInitializer"):
                    value = slice_of(initializer, offset, size)
                with stacks.name_scope(None):
                    part = self._get_single(part_name, None, dtype, value, **others)
            else:
                bound = _for_part(initializer, PartitionInfo(sizes, offset))
                part = self._get_single(part_name, size, dtype, bound, **others)
            part._set_save_slice_info(SaveSliceInfo(name, sizes, offset, size))
            parts.append(part)
        made = PartitionedVariable(name, whole, dtype, parts, partitions)
        self._partitioned[name] = made
        return made

    def _existing_parts(
        self, name: str, shape: TensorShape, dtype: dtypes.DType, partitions: Any, reuse: Any
    ) -> PartitionedVariable:
        found = self._partitioned[name]
        if not reuse:
            raise ValueError(
                f"Partitioned variable with name {name} already exists. Did you mean to set "
                "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
            )
        sharing = f"Trying to reuse partitioned variable {name}, but specified"
        _check_alike(found, sharing, shape, dtype)
        if partitions is not None and partitions != found._partitions:
            raise ValueError(
                f"{sharing} partitions {partitions} and found partitions {found._partitions}."
            )
        return found

    def _get_single(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        initializer: Any,
        regularizer: Any = None,
        reuse: Any = None,
        **options: Any,
    ) -> Variable:
        """Finds or makes the variable called `name`; `options` are those of `Variable`."""
        from_value = initializer is not None and not callable(initializer)
        if shape is not None and from_value:
            raise ValueError("If initializer is a constant, do not specify shape.")
        dtype = dtypes.as_dtype(dtype).base_dtype
        shape = None if shape is None else as_shape(shape)
        eager = stacks.outermost().runs_at_once  # such variables live as long as Python needs them
        if name in self._vars:
            return self._existing(name, shape, dtype, eager or reuse)
        if reuse is True and not eager:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). "
                "Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        if initializer is None:
            if shape is None:
                raise ValueError(
                    f"Variable {name} did not get an initializer, so its `shape` argument must be "
                    "specified."
                )
            initializer = _default_initializer(name, dtype)
        variable = Variable(
            initial_value=initializer if from_value else _bind(initializer, shape, dtype),
            name=name,
            dtype=None if from_value or shape is None else dtype,
            **options,
        )
        if not eager:
            self._vars[name] = variable
        if regularizer:
            with (
                stacks.init_scope(),
                stacks.colocate_with(variable.op),
                stacks.name_scope(name + "/Regularizer/"),
            ):
                loss = regularizer(variable)
            if loss is not None:
                stacks.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
        return variable

    def _existing(
        self, name: str, shape: TensorShape | None, dtype: dtypes.DType, reuse: Any
    ) -> Variable:
        found = self._vars[name]
        if not reuse:
            frames = found.op.traceback[::-1][:5]
            lines = "".join(traceback.StackSummary.from_list(frames).format())
            raise ValueError(
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
                f"reuse=tf.AUTO_REUSE in VarScope? Originally defined at:\n\n{lines}"
            )
        _check_alike(found, f"Trying to share variable {name}, but specified", shape, dtype)
        return found


def _check_alike(found: Any, sharing: str, shape: TensorShape | None, dtype: dtypes.DType) -> None:
    """Raises if an existing variable has another shape or type."""
    if shape is not None and not shape.is_compatible_with(found.shape):
        raise ValueError(f"{sharing} shape {shape} and found shape {found.shape}.")
    if not dtype.is_compatible_with(found.dtype):
        raise ValueError(f"{sharing} dtype {dtype.name} and found dtype {found.dtype.name}.")


def _default_initializer(name: str, dtype: dtypes.DType) -> initializers.Initializer:
    if dtype.is_floating:
        return initializers.glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype == dtypes.string:
        return initializers.zeros_initializer()
    raise ValueError(f"An initializer for variable {name} of {dtype} is required")


def _for_part(initializer: Any, info: PartitionInfo | None) -> Any:
    """Binds `partition_info` to an initializer that takes it."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if _takes(initializer, "partition_info"):
        return functools.partial(initializer, partition_info=info)
    return initializer


def _bind(initializer: Any, shape: TensorShape | None, dtype: dtypes.DType) -> Callable[[], Any]:
    """Returns a function without arguments that makes the initial value."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if shape is not None and shape.is_fully_defined():
        if not isinstance(initializer, functools.partial):  # one of `_for_part` knows its part
            initializer = _for_part(initializer, None)
        return functools.partial(initializer, shape.as_list(), dtype=dtype)
    if _needs_no_arguments(initializer):
        return initializer
    raise ValueError(
        "The initializer passed is not valid. It should be a callable with no arguments and the "
        "shape should not be provided or an instance of `tf.keras.initializers.*' and `shape` "
        "should be fully defined."
    )


# ---- scopes ------------------------------------------------------------------------------


@dataclass(eq=False, repr=False)
class VariableScope:
    """A name, and defaults for the variables inside.

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
        """Makes `get_variable` reuse variables from now on."""
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
        """Returns the items of the collection `name` in this scope."""
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
        **options: Any,
    ) -> Any:
        """Gets a variable of this scope from `var_store`; see `tf.get_variable`."""
        if dtype is not None and initializer is not None and not callable(initializer):
            found = convert_to_tensor(initializer).dtype.base_dtype
            if found != dtype:
                raise ValueError(
                    f"Initializer type '{found}' and explicit dtype '{dtype}' don't match."
                )
        asked = {"dtype": dtype, "initializer": initializer, **options}
        for option in _DEFAULTS:
            if asked.get(option) is None:
                asked[option] = getattr(self, option)
        if asked.get("trainable") is None:
            asked["trainable"] = asked.get("synchronization") is not VariableSynchronization.ON_READ
        custom_getter, constraint = asked.pop("custom_getter"), asked.pop("constraint")
        arguments = {  # as the getter takes them, and a custom getter hands them on
            **asked,
            "name": f"{self.name}/{name}" if self.name else name,
            "shape": shape,
            "dtype": getattr(asked["dtype"], "base_dtype", asked["dtype"]),
            "reuse": asked["reuse"] or False,
        }
        with stacks.name_scope(None):
            if custom_getter is None:
                return var_store.get(**arguments, constraint=constraint)
            if not callable(custom_getter):
                raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
            if _takes(custom_getter, "constraint"):
                arguments["constraint"] = constraint
            return custom_getter(var_store.get, **arguments)


#: what a scope tells of the variables that are got inside, where the program does not
_DEFAULTS = (
    *("initializer", "regularizer", "reuse", "caching_device", "partitioner", "dtype"),
    *("use_resource", "custom_getter", "constraint"),
)


class _ScopeState(threading.local):
    """The current scope of a thread in a graph, and how often each name was opened."""

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
    """Returns the current variable scope; the outermost has no name.

    Example:
      >>> with tf.variable_scope("net"):
      ...     tf.get_variable_scope().name
      'net'
    """
    return _scope_state().current


Variable.use_resource_defaults.insert(0, lambda: get_variable_scope().use_resource)


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

    The scope gives the defaults of arguments that are None.

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
    """A context that sets the prefix of names and the defaults of `get_variable`.

    It also opens a name scope.

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
        given = locals()
        self._given = {option: given[option] for option in _DEFAULTS}
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._values = values
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
        base = named if isinstance(named, VariableScope) else outer
        scope = copy.copy(base)
        if not isinstance(named, VariableScope):
            name = state.unique_name(self._default_name or "") if named is None else named
            scope.name = f"{outer.name}/{name}" if outer.name else name
            scope.original_name_scope = name_scope
        for option, value in self._given.items():
            if value is not None or option == "constraint":  # which scopes do not hand on
                setattr(scope, option, value)
        if self._given["custom_getter"] is not None:
            scope.custom_getter = _chain_getters(scope.custom_getter, base.custom_getter)
        return scope

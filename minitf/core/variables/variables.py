"""`tf.Variable`: a tensor that keeps its value from one `Session.run` to the next.

A variable is four nodes with a common name. Its value belongs to the device (or the parameter
server) of `W`; the graph only names it.

    W/initial_value --> W/Assign (the initializer)
                           |
                           v
                           W  (VariableV2, a reference) --> W/read --> whatever computes with W
                           ^
                           +--- assign, assign_add, scatter_*, the update ops of optimizers
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Graph, Operation, Tensor
from minitf.core.graph.shapes import TensorShape, as_shape, unknown_shape
from minitf.core.graph.stacks import DefaultStack, GraphKeys
from minitf.core.graph.tensor import DTypeLike, ShapeLike, TensorLike
from minitf.core.ops import operators
from minitf.core.ops import state as state_ops
from minitf.core.ops.array import identity
from minitf.core.variables.variable_def import (
    SaveSliceInfo,
    VariableAggregation,
    VariableDef,
    VariableSynchronization,
)

VARIABLE_OP_TYPES = ("Variable", "VariableV2")


# ---- creators ----------------------------------------------------------------------------
#
# `tf.variable_creator_scope`: functions that make the variables of a program.
#
# def on_the_cpu(next_creator, **kwargs):
#     with tf.device("/cpu:0"):
#         return next_creator(**kwargs)
#
# with tf.variable_creator_scope(on_the_cpu):
#     tf.Variable(1.0)  ──>  on_the_cpu(make, initial_value=1.0, ...)  ──>  make(...)
#
# Watchers are only told of new variables, for a function that is traced.

_creators = DefaultStack()


class CreatedByScopes(type):
    """The metaclass of `Variable`, whose call goes through the open creators."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Makes a variable; the innermost creator comes first."""
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
    """Tells the watchers of a new variable."""
    for watcher in reversed(_watchers.items):
        watcher(variable)


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """A context in which a function makes the variables.

    Args:
      variable_creator: called as `variable_creator(next_creator, **kwargs)`; the keywords are the
        arguments of `tf.Variable`.
    """
    with _creators.entered(variable_creator):
        yield


# ---- variables -----------------------------------------------------------------------------


def _row_update(update: Callable[..., Tensor], does: str) -> Callable[..., Tensor]:
    """A method of variables that changes some rows; `does` is its docstring."""

    def method(
        self: Any, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Tensor:
        return self._scatter(update, sparse_delta, use_locking, name)

    method.__name__, method.__qualname__ = update.__name__, f"Variable.{update.__name__}"
    method.__doc__ = f"Adds an operation that {does} `sparse_delta` (an `IndexedSlices`)."
    return method


class Variable(metaclass=CreatedByScopes):
    """A tensor that keeps its value between steps, shared by all sessions of one target.

    It must be initialized before it is read: run `v.initializer`, or
    `tf.global_variables_initializer()` for all variables. It converts to a tensor, its value.

    Args:
      initial_value: a tensor or what converts to one; or a callable without arguments that returns
        one, whose operations then go under `<name>/Initializer/`.
      trainable: also list it in `GraphKeys.TRAINABLE_VARIABLES`, where optimizers look. By default
        True, except with `synchronization=ON_READ`.
      collections: the collections to list it in; `[GraphKeys.GLOBAL_VARIABLES]` by default.
      validate_shape: whether the shape of the initial value must be known and is kept. False allows
        values of any shape.
      caching_device: a device that reads keep a copy on; by default the variable's own.
      name: "Variable" by default; made unique.
      variable_def: makes the object for nodes that exist; all other arguments but `import_scope`
        are then left out.
      dtype: the element type to convert the initial value to.
      expected_shape: ignored; the first releases used it.
      import_scope: a prefix for the names in `variable_def`.
      constraint: a function from the value to the value projected to what is allowed; optimizers
        apply it after each update.
      use_resource: make a `ResourceVariable`, which is read where it is used; by default False.
      synchronization: see `VariableSynchronization`.
      aggregation: see `VariableAggregation`.
      shape: the static shape, when it is to be less specific than the initial value's.

    Attributes:
      trainable: whether optimizers change it by default.
      constraint: the projection applied after each update, or None.
      synchronization, aggregation: as given.

    Raises:
      ValueError: when there is no initial value, its shape is unknown although `validate_shape`, or
        an argument has the wrong kind.
    Example:
      >>> W = tf.Variable([1.0, 2.0], name="W")
      >>> W
      <tf.Variable 'W:0' shape=(2,) dtype=float32_ref>
    """

    asks_creators = True  # of `tf.variable_creator_scope`

    __array_priority__ = 100  # NumPy leaves `array + variable` to the variable

    #: whether each use reads it anew, as that of a `ResourceVariable` does
    is_resource = False
    #: who is asked for `use_resource` where it is not said; the first that knows, answers
    use_resource_defaults: list[Callable[[], bool | None]] = []
    #: whether it is a variable as an update gives it back, and no other one
    is_updated = False
    #: the other kinds, each with the test whether `tf.Variable(...)` means it; the last one first
    _kinds: list[tuple[Callable[[dict[str, Any]], bool], type[Variable]]] = []

    @classmethod
    def kind(cls, is_meant: Callable[[dict[str, Any]], bool]) -> Callable[[type], type]:
        """Registers a class that `tf.Variable(...)` makes when `is_meant(kwargs)` is true."""

        def register(kind: type) -> type:
            cls._kinds.insert(0, (is_meant, kind))
            return kind

        return register

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Makes a variable of a graph, or another kind where that is meant."""
        if cls is Variable or any(cls is kind for _, kind in cls._kinds):
            cls = next((kind for is_meant, kind in cls._kinds if is_meant(kwargs)), cls)
        return object.__new__(cls)

    def __init__(
        self,
        initial_value: TensorLike = None,
        trainable: bool | None = None,
        collections: Sequence[str] | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: VariableDef | None = None,
        dtype: DTypeLike = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Tensor], Tensor] | None = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: ShapeLike = None,
    ) -> None:
        self.constraint, self.synchronization = constraint, synchronization
        self.aggregation = aggregation
        self._caching_device = caching_device
        self._save_slice_info: Any = None
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError("variable_def and initial_value are mutually exclusive.")
            self._find_nodes(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        if collections is None:
            collections = [GraphKeys.GLOBAL_VARIABLES]
        if not isinstance(collections, (list, tuple, set)):
            raise ValueError(
                "collections argument to Variable constructor must be a list, tuple, or set. "
                f"Got {collections} of type {type(collections)}"
            )
        if constraint is not None and not callable(constraint):
            raise ValueError("The `constraint` argument must be a callable.")
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        self.trainable = trainable
        if trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections = [*collections, GraphKeys.TRAINABLE_VARIABLES]
        variable_made(self)
        # A variable is initialized on its own, not as a part of what happens to be built around it.
        with stacks.init_scope():
            self._make_nodes(initial_value, name, dtype, validate_shape, shape)
            self._collect(list(collections))

    def _collect(self, collections: list[str]) -> None:
        stacks.add_to_collections(collections, self)

    def _make_nodes(
        self, initial_value: Any, name: str | None, dtype: Any, validate_shape: bool, shape: Any
    ) -> None:
        from_callable = callable(initial_value)
        values = [] if from_callable else [initial_value]
        with stacks.name_scope(name, "Variable", values) as scope:
            if from_callable:
                # The variable does not exist yet, but the value is to be computed where it will be.
                with (
                    stacks.colocate_with(scope.rstrip("/")),
                    stacks.name_scope("Initializer"),
                    stacks.device(None),
                ):
                    initial_value = initial_value()
                    self._initial_value = convert_to_tensor(initial_value, dtype, "initial_value")
            else:
                self._initial_value = convert_to_tensor(initial_value, dtype, "initial_value")
                if self._initial_value.graph.captures_from_outside:
                    raise ValueError(
                        f"Initializer for variable {scope} is from inside a control-flow "
                        "construct, such as a loop or conditional. When creating a variable "
                        "inside a loop or conditional, use a lambda as the initializer."
                    )
            if shape is None:
                shape = self._initial_value.shape if validate_shape else unknown_shape()
            self._variable = state_ops.variable_v2(
                shape=as_shape(shape), dtype=self._initial_value.dtype.base_dtype, name=scope
            )
            if validate_shape and not self._initial_value.shape.is_fully_defined():
                raise ValueError(
                    f"initial_value must have a shape specified: {self._initial_value}"
                )
            self._initializer_op = state_ops.assign(
                self._variable,
                _initialized_dependencies(self._initial_value, scope, {}),
                validate_shape=validate_shape,
            ).op
            cached = self._caching_device is not None
            own = stacks.colocate_with(self._variable.op)
            with stacks.device(self._caching_device) if cached else own:
                self._snapshot = self._first_read()

    def _first_read(self) -> Tensor:
        return identity(self._variable, name="read")

    def _find_nodes(self, definition: VariableDef, import_scope: str | None) -> None:
        graph = stacks.get_default_graph()

        def element(name: str) -> Any:
            return graph.as_graph_element(f"{import_scope}/{name}" if import_scope else name)

        self._variable = element(definition.variable_name)
        self._initial_value = element(definition.initial_value_name)
        self._initializer_op = element(definition.initializer_name)
        self._snapshot = element(definition.snapshot_name)
        self.trainable = definition.trainable
        info = definition.save_slice_info_def
        if info is not None:
            name = f"{import_scope}/{info.full_name}" if import_scope else info.full_name
            self._save_slice_info = SaveSliceInfo(
                name, info.full_shape, info.var_offset, info.var_shape
            )

    def _set_save_slice_info(self, save_slice_info: SaveSliceInfo | None) -> None:
        self._save_slice_info = save_slice_info

    def to_proto(self, export_scope: str | None = None) -> VariableDef | None:
        """Returns the names of the nodes; None when the variable is not under `export_scope`.

        Raises:
          TypeError: when `trainable` is a name, as `tf.Variable(value, "name")` makes it.
        """
        if isinstance(self.trainable, str):
            raise TypeError(f"Variable {self.name} has trainable={self.trainable!r}, no bool.")
        prefix = f"{export_scope.rstrip('/')}/" if export_scope else ""
        if not self.name.startswith(prefix):
            return None
        nodes = (self._variable, self._initial_value, self._initializer_op, self._snapshot)
        variable, value, initializer, read = (node.name.removeprefix(prefix) for node in nodes)
        part = self._save_slice_info
        info = part.to_proto(export_scope) if part is not None else None
        return VariableDef(
            variable,
            value,
            initializer,
            read,
            self.trainable,
            is_resource=self.is_resource,
            save_slice_info_def=info,
        )

    @staticmethod
    def from_proto(variable_def: VariableDef, import_scope: str | None = None) -> Variable:
        """Makes the object for nodes that stand in the default graph already."""
        return Variable(variable_def=variable_def, import_scope=import_scope)

    # ---- properties ------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the reference tensor, as 'W:0'."""
        return self._variable.name

    @property
    def dtype(self) -> dtypes.DType:
        """The element type, a reference type such as `float32_ref`."""
        return self._variable.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._variable.shape

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Adds knowledge about the shape, of the variable and of what is read from it."""
        self._variable.set_shape(shape)
        self._snapshot.set_shape(shape)

    @property
    def op(self) -> Operation:
        """The operation that holds the value."""
        return self._variable.op

    @property
    def graph(self) -> Graph:
        """The graph it belongs to."""
        return self._variable.graph

    @property
    def device(self) -> str:
        """The device it was asked to live on; '' when open."""
        return self._variable.device

    @property
    def initializer(self) -> Operation:
        """The operation that assigns the initial value."""
        return self._initializer_op

    @property
    def initial_value(self) -> Tensor:
        """The tensor that the initializer assigns."""
        return self._initial_value

    @property
    def _shared_name(self) -> str:
        return self.name[: self.name.index(":")]

    # ---- reading ---------------------------------------------------------------------------

    def value(self) -> Tensor:
        """The tensor `W/read`, which readers share."""
        return self._snapshot

    def read_value(self) -> Tensor:
        """Adds a read, which waits for the open control dependencies."""
        read = state_ops.read_variable if self.is_resource else identity
        return read(self._variable, name="read")

    def initialized_value(self) -> Tensor:
        """The value, or the initial value while there is none; for initializers."""
        with stacks.init_scope(), stacks.name_scope(None, "cond"):  # a branch by itself
            return state_ops.initialized_value(self._variable, self._initial_value, name="Merge")

    def eval(self, session: Any = None) -> Any:
        """Returns the value in `session`, or in the default session."""
        return self._variable.eval(session=session)

    def _ref(self) -> Tensor:
        return self._variable

    def _shared_read(self) -> Tensor | None:
        """The shared read, or None."""
        return self._snapshot

    def _home(self) -> Any:
        """The graph it belongs to, also inside of a function."""
        return self.graph

    def _key(self) -> Any:
        """A key that is the same for all Python objects of this variable."""
        return self.op.graph, self.op.name

    def _as_graph_element(self) -> Tensor:
        return self._variable

    def _as_tensor(self) -> Tensor:
        for tape in stacks.tapes.items:
            tape.variable_accessed(self)
        return self._snapshot

    def _as_ref_tensor(self) -> Tensor:
        return self._variable

    # ---- writing ---------------------------------------------------------------------------

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds an operation that replaces the value.

        Args:
          value: what converts to a tensor of the variable's type and shape.
          use_locking: accepted; an update always holds the variable's lock.
          name: the operation's name.
          read_value: return what holds the new value, of a reference variable a tensor, of a
            `ResourceVariable` one that waits for the update; otherwise the operation.
        """
        return self._write(state_ops.assign, value, use_locking, name, read_value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds an operation that adds `delta` to the value; the arguments are those of `assign`."""
        return self._write(state_ops.assign_add, delta, use_locking, name, read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds an operation that subtracts `delta`; the arguments are those of `assign`."""
        return self._write(state_ops.assign_sub, delta, use_locking, name, read_value)

    def _write(
        self,
        update: Callable[..., Tensor],
        value: Any,
        use_locking: bool,
        name: str | None,
        read_value: bool,
    ) -> Any:
        """Adds an assignment; subclasses override it."""
        changed = update(self._variable, value, use_locking=use_locking, name=name)
        return self._changed(changed, read_value)

    def _changed(self, update: Tensor, read_value: bool) -> Any:
        """The result of an update: the new value, or the operation."""
        return update if read_value else update.op

    scatter_add = _row_update(state_ops.scatter_add, "adds the rows of")
    scatter_sub = _row_update(state_ops.scatter_sub, "subtracts the rows of")
    scatter_mul = _row_update(state_ops.scatter_mul, "multiplies rows by those of")
    scatter_div = _row_update(state_ops.scatter_div, "divides rows by those of")
    scatter_min = _row_update(state_ops.scatter_min, "takes the smaller of rows and those of")
    scatter_max = _row_update(state_ops.scatter_max, "takes the larger of rows and those of")
    scatter_update = _row_update(state_ops.scatter_update, "replaces rows by those of")

    def _scatter(
        self, update: Callable[..., Tensor], sparse_delta: Any, use_locking: bool, name: str | None
    ) -> Tensor:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        indices, rows = sparse_delta.indices, sparse_delta.values
        changed = update(self._variable, indices, rows, use_locking=use_locking, name=name)
        return self._changed(changed, True)

    def count_up_to(self, limit: int) -> Tensor:
        """Adds an operation that gives the value and then adds 1 to it, up to `limit`.

        Once the value has reached `limit`, running it raises `OutOfRangeError`.
        """
        return state_ops.count_up_to(self._variable, limit=limit)

    def load(self, value: Any, session: Any = None) -> None:
        """Sets the value in `session` or the default session; adds nothing to the graph.

        Raises:
          ValueError: when there is no session.
        """
        session = session or stacks.get_default_session()
        if session is None:
            raise ValueError(
                "Either session argument should be provided or default session should be "
                "established"
            )
        session.run(self._initializer_op, {self._initializer_op.inputs[1]: value})

    # ---- Python ----------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        """A part of the value; `v[1:].assign(x)` replaces it in the variable."""
        return state_ops.part_of(self, index)

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __iter__(self) -> Any:
        raise TypeError("'Variable' object is not iterable.")


Variable.SaveSliceInfo = SaveSliceInfo  # type: ignore[attr-defined]


operators.give_operators(Variable)


def _is_meant(options: dict[str, Any]) -> bool:
    definition, asked = options.get("variable_def"), options.get("use_resource")
    if definition is not None:
        return definition.is_resource
    answers = (asked, *(default() for default in Variable.use_resource_defaults))
    return next((answer for answer in answers if answer is not None), False)


@Variable.kind(_is_meant)
class ResourceVariable(Variable):
    """A variable that each use reads anew. The arguments are those of `Variable`.

    The uses of a reference variable share one read, so that the product below may be 2.0. Under
    eager execution all variables are of this kind.

    Example:
      >>> W = tf.Variable(1.0, use_resource=True)
      >>> with tf.control_dependencies([W.assign_add(1.0)]):
      ...     y = W * 2.0                     # reads here, after the update
    """

    is_resource = True

    @property
    def dtype(self) -> dtypes.DType:
        """The element type; no reference type."""
        return self._variable.dtype.base_dtype

    @property
    def handle(self) -> Any:
        """The reference to the value."""
        return self._variable

    def value(self) -> Tensor:
        """Adds a read, which waits for the open control dependencies.

        A variable with a caching device has one shared read.
        """
        if self._caching_device is not None:
            return self._snapshot
        with stacks.colocate_with(self._variable.op, ignore_existing=True):
            name = f"{self._shared_name}/ReadVariableOp"
            return state_ops.read_variable(self._variable, name=name)

    def _first_read(self) -> Tensor:
        return state_ops.read_variable(self._variable, name="Read/ReadVariableOp")

    def _as_graph_element(self) -> Tensor:
        return self._snapshot

    def _as_tensor(self) -> Tensor:
        for tape in stacks.tapes.items:
            tape.variable_accessed(self)
        return self.value()

    def _shared_read(self) -> Tensor | None:
        return None

    def _changed(self, update: Tensor, read_value: bool) -> Any:
        return _UnreadVariable(self, update.op) if read_value else update.op

    def is_initialized(self, name: str | None = None) -> Any:
        """Whether it has a value."""
        return state_ops.is_variable_initialized(self._variable, name=name)

    def numpy(self) -> Any:
        """Belongs to eager execution."""
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")


class _UnreadVariable(ResourceVariable):
    """The result of an update: the variable; reads and changes wait for the update.

    Args:
      variable: what was updated.
      update: the operation that did it.
    """

    asks_creators, is_updated = False, True  # it is not new

    def __init__(self, variable: ResourceVariable, update: Operation) -> None:
        self.__dict__.update(variable.__dict__)
        self._caching_device = self._distributed_container = None
        self._update = update
        self._updated_key = variable._key()
        self._snapshot = self.value()

    @property
    def op(self) -> Operation:
        """The update."""
        return self._update

    @property
    def name(self) -> str:
        """The update's name."""
        return self._update.name

    @property
    def _shared_name(self) -> str:
        return self._variable.op.name

    def _key(self) -> Any:
        return self._updated_key

    def eval(self, session: Any = None) -> Any:
        """Updates the variable and returns its value, in `session` or in the default session."""
        return self._snapshot.eval(session=session)


def _waits(method: Any) -> Any:
    """Decorates a method so that its operations wait for the update."""

    @functools.wraps(method)
    def after(self: _UnreadVariable, *args: Any, **kwargs: Any) -> Any:
        with stacks.control_dependencies([self._update]):
            return method(self, *args, **kwargs)

    return after


for _name in ("value", "read_value", "_write", "_scatter"):
    setattr(_UnreadVariable, _name, _waits(getattr(ResourceVariable, _name)))


def _initialized_dependencies(value: Tensor, scope: str, done: dict[Tensor, Tensor]) -> Tensor:
    """Returns `value` with each variable that it reads replaced by its initialized value.

    All initializers run in one step, in any order, so an initial value that reads another variable
    must not need its assignment. Operations on the way are copied as `<operation>_<variable>`; a
    value that reads no variable is returned.
    """
    if value in done:
        return done[value]
    op = value.op
    if op.type in ("IsVariableInitialized", "InitializedValue"):
        result = value
    elif op.type in VARIABLE_OP_TYPES:
        result = value
        for variable in (
            *stacks.get_collection(GraphKeys.GLOBAL_VARIABLES),
            *stacks.get_collection(GraphKeys.LOCAL_VARIABLES),
        ):
            if isinstance(variable, Variable) and variable.op is op:
                result = variable.initialized_value()
                break
    else:
        inputs = [_initialized_dependencies(each, scope, done) for each in op.inputs]
        if all(new is old for new, old in zip(inputs, op.inputs, strict=True)):
            result = value
        else:
            copy = op.graph.add_operation(op.op_def, inputs, dict(op.attrs), f"{op.name}_{scope}")
            done.update(zip(op.outputs, copy.outputs, strict=True))
            result = copy.outputs[value.value_index]
    done[value] = result
    return result

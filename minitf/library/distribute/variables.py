"""Variables with a copy on each device of a strategy.

    MirroredVariable      the copies are always equal: each update is made at all of them
    SyncOnReadVariable    each replica changes its own copy; a read between the replicas adds them
    AggregatingVariable   one variable, in one place, whose updates are added before they are made

Each stands for a `Variable` everywhere: in a replica for the copy there, between replicas for the
first one. To optimizers, tapes and checkpoints all copies are one variable: they have the key of
the first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import control as control_ops
from minitf.core.ops import state as state_ops
from minitf.core.ops.array import identity
from minitf.core.ops.comparisons import logical_and
from minitf.core.ops.math import add_n
from minitf.core.variables.variable_def import VariableAggregation, VariableSynchronization
from minitf.core.variables.variables import ResourceVariable
from minitf.library.distribute.cross_device_ops import ReduceOp, scaled
from minitf.library.distribute.values import DistributedValues, PerReplica

_NO_AGGREGATION = (
    "You must specify an aggregation method to update a {kind} in Replica Context. You can do so "
    "by passing an explicit value for argument `aggregation` to tf.Variable(..).e.g. "
    "`tf.Variable(..., aggregation=tf.VariableAggregation.SUM)``tf.VariableAggregation` lists the "
    "possible aggregation methods. {kind} is kept in sync: what the replicas assign to it must be "
    "brought together first. It can also be changed between the replicas, by a function that "
    "`tf.distribute.get_replica_context().merge_call(merge_fn, ..)` calls."
)


def _of_the_copy(name: str, doc: str) -> Any:
    """A property that is that of the copy here."""
    return property(lambda self: getattr(self._get(), name), doc=doc)


def _of_the_first(name: str, doc: str) -> Any:
    """A property that is the same for all copies, taken from the first."""
    return property(lambda self: getattr(self._values[0], name), doc=doc)


class DistributedVariable(DistributedValues, ResourceVariable):
    """Base of the variables that have copies, or stand in one place for several replicas.

    Args:
      strategy: in whose scope it was made.
      values: the copies, in the order of the devices.
      aggregation: how the updates of the replicas are combined.
    """

    asks_creators = False
    has_copies = True
    is_mirrored = False

    def __init__(
        self, strategy: Any, values: Sequence[Any], aggregation: VariableAggregation
    ) -> None:
        DistributedValues.__init__(self, values)
        self._distribute_strategy = strategy
        self.aggregation = aggregation
        first = self._values[0]
        self.trainable, self.constraint = first.trainable, first.constraint
        self.synchronization = first.synchronization
        self._caching_device = None
        self._save_slice_info = None
        self._initializing: Any = None
        for copy in self._values:
            copy._distributed_container = self
            if copy is not first:
                copy._key = first._key

    # ---- what it is ----------------------------------------------------------------------

    name = _of_the_first("name", "The name of the first copy, as 'W:0'.")
    dtype: dtypes.DType = _of_the_first("dtype", "The element type.")
    shape: TensorShape = _of_the_first("shape", "The static shape.")
    graph = _of_the_first("graph", "The graph it belongs to.")
    initial_value = _of_the_first("initial_value", "What the initializer assigns.")
    op = _of_the_copy("op", "The operation that holds the value here.")
    device = _of_the_copy("device", "The device that holds the value here.")
    handle = _of_the_copy("handle", "The reference to the value here.")
    _variable = _of_the_copy("_variable", "The reference to the value here.")
    _snapshot = _of_the_copy("_snapshot", "The value here.")
    _initial_value = _of_the_first("_initial_value", "What the initializer assigns.")

    @property
    def distribute_strategy(self) -> Any:
        """The strategy in whose scope it was made."""
        return self._distribute_strategy

    @property
    def initializer(self) -> Any:
        """The operation that gives all copies their first value; None when they have it."""
        if self._initializing is None and self._values[0].initializer is not None:
            with stacks.control_dependencies(None):
                self._initializing = control_ops.group(*(v.initializer for v in self._values))
        return self._initializing

    _initializer_op = initializer

    def set_shape(self, shape: Any) -> None:
        """Adds knowledge about the shape."""
        for copy in self._values:
            copy.set_shape(shape)

    def is_initialized(self, name: str | None = None) -> Any:
        """Whether all copies have a value."""
        result = self._values[0].is_initialized()
        for copy in self._values[1:]:
            result = logical_and(result, copy.is_initialized())
        return identity(result, name=name)

    def load(self, value: Any, session: Any = None) -> None:
        """Sets the value of all copies now; see `Variable.load`."""
        for copy in self._values:
            copy.load(value, session)

    def eval(self, session: Any = None) -> Any:
        """Returns the value in `session`, or in the default session."""
        return self._as_graph_element().eval(session=session)

    def numpy(self) -> Any:
        """The value now, under eager execution."""
        value: Any = self.read_value()
        return value.numpy()

    # ---- reading -------------------------------------------------------------------------

    def _copy_here(self) -> Any:
        """The copy that is written here; None when that is done between the replicas."""
        place = stacks.strategies.top()
        return None if place is None or place.replica_id is None else self._get()

    def _as_tensor(self) -> Tensor:
        for tape in stacks.tapes.items:
            tape.variable_accessed(self)
        return self._get()._as_tensor()

    # ---- writing -------------------------------------------------------------------------

    def _restore(self, value: Any) -> Any:
        """The operation that gives all copies the value of a checkpoint."""
        done = [copy.assign(value, read_value=False) for copy in self._values]
        return control_ops.group(*done)

    def _scatter(self, update: Any, sparse_delta: Any, use_locking: bool, name: Any) -> Any:
        def at(copy: Any, rows: Any) -> Any:
            return copy._scatter(update, rows, use_locking, name)

        if self._updated_here():
            return at(self._get(), sparse_delta)
        with self._in_scope() as strategy:
            return strategy.extended.update(self, at, args=(sparse_delta,))

    def _updated_here(self) -> bool:
        place = stacks.strategies.top()
        return place is not None and place.copy is not None

    @contextlib.contextmanager
    def _in_scope(self) -> Iterator[Any]:
        """A context in which its strategy is in scope, also outside of all."""
        with contextlib.ExitStack() as scopes:
            if stacks.strategies.top() is None:
                scopes.enter_context(self._distribute_strategy.scope())
            yield self._distribute_strategy

    def __deepcopy__(self, memo: dict) -> Any:
        raise NotImplementedError(f"A {type(self).__name__} is not copied.")


def _call_of(name: str, copy: Callable[[Any], Any]) -> None:
    """Makes a method of distributed variables that is that of one of their copies."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(copy(self), name)(*args, **kwargs)

    method.__name__, method.__doc__ = name, getattr(ResourceVariable, name).__doc__
    setattr(DistributedVariable, name, method)


for _name in (
    *("value", "read_value", "initialized_value", "__iter__"),
    *("_as_ref_tensor", "_ref", "_as_graph_element"),
):
    _call_of(_name, lambda variable: variable._get())  # the copy here
for _name in ("to_proto", "_home", "_key"):
    _call_of(_name, lambda variable: variable._values[0])


class MirroredVariable(DistributedVariable):
    """A variable whose copies are always equal: each update is made at all of them."""

    is_mirrored = True

    def _write(
        self, update: Callable, value: Any, use_locking: bool, name: str | None, read_value: bool
    ) -> Any:
        def at(copy: Any, own: Any) -> Any:
            return copy._write(update, own, use_locking, _each_with(name), read_value)

        if self._updated_here():
            return at(self._get(), value)
        with self._in_scope() as strategy:
            context = stacks.strategies.top().replica_context
            if context is None:
                return strategy.extended.update(self, at, args=(value,))
            if self.aggregation is VariableAggregation.NONE:
                raise ValueError(_NO_AGGREGATION.format(kind=type(self).__name__))

            def merged(strategy: Any, values: Any) -> Any:
                return strategy.extended.update(self, at, args=(self._combined(strategy, values),))

            return context.merge_call(merged, args=(value,))

    def _combined(self, strategy: Any, values: Any) -> Any:
        """What the replicas want to write, as one value for each copy."""
        if self.aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            first = values.values[0] if isinstance(values, DistributedValues) else values
            return strategy.extended.broadcast_to(first, self)
        operation = ReduceOp.from_variable_aggregation(self.aggregation)
        return strategy.extended.reduce_to(operation, values, self)


class AggregatingVariable(MirroredVariable):
    """A variable in one place, for several replicas: what they write is brought together first.

    Args:
      strategy: in whose scope it was made.
      v: the variable.
      aggregation: how the updates of the replicas are combined.
    """

    def __init__(self, strategy: Any, v: Any, aggregation: VariableAggregation) -> None:
        super().__init__(strategy, [v], aggregation)

    def _get(self) -> Any:
        return self._values[0]

    def __repr__(self) -> str:
        return repr(self._values[0])

    __str__ = __repr__


class SyncOnReadVariable(DistributedVariable):
    """A variable of which each replica has its own; between replicas their sum or mean is read.

    What counts or averages over batches, as a metric or the statistics of batch normalization, is
    changed in each step and read seldom.
    """

    #: whether a replica, too, reads the sum of all copies: the values of `tf.metrics`
    sums_in_replicas = False

    def _write(
        self, update: Callable, value: Any, use_locking: bool, name: str | None, read_value: bool
    ) -> Any:
        def at(copy: Any, own: Any) -> Any:
            return copy._write(update, own, use_locking, _each_with(name), read_value)

        here = self._copy_here()
        if here is not None:
            return at(here, value)
        with self._in_scope() as strategy:
            if self.aggregation is VariableAggregation.SUM:
                if update is not state_ops.assign:
                    raise ValueError(
                        f"SyncOnReadVariable does not support `{update.__name__}` in "
                        "cross-replica context when aggregation is set to "
                        "`tf.VariableAggregation.SUM`."
                    )
                value = scaled(convert_to_tensor(value, dtype=self.dtype), self._counted())
            return strategy.extended.update(self, at, args=(value,))

    def _read(self) -> Tensor:
        """The copy here, or between the replicas what all of them give together."""
        here = self._copy_here()
        if here is not None and self.sums_in_replicas:
            return add_n([copy._as_tensor() for copy in self._values])
        if here is not None:
            return here._as_tensor()
        if self.aggregation is VariableAggregation.ONLY_FIRST_REPLICA or self._counted() == 1:
            return self._values[0]._as_tensor()
        if self.aggregation is VariableAggregation.NONE:
            raise ValueError(
                "Could not convert from `tf.VariableAggregation` VariableAggregation.NONE to"
                "`tf.distribute.ReduceOp` type"
            )
        with self._in_scope() as strategy:
            operation = ReduceOp.from_variable_aggregation(self.aggregation)
            values = PerReplica([copy._as_tensor() for copy in self._values])
            return strategy.reduce(operation, values, axis=None)

    def _counted(self) -> int:
        """The number of copies in all workers, which a read between the replicas adds."""
        return self._distribute_strategy.num_replicas_in_sync

    def _restore(self, value: Any) -> Any:
        is_sum = self.aggregation is VariableAggregation.SUM
        return super()._restore(scaled(value, self._counted()) if is_sum else value)

    def value(self) -> Tensor:
        """The value here."""
        return self._read()

    read_value = value

    def _as_tensor(self) -> Tensor:
        for tape in stacks.tapes.items:
            tape.variable_accessed(self)
        return self._read()

    def _as_graph_element(self) -> Any:
        return self._read() if self._copy_here() is None else self._get()._as_graph_element()

    def _ref(self) -> Any:
        return self._as_graph_element()


def _each_with(name: str | None) -> str | None:
    """A name that each copy's operation can have: "a/b/", a whole scope, is one operation's."""
    return name.rstrip("/").rpartition("/")[2] if name else name


# ---- making them -------------------------------------------------------------------------


def checked(kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a variable, with the synchronization that AUTO means.

    Raises:
      ValueError: when a strategy has no such synchronization or aggregation.
    """
    name = kwargs.get("name")
    synchronization = kwargs.get("synchronization", VariableSynchronization.AUTO)
    if synchronization is VariableSynchronization.NONE:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with tf.distribute strategy. "
            f"Please change the `synchronization` for variable: {name}"
        )
    if not isinstance(synchronization, VariableSynchronization):
        raise ValueError(
            f"Invalid variable synchronization mode: {synchronization} for variable: {name}"
        )
    if synchronization is VariableSynchronization.AUTO:
        synchronization = VariableSynchronization.ON_WRITE
    aggregation = kwargs.get("aggregation", VariableAggregation.NONE)
    if not isinstance(aggregation, VariableAggregation):
        raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {name}")
    return {**kwargs, "synchronization": synchronization, "aggregation": aggregation}


def mirrored(
    strategy: Any, devices: Sequence[str], next_creator: Callable, kwargs: dict[str, Any]
) -> DistributedVariable:
    """A variable with a copy on each device; it goes to the collections in place of the copies.

    Args:
      strategy: in whose scope it is made.
      devices: of the copies.
      next_creator: makes one of them.
      kwargs: the arguments of `tf.Variable`, as `checked` gave them.
    """
    collections = kwargs.pop("collections", None)
    kwargs.pop("caching_device", None)  # each copy is near its readers
    copies: list[Any] = []
    for i, device in enumerate(devices):
        if i:
            kwargs["name"] = f"{copies[0].name.split(':')[0]}/replica_{i}/"
            kwargs["initial_value"] = lambda first=copies[0]: _first_value(first)
            kwargs["dtype"] = None
        with (
            stacks.colocate_with(None, ignore_existing=True),  # each copy has its own device
            stacks.device(None),
            stacks.device(device),
        ):
            copies.append(next_creator(**{**kwargs, "collections": []}))
    on_read = kwargs["synchronization"] is VariableSynchronization.ON_READ
    kind = SyncOnReadVariable if on_read else MirroredVariable
    made = kind(strategy, copies, kwargs["aggregation"])
    collect(made, collections)
    return made


def _first_value(variable: Any) -> Tensor:
    """What a further copy of `variable` starts with."""
    eager = stacks.outermost().runs_at_once
    return identity(variable.value() if eager else variable.initial_value)


def collect(variable: DistributedVariable, collections: Any) -> None:
    """Lists a variable where its copies would have been listed."""
    if stacks.outermost().runs_at_once:
        if GraphKeys.GLOBAL_STEP in (collections or ()):
            stacks.add_to_collection(GraphKeys.GLOBAL_STEP, variable)
        return
    listed = stacks.get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
    own = {id(copy) for copy in variable.values}
    listed[:] = [each for each in listed if id(each) not in own]
    wanted = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
    if variable.trainable and GraphKeys.TRAINABLE_VARIABLES not in wanted:
        wanted.append(GraphKeys.TRAINABLE_VARIABLES)
    with stacks.init_scope():
        stacks.add_to_collections(wanted, variable)

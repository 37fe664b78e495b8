"""`tf.distribute.Strategy`: how one program is spread over several devices.

    strategy = tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    with strategy.scope():                         # variables made here have copies
        model = ...
    losses = strategy.experimental_run_v2(step, args=(batch,))      # one call a replica
    loss = strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

Optimizers, layers and metrics call a strategy, too, where TensorFlow has its `extended`: another
kind of strategy overrides these methods. It has names of TensorFlow 1.15 and of 2.0.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

from minitf.core.graph import dtypes, logging, nest, stacks
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.ops import control as control_ops
from minitf.core.ops.array import identity, shape
from minitf.core.ops.cast import cast
from minitf.core.ops.reductions import reduce_sum
from minitf.core.variables.variable_scope import get_variable_scope, variable_scope
from minitf.core.variables.variables import variable_creator_scope
from minitf.library.distribute import variables
from minitf.library.distribute.cross_device_ops import (
    CrossDeviceOps,
    ReduceOp,
    ReductionToOneDevice,
    canonicalize,
    devices_of,
    reduce_plain,
    simple_broadcast,
)
from minitf.library.distribute.inputs import shared_out, started
from minitf.library.distribute.replicas import (
    InputContext,
    Place,
    ReplicaContext,
    call_for_each_replica,
)
from minitf.library.distribute.values import (
    DistributedValues,
    Mirrored,
    is_mirrored,
    local_results,
    regroup,
    select_replica,
)
from minitf.library.eager import autograph
from minitf.library.eager.function import Function, function
from minitf.library.losses import Reduction


class _Scope:
    """The context of `Strategy.scope`."""

    def __init__(self, strategy: Strategy, opened: Callable[[], Any]) -> None:
        self._strategy, self._opened = strategy, opened
        self._open: list[Any] = []

    def __enter__(self) -> Strategy:
        context = self._opened()
        context.__enter__()
        self._open.append(context)
        return self._strategy

    def __exit__(self, *error: Any) -> Any:
        return self._open.pop().__exit__(*error)


class Strategy:
    """Base of the strategies; use one of its subclasses.

    This base computes one replica on each of `worker_devices` and keeps one copy of each variable
    on each of them.

    Args:
      devices: one for each replica.
      cross_device_ops: how values are reduced.
    """

    #: whether this task initializes the variables
    experimental_should_init = True
    #: whether this task writes checkpoints, and summaries
    should_checkpoint = True
    _default_device: str | None = None
    #: who knows the cluster, or None
    cluster_resolver: Any = None
    _task: Any = None
    #: whether what `make_dataset_iterator` gets are global batches
    _global_batch_size = True
    #: whether `Optimizer.compute_gradients` divides the loss; an estimator sets it
    _scale_loss_for_estimator = False

    def __init__(
        self,
        devices: Sequence[str] = ("/device:CPU:0",),
        cross_device_ops: CrossDeviceOps | None = None,
    ) -> None:
        self._devices = tuple(canonicalize(d) for d in devices)
        self._cross_device_ops = cross_device_ops or ReductionToOneDevice()
        self._functions: Any = weakref.WeakKeyDictionary()  # replica functions, lifted

    @property
    def extended(self) -> Strategy:
        """The strategy itself: TensorFlow has what layers, optimizers and metrics ask there."""
        return self

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices that compute, one for each replica."""
        return self._devices

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that hold variables."""
        return self._devices

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas whose gradients are added."""
        return len(self._devices)

    def _replica_id_in_sync_group(self, replica_id: int) -> int:
        return replica_id

    def _check_outside_of_replicas(self) -> None:
        """Raises RuntimeError unless between the replicas of this strategy, or outside of all."""
        place = stacks.strategies.top()
        if place is None:
            return
        if place.strategy is not self:
            raise RuntimeError(
                f"Mixing different tf.distribute.Strategy objects: {place.strategy} is not {self}"
            )
        if place.replica_context is not None:
            raise RuntimeError(
                "Method requires being in cross-replica context, use "
                "get_replica_context().merge_call()"
            )

    def scope(self) -> Any:
        """A context in which variables are made as this strategy makes them.

        Returns: a context manager, which may be entered several times.
        Raises:
          RuntimeError: inside of another strategy's scope, or of a replica.
        """
        return _Scope(self, self._opened)

    @contextmanager
    def _opened(self) -> Iterator[None]:
        place = stacks.strategies.top()
        if place is not None:
            self._check_outside_of_replicas()
            if place.strategy is self:
                yield
                return
        with ExitStack() as scopes:
            scopes.enter_context(stacks.strategies.entered(Place(self)))
            scopes.enter_context(variable_creator_scope(self._creator))
            scopes.enter_context(
                variable_scope(
                    get_variable_scope(), custom_getter=_whole, auxiliary_name_scope=False
                )
            )
            if self._default_device:
                scopes.enter_context(stacks.device(self._default_device))
            yield

    # ---- variables -----------------------------------------------------------------------

    def _creator(self, next_creator: Callable, **kwargs: Any) -> Any:
        """The variable creator of the scope."""
        kwargs["use_resource"] = True
        kwargs = variables.checked(kwargs)
        home = kwargs.pop("colocate_with", None)
        made = self._create_variable(next_creator, home, **kwargs)
        made._distribute_strategy = self
        return made

    def _create_variable(self, next_creator: Callable, home: Any, **kwargs: Any) -> Any:
        """Makes a variable.

        Args:
          next_creator: makes one copy.
          home: a variable that it is to stand beside, or None.
          kwargs: the arguments of `tf.Variable`.
        """
        devices = self._devices if home is None else devices_of(home)
        return variables.mirrored(self, devices, next_creator, kwargs)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable was made in the scope of this strategy."""
        return getattr(v, "_distribute_strategy", None) is self

    def read_var(self, v: Any) -> Any:
        """The value of a variable between replicas: all copies that differ are brought together."""
        return identity(v)

    def non_slot_devices(self, var_list: Sequence[Any]) -> Any:
        """The devices of what an optimizer keeps beside the slots."""
        return self._devices

    # ---- computing -----------------------------------------------------------------------

    def experimental_run_v2(self, fn: Callable, args: Any = (), kwargs: Any = None) -> Any:
        """Calls `fn` once for each replica.

        Args:
          fn: the function of a replica; a `tf.function` becomes one function for all replicas.
          args, kwargs: its arguments; a replica gets its own part of a `PerReplica`.
        Returns: its results, `PerReplica` where they differ.
        Example:
          >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
          >>> sess.run(strategy.experimental_run_v2(lambda x: x + 1.0, args=(tf.constant(2.0),)))
          3.0
        """
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        with self.scope():
            return self.call_for_each_replica(fn, args, kwargs)

    def run(self, fn: Callable, args: Any = (), kwargs: Any = None, options: Any = None) -> Any:
        """`experimental_run_v2` as later releases call it.

        Args:
          fn, args, kwargs: see there.
          options: accepted.
        """
        return self.experimental_run_v2(fn, args, kwargs)

    def call_for_each_replica(self, fn: Callable, args: Any = (), kwargs: Any = None) -> Any:
        """Calls `fn` once for each replica; see `Strategy.experimental_run_v2`."""
        self._check_outside_of_replicas()
        if isinstance(fn, Function):
            return self._lifted(fn)(*args, **(kwargs or {}))
        with self.scope():
            if not stacks.executing_eagerly() and stacks.get_default_graph().captures_from_outside:
                fn = autograph.converted(fn)  # as the function around it was
            return self._call_for_each_replica(fn, args, kwargs or {})

    def _call_for_each_replica(self, fn: Callable, args: Any, kwargs: Any) -> Any:
        return call_for_each_replica(self, self._devices, fn, args, kwargs)

    def _lifted(self, fn: Function) -> Function:
        """One `tf.function` for all replicas in place of one for each: they can meet inside it."""
        if fn not in self._functions:
            inner = fn.python_function

            def for_all(*args: Any, **kwargs: Any) -> Any:
                return self.call_for_each_replica(inner, args, kwargs)

            self._functions[fn] = function(for_all)
        return self._functions[fn]

    # ---- reducing and spreading ----------------------------------------------------------

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """One tensor of the values of all replicas.

        Args:
          reduce_op: `tf.distribute.ReduceOp.SUM` or `MEAN`, or its name.
          value: what `experimental_run_v2` returned; a structure of values too.
          axis: also reduces along this axis of each value, as that of the batch; the mean is then
            that of all rows, however they are shared out.
        Example:
          >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
          >>> sess.run(strategy.reduce("SUM", tf.constant([1.0, 2.0]), axis=0))
          3.0
        """
        self._check_outside_of_replicas()
        operation = ReduceOp.of(reduce_op)
        if axis is None:
            return self._reduce(operation, value)
        sums = self.experimental_run_v2(lambda v: reduce_sum(v, axis=axis), args=(value,))
        total = self._reduce(ReduceOp.SUM, sums)
        if operation is ReduceOp.SUM:
            return total
        rows = self.experimental_run_v2(lambda v: _rows(v, axis), args=(value,))
        count = self._reduce(ReduceOp.SUM, rows)
        return total / cast(count, total.dtype)

    def experimental_local_results(self, value: Any) -> tuple:
        """The values of all replicas, as a tuple."""
        return local_results(value)

    unwrap = experimental_local_results

    def _scaled_loss(self, loss: Any) -> Any:
        """A replica's share of a loss, for an optimizer: see `get_loss_reduction`."""
        replicas = self.num_replicas_in_sync
        if replicas > 1 and get_loss_reduction() is ReduceOp.MEAN:
            return loss * (1.0 / replicas)
        return loss

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any) -> Any:
        """The sum or mean of the replicas' values, on the devices of `destinations`.

        Args:
          reduce_op: a `ReduceOp` or its name.
          value: a `PerReplica`, or a structure of them.
          destinations: a variable, a value, a device name or a list of such.
        """
        self._check_outside_of_replicas()
        operation = ReduceOp.of(reduce_op)
        return nest.map_structure(lambda v: self._reduce_to(operation, v, destinations), value)

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        if is_mirrored(value) and reduce_op is ReduceOp.MEAN:
            return value
        if not isinstance(value, DistributedValues):
            return reduce_plain(reduce_op, value, destinations, self.num_replicas_in_sync)
        return self._cross_device_ops.reduce(reduce_op, value, destinations)

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any) -> list:
        """`reduce_to` of each (value, destinations)."""
        self._check_outside_of_replicas()
        operation = ReduceOp.of(reduce_op)
        return [self._reduce_to(operation, v, where) for v, where in value_destination_pairs]

    def _reduce(self, reduce_op: ReduceOp, value: Any) -> Any:
        """The sum or mean, as a tensor on the device that is open here."""
        reduced = self.reduce_to(reduce_op, value, self._host())
        return nest.map_structure(lambda v: self.experimental_local_results(v)[0], reduced)

    def _host(self) -> str:
        """The device on which the main program of this worker handles single values."""
        return canonicalize("/device:CPU:0", self._devices[0])

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """A copy of `tensor` on each device of `destinations`; all devices when that is empty."""
        self._check_outside_of_replicas()
        if isinstance(tensor, (float, int)):  # which becomes a tensor of the type that is wanted
            return tensor
        return simple_broadcast(convert_to_tensor(tensor), destinations or self._devices)

    # ---- updating ------------------------------------------------------------------------

    def update(
        self, var: Any, fn: Callable, args: Any = (), kwargs: Any = None, group: bool = True
    ) -> Any:
        """Calls `fn` for each copy of a variable, on its device.

        Args:
          var: the variable.
          fn: called as `fn(copy, *args, **kwargs)`.
          args, kwargs: further arguments; each copy gets its own part of those distributed.
          group: return one value that waits for all copies; otherwise a list of all results.
        """
        self._check_outside_of_replicas()
        with self.scope():
            copies = self._copies_of(var)
            several = len(copies) > 1 or getattr(var, "has_copies", False)
            results = [
                self._at_copy(i, c, several, fn, (c, *select_replica(i, args)), kwargs)
                for i, c in enumerate(copies)
            ]
        return self._updated(results, group)

    def _copies_of(self, var: Any) -> Sequence[Any]:
        """The copies of a variable.

        Raises:
          ValueError: when it was made outside of the scope, so that it has none.
        """
        if isinstance(var, DistributedValues):
            return var.values
        if len(self._devices) > 1 and not self.variable_created_in_scope(var):
            raise ValueError(
                f"The variable {getattr(var, 'name', var)} was made outside of the scope of "
                f"{self}, so that it has no copies: make variables, models "
                "and optimizers under `with strategy.scope():`."
            )
        return [var]

    def update_non_slot(
        self,
        colocate_with: Any,
        fn: Callable,
        args: Any = (),
        kwargs: Any = None,
        group: bool = True,
    ) -> Any:
        """Calls `fn` on each of the devices that `non_slot_devices` gave; see `update`."""
        self._check_outside_of_replicas()
        places = colocate_with if isinstance(colocate_with, (list, tuple)) else [colocate_with]
        with self.scope():
            results = [
                self._at_copy(i, place, len(places) > 1, fn, select_replica(i, args), kwargs)
                for i, place in enumerate(places)
            ]
        return self._updated(results, group)

    def _at_copy(
        self, i: int, place: Any, several: bool, fn: Callable, args: Any, kwargs: Any
    ) -> Any:
        """Calls `fn` where one copy is: `place` is a device or a variable."""
        device = place if isinstance(place, str) else getattr(place, "device", "")
        with ExitStack() as scopes:
            if device:
                scopes.enter_context(stacks.device(device))
            scopes.enter_context(stacks.strategies.entered(Place(self, copy=i)))
            if several:
                scopes.enter_context(stacks.name_scope(f"update_{i}"))
            return fn(*args, **select_replica(i, kwargs or {}))

    def _updated(self, results: list, group: bool) -> Any:
        if not group:
            return tuple(nest.flatten(results))
        if len(results) == 1 or stacks.executing_eagerly():
            return regroup(results, Mirrored)
        done = control_ops.group(*(r for r in nest.flatten(results) if r is not None))
        if not all(hasattr(r, "_as_tensor") or hasattr(r, "dtype") for r in results):
            return done
        waiting = []
        for result in results:
            with stacks.device(result.device), stacks.control_dependencies([done]):
                waiting.append(identity(result))
        return Mirrored(waiting)

    # ---- input ---------------------------------------------------------------------------

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """An iterator whose elements are shared out to the replicas; see `inputs.py`.

        Args:
          dataset: of global batches.
        """
        return started(self.experimental_distribute_dataset(dataset))

    def make_input_fn_iterator(self, input_fn: Callable) -> Any:
        """An iterator over the dataset that a function of a `tf.distribute.InputContext` returns.

        Args:
          input_fn: returns a dataset of batches for one replica each.
        """
        return started(self.experimental_distribute_datasets_from_function(input_fn))

    def experimental_run(self, fn: Callable, input_iterator: Any = None) -> Any:
        """`experimental_run_v2` with the next element of an iterator as the argument."""
        with self.scope():
            args = () if input_iterator is None else (input_iterator.get_next(),)
            return self.experimental_run_v2(fn, args)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """A dataset whose global batches are shared out to the replicas.

        Args:
          dataset: of global batches; each replica gets its part of the rows.
          options: accepted.
        """
        return self._shared_out(dataset, self._global_batch_size)

    def experimental_distribute_datasets_from_function(
        self, dataset_fn: Callable, options: Any = None
    ) -> Any:
        """A dataset for the replicas, from a function that knows its place.

        Args:
          dataset_fn: returns a dataset of batches for one replica each, given a
            `tf.distribute.InputContext`.
          options: accepted.
        """
        dataset = dataset_fn(self._input_contexts()[0])
        if not hasattr(dataset, "_variant_tensor"):
            raise ValueError("dataset_fn() must return a tf.data.Dataset.")
        return self._shared_out(dataset, cuts=False)

    distribute_datasets_from_function = experimental_distribute_datasets_from_function

    def _shared_out(self, dataset: Any, cuts: bool) -> Any:
        return shared_out(dataset, len(self._devices), self._input_contexts()[0], cuts)

    def _input_contexts(self) -> list[InputContext]:
        """One for each pipeline that this program builds."""
        workers, index = (self._task.workers, self._task.worker_index) if self._task else (1, 0)
        return [InputContext(workers, index, self.num_replicas_in_sync)]

    # ---- sessions and clusters -----------------------------------------------------------

    def update_config_proto(self, config_proto: Any) -> Any:
        """A session's configuration, with what this strategy needs."""
        return config_proto

    def _in_multi_worker_mode(self) -> bool:
        """Whether this is a task of a cluster."""
        return self._task is not None and not self._task.is_alone

    def _session_target(self) -> str:
        """The server of this task, that its sessions run in; "" for this process."""
        return self._task.server().target if self._in_multi_worker_mode() else ""

    def __deepcopy__(self, memo: dict) -> Strategy:
        return self  # a configuration that is copied has the same strategy


# ---- outside of all scopes ---------------------------------------------------------------


class _DefaultStrategy(Strategy):
    """What is there without a strategy: one replica, ordinary variables, wherever they are."""

    def _check_outside_of_replicas(self) -> None:
        pass

    def _call_for_each_replica(self, fn: Callable, args: Any, kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    def _create_variable(self, next_creator: Callable, home: Any, **kwargs: Any) -> Any:
        return next_creator(**kwargs)

    def non_slot_devices(self, var_list: Sequence[Any]) -> Any:
        return min(var_list, key=lambda each: each.name)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable was made outside of all strategies."""
        return getattr(v, "_distribute_strategy", None) is None

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        return value

    def _at_copy(
        self, i: int, place: Any, several: bool, fn: Callable, args: Any, kwargs: Any
    ) -> Any:
        return fn(*args, **(kwargs or {}))

    @contextmanager
    def _opened(self) -> Iterator[None]:
        """Changes nothing.

        Raises:
          RuntimeError: in the scope of a strategy.
        """
        place = stacks.strategies.top()
        if place is not None:
            raise RuntimeError(
                f"Must not nest tf.distribute.Strategy scopes: {place.strategy} is in scope."
            )
        yield

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """The dataset itself."""
        return dataset

    def experimental_distribute_datasets_from_function(
        self, dataset_fn: Callable, options: Any = None
    ) -> Any:
        """The dataset of the one pipeline."""
        return dataset_fn(InputContext())

    distribute_datasets_from_function = experimental_distribute_datasets_from_function

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """An iterator over the dataset itself."""
        return dataset.make_initializable_iterator()


class _DefaultContext(ReplicaContext):
    """The context of the one replica that is there without a strategy."""

    def _merge_call(self, merge_fn: Callable, args: Any, kwargs: Any) -> Any:
        return select_replica(0, merge_fn(self._strategy, *args, **kwargs))


@cache
def _get_default_strategy() -> Strategy:
    return _DefaultStrategy()


@cache
def _get_default_replica_context() -> ReplicaContext:
    return _DefaultContext(_get_default_strategy())


def get_strategy() -> Strategy:
    """The strategy in whose scope this is; a default one outside of all."""
    place = stacks.strategies.top()
    return _get_default_strategy() if place is None else place.strategy


def has_strategy() -> bool:
    """Whether this is in the scope of a strategy."""
    return stacks.strategies.top() is not None


def in_cross_replica_context() -> bool:
    """Whether this is between the replicas of a strategy: in its scope, but in none of them."""
    place = stacks.strategies.top()
    return place is not None and place.replica_context is None


def get_replica_context() -> ReplicaContext | None:
    """What the replica here knows of itself; None between replicas."""
    place = stacks.strategies.top()
    return _get_default_replica_context() if place is None else place.replica_context


def get_loss_reduction() -> ReduceOp:
    """What the last loss of this graph was reduced by, where an estimator trains; else SUM."""
    if not get_strategy()._scale_loss_for_estimator:
        return ReduceOp.SUM
    last = getattr(stacks.get_default_graph(), "_last_loss_reduction", None)
    return ReduceOp.SUM if last in (Reduction.SUM, "sum") else ReduceOp.MEAN


def _whole(getter: Callable, *args: Any, **kwargs: Any) -> Any:
    """Gets a variable without cutting it into parts."""
    if kwargs.pop("partitioner", None) is not None:
        logging.log_first_n(
            logging.WARN,
            "Partitioned variables are disabled when using current tf.distribute.Strategy.",
            1,
        )
    return getter(*args, **kwargs)


def _rows(value: Any, axis: int) -> Any:
    """The number of elements along an axis, as an int64 tensor."""
    sizes = value.shape
    if sizes.ndims is not None and sizes.dims[axis].value is not None:
        return constant(sizes.dims[axis].value, dtype=dtypes.int64)
    return cast(shape(value)[axis], dtypes.int64)

"""`TPUStrategy`: a replica on each core of a (simulated) TPU; older ways to use the cores.

resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="")
tf.tpu.experimental.initialize_tpu_system(resolver)
strategy = tf.distribute.experimental.TPUStrategy(resolver)

tpu.replicate, shard, batch_parallel, rewrite     call a function on the cores
CrossShardOptimizer, cross_replica_sum            what such a function brings together
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from minitf.core.graph import stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.ops import control as control_ops
from minitf.core.ops.array import identity
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.math import add_n
from minitf.core.train.optimizer import Optimizer
from minitf.library.distribute.mirrored import MirroredExtended
from minitf.library.distribute.strategy import Strategy
from minitf.library.distribute.tpu_system import TPUClusterResolver
from minitf.library.distribute.tpu_topology import DeviceAssignment
from minitf.library.distribute.values import Mirrored, PerReplica
from minitf.library.losses.losses import Reduction
from minitf.library.optimizers.around import AroundOptimizer


class TPUStrategy(Strategy):
    """One replica on each TPU core, step by step together. The cores are simulated.

    Args:
      tpu_cluster_resolver: says which TPU; this process's simulated one by default.
      steps_per_run: kept: how many steps a program means to run at once.
      device_assignment: which cores to use; all by default.
    Example:
      >>> resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="")
      >>> strategy = tf.distribute.experimental.TPUStrategy(resolver)
      >>> strategy
      <TPUStrategy on 8 simulated TPU cores>
      >>> strategy.num_replicas_in_sync
      8
    """

    def __init__(
        self,
        tpu_cluster_resolver: TPUClusterResolver | None = None,
        steps_per_run: int | None = None,
        device_assignment: DeviceAssignment | None = None,
    ) -> None:
        resolver = tpu_cluster_resolver or TPUClusterResolver("")
        super().__init__(TPUExtended(self, resolver, device_assignment))
        self.steps_per_run = steps_per_run or 1

    def __repr__(self) -> str:
        return f"<TPUStrategy on {self.num_replicas_in_sync} simulated TPU cores>"


class ContribTPUStrategy(TPUStrategy):
    """`TPUStrategy` with the arguments that it has in `tf.contrib.distribute`.

    Args:
      tpu_cluster_resolver, device_assignment, steps_per_run: see `TPUStrategy`.
      kwargs: `num_cores` and others of old programs; accepted.
    """

    def __init__(
        self,
        tpu_cluster_resolver: TPUClusterResolver | None = None,
        steps_per_run: int | None = None,
        device_assignment: DeviceAssignment | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(tpu_cluster_resolver, steps_per_run, device_assignment)


class TPUExtended(MirroredExtended):
    """What layers and optimizers ask of a `TPUStrategy`."""

    def __init__(
        self,
        container_strategy: Strategy,
        resolver: TPUClusterResolver,
        device_assignment: DeviceAssignment | None = None,
    ) -> None:
        cores = resolver.num_accelerators()["TPU"]
        if not cores:
            raise RuntimeError(f"{resolver!r} has no simulated TPU cores.")
        names = [f"/device:TPU:{i}" for i in range(cores)]
        if device_assignment is not None:
            replicas = range(device_assignment.num_replicas)
            names = [names[device_assignment.tpu_ordinal(i)] for i in replicas]
        if resolver.master():
            names = [f"/job:{resolver.task_type}/task:0{name}" for name in names]
        super().__init__(container_strategy, names)
        self._cluster_resolver = resolver

    def _session_target(self) -> str:
        return self._cluster_resolver.master()

    @property
    def num_hosts(self) -> int:
        """The number of machines with TPU chips."""
        return 1

    @property
    def num_replicas_per_host(self) -> int:
        """The number of replicas of each machine."""
        return self._num_replicas_in_sync


# ---- functions on cores --------------------------------------------------------------------


class TpuContext(NamedTuple):
    """Where a function runs: on how many cores at once, or None outside of any."""

    number_of_shards: int | None


def get_tpu_context() -> TpuContext:
    """What is to be known of the cores on which the function runs that is being called."""
    place = stacks.strategies.top()
    replica = place and place.replica_context
    return TpuContext(replica.num_replicas_in_sync if replica else None)


def cross_replica_sum(x: Any, group_assignment: Any = None, name: str | None = None) -> Any:
    """The sum of the replicas' tensors; the tensor itself where there is one replica.

    Args:
      x: this replica's tensor.
      group_assignment: lists of replicas that add among themselves; all of them by default.
      name: of the operation.
    """
    place = stacks.strategies.top()
    if place is None or place.replica_context is None:
        return identity(x, name=name)

    def in_groups(strategy: Any, values: Any) -> Any:
        parts = strategy.experimental_local_results(values)
        groups = group_assignment or [list(range(len(parts)))]
        sums: list[Any] = list(parts)
        for group in groups:
            for i in group:
                with stacks.device(strategy.extended.worker_devices[i]):
                    sums[i] = add_n([parts[j] for j in group])
        return PerReplica(sums) if group_assignment else Mirrored(sums)

    return place.replica_context.merge_call(in_groups, args=(convert_to_tensor(x),))


class CrossShardOptimizer(AroundOptimizer):
    """An optimizer for functions on TPU cores: it applies the mean of the cores' gradients.

    Args:
      opt: the optimizer.
      reduction: `tf.losses.Reduction.MEAN`, or SUM to add the gradients.
      name: accepted.
      group_assignment: only all cores as one group.
    Raises:
      ValueError, TypeError: when an argument is something else.
    """

    def __init__(
        self,
        opt: Optimizer,
        reduction: str = Reduction.MEAN,
        name: str = "CrossShardOptimizer",
        group_assignment: Any = None,
    ) -> None:
        accepted = (Reduction.SUM, Reduction.MEAN)
        if reduction not in accepted:
            raise ValueError(
                f"Argument `reduction` should be one of {accepted}. Received: {reduction}"
            )
        if not isinstance(opt, Optimizer):
            raise TypeError(
                "CrossShardOptimizer only works with tf.training.Optimizer and not Keras "
                f"Optimizer. Received: {opt}."
            )
        if group_assignment and len(group_assignment) > 1:
            raise ValueError("CrossShardOptimizer adds the gradients of all cores, not of groups.")
        super().__init__(opt, False, name)
        self._reduction = reduction

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """The gradients of this core's share of the loss; see `Optimizer.compute_gradients`."""
        place = stacks.strategies.top()
        cores = 1 if place is None else place.strategy.num_replicas_in_sync
        if cores > 1 and self._reduction == Reduction.MEAN:
            loss = loss * (1.0 / cores)
        return super().compute_gradients(loss, *args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Updates the variables by the sum over all cores; see `Optimizer.apply_gradients`."""
        return self._opt.apply_gradients(grads_and_vars, global_step, name)


def replicate(
    computation: Callable,
    inputs: Sequence[Sequence[Any]] | None = None,
    infeed_queue: Any = None,
    device_assignment: DeviceAssignment | None = None,
    name: str | None = None,
) -> list[list[Any]]:
    """Calls a function on several cores.

    Args:
      computation: the function; what it makes of operations runs with each of its results.
      inputs: for each core the list of arguments; one core without any by default.
      infeed_queue: None.
      device_assignment: accepted: the first cores are taken.
      name: the name scope.
    Returns: for each core the list of results.
    """
    every = [[convert_to_tensor(x) for x in each] for each in (inputs or [[]])]
    resolver = TPUClusterResolver("")
    strategy = TPUStrategy(resolver)
    if len(every) > strategy.num_replicas_in_sync:
        raise ValueError(
            f"{len(every)} replicas were asked for, but there are "
            f"{strategy.num_replicas_in_sync} simulated TPU cores."
        )
    strategy.extended._devices = strategy.extended._devices[: len(every)]

    def call(*own: Any) -> list[Any]:
        found = computation(*own)
        flat = list(found) if isinstance(found, (list, tuple)) else [found]
        tensors = [convert_to_tensor(x) for x in flat if hasattr(x, "dtype")]
        operations = [x for x in flat if x is not None and not hasattr(x, "dtype")]
        with stacks.control_dependencies(operations):
            return [identity(x) for x in tensors] or [control_ops.no_op()]

    arguments = [PerReplica(column) for column in zip(*every, strict=True)]
    with stacks.name_scope(name, "tpu_replicate"), strategy.scope():
        results = strategy.extended.call_for_each_replica(call, args=arguments)
    columns = [strategy.experimental_local_results(each) for each in results]
    return [list(row) for row in zip(*columns, strict=True)]


def rewrite(
    computation: Callable,
    inputs: Sequence[Any] | None = None,
    infeed_queue: Any = None,
    device_assignment: DeviceAssignment | None = None,
    name: str | None = None,
) -> Any:
    """Calls a function on one core; see `replicate`.

    Args:
      inputs: its arguments.
    Returns: a list of its results.
    """
    return replicate(computation, None if inputs is None else [inputs], name=name)[0]


def shard(
    computation: Callable,
    inputs: Sequence[Any] | None = None,
    num_shards: int = 1,
    input_shard_axes: Sequence[int] | None = None,
    outputs_from_all_shards: Any = True,
    output_shard_axes: Sequence[int] | None = None,
    infeed_queue: Any = None,
    device_assignment: DeviceAssignment | None = None,
    name: str | None = None,
) -> list[Any]:
    """Cuts the inputs, calls a function on so many cores, and joins the results.

    Args:
      computation: the function.
      inputs: its arguments, whole.
      num_shards: how many cores.
      input_shard_axes, output_shard_axes: along which axis each one is cut, or joined; 0.
      outputs_from_all_shards: whether to join; otherwise the first core's result is taken.
    Returns: a list of results.
    """
    if num_shards <= 0:
        raise ValueError(
            f"num_shards must be a positive integer. Received num_shards: {num_shards}"
        )
    whole = [convert_to_tensor(x) for x in inputs or ()]
    axes = input_shard_axes or [0] * len(whole)
    parts = [split(x, num_shards, axis) for x, axis in zip(whole, axes, strict=True)]
    results = replicate(computation, [[p[i] for p in parts] for i in range(num_shards)], name=name)
    columns = list(zip(*results, strict=True))
    axes = output_shard_axes or [0] * len(columns)
    kept = outputs_from_all_shards
    joined = [kept] * len(columns) if isinstance(kept, bool) else kept
    return [
        concat(list(column), axis) if join and hasattr(column[0], "dtype") else column[0]
        for column, axis, join in zip(columns, axes, joined, strict=True)
    ]


def batch_parallel(
    computation: Callable,
    inputs: Sequence[Any] | None = None,
    num_shards: int = 1,
    infeed_queue: Any = None,
    device_assignment: DeviceAssignment | None = None,
    name: str | None = None,
) -> list[Any]:
    """`shard` along the first axis of everything."""
    return shard(computation, inputs, num_shards, name=name)


def initialize_system(embedding_config: Any = None, job: str | None = None) -> Any:
    """An operation that makes a TPU ready: simulated cores are."""
    return control_ops.no_op(name="initialize_tpu_system")


def shutdown_system(job: str | None = None) -> Any:
    """An operation that ends the use of a TPU."""
    return control_ops.no_op(name="shutdown_tpu_system")

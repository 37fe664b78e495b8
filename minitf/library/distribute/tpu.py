"""A TPU that is not there: simulated cores, what finds and starts them, and `TPUStrategy`.

    resolver = TPUClusterResolver(tpu="")       this process gets 8 cores, or MINITF_SIMULATED_TPUS
    tf.tpu.experimental.initialize_tpu_system(resolver)
    strategy = tf.distribute.experimental.TPUStrategy(resolver)         a replica on each core
    with tf.device("/device:TPU:3"): ...        runs in that core's memory and thread, with NumPy

    tpu.replicate, batch_parallel, rewrite      call a function on the cores
    CrossShardOptimizer                         brings the gradients of such a function together
    bfloat16_scope                              gives what is computed in it variables of float32

Only what asks for a core runs there. Everything that a person reads of them says "simulated".
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, final

from minitf.core.cluster.cluster_spec import ClusterSpec
from minitf.core.graph import dtypes, errors, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.device_spec import DeviceSpec
from minitf.core.graph.graph import Graph
from minitf.core.graph.logging import warning
from minitf.core.ops import control as control_ops
from minitf.core.ops.array import identity
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.cast import cast
from minitf.core.runtime.run.devices import NumpyDevice, offer
from minitf.core.runtime.session.config import ConfigProto
from minitf.core.runtime.session.session import Session
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.variable_scope import VariableScope, variable_scope
from minitf.library.distribute.resolvers import ClusterResolver, format_master_url
from minitf.library.distribute.strategies import MirroredStrategy
from minitf.library.distribute.values import PerReplica
from minitf.library.losses import Reduction
from minitf.library.optimizers.optimizers import AroundOptimizer

_DEFAULT_CORES = 8  # of one machine, as Google lends them
_cores = 0


@final
class SimulatedTpu(NumpyDevice):
    """A TPU core that is not there: NumPy in a memory space of its own. Arrivals are copied."""

    device_type = "TPU"
    simulated = True

    @property
    def description(self) -> str:
        """What it is, for a person."""
        return "simulated TPU core (NumPy on the CPU; no TPU)"


def _count() -> int:
    text = os.environ.get("MINITF_SIMULATED_TPUS", "")
    if text and not text.isdigit():
        raise ValueError(f"MINITF_SIMULATED_TPUS must be a number of TPU cores, got {text!r}.")
    return max(int(text or 0), _cores)


def simulate_tpus(count: int) -> None:
    """Gives every session made from now on `count` simulated TPU cores.

    The environment variable MINITF_SIMULATED_TPUS says it without touching the program.

    Raises:
      ValueError: when `count` is negative.
    """
    global _cores
    if count < 0:
        raise ValueError(f"The number of simulated TPU cores must be >= 0, got {count}.")
    _cores = count


offer(SimulatedTpu, _count)


class TPUClusterResolver(ClusterResolver):
    """Finds the cores of a TPU. There is none here: it gives this process simulated ones.

    Args:
      tpu: "" or "local" for this machine's; a name, which stands for the same here; or
        "grpc://host:port" of a minitf server, whose simulated cores are used.
      zone, project, credentials, service, discovery_url: of Google's cloud, which is not asked.
      job_name: the job that the TPU's machines are.
      coordinator_name, coordinator_address: a job of one task to add to the cluster.
    Example:
      >>> resolver = tf.distribute.cluster_resolver.TPUClusterResolver("")
      >>> resolver
      <TPUClusterResolver tpu='local': 8 simulated cores>
      >>> resolver.num_accelerators()
      {'TPU': 8}
    """

    def __init__(
        self,
        tpu: str | None = None,
        zone: str | None = None,
        project: str | None = None,
        job_name: str = "worker",
        coordinator_name: str | None = None,
        coordinator_address: str | None = None,
        credentials: Any = "default",
        service: Any = None,
        discovery_url: str | None = None,
    ) -> None:
        name = os.environ.get("TPU_NAME", "") if tpu is None else tpu
        name = name.decode() if isinstance(name, bytes) else name
        if not isinstance(name, str):
            raise TypeError(f"`tpu` must be the name or the address of one TPU, got {tpu!r}.")
        self._tpu = name or "local"
        self._remote = self._tpu.removeprefix("grpc://") if "://" in self._tpu else ""
        self.task_type, self.task_id = job_name, 0
        self._coordinator = (coordinator_name, coordinator_address)
        self.tpu_hardware_feature: Any = None
        if not self._remote and not _count():
            simulate_tpus(_DEFAULT_CORES)

    def __repr__(self) -> str:
        cores = f"at {self._remote}" if self._remote else self.num_accelerators()["TPU"]
        return f"<TPUClusterResolver tpu={self._tpu!r}: {cores} simulated cores>"

    def __deepcopy__(self, memo: Any) -> TPUClusterResolver:
        return self  # a RunConfig copies what it is made of

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """What a session connects to: empty, for this process, unless `tpu` was an address."""
        if not self._remote:
            return ""
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        return format_master_url(self.cluster_spec().task_address(str(job), index or 0), "grpc")

    def cluster_spec(self) -> ClusterSpec:
        """The machines with TPU chips; an empty cluster for this process."""
        if not self._remote:
            return ClusterSpec({})
        cluster = {str(self.task_type): [self._remote]}
        name, address = self._coordinator
        if name and address:
            cluster[name] = [address]
        return ClusterSpec(cluster)

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: ConfigProto | None = None,
    ) -> dict[str, int]:
        """How many cores each machine has: {"TPU": 8}."""
        with Session(self.master(), Graph(), config_proto) as session:
            specs = [DeviceSpec.from_string(device.name) for device in session.list_devices()]
        hosts = Counter((spec.job, spec.task) for spec in specs if spec.device_type == "TPU")
        return {"TPU": max(hosts.values(), default=0)}


_initialized: set[str] = set()


def initialize_tpu_system(cluster_resolver: TPUClusterResolver | None = None) -> None:
    """Makes the cores of a TPU ready, which the simulated ones are.

    Args:
      cluster_resolver: says which TPU; this process's simulated one by default.
    Raises:
      NotFoundError: when it has no cores.
    """
    resolver = TPUClusterResolver("") if cluster_resolver is None else cluster_resolver
    if resolver._tpu in _initialized:
        warning(
            "TPU system %s has already been initialized. Reinitializing the TPU can cause "
            "previously created variables on TPU to be lost.",
            resolver._tpu,
        )
    if not resolver.num_accelerators()["TPU"]:
        raise errors.NotFoundError(
            None, None, f"TPUs not found in the cluster: {resolver!r} has no simulated TPU cores."
        )
    _initialized.add(resolver._tpu)


# ---- the strategy -------------------------------------------------------------------------


class TPUStrategy(MirroredStrategy):
    """One replica on each TPU core, step by step together. The cores are simulated.

    Args:
      tpu_cluster_resolver: says which TPU; this process's simulated one by default.
      steps_per_run: kept: how many steps a program means to run at once.
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
    ) -> None:
        self.cluster_resolver = resolver = tpu_cluster_resolver or TPUClusterResolver("")
        cores = resolver.num_accelerators()["TPU"]
        if not cores:
            raise RuntimeError(f"{resolver!r} has no simulated TPU cores.")
        names = [f"/device:TPU:{i}" for i in range(cores)]
        if resolver.master():
            names = [f"/job:{resolver.task_type}/task:0{name}" for name in names]
        super().__init__(names)
        self.steps_per_run = steps_per_run or 1

    def __repr__(self) -> str:
        return f"<TPUStrategy on {self.num_replicas_in_sync} simulated TPU cores>"

    def _session_target(self) -> str:
        return self.cluster_resolver.master()


# ---- functions on cores --------------------------------------------------------------------


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
    device_assignment: Any = None,
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
    strategy = TPUStrategy()
    if len(every) > strategy.num_replicas_in_sync:
        raise ValueError(
            f"{len(every)} replicas were asked for, but there are "
            f"{strategy.num_replicas_in_sync} simulated TPU cores."
        )
    strategy._devices = strategy._devices[: len(every)]

    def call(*own: Any) -> list[Any]:
        found = computation(*own)
        flat = list(found) if isinstance(found, (list, tuple)) else [found]
        tensors = [convert_to_tensor(x) for x in flat if hasattr(x, "dtype")]
        operations = [x for x in flat if x is not None and not hasattr(x, "dtype")]
        with stacks.control_dependencies(operations):
            return [identity(x) for x in tensors] or [control_ops.no_op()]

    arguments = [PerReplica(column) for column in zip(*every, strict=True)]
    with stacks.name_scope(name, "tpu_replicate"), strategy.scope():
        results = strategy.call_for_each_replica(call, args=arguments)
    columns = [strategy.experimental_local_results(each) for each in results]
    return [list(row) for row in zip(*columns, strict=True)]


def rewrite(
    computation: Callable,
    inputs: Sequence[Any] | None = None,
    infeed_queue: Any = None,
    device_assignment: Any = None,
    name: str | None = None,
) -> Any:
    """Calls a function on one core; see `replicate`.

    Args:
      inputs: its arguments.
    Returns: a list of its results.
    """
    return replicate(computation, None if inputs is None else [inputs], name=name)[0]


def batch_parallel(
    computation: Callable,
    inputs: Sequence[Any] | None = None,
    num_shards: int = 1,
    infeed_queue: Any = None,
    device_assignment: Any = None,
    name: str | None = None,
) -> list[Any]:
    """Cuts the inputs along the first axis, calls a function on so many cores, joins the results.

    Args:
      computation: the function.
      inputs: its arguments, whole.
      num_shards: how many cores.
      infeed_queue, device_assignment: see `replicate`.
      name: the name scope.
    Returns: a list of results.
    """
    if num_shards <= 0:
        raise ValueError(
            f"num_shards must be a positive integer. Received num_shards: {num_shards}"
        )
    parts = [split(convert_to_tensor(x), num_shards) for x in inputs or ()]
    results = replicate(computation, [[p[i] for p in parts] for i in range(num_shards)], name=name)
    return [
        concat(list(column), 0) if hasattr(column[0], "dtype") else column[0]
        for column in zip(*results, strict=True)
    ]


def initialize_system(embedding_config: Any = None, job: str | None = None) -> Any:
    """An operation that makes a TPU ready: simulated cores are."""
    return control_ops.no_op(name="initialize_tpu_system")


def shutdown_system(job: str | None = None) -> Any:
    """An operation that ends the use of a TPU."""
    return control_ops.no_op(name="shutdown_tpu_system")


# ---- bfloat16 ----------------------------------------------------------------------------


@contextmanager
def bfloat16_scope(name: str | None = None) -> Iterator[VariableScope]:
    """A variable scope in which `get_variable` of bfloat16 keeps float32, and gives it rounded.

    Args:
      name: of the scope; no scope of names when None.
    Example:
      >>> with tf.contrib.tpu.bfloat16_scope():
      ...     w = tf.get_variable("w", [2], tf.bfloat16)
      >>> w.dtype, tf.global_variables()[-1].dtype
      (tf.bfloat16, tf.float32_ref)
    """
    with variable_scope(name or "", custom_getter=_rounded_getter) as scope:
        yield scope


def _rounded_getter(getter: Callable, *args: Any, **kwargs: Any) -> Any:
    if kwargs["dtype"] != dtypes.bfloat16:
        return getter(*args, **kwargs)
    return cast(getter(*args, **{**kwargs, "dtype": dtypes.float32}), dtypes.bfloat16)

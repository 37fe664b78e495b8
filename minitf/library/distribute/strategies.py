"""The strategies: mirrored variables on one machine or in all workers, or variables in one place.

MirroredStrategy, OneDeviceStrategy     the replicas of one program on one machine
CentralStorageStrategy                  the same, each variable on one device
ParameterServerStrategy                 workers of a cluster, variables on parameter servers
MultiWorkerMirroredStrategy             workers of a cluster, each with copies of the variables
"""

from __future__ import annotations

import atexit
import copy
import enum
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from minitf.core.cluster.cluster_spec import ClusterSpec
from minitf.core.cluster.service.server import Server
from minitf.core.gradients.gradients import add_gradients
from minitf.core.graph import logging, stacks
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.device_spec import DeviceSpec
from minitf.core.graph.stacks import GraphKeys
from minitf.core.train.device_setter import replica_device_setter
from minitf.core.variables.variables import VARIABLE_OP_TYPES
from minitf.library.distribute import variables
from minitf.library.distribute.collectives.groups import Collectives, of_task
from minitf.library.distribute.collectives.ops import all_gather, all_reduce
from minitf.library.distribute.cross_device_ops import (
    CrossDeviceOps,
    NcclAllReduce,
    ReduceOp,
    ReductionToOneDevice,
    canonicalize,
    devices_of,
    scaled,
    simple_broadcast,
)
from minitf.library.distribute.resolvers import TFConfigClusterResolver
from minitf.library.distribute.strategy import Strategy
from minitf.library.distribute.values import is_mirrored, local_results
from minitf.library.eager import kernels
from minitf.library.graph_tools.physical_devices import list_logical_devices


def all_devices(task: str = "") -> list[str]:
    """All GPUs of this machine, or its one processor; with the name of the task before them."""
    gpus = [device.name for device in list_logical_devices("GPU")]
    return [f"{task}{name}" for name in gpus or ["/device:CPU:0"]]


class MirroredStrategy(Strategy):
    """One replica on each device, each with a copy of the variables, step by step together.

    Args:
      devices: their names; by default all GPUs, or the CPU.
      cross_device_ops: how gradients are added: `NcclAllReduce` by default on GPUs, else
        `ReductionToOneDevice`.
    Example:
      >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
      >>> strategy.num_replicas_in_sync
      2
    """

    def __init__(
        self, devices: Sequence[str] | None = None, cross_device_ops: CrossDeviceOps | None = None
    ) -> None:
        if isinstance(devices, str):
            devices = [devices]
        names = tuple(canonicalize(d) for d in (devices or all_devices()))
        if len(set(names)) != len(names):
            raise AssertionError(f"No duplicates allowed in `devices` argument: {names}")
        super().__init__(names, cross_device_ops or _fitting(names))
        logging.info("Using MirroredStrategy with devices %r", names)

    def update_config_proto(self, config_proto: Any) -> Any:
        """See `Strategy.update_config_proto`."""
        return _configured(config_proto, True)


def _configured(config_proto: Any, isolated: bool, filters: Sequence[str] = ()) -> Any:
    """A copy of a configuration: whether its sessions share variables, and the devices they see."""
    updated = copy.deepcopy(config_proto)
    updated.isolate_session_state = isolated
    if filters:
        updated.device_filters = list(filters)
    return updated


def _fitting(devices: Sequence[str]) -> CrossDeviceOps:
    kinds = {DeviceSpec.from_string(device).device_type for device in devices}
    return NcclAllReduce() if kinds == {"GPU"} and len(devices) > 1 else ReductionToOneDevice()


class OneDeviceStrategy(Strategy):
    """Everything on one device: a program that is written for strategies, without their work.

    Args:
      device: its name.
    """

    def __init__(self, device: str) -> None:
        super().__init__([device])

    def _create_variable(self, next_creator: Callable, home: Any, **kwargs: Any) -> Any:
        with stacks.device(None), stacks.device(self._devices[0]):
            return next_creator(**kwargs)


# ---- tasks of a cluster -------------------------------------------------------------------
#
# Which task of a cluster a strategy is in, as its resolver says.

_servers: dict[tuple, Any] = {}  # that strategies of this program have started, by task


@dataclass(frozen=True)
class Task:
    """One task of a cluster; of an empty one where the program runs alone.

    Args:
      cluster: the cluster.
      job: the type of the task, as "worker".
      index: its number.
    """

    cluster: ClusterSpec
    job: str = ""
    index: int = 0

    @staticmethod
    def of(resolver: Any) -> Task:
        """The task that a resolver names.

        Raises:
          ValueError: when it knows a cluster, but not the task.
        """
        cluster = resolver.cluster_spec() if resolver is not None else None
        if not cluster or resolver.task_type == "evaluator":
            return Task(ClusterSpec({}))
        if resolver.task_type is None or resolver.task_id is None:
            raise ValueError(
                "When `cluster_spec` is given, you must also specify `task_type` and `task_id`."
            )
        return Task(ClusterSpec(cluster), resolver.task_type, resolver.task_id)

    @property
    def is_alone(self) -> bool:
        """Whether there is no cluster."""
        return not self.cluster.jobs

    @property
    def is_chief(self) -> bool:
        """Whether this task initializes variables and writes checkpoints."""
        has_chief = "chief" in self.cluster.jobs
        return self.is_alone or self.job == "chief" or (not has_chief and self.worker_index == 0)

    @property
    def workers(self) -> int:
        """The number of tasks that train."""
        jobs = self.cluster.as_dict()
        return max(1, len(jobs.get("chief", [])) + len(jobs.get("worker", [])))

    @property
    def worker_index(self) -> int:
        """The number of this task among those."""
        after_chief = self.job == "worker" and "chief" in self.cluster.jobs
        return self.index + after_chief

    @property
    def device(self) -> str:
        """The name of the task, as a device name."""
        return "" if self.is_alone else f"/job:{self.job}/task:{self.index}"

    def join_cluster(self) -> None:
        """What runs eagerly here is from now on done by this task, whose server is started."""
        peers = self.server()._peers
        kernels.join_cluster(f"/job:{self.job}/replica:0/task:{self.index}", peers)
        atexit.register(of_task(peers.kept, lambda: Collectives(peers)).leave)

    def server(self, start: Callable[..., Any] = Server) -> Any:
        """The server of this task; started when it is asked for first, and kept."""
        key = (str(self.cluster.as_dict()), self.job, self.index)
        if key not in _servers:
            _servers[key] = start(self.cluster, job_name=self.job, task_index=self.index)
        return _servers[key]


# ---- variables in one place ---------------------------------------------------------------
#
# `ParameterServerStrategy` on the parameter servers of a cluster.
#
#     one machine    GPU:0 ──┐ gradients             ┌── ps:0  W1        a cluster; each worker has
#                    GPU:1 ──┴──> CPU:0  W1, W2      └── ps:1  W2        its own graph, and its pace
#
# What several replicas of one worker write is added first (`AggregatingVariable`); workers do not
# wait for each other.


class _OfServers(Strategy):
    """What both strategies share."""

    def _start(self, resolver: Any, computing: Any, storing: Any) -> None:
        self.cluster_resolver = resolver
        self._task = task = Task.of(resolver)
        devices = list(computing or all_devices(task.device))
        super().__init__(devices, ReductionToOneDevice())
        self._variable_device: Any
        if task.is_alone:
            storing = storing or (devices[0] if len(devices) == 1 else "/device:CPU:0")
            self._variable_device = storing
            self._parameter_devices: tuple[str, ...] = (self._variable_device,)
            logging.info(
                "ParameterServerStrategy (CentralStorageStrategy if you are using a single "
                "machine) with compute_devices = %r, variable_device = %r",
                self._devices,
                self._variable_device,
            )
            return
        servers = len(task.cluster.as_dict().get("ps", []))
        if not servers:
            raise ValueError("The cluster spec needs to have `ps` jobs.")
        self._default_device = task.device
        self._variable_device = replica_device_setter(
            ps_tasks=servers, worker_device=task.device, cluster=task.cluster
        )
        self._parameter_devices = tuple(f"/job:ps/task:{i}" for i in range(servers))
        logging.info(
            "Multi-worker ParameterServerStrategy with cluster_spec = %r, task_type = %r, "
            "task_id = %r, num_ps_replicas = %r, is_chief = %r, devices = %r, "
            "variable_device = %r",
            task.cluster.as_dict(),
            task.job,
            task.index,
            servers,
            task.is_chief,
            self._devices,
            self._variable_device,
        )

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that hold variables."""
        return self._parameter_devices

    @property
    def experimental_should_init(self) -> bool:  # type: ignore[override]
        """Whether this task initializes the variables."""
        return self._task.is_chief

    should_checkpoint = experimental_should_init

    def _create_variable(self, next_creator: Callable, home: Any, **kwargs: Any) -> Any:
        beside = _variable_beside() if home is None else home.op
        with stacks.colocate_with(beside, ignore_existing=True), stacks.device(None):
            place = nullcontext() if beside is not None else stacks.device(self._variable_device)
            with place:
                if self.num_replicas_in_sync == 1:
                    return next_creator(**kwargs)
                collections = kwargs.pop("collections", None) or [GraphKeys.GLOBAL_VARIABLES]
                variable = next_creator(**kwargs, collections=[])
        made = variables.AggregatingVariable(self, variable, kwargs["aggregation"])
        variables.collect(made, collections)
        return made

    def non_slot_devices(self, var_list: Sequence[Any]) -> Any:
        """The variable beside which an optimizer keeps what is not a slot: the first by name."""
        return min(var_list, key=lambda each: each.name)

    def _copies_of(self, var: Any) -> Sequence[Any]:
        return local_results(var)

    def _at_copy(
        self, i: int, place: Any, several: bool, fn: Callable, args: Any, kwargs: Any
    ) -> Any:
        """Calls `fn` where the variable is."""
        if isinstance(place, str):
            return super()._at_copy(i, place, False, fn, args, kwargs)
        with stacks.colocate_with(place.op):
            return super()._at_copy(i, "", False, fn, args, kwargs)

    def update_config_proto(self, config_proto: Any) -> Any:
        """See `Strategy.update_config_proto`."""
        trains = self._task.job in ("chief", "worker")
        filters = [self._task.device, "/job:ps"] if trains else []
        return _configured(config_proto, self._task.is_alone, filters)


class CentralStorageStrategy(_OfServers):
    """Variables on one device, one replica on each of the devices that compute.

    Args:
      compute_devices: by default all GPUs, or the CPU.
      parameter_device: by default the one device that computes, else the CPU.
    """

    def __init__(
        self, compute_devices: Sequence[str] | None = None, parameter_device: str | None = None
    ) -> None:
        self._start(None, compute_devices, parameter_device)


class ParameterServerStrategy(_OfServers):
    """Variables on the parameter servers of a cluster; each worker trains at its own pace.

    The program runs once in each worker, and builds a graph of its own for its replicas.

    Args:
      cluster_resolver: who knows the cluster; by default the environment variable TF_CONFIG.
        Where there is none, this is a `CentralStorageStrategy`.
    """

    def __init__(self, cluster_resolver: Any = None) -> None:
        self._start(cluster_resolver or TFConfigClusterResolver(), None, None)

    def scope(self) -> Any:
        """A context in which variables stand on the parameter servers; see `Strategy.scope`.

        Raises:
          NotImplementedError: under eager execution.
        """
        self._check_mode()
        return super().scope()

    def _shared_out(self, dataset: Any, cuts: bool) -> Any:
        self._check_mode()
        return super()._shared_out(dataset, cuts)

    def _check_mode(self) -> None:
        if stacks.executing_eagerly() and self._in_multi_worker_mode():
            raise NotImplementedError(
                "`tf.compat.v1.distribute.experimental.ParameterServerStrategy` currently only "
                "works with the tf.Estimator API"
            )


def _variable_beside() -> Any:
    """The variable that a slot is being made for, which it is to stand beside; or None."""
    around = stacks.get_default_graph()._scopes.colocation
    return next(
        (op for op in reversed(around) if getattr(op, "type", "") in VARIABLE_OP_TYPES), None
    )


# ---- mirrored variables in all workers ----------------------------------------------------
#
#     worker 0   W ──> forward, backward ──> dW ──┐ all-reduce ┌──> W -= rate * sum
#     worker 1   W ──> forward, backward ──> dW ──┘            └──> W -= rate * sum
#
# Each worker runs the same program and builds its own graph; the collective operations of the
# graphs meet (`collectives/`). No one is in charge: the first worker only gives the variables
# their first values, and writes the checkpoints.


class CollectiveCommunication(enum.Enum):
    """How the workers reduce: AUTO and NCCL choose by the size, RING always goes around."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CollectiveKeys:
    """Numbers the collective operations of one graph, in the same order in every worker."""

    TURN = 8  # keys of what runs at once: it is over when the next one comes

    def __init__(self) -> None:
        self._next: dict[Any, int] = {}

    def instance(self, group: int) -> int:
        """The key of the next operation of a group in the graph that is current."""
        at_once = stacks.executing_eagerly()
        key = (stacks.outermost(), group, at_once)
        number = self._next[key] = self._next.get(key, -1) + 1
        return 100 + 1000 * group + (number % self.TURN if at_once else number)


class CollectiveAllReduce(CrossDeviceOps):
    """Reduces over all replicas of all workers: in each worker first, then by a collective.

    So the collectives of a worker are all on one device, which runs them in the order that its
    program has, and that is the same in every worker: they cannot wait for each other crosswise.

    Args:
      group_size: the number of workers.
      communication: a `CollectiveCommunication`.
      keys: of the operations.
    """

    GROUP = 1

    def __init__(
        self, group_size: int, communication: CollectiveCommunication, keys: CollectiveKeys
    ) -> None:
        self._group_size, self._keys = group_size, keys
        self._hint = communication.value.lower()

    def reduce_implementation(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any
    ) -> Any:
        """The sum or mean over all replicas of all workers; see `CrossDeviceOps.reduce`."""
        values = local_results(per_replica_value)
        wanted = devices_of(destinations)
        home = canonicalize(getattr(values[0], "device", "") or "")
        with stacks.device(home):
            own: Any = add_gradients(list(values)) if len(values) > 1 else values[0]
            if isinstance(own, IndexedSlices) and _rows(own):
                keys = [self._keys.instance(self.GROUP) for _ in range(2)]
                total: Any = IndexedSlices(
                    self._gathered(own.values, keys[0]),
                    self._gathered(own.indices, keys[1]),
                    own.dense_shape,
                )
            else:
                total = all_reduce(
                    convert_to_tensor(own),
                    self._group_size,
                    self.GROUP,
                    self._keys.instance(self.GROUP),
                    communication_hint=self._hint,
                )
            if reduce_op is ReduceOp.MEAN:
                total = scaled(total, self._group_size * len(values))
        return simple_broadcast(total, wanted)

    def _gathered(self, value: Any, key: Any) -> Any:
        return all_gather(value, self._group_size, self.GROUP, key, communication_hint=self._hint)


def _rows(slices: IndexedSlices) -> bool:
    """Whether the number of rows is known, so that it is the same in all replicas."""
    sizes = slices.values.shape
    return bool(sizes.ndims) and sizes.as_list()[0] is not None


class MultiWorkerMirroredStrategy(Strategy):
    """One replica on each device of each worker, each with a copy of the variables.

    The program runs once in each worker. Its session runs in the server of its task
    (`strategy.server()`, or a `tf.train.Server` that the program starts). Under eager
    execution the strategy starts that server at once, and what runs eagerly meets through it.

    Args:
      communication: how the workers reduce.
      cluster_resolver: who knows the cluster; by default the environment variable TF_CONFIG.
    """

    #: the group of the workers, whose first one gives the variables their first values
    GROUP = 2

    def __init__(
        self,
        communication: CollectiveCommunication = CollectiveCommunication.AUTO,
        cluster_resolver: Any = None,
    ) -> None:
        if not isinstance(communication, CollectiveCommunication):
            raise ValueError(f"{communication!r} is no CollectiveCommunication.")
        self.cluster_resolver = cluster_resolver or TFConfigClusterResolver()
        self._task = task = Task.of(self.cluster_resolver)
        if task.job not in ("", "chief", "worker"):
            raise ValueError(
                f"MultiWorkerMirroredStrategy runs in chief and workers, not in '{task.job}'."
            )
        if stacks.outermost().runs_at_once and not task.is_alone:
            task.join_cluster()
        devices = all_devices(task.device)
        self._keys = CollectiveKeys()
        reducing = CollectiveAllReduce(task.workers, communication, self._keys)
        super().__init__(devices, reducing)
        self._default_device = task.device or None
        if task.is_alone:
            logging.info(
                "Single-worker CollectiveAllReduceStrategy with local_devices = %r, "
                "communication = %s",
                self._devices,
                communication,
            )
        else:
            logging.info(
                "Multi-worker CollectiveAllReduceStrategy with cluster_spec = %r, task_type = %r, "
                "task_id = %r, num_workers = %r, local_devices = %r, communication = %s",
                task.cluster.as_dict(),
                task.job,
                task.index,
                task.workers,
                self._devices,
                communication,
            )

    def server(self) -> Any:
        """The server of this task, started when it is asked for first: a session's target.

        Returns: a `tf.train.Server`; None where there is no cluster.
        """
        return None if self._task.is_alone else self._task.server()

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas whose gradients are added."""
        return len(self._devices) * self._task.workers

    def _replica_id_in_sync_group(self, replica_id: int) -> int:
        return self._task.worker_index * len(self._devices) + replica_id

    @property
    def should_checkpoint(self) -> bool:  # type: ignore[override]
        """Whether this task writes checkpoints, and summaries."""
        return self._task.is_chief

    def _create_variable(self, next_creator: Callable, home: Any, **kwargs: Any) -> Any:
        kwargs["initial_value"] = self._first_value(kwargs["initial_value"], kwargs.get("dtype"))
        return super()._create_variable(next_creator, home, **kwargs)

    def _first_value(self, initial_value: Any, dtype: Any) -> Any:
        """The first worker's value, for all."""
        workers = self._task.workers
        if workers == 1:
            return initial_value
        key = self._keys.instance(self.GROUP)

        def spread() -> Any:
            given = initial_value() if callable(initial_value) else initial_value
            value = convert_to_tensor(given, dtype)
            with stacks.device(self._devices[0]):
                all_values = all_gather(value[None], workers, self.GROUP, key)
                return all_values[0]

        return spread

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        if is_mirrored(value) and reduce_op is ReduceOp.MEAN:
            return value
        if self._task.workers == 1:
            return super()._reduce_to(reduce_op, value, destinations)
        return self._cross_device_ops.reduce(reduce_op, value, destinations)

    def update_config_proto(self, config_proto: Any) -> Any:
        """See `Strategy.update_config_proto`."""
        alone = self._task.is_alone
        return _configured(config_proto, alone, [] if alone else [self._task.device])

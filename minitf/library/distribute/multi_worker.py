"""`MultiWorkerMirroredStrategy`: mirrored variables in all workers of a cluster.

    worker 0   W ──> forward, backward ──> dW ──┐ all-reduce ┌──> W -= rate * sum
    worker 1   W ──> forward, backward ──> dW ──┘            └──> W -= rate * sum

Each worker runs the same program and builds its own graph; the collective operations of the graphs
meet (`collectives/`). No one is in charge: the first worker only gives the variables their first
values, and writes the checkpoints.
"""

from __future__ import annotations

import copy
import enum
from collections.abc import Callable
from typing import Any

from minitf.core.gradients.gradients import add_gradients
from minitf.core.graph import logging, stacks
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.ops.array import identity
from minitf.library.distribute.collectives.ops import (
    all_gather,
    all_reduce,
    broadcast_recv,
    broadcast_send,
)
from minitf.library.distribute.cross_device_ops import (
    CrossDeviceOps,
    ReduceOp,
    canonicalize,
    devices_of,
    scaled,
    simple_broadcast,
)
from minitf.library.distribute.resolvers import TFConfigClusterResolver
from minitf.library.distribute.strategy import Strategy
from minitf.library.distribute.values import is_mirrored, local_results
from minitf.library.distribute.workers import Task


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
        devices = task.compute_devices()
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
        """The value that the first worker gives to all."""
        workers, first = self._task.workers, self._task.worker_index == 0
        if workers == 1:
            return initial_value
        key = self._keys.instance(self.GROUP)

        def spread() -> Any:
            given = initial_value() if callable(initial_value) else initial_value
            value = convert_to_tensor(given, dtype)
            with stacks.device(self._devices[0]):
                if first:
                    sent = broadcast_send(value, value.shape, value.dtype, workers, self.GROUP, key)
                    with stacks.control_dependencies([sent]):
                        return identity(value)
                return broadcast_recv(value.shape, value.dtype, workers, self.GROUP, key)

        return spread

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        if is_mirrored(value) and reduce_op is ReduceOp.MEAN:
            return value
        if self._task.workers == 1:
            return super()._reduce_to(reduce_op, value, destinations)
        return self._cross_device_ops.reduce(reduce_op, value, destinations)

    def update_config_proto(self, config_proto: Any) -> Any:
        """See `Strategy.update_config_proto`."""
        updated = copy.deepcopy(config_proto)
        updated.isolate_session_state = self._task.is_alone
        if not self._task.is_alone:
            updated.device_filters = [self._task.device]
        return updated

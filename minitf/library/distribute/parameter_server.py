"""Strategies that keep each variable in one place: `CentralStorageStrategy` on this machine,
`ParameterServerStrategy` on the parameter servers of a cluster.

    one machine    GPU:0 ──┐ gradients             ┌── ps:0  W1        a cluster; each worker has
                   GPU:1 ──┴──> CPU:0  W1, W2      └── ps:1  W2        its own graph, and its pace

What several replicas of one worker write is added first (`AggregatingVariable`); workers do not
wait for each other.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from minitf.core.graph import logging, stacks
from minitf.core.graph.stacks import GraphKeys
from minitf.core.train.device_setter import replica_device_setter
from minitf.core.variables.variables import VARIABLE_OP_TYPES
from minitf.library.distribute import variables
from minitf.library.distribute.cross_device_ops import ReductionToOneDevice
from minitf.library.distribute.inputs import Inputs
from minitf.library.distribute.resolvers import TFConfigClusterResolver
from minitf.library.distribute.strategy import Strategy
from minitf.library.distribute.values import local_results
from minitf.library.distribute.workers import Task


class _OfServers(Strategy):
    """What both strategies share."""

    def _start(self, resolver: Any, computing: Any, storing: Any) -> None:
        self.cluster_resolver = resolver
        self._task = task = Task.of(resolver)
        devices = list(computing or task.compute_devices())
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
        updated = copy.deepcopy(config_proto)
        updated.isolate_session_state = self._task.is_alone
        if self._task.job in ("chief", "worker"):
            updated.device_filters = [self._task.device, "/job:ps"]
        return updated


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
        self._inputs()
        return super().scope()

    def _inputs(self) -> Inputs:
        if stacks.executing_eagerly() and self._in_multi_worker_mode():
            raise NotImplementedError(
                "`tf.compat.v1.distribute.experimental.ParameterServerStrategy` currently only "
                "works with the tf.Estimator API"
            )
        return super()._inputs()


def _variable_beside() -> Any:
    """The variable that a slot is being made for, which it is to stand beside; or None."""
    around = stacks.get_default_graph()._scopes.colocation
    return next(
        (op for op in reversed(around) if getattr(op, "type", "") in VARIABLE_OP_TYPES), None
    )

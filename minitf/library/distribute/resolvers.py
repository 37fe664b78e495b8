"""Who is in the cluster: answers from `TF_CONFIG` or from Slurm.

    TFConfigClusterResolver    the environment variable TF_CONFIG
    SlurmClusterResolver       the environment of a Slurm job step
    tpu.py                     the (simulated) cores of a TPU

A strategy asks its resolver for the cluster, for the task that this program is, and for the
accelerators of each. It asks again each time, since tasks come and go.
"""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from minitf.core.cluster.cluster_spec import ClusterSpec
from minitf.core.graph import stacks
from minitf.core.graph.device_spec import DeviceSpec
from minitf.core.graph.graph import Graph
from minitf.core.runtime.run.devices import count_gpus
from minitf.core.runtime.session.config import ConfigProto
from minitf.core.runtime.session.session import Session

VARIABLE = "TF_CONFIG"


def format_master_url(master: str, rpc_layer: str | None = None) -> str:
    """ "grpc://host:port" of an address, or the address itself where no layer is named."""
    return f"{rpc_layer}://{master}" if rpc_layer else master


class ClusterResolver(ABC):
    """Tells strategies who is in a cluster; the base of all resolvers.

    One of your own says what `cluster_spec` and `master` return, and, where a program is started in
    each task, sets `task_type`, `task_id` and `rpc_layer`.

    Attributes:
      task_type: the job of this program's task, as "worker"; None where programs have no task.
      task_id: its index in the job.
      rpc_layer: what stands before "://" in addresses, as "grpc".
      environment: the kind of place that the program runs in; empty for any.
    """

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None
    environment: Any = ""

    @abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """The cluster as it is now: a `tf.train.ClusterSpec`."""
        raise NotImplementedError()

    @abstractmethod
    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """What a session connects to.

        Args:
          task_type, task_id: the task that is asked about; the resolver's own by default.
          rpc_layer: what stands before "://" in the address.
        """
        raise NotImplementedError()

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: ConfigProto | None = None,
    ) -> dict[str, int]:
        """How many devices the cluster, or one task of it, has: {"GPU": 2}.

        Eager programs count accelerators; in graphs, as a session lists them, CPUs are counted too.

        Args:
          task_type, task_id: count this task's only.
          config_proto: of the session that asks.
        """
        with Session(self.master(task_type, task_id), Graph(), config_proto) as session:
            devices = [DeviceSpec.from_string(each.name) for each in session.list_devices()]
        counts: dict[str, int] = defaultdict(int)
        for device in devices:
            here = None in (task_type, task_id) or (device.job, device.task) == (task_type, task_id)
            if here and not (device.device_type == "CPU" and stacks.executing_eagerly()):
                counts[str(device.device_type)] += 1
        return counts

    def _address(self, task_type: Any, task_id: Any, rpc_layer: Any) -> str:
        """The address of a task of the cluster."""
        address = self.cluster_spec().task_address(task_type, task_id)
        return format_master_url(address, rpc_layer or self.rpc_layer)


def _in_variable(name: str, doc: str) -> Any:
    """A property that TF_CONFIG tells, unless the program has said it."""

    def get(resolver: Any) -> Any:
        if resolver._given[name] is not None:
            return resolver._given[name]
        content = _tf_config()
        if name == "rpc_layer":
            return content.get(name)
        read, key = (str, "type") if name == "task_type" else (int, "index")
        found = content.get("task", {}).get(key)
        return None if found is None else read(found)

    return property(get, lambda resolver, value: resolver._given.update({name: value}), doc=doc)


class TFConfigClusterResolver(ClusterResolver):
    """Reads the environment variable TF_CONFIG, each time it is asked.

    Args:
      task_type, task_id, rpc_layer, environment: in place of what TF_CONFIG says.
    Example:
      >>> os.environ["TF_CONFIG"] = json.dumps({  # doctest: +SKIP
      ...     "cluster": {"worker": ["a:2222", "b:2222"]}, "task": {"type": "worker", "index": 0}})
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        self._given = {"task_type": task_type, "task_id": task_id, "rpc_layer": rpc_layer}
        self.environment = environment

    task_type = _in_variable("task_type", "The type of the task in TF_CONFIG.")
    task_id = _in_variable("task_id", "The index of the task in TF_CONFIG.")
    rpc_layer = _in_variable("rpc_layer", "The `rpc_layer` in TF_CONFIG.")

    def cluster_spec(self) -> ClusterSpec:
        """The cluster in TF_CONFIG; empty where it says none."""
        return ClusterSpec(_tf_config().get("cluster", {}))

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address of the task; empty, for this process, where the cluster has one task."""
        if (session_master := _tf_config().get("session_master")) is not None:
            return session_master
        cluster = self.cluster_spec()
        jobs = cluster.jobs
        if not jobs or (len(jobs) == 1 and len(cluster.job_tasks(jobs[0])) == 1):
            return ""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        address = cluster.task_address(task_type, task_id)
        return format_master_url(address, self.rpc_layer if rpc_layer is None else rpc_layer)

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: ConfigProto | None = None,
    ) -> dict[str, int]:
        """The accelerators of this program's task, or of the one that is named."""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        return super().num_accelerators(task_type, task_id, config_proto)


def _tf_config() -> dict[str, Any]:
    text = os.environ.get(VARIABLE, "").strip()
    try:
        content = json.loads(text or "{}")
    except ValueError as error:
        raise ValueError(f"{VARIABLE} is not JSON: {error}. It reads {text!r}") from None
    if not isinstance(content, dict) or not isinstance(content.get("task", {}), dict):
        raise ValueError(f"{VARIABLE} must be an object with 'cluster' and 'task', not {text!r}")
    return content


# ---- Slurm -------------------------------------------------------------------------------


class SlurmClusterResolver(ClusterResolver):
    """Shares the tasks of a Slurm job step out to jobs of TensorFlow, in the order of their ranks.

    What is not passed comes from the environment that Slurm's `srun` makes: SLURM_PROCID,
    SLURM_STEP_NUM_TASKS, SLURM_STEP_NODELIST and SLURM_STEP_TASKS_PER_NODE, or the same without
    STEP; under `mpirun` rank and number of tasks are Open MPI's.

    Args:
      jobs: {job: how many tasks}, shared out in the order of their names; by default all tasks
        are workers.
      port_base: the port of a node's first task; the next one has the next.
      gpus_per_node: by default those of this machine.
      gpus_per_task: by default an equal share.
      tasks_per_node: a number, or {host: number}.
      auto_set_gpu: whether `cluster_spec` sets CUDA_VISIBLE_DEVICES to the GPUs of this task.
      rpc_layer: what stands before "://" in addresses.
    Raises:
      RuntimeError: when the environment lacks something, or tasks or GPUs do not suffice.
    """

    def __init__(
        self,
        jobs: Mapping[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: int | Mapping[str, int] | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str | None = "grpc",
    ) -> None:
        self._rank = int(_slurm("PROCID", instead="OMPI_COMM_WORLD_RANK"))
        if jobs is None:
            jobs = {"worker": int(_slurm("STEP_NUM_TASKS", instead="OMPI_COMM_WORLD_SIZE"))}
        self._jobs = dict(sorted(jobs.items()))
        self._tasks = dict(sorted(_tasks_by_host(tasks_per_node).items()))
        busiest, assigned = max(self._tasks.values()), sum(self._tasks.values())
        if gpus_per_node is None:
            gpus_per_node = count_gpus()
        self._gpus_per_task = gpus_per_node // busiest if gpus_per_task is None else gpus_per_task
        if busiest * self._gpus_per_task > gpus_per_node:
            raise RuntimeError("Requested more GPUs per node than available.")
        if (wanted := sum(self._jobs.values())) != assigned:
            raise RuntimeError(f"Requested {wanted} tasks but only {assigned} were assigned.")
        self._port_base, self._auto_set_gpu, self.rpc_layer = port_base, auto_set_gpu, rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """Shares the tasks out, and sets `task_type` and `task_id` to this program's."""
        places = [(host, i) for host, count in self._tasks.items() for i in range(count)]
        cluster: dict[str, list[str]] = {}
        start = 0
        for job, count in self._jobs.items():
            taken = places[start : start + count]
            cluster[job] = [f"{host}:{self._port_base + i}" for host, i in taken]
            if start <= self._rank < start + count:
                self.task_type, self.task_id = job, self._rank - start
            start += count
        if self._auto_set_gpu and self._gpus_per_task:
            first = places[self._rank][1] * self._gpus_per_task
            mine = range(first, first + self._gpus_per_task)
            os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, mine))
        return ClusterSpec(cluster)

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address of the task that is named, or of this program's; empty for none."""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            return ""
        return self._address(task_type, task_id, rpc_layer)

    def get_task_info(self) -> tuple[str | None, int | None]:
        """Job and index of this program's task; None before `cluster_spec` was called."""
        return self.task_type, self.task_id

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: ConfigProto | None = None,
    ) -> dict[str, int]:
        """The GPUs that each task gets."""
        return {"GPU": self._gpus_per_task}


def _slurm(name: str, instead: str = "") -> str:
    """A variable of Slurm's, of the step or of the job; or another program's in its place."""
    variable = f"SLURM_{name}"
    of_job = variable.replace("STEP_NUM_", "N").replace("STEP_", "")
    for each in (instead, variable, of_job):
        if each in os.environ:
            return os.environ[each]
    raise RuntimeError(f"{variable} not found in environment. Not running inside a SLURM step?")


def _tasks_by_host(tasks_per_node: int | Mapping[str, int] | None) -> dict[str, int]:
    if isinstance(tasks_per_node, Mapping):
        return dict(tasks_per_node)
    hosts = expand_hostlist(_slurm("STEP_NODELIST"))
    if tasks_per_node is not None:
        return dict.fromkeys(hosts, int(tasks_per_node))
    return dict(zip(hosts, expand_tasks_per_node(_slurm("STEP_TASKS_PER_NODE")), strict=False))


_PART = re.compile(r"([^,\[\]]*)(?:\[([^\[\]]+)\])?(?:,|$)")


def expand_hostlist(hostlist: str) -> list[str]:
    """The hosts of a list as Slurm writes it, in its order, as `scontrol show hostnames` does.

    Raises:
      ValueError: when it is no such list.
    Example:
      >>> expand_hostlist("gpu[08-10],login")
      ['gpu08', 'gpu09', 'gpu10', 'login']
    """
    hosts: list[str] = []
    at = 0
    while at < len(hostlist):
        part = _PART.match(hostlist, at)
        if part is None or part.end() == at or not part[0].rstrip(","):
            raise ValueError(f'Invalid hostlist format "{hostlist}": Invalid part: {hostlist[at:]}')
        prefix, ranges = part.groups()
        hosts += [prefix + number for number in _numbers(ranges, hostlist)] if ranges else [prefix]
        at = part.end()
    return hosts


def _numbers(ranges: str, hostlist: str) -> Iterator[str]:
    """The numbers of "3-5,8", with the leading zeros of each first one."""
    for each in ranges.split(","):
        first, dash, last = each.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError(f'Invalid hostlist format "{hostlist}": Invalid part: {each}')
        for number in range(int(first), int(last or first) + 1):
            yield str(number).zfill(len(first))


def expand_tasks_per_node(tasks_per_node: str) -> list[int]:
    """How many tasks each node has, from Slurm's short form.

    Raises:
      ValueError: when it is no such form.
    Example:
      >>> expand_tasks_per_node("3(x2),2,1")
      [3, 3, 2, 1]
    """
    counts: list[int] = []
    for part in tasks_per_node.split(","):
        found = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part)
        if found is None:
            raise ValueError(f'Invalid tasks-per-node list format "{tasks_per_node}": {part!r}')
        counts += [int(found[1])] * int(found[2] or 1)
    return counts

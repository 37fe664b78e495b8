"""Who is in the cluster: Slurm's answer, from the environment of the job step."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from minitf.core.cluster.cluster_spec import ClusterSpec
from minitf.core.runtime.run.devices import count_gpus
from minitf.core.runtime.session.config import ConfigProto
from minitf.library.distribute.resolvers import ClusterResolver


class _ManagedResolver(ClusterResolver):
    """A resolver whose master is the address of a task: the one named, or this program's."""

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address of the task that is named, or of this program's; empty for none.

        Args:
          task_type, task_id: in place of the resolver's own.
          rpc_layer: what stands before "://".
        """
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            return ""
        return self._address(task_type, task_id, rpc_layer)


class SlurmClusterResolver(_ManagedResolver):
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

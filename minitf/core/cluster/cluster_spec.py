"""Descriptions of clusters: jobs, their tasks, and the address of each task.

A ClusterSpec is plain data that all processes of a cluster share. A ServerDef adds which task of it
a process is; `tf.train.Server` is started from one.

    {"ps": ["a:2222"], "worker": ["b:2222", "c:2222"]}
       job    task 0               task 0    task 1        ->  /job:worker/task:1 lives at c:2222
"""

from __future__ import annotations

import contextlib
import random
import socket
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from minitf.core.graph import errors
from minitf.core.graph.device_spec import task_name
from minitf.core.graph.messages import Message
from minitf.core.kernels.threads import can_start
from minitf.core.runtime.session.config import ClusterDef, ConfigProto, JobDef


@dataclass
class ServerDef(Message):
    """The definition of one server: the cluster, and its own task.

    Example:
      >>> cluster = tf.train.ClusterSpec({"ps": ["localhost:2222"]}).as_cluster_def()
      >>> definition = ServerDef(cluster=cluster, job_name="ps", task_index=0, protocol="grpc")
    """

    cluster: ClusterDef = field(default_factory=ClusterDef)
    job_name: str = ""
    task_index: int = 0
    default_session_config: ConfigProto = field(default_factory=ConfigProto)
    protocol: str = ""


class ClusterSpec:
    """Represents a cluster as a set of "tasks", organized into "jobs".

    Each job is a list of addresses, or a dictionary from task indices to addresses when a process
    need not know all tasks of a job.

    Args:
      cluster: a dictionary {job name: [address, ...] or {index: address}}, a ClusterDef, or another
        ClusterSpec. An address is "host:port"; "inproc://NAME" is a task of this very process.
    Raises:
      TypeError: when `cluster` has another form.
    Example:
      >>> cluster = tf.train.ClusterSpec({"ps": ["localhost:2222"], "worker": ["localhost:2223"]})
      >>> cluster.task_address("worker", 0)
      'localhost:2223'
    """

    def __init__(self, cluster: Any):
        if isinstance(cluster, Mapping):
            self._cluster_spec = {
                job: _tasks_by_index(job, tasks) for job, tasks in cluster.items()
            }
            self._cluster_def = _make_cluster_def(self._cluster_spec)
        elif isinstance(cluster, ClusterDef | ClusterSpec):
            given = cluster.as_cluster_def() if isinstance(cluster, ClusterSpec) else cluster
            self._cluster_spec = {job.name: dict(job.tasks) for job in given.job}
            self._cluster_def = _make_cluster_def(self._cluster_spec)
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network "
                "addresses, or a `ClusterDef` protocol buffer"
            )

    def __bool__(self) -> bool:
        return bool(self._cluster_spec)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ClusterSpec):
            return self._cluster_spec == other._cluster_spec
        return bool(self._cluster_spec == other)

    __hash__ = None  # type: ignore[assignment]  # as every mutable-looking value of equal content

    def __repr__(self) -> str:
        jobs = self.as_dict()
        return "ClusterSpec({" + ", ".join(f"{k!r}: {jobs[k]!r}" for k in sorted(jobs)) + "})"

    def as_dict(self) -> dict[str, list[str] | dict[int, str]]:
        """Returns {job: [address, ...]}, with {index: address} for a job with gaps."""
        result: dict[str, list[str] | dict[int, str]] = {}
        for job in self.jobs:
            indices = self.task_indices(job)
            if not indices:
                result[job] = {}
            elif indices[-1] + 1 == len(indices):
                result[job] = self.job_tasks(job)
            else:
                result[job] = {i: self.task_address(job, i) for i in indices}
        return result

    def as_cluster_def(self) -> ClusterDef:
        """Returns the cluster as a ClusterDef, jobs sorted by name."""
        return self._cluster_def

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._cluster_spec)

    def num_tasks(self, job_name: str) -> int:
        """Returns how many tasks `job_name` has."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Returns the indices of the tasks of `job_name`, ascending."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Returns the address of one task.

        Raises:
          ValueError: when there is no such job, or no such task in it.
        """
        try:
            return self._job(job_name)[task_index]
        except KeyError:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}") from None

    def addresses(self) -> dict[str, str]:
        """Returns the address of each task, by its name: {"/job:ps/task:0": "localhost:2222"}."""
        return {
            task_name(job, index): address
            for job, tasks in self._cluster_spec.items()
            for index, address in sorted(tasks.items())
        }

    def job_tasks(self, job_name: str) -> list[str]:
        """Returns the addresses of a job by task index; None where an index is not in use."""
        job = self._job(job_name)
        return [job.get(i) for i in range(max(job) + 1)]  # type: ignore[misc]

    def _job(self, job_name: str) -> dict[int, str]:
        try:
            return self._cluster_spec[job_name]
        except KeyError:
            raise ValueError(f"No such job in cluster: {job_name!r}") from None


def cluster_of(addresses: Iterable[tuple[str, str]]) -> ClusterSpec:
    """Returns the cluster of some tasks, given by their names and addresses."""
    jobs: dict[str, dict[int, str]] = {}
    for task, address in addresses:
        job, _, index = task.removeprefix("/job:").partition("/task:")
        jobs.setdefault(job, {})[int(index)] = address
    return ClusterSpec(jobs)


INPROC = "inproc://"  # before the name of a task of this process


def check_address(address: str) -> str:
    """Returns `address`.

    Raises:
      InvalidArgumentError: when it is neither "host:port" nor "inproc://NAME".
    """
    if address.startswith(INPROC) and address[len(INPROC) :].strip():
        return address
    if port_of(address) is None or "/" in address:
        raise errors.InvalidArgumentError.of(
            f'Could not interpret "{address}" as a host-port pair.'
        )
    return address


def port_of(address: str) -> int | None:
    """Returns the port in "host:port", None when there is none."""
    _, colon, port = address.rpartition(":")
    if not (colon and port.isascii() and port.isdigit() and int(port) < 1 << 16):
        return None
    return int(port)


def _tasks_by_index(job_name: Any, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, list | tuple):
        return dict(enumerate(tasks))
    if isinstance(tasks, Mapping):
        return {int(index): address for index, address in tasks.items()}
    raise TypeError(
        f"The tasks for job {job_name!r} must be a list or a dictionary from integers to strings."
    )


def _make_cluster_def(spec: dict[str, dict[int, str]]) -> ClusterDef:
    for job_name, tasks in spec.items():
        if not isinstance(job_name, str | bytes):
            raise TypeError(f"Job name {job_name!r} must be bytes or unicode")
        for address in tasks.values():
            if not isinstance(address, str | bytes):
                raise TypeError(f"Task address {address!r} must be bytes or unicode")
    return ClusterDef([JobDef(name, dict(sorted(spec[name].items()))) for name in sorted(spec)])


_given: deque[int] = deque(maxlen=1_000)  # the ports that `free_address` has returned last


def free_address() -> str:
    """Returns an unused "host:port" of this machine, another one each time.

    The system does not give such ports to outgoing connections or to servers without a port, so no
    other process takes it by accident before a server listens there. Where no thread can start, it
    is the name of a task of this process.

    Raises:
      OSError: where no port can be listened on.
    """
    listening = socket.create_server if can_start() else contextlib.nullcontext
    for _ in range(1000):
        port = random.SystemRandom().randrange(10_000, 32_000)
        with contextlib.suppress(OSError), listening(("127.0.0.1", port)):
            if port not in _given:
                _given.append(port)
                return f"localhost:{port}"
    raise OSError("No port can be listened on here, as in a browser tab.")

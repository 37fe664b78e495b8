"""Which task of a cluster a strategy is in, as its resolver says."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from minitf.core.cluster.cluster_spec import ClusterSpec
from minitf.core.cluster.service.server import Server
from minitf.library.distribute.collectives.groups import Collectives, of_task
from minitf.library.eager import kernels
from minitf.library.graph_tools.physical_devices import list_logical_devices

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

    def compute_devices(self) -> list[str]:
        """The GPUs of this task, or its processor."""
        names = [each.name for each in list_logical_devices("GPU")] or ["/device:CPU:0"]
        return [f"{self.device}{name}" for name in names]

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

"""A cluster where no process and no thread can start, as in a browser tab: its tasks take turns.

    start_local(ps=1, workers=2)    a Server for each task, in this process
      run(function)                 function(task) of worker 0 ──── sleeps ────────────── ends
                                                   of worker 1      └── begins ... ends ──┘

The functions of the workers run one after the other. Where one sleeps, the next begins: it may be
the one that is waited for.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from minitf.core.cluster.cluster_spec import INPROC, ClusterSpec
from minitf.core.cluster.service.server import Server
from minitf.core.cluster.service.turns import between_steps, started
from minitf.core.cluster.wire.call import Answer, Call
from minitf.core.graph.device_spec import task_name
from minitf.core.graph.graph import Graph
from minitf.library.clusters.snapshots import TrafficCollector

_numbers = itertools.count(1)


@dataclass(frozen=True)
class TaskContext:
    """What a function that `TaskCluster.run` ships learns about the task it runs in.

    Attributes:
      job: the job of the task.
      index: its index in the job.
      cluster: the whole cluster.
      server: the running Server of the task.
    """

    job: str
    index: int
    cluster: ClusterSpec
    server: Server

    @property
    def target(self) -> str:
        """The target for a Session."""
        return self.server.target

    @property
    def device(self) -> str:
        """The task's name in device names: '/job:worker/task:1'."""
        return task_name(self.job, self.index)


class TasksHere(AbstractContextManager["TasksHere"]):
    """A cluster whose tasks take turns in this process; see `TaskCluster` for what it does.

    Args:
      ps, workers: how many tasks there are of each job.
      threads_per_worker: accepted.
      refuse: what no operation may reach in these tasks; see `Server`.
    """

    def __init__(
        self, ps: int = 1, workers: int = 2, threads_per_worker: int = 2, refuse: Sequence[str] = ()
    ) -> None:
        print("No process can start here: the tasks of this cluster take turns in this one.")
        here, jobs = f"{INPROC}{next(_numbers)}", {"ps": ps, "worker": workers}
        spec = ClusterSpec({j: [f"{here}/{j}/{i}" for i in range(n)] for j, n in jobs.items()})
        places = [(job, i) for job, number in jobs.items() for i in range(number)]
        self._tasks = [TaskContext(*p, spec, Server(spec, *p, refuse=refuse)) for p in places]
        self.cluster_spec, self.between_turns, self.client = spec, between_steps, self
        self._collector = TrafficCollector(self._ask)

    def target(self, job: str = "worker", index: int = 0) -> str:
        """Returns the target for a Session with the master of one task."""
        return self.cluster_spec.task_address(job, index)

    def run(self, function: Any, *arguments: Any, job: str = "worker", wait: bool = True) -> Any:
        """Runs `function(task, *arguments)` in the tasks of a job.

        Args:
          function, arguments, job: as for `TaskCluster.run`.
          wait: False returns futures at once; the functions begin when `gather` asks for results.
        """
        tasks = [task for task in self._tasks if task.job == job]
        futures = [cache(partial(_in_graph, function, task, *arguments)) for task in tasks]
        return self.gather(futures) if wait else futures

    def gather(self, futures: Sequence[Callable[[], Any]]) -> list[Any]:
        """Returns the results of functions, and runs those that have not begun."""
        left, sleep, here = iter(futures), time.sleep, threading.get_ident()

        def instead(seconds: Any) -> None:
            others = left if threading.get_ident() == here else iter(())
            next(others, partial(sleep, seconds))()

        time.sleep = instead
        try:
            for each in left:
                each()
        finally:
            time.sleep = sleep
        return [each() for each in futures]

    def traffic(self) -> dict[str, Any]:
        """Returns a snapshot, as that of any cluster."""
        return self._collector.collect(self.cluster_spec.addresses().items())

    def _ask(self, task: str, cursor: int) -> Answer:
        server = started(self.cluster_spec.addresses()[task])
        return Answer(*server.answer("traffic", Call({"cursor": cursor}, ())))

    def close(self) -> None:
        """Ends the tasks."""
        for task in self._tasks:
            task.server.stop()

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<TasksHere {', '.join(task.device for task in self._tasks)}>"


def _in_graph(function: Callable[..., Any], *arguments: Any) -> Any:
    with Graph().as_default():  # as in a process of its own
        return function(*arguments)


start_local = TasksHere

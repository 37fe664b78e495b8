"""Sessions of a cluster where no process and no thread can start, as in a browser tab.

    task /job:ps/task:0        its devices, its variables  ──┐
    task /job:worker/task:0    its devices, its variables  ──┴──> one plan: its programs take turns

The tasks are servers of this process. Variables belong to them, and not to the session. A tensor
that goes from task to task is copied and counted, as a message is.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from minitf.core.cluster.cluster_spec import check_address
from minitf.core.cluster.wire.call import new_handle
from minitf.core.cluster.wire.task_server import TaskServer, server_in_this_process
from minitf.core.graph import errors
from minitf.core.runtime.plan.placer import Placer
from minitf.core.runtime.run.rendezvous import Key, Rendezvous
from minitf.core.runtime.session.backend import LocalBackend
from minitf.core.runtime.session.config import ConfigProto

#: What is called before each step of several devices, as views of the traffic have no thread.
between_steps: list[Callable[[], Any]] = []


class TurnsBackend(LocalBackend):
    """Runs the steps of a session on all tasks of its cluster.

    Args:
      target: the address of a task of this process, "inproc://NAME".
      config: as for any session.
    Raises:
      UnavailableError: when a task of the cluster has not been started.
    """

    def __init__(self, target: str, graph: Any, config: ConfigProto) -> None:
        super().__init__(graph, config)
        first = started(check_address(target))
        names = (first.task, *first.peers.tasks)  # its own devices come first
        tasks = {task: started(first.peers.address(task)) for task in names}
        workers = [server.master.worker for server in tasks.values()]
        self.devices = {name: d for each in workers for name, d in each.devices.items()}
        self._placer = Placer(
            list(self.devices), config.allow_soft_placement, config.log_device_placement
        )
        self._steps.make = partial(_Between, tasks)
        self._host = replace(
            self._host,
            devices=self.devices,
            elsewhere={name: each.resources for each in workers for name in each.devices},
            session=str(new_handle()),
        )


def started(address: str) -> TaskServer:
    """Returns the task of this process at an address.

    Raises:
      UnavailableError: when there is none.
    """
    server = server_in_this_process(address)
    if server is None:
        raise errors.UnavailableError.of(f"This process has no task {address}.")
    return server


class _Between(Rendezvous):
    """The rendezvous of a step over several tasks.

    Args:
      tasks: the servers, by task.
      deadline: see `Rendezvous`.
    """

    def __init__(self, tasks: dict[str, TaskServer], deadline: float | None) -> None:
        super().__init__(deadline)
        self._tasks = tasks
        for look in between_steps:
            look()

    def send(self, key: Key, value: Any) -> None:
        """Stores `value`; what is for another task is copied, and its receiver counts it."""
        source, destination = key.sending_task, key.receiving_task
        if source != destination:
            value = copy.deepcopy(value)
            size, now = getattr(value, "nbytes", 0), time.time()
            tap = self._tasks[destination].tap
            tap.record(self.number, key.tensor, "recv_tensor", source, destination, size, now)
        super().send(key, value)

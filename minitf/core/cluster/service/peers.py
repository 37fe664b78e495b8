"""The other tasks of the cluster, as one task calls them: by task name, over kept channels."""

from __future__ import annotations

import threading
from typing import Any

from minitf.core.cluster.cluster_spec import ClusterSpec
from minitf.core.cluster.wire.rpc import Channel
from minitf.core.cluster.wire.traffic import TrafficTap
from minitf.core.cluster.wire.transport import TransportOptions
from minitf.core.graph import errors
from minitf.core.graph.device_spec import task_name


class Peers:
    """Finds the channel to a task.

    Args:
      own_task: the task that calls.
      options: token, TLS and timeouts.
      tap: where the messages are recorded.
      kept: what libraries keep for the task, by name; its TaskServer has it too.
    """

    def __init__(
        self,
        own_task: str,
        options: TransportOptions,
        tap: TrafficTap,
        kept: dict[str, Any] | None = None,
    ):
        self.kept = {} if kept is None else kept
        self.own_task = own_task
        self.options = options
        self.tap = tap
        self._addresses: dict[str, str] = {}
        self._channels: dict[str, Channel] = {}
        self._lock = threading.Lock()

    def set_cluster(self, spec: ClusterSpec) -> None:
        """Sets the addresses of the tasks; channels to tasks that have moved are closed."""
        addresses = {
            task_name(job, index): spec.task_address(job, index)
            for job in spec.jobs
            for index in spec.task_indices(job)
        }
        with self._lock:
            for task in list(self._channels):
                if addresses.get(task) != self._addresses.get(task):
                    self._channels.pop(task).close()
            self._addresses = addresses

    @property
    def tasks(self) -> list[str]:
        """All tasks of the cluster, this one too."""
        return list(self._addresses)

    def address(self, task: str) -> str:
        """Returns "host:port" of a task."""
        try:
            return self._addresses[task]
        except KeyError:
            raise errors.InvalidArgumentError.of(
                f"The cluster has no task {task}: it has {', '.join(self._addresses)}"
            ) from None

    def channel(self, task: str) -> Channel:
        """Returns the channel to a task, made at first use."""
        found = self._channels.get(task)
        if found is None:
            address = self.address(task)
            with self._lock:
                found = self._channels.setdefault(task, Channel(address, self.options))
        return found

    def close(self) -> None:
        """Closes all channels."""
        with self._lock:
            for channel in self._channels.values():
                channel.close()
            self._channels.clear()

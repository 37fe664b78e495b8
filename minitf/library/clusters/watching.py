"""`tf.cluster.watch`: the traffic of servers that were started one by one, in terminals.

A `TaskCluster` knows its tasks, for it started them. A program with `tf.train.Server` knows its own
task and a list of addresses, and so does each server: one address is enough to find the others.

    watch("grpc://localhost:2222")
      |-- "traffic", cluster=True --> the task there: names and addresses of all
      `-- "traffic" --> each task, five times a second at most --> a snapshot

What the tasks answer is looked at before it is used, as everything from outside.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from minitf.core.cluster.cluster_spec import INPROC, ClusterSpec, check_address, cluster_of
from minitf.core.cluster.wire import transport
from minitf.core.cluster.wire.call import Answer, Fields, table, task_of_cluster
from minitf.core.cluster.wire.channel import Channel
from minitf.core.graph import untrusted
from minitf.library.clusters.snapshots import TrafficCollector

MOST_TASKS = 10_000
_ANSWER_WITHIN = 1.0  # seconds


def watch(target: str) -> Watched:
    """Returns what tells of the traffic of a cluster, for `TrafficView` and `tf.cluster.record`.

    Args:
      target: of any of its servers, as for a Session: "grpc://host:port" or "inproc://NAME".
    Raises:
      InvalidArgumentError: when the target is none of these.
    Example:
      >>> cluster = tf.cluster.watch("grpc://localhost:2222")  # asks nobody yet
    """
    return Watched(target)


class Watched:
    """A cluster that others have started: see `watch`.

    Attributes:
      target: of the server that was asked first.
    """

    def __init__(self, target: str):
        self.target = target
        here = target.startswith(INPROC)
        self._first = check_address(target if here else target.partition("://")[2])
        self._channels: dict[str, Channel] = {}
        self._tasks: list[tuple[str, str]] = []
        self._collector = TrafficCollector(self._ask)

    @property
    def cluster_spec(self) -> ClusterSpec:
        """The tasks and their addresses; asks the server at the target for them, the first time.

        Raises:
          UnavailableError: when nobody answers there.
        """
        return cluster_of(self._find())

    def traffic(self) -> dict[str, Any]:
        """Returns a snapshot: tasks and what they wait for, exact counters, newest messages.

        The tasks are asked at most five times a second. One that is silent or answers in another
        form counts as dead.

        Raises:
          UnavailableError: when nobody answers at the target, before it has told of the others.
        """
        return self._collector.collect(self._find())

    def close(self) -> None:
        """Ends the connections; the servers serve on."""
        for channel in self._channels.values():
            channel.close()

    def __repr__(self) -> str:
        return f"<Watched {self.target}: {len(self._tasks) or 'no'} tasks known>"

    def _find(self) -> list[tuple[str, str]]:
        if not self._tasks:
            answer = _channel(self._first).call("traffic", {"cluster": True}, timeout=5.0)
            tasks = Fields(answer).read("cluster", _cluster)
            self._channels = {task: _channel(check_address(tasks[task])) for task in tasks}
            self._tasks = list(tasks.items())
        return self._tasks

    def _ask(self, task: str, cursor: int) -> Answer:
        return self._channels[task].call("traffic", {"cursor": cursor}, timeout=_ANSWER_WITHIN)


def _channel(address: str) -> Channel:
    options = transport.options_for(address)
    return Channel(address, dataclasses.replace(options, connect_timeout=0.5))


def _cluster(value: Any, what: str) -> dict[str, str]:
    tasks = table(value, what, untrusted.text, task_of_cluster)
    if not 0 < len(tasks) <= MOST_TASKS:
        raise ValueError(f"{what} has {len(tasks)} tasks")
    return tasks

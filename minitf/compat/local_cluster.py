"""`tf.test.create_local_cluster`: servers on this machine, for tests of distributed programs."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from typing import Any

from minitf.core.cluster.cluster_spec import ClusterSpec
from minitf.core.cluster.service.server import Server


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> tuple[list[Any], list[Any]]:
    """Starts servers at free ports of this machine.

    Args:
      num_workers: how many tasks of the job "worker".
      num_ps: how many of the job "ps".
      protocol: of the servers.
      worker_config, ps_config: a `ConfigProto` for each.
    Returns: the workers' servers, and those of the parameter servers.
    Example:
      >>> workers, ps = tf.test.create_local_cluster(2, 1)  # it takes ports  # doctest: +SKIP
      >>> sessions = [tf.Session(worker.target) for worker in workers]  # doctest: +SKIP
    """
    addresses = _free_addresses(num_workers + num_ps)
    jobs = {"worker": addresses[:num_workers], "ps": addresses[num_workers:]}
    cluster = ClusterSpec({job: tasks for job, tasks in jobs.items() if tasks})

    def servers(job: str, config: Any) -> list[Any]:
        return [
            Server(cluster, job_name=job, task_index=i, config=config, protocol=protocol)
            for i in range(len(jobs[job]))
        ]

    return servers("worker", worker_config), servers("ps", ps_config)


def _free_addresses(count: int) -> list[str]:
    """Addresses whose ports are free; all are held until the last one is found."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]

"""Clusters: tasks in processes of their own that run parts of one graph and exchange tensors.

    cluster_spec                 who is in the cluster, and which task this process is
    server                       one task: a master and a worker service behind one address
    remote_session               Session("grpc://host:port")
    dask_cluster                 tasks in the workers of a Dask cluster: start_local, attach
    master, worker               a step taken apart, and its parts run
    peers                        tensors from task to task
    channel, task_server, ...    calls over mtf://, Dask's comms with a strict framing
    interrupts                   what Ctrl-C must not break off
    traffic                      what went over the wires

Importing this package imports no Dask; its modules do, when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitf.core.cluster.interrupts import import_whole

if TYPE_CHECKING:
    from minitf.core.cluster.dask_cluster import TaskCluster, TaskContext, attach, start_local

_FROM_DASK = ("TaskCluster", "TaskContext", "attach", "start_local")

__all__ = ["TaskCluster", "TaskContext", "attach", "start_local"]

MISSING = (
    "minitf's clusters need Dask distributed and msgpack, which are not installed here: "
    "pip install 'minitf[cluster]'"
)


def __getattr__(name: str) -> Any:
    # These need Dask distributed (300 ms), so that they are looked up when they are used.
    if name in _FROM_DASK:
        try:
            return getattr(import_whole("minitf.core.cluster.dask_cluster"), name)
        except ModuleNotFoundError as error:
            raise ImportError(MISSING) from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

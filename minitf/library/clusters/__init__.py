"""Whole clusters: tasks in the workers of Dask, faults, recordings, what a cluster would reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitf.core.cluster import MISSING
from minitf.core.cluster.interrupts import import_whole
from minitf.core.kernels.threads import can_start

if TYPE_CHECKING:
    from minitf.library.clusters.dask_cluster import TaskCluster, TaskContext, attach, start_local

_FROM_DASK = ("TaskCluster", "TaskContext", "attach", "start_local")

__all__ = ["TaskCluster", "TaskContext", "attach", "start_local"]


def __getattr__(name: str) -> Any:
    # These need Dask distributed (300 ms), so that they are looked up when they are used.
    if name in _FROM_DASK:
        alone = name == "start_local" and not can_start()
        module = "turns" if alone else "dask_cluster"
        try:
            return getattr(import_whole(f"minitf.library.clusters.{module}"), name)
        except ModuleNotFoundError as error:
            raise ImportError(MISSING) from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

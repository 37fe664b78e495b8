"""The names of `tf.cluster`."""

from minitf.api import cluster_faults as faults
from minitf.core.cluster import TaskCluster as TaskCluster
from minitf.core.cluster import TaskContext as TaskContext
from minitf.core.cluster import attach as attach
from minitf.core.cluster import start_local as start_local
from minitf.library.distribute.collectives.schedules import all_reduce as all_reduce
from minitf.library.distribute.collectives.schedules import schedule as schedule

__all__ = [
    "TaskCluster", "TaskContext", "all_reduce", "attach", "faults", "schedule", "start_local"
]

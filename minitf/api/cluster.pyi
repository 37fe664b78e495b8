"""The names of `tf.cluster`."""

from minitf.api import cluster_faults as faults
from minitf.core.cluster import TaskCluster as TaskCluster
from minitf.core.cluster import TaskContext as TaskContext
from minitf.core.cluster import attach as attach
from minitf.core.cluster import start_local as start_local

__all__ = [
    "TaskCluster", "TaskContext", "attach", "faults", "start_local"
]

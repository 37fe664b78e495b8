"""The names of `tf.cluster`."""

from minitf.api import cluster_faults as faults
from minitf.core.cluster.cluster_spec import free_address as free_address
from minitf.library.clusters import TaskCluster as TaskCluster
from minitf.library.clusters import TaskContext as TaskContext
from minitf.library.clusters import attach as attach
from minitf.library.clusters import start_local as start_local
from minitf.library.clusters.classroom import ClassCluster as ClassCluster
from minitf.library.clusters.classroom import invite as invite
from minitf.library.clusters.cost_model import CostModel as CostModel
from minitf.library.clusters.cost_model import HARDWARE as HARDWARE
from minitf.library.clusters.cost_model import Hardware as Hardware
from minitf.library.clusters.cost_model import Point as Point
from minitf.library.clusters.cost_model import RESNET50 as RESNET50
from minitf.library.clusters.cost_model import Workload as Workload
from minitf.library.clusters.cost_model import talk_scaling as talk_scaling
from minitf.library.clusters.lending import join as join
from minitf.library.clusters.measuring import PERCEPTRON as PERCEPTRON
from minitf.library.clusters.measuring import measure as measure
from minitf.library.clusters.recordings import Recording as Recording
from minitf.library.clusters.recordings import record as record
from minitf.library.clusters.watching import watch as watch
from minitf.library.distribute.collectives.schedules import all_reduce as all_reduce
from minitf.library.distribute.collectives.schedules import schedule as schedule

__all__ = [
    "ClassCluster", "CostModel", "HARDWARE", "Hardware", "PERCEPTRON", "Point", "RESNET50",
    "Recording", "TaskCluster", "TaskContext", "Workload", "all_reduce", "attach", "faults",
    "free_address", "invite", "join", "measure", "record", "schedule", "start_local",
    "talk_scaling", "watch"
]

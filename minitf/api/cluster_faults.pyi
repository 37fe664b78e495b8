"""The names of `tf.cluster.faults`."""

from minitf.library.clusters.experiments import Experiment as Experiment
from minitf.library.clusters.experiments import experiments as experiments
from minitf.library.clusters.faults import DRAWN as DRAWN
from minitf.library.clusters.faults import FAULTS as FAULTS
from minitf.library.clusters.faults import Fault as Fault
from minitf.library.clusters.faults import Report as Report
from minitf.library.clusters.faults import Schedule as Schedule
from minitf.library.clusters.faults import Task as Task
from minitf.library.clusters.faults import allow as allow
from minitf.library.clusters.faults import cut as cut
from minitf.library.clusters.faults import fill_disk as fill_disk
from minitf.library.clusters.faults import freeze as freeze
from minitf.library.clusters.faults import kill as kill
from minitf.library.clusters.faults import other_version as other_version
from minitf.library.clusters.faults import slow as slow
from minitf.library.clusters.faults import tasks as tasks
from minitf.library.clusters.faults import wrong_address as wrong_address

"""The names of `tf.distribute`."""

from minitf.api.distribute import cluster_resolver as cluster_resolver
from minitf.api.distribute import experimental as experimental
from minitf.core.cluster.service.server import Server as Server
from minitf.library.distribute.cross_device_ops import CrossDeviceOps as CrossDeviceOps
from minitf.library.distribute.cross_device_ops import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from minitf.library.distribute.cross_device_ops import NcclAllReduce as NcclAllReduce
from minitf.library.distribute.cross_device_ops import ReduceOp as ReduceOp
from minitf.library.distribute.cross_device_ops import ReductionToOneDevice as ReductionToOneDevice
from minitf.library.distribute.replicas import InputContext as InputContext
from minitf.library.distribute.replicas import ReplicaContext as ReplicaContext
from minitf.library.distribute.strategies import MirroredStrategy as MirroredStrategy
from minitf.library.distribute.strategies import OneDeviceStrategy as OneDeviceStrategy
from minitf.library.distribute.strategy import Strategy as Strategy
from minitf.library.distribute.strategy import get_replica_context as get_replica_context
from minitf.library.distribute.strategy import get_strategy as get_strategy
from minitf.library.distribute.strategy import has_strategy as has_strategy
from minitf.library.distribute.strategy import in_cross_replica_context as in_cross_replica_context

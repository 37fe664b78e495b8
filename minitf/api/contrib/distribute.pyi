"""The names of `tf.contrib.distribute`."""

from minitf.compat.contrib.distribute import AllReduceCrossDeviceOps as AllReduceCrossDeviceOps
from minitf.compat.contrib.distribute import ContribMirroredStrategy as MirroredStrategy
from minitf.library.distribute.cross_device_ops import CrossDeviceOps as CrossDeviceOps
from minitf.library.distribute.cross_device_ops import ReductionToOneDevice as ReductionToOneDeviceCrossDeviceOps
from minitf.library.distribute.mirrored import OneDeviceStrategy as OneDeviceStrategy
from minitf.library.distribute.strategy import Strategy as DistributionStrategy
from minitf.library.distribute.strategy import get_cross_replica_context as get_cross_replica_context
from minitf.library.distribute.strategy import get_strategy as get_distribution_strategy
from minitf.library.distribute.strategy import get_loss_reduction as get_loss_reduction
from minitf.library.distribute.strategy import get_replica_context as get_replica_context
from minitf.library.distribute.strategy import get_strategy as get_strategy
from minitf.library.distribute.strategy import get_update_replica_id as get_update_device
from minitf.library.distribute.strategy import has_strategy as has_distribution_strategy
from minitf.library.distribute.strategy import has_strategy as has_strategy
from minitf.library.distribute.strategy import in_cross_replica_context as in_cross_replica_context
from minitf.library.distribute.tpu_strategy import ContribTPUStrategy as TPUStrategy

__all__ = [
    "AllReduceCrossDeviceOps", "CrossDeviceOps", "DistributionStrategy", "MirroredStrategy",
    "OneDeviceStrategy", "ReductionToOneDeviceCrossDeviceOps", "TPUStrategy",
    "get_cross_replica_context", "get_distribution_strategy", "get_loss_reduction",
    "get_replica_context", "get_strategy", "get_update_device", "has_distribution_strategy",
    "has_strategy", "in_cross_replica_context"
]

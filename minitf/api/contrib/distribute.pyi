"""The names of `tf.contrib.distribute`."""

from minitf.compat.contrib.distribute import AllReduceCrossDeviceOps as AllReduceCrossDeviceOps
from minitf.compat.contrib.distribute import ContribMirroredStrategy as MirroredStrategy
from minitf.library.distribute.strategies import OneDeviceStrategy as OneDeviceStrategy

__all__ = [
    "AllReduceCrossDeviceOps", "MirroredStrategy", "OneDeviceStrategy"
]

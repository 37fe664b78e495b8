"""The names of `tf.contrib.distribute`."""

from minitf.library.distribute.tpu_strategy import ContribTPUStrategy as TPUStrategy
from minitf.library.estimator.distributed import DistributeConfig as DistributeConfig

__all__ = [
    "DistributeConfig", "TPUStrategy"
]

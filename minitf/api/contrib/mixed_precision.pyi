"""The names of `tf.contrib.mixed_precision`."""

from minitf.compat.contrib.mixed_precision import ExponentialUpdateLossScaleManager as ExponentialUpdateLossScaleManager
from minitf.compat.contrib.mixed_precision import FixedLossScaleManager as FixedLossScaleManager
from minitf.compat.contrib.mixed_precision import LossScaleManager as LossScaleManager
from minitf.compat.contrib.mixed_precision import LossScaleOptimizer as LossScaleOptimizer

"""The names of `tf.train.experimental`."""

from minitf.library.optimizers.loss_scale import DynamicLossScale as DynamicLossScale
from minitf.library.optimizers.loss_scale import FixedLossScale as FixedLossScale

"""The names of `tf.keras.mixed_precision`."""

from minitf.api.keras.mixed_precision import experimental as experimental
from minitf.library.keras.optimizers.loss_scale import LossScaleOptimizer as LossScaleOptimizer
from minitf.library.keras.policy import Policy as Policy

"""The names of `tf.keras.mixed_precision`."""

from minitf.api.keras.mixed_precision import experimental as experimental
from minitf.library.keras.optimizers.loss_scale import LossScaleOptimizer as LossScaleOptimizer
from minitf.library.keras.policy import Policy as Policy
from minitf.library.keras.policy import global_policy as global_policy
from minitf.library.keras.policy import set_policy as set_global_policy

__all__ = [
    "LossScaleOptimizer", "Policy", "experimental", "global_policy", "set_global_policy"
]

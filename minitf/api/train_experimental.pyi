"""The names of `tf.train.experimental`."""

from minitf.library.keras.optimizers.loss_scale import disable_mixed_precision_graph_rewrite as disable_mixed_precision_graph_rewrite
from minitf.library.keras.optimizers.loss_scale import enable_mixed_precision_graph_rewrite as enable_mixed_precision_graph_rewrite
from minitf.library.optimizers.loss_scale import DynamicLossScale as DynamicLossScale
from minitf.library.optimizers.loss_scale import FixedLossScale as FixedLossScale
from minitf.library.optimizers.loss_scale import LossScale as LossScale
from minitf.library.optimizers.loss_scale import MixedPrecisionLossScaleOptimizer as MixedPrecisionLossScaleOptimizer
from minitf.library.saving.python_state import PythonState as PythonState

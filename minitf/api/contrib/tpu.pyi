"""The names of `tf.contrib.tpu`."""

from minitf.compat.contrib.tpu_estimator import InputPipelineConfig as InputPipelineConfig
from minitf.compat.contrib.tpu_estimator import TPURunConfig as RunConfig
from minitf.compat.contrib.tpu_estimator import TPUConfig as TPUConfig
from minitf.compat.contrib.tpu_estimator import TPUEstimator as TPUEstimator
from minitf.compat.contrib.tpu_estimator import TPUEstimatorSpec as TPUEstimatorSpec
from minitf.library.distribute.tpu import CrossShardOptimizer as CrossShardOptimizer
from minitf.library.distribute.tpu import batch_parallel as batch_parallel
from minitf.library.distribute.tpu import bfloat16_scope as bfloat16_scope
from minitf.library.distribute.tpu import initialize_system as initialize_system
from minitf.library.distribute.tpu import rewrite as rewrite
from minitf.library.distribute.tpu import shutdown_system as shutdown_system

__all__ = [
    "CrossShardOptimizer", "InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator",
    "TPUEstimatorSpec", "batch_parallel", "bfloat16_scope", "initialize_system", "rewrite",
    "shutdown_system"
]

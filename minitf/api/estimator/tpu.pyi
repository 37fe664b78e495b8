"""The names of `tf.estimator.tpu`."""

from minitf.compat.contrib.tpu_estimator import TPURunConfig as RunConfig
from minitf.compat.contrib.tpu_estimator import TPUConfig as TPUConfig
from minitf.compat.contrib.tpu_estimator import TPUEstimator as TPUEstimator
from minitf.compat.contrib.tpu_estimator import TPUEstimatorSpec as TPUEstimatorSpec

__all__ = [
    "RunConfig", "TPUConfig", "TPUEstimator", "TPUEstimatorSpec"
]

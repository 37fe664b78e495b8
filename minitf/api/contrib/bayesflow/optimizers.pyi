"""The names of `tf.contrib.bayesflow.optimizers`."""

from minitf.compat.contrib.posterior_optimizers import SGLDOptimizer as SGLDOptimizer
from minitf.compat.contrib.posterior_optimizers import VariationalSGDOptimizer as VariationalSGDOptimizer

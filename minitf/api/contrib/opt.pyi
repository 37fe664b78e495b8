"""The names of `tf.contrib.opt`."""

from minitf.compat.contrib.opt import AdamWOptimizer as AdamWOptimizer
from minitf.compat.contrib.opt import DecoupledWeightDecayExtension as DecoupledWeightDecayExtension
from minitf.compat.contrib.opt import ExternalOptimizerInterface as ExternalOptimizerInterface
from minitf.compat.contrib.opt import LazyAdamOptimizer as LazyAdamOptimizer
from minitf.compat.contrib.opt import MomentumWOptimizer as MomentumWOptimizer
from minitf.compat.contrib.opt import ScipyOptimizerInterface as ScipyOptimizerInterface
from minitf.compat.contrib.opt import extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay

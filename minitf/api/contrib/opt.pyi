"""The names of `tf.contrib.opt`."""

from minitf.compat.contrib.center_optimizers import AGNCustomGetter as AGNCustomGetter
from minitf.compat.contrib.center_optimizers import AGNOptimizer as AGNOptimizer
from minitf.compat.contrib.center_optimizers import ElasticAverageCustomGetter as ElasticAverageCustomGetter
from minitf.compat.contrib.center_optimizers import ElasticAverageOptimizer as ElasticAverageOptimizer
from minitf.compat.contrib.center_optimizers import ModelAverageCustomGetter as ModelAverageCustomGetter
from minitf.compat.contrib.center_optimizers import ModelAverageOptimizer as ModelAverageOptimizer
from minitf.compat.contrib.opt import AdamWOptimizer as AdamWOptimizer
from minitf.compat.contrib.opt import DecoupledWeightDecayExtension as DecoupledWeightDecayExtension
from minitf.compat.contrib.opt import ExternalOptimizerInterface as ExternalOptimizerInterface
from minitf.compat.contrib.opt import LazyAdamOptimizer as LazyAdamOptimizer
from minitf.compat.contrib.opt import MomentumWOptimizer as MomentumWOptimizer
from minitf.compat.contrib.opt import ScipyOptimizerInterface as ScipyOptimizerInterface
from minitf.compat.contrib.opt import extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay
from minitf.compat.contrib.opt_wrappers import AdaMaxOptimizer as AdaMaxOptimizer
from minitf.compat.contrib.opt_wrappers import DropStaleGradientOptimizer as DropStaleGradientOptimizer
from minitf.compat.contrib.opt_wrappers import LARSOptimizer as LARSOptimizer
from minitf.compat.contrib.opt_wrappers import MovingAverageOptimizer as MovingAverageOptimizer
from minitf.compat.contrib.opt_wrappers import MultitaskOptimizerWrapper as MultitaskOptimizerWrapper
from minitf.compat.contrib.opt_wrappers import NadamOptimizer as NadamOptimizer
from minitf.compat.contrib.opt_wrappers import VariableClippingOptimizer as VariableClippingOptimizer
from minitf.compat.contrib.opt_wrappers import clip_gradients_by_global_norm as clip_gradients_by_global_norm
from minitf.library.optimizers.signs import AddSignOptimizer as AddSignOptimizer
from minitf.library.optimizers.signs import PowerSignOptimizer as PowerSignOptimizer
from minitf.library.optimizers.signs import get_cosine_decay_fn as get_cosine_decay_fn
from minitf.library.optimizers.signs import get_linear_decay_fn as get_linear_decay_fn
from minitf.library.optimizers.signs import get_restart_decay_fn as get_restart_decay_fn

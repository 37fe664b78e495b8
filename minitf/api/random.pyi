"""The names of `tf.random`."""

from minitf.core.ops.random import get_seed as get_seed
from minitf.core.ops.random import random_normal as normal
from minitf.core.ops.random import set_random_seed as set_random_seed
from minitf.core.ops.random import set_random_seed as set_seed
from minitf.core.ops.random import random_shuffle as shuffle
from minitf.core.ops.random import truncated_normal as truncated_normal
from minitf.core.ops.random import random_uniform as uniform
from minitf.library.nets.candidate_sampling import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from minitf.library.nets.candidate_sampling import uniform_candidate_sampler as uniform_candidate_sampler
from minitf.library.numeric.random_distributions import categorical as categorical
from minitf.library.numeric.random_distributions import multinomial as multinomial

__all__ = [
    "categorical", "get_seed", "log_uniform_candidate_sampler", "multinomial", "normal",
    "set_random_seed", "set_seed", "shuffle", "truncated_normal", "uniform",
    "uniform_candidate_sampler"
]

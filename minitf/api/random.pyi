"""The names of `tf.random`."""

from minitf.api import random_experimental as experimental
from minitf.core.ops.random import categorical as categorical
from minitf.core.ops.random import get_seed as get_seed
from minitf.core.ops.random import multinomial as multinomial
from minitf.core.ops.random import random_normal as normal
from minitf.core.ops.random import set_random_seed as set_random_seed
from minitf.core.ops.random import set_random_seed as set_seed
from minitf.core.ops.random import random_shuffle as shuffle
from minitf.core.ops.random import truncated_normal as truncated_normal
from minitf.core.ops.random import random_uniform as uniform
from minitf.library.nets.candidate_sampling import all_candidate_sampler as all_candidate_sampler
from minitf.library.nets.candidate_sampling import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from minitf.library.nets.candidate_sampling import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from minitf.library.nets.candidate_sampling import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from minitf.library.nets.candidate_sampling import uniform_candidate_sampler as uniform_candidate_sampler
from minitf.library.numeric.random_distributions import random_gamma as gamma
from minitf.library.numeric.random_distributions import random_poisson as poisson
from minitf.library.numeric.stateless_random import stateless_categorical as stateless_categorical
from minitf.library.numeric.stateless_random import stateless_multinomial as stateless_multinomial
from minitf.library.numeric.stateless_random import stateless_random_normal as stateless_normal
from minitf.library.numeric.stateless_random import stateless_truncated_normal as stateless_truncated_normal
from minitf.library.numeric.stateless_random import stateless_random_uniform as stateless_uniform

__all__ = [
    "all_candidate_sampler", "categorical", "experimental", "fixed_unigram_candidate_sampler",
    "gamma", "get_seed", "learned_unigram_candidate_sampler", "log_uniform_candidate_sampler",
    "multinomial", "normal", "poisson", "set_random_seed", "set_seed", "shuffle",
    "stateless_categorical", "stateless_multinomial", "stateless_normal",
    "stateless_truncated_normal", "stateless_uniform", "truncated_normal", "uniform",
    "uniform_candidate_sampler"
]

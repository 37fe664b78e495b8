"""The namespace `tf.random`: names only."""

from minitf.ops.candidate_sampling import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from minitf.ops.random import categorical, get_seed, multinomial, set_random_seed, truncated_normal
from minitf.ops.random import random_normal as normal
from minitf.ops.random import random_shuffle as shuffle
from minitf.ops.random import random_uniform as uniform
from minitf.ops.random import set_random_seed as set_seed
from minitf.ops.random_more import random_gamma as gamma
from minitf.ops.random_more import random_poisson as poisson
from minitf.ops.random_more import (
    stateless_categorical,
    stateless_multinomial,
    stateless_truncated_normal,
)
from minitf.ops.random_more import stateless_random_normal as stateless_normal
from minitf.ops.random_more import stateless_random_uniform as stateless_uniform

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))

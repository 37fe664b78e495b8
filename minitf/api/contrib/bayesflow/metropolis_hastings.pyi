"""The names of `tf.contrib.bayesflow.metropolis_hastings`."""

from minitf.compat.contrib.markov_chains import evolve as evolve
from minitf.compat.contrib.markov_chains import metropolis_kernel as kernel
from minitf.compat.contrib.markov_chains import proposal_normal as proposal_normal
from minitf.compat.contrib.markov_chains import proposal_uniform as proposal_uniform

__all__ = [
    "evolve", "kernel", "proposal_normal", "proposal_uniform"
]

"""The names of `tf.contrib.bayesflow.hmc`."""

from minitf.compat.contrib.markov_chains import ais_chain as ais_chain
from minitf.compat.contrib.markov_chains import chain as chain
from minitf.compat.contrib.markov_chains import hmc_kernel as kernel
from minitf.compat.contrib.markov_chains import leapfrog_integrator as leapfrog_integrator
from minitf.compat.contrib.markov_chains import leapfrog_step as leapfrog_step
from minitf.compat.contrib.markov_chains import sample_annealed_importance_chain as sample_annealed_importance_chain
from minitf.compat.contrib.markov_chains import sample_chain as sample_chain

__all__ = [
    "ais_chain", "chain", "kernel", "leapfrog_integrator", "leapfrog_step",
    "sample_annealed_importance_chain", "sample_chain"
]

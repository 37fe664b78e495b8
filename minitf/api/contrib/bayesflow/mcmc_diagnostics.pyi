"""The names of `tf.contrib.bayesflow.mcmc_diagnostics`."""

from minitf.compat.contrib.markov_chains import potential_scale_reduction as potential_scale_reduction
